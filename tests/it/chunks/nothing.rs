//! Proves that writing nothing is legal wherever a chunk ends: empty texts, pieces of texts, keys, byte strings,
//! containers, fragments and indentation at every distance from the edge.
//!
//! An escape that expands to nothing, exactly at the end of the output buffer, made another encoder index past its end.
//! Here no option replaces a character by nothing, so this is the rest of that kind.

use json_rope::{BytesFormat, Encoder, Frame, Rope, VectoredSink};

use crate::support::check::{assert_encodes, encoder};
use crate::support::values::{Calls, Hint, Key, Pieces, Shape};

/// Every value that is empty, with its text.
fn empty() -> Vec<(Shape, &'static str)> {
    let pieces = |n: usize| Pieces(vec![String::new(); n]);
    vec![
        (Shape::Str(String::new()), "\"\""),
        (Shape::Display(pieces(0)), "\"\""),
        (Shape::Display(pieces(1)), "\"\""),
        (Shape::Display(pieces(5)), "\"\""),
        (Shape::Bytes(Vec::new()), "[]"),
        (Shape::Seq(Hint::Unknown, Vec::new()), "[]"),
        (Shape::Seq(Hint::TooMany, Vec::new()), "[]"),
        (Shape::Tuple(Vec::new()), "[]"),
        (Shape::TupleVariant("", Vec::new()), "{\"\":[]}"),
        (Shape::Map(Hint::Unknown, Calls::Entries, Vec::new()), "{}"),
        (Shape::Struct(Vec::new()), "{}"),
        (Shape::StructVariant("", Vec::new()), "{\"\":{}}"),
        (Shape::Struct(vec![("", Shape::Str(String::new()))]), "{\"\":\"\"}"),
        (
            Shape::Map(Hint::True, Calls::KeysAndValues, vec![(Key::Display(pieces(3)), Shape::Display(pieces(3)))]),
            "{\"\":\"\"}",
        ),
    ]
}

#[test]
fn br_007_empty_values_at_every_distance_from_an_edge() {
    for size in [16, 17, 33] {
        let encoder = encoder(size, size);
        for (value, text) in empty() {
            for before in 0..=2 * size {
                let padding = "x".repeat(before);
                let items =
                    vec![Shape::Str(padding.clone()), value.clone(), value.clone(), Shape::Str(padding.clone())];
                let want = format!("[\"{padding}\",{text},{text},\"{padding}\"]");
                assert_encodes(&encoder, (size, size), &Shape::Tuple(items), want.as_bytes());
            }
        }
    }
}

#[test]
fn br_007_empty_pieces_at_every_distance_from_an_edge() {
    for size in [16, 17, 33] {
        let encoder = encoder(size, size);
        let ascii = Encoder::builder().ascii(true).first_chunk(size).max_chunk(size).build().unwrap();
        for before in 0..=2 * size {
            for after in ["", "é", "\u{7f}", "\"", "x"] {
                let pieces = ["", &"x".repeat(before), "", "", after, ""].map(String::from);
                let want = serde_json::to_string(&pieces.concat()).unwrap();
                let value = Shape::Display(Pieces(pieces.into()));
                assert_encodes(&encoder, (size, size), &value, want.as_bytes());
                assert_encodes(&ascii, (size, size), &value, want.replace('é', "\\u00e9").as_bytes());
            }
        }
    }
}

#[test]
fn empty_bytes_in_every_format() {
    for (format, text) in [(BytesFormat::Array, "[]"), (BytesFormat::Base64, "\"\""), (BytesFormat::Hex, "\"\"")] {
        for before in 0..40 {
            let encoder = Encoder::builder().bytes(format).first_chunk(16).max_chunk(16).build().unwrap();
            let value = Shape::Tuple(vec![Shape::Str("x".repeat(before)), Shape::Bytes(Vec::new())]);
            assert_encodes(&encoder, (16, 16), &value, format!("[\"{}\",{text}]", "x".repeat(before)).as_bytes());
        }
    }
}

#[test]
fn an_indent_of_nothing_at_every_distance_from_an_edge() {
    let encoder = Encoder::builder().pretty(true).indent("").first_chunk(16).max_chunk(16).build().unwrap();
    for before in 0..40 {
        let padding = "x".repeat(before);
        let want = format!("[\n\"{padding}\",\n[\n{{\n\"\": []\n}}\n]\n]");
        let inner = Shape::Seq(Hint::Unknown, vec![Shape::Struct(vec![("", Shape::Seq(Hint::Unknown, Vec::new()))])]);
        assert_encodes(&encoder, (16, 16), &Shape::Tuple(vec![Shape::Str(padding), inner]), want.as_bytes());
    }
}

#[test]
fn nothing_is_sent_for_nothing() {
    let mut sink = VectoredSink::new(Vec::new());
    for rope in [Rope::new(), Rope::from(""), ["", ""].map(bytes::Bytes::from).into_iter().collect()] {
        assert!(rope.chunks().is_empty());
        sink.push(rope);
        sink.flush().unwrap();
    }
    assert!(sink.into_parts().0.is_empty());
    let encoder = Encoder::new();
    assert_eq!(encoder.records(Frame::NdJson, [0; 0]).count(), 0);
    assert_eq!(encoder.array([0; 0]).map(|chunk| chunk.unwrap()).collect::<Rope>(), "[]");
}
