//! The private protocols of serde_json: `RawValue` and, with its feature `arbitrary_precision`, `Number` present
//! themselves as a struct with a reserved name and one field of that name, which holds JSON text. The text comes out
//! verbatim, and the reserved name never does.

use std::fmt::{Display, Write as _};

use serde::Serialize;
use serde::ser::{Impossible, SerializeStruct};

use super::key::KeySerializer;
use crate::error::{Error, Result};
use crate::fmt::Formatter;

const NUMBER: &str = "$serde_json::private::Number";
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// Which protocol a struct speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Private {
    Number,
    RawValue,
}

impl Private {
    /// The protocol that a struct of this name speaks, if any.
    #[inline]
    pub(super) fn of(name: &str) -> Option<Private> {
        match name {
            NUMBER => Some(Private::Number),
            RAW_VALUE => Some(Private::RawValue),
            _ => None,
        }
    }

    /// The field of that struct: writes its text, and counts it.
    #[cold]
    pub(super) fn field<T: ?Sized + Serialize, const PLAIN: bool>(
        self,
        formatter: &mut Formatter<'_, PLAIN>,
        count: &mut usize,
        key: &str,
        value: &T,
    ) -> Result<()> {
        if Private::of(key) != Some(self) || *count > 0 {
            return Err(formatter.fail_data(self.misuse()));
        }
        *count += 1;
        let result =
            value.serialize(Text(
                |json: &str| {
                    if json.is_empty() { Err(Error::data(self.misuse())) } else { formatter.raw(json) }
                },
            ));
        result.map_err(|error| formatter.fail(error))
    }

    /// The end of that struct, which must have had its field.
    #[cold]
    pub(super) fn end<const PLAIN: bool>(self, formatter: &mut Formatter<'_, PLAIN>, count: usize) -> Result<()> {
        if count == 1 { Ok(()) } else { Err(formatter.fail_data(self.misuse())) }
    }

    fn misuse(self) -> &'static str {
        match self {
            Private::Number => "invalid serde_json Number",
            Private::RawValue => "invalid serde_json RawValue",
        }
    }
}

/// A raw value as a map key: accepted if it is a JSON string.
pub(super) struct RawKey<'f, 'a, const PLAIN: bool> {
    serializer: KeySerializer<'f, 'a, PLAIN>,
    text: Option<String>,
}

impl<'f, 'a, const PLAIN: bool> RawKey<'f, 'a, PLAIN> {
    pub(super) fn new(serializer: KeySerializer<'f, 'a, PLAIN>) -> Self {
        RawKey { serializer, text: None }
    }
}

impl<const PLAIN: bool> SerializeStruct for RawKey<'_, '_, PLAIN> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<()> {
        if Private::of(key) == Some(Private::RawValue) {
            value.serialize(Text(|json: &str| {
                self.text = serde_json::from_str(json).ok();
                Ok(())
            }))?;
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

/// Accepts a string, and nothing else, and hands it to a function.
struct Text<F>(F);

impl<F: FnOnce(&str) -> Result<()>> Text<F> {
    fn refuse<T>(self) -> Result<T> {
        Err(Error::data("expected JSON text as a string"))
    }
}

/// Methods of a `Serializer` that call its `refuse`.
macro_rules! refuse {
    ($($method:ident($($type:ty),*) -> $result:ty;)*) => {$(
        fn $method(self, $(_: $type),*) -> Result<$result> {
            self.refuse()
        }
    )*};
}
pub(super) use refuse;

/// The state of a compound that is always refused.
pub(super) type No = Impossible<(), Error>;

impl<F: FnOnce(&str) -> Result<()>> serde::Serializer for Text<F> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = No;
    type SerializeTuple = No;
    type SerializeTupleStruct = No;
    type SerializeTupleVariant = No;
    type SerializeMap = No;
    type SerializeStruct = No;
    type SerializeStructVariant = No;

    fn serialize_str(self, value: &str) -> Result<()> {
        self.0(value)
    }

    fn collect_str<T: ?Sized + Display>(self, value: &T) -> Result<()> {
        let mut text = String::new();
        match write!(text, "{value}") {
            Ok(()) => self.0(&text),
            Err(_) => Err(Error::data("a Display implementation returned an error")),
        }
    }

    refuse! {
        serialize_bool(bool) -> ();
        serialize_i8(i8) -> ();
        serialize_i16(i16) -> ();
        serialize_i32(i32) -> ();
        serialize_i64(i64) -> ();
        serialize_u8(u8) -> ();
        serialize_u16(u16) -> ();
        serialize_u32(u32) -> ();
        serialize_u64(u64) -> ();
        serialize_f32(f32) -> ();
        serialize_f64(f64) -> ();
        serialize_char(char) -> ();
        serialize_bytes(&[u8]) -> ();
        serialize_none() -> ();
        serialize_unit() -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_unit_variant(&'static str, u32, &'static str) -> ();
        serialize_seq(Option<usize>) -> No;
        serialize_tuple(usize) -> No;
        serialize_tuple_struct(&'static str, usize) -> No;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> No;
        serialize_map(Option<usize>) -> No;
        serialize_struct(&'static str, usize) -> No;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> No;
    }

    fn serialize_some<T: ?Sized + Serialize>(self, _: &T) -> Result<()> {
        self.refuse()
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, _: &'static str, _: &T) -> Result<()> {
        self.refuse()
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
