//! How a key that was encoded once gets from its `Serialize` to the output: as the bytes of its block, which it gives to
//! this serializer alone.

use serde::Serialize;
use serde::ser::Impossible;

use super::refuse::refuse;
use crate::error::{Error, Result};
use crate::fmt::{Block, Formatter};

/// Writes the block of a [`Key`](crate::Key), and tells whether it did.
pub(super) struct BlockSerializer<'f, 'a, const PLAIN: bool> {
    pub(super) formatter: &'f mut Formatter<'a, PLAIN>,
    pub(super) index: usize,
}

impl<const PLAIN: bool> BlockSerializer<'_, '_, PLAIN> {
    /// Nothing else is ever asked of it.
    #[cold]
    fn refuse<T>(self) -> Result<T> {
        Err(Error::data("expected an encoded key"))
    }
}

type Refused = Impossible<bool, Error>;

impl<const PLAIN: bool> serde::Serializer for BlockSerializer<'_, '_, PLAIN> {
    type Ok = bool;
    type Error = Error;
    type SerializeSeq = Refused;
    type SerializeTuple = Refused;
    type SerializeTupleStruct = Refused;
    type SerializeTupleVariant = Refused;
    type SerializeMap = Refused;
    type SerializeStruct = Refused;
    type SerializeStructVariant = Refused;

    #[inline(always)]
    fn serialize_bytes(self, value: &[u8]) -> Result<bool> {
        match <&Block>::try_from(value) {
            Ok(block) => Ok(self.formatter.quick_encoded_key(self.index, block)),
            Err(_) => Ok(false),
        }
    }

    #[inline(always)]
    fn is_human_readable(&self) -> bool {
        false
    }

    refuse! {
        serialize_bool(bool) -> bool;
        serialize_i8(i8) -> bool;
        serialize_i16(i16) -> bool;
        serialize_i32(i32) -> bool;
        serialize_i64(i64) -> bool;
        serialize_u8(u8) -> bool;
        serialize_u16(u16) -> bool;
        serialize_u32(u32) -> bool;
        serialize_u64(u64) -> bool;
        serialize_f32(f32) -> bool;
        serialize_f64(f64) -> bool;
        serialize_char(char) -> bool;
        serialize_str(&str) -> bool;
        serialize_none() -> bool;
        serialize_unit() -> bool;
        serialize_unit_struct(&'static str) -> bool;
        serialize_unit_variant(&'static str, u32, &'static str) -> bool;
        serialize_seq(Option<usize>) -> Refused;
        serialize_tuple(usize) -> Refused;
        serialize_tuple_struct(&'static str, usize) -> Refused;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Refused;
        serialize_map(Option<usize>) -> Refused;
        serialize_struct(&'static str, usize) -> Refused;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Refused;
    }

    fn serialize_some<T: ?Sized + Serialize>(self, _: &T) -> Result<bool> {
        self.refuse()
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, _: &'static str, _: &T) -> Result<bool> {
        self.refuse()
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<bool> {
        self.refuse()
    }
}
