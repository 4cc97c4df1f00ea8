//! The `serde::Serializer`: turns serde's data model into tokens. Values are here; arrays and structs in `compound`,
//! maps in `map`, their keys in `key`, and the private protocols of serde_json's own types in `token`.
//!
//! Every `Serialize` implementation is the caller's code. It may swallow an error, or catch a panic, and go on. So each
//! array, object and map notes when it begins to write an element or member, and refuses to go on if that was never
//! completed.

mod block;
mod compound;
mod key;
mod map;
#[cfg(feature = "rayon")]
mod parallel;
mod refuse;
mod token;
pub(crate) mod tree;

use std::fmt::Display;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::fmt::Formatter;
use crate::fragment;
use crate::text;
use compound::{Array, Object};
use map::Map;
use token::SerdeJsonToken;

#[cfg(feature = "rayon")]
pub(crate) use parallel::{elements, is_own};

/// Encodes `value` as one JSON text.
#[inline]
pub(crate) fn serialize<T, const PLAIN: bool>(formatter: &mut Formatter<'_, PLAIN>, value: &T) -> Result<()>
where
    T: ?Sized + Serialize,
{
    match tree::as_tree(value) {
        Some(tree) => tree::write(formatter, tree),
        None => value.serialize(Serializer { formatter, wrappers: 0 }),
    }
}

/// Encodes one value.
pub(crate) struct Serializer<'f, 'a, const PLAIN: bool> {
    formatter: &'f mut Formatter<'a, PLAIN>,
    /// How many transparent wrappers (`Some`, newtype structs) are around this value. They leave no trace in the
    /// output, so `max_depth` does not count them, but a type that recurses through them alone needs stack too.
    wrappers: usize,
}

/// Transparent wrappers that are allowed for each level of `max_depth`. A tree of `Option<Box<Node>>` has one a level.
const WRAPPERS_PER_LEVEL: usize = 2;

impl<'f, 'a, const PLAIN: bool> Serializer<'f, 'a, PLAIN> {
    #[inline]
    fn array(self) -> Result<Array<'f, 'a, PLAIN>> {
        self.formatter.open()?;
        Ok(Array::new(self))
    }

    #[inline]
    fn object(self) -> Result<Object<'f, 'a, PLAIN>> {
        self.formatter.open()?;
        Ok(Object::new(self))
    }

    /// The object around the content of an enum variant, up to that content.
    #[inline]
    fn variant(&mut self, variant: &'static str) -> Result<()> {
        self.formatter.open()?;
        self.formatter.static_key(0, variant)
    }

    /// Enters the array or object that is the content of an enum variant.
    #[inline]
    fn content(&mut self, variant: &'static str) -> Result<()> {
        self.variant(variant)?;
        match self.formatter.open() {
            Ok(()) => Ok(()),
            Err(error) => Err(compound::fail(self.formatter, error, variant, None)),
        }
    }

    /// Out of line, so that the stack frame of every newtype struct stays small.
    #[inline(never)]
    fn fragment<T: ?Sized + Serialize>(self, value: &T) -> Result<()> {
        match fragment::take_handoff() {
            Some(json) => self.formatter.fragment(json),
            None => self.unwrap(value),
        }
    }

    /// Out of line for the reason given at `fragment`.
    #[inline(never)]
    fn text<T: ?Sized + Serialize>(self, value: &T) -> Result<()> {
        match text::take_handoff() {
            Some(text) => self.formatter.shared_string(text),
            None => self.unwrap(value),
        }
    }

    /// Out of line for the reason given at `fragment`.
    #[cfg(feature = "rayon")]
    #[inline(never)]
    fn slice<T: ?Sized + Serialize>(self, value: &T) -> Result<()> {
        match crate::parts::take() {
            Some(crate::parts::Message::Offer(len)) => parallel::slice(self, len, value),
            _ => self.unwrap(value),
        }
    }

    #[inline]
    fn unwrap<T: ?Sized + Serialize>(mut self, value: &T) -> Result<()> {
        self.wrappers = wrap(self.formatter, self.wrappers)?;
        value.serialize(self)
    }
}

/// Counts one more transparent wrapper, of those that the depth limit leaves room for.
#[inline]
fn wrap<const PLAIN: bool>(formatter: &mut Formatter<'_, PLAIN>, wrappers: usize) -> Result<usize> {
    // One level more than there may be: a limit of 0 still encodes a wrapped scalar.
    if wrappers / WRAPPERS_PER_LEVEL > formatter.max_depth() {
        return Err(formatter.too_deep());
    }
    Ok(wrappers + 1)
}

impl<'f, 'a, const PLAIN: bool> serde::Serializer for Serializer<'f, 'a, PLAIN> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Array<'f, 'a, PLAIN>;
    type SerializeTuple = Array<'f, 'a, PLAIN>;
    type SerializeTupleStruct = Array<'f, 'a, PLAIN>;
    type SerializeTupleVariant = Array<'f, 'a, PLAIN>;
    type SerializeMap = Map<'f, 'a, PLAIN>;
    type SerializeStruct = Object<'f, 'a, PLAIN>;
    type SerializeStructVariant = Object<'f, 'a, PLAIN>;

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        self.formatter.bool(value)
    }

    #[inline]
    fn serialize_i8(self, value: i8) -> Result<()> {
        self.formatter.integer(value < 0, value.unsigned_abs().into())
    }

    #[inline]
    fn serialize_i16(self, value: i16) -> Result<()> {
        self.formatter.integer(value < 0, value.unsigned_abs().into())
    }

    #[inline]
    fn serialize_i32(self, value: i32) -> Result<()> {
        self.formatter.integer(value < 0, value.unsigned_abs().into())
    }

    #[inline]
    fn serialize_i64(self, value: i64) -> Result<()> {
        self.formatter.integer(value < 0, value.unsigned_abs())
    }

    fn serialize_i128(self, value: i128) -> Result<()> {
        self.formatter.wide_integer(value < 0, value.unsigned_abs())
    }

    #[inline]
    fn serialize_u8(self, value: u8) -> Result<()> {
        self.formatter.integer(false, value.into())
    }

    #[inline]
    fn serialize_u16(self, value: u16) -> Result<()> {
        self.formatter.integer(false, value.into())
    }

    #[inline]
    fn serialize_u32(self, value: u32) -> Result<()> {
        self.formatter.integer(false, value.into())
    }

    #[inline]
    fn serialize_u64(self, value: u64) -> Result<()> {
        self.formatter.integer(false, value)
    }

    fn serialize_u128(self, value: u128) -> Result<()> {
        self.formatter.wide_integer(false, value)
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Result<()> {
        self.formatter.single_float(value)
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<()> {
        self.formatter.float(value)
    }

    #[inline]
    fn serialize_char(self, value: char) -> Result<()> {
        self.formatter.string(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<()> {
        self.formatter.string(value)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        self.formatter.bytes(value)
    }

    #[inline]
    fn serialize_none(self) -> Result<()> {
        self.formatter.null()
    }

    #[inline]
    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<()> {
        self.unwrap(value)
    }

    #[inline]
    fn serialize_unit(self) -> Result<()> {
        self.formatter.null()
    }

    #[inline]
    fn serialize_unit_struct(self, _name: &'static str) -> Result<()> {
        self.formatter.null()
    }

    #[inline]
    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Result<()> {
        self.formatter.string(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, name: &'static str, value: &T) -> Result<()> {
        match name {
            fragment::TOKEN => self.fragment(value),
            text::TOKEN => self.text(value),
            #[cfg(feature = "rayon")]
            crate::parts::TOKEN => self.slice(value),
            _ => self.unwrap(value),
        }
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        mut self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        self.variant(variant)?;
        let inner = Serializer { formatter: &mut *self.formatter, wrappers: self.wrappers };
        if let Err(error) = value.serialize(inner) {
            return Err(compound::fail(self.formatter, error, variant, None));
        }
        self.formatter.close_object(1)
    }

    #[inline]
    fn serialize_seq(self, _len: Option<usize>) -> Result<Self::SerializeSeq> {
        // Length hints never decide structure: what is written depends on the elements that come.
        self.array()
    }

    #[inline]
    fn serialize_tuple(self, _len: usize) -> Result<Self::SerializeTuple> {
        self.array()
    }

    #[inline]
    fn serialize_tuple_struct(self, _name: &'static str, _len: usize) -> Result<Self::SerializeTupleStruct> {
        self.array()
    }

    #[inline]
    fn serialize_tuple_variant(
        mut self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        self.content(variant)?;
        Ok(Array::new(self).in_variant(variant))
    }

    #[inline]
    fn serialize_map(self, _len: Option<usize>) -> Result<Self::SerializeMap> {
        self.formatter.open()?;
        Ok(Map::new(self))
    }

    #[inline]
    fn serialize_struct(self, name: &'static str, _len: usize) -> Result<Self::SerializeStruct> {
        match SerdeJsonToken::of(name) {
            None => self.object(),
            Some(token) => Ok(Object::of_token(self, token)),
        }
    }

    #[inline]
    fn serialize_struct_variant(
        mut self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeStructVariant> {
        self.content(variant)?;
        Ok(Object::new(self).in_variant(variant))
    }

    /// Does what serde's own does, but inlined: each level of a tree has one frame less, and one return less to
    /// predict.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn collect_seq<I>(self, items: I) -> Result<()>
    where
        I: IntoIterator<Item: Serialize>,
    {
        if let Some(trees) = tree::as_trees(&items) {
            return tree::write_array(self.formatter, trees);
        }
        let mut array = self.array()?;
        for item in items {
            array.element(&item)?;
        }
        array.close()
    }

    fn collect_str<T: ?Sized + Display>(self, value: &T) -> Result<()> {
        self.formatter.display(value)
    }
}
