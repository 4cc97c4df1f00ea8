//! How a key that was encoded once gets from its `Serialize` to the output: as the bytes of its block, which it gives to
//! this serializer alone.

use serde::Serialize;
use serde::ser::Impossible;

use super::refuse::{refuse, refuse_most};
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

    refuse_most!(bool);
    refuse! {
        serialize_str(&str) -> bool;
        serialize_unit() -> bool;
        serialize_seq(Option<usize>) -> Refused;
    }
}
