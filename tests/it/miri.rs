//! Small documents through every part with unsafe code: short enough for Miri, which `.ci/miri` runs them with.
//! Anywhere else they take no time and prove the same as the larger tests.

use std::collections::BTreeMap;
use std::io::Read;

use json_rope::{Encoder, Fragment, Rope, VectoredSink};
use serde_json::{Value, json};

use crate::support::reference::{Mode, quoted};

fn document(text: &str) -> Value {
    json!({"text": text, "list": [1, -20, u64::MAX, i64::MIN, 1.5, -0.0, 1e300, 5e-324, null, true], "": {"a": [[], {}]}})
}

/// Around the lengths that strings are copied in, with an escape at the end.
fn texts() -> impl Iterator<Item = String> {
    [0, 1, 3, 4, 7, 8, 15, 16, 17, 31, 32, 63, 64, 65]
        .into_iter()
        .flat_map(|len| ["", "é", "\"", "\u{1}"].map(|last| format!("{}{last}", "x".repeat(len))))
}

#[test]
fn in_memory_and_streaming() {
    for text in texts() {
        let value = document(&text);
        let want = serde_json::to_string(&value).unwrap();
        for size in [16, 33] {
            let encoder = Encoder::builder().first_chunk(size).max_chunk(2 * size).build().unwrap();
            let rope = encoder.encode(&value).unwrap();
            assert_eq!(rope, want);
            let mut out = Vec::new();
            encoder.write(&mut out, &value).unwrap();
            assert_eq!(out, want.as_bytes());
            assert_eq!(rope.to_string(), want);
        }
        assert_eq!(json_rope::to_string(&value).unwrap(), want);
    }
}

#[test]
fn on_demand_and_sorted() {
    let value = document("é\"😀 some text");
    let want = serde_json::to_string(&value).unwrap();
    let encoder = Encoder::builder().first_chunk(16).max_chunk(32).sort_keys(true).build().unwrap();
    let mut read = String::new();
    encoder.chunks(value.clone()).into_reader().read_to_string(&mut read).unwrap();
    assert_eq!(read, want);
    assert_eq!(encoder.encode_tree(&value).unwrap(), want);
    let map = BTreeMap::from([("b", 1), ("a", 2)]);
    assert_eq!(encoder.encode(&map).unwrap(), r#"{"a":2,"b":1}"#);
    assert_eq!(encoder.array([1, 2]).map(|chunk| chunk.unwrap()).collect::<Rope>(), "[1,2]");
}

#[test]
fn modes_and_fragments() {
    for mode in [0, 1, 2, 4, 7].map(Mode::nth) {
        let encoder = mode.builder().first_chunk(16).max_chunk(32).build().unwrap();
        let text = "é/<\u{2028}😀\"\u{1}";
        let want = quoted(mode, text);
        assert_eq!(encoder.encode(text).unwrap(), want);
        let fragment = Fragment::checked(serde_json::to_string(text).unwrap()).unwrap();
        assert_eq!(encoder.encode(&[&fragment, &fragment]).unwrap(), format!("[{want},{want}]"));
    }
    let long = Fragment::trusted("0".repeat(1500));
    assert_eq!(json_rope::to_rope(&(&long, 1, &long)).unwrap().len(), 3005);
}

#[test]
fn a_document_that_leaves_the_stack() {
    let encoder = Encoder::new();
    for text in ["x".repeat(2100), "é".repeat(7500)] {
        let rope = encoder.encode(&text).unwrap();
        assert_eq!(rope, format!("\"{text}\""));
        let mut copy = rope.clone();
        assert_eq!(copy.split_to(100), rope.slice(..100));
        copy.compact();
        let mut sink = VectoredSink::new(Vec::new());
        sink.push(copy);
        sink.flush().unwrap();
        assert_eq!(sink.pending(), 0);
    }
}
