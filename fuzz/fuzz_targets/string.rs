//! Any string, at any alignment and any distance to the end of a chunk: as a value, as a key, and in pieces, against a
//! copy that escapes character by character. `.ci/fuzz` runs this target with every way of searching that there is.
#![no_main]

#[allow(dead_code, reason = "shared with the other targets")]
mod support;

use std::collections::BTreeMap;
use std::fmt;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use support::reference::{Mode, quoted};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    chunk: u16,
    front: u16,
    /// Bits for `ascii`, `html_safe` and `escape_solidus`.
    mode: u8,
    align: u8,
    /// Plain bytes before and behind the text.
    around: (u16, u16),
    copies: u8,
    piece: u16,
    text: &'a str,
}

/// Written in pieces of about this many bytes.
struct Pieces<'a>(&'a str, usize);

impl fmt::Display for Pieces<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while !rest.is_empty() {
            let at = rest.ceil_char_boundary(self.1.min(rest.len()));
            f.write_str(&rest[..at])?;
            rest = &rest[at..];
        }
        Ok(())
    }
}

struct Collected<'a>(Pieces<'a>);

impl serde::Serialize for Collected<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

fuzz_target!(|input: Input<'_>| {
    let chunk = 16 + usize::from(input.chunk % 5000);
    let mode = Mode::nth(usize::from(input.mode % 8));
    let small = mode.builder().first_chunk(chunk).max_chunk(chunk).build().unwrap();
    let usual = mode.builder().build().unwrap();
    let front = "x".repeat(usize::from(input.front) % (2 * chunk));

    // The text ends where its allocation ends, so that the sanitizer sees a byte read behind it, and begins at any
    // distance to a multiple of 64.
    let align = usize::from(input.align % 64);
    let mut text = "-".repeat(align);
    text.push_str(&"y".repeat(usize::from(input.around.0 % 600)));
    for _ in 0..1 + usize::from(input.copies) % 40 {
        text.push_str(input.text);
    }
    text.push_str(&"z".repeat(usize::from(input.around.1 % 600)));
    let text = text.into_boxed_str();
    let text = &text[align..];

    let collected = || Collected(Pieces(text, 1 + usize::from(input.piece)));
    let value = (&front, text, BTreeMap::from([(text, &front)]), collected(), text);
    let (front_q, text_q) = (quoted(mode, &front), quoted(mode, text));
    let expected = format!("[{front_q},{text_q},{{{text_q}:{front_q}}},{text_q},{text_q}]");
    for encoder in [&small, &usual] {
        assert_eq!(encoder.encode(&value).unwrap(), expected);
        let mut out = Vec::new();
        encoder.write(&mut out, &value).unwrap();
        assert_eq!(out, expected.as_bytes());
    }
    if mode == Mode::default() {
        assert_eq!(json_rope::to_rope(&value).unwrap(), expected);
        assert_eq!(serde_json::to_string(&value).unwrap(), expected);
    }
    // Alone, where nothing comes before and behind.
    assert_eq!(small.encode(text).unwrap(), text_q);
    assert_eq!(usual.encode(&collected()).unwrap(), text_q);
    let tree = serde_json::Value::from(text);
    assert_eq!(small.encode_tree(&tree).unwrap(), text_q);
    let mut drained = Vec::new();
    for item in small.chunks(&tree) {
        let item = item.unwrap();
        assert!(item.len() <= chunk && std::str::from_utf8(&item).is_ok());
        drained.extend_from_slice(&item);
    }
    assert_eq!(drained, text_q.as_bytes());
});
