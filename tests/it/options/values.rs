//! Proves what becomes of floats that are not finite, of byte strings, and of indentation, wherever they stand and
//! however chunks are cut; and that options do not get into each other's way.

use std::collections::BTreeMap;

use json_rope::{BytesFormat, Encoder, Error, NonFinite};
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde::Serialize;

use crate::support::check::{DEFAULT_PLAN, assert_encodes, assert_same, pretty_encoder};
use crate::support::reference::{Mode, Node, Style, base64, hex};
use crate::support::strategy;
use crate::support::values::{Calls, Hint, Honest, Key, Shape};

fn strict() -> Encoder {
    Encoder::builder().non_finite(NonFinite::Error).build().unwrap()
}

/// The error of both ways out.
fn error(encoder: &Encoder, value: &(impl Serialize + ?Sized)) -> Error {
    let error = encoder.encode(value).unwrap_err();
    let streamed = encoder.write(&mut Vec::new(), value).unwrap_err();
    assert_eq!(format!("{error:?}"), format!("{streamed:?}"));
    assert!(error.is_data());
    error
}

fn not_finite() -> [Shape; 6] {
    let (nan, infinity) = (f64::NAN, f64::INFINITY);
    [
        Shape::F64(nan),
        Shape::F64(infinity),
        Shape::F64(-infinity),
        Shape::F32(f32::NAN),
        Shape::F32(f32::INFINITY),
        Shape::F32(f32::NEG_INFINITY),
    ]
}

#[test]
fn the_message_names_the_place() {
    #[derive(Serialize)]
    struct Order {
        id: u32,
        total: f64,
    }
    let mut orders: Vec<Order> = (0..20).map(|id| Order { id, total: 1.5 }).collect();
    orders[17].total = f64::NAN;
    let document = BTreeMap::from([("orders", orders)]);
    let error = error(&strict(), &document);
    assert_eq!(error.to_string(), "cannot encode /orders/17/total: float is not finite");
    assert_eq!(error.pointer(), Some("/orders/17/total"));
    let text = json_rope::to_string(&document).unwrap();
    assert_eq!(error.offset(), text.find("null").unwrap() as u64);
    assert_eq!(strict().encode(&f32::NAN).unwrap_err().to_string(), "cannot encode the document: float is not finite");
}

#[test]
fn non_finite_at_every_depth() {
    let sorted = Encoder::builder().sort_keys(true).non_finite(NonFinite::Error).build().unwrap();
    for leaf in not_finite() {
        let (mut shape, mut pointer, mut text) = (leaf, String::new(), String::from("null"));
        for depth in 0..24 {
            for encoder in [&strict(), &sorted] {
                assert_eq!(error(encoder, &shape).pointer(), Some(&pointer[..]));
            }
            assert_eq!(json_rope::to_string(&shape).unwrap(), text);
            assert_eq!(Encoder::builder().ascii(true).build().unwrap().encode(&shape).unwrap(), text);
            let (one, inner) = (Shape::Unit, shape);
            (shape, pointer, text) = match depth % 10 {
                0 => (Shape::Seq(Hint::True, vec![one, inner]), format!("/1{pointer}"), format!("[null,{text}]")),
                1 => {
                    let members = vec![(Key::Str("a/b".into()), inner)];
                    (Shape::Map(Hint::True, Calls::Entries, members), format!("/a~1b{pointer}"), {
                        format!(r#"{{"a/b":{text}}}"#)
                    })
                }
                2 => {
                    let members = vec![(Key::I8(7), inner)];
                    let map = Shape::Map(Hint::Unknown, Calls::KeysAndValues, members);
                    (map, format!("/7{pointer}"), format!(r#"{{"7":{text}}}"#))
                }
                3 => (Shape::Struct(vec![("id", inner)]), format!("/id{pointer}"), format!(r#"{{"id":{text}}}"#)),
                4 => (Shape::Some(Box::new(inner)), pointer, text),
                5 => (Shape::NewtypeStruct(Box::new(inner)), pointer, text),
                6 => (Shape::NewtypeVariant("a", Box::new(inner)), format!("/a{pointer}"), {
                    format!(r#"{{"a":{text}}}"#)
                }),
                7 => (Shape::TupleVariant("a", vec![inner]), format!("/a/0{pointer}"), format!(r#"{{"a":[{text}]}}"#)),
                8 => (Shape::StructVariant("a", vec![("id", inner)]), format!("/a/id{pointer}"), {
                    format!(r#"{{"a":{{"id":{text}}}}}"#)
                }),
                _ => (Shape::Tuple(vec![inner]), format!("/0{pointer}"), format!("[{text}]")),
            };
        }
    }
}

#[test]
fn a_key_that_is_not_finite_is_always_an_error() {
    let keys = [Key::F64(f64::NAN), Key::F64(f64::INFINITY), Key::F32(f32::NAN), Key::F32(f32::NEG_INFINITY)];
    let lenient = [
        Encoder::new(),
        Encoder::builder().non_finite(NonFinite::Null).pretty(true).build().unwrap(),
        Encoder::builder().sort_keys(true).ascii(true).build().unwrap(),
        strict(),
    ];
    for key in keys {
        for calls in [Calls::Entries, Calls::KeysAndValues] {
            let wrapped = Key::Some(Box::new(Key::Newtype(Box::new(key.clone()))));
            for key in [key.clone(), wrapped] {
                let map = Shape::Map(Hint::True, calls, vec![(Key::I8(1), Shape::Unit), (key, Shape::Unit)]);
                for encoder in &lenient {
                    let error = error(encoder, &Shape::Struct(vec![("id", map.clone())]));
                    assert_eq!(error.to_string(), "cannot encode /id: float key must be finite");
                }
            }
        }
    }
    let finite =
        Shape::Map(Hint::True, Calls::Entries, vec![(Key::F64(-0.5), Shape::Unit), (Key::F32(1e16), Shape::Unit)]);
    assert_eq!(strict().encode(&finite).unwrap(), r#"{"-0.5":null,"1e+16":null}"#);
}

/// The configurable path must print the same numbers as the plain one.
#[test]
fn golden_numbers_under_options() {
    let floats: [(f64, &str); 16] = [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (1.1, "1.1"),
        (0.1, "0.1"),
        (1234567.5, "1234567.5"),
        (1e15, "1000000000000000.0"),
        (1e16, "1e+16"),
        (1e-5, "0.00001"),
        (1e-6, "1e-6"),
        (5e-324, "5e-324"),
        (f64::MAX, "1.7976931348623157e+308"),
        (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        (123456789012345680.0, "1.2345678901234568e+17"),
        (-1.5e300, "-1.5e+300"),
        (2.0 / 3.0, "0.6666666666666666"),
    ];
    let singles: [(f32, &str); 7] = [
        (0.1, "0.1"),
        (16777216.0, "16777216.0"),
        (f32::MAX, "3.4028235e+38"),
        (1e-45, "1e-45"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (1e16, "1e+16"),
    ];
    let integers: [(i128, &str); 7] = [
        (0, "0"),
        (-1, "-1"),
        (i64::MIN.into(), "-9223372036854775808"),
        (i64::MAX.into(), "9223372036854775807"),
        (u64::MAX.into(), "18446744073709551615"),
        (i128::MIN, "-170141183460469231731687303715884105728"),
        (i128::MAX, "170141183460469231731687303715884105727"),
    ];
    let all =
        Encoder::builder().ascii(true).html_safe(true).escape_solidus(true).sort_keys(true).bytes(BytesFormat::Hex);
    let all = all.non_finite(NonFinite::Error);
    let small = all.clone().max_chunk(16).build().unwrap();
    for encoder in [Encoder::new(), strict(), all.clone().build().unwrap(), all.pretty(true).build().unwrap(), small] {
        for (value, text) in floats {
            assert_eq!(encoder.encode(&value).unwrap(), text);
        }
        for (value, text) in singles {
            assert_eq!(encoder.encode(&value).unwrap(), text);
        }
        for (value, text) in integers {
            assert_eq!(encoder.encode(&value).unwrap(), text);
            if let Ok(narrow) = i64::try_from(value) {
                assert_eq!(encoder.encode(&narrow).unwrap(), text);
            }
            if let Ok(narrow) = u64::try_from(value) {
                assert_eq!(encoder.encode(&narrow).unwrap(), text);
            }
        }
        assert_eq!(encoder.encode(&u128::MAX).unwrap(), "340282366920938463463374607431768211455");
    }
}

fn some_bytes(len: usize) -> Vec<u8> {
    let mut state = len as u32 | 1;
    let next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    std::iter::repeat_with(next).take(len).collect()
}

/// The text of the array, and of the two strings.
fn texts_of(bytes: &[u8]) -> [(BytesFormat, String); 3] {
    let numbers: Vec<String> = bytes.iter().map(u8::to_string).collect();
    [
        (BytesFormat::Array, format!("[{}]", numbers.join(","))),
        (BytesFormat::Base64, format!("\"{}\"", base64(bytes))),
        (BytesFormat::Hex, format!("\"{}\"", hex(bytes))),
    ]
}

fn check_bytes(bytes: Vec<u8>, plans: &[(usize, usize)]) {
    let texts = texts_of(&bytes);
    let shape = Shape::Bytes(bytes);
    for (format, text) in texts {
        for &(first, max) in plans {
            let builder = Encoder::builder().bytes(format).first_chunk(first).max_chunk(max);
            assert_encodes(&builder.clone().build().unwrap(), (first, max), &shape, text.as_bytes());
            let style = Style { indent: Some("  ".into()), ..Style::default() };
            let want = Node::parse(&text).render(&style);
            assert_encodes(&builder.pretty(true).build().unwrap(), (first, max), &shape, want.as_bytes());
        }
    }
}

#[test]
fn bytes_of_every_small_length() {
    for len in 0..=100 {
        check_bytes(some_bytes(len), &[(16, 16), (16, 17), (17, 23), (31, 64), DEFAULT_PLAN]);
    }
    for max in 16..=80 {
        check_bytes(some_bytes(80), &[(max, max), (16, max)]);
    }
    check_bytes((0..=255).collect(), &[(16, 16), (99, 99), DEFAULT_PLAN]);
}

#[test]
fn bytes_around_the_steps_of_the_encoders() {
    for step in [1024, 2048, 3072, 4096, 6144, 9216] {
        for len in step - 2..=step + 2 {
            check_bytes(some_bytes(len), &[(1000, 1000), DEFAULT_PLAN]);
        }
    }
    for len in [3071, 3072, 3073] {
        check_bytes(vec![255; len], &[(16, 16), (16, 37)]);
    }
}

#[test]
fn a_mebibyte_of_bytes() {
    let bytes = some_bytes(1 << 20);
    let texts = texts_of(&bytes);
    let shape = Shape::Bytes(bytes);
    for (format, text) in texts {
        let encoder = Encoder::builder().bytes(format).build().unwrap();
        assert_encodes(&encoder, DEFAULT_PLAN, &shape, text.as_bytes());
    }
}

#[test]
fn golden_bytes() {
    let encode = |format, bytes: &[u8]| {
        let encoder = Encoder::builder().bytes(format).build().unwrap();
        encoder.encode(&Shape::Bytes(bytes.to_vec())).unwrap().into_string().unwrap()
    };
    // BR-080
    assert_eq!(encode(BytesFormat::Array, &[0, 255]), "[0,255]");
    assert_eq!(encode(BytesFormat::Base64, &[0, 255]), r#""AP8=""#);
    assert_eq!(encode(BytesFormat::Hex, &[0, 255]), r#""00ff""#);
    assert_eq!(encode(BytesFormat::Array, &[]), "[]");
    assert_eq!(encode(BytesFormat::Base64, &[]), r#""""#);
    assert_eq!(encode(BytesFormat::Hex, &[]), r#""""#);
    // RFC 4648, section 10; and the letters that differ between its alphabets. `/` is only escaped on demand.
    for (bytes, text) in [("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")] {
        assert_eq!(encode(BytesFormat::Base64, bytes.as_bytes()), format!("\"{text}\""));
    }
    assert_eq!(encode(BytesFormat::Base64, &[0xfb, 0xff, 0xfe]), r#""+//+""#);
}

/// The option's promise is that no `/` stands unescaped, and Base64 has them.
#[test]
fn base64_with_escaped_solidus() {
    let encoder = Encoder::builder().bytes(BytesFormat::Base64).escape_solidus(true).build().unwrap();
    let text = encoder.encode(&Shape::Bytes(vec![0xfb, 0xff, 0xfe])).unwrap();
    assert_eq!(text, r#""+\/\/+""#);
}

#[test]
fn bytes_are_no_key_and_an_array_counts_as_depth() {
    struct Raw;
    impl Serialize for Raw {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_bytes(b"k")
        }
    }
    impl PartialEq for Raw {
        fn eq(&self, _: &Raw) -> bool {
            true
        }
    }
    for format in [BytesFormat::Array, BytesFormat::Base64, BytesFormat::Hex] {
        let encoder = Encoder::builder().bytes(format).max_depth(1).build().unwrap();
        struct Map;
        impl Serialize for Map {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map([(Raw, 1)])
            }
        }
        assert_eq!(error(&encoder, &Map).to_string(), "cannot encode the document: key must be a string");
        let nested = encoder.encode(&[Raw]);
        assert_eq!(nested.is_err(), format == BytesFormat::Array, "{nested:?}");
    }
}

/// Pretty text by serde_json's own formatter.
fn indented(value: &(impl Serialize + ?Sized), indent: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut out, formatter)).unwrap();
    out
}

fn nested(depth: usize) -> Shape {
    (0..depth).fold(Shape::Str("é".into()), |inner, level| match level % 3 {
        0 => Shape::Seq(Hint::True, vec![inner, Shape::Tuple(vec![])]),
        1 => Shape::Struct(vec![("id", inner), ("a", Shape::Struct(vec![]))]),
        _ => Shape::NewtypeVariant("schlüssel", Box::new(inner)),
    })
}

#[test]
fn indentation_of_any_width() {
    let shape = nested(7);
    let mixed = [" \t", "\t \t", "\n", "\r\n", " \n\t\r", "\t\t\t\t\t\t\t"].map(str::to_owned);
    for indent in (1..=64).flat_map(|n| [" ".repeat(n), "\t".repeat(n)]).chain(mixed) {
        let want = indented(&shape, &indent);
        for (first, max) in [(16, 16), (16, 61), DEFAULT_PLAN] {
            let builder = Encoder::builder().pretty(true).indent(&indent).first_chunk(first).max_chunk(max);
            assert_encodes(&builder.build().unwrap(), (first, max), &shape, &want);
        }
        let compact = Encoder::builder().indent(&indent).build().unwrap();
        assert_eq!(compact.encode(&shape).unwrap(), serde_json::to_vec(&shape).unwrap());
    }
}

#[test]
fn indentation_longer_than_a_chunk() {
    let (shape, indent) = (nested(20), " ".repeat(64));
    let want = indented(&shape, &indent);
    for max in 16..=80 {
        let builder = Encoder::builder().pretty(true).indent(&indent).first_chunk(16).max_chunk(max);
        assert_encodes(&builder.clone().build().unwrap(), (16, max), &shape, &want);
        let sorted = Node::of(&shape).render(&Style { indent: Some(indent.clone()), sorted: true, ..Style::default() });
        assert_encodes(&builder.sort_keys(true).build().unwrap(), (16, max), &shape, sorted.as_bytes());
    }
}

/// An indent of nothing is a legal setting: line breaks only, as serde_json's formatter does it.
#[test]
fn indentation_of_no_width() {
    let encoder = Encoder::builder().pretty(true).indent("").build().unwrap();
    assert_same(&encoder.encode(&nested(4)).unwrap().to_vec(), &indented(&nested(4), ""), "indent of no width");
}

#[test]
fn bad_indentation_is_a_config_error() {
    for indent in [" ".repeat(65), "-".into(), "\u{a0}".into(), " \u{b}".into(), "\0".into(), "  x".into()] {
        for pretty in [false, true] {
            let error = Encoder::builder().pretty(pretty).indent(&indent).build().unwrap_err();
            assert!(error.is_config(), "{indent:?}: {error}");
        }
    }
    assert_eq!(pretty_encoder(16, 16).encode(&[1]).unwrap(), "[\n  1\n]");
}

/// The same value with its byte strings as strings.
fn with_texts(shape: Shape, format: BytesFormat) -> Shape {
    let all = |items: Vec<Shape>| items.into_iter().map(|item| with_texts(item, format)).collect();
    let fields = |fields: Vec<(&'static str, Shape)>| {
        fields.into_iter().map(|(name, value)| (name, with_texts(value, format))).collect()
    };
    let boxed = |inner: Box<Shape>| Box::new(with_texts(*inner, format));
    match shape {
        Shape::Bytes(bytes) if format == BytesFormat::Base64 => Shape::Str(base64(&bytes)),
        Shape::Bytes(bytes) if format == BytesFormat::Hex => Shape::Str(hex(&bytes)),
        Shape::Some(inner) => Shape::Some(boxed(inner)),
        Shape::NewtypeStruct(inner) => Shape::NewtypeStruct(boxed(inner)),
        Shape::NewtypeVariant(name, inner) => Shape::NewtypeVariant(name, boxed(inner)),
        Shape::Seq(hint, items) => Shape::Seq(hint, all(items)),
        Shape::Tuple(items) => Shape::Tuple(all(items)),
        Shape::TupleStruct(items) => Shape::TupleStruct(all(items)),
        Shape::TupleVariant(name, items) => Shape::TupleVariant(name, all(items)),
        Shape::Map(hint, calls, members) => {
            let members = members.into_iter().map(|(key, value)| (key, with_texts(value, format))).collect();
            Shape::Map(hint, calls, members)
        }
        Shape::Struct(members) => Shape::Struct(fields(members)),
        Shape::StructVariant(name, members) => Shape::StructVariant(name, fields(members)),
        other => other,
    }
}

proptest! {
    #![proptest_config(Config { cases: 500, failure_persistence: None, ..Config::default() })]

    #[test]
    fn all_options_at_once(
        shape in strategy::shape(),
        mode in (0..8usize).prop_map(Mode::nth),
        format in proptest::sample::select(&[BytesFormat::Array, BytesFormat::Base64, BytesFormat::Hex][..]),
        indent in prop_oneof![Just(None), "[ \t]{1,20}".prop_map(Some)],
        sorted in any::<bool>(),
        sizes in (16..=120usize, 16..=120usize),
    ) {
        let plan = (sizes.0.min(sizes.1), sizes.0.max(sizes.1));
        // `/` in Base64 has a test of its own.
        let mode = Mode { solidus: mode.solidus && format != BytesFormat::Base64, ..mode };
        let builder = mode.builder().bytes(format).sort_keys(sorted).pretty(indent.is_some());
        let builder = builder.indent(indent.as_deref().unwrap_or(" ")).first_chunk(plan.0).max_chunk(plan.1);
        let encoder = builder.build().unwrap();
        let node = Node::of(&Honest(&with_texts(shape.clone(), format)));
        let want = node.render(&Style { mode, indent, sorted, ..Style::default() });
        assert_encodes(&encoder, plan, &shape, want.as_bytes());
    }
}
