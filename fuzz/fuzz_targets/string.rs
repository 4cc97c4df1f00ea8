//! Any string at any distance to the end of a chunk, as a value, as a key, and in pieces.
#![no_main]

use std::collections::BTreeMap;
use std::fmt;

use json_rope::Encoder;
use libfuzzer_sys::fuzz_target;

struct Pieces<'a>(&'a str, usize);

impl fmt::Display for Pieces<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.0.floor_char_boundary(self.1.min(self.0.len()));
        f.write_str(&self.0[..at])?;
        f.write_str(&self.0[at..])
    }
}

struct Collected<'a>(Pieces<'a>);

impl serde::Serialize for Collected<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

fuzz_target!(|input: (u8, u16, u8, &str)| {
    let (chunk, front, copies, text) = input;
    let chunk = 16 + usize::from(chunk);
    let encoder = Encoder::builder().first_chunk(chunk).max_chunk(chunk).build().unwrap();
    let front = "x".repeat(usize::from(front) % (2 * chunk));
    let text = text.repeat(1 + usize::from(copies) % 40);
    let value = (&front, &text, BTreeMap::from([(&text, &front)]), Collected(Pieces(&text, front.len())), &text);
    let expected = serde_json::to_vec(&value).unwrap();
    assert_eq!(encoder.encode(&value).unwrap(), expected);
    assert_eq!(json_rope::to_rope(&value).unwrap(), expected);
    let mut streamed = Vec::new();
    encoder.write(&mut streamed, &value).unwrap();
    assert_eq!(streamed, expected);
});
