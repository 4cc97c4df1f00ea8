//! A document of any length that takes no memory.

use serde::ser::{SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};

use super::SplitMix64;

/// Bytes of `[{"id":1234567890,"name":"0123456789abcdef"}]` without brackets.
const ITEM: usize = 43;

/// The longest name: 16 digits and what is left over at the end.
const LONGEST_NAME: usize = 16 + ITEM;

/// An array that is made while it is encoded; see [`array_of_bytes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArrayOfBytes {
    target_bytes: usize,
}

/// A value whose compact JSON is exactly `target_bytes` long, for any
/// `target_bytes` from [`ArrayOfBytes::MIN_BYTES`] (45) on.
///
/// It is an array of records such as
/// `{"id":1234567890,"name":"0123456789abcdef"}`: ten digits, sixteen
/// hexadecimal digits, 43 bytes. With its commas and brackets, an array of `n`
/// records is `44 * n + 1` bytes long; the name of the last record is longer
/// than that by as much as is missing to `target_bytes` (at most 43). Below
/// 45, it is the empty array, of two bytes.
///
/// The array is written with a sequence of unknown length, and records come
/// from a generator: the value itself takes one word of memory.
pub const fn array_of_bytes(target_bytes: usize) -> ArrayOfBytes {
    ArrayOfBytes { target_bytes }
}

impl ArrayOfBytes {
    /// The length with one record; shorter targets make an empty array.
    pub const MIN_BYTES: usize = ITEM + 2;

    /// How many records there are.
    pub const fn records(&self) -> usize {
        if self.target_bytes < Self::MIN_BYTES { 0 } else { (self.target_bytes - 1) / (ITEM + 1) }
    }

    /// The length of the compact JSON in bytes.
    pub const fn json_bytes(&self) -> usize {
        if self.target_bytes < Self::MIN_BYTES { 2 } else { self.target_bytes }
    }
}

impl Serialize for ArrayOfBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rng = SplitMix64::new(0);
        let records = self.records();
        let mut sequence = serializer.serialize_seq(None)?;
        for i in 1..=records {
            let mut record = Record::new(&mut rng);
            if i == records {
                record.name_len += (self.target_bytes - 1) % (ITEM + 1);
            }
            sequence.serialize_element(&record)?;
        }
        sequence.end()
    }
}

struct Record {
    id: u64,
    name: [u8; LONGEST_NAME],
    name_len: usize,
}

impl Record {
    fn new(rng: &mut SplitMix64) -> Self {
        let id = 1_000_000_000 + rng.below(9_000_000_000);
        let mut bits = rng.next_u64();
        let mut name = [b'0'; LONGEST_NAME];
        for digit in &mut name[..16] {
            *digit = b"0123456789abcdef"[(bits & 15) as usize];
            bits >>= 4;
        }
        Self { id, name, name_len: 16 }
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = str::from_utf8(&self.name[..self.name_len]).expect("ASCII is UTF-8");
        let mut record = serializer.serialize_struct("Record", 2)?;
        record.serialize_field("id", &self.id)?;
        record.serialize_field("name", name)?;
        record.end()
    }
}
