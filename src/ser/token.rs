//! The private protocols of serde_json: `RawValue` and, with its feature `arbitrary_precision`, `Number` present
//! themselves as a struct with a reserved name and one field of that name, which holds JSON text. The text of such a
//! struct comes out verbatim. A map with such a key is data, and comes out as a map.

use std::fmt::{Display, Write as _};

use serde::Serialize;

use super::refuse::{Refused, refuse, refuse_most};
use crate::error::{Error, Result};
use crate::fmt::Formatter;

const NUMBER: &str = "$serde_json::private::Number";
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// Which protocol a struct speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SerdeJsonToken {
    Number,
    RawValue,
}

impl SerdeJsonToken {
    /// The protocol that a struct of this name speaks, if any.
    #[inline]
    pub(super) fn of(name: &str) -> Option<SerdeJsonToken> {
        match name {
            NUMBER => Some(SerdeJsonToken::Number),
            RAW_VALUE => Some(SerdeJsonToken::RawValue),
            _ => None,
        }
    }

    /// Writes the text of the struct's field, of which there must be exactly one.
    #[cold]
    pub(super) fn field<T: ?Sized + Serialize, const PLAIN: bool>(
        self,
        formatter: &mut Formatter<'_, PLAIN>,
        index: usize,
        key: &str,
        value: &T,
    ) -> Result<()> {
        if SerdeJsonToken::of(key) != Some(self) || index > 0 {
            return Err(Error::data(self.misuse()));
        }
        value.serialize(Text(|json: &str| match self {
            _ if json.is_empty() => Err(Error::data(self.misuse())),
            SerdeJsonToken::Number => formatter.number_text(json),
            SerdeJsonToken::RawValue => formatter.raw(json),
        }))
    }

    /// The end of that struct, which must have had its field.
    #[cold]
    pub(super) fn end<const PLAIN: bool>(self, formatter: &mut Formatter<'_, PLAIN>, count: usize) -> Result<()> {
        if count == 1 { Ok(()) } else { Err(formatter.fail_data(self.misuse())) }
    }

    fn misuse(self) -> &'static str {
        match self {
            SerdeJsonToken::Number => "invalid serde_json Number",
            SerdeJsonToken::RawValue => "invalid serde_json RawValue",
        }
    }
}

/// Accepts a string, and nothing else, and hands it to a function.
pub(super) struct Text<F>(pub(super) F);

impl<F: FnOnce(&str) -> Result<()>> Text<F> {
    fn refuse<T>(self) -> Result<T> {
        Err(Error::data("expected JSON text as a string"))
    }
}

impl<F: FnOnce(&str) -> Result<()>> serde::Serializer for Text<F> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Refused;
    type SerializeTuple = Refused;
    type SerializeTupleStruct = Refused;
    type SerializeTupleVariant = Refused;
    type SerializeMap = Refused;
    type SerializeStruct = Refused;
    type SerializeStructVariant = Refused;

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

    refuse_most!(());
    refuse! {
        serialize_bytes(&[u8]) -> ();
        serialize_unit() -> ();
        serialize_seq(Option<usize>) -> Refused;
    }
}
