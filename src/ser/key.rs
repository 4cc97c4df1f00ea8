//! Map keys: one path for every kind of output. A key is a string, or a scalar that is written between quotes; anything
//! else is refused, as serde_json refuses it.

use std::fmt::Display;

use serde::Serialize;
use serde::ser::SerializeStruct;

use super::block::BlockSerializer;
use super::refuse::{Refused, refuse};
use super::token::{SerdeJsonToken, Text};
use crate::error::{Error, Result};
use crate::fmt::{self, Formatter};
use crate::fragment;

/// The most transparent wrappers around a map key.
const MAX_WRAPPERS: usize = 64;

/// Encodes one key, with everything before and after it.
pub(super) struct KeySerializer<'f, 'a, const PLAIN: bool> {
    pub(super) formatter: &'f mut Formatter<'a, PLAIN>,
    pub(super) index: usize,
    /// How many transparent wrappers there are around this key.
    pub(super) wrappers: usize,
}

impl<const PLAIN: bool> KeySerializer<'_, '_, PLAIN> {
    #[inline]
    fn text(self, text: &str) -> Result<()> {
        write(self.formatter, self.index, text)
    }

    #[inline]
    fn integer(self, value: impl itoa::Integer) -> Result<()> {
        self.text(itoa::Buffer::new().format(value))
    }

    #[inline]
    fn float(self, value: impl zmij::Float, is_finite: bool) -> Result<()> {
        if is_finite {
            self.text(zmij::Buffer::new().format_finite(value))
        } else {
            Err(self.formatter.fail_data("float key must be finite"))
        }
    }

    #[cold]
    fn refuse<T>(self) -> Result<T> {
        Err(self.formatter.fail_data("key must be a string"))
    }

    /// A [`Key`](fmt::Key).
    #[inline(always)]
    fn encoded<T: ?Sized + Serialize>(self, key: &T) -> Result<()> {
        match key.serialize(BlockSerializer { formatter: &mut *self.formatter, index: self.index }) {
            Ok(true) => Ok(()),
            // It is longer than a block, or there is little room: then by its name.
            _ => key.serialize(self),
        }
    }

    fn unwrap<T: ?Sized + Serialize>(mut self, value: &T) -> Result<()> {
        self.wrappers += 1;
        if self.wrappers > MAX_WRAPPERS {
            return Err(self.formatter.too_deep());
        }
        value.serialize(self)
    }

    /// A fragment as a key must be a JSON string. Out of line, so that the stack frame of newtype structs stays small.
    #[inline(never)]
    fn fragment<T: ?Sized + Serialize>(self, value: &T) -> Result<()> {
        let Some(json) = fragment::take_handoff() else { return self.unwrap(value) };
        match serde_json::from_slice::<String>(&json.into_bytes()) {
            Ok(text) => self.text(&text),
            Err(_) => self.refuse(),
        }
    }
}

/// Writes a key. Out of line, with everything that is done for each key, so that it is compiled once for all key types.
#[inline(never)]
fn write<const PLAIN: bool>(formatter: &mut Formatter<'_, PLAIN>, index: usize, text: &str) -> Result<()> {
    if fragment::is_flattened(text) {
        return Err(flattened(formatter));
    }
    formatter.map_key(index, text)
}

#[cold]
#[inline(never)]
fn flattened<const PLAIN: bool>(formatter: &mut Formatter<'_, PLAIN>) -> Error {
    formatter.fail_data("a Fragment cannot be a field with #[serde(flatten)]")
}

macro_rules! scalars {
    ($($method:ident($type:ty)),*) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<()> {
            self.integer(value)
        }
    )*};
}

impl<'f, 'a, const PLAIN: bool> serde::Serializer for KeySerializer<'f, 'a, PLAIN> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Refused;
    type SerializeTuple = Refused;
    type SerializeTupleStruct = Refused;
    type SerializeTupleVariant = Refused;
    type SerializeMap = Refused;
    type SerializeStruct = RawKey<'f, 'a, PLAIN>;
    type SerializeStructVariant = Refused;

    #[inline]
    fn serialize_str(self, value: &str) -> Result<()> {
        self.text(value)
    }

    #[inline]
    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    fn collect_str<T: ?Sized + Display>(self, value: &T) -> Result<()> {
        self.formatter.display_key(self.index, value)
    }

    scalars! {
        serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64), serialize_i128(i128),
        serialize_u8(u8), serialize_u16(u16), serialize_u32(u32), serialize_u64(u64), serialize_u128(u128)
    }

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        self.text(if value { "true" } else { "false" })
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Result<()> {
        self.float(value, value.is_finite())
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<()> {
        self.float(value, value.is_finite())
    }

    #[inline]
    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, name: &'static str, value: &T) -> Result<()> {
        match name {
            _ if fmt::is_key_token(name) => self.encoded(value),
            fragment::TOKEN => self.fragment(value),
            _ => self.unwrap(value),
        }
    }

    #[inline]
    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<()> {
        self.unwrap(value)
    }

    fn serialize_struct(self, name: &'static str, _len: usize) -> Result<Self::SerializeStruct> {
        match SerdeJsonToken::of(name) {
            Some(SerdeJsonToken::RawValue) => Ok(RawKey { serializer: self, text: None }),
            _ => self.refuse(),
        }
    }

    refuse! {
        serialize_bytes(&[u8]) -> ();
        serialize_none() -> ();
        serialize_unit() -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_seq(Option<usize>) -> Refused;
        serialize_tuple(usize) -> Refused;
        serialize_tuple_struct(&'static str, usize) -> Refused;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Refused;
        serialize_map(Option<usize>) -> Refused;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Refused;
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<()> {
        self.refuse()
    }
}

/// A raw value as a map key: accepted if it is a JSON string.
pub(super) struct RawKey<'f, 'a, const PLAIN: bool> {
    serializer: KeySerializer<'f, 'a, PLAIN>,
    text: Option<String>,
}

impl<const PLAIN: bool> SerializeStruct for RawKey<'_, '_, PLAIN> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<()> {
        if SerdeJsonToken::of(key) == Some(SerdeJsonToken::RawValue) {
            let mut text = None;
            let read = value.serialize(Text(|json: &str| {
                text = serde_json::from_str(json).ok();
                Ok(())
            }));
            read.map_err(|error| self.serializer.formatter.fail(error))?;
            self.text = text;
        }
        Ok(())
    }

    fn end(self) -> Result<()> {
        match self.text {
            Some(text) => self.serializer.text(&text),
            None => self.serializer.refuse(),
        }
    }
}
