//! Any value of serde's data model out of arbitrary bytes: the shapes of the integration tests, made by hand because a
//! derived `Arbitrary` would not bound their depth.

use arbitrary::{Result, Unstructured};

use super::values::{Calls, Hint, Key, NAMES, Pieces, Shape};

/// A text: arbitrary, or a piece of it repeated, so that a few bytes of input make a string of many chunks.
pub fn text(u: &mut Unstructured<'_>) -> Result<String> {
    let text = u.arbitrary::<&str>()?;
    Ok(match u.int_in_range(0..=5)? {
        0 => text.repeat(u.int_in_range(0..=60)?),
        1 => format!("{}{text}", "x".repeat(u.int_in_range(0..=300)?)),
        _ => text.to_owned(),
    })
}

fn pieces(u: &mut Unstructured<'_>) -> Result<Pieces> {
    Ok(Pieces((0..u.int_in_range(0..=4)?).map(|_| text(u)).collect::<Result<_>>()?))
}

fn name(u: &mut Unstructured<'_>) -> Result<&'static str> {
    u.choose(&NAMES).copied()
}

fn key(u: &mut Unstructured<'_>, depth: usize) -> Result<Key> {
    let last = if depth == 0 { 16 } else { 18 };
    Ok(match u.int_in_range(0..=last)? {
        0 => Key::Char(u.arbitrary()?),
        1 => Key::Bool(u.arbitrary()?),
        2 => Key::I8(u.arbitrary()?),
        3 => Key::I16(u.arbitrary()?),
        4 => Key::I32(u.arbitrary()?),
        5 => Key::I64(u.arbitrary()?),
        6 => Key::I128(u.arbitrary()?),
        7 => Key::U8(u.arbitrary()?),
        8 => Key::U16(u.arbitrary()?),
        9 => Key::U32(u.arbitrary()?),
        10 => Key::U64(u.arbitrary()?),
        11 => Key::U128(u.arbitrary()?),
        12 => Key::F32(u.arbitrary()?),
        13 => Key::F64(u.arbitrary()?),
        14 => Key::Variant(name(u)?),
        15 => Key::Display(pieces(u)?),
        17 => Key::Newtype(Box::new(key(u, depth - 1)?)),
        18 => Key::Some(Box::new(key(u, depth - 1)?)),
        _ => Key::Str(text(u)?),
    })
}

fn hint(u: &mut Unstructured<'_>) -> Result<Hint> {
    u.choose(&[Hint::True, Hint::Unknown, Hint::TooFew, Hint::TooMany, Hint::Zero]).copied()
}

fn several<T>(u: &mut Unstructured<'_>, mut one: impl FnMut(&mut Unstructured<'_>) -> Result<T>) -> Result<Vec<T>> {
    (0..u.int_in_range(0..=6)?).map(|_| one(u)).collect()
}

/// A value at most `depth` containers deep.
pub fn shape(u: &mut Unstructured<'_>, depth: usize) -> Result<Shape> {
    let last = if depth == 0 { 20 } else { 32 };
    let inner = |u: &mut Unstructured<'_>| shape(u, depth - 1);
    let field = |u: &mut Unstructured<'_>| Ok((name(u)?, shape(u, depth - 1)?));
    Ok(match u.int_in_range(0..=last)? {
        0 => Shape::Bool(u.arbitrary()?),
        1 => Shape::I8(u.arbitrary()?),
        2 => Shape::I16(u.arbitrary()?),
        3 => Shape::I32(u.arbitrary()?),
        4 => Shape::I64(u.arbitrary()?),
        5 => Shape::I128(u.arbitrary()?),
        6 => Shape::U8(u.arbitrary()?),
        7 => Shape::U16(u.arbitrary()?),
        8 => Shape::U32(u.arbitrary()?),
        9 => Shape::U64(u.arbitrary()?),
        10 => Shape::U128(u.arbitrary()?),
        11 => Shape::F32(u.arbitrary()?),
        12 => Shape::F64(u.arbitrary()?),
        13 => Shape::Char(u.arbitrary()?),
        14 => Shape::Display(pieces(u)?),
        15 => Shape::Bytes(u.arbitrary::<Vec<u8>>()?.repeat(u.int_in_range(1..=20)?)),
        16 => Shape::None,
        17 => Shape::Unit,
        18 => Shape::UnitStruct,
        19 => Shape::UnitVariant(name(u)?),
        21 => Shape::Some(Box::new(inner(u)?)),
        22 => Shape::NewtypeStruct(Box::new(inner(u)?)),
        23 => Shape::NewtypeVariant(name(u)?, Box::new(inner(u)?)),
        24 | 25 => Shape::Seq(hint(u)?, several(u, inner)?),
        26 => Shape::Tuple(several(u, inner)?),
        27 => Shape::TupleStruct(several(u, inner)?),
        28 => Shape::TupleVariant(name(u)?, several(u, inner)?),
        29 | 30 => {
            let calls = *u.choose(&[Calls::Entries, Calls::KeysAndValues, Calls::Alternating])?;
            Shape::Map(hint(u)?, calls, several(u, |u| Ok((key(u, 2)?, inner(u)?)))?)
        }
        31 => Shape::Struct(several(u, field)?),
        32 => Shape::StructVariant(name(u)?, several(u, field)?),
        _ => Shape::Str(text(u)?),
    })
}
