//! A map is data, whatever its keys are called. Names that serde_json and this crate reserve for themselves come out of
//! a map as serde_json writes them, by every way out. Only a struct speaks a private protocol.

use std::collections::BTreeMap;

use json_rope::{Encoder, Fragment, Frame};
use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

const NUMBER: &str = "$serde_json::private::Number";
const RAW_VALUE: &str = "$serde_json::private::RawValue";
const FRAGMENT: &str = "$json_rope::private::Fragment";
const NAMES: [&str; 6] = [NUMBER, RAW_VALUE, FRAGMENT, "$", "$serde_json", "$__toml_private_datetime"];

fn encoders() -> Vec<Encoder> {
    let plain = Encoder::builder;
    [plain(), plain().sort_keys(true), plain().html_safe(true), plain().max_chunk(16)]
        .map(|builder| builder.build().unwrap())
        .into()
}

fn pulled(chunks: impl Iterator<Item = json_rope::Result<bytes::Bytes>>) -> String {
    let chunks: Vec<u8> = chunks.flat_map(|chunk| chunk.unwrap().to_vec()).collect();
    String::from_utf8(chunks).unwrap()
}

fn by_all_ways(value: &impl Serialize) {
    let want = serde_json::to_string(value).unwrap();
    for encoder in encoders() {
        assert_eq!(encoder.encode(value).unwrap(), want);
        let mut out = Vec::new();
        encoder.write(&mut out, value).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), want);
        assert_eq!(encoder.encode_framed(Frame::NdJson, value).unwrap(), format!("{want}\n"));
        assert_eq!(pulled(encoder.array([value])), format!("[{want}]"));
        assert_eq!(pulled(encoder.records(Frame::NdJson, [value, value])), format!("{want}\n{want}\n"));
    }
    assert_eq!(json_rope::to_rope_pretty(value).unwrap(), serde_json::to_string_pretty(value).unwrap());
}

/// What a client can send to a gateway.
#[test]
fn trees() {
    for name in NAMES {
        for value in [json!("x"), json!("1"), json!("[1]"), json!(1), json!({name: "2"}), json!([{name: 1.5}])] {
            let mut documents = vec![Map::from_iter([(name.to_owned(), value.clone())])];
            documents.push(Map::from_iter([("a".to_owned(), json!(1)), (name.to_owned(), value.clone())]));
            documents.push(Map::from_iter([(name.to_owned(), value.clone()), ("~".to_owned(), json!(1))]));
            for document in documents.into_iter().map(Value::Object) {
                by_all_ways(&document);
                let want = document.to_string();
                for encoder in encoders() {
                    assert_eq!(encoder.encode_tree(&document).unwrap(), want);
                    assert_eq!(pulled(encoder.chunks(&document)), want);
                    assert_eq!(pulled(encoder.chunks(document.clone())), want);
                }
            }
        }
    }
}

/// A map of one key, by one call or by two.
struct Member<K, V>(K, V, bool);

impl<K: Serialize, V: Serialize> Serialize for Member<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if self.2 {
            map.serialize_entry(&self.0, &self.1)?;
        } else {
            map.serialize_key(&self.0)?;
            map.serialize_value(&self.1)?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct Flat<T> {
    /// First in the order of keys too.
    #[serde(rename = "!")]
    first: u8,
    #[serde(flatten)]
    rest: T,
}

/// A key that is formatted, as a wrapper of the name would be.
struct Shown(&'static str);

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self.0)
    }
}

#[test]
fn maps() {
    for name in NAMES {
        for entry in [false, true] {
            by_all_ways(&Member(name, "x", entry));
            by_all_ways(&Member(name, (), entry));
            by_all_ways(&Member(Some(name), [1], entry));
            by_all_ways(&Member(Shown(name), 1, entry));
            by_all_ways(&Flat { first: 1, rest: Member(name, "[]", entry) });
            by_all_ways(&[Some(BTreeMap::from([(name, BTreeMap::from([(name, "1")]))]))]);
        }
    }
}

#[test]
fn structs_still_speak_the_protocols() {
    struct Speaker(&'static str, &'static str);
    impl Serialize for Speaker {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut state = serializer.serialize_struct(self.0, 1)?;
            state.serialize_field(self.0, self.1)?;
            state.end()
        }
    }
    for name in [NUMBER, RAW_VALUE] {
        for encoder in encoders() {
            assert_eq!(encoder.encode(&[Speaker(name, "1.50")]).unwrap(), "[1.50]");
        }
    }
}

/// Serde passes a flattened fragment on as a member with a reserved name. It is told from data.
#[test]
fn a_flattened_fragment() {
    let value = Flat { first: 1, rest: Fragment::trusted(r#"{"b":2}"#) };
    for encoder in encoders() {
        let error = encoder.encode(&[&value]).unwrap_err();
        assert!(error.is_data() && error.message().contains("#[serde(flatten)]"), "{error}");
        assert_eq!(error.pointer(), Some("/0"));
        assert!(encoder.write(&mut Vec::new(), &value).is_err());
    }
}

#[test]
fn a_fragment_passes_on_a_part_of_a_request() {
    #[derive(serde::Deserialize, Serialize)]
    struct Request {
        id: u8,
        body: Fragment,
        rest: Option<Vec<Fragment>>,
    }
    let text = r#"{"id":1,"body": { "n" : 1.50, "big":123456789012345678901234567890 } ,"rest":[1, "a\/b" ,null]}"#;
    let want = r#"{"id":1,"body":{ "n" : 1.50, "big":123456789012345678901234567890 },"rest":[1,"a\/b",null]}"#;
    for request in [
        serde_json::from_str::<Request>(text).unwrap(),
        serde_json::from_slice(text.as_bytes()).unwrap(),
        serde_json::from_reader(text.as_bytes()).unwrap(),
    ] {
        assert_eq!(json_rope::to_rope(&request).unwrap(), want);
        assert_eq!(serde_json::to_string(&request).unwrap(), want);
    }
    let value = json!({"id": 1, "body": {"a": [1.5, true]}, "rest": null});
    let request: Request = serde_json::from_value(value).unwrap();
    assert_eq!(json_rope::to_rope(&request).unwrap(), r#"{"id":1,"body":{"a":[1.5,true]},"rest":null}"#);
    let error = serde_json::from_str::<Request>(r#"{"id":1,"body":[1,}"#).err().unwrap();
    assert!(error.to_string().contains("line 1"), "{error}");
}

#[test]
fn a_fragment_from_other_formats() {
    use serde::Deserialize;
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, MapDeserializer, SeqDeserializer};

    let from = |text: &str| Fragment::deserialize(IntoDeserializer::<Error>::into_deserializer(text));
    assert_eq!(from("a\"b").unwrap().as_rope(), r#""a\"b""#);
    let items = SeqDeserializer::<_, Error>::new([1u8, 2].into_iter());
    assert_eq!(Fragment::deserialize(items).unwrap().as_rope(), "[1,2]");
    let map = MapDeserializer::<_, Error>::new([("a", 1u8), (NUMBER, 2)].into_iter());
    assert_eq!(Fragment::deserialize(map).unwrap().as_rope(), r#"{"a":1,"$serde_json::private::Number":2}"#);
    // A name in the input is not a way to smuggle text in.
    let map = MapDeserializer::<_, Error>::new([(RAW_VALUE, "1,\"admin\":true")].into_iter());
    assert!(Fragment::deserialize(map).is_err());
}

#[test]
fn fragments_of_raw_values_and_text() {
    use serde_json::value::RawValue;
    let raw = RawValue::from_string("[1.50]".to_owned()).unwrap();
    #[cfg(feature = "raw_value")]
    {
        assert_eq!(Fragment::from(&*raw).as_rope(), "[1.50]");
        assert_eq!(Fragment::from(raw.clone()).as_rope(), "[1.50]");
    }
    assert_eq!(Fragment::try_from(raw.get()).unwrap().as_rope(), "[1.50]");
    assert_eq!(Fragment::try_from(" 1 ").unwrap().as_rope(), "1");
    assert_eq!(
        Fragment::try_from("[1 2]").unwrap_err().to_string(),
        "not JSON at byte 3: expected a comma, or the end of the array"
    );
    assert_eq!(
        Fragment::try_from("[tru]").unwrap_err().to_string(),
        "not JSON at byte 4: expected `true`, `false` or `null`"
    );
}
