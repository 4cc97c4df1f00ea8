//! Proves that our types are plain values for serializers that do not know them, and that trees of other libraries are for us.

use std::collections::BTreeMap;

use json_rope::{Encoder, Fragment, Key, Text, to_rope};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// Numbers and raw values that another library's tree holds as maps.
#[test]
fn trees_of_other_libraries() {
    for text in [r#"{"f":[1.5],"n":300}"#, r#"{"$serde_json::private::Number":"300"}"#] {
        let value: Value = serde_json::from_str(text).unwrap();
        let tree = ciborium::Value::serialized(&value).unwrap();
        assert_eq!(to_rope(&tree).unwrap(), text);
        let encoder = Encoder::new();
        let array: Vec<_> = encoder.array([&tree]).collect::<Result<_, _>>().unwrap();
        assert_eq!(array.concat(), format!("[{text}]").as_bytes());
        let mut written = Vec::new();
        encoder.write(&mut written, &tree).unwrap();
        assert_eq!(written, text.as_bytes());
    }
}

/// A map of one member.
struct Member(Key, u32);

impl Serialize for Member {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(&self.0, self.1)])
    }
}

#[test]
fn encoded_keys_are_strings() {
    for name in ["", "a", "é\"\\/<\u{1}😀", &"\n".repeat(70)] {
        let cbor = ciborium::Value::serialized(&Member(Key::new(name), 1)).unwrap();
        assert_eq!(cbor, ciborium::Value::Map(vec![(name.into(), 1.into())]));
    }
}

#[test]
fn a_fragment_from_cbor() {
    let mut cbor = Vec::new();
    ciborium::into_writer(&(1, -1.5, "x\n", [true], BTreeMap::from([(7, ()), (300, ())])), &mut cbor).unwrap();
    let fragment: Fragment = ciborium::from_reader(&cbor[..]).unwrap();
    assert_eq!(fragment.as_rope(), r#"[1,-1.5,"x\n",[true],{"7":null,"300":null}]"#);
}

#[test]
fn a_text_to_cbor() {
    let text = Text::from("plain".repeat(400));
    let mut cbor = Vec::new();
    ciborium::into_writer(&text, &mut cbor).unwrap();
    assert_eq!(ciborium::from_reader::<String, _>(&cbor[..]).unwrap(), *text);
}

/// Some formats quote the text of an error inside that of another. It must not become longer with each level.
#[test]
fn the_error_of_a_deep_value_from_another_format_is_short() {
    for open in [&b"\x81"[..], b"\xa1\x61a"] {
        for depth in [1, 20, 120] {
            // Arrays of one item, or maps of one member, and then nothing.
            let error = ciborium::from_reader::<Fragment, _>(&open.repeat(depth)[..]).unwrap_err();
            assert!(error.to_string().len() < 1000, "{depth} levels: {} bytes", error.to_string().len());
        }
    }
}

#[test]
fn another_format_may_have_so_many_levels() {
    for (depth, fits) in [(127, true), (128, true), (129, false), (250, false)] {
        let cbor = [&b"\x81".repeat(depth)[..], b"\x00"].concat();
        match ciborium::from_reader::<Fragment, _>(&cbor[..]) {
            Ok(fragment) => assert!(fits && fragment.as_rope().len() == 2 * depth + 1),
            Err(error) => assert!(!fits && error.to_string().contains("nested deeper"), "{depth}: {error}"),
        }
    }
}
