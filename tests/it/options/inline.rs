//! Proves `inline_width`: which arrays and objects stay on one line, on every way, in bounded memory and time.

use json_rope::{BytesFormat, Encoder, EncoderBuilder, Fragment, Frame, Rope};
use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

use crate::support::reference::{Node, Style};
use crate::support::strategy::shape;
use crate::support::sweeps::long;
use crate::support::values::{Calls, Hint, Key, Shape};

fn builder(width: usize) -> EncoderBuilder {
    Encoder::builder().pretty(true).inline_width(width)
}

/// The text, which is the same on all ways and in chunks of any size.
fn of(width: usize, value: &(impl Serialize + ?Sized)) -> String {
    let rope = builder(width).build().unwrap().encode(value).unwrap();
    for max in [16, 64, 1 << 16] {
        let encoder = builder(width).first_chunk(16).max_chunk(max).build().unwrap();
        assert_eq!(rope, encoder.encode(value).unwrap());
        let mut written = Vec::new();
        encoder.write(&mut written, value).unwrap();
        assert_eq!(rope, written);
        let array: Rope = encoder.array([value]).map(Result::unwrap).collect();
        assert_eq!(array, builder(width).build().unwrap().encode(&[value]).unwrap());
        // What fits is not stopped by the limit, and nothing else is let through.
        let limited = |len: usize| builder(width).max_chunk(max).first_chunk(16).max_len(len as u64).build().unwrap();
        assert_eq!(rope, limited(rope.len()).encode(value).unwrap());
        assert!(limited(rope.len() - 1).encode(value).unwrap_err().is_limit());
    }
    rope.into_string().unwrap()
}

#[test]
fn the_width_decides() {
    let value = json!([1, 2, 3]);
    assert_eq!(of(0, &value), "[\n  1,\n  2,\n  3\n]");
    assert_eq!(of(8, &value), "[\n  1,\n  2,\n  3\n]");
    assert_eq!(of(9, &value), "[1, 2, 3]");
    assert_eq!(of(usize::MAX, &value), "[1, 2, 3]");
    let value = json!({"a": 1, "b": []});
    assert_eq!(of(16, &value), "{\n  \"a\": 1,\n  \"b\": []\n}");
    assert_eq!(of(17, &value), r#"{"a": 1, "b": []}"#);
}

#[test]
fn columns_are_characters() {
    // 7 characters with the brackets, of up to four bytes.
    for text in ["abc", "äöü", "日本語", "😀😀😀"] {
        let one_line = format!("[\"{text}\"]");
        assert_eq!(of(7, &[text]), one_line);
        assert_eq!(of(6, &[text]), format!("[\n  \"{text}\"\n]"));
    }
    // Escapes count as they are written.
    assert_eq!(of(8, &["\n\n"]), r#"["\n\n"]"#);
    assert_eq!(of(7, &["\n\n"]), "[\n  \"\\n\\n\"\n]");
    let ascii = builder(12).ascii(true).build().unwrap();
    assert_eq!(ascii.encode(&["é"]).unwrap(), r#"["\u00e9"]"#);
    assert_eq!(ascii.encode(&["éé"]).unwrap(), "[\n  \"\\u00e9\\u00e9\"\n]");
}

#[test]
fn small_values_in_large_ones() {
    let value = json!({"points": [[1.5, -2.0], [3.0, 4.25]], "name": "a long name that does not fit", "tags": ["x"]});
    let expected = r#"{
  "name": "a long name that does not fit",
  "points": [[1.5, -2.0], [3.0, 4.25]],
  "tags": ["x"]
}"#;
    assert_eq!(of(30, &value), expected);
    let expected = expected.replace("[[1.5, -2.0], [3.0, 4.25]]", "[\n    [1.5, -2.0],\n    [3.0, 4.25]\n  ]");
    assert_eq!(of(25, &value), expected);
    // A level that becomes too long by its last bracket, inside others that are too long by theirs.
    for width in 0..20 {
        let value = json!([[[[12]], 3], 4]);
        let style = Style { indent: Some("  ".into()), inline: width, ..Style::default() };
        assert_eq!(of(width, &value), Node::of(&value).render(&style), "{width}");
    }
}

#[test]
fn long_tokens_and_line_breaks() {
    let text = "x".repeat(500_000);
    assert_eq!(of(10, &[[&text]]), format!("[\n  [\n    \"{text}\"\n  ]\n]"));
    let key = json!({ text.clone(): [1] });
    assert_eq!(of(10, &key), format!("{{\n  \"{text}\": [1]\n}}"));
    assert_eq!(of(10, &[Fragment::trusted("[1,\n2]")]), "[\n  [1,\n2]\n]");
    assert_eq!(of(10, &[Fragment::trusted("[1,2]")]), "[[1,2]]");
    let base64 = builder(10).bytes(BytesFormat::Base64).build().unwrap();
    let bytes = Shape::Seq(Hint::True, vec![Shape::Bytes(vec![0; 3])]);
    assert_eq!(base64.encode(&bytes).unwrap(), r#"["AAAA"]"#);
    let bytes = Shape::Seq(Hint::True, vec![Shape::Bytes(vec![0; 100])]);
    assert!(base64.encode(&bytes).unwrap().to_vec().starts_with(b"[\n  \"AAAA"));
    // An array of bytes is an array.
    assert_eq!(of(10, &Shape::Bytes(vec![1, 2, 3])), "[1, 2, 3]");
}

#[test]
fn with_sorted_keys() {
    let map = |members: Vec<(&str, Shape)>| {
        let members = members.into_iter().map(|(name, value)| (Key::Str(name.into()), value)).collect();
        Shape::Map(Hint::Unknown, Calls::Entries, members)
    };
    let small = || map(vec![("z", Shape::U8(1)), ("a", Shape::U8(2))]);
    let inner = map(vec![("y", small()), ("b", Shape::Seq(Hint::True, vec![small(), small()]))]);
    let value = map(vec![("q", inner.clone()), ("c", small()), ("d", inner)]);
    for width in 0..120 {
        let style = Style { indent: Some("  ".into()), inline: width, sorted: true, ..Style::default() };
        let expected = Node::of_shape(&value).render(&style);
        for max in [16, 65_536] {
            let encoder = builder(width).sort_keys(true).first_chunk(16).max_chunk(max).build().unwrap();
            assert_eq!(encoder.encode(&value).unwrap(), expected, "{width}");
        }
    }
}

#[test]
fn in_events() {
    let encoder = builder(12).build().unwrap();
    let value = json!([[1, 2], [1000, 2000, 3000]]);
    let expected =
        "data: [\ndata:   [1, 2],\ndata:   [\ndata:     1000,\ndata:     2000,\ndata:     3000\ndata:   ]\ndata: ]\n\n";
    assert_eq!(encoder.encode_framed(Frame::ServerSentEvent, &value).unwrap(), expected);
    assert!(encoder.encode_framed(Frame::NdJson, &value).unwrap_err().is_config());
    // The limit is for the body: what the frame adds does not count.
    let body = encoder.encode(&value).unwrap().len() as u64;
    let exact = builder(12).max_len(body).build().unwrap();
    assert_eq!(exact.encode_framed(Frame::ServerSentEvent, &value).unwrap(), expected);
}

#[test]
fn errors_name_members_that_have_moved() {
    struct Fails;
    impl Serialize for Fails {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("this one"))
        }
    }
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Node {
        Map(std::collections::BTreeMap<String, Node>),
        Number(u32),
        Fails(Fails),
    }
    let map = |members: Vec<(&str, Node)>| {
        Node::Map(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    };
    let mut value = map(vec![("a", Node::Number(1)), ("fails", Node::Fails(Fails))]);
    let mut pointer = String::from("/fails");
    for depth in 0..12 {
        value = map(vec![("a", Node::Number(123_456)), ("next", value)]);
        pointer = format!("/next{pointer}");
        for width in [1, 10, 25, 80, 1000] {
            for max in [16, 65_536] {
                let encoder = builder(width).first_chunk(16).max_chunk(max).build().unwrap();
                assert_eq!(encoder.encode(&value).unwrap_err().pointer(), Some(&*pointer), "{depth} {width}");
                let mut written = Vec::new();
                assert_eq!(encoder.write(&mut written, &value).unwrap_err().pointer(), Some(&*pointer));
            }
        }
    }
}

/// Deep nesting, in which one bracket after the other makes the outermost container too long.
#[test]
fn time_does_not_depend_on_nesting() {
    let mut value = json!([]);
    for _ in 0..200_000 {
        value = Value::Array(vec![json!(1), value]);
    }
    for width in [1, 80, 100_000, usize::MAX] {
        let encoder = builder(width).indent("").max_depth(usize::MAX).build().unwrap();
        let mut length = 0;
        for chunk in encoder.chunks(&value) {
            length += chunk.unwrap().len();
        }
        assert_eq!(encoder.encode_tree(&value).unwrap().len(), length);
    }
    // So deep a tree must not be dropped by recursion.
    drop(Encoder::new().chunks(value));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if long() { 20_000 } else { 400 }))]

    #[test]
    fn any_value(shape in shape(), width in 0..200usize, sorted: bool, first in 16..200usize, indent in "[ \t]{0,3}") {
        let style = Style { indent: Some(indent.clone()), inline: width, sorted, ..Style::default() };
        let expected = Node::of_shape(&shape).render(&style);
        let encoder = builder(width).sort_keys(sorted).indent(&indent).first_chunk(first).max_chunk(first * 2).build().unwrap();
        prop_assert_eq!(encoder.encode(&shape).unwrap(), &*expected);
        let mut written = Vec::new();
        encoder.write(&mut written, &shape).unwrap();
        prop_assert_eq!(written, expected.as_bytes());
    }
}

/// The limit may be met while line breaks are put in, when names are read back from text that is being rewritten.
#[test]
fn every_length_limit_has_a_place() {
    use std::collections::BTreeMap;
    let row =
        |n: u32| BTreeMap::from([("identifier", json!(n)), ("list", json!([n, n, n])), ("name", json!("some text"))]);
    let value = BTreeMap::from([
        ("first", BTreeMap::from([("rows", (0..4).map(row).collect::<Vec<_>>())])),
        ("second", BTreeMap::from([("rows", (4..9).map(row).collect::<Vec<_>>())])),
    ]);
    for width in [8, 30, 60, 200] {
        let encoder =
            |max_len: u64| Encoder::builder().pretty(true).inline_width(width).max_len(max_len).build().unwrap();
        let len = encoder(u64::MAX).measure(&value).unwrap();
        for max_len in 0..len {
            let encoder = encoder(max_len);
            let errors = [
                encoder.encode(&value).map(drop).unwrap_err(),
                encoder.write(&mut Vec::new(), &value).map(drop).unwrap_err(),
                encoder.array([&value]).find_map(Result::err).unwrap(),
                encoder.measure(&value).map(drop).unwrap_err(),
                encoder.encode_to_vec(&mut Vec::new(), &value).unwrap_err(),
            ];
            for (way, error) in errors.into_iter().enumerate() {
                assert!(error.is_limit(), "way {way}, {max_len} of {len}: {error}");
                let pointer = error.pointer().unwrap_or_default();
                let known = ["", "/first", "/second", "/0"].iter().any(|start| pointer.starts_with(start));
                assert!(known, "{pointer}");
            }
        }
        assert_eq!(encoder(len).encode(&value).unwrap().len() as u64, len);
    }
}
