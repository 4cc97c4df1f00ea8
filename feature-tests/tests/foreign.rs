//! Numbers that pass through other libraries while serde_json's `arbitrary_precision` is on: they travel as a map with a
//! private key, and come out at least as serde_json writes them.

use json_rope::{Encoder, Error, Fragment, Frame, to_rope};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// Every way out gives what serde_json gives.
fn as_serde_json(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).expect("serde_json can");
    let plain = || Encoder::builder();
    for encoder in [plain(), plain().first_chunk(16).max_chunk(16), plain().sort_keys(true)].map(|b| b.build().unwrap())
    {
        // The documents here have sorted keys.
        let all = |chunks: &mut dyn Iterator<Item = Result<bytes::Bytes, Error>>| {
            chunks.flat_map(|chunk| chunk.unwrap().to_vec()).collect::<Vec<u8>>()
        };
        let mut written = Vec::new();
        encoder.write(&mut written, value).unwrap();
        let mut appended = Vec::new();
        encoder.encode_to_vec(&mut appended, value).unwrap();
        assert_eq!(encoder.encode(value).unwrap(), text);
        assert_eq!(written, text.as_bytes());
        assert_eq!(appended, text.as_bytes());
        assert_eq!(encoder.measure(value).unwrap(), text.len() as u64);
        assert_eq!(all(&mut encoder.array([value])), format!("[{text}]").as_bytes());
        assert_eq!(all(&mut encoder.records(Frame::NdJson, [value])), format!("{text}\n").as_bytes());
    }
    text
}

/// The JSON text, given to the encoder by a deserializer that meets it.
struct Transcoded<'a>(&'a str);

impl Serialize for Transcoded<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut deserializer = serde_json::Deserializer::from_str(self.0);
        serde_transcode::Transcoder::new(&mut deserializer).serialize(serializer)
    }
}

const NUMBERS: [&str; 8] = [
    "0",
    "-7",
    "300",
    "2.50",
    "1e400",
    "-0.0",
    "123456789012345678901234567890",
    "0.1000000000000000055511151231257827",
];

#[test]
fn br_118_transcoded_numbers() {
    for number in NUMBERS {
        for text in [
            number.to_owned(),
            format!("[{number}]"),
            format!(r#"{{"a":{number}}}"#),
            format!(r#"{{"a":[1,{number},{{"b":null}}],"n":{number}}}"#),
            format!("{}{number}{}", "[".repeat(60), "]".repeat(60)),
        ] {
            as_serde_json(&Transcoded(&text));
        }
    }
}

#[test]
fn br_119_numbers_in_the_trees_of_another_library() {
    for number in NUMBERS {
        for text in
            [number.to_owned(), format!("[{number},{number}]"), format!(r#"{{"n":{{"m":{number}}},"o":{number}}}"#)]
        {
            let value: Value = serde_json::from_str(&text).unwrap();
            let tree = ciborium::Value::serialized(&value).unwrap();
            as_serde_json(&tree);
            // Without the other library they are numbers.
            assert_eq!(as_serde_json(&value), serde_json::to_string(&value).unwrap());
            assert_eq!(Encoder::new().encode_tree(&value).unwrap(), serde_json::to_string(&value).unwrap());
        }
    }
}

/// What a client may send: the private names are keys like all others.
#[test]
fn br_121_reserved_names_in_data() {
    for name in ["$serde_json::private::Number", "$serde_json::private::RawValue"] {
        for text in [
            format!(r#"{{"a":1,"{name}":"x"}}"#),
            format!(r#"{{"a":1,"{name}":"12"}}"#),
            format!(r#"{{"a":1,"{name}":{{"b":[2]}}}}"#),
        ] {
            let mut value: Value = serde_json::from_str(&text).unwrap();
            value.sort_all_objects();
            assert_eq!(Encoder::new().encode_tree(&value).unwrap(), as_serde_json(&value));
            let chunks = Encoder::new().chunks(&value).map(Result::unwrap).collect::<json_rope::Rope>();
            assert_eq!(chunks, as_serde_json(&value));
            as_serde_json(&Transcoded(&value.to_string()));
        }
    }
}

/// These do not know serde_json's raw values, and see a struct of one text. At least nothing is left behind.
#[test]
fn other_serializers_do_not_panic() {
    let fragment = Fragment::trusted(r#"{"b":2}"#);
    let want = r#"[{"$serde_json::private::RawValue":"{\"b\":2}"}]"#;
    assert_eq!(simd_json::serde::to_string(&[&fragment]).unwrap(), want);
    assert!(simd_json::serde::to_string(&Fragment::trusted("[")).is_err());
    #[cfg(target_pointer_width = "64")]
    {
        assert_eq!(sonic_rs::to_string(&[&fragment]).unwrap(), want);
        assert!(sonic_rs::to_string(&Fragment::trusted("[")).is_err());
    }
    assert_eq!(to_rope(&[&fragment]).unwrap(), r#"[{"b":2}]"#);
}
