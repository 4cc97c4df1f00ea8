//! Proves which map keys are accepted, how they come out, and which are refused.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use json_rope::{Error, Key, to_rope, to_rope_pretty, to_string};
use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};

use crate::support::outputs::{golden, golden_pretty};
use crate::support::values;
use crate::support::values::{Member, Pieces, Shape};

/// Asserts how a key comes out, quotes included.
fn key(key: impl Serialize, text: &str) {
    for entry in [true, false] {
        let member = Member(&key, 1, entry);
        golden_pretty(&member, &format!("{{{text}:1}}"), &format!("{{\n  {text}: 1\n}}"));
        // And behind another member.
        golden(&[(&member, &member)], &format!("[[{{{text}:1}},{{{text}:1}}]]"));
    }
}

/// Asserts that a key is refused, with serde_json's words.
fn refused(key: impl Serialize, message: &str) {
    for entry in [true, false] {
        let member = Member(&key, 1, entry);
        let errors: [Error; 3] = [
            to_rope(&member).unwrap_err(),
            to_rope_pretty(&member).unwrap_err(),
            json_rope::to_writer(Vec::new(), &member).unwrap_err(),
        ];
        for error in errors {
            assert!(error.is_data());
            assert_eq!(error.to_string(), format!("cannot encode the document: {message}"));
            assert_eq!(error.pointer(), Some(""));
        }
        let error = to_rope(&[((), &member)]).unwrap_err();
        assert_eq!(error.pointer(), Some("/0/1"), "an error of a key stands at its map");
        let peer = serde_json::to_string(&member).unwrap_err().to_string();
        assert!(peer.starts_with(message), "serde_json: {peer}");
    }
}

#[derive(Serialize)]
struct Newtype<T>(T);

#[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
enum Variants {
    A,
    #[serde(rename = "needs \"escape\"\n")]
    Escaped,
    One(u8),
    Two(u8, u8),
    Named {
        field: u8,
    },
}

#[test]
fn strings_and_chars() {
    key("x", r#""x""#);
    key("", r#""""#);
    key("k\"\\\n\u{1}/", r#""k\"\\\n\u0001/""#);
    key("ключ😀", r#""ключ😀""#);
    key('c', r#""c""#);
    key('\u{1f600}', "\"\u{1f600}\"");
    key('\t', r#""\t""#);
    key(String::from("owned"), r#""owned""#);
}

#[test]
fn br_056_integer_keys_are_quoted() {
    golden_pretty(&BTreeMap::from([(-1, 2), (7, 1)]), r#"{"-1":2,"7":1}"#, "{\n  \"-1\": 2,\n  \"7\": 1\n}");
    key(i8::MIN, r#""-128""#);
    key(i16::MIN, r#""-32768""#);
    key(i32::MIN, r#""-2147483648""#);
    key(i64::MIN, r#""-9223372036854775808""#);
    key(i128::MIN, r#""-170141183460469231731687303715884105728""#);
    key(u8::MAX, r#""255""#);
    key(u16::MAX, r#""65535""#);
    key(u32::MAX, r#""4294967295""#);
    key(u64::MAX, r#""18446744073709551615""#);
    key(0, r#""0""#);
}

#[test]
fn br_057_float_keys_have_both_quotes() {
    key(1.5f64, r#""1.5""#);
    key(2.0f32, r#""2.0""#);
    key(-0.0f64, r#""-0.0""#);
    key(1e300f64, r#""1e+300""#);
    key(0.1f32, r#""0.1""#);
}

#[test]
fn br_059_optional_keys() {
    key(Some("x"), r#""x""#);
    key(Some(Some(Newtype(Some(7)))), r#""7""#);
    refused(None::<&str>, "key must be a string");
    refused(Some(None::<&str>), "key must be a string");
}

#[test]
fn br_060_scalar_keys() {
    key(true, r#""true""#);
    key(false, r#""false""#);
    key(-1, r#""-1""#);
    key(u128::MAX, r#""340282366920938463463374607431768211455""#);
    key('"', r#""\"""#);
    key(Newtype("q"), r#""q""#);
    key(Newtype(Newtype('x')), r#""x""#);
    key(Variants::A, r#""A""#);
    key(Variants::Escaped, r#""needs \"escape\"\n""#);
}

#[test]
fn displayed_keys() {
    key(Shape::Display(Pieces(vec!["a\"".into(), String::new(), "\n😀".into()])), "\"a\\\"\\n😀\"");
    key(Shape::Display(Pieces(vec![])), r#""""#);
    key(std::net::Ipv4Addr::LOCALHOST, r#""127.0.0.1""#);
}

#[test]
fn refused_keys() {
    for shape in [
        Shape::Unit,
        Shape::UnitStruct,
        Shape::None,
        Shape::Bytes(b"bytes".to_vec()),
        Shape::Seq(values::Hint::True, vec![]),
        Shape::Tuple(vec![Shape::Bool(true)]),
        Shape::TupleStruct(vec![]),
        Shape::TupleVariant("v", vec![Shape::Unit]),
        Shape::Map(values::Hint::True, values::Calls::Entries, vec![]),
        Shape::Struct(vec![("a", Shape::Unit)]),
        Shape::StructVariant("v", vec![]),
        Shape::NewtypeVariant("v", Box::new(Shape::Str("text".into()))),
    ] {
        refused(shape, "key must be a string");
    }
    refused(Variants::One(1), "key must be a string");
    refused(Variants::Two(1, 2), "key must be a string");
    refused(Variants::Named { field: 1 }, "key must be a string");
    refused(vec!["text"], "key must be a string");
    refused(Newtype(()), "key must be a string");
}

#[test]
fn floats_that_are_not_finite_are_no_keys() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        refused(number, "float key must be finite");
        refused(Some(number as f32), "float key must be finite");
    }
}

#[test]
fn a_key_that_fails_to_display_is_an_error() {
    struct Failing;
    impl fmt::Display for Failing {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("half")?;
            Err(fmt::Error)
        }
    }
    impl Serialize for Failing {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(self)
        }
    }
    for entry in [true, false] {
        let error = to_rope(&Member(Failing, 1, entry)).unwrap_err();
        assert!(error.is_data());
        assert_eq!(error.pointer(), Some(""));
    }
}

#[test]
fn a_struct_with_a_private_name_is_no_key() {
    struct Number;
    impl Serialize for Number {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut number = serializer.serialize_struct("$serde_json::private::Number", 1)?;
            number.serialize_field("$serde_json::private::Number", "1e400")?;
            number.end()
        }
    }
    refused(Number, "key must be a string");
}

/// A pointer names the key as it stands in the document, whatever kind of key it is.
#[test]
fn every_kind_of_key_is_named_in_a_pointer() {
    fn check(key: impl Serialize, segment: &str) {
        for entry in [true, false] {
            let failing = Member((), (), true);
            let error = to_rope(&Member(&key, &failing, entry)).unwrap_err();
            assert_eq!(error.pointer(), Some(&*format!("/{segment}")));
        }
    }
    check("text", "text");
    check("", "");
    check("a/b~c", "a~1b~0c");
    check("line\n\"é😀", "line\n\"é😀");
    check('c', "c");
    check(true, "true");
    check(-7i8, "-7");
    check(300i16, "300");
    check(-7i32, "-7");
    check(i64::MIN, "-9223372036854775808");
    check(i128::MIN, "-170141183460469231731687303715884105728");
    check(7u8, "7");
    check(7u16, "7");
    check(7u32, "7");
    check(u64::MAX, "18446744073709551615");
    check(u128::MAX, "340282366920938463463374607431768211455");
    check(1.5f64, "1.5");
    check(2.0f32, "2.0");
    check(1e300, "1e+300");
    check(Variants::A, "A");
    check(Newtype("n"), "n");
    check(Shape::Display(Pieces(vec!["a/".into(), "b".into()])), "a~1b");
}

#[test]
fn maps_of_the_standard_library() {
    golden(&HashMap::from([("only", [1])]), r#"{"only":[1]}"#);
    golden(&BTreeMap::from([('a', Some(1)), ('b', None)]), r#"{"a":1,"b":null}"#);
    golden(&BTreeMap::from([(Variants::A, 1), (Variants::Escaped, 2)]), r#"{"A":1,"needs \"escape\"\n":2}"#);
    assert_eq!(to_string(&BTreeMap::<u8, u8>::new()).unwrap(), "{}");
}

/// A key that was encoded once is the string that it was made of, for every serializer.
#[test]
fn encoded_keys_are_strings() {
    let names = (0..70).map(|len| "x".repeat(len)).chain(["é\"\\/<\u{1}😀".into(), "\n".repeat(40)]);
    for name in names {
        let encoded = Key::new(&name);
        let text = serde_json::to_string(&name).unwrap();
        key(&encoded, &text);
        key(Some(&encoded), &text);
        key(Box::new(&encoded) as Box<dyn erased_serde::Serialize>, &text);
        golden(&(&encoded, [&encoded]), &format!("[{text},[{text}]]"));
        assert_eq!(serde_json::to_string(&Member(&encoded, 1, true)).unwrap(), format!("{{{text}:1}}"));
    }
}

/// More levels than the output keeps without an allocation, entered and left again and again.
#[test]
fn errors_name_encoded_keys_at_every_depth() {
    struct Nested(u32, u32);

    impl Serialize for Nested {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let Nested(depth, failing) = *self;
            let mut map = serializer.serialize_map(None)?;
            if depth < 20 {
                map.serialize_entry(&Key::new("first"), &Nested(depth.max(15) + 1, u32::MAX))?;
                map.serialize_entry(&Key::new(&format!("level {depth}")), &Nested(depth + 1, failing))?;
            }
            if depth == failing {
                map.serialize_entry(&Key::new("bad"), &Member((), 1, true))?;
            }
            map.end()
        }
    }

    for failing in 0..=20 {
        let levels = (0..failing).map(|level| format!("/level {level}")).collect::<String>();
        let error = to_rope(&Nested(0, failing)).unwrap_err();
        assert_eq!(error.pointer(), Some(&*format!("{levels}/bad")));
        let error = json_rope::to_writer(std::io::sink(), &Nested(0, failing)).unwrap_err();
        assert_eq!(error.pointer(), Some(&*format!("{levels}/bad")));
    }
}
