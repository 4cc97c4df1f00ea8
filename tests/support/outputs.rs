//! One value through every way out of the crate.

use json_rope::{Encoder, Rope};
use serde::Serialize;

/// The text of `value` by every compact way out, which must all agree; also at the smallest chunks.
pub fn compact(value: &(impl Serialize + ?Sized)) -> String {
    let text = json_rope::to_string(value).expect("encodes");
    assert_eq!(json_rope::to_rope(value).unwrap(), text, "to_rope");
    assert_eq!(json_rope::to_chunks(value).unwrap().concat(), text.as_bytes(), "to_chunks");
    assert_eq!(json_rope::to_vec(value).unwrap(), text.as_bytes(), "to_vec");
    let mut out = Vec::new();
    json_rope::to_writer(&mut out, value).unwrap();
    assert_eq!(out, text.as_bytes(), "to_writer");
    let small = Encoder::builder().first_chunk(16).max_chunk(16);
    for encoder in [Encoder::new(), small.build().unwrap()] {
        agrees(&encoder, value, &text);
    }
    text
}

/// The same for pretty output.
pub fn pretty(value: &(impl Serialize + ?Sized)) -> String {
    let text = json_rope::to_string_pretty(value).expect("encodes");
    assert_eq!(json_rope::to_rope_pretty(value).unwrap(), text, "to_rope_pretty");
    assert_eq!(json_rope::to_vec_pretty(value).unwrap(), text.as_bytes(), "to_vec_pretty");
    let mut out = Vec::new();
    json_rope::to_writer_pretty(&mut out, value).unwrap();
    assert_eq!(out, text.as_bytes(), "to_writer_pretty");
    let small = Encoder::builder().pretty(true).first_chunk(16).max_chunk(16);
    for encoder in [Encoder::builder().pretty(true).build().unwrap(), small.build().unwrap()] {
        agrees(&encoder, value, &text);
    }
    text
}

fn agrees(encoder: &Encoder, value: &(impl Serialize + ?Sized), text: &str) {
    assert_eq!(encoder.encode(value).unwrap(), text, "encode");
    let mut rope = Rope::from("before ");
    encoder.encode_into(&mut rope, value).unwrap();
    assert_eq!(rope, format!("before {text}"), "encode_into");
    let mut out = Vec::new();
    assert_eq!(encoder.write(&mut out, value).unwrap(), text.len() as u64, "length that write returns");
    assert_eq!(out, text.as_bytes(), "write");
}

/// Asserts both texts, by every way out, and that serde_json agrees with them.
pub fn golden_pretty(value: &(impl Serialize + ?Sized), compact_text: &str, pretty_text: &str) {
    assert_eq!(compact(value), compact_text);
    assert_eq!(pretty(value), pretty_text);
    assert_eq!(serde_json::to_string(value).unwrap(), compact_text, "serde_json");
    assert_eq!(serde_json::to_string_pretty(value).unwrap(), pretty_text, "serde_json, pretty");
}

/// Asserts the compact text, by every way out, and that serde_json agrees with it and with the pretty text.
pub fn golden(value: &(impl Serialize + ?Sized), text: &str) {
    golden_pretty(value, text, &serde_json::to_string_pretty(value).unwrap());
}
