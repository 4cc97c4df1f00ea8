//! Random [`Shape`]s for proptest.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::values::{Calls, Hint, Key, NAMES, Pieces, Shape};

/// What texts are put together from: every kind of escape, every length of character, and runs around the widths that
/// string copying works in.
const PARTS: [&str; 20] = [
    "a",
    "é",
    "€",
    "😀",
    "\"",
    "\\",
    "\n",
    "\t",
    "\u{0}",
    "\u{1f}",
    "\u{7f}",
    "/",
    "\u{2028}",
    "xyz",
    "seven77",
    "fifteen-bytes-x",
    "sixteen-bytes-xy",
    "seventeen-bytes-x",
    "thirty-one bytes of plain text.",
    "a run of sixty-four bytes and a few more of them, none to be escaped",
];

pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => vec(select(&PARTS[..]), 0..8).prop_map(|parts| parts.concat()),
        1 => vec(select(&PARTS[..]), 0..60).prop_map(|parts| parts.concat()),
        1 => any::<String>(),
    ]
}

fn pieces() -> impl Strategy<Value = Pieces> {
    vec(text(), 0..4).prop_map(Pieces)
}

fn name() -> impl Strategy<Value = &'static str> + Clone {
    select(&NAMES[..])
}

fn hint() -> impl Strategy<Value = Hint> {
    select(&[Hint::True, Hint::Unknown, Hint::TooFew, Hint::TooMany, Hint::Zero][..])
}

fn calls() -> impl Strategy<Value = Calls> {
    select(&[Calls::Entries, Calls::KeysAndValues, Calls::Alternating][..])
}

fn finite_f64() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |n| n.is_finite())
}

fn finite_f32() -> impl Strategy<Value = f32> {
    any::<u32>().prop_map(f32::from_bits).prop_filter("finite", |n| n.is_finite())
}

pub fn key() -> impl Strategy<Value = Key> + Clone {
    let leaf = prop_oneof![
        6 => text().prop_map(Key::Str),
        1 => any::<char>().prop_map(Key::Char),
        1 => any::<bool>().prop_map(Key::Bool),
        1 => any::<i8>().prop_map(Key::I8),
        1 => any::<i16>().prop_map(Key::I16),
        1 => any::<i32>().prop_map(Key::I32),
        1 => any::<i64>().prop_map(Key::I64),
        1 => any::<i128>().prop_map(Key::I128),
        1 => any::<u8>().prop_map(Key::U8),
        1 => any::<u16>().prop_map(Key::U16),
        1 => any::<u32>().prop_map(Key::U32),
        1 => any::<u64>().prop_map(Key::U64),
        1 => any::<u128>().prop_map(Key::U128),
        1 => finite_f32().prop_map(Key::F32),
        1 => finite_f64().prop_map(Key::F64),
        1 => name().prop_map(Key::Variant),
        2 => pieces().prop_map(Key::Display),
    ];
    leaf.prop_recursive(2, 3, 1, |inner| {
        prop_oneof![
            inner.clone().prop_map(|key| Key::Newtype(Box::new(key))),
            inner.prop_map(|key| Key::Some(Box::new(key))),
        ]
    })
}

fn scalar() -> impl Strategy<Value = Shape> {
    let numbers = prop_oneof![
        any::<i8>().prop_map(Shape::I8),
        any::<i16>().prop_map(Shape::I16),
        any::<i32>().prop_map(Shape::I32),
        any::<i64>().prop_map(Shape::I64),
        any::<i128>().prop_map(Shape::I128),
        any::<u8>().prop_map(Shape::U8),
        any::<u16>().prop_map(Shape::U16),
        any::<u32>().prop_map(Shape::U32),
        any::<u64>().prop_map(Shape::U64),
        any::<u128>().prop_map(Shape::U128),
        any::<u32>().prop_map(|bits| Shape::F32(f32::from_bits(bits))),
        any::<u64>().prop_map(|bits| Shape::F64(f64::from_bits(bits))),
        (-1e6..1e6f64).prop_map(Shape::F64),
    ];
    prop_oneof![
        6 => numbers,
        6 => text().prop_map(Shape::Str),
        2 => pieces().prop_map(Shape::Display),
        1 => any::<bool>().prop_map(Shape::Bool),
        1 => any::<char>().prop_map(Shape::Char),
        1 => vec(any::<u8>(), 0..40).prop_map(Shape::Bytes),
        1 => select(&[Shape::None, Shape::Unit, Shape::UnitStruct][..]),
        1 => name().prop_map(Shape::UnitVariant),
    ]
}

/// Any value, a few levels deep.
pub fn shape() -> impl Strategy<Value = Shape> {
    scalar().prop_recursive(5, 64, 8, |inner| {
        let items = vec(inner.clone(), 0..8);
        let fields = vec((name(), inner.clone()), 0..6);
        let members = vec((key(), inner.clone()), 0..6);
        prop_oneof![
            1 => inner.clone().prop_map(|inner| Shape::Some(Box::new(inner))),
            1 => inner.clone().prop_map(|inner| Shape::NewtypeStruct(Box::new(inner))),
            1 => (name(), inner).prop_map(|(name, inner)| Shape::NewtypeVariant(name, Box::new(inner))),
            3 => (hint(), items.clone()).prop_map(|(hint, items)| Shape::Seq(hint, items)),
            1 => items.clone().prop_map(Shape::Tuple),
            1 => items.clone().prop_map(Shape::TupleStruct),
            1 => (name(), items).prop_map(|(name, items)| Shape::TupleVariant(name, items)),
            4 => (hint(), calls(), members).prop_map(|(hint, calls, members)| Shape::Map(hint, calls, members)),
            2 => fields.clone().prop_map(Shape::Struct),
            1 => (name(), fields).prop_map(|(name, fields)| Shape::StructVariant(name, fields)),
        ]
    })
}
