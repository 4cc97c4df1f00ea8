//! Proves that serde_json's own types come out verbatim, and that their private names never do, with its features
//! `arbitrary_precision`, `raw_value` and `preserve_order` turned on.

use std::collections::BTreeMap;

use json_rope::{Encoder, to_rope, to_rope_pretty, to_string};
use serde::ser::{Error as _, SerializeMap, SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Number, Value};

const RAW_NAME: &str = "$serde_json::private::RawValue";
const NUMBER_NAME: &str = "$serde_json::private::Number";

/// Asserts the compact text and agreement with serde_json, compact and pretty, in memory and streaming, at all chunk
/// sizes, and that no private name comes out.
fn golden(value: &(impl Serialize + ?Sized), text: &str) {
    assert_eq!(serde_json::to_string(value).unwrap(), text, "serde_json");
    agrees(value, text, &serde_json::to_string_pretty(value).unwrap());
}

fn agrees(value: &(impl Serialize + ?Sized), compact: &str, pretty: &str) {
    assert!(!compact.contains("$serde_json") && !pretty.contains("$serde_json"));
    assert_eq!(to_rope(value).unwrap(), compact);
    assert_eq!(to_rope_pretty(value).unwrap(), pretty);
    for chunk in [16, 17, 31, 64, 4096] {
        for (text, is_pretty) in [(compact, false), (pretty, true)] {
            let encoder = Encoder::builder().pretty(is_pretty).first_chunk(chunk).max_chunk(chunk).build().unwrap();
            let rope = encoder.encode(value).unwrap();
            assert_eq!(rope, text);
            assert!(rope.chunks().iter().all(|part| part.len() <= chunk && str::from_utf8(part).is_ok()));
            let mut out = Vec::new();
            encoder.write(&mut out, value).unwrap();
            assert_eq!(out, text.as_bytes());
        }
    }
}

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.into()).expect("JSON")
}

/// A map of one member with any kind of key, by either way of handing it over.
struct Member<K, V>(K, V, bool);

impl<K: Serialize, V: Serialize> Serialize for Member<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        if self.2 {
            map.serialize_entry(&self.0, &self.1)?;
        } else {
            map.serialize_key(&self.0)?;
            map.serialize_value(&self.1)?;
        }
        map.end()
    }
}

#[test]
fn numbers_are_verbatim() {
    let texts = [
        "0",
        "-0",
        "-0.0",
        "1e400",
        "-1e-400",
        "1E400",
        "1.0E+2",
        "1.0e2",
        "100",
        "1.10",
        "123456789012345678901234567890",
        "-123456789012345678901234567890.123456789012345678901234567890",
        "0.1000000000000000055511151231257827021181583404541015625",
        "18446744073709551616",
    ];
    for text in texts {
        let number: Number = serde_json::from_str(text).unwrap();
        // serde_json's parser may put a sign into an exponent; what it holds is what has to come out.
        let text = number.to_string();
        golden(&number, &text);
        golden(&Value::Number(number.clone()), &text);
        golden(&[&number, &number], &format!("[{text},{text}]"));
        golden(&BTreeMap::from([("n", Some(number))]), &format!("{{\"n\":{text}}}"));
    }
    let long = "7".repeat(100_000);
    let number: Number = serde_json::from_str(&long).unwrap();
    assert_eq!(to_rope(&[number]).unwrap(), format!("[{long}]"));
}

#[test]
fn golden_numbers() {
    for text in ["1e400", "123456789012345678901234567890", "-0", "1.0E+2", "1.50"] {
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(to_string(&value).unwrap().to_lowercase(), {
            let want = if text == "1e400" { "1e+400" } else { text };
            want.to_lowercase()
        });
        golden(&value, &serde_json::to_string(&value).unwrap());
    }
    golden(&Number::from_f64(1e16).unwrap(), "1e+16");
    golden(&Number::from(u64::MAX), "18446744073709551615");
    golden(&Number::from(i64::MIN), "-9223372036854775808");
    golden(&serde_json::to_value(u128::MAX).unwrap(), "340282366920938463463374607431768211455");
    golden(&serde_json::to_value(f32::MAX).unwrap(), "3.4028235e+38");
}

#[test]
fn br_070_raw_values_are_verbatim() {
    #[derive(Serialize)]
    struct Holder<'a> {
        before: u8,
        raw: &'a RawValue,
        after: u8,
    }
    let text = "{ \"a\" : [1,\n2] }";
    let value = raw(text);
    golden(&value, text);
    golden(&*value, text);
    golden(&vec![&value, &value], &format!("[{text},{text}]"));
    golden(&Some(Some(&value)), text);
    golden(&Holder { before: 1, raw: &value, after: 2 }, &format!("{{\"before\":1,\"raw\":{text},\"after\":2}}"));
    golden(&BTreeMap::from([("k", &value)]), &format!("{{\"k\":{text}}}"));
    golden(&(1, &value, "x"), &format!("[1,{text},\"x\"]"));
    golden(&Ok::<_, ()>(&value), &format!("{{\"Ok\":{text}}}"));
    agrees(&[&value], &format!("[{text}]"), &format!("[\n  {text}\n]"));
}

#[test]
fn raw_values_of_every_length_and_content() {
    for json in ["null", "0", "-0.0e-00", "\"\\u0041\\/\"", "[]", "{}", "\"é€😀\"", "[ ]", "1E400"] {
        golden(&raw(json), json);
        golden(&[raw(json), raw(json)], &format!("[{json},{json}]"));
    }
    for len in (0..200).chain(14_320..14_340) {
        let json = format!("[\"{}é😀\", 1]", "x".repeat(len));
        let value = raw(&json);
        assert_eq!(to_rope(&[&value]).unwrap(), format!("[{json}]"));
        let mut out = Vec::new();
        Encoder::builder().first_chunk(16).max_chunk(40).build().unwrap().write(&mut out, &value).unwrap();
        assert_eq!(out, json.as_bytes());
    }
    let json = format!("[\"{}\", 1]", "é".repeat(300_000));
    golden(&raw(&json), &json);
}

#[test]
fn br_070_a_raw_key_is_a_json_string_or_an_error() {
    for entry in [true, false] {
        let accepted = [
            (r#""key""#, r#"{"key":1}"#, "{\n  \"key\": 1\n}"),
            (r#""""#, r#"{"":1}"#, "{\n  \"\": 1\n}"),
            (r#""q\"\n""#, r#"{"q\"\n":1}"#, "{\n  \"q\\\"\\n\": 1\n}"),
            (r#""é😀""#, r#"{"é😀":1}"#, "{\n  \"é😀\": 1\n}"),
        ];
        for (key, compact, pretty) in accepted {
            agrees(&Member(raw(key), 1, entry), compact, pretty);
            agrees(&Member(Some(raw(key)), 1, entry), compact, pretty);
        }
        for key in ["1", "null", "true", "[]", "{}", "[\"key\"]", "1.5"] {
            let error = to_rope(&Member(raw(key), 1, entry)).unwrap_err();
            assert!(error.is_data());
            assert_eq!(error.to_string(), "cannot encode the document: key must be a string");
            assert!(json_rope::to_writer(Vec::new(), &Member(raw(key), 1, entry)).unwrap_err().is_data());
        }
    }
}

#[test]
fn a_number_is_no_key() {
    for entry in [true, false] {
        let number: Number = serde_json::from_str("1e400").unwrap();
        let error = to_rope(&Member(&number, 1, entry)).unwrap_err();
        assert!(error.is_data());
        assert_eq!(error.to_string(), "cannot encode the document: key must be a string");
        assert!(serde_json::to_string(&Member(number, 1, entry)).is_err());
        assert!(to_rope(&Member(Value::from(1), 1, entry)).unwrap_err().is_data());
    }
}

#[test]
fn br_114_order_is_preserved() {
    let value: Value = serde_json::from_str(r#"{"z":1,"a":2,"m":{"y":[{"b":0,"a":0}],"x":null}}"#).unwrap();
    golden(&value, r#"{"z":1,"a":2,"m":{"y":[{"b":0,"a":0}],"x":null}}"#);
}

#[test]
fn whole_documents_with_big_numbers() {
    let text = r#"{"z":[1e400,-0,0.10,123456789012345678901234567890],"a":{"k":1.0E-2,"s":"1e400"}}"#;
    let value: Value = serde_json::from_str(text).unwrap();
    golden(&value, &serde_json::to_string(&value).unwrap());
    golden(&vec![&value; 500], &serde_json::to_string(&vec![&value; 500]).unwrap());
}

/// A struct that speaks one of the protocols, in ways that serde_json's types do not.
struct Speaker<'a, T>(&'static str, &'a [(&'static str, T)]);

impl<T: Serialize> Serialize for Speaker<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct(self.0, self.1.len())?;
        for (name, value) in self.1 {
            object.serialize_field(name, value)?;
        }
        object.end()
    }
}

#[test]
fn misuse_of_the_private_names_is_an_error() {
    for (name, other) in [(RAW_NAME, NUMBER_NAME), (NUMBER_NAME, RAW_NAME)] {
        agrees(&[Speaker(name, &[(name, "1")])], "[1]", "[\n  1\n]");
        for value in [
            &Speaker(name, &[]),
            &Speaker(name, &[("other", "1")]),
            &Speaker(name, &[(other, "1")]),
            &Speaker(name, &[(name, "1"), (name, "2")]),
            &Speaker(name, &[(name, "1"), ("other", "2")]),
            &Speaker(name, &[(name, "")]),
        ] {
            let error = to_rope(&[value]).unwrap_err();
            assert!(error.is_data());
            assert_eq!(error.pointer(), Some("/0"));
            assert!(!error.to_string().contains("$serde_json"));
        }
        assert!(to_rope(&Speaker(name, &[(name, 1)])).unwrap_err().is_data());
        assert!(to_rope(&Speaker(name, &[(name, Some("1"))])).unwrap_err().is_data());
        assert!(to_rope(&Speaker(name, &[(name, ["1"])])).unwrap_err().is_data());
        // A map is data, whatever its keys are called.
        let map = BTreeMap::from([(name, "1")]);
        assert_eq!(to_rope(&map).unwrap(), serde_json::to_string(&map).unwrap());
    }
}

#[test]
fn an_error_inside_a_private_struct_comes_back_even_if_it_is_swallowed() {
    struct Swallowing;
    impl Serialize for Swallowing {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut object = serializer.serialize_struct(RAW_NAME, 1)?;
            let _ = object.serialize_field(RAW_NAME, &1);
            let _ = object.serialize_field(RAW_NAME, "1");
            object.end()
        }
    }
    assert!(to_rope(&Swallowing).is_err());
    struct Failing;
    impl Serialize for Failing {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(S::Error::custom("no such thing"))
        }
    }
    struct Around;
    impl Serialize for Around {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut seq = serializer.serialize_seq(None)?;
            let _ = seq.serialize_element(&Speaker(RAW_NAME, &[(RAW_NAME, Failing)]));
            seq.end()
        }
    }
    assert!(to_rope(&Around).unwrap_err().is_data());
}
