//! Proves that a [`Text`] is a string wherever it is, and that a long one is linked if nothing in it has to be escaped.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use bytes::Bytes;
use json_rope::{Encoder, Frame, Rope, Text, to_rope};
use serde::Serialize;
use serde_json::json;

use crate::support::reference::{Mode, quoted};

/// The lengths of what may be linked, and around them.
const LENGTHS: [usize; 7] = [0, 1, 1023, 1024, 1025, 65_535, 80_000];

fn plain(len: usize) -> String {
    (0..len).map(|n| char::from(b'a' + (n % 26) as u8)).collect()
}

/// How many chunks are the memory of `text`, or a part of it.
fn linked(rope: &Rope, text: &Text) -> usize {
    let memory = text.as_bytes().as_ptr_range();
    rope.chunks().iter().filter(|chunk| !chunk.is_empty() && memory.contains(&chunk.as_ptr())).count()
}

#[test]
fn it_is_a_string_on_every_way() {
    for len in LENGTHS {
        for string in [plain(len), format!("{}\n", plain(len)), format!("\"{}", plain(len)), "é/<".repeat(len / 4)] {
            let text = Text::from(string.clone());
            for mode in [Mode::default(), Mode { ascii: true, ..Mode::default() }, Mode::nth(6)] {
                let expected = format!("[1,{0},{0}]", quoted(mode, &string));
                for max in [300, 65_536] {
                    let encoder = mode.builder().first_chunk(16).max_chunk(max).build().unwrap();
                    let value = (1, &text, &text);
                    assert_eq!(encoder.encode(&value).unwrap(), expected);
                    let mut written = Vec::new();
                    encoder.write(&mut written, &value).unwrap();
                    assert_eq!(written, expected.as_bytes());
                    let chunks: Vec<Bytes> = encoder.array([&text, &text]).map(Result::unwrap).collect();
                    assert!(chunks.iter().all(|chunk| chunk.len() <= max && str::from_utf8(chunk).is_ok()));
                    assert_eq!(chunks.concat(), expected.replace("1,", "").as_bytes());
                }
                let sorted = mode.builder().sort_keys(true).build().unwrap();
                let map = BTreeMap::from([("a", &text)]);
                assert_eq!(sorted.encode(&map).unwrap(), format!("{{\"a\":{}}}", quoted(mode, &string)));
                let inline = mode.builder().pretty(true).inline_width(3000).build().unwrap();
                let pretty = mode.builder().pretty(true).build().unwrap();
                if len > 13_000 {
                    assert_eq!(inline.encode(&map).unwrap(), pretty.encode(&map).unwrap());
                }
            }
            let framed = Encoder::new().encode_framed(Frame::Grpc, &text).unwrap().to_vec();
            assert_eq!(&framed[5..], quoted(Mode::default(), &string).as_bytes());
            assert_eq!(serde_json::to_string(&text).unwrap(), quoted(Mode::default(), &string));
            assert_eq!(serde_json::to_value(&text).unwrap(), json!(string));
        }
    }
}

#[test]
fn a_long_one_without_escapes_is_linked() {
    for len in LENGTHS {
        let text = Text::from(plain(len));
        let rope = to_rope(&[("a", &text), ("b", &text)]).unwrap();
        assert_eq!(linked(&rope, &text), if len >= 1024 { 2 } else { 0 });
        // Not what has to be escaped, and only then.
        for special in ["\n", "\"", "é", "/", "<", "\u{2028}"] {
            for place in [0, len / 2, len] {
                let mut string = plain(len);
                string.insert_str(place, special);
                let text = Text::from(string.clone());
                for n in 0..8 {
                    let mode = Mode::nth(n);
                    let has_escape = quoted(mode, &string).len() > string.len() + 2;
                    let rope = mode.builder().build().unwrap().encode(&[&text]).unwrap();
                    assert_eq!(linked(&rope, &text) > 0, string.len() >= 1024 && !has_escape, "{special:?} at {place}");
                }
            }
        }
    }
    // Not in an object that is put in order.
    let text = Text::from(plain(5000));
    let sorted = Encoder::builder().sort_keys(true).build().unwrap();
    assert_eq!(linked(&sorted.encode(&[&text]).unwrap(), &text), 1);
    assert_eq!(linked(&sorted.encode(&BTreeMap::from([("a", &text)])).unwrap(), &text), 0);
}

#[test]
fn it_is_a_key_too() {
    for len in LENGTHS {
        let map = BTreeMap::from([(Ordered(Text::from(plain(len))), 1)]);
        assert_eq!(to_rope(&map).unwrap(), format!("{{\"{}\":1}}", plain(len)));
    }
}

#[derive(PartialEq, Eq)]
struct Ordered(Text);

impl Serialize for Ordered {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.as_bytes().cmp(other.0.as_bytes())
    }
}

#[test]
fn nothing_is_left_behind() {
    // A serializer that fails.
    let text = Text::from(plain(2000));
    assert!(serde_json::to_writer(&mut [0u8; 2][..], &text).is_err());
    // What is serialized next under the same name is not mistaken for it.
    #[derive(Serialize)]
    #[serde(rename = "$json_rope::private::Text")]
    struct Impostor(u32);
    assert_eq!(to_rope(&(&text, Impostor(7))).unwrap(), format!("[\"{}\",7]", &*text));
    assert_eq!(to_rope(&Impostor(7)).unwrap(), "7");
}

#[test]
fn conversions_share() {
    let string = plain(3000);
    let address = string.as_ptr();
    let text = Text::from(string);
    assert_eq!(text.as_ptr(), address);
    let shared: Arc<str> = plain(3000).into();
    assert_eq!(Text::from(shared.clone()).as_ptr(), shared.as_ptr());
    let bytes = Bytes::from(plain(3000));
    let from_bytes = Text::try_from(bytes.clone()).unwrap();
    assert_eq!(from_bytes.as_ptr(), bytes.as_ptr());
    assert_eq!(Text::from("static"), "static");
    assert_eq!(text, from_bytes);
    assert_eq!(text.clone().as_ptr(), address);
    assert!(HashSet::from([text.clone()]).contains(&from_bytes));
    assert_eq!((format!("{text}"), format!("{text:?}")), (plain(3000), format!("{:?}", plain(3000))));
    let state = RandomState::new();
    assert_eq!(state.hash_one(&text), state.hash_one(&*text));
    assert_eq!((text.len(), &text[..3], Text::default().is_empty()), (3000, "abc", true));
    let error = Text::try_from(Bytes::from_static(b"abc\xff")).unwrap_err();
    assert!(error.is_data());
    assert_eq!((error.offset(), error.to_string()), (3, "invalid UTF-8 at byte 3".to_owned()));
}
