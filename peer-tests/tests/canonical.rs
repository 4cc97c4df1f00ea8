//! Canonical JSON against serde_json_canonicalizer, on documents that have the same canonical form in both. Here and not
//! among the crate's own tests, because that crate turns serde_json's feature `float_roundtrip` on.
//!
//! Where they differ, RFC 8785 decides: it does not allow names that occur twice, of which the other one keeps the first,
//! nor integers that a double cannot hold, which the other one rounds. An `f32` has its own digits here, as in ordinary
//! output, of which the canonical form is then the same; the other one writes those of its double.

use json_rope::{Encoder, Fragment};
use serde_json::{Map, Value};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let n = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        n ^ (n >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn text(&mut self) -> String {
        // Around what UTF-16 sorts in another way than UTF-8.
        const CHARACTERS: [char; 12] =
            ['a', 'Z', '"', '\\', '\n', '\u{0}', '\u{7f}', 'é', '\u{d7ff}', '\u{e000}', '\u{ffff}', '\u{10000}'];
        (0..self.below(6)).map(|_| CHARACTERS[self.below(12) as usize]).collect()
    }

    fn value(&mut self, depth: u32) -> Value {
        match self.below(if depth == 0 { 7 } else { 10 }) {
            0 => Value::Null,
            1 => Value::Bool(self.below(2) == 0),
            2 => Value::from(self.next() as i64 >> 11),
            3 => Value::from(self.below(1000) as f64 / 8.0),
            4 => Value::from(f64::from_bits(self.next())),
            5 => Value::from(10f64.powi(self.below(50) as i32 - 25) * self.below(100) as f64),
            6 => Value::from(self.text()),
            7 => (0..self.below(6)).map(|_| self.value(depth - 1)).collect(),
            _ => Value::Object((0..self.below(8)).map(|_| (self.text(), self.value(depth - 1))).collect::<Map<_, _>>()),
        }
    }
}

#[test]
fn the_same_bytes() {
    let mut random = Random(1);
    let encoder = Encoder::builder().canonical(true).build().unwrap();
    for _ in 0..20_000 {
        let value = random.value(5);
        let expected = serde_json_canonicalizer::to_vec(&value).unwrap();
        assert_eq!(encoder.encode(&value).unwrap(), expected);
        assert_eq!(encoder.encode_tree(&value).unwrap(), expected);
        let text = serde_json::to_string_pretty(&value).unwrap();
        assert_eq!(encoder.encode(&Fragment::trusted(text)).unwrap(), expected);
    }
}
