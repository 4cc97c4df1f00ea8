//! A value that is put together at run time and drives every method of a `Serializer`.

use std::cell::Cell;
use std::fmt;

use json_rope::{Fragment, Text};
use serde::ser::{
    Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// Names of fields and variants, which have to be static.
pub const NAMES: [&str; 8] =
    ["a", "id", "", "quote\"d", "tab\tbed", "schlüssel", "名前😀", "a_name_of_more_than_16_bytes"];

/// What a sequence or map says about its length beforehand.
#[derive(Clone, Copy, Debug)]
pub enum Hint {
    True,
    Unknown,
    TooFew,
    TooMany,
    /// Nothing at all, however much comes. serde_json believes it, so an [`Honest`] value does not say it.
    Zero,
}

impl Hint {
    fn of(self, len: usize) -> Option<usize> {
        match self {
            Hint::True => Some(len),
            Hint::Zero if AUDIENCE.get() != Audience::Encoder => Some(len),
            Hint::Zero => Some(0),
            Hint::Unknown => None,
            Hint::TooFew => Some(len.div_ceil(2)),
            Hint::TooMany => Some(len + 3),
        }
    }
}

/// Whom a value is serialized for.
#[derive(Clone, Copy, PartialEq)]
enum Audience {
    Encoder,
    /// The oracle.
    SerdeJson,
    /// serde_json on behalf of the reference, which handles by itself what serde_json has no option for.
    Reference,
}

thread_local! {
    static AUDIENCE: Cell<Audience> = const { Cell::new(Audience::Encoder) };
}

fn serialize_for<S: Serializer>(
    audience: Audience,
    value: &(impl ?Sized + Serialize),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let before = AUDIENCE.replace(audience);
    let result = value.serialize(serializer);
    AUDIENCE.set(before);
    result
}

/// The same value, which never claims to be empty when it is not. For serde_json, the oracle.
pub struct Honest<'a, T: ?Sized>(pub &'a T);

impl<T: ?Sized + Serialize> Serialize for Honest<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_for(Audience::SerdeJson, self.0, serializer)
    }
}

/// The same value with marked strings in the place of what options decide: see [`MARK`].
pub struct Marked<'a>(pub &'a Shape);

/// A private character before a string that means something else. The next character says what: `v`, JSON text that is
/// embedded, `b`, bytes in hexadecimal, `n`, a float that is not finite, `f`, a value that fails, `s`, only the string.
pub const MARK: char = '\u{e000}';

impl Serialize for Marked<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_for(Audience::Reference, self.0, serializer)
    }
}

/// A `Display` that writes its text in these pieces.
#[derive(Clone, Debug)]
pub struct Pieces(pub Vec<String>);

impl fmt::Display for Pieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|piece| f.write_str(piece))
    }
}

/// A map key of every kind that is accepted.
#[derive(Clone, Debug)]
pub enum Key {
    Str(String),
    Char(char),
    Bool(bool),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    I128(i128),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    U128(u128),
    /// Finite.
    F32(f32),
    /// Finite.
    F64(f64),
    Variant(&'static str),
    Newtype(Box<Key>),
    Some(Box<Key>),
    Display(Pieces),
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Key::Str(text) => serializer.serialize_str(text),
            Key::Char(c) => serializer.serialize_char(*c),
            Key::Bool(b) => serializer.serialize_bool(*b),
            Key::I8(n) => serializer.serialize_i8(*n),
            Key::I16(n) => serializer.serialize_i16(*n),
            Key::I32(n) => serializer.serialize_i32(*n),
            Key::I64(n) => serializer.serialize_i64(*n),
            Key::I128(n) => serializer.serialize_i128(*n),
            Key::U8(n) => serializer.serialize_u8(*n),
            Key::U16(n) => serializer.serialize_u16(*n),
            Key::U32(n) => serializer.serialize_u32(*n),
            Key::U64(n) => serializer.serialize_u64(*n),
            Key::U128(n) => serializer.serialize_u128(*n),
            Key::F32(n) => serializer.serialize_f32(*n),
            Key::F64(n) => serializer.serialize_f64(*n),
            Key::Variant(name) => serializer.serialize_unit_variant("E", 0, name),
            Key::Newtype(inner) => serializer.serialize_newtype_struct("N", inner),
            Key::Some(inner) => serializer.serialize_some(inner),
            Key::Display(pieces) => serializer.collect_str(pieces),
        }
    }
}

/// A map of one member, handed over as an entry or as key and value. `BTreeMap` would ask for keys that have an order.
pub struct Member<K, V>(pub K, pub V, pub bool);

impl<K: Serialize, V: Serialize> Serialize for Member<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if self.2 {
            map.serialize_entry(&self.0, &self.1)?;
        } else {
            map.serialize_key(&self.0)?;
            map.serialize_value(&self.1)?;
        }
        map.end()
    }
}

/// How the members of a map are handed over.
#[derive(Clone, Copy, Debug)]
pub enum Calls {
    Entries,
    KeysAndValues,
    Alternating,
}

/// Any value of serde's data model.
#[derive(Clone, Debug)]
pub enum Shape {
    Bool(bool),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    I128(i128),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    U128(u128),
    F32(f32),
    F64(f64),
    Char(char),
    Str(String),
    Text(Text),
    Display(Pieces),
    Bytes(Vec<u8>),
    None,
    Some(Box<Shape>),
    Unit,
    UnitStruct,
    UnitVariant(&'static str),
    NewtypeStruct(Box<Shape>),
    NewtypeVariant(&'static str, Box<Shape>),
    Seq(Hint, Vec<Shape>),
    Tuple(Vec<Shape>),
    TupleStruct(Vec<Shape>),
    TupleVariant(&'static str, Vec<Shape>),
    Map(Hint, Calls, Vec<(Key, Shape)>),
    Struct(Vec<(&'static str, Shape)>),
    StructVariant(&'static str, Vec<(&'static str, Shape)>),
    /// A fragment, and its text.
    Fragment(Fragment, String),
    Raw(Box<RawValue>),
    /// Refuses to be serialized.
    Fail,
}

impl Shape {
    /// What the reference has to handle, behind its mark.
    fn mark(&self) -> Option<String> {
        match self {
            Shape::F32(n) if !n.is_finite() => Some(format!("{MARK}n{n}")),
            Shape::F64(n) if !n.is_finite() => Some(format!("{MARK}n{n}")),
            Shape::Bytes(bytes) => Some(format!("{MARK}b{}", super::reference::hex(bytes))),
            Shape::Fragment(_, text) => Some(format!("{MARK}v{text}")),
            Shape::Raw(raw) => Some(format!("{MARK}v{}", raw.get())),
            Shape::Fail => Some(format!("{MARK}f")),
            // Texts that look marked.
            Shape::Str(text) if text.starts_with(MARK) => Some(format!("{MARK}s{text}")),
            Shape::Char(MARK) => Some(format!("{MARK}s{MARK}")),
            Shape::Display(pieces) if pieces.0.concat().starts_with(MARK) => Some(format!("{MARK}s{pieces}")),
            _ => None,
        }
    }
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if AUDIENCE.get() == Audience::Reference
            && let Some(mark) = self.mark()
        {
            return serializer.serialize_str(&mark);
        }
        match self {
            Shape::Fragment(fragment, _) => fragment.serialize(serializer),
            Shape::Raw(raw) => raw.serialize(serializer),
            Shape::Fail => Err(S::Error::custom("a value that fails")),
            Shape::Bool(b) => serializer.serialize_bool(*b),
            Shape::I8(n) => serializer.serialize_i8(*n),
            Shape::I16(n) => serializer.serialize_i16(*n),
            Shape::I32(n) => serializer.serialize_i32(*n),
            Shape::I64(n) => serializer.serialize_i64(*n),
            Shape::I128(n) => serializer.serialize_i128(*n),
            Shape::U8(n) => serializer.serialize_u8(*n),
            Shape::U16(n) => serializer.serialize_u16(*n),
            Shape::U32(n) => serializer.serialize_u32(*n),
            Shape::U64(n) => serializer.serialize_u64(*n),
            Shape::U128(n) => serializer.serialize_u128(*n),
            Shape::F32(n) => serializer.serialize_f32(*n),
            Shape::F64(n) => serializer.serialize_f64(*n),
            Shape::Char(c) => serializer.serialize_char(*c),
            Shape::Str(text) => serializer.serialize_str(text),
            Shape::Text(text) => text.serialize(serializer),
            Shape::Display(pieces) => serializer.collect_str(pieces),
            Shape::Bytes(bytes) => serializer.serialize_bytes(bytes),
            Shape::None => serializer.serialize_none(),
            Shape::Some(inner) => serializer.serialize_some(inner),
            Shape::Unit => serializer.serialize_unit(),
            Shape::UnitStruct => serializer.serialize_unit_struct("U"),
            Shape::UnitVariant(name) => serializer.serialize_unit_variant("E", 0, name),
            Shape::NewtypeStruct(inner) => serializer.serialize_newtype_struct("N", inner),
            Shape::NewtypeVariant(name, inner) => serializer.serialize_newtype_variant("E", 1, name, inner),
            Shape::Seq(hint, items) => {
                let mut seq = serializer.serialize_seq(hint.of(items.len()))?;
                items.iter().try_for_each(|item| seq.serialize_element(item))?;
                seq.end()
            }
            Shape::Tuple(items) => {
                let mut tuple = serializer.serialize_tuple(items.len())?;
                items.iter().try_for_each(|item| tuple.serialize_element(item))?;
                tuple.end()
            }
            Shape::TupleStruct(items) => {
                let mut tuple = serializer.serialize_tuple_struct("T", items.len())?;
                items.iter().try_for_each(|item| tuple.serialize_field(item))?;
                tuple.end()
            }
            Shape::TupleVariant(name, items) => {
                let mut tuple = serializer.serialize_tuple_variant("E", 2, name, items.len())?;
                items.iter().try_for_each(|item| tuple.serialize_field(item))?;
                tuple.end()
            }
            Shape::Map(hint, calls, members) => {
                let mut map = serializer.serialize_map(hint.of(members.len()))?;
                for (index, (key, value)) in members.iter().enumerate() {
                    match calls {
                        Calls::Entries => map.serialize_entry(key, value)?,
                        Calls::Alternating if index % 2 == 0 => map.serialize_entry(key, value)?,
                        _ => {
                            map.serialize_key(key)?;
                            map.serialize_value(value)?;
                        }
                    }
                }
                map.end()
            }
            Shape::Struct(fields) => {
                let mut object = serializer.serialize_struct("S", fields.len())?;
                for (name, value) in fields {
                    object.serialize_field(name, value)?;
                    object.skip_field("skipped")?;
                }
                object.end()
            }
            Shape::StructVariant(name, fields) => {
                let mut object = serializer.serialize_struct_variant("E", 3, name, fields.len())?;
                for (name, value) in fields {
                    object.serialize_field(name, value)?;
                    object.skip_field("skipped")?;
                }
                object.end()
            }
        }
    }
}
