//! Map keys: one path for every kind of output. A key is a string, or a scalar that is written between quotes; anything
//! else is refused, as serde_json refuses it.

use std::fmt::{Display, Write as _};

use serde::Serialize;

use super::private::{No, Private, RawKey, refuse};
use crate::error::{Error, Result};
use crate::fmt::Formatter;
use crate::fragment;

/// Encodes one key together with what stands before and after it.
pub(super) struct KeySerializer<'f, 'a, const PLAIN: bool> {
    pub(super) formatter: &'f mut Formatter<'a, PLAIN>,
    pub(super) index: usize,
    /// How many transparent wrappers stand around this key.
    pub(super) wrappers: usize,
    pub(super) purpose: Purpose,
}

/// What a key is serialized for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To be written.
    Write,
    /// To be written, and its unescaped text to be appended to `Formatter::names`.
    WriteAndName,
    /// Only to append its text to `Formatter::names`.
    Name,
}

impl<const PLAIN: bool> KeySerializer<'_, '_, PLAIN> {
    #[inline]
    pub(super) fn text(self, text: &str) -> Result<()> {
        if self.purpose == Purpose::Write && text.as_bytes().first() != Some(&b'$') {
            self.formatter.key(self.index, text)
        } else {
            self.unusual_text(text)
        }
    }

    /// A key that has to be named, or that may be a reserved name.
    #[cold]
    #[inline(never)]
    fn unusual_text(self, text: &str) -> Result<()> {
        if Private::of(text).is_some() {
            // A raw value that `#[serde(flatten)]` has taken for a struct.
            return Err(self.formatter.fail_data("a raw value or fragment cannot be flattened"));
        }
        // A sorting formatter notes every key that is written.
        if self.purpose == Purpose::Name || (self.purpose == Purpose::WriteAndName && !self.formatter.sorts()) {
            self.formatter.names.push_str(text);
        }
        if self.purpose == Purpose::Name { Ok(()) } else { self.formatter.key(self.index, text) }
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
    pub(super) fn refuse<T>(self) -> Result<T> {
        Err(self.formatter.fail_data("key must be a string"))
    }

    fn unwrap<T: ?Sized + Serialize>(mut self, value: &T) -> Result<()> {
        self.wrappers += 1;
        if self.wrappers > super::MAX_KEY_WRAPPERS {
            return Err(self.formatter.too_deep());
        }
        value.serialize(self)
    }

    /// A fragment as a key must be a JSON string. Apart, so that the frame of every newtype struct stays small.
    #[inline(never)]
    fn fragment<T: ?Sized + Serialize>(self, value: &T) -> Result<()> {
        let Some(json) = fragment::take_passed() else { return self.unwrap(value) };
        match serde_json::from_slice::<String>(&json.into_bytes()) {
            Ok(text) => self.text(&text),
            Err(_) => self.refuse(),
        }
    }
}

/// The text of a key as an error pointer names it. For a key that has been written, when its value has failed.
#[cold]
pub(super) fn name<T: ?Sized + Serialize, const PLAIN: bool>(formatter: &mut Formatter<'_, PLAIN>, key: &T) -> String {
    let start = formatter.names.len();
    // It was serialized a moment ago without an error; should it fail now, the name is cut short, no more.
    let _ = key.serialize(KeySerializer { formatter, index: 0, wrappers: 0, purpose: Purpose::Name });
    formatter.names.split_off(start)
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
    type SerializeSeq = No;
    type SerializeTuple = No;
    type SerializeTupleStruct = No;
    type SerializeTupleVariant = No;
    type SerializeMap = No;
    type SerializeStruct = RawKey<'f, 'a, PLAIN>;
    type SerializeStructVariant = No;

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
        if self.purpose != Purpose::Name {
            self.formatter.display_key(self.index, value)?;
        }
        if self.purpose == Purpose::Name || (self.purpose == Purpose::WriteAndName && !self.formatter.sorts()) {
            let _ = write!(self.formatter.names, "{value}");
        }
        Ok(())
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
        if name == fragment::TOKEN { self.fragment(value) } else { self.unwrap(value) }
    }

    #[inline]
    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<()> {
        self.unwrap(value)
    }

    fn serialize_struct(self, name: &'static str, _len: usize) -> Result<Self::SerializeStruct> {
        match Private::of(name) {
            Some(Private::RawValue) => Ok(RawKey::new(self)),
            _ => self.refuse(),
        }
    }

    refuse! {
        serialize_bytes(&[u8]) -> ();
        serialize_none() -> ();
        serialize_unit() -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_seq(Option<usize>) -> No;
        serialize_tuple(usize) -> No;
        serialize_tuple_struct(&'static str, usize) -> No;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> No;
        serialize_map(Option<usize>) -> No;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> No;
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
