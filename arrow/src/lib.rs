//! Encodes Arrow record batches as NDJSON or one JSON array, with [`json_rope`].

#![deny(missing_docs)]

mod cell;
mod column;
mod number;
mod refusal;
mod rows;
mod span;
mod text;
mod time;

use std::io;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use json_rope::source::{Fallible, Records};
use json_rope::{Chunks, Encoder, Error, Frame, Result, Rope};
use serde::ser::{Error as _, Serialize, Serializer};

use column::{Members, Settings};
pub use rows::{Row, Rows};

/// Rows that are encoded on demand.
pub type RowChunks<I> = Chunks<Records<Fallible<Rows<I>>>>;

/// Encodes record batches.
#[derive(Clone, Debug)]
pub struct RowEncoder {
    encoder: Encoder,
    explicit_nulls: bool,
}

impl RowEncoder {
    /// An encoder.
    pub fn new(encoder: Encoder) -> RowEncoder {
        RowEncoder { encoder, explicit_nulls: false }
    }

    /// Explicit nulls.
    #[must_use]
    pub fn explicit_nulls(self, explicit_nulls: bool) -> RowEncoder {
        RowEncoder { explicit_nulls, ..self }
    }

    /// All rows of a batch as one array.
    pub fn array(&self, batch: &RecordBatch) -> Result<Rope> {
        let members = &self.members(batch)?;
        self.encoder.encode(&All { members, rows: batch.num_rows() })
    }

    /// The rows of a batch as records.
    pub fn records(&self, frame: Frame, batch: &RecordBatch) -> Result<Rope> {
        let members = &self.members(batch)?;
        let rows = (0..batch.num_rows()).map(|row| cell::Row { members, row });
        self.encoder.records(frame, rows).collect()
    }

    /// The rows of many batches, on demand.
    pub fn chunks<I>(&self, frame: Frame, batches: I) -> RowChunks<I::IntoIter>
    where
        I: IntoIterator<Item = std::result::Result<RecordBatch, ArrowError>>,
    {
        self.encoder.try_records(frame, Rows::new(batches.into_iter(), self.settings()))
    }

    /// The rows of many batches, to a writer.
    pub fn write_records<I>(&self, frame: Frame, batches: I, writer: impl io::Write) -> Result<u64>
    where
        I: IntoIterator<Item = std::result::Result<RecordBatch, ArrowError>>,
    {
        self.chunks(frame, batches).write_to(writer)
    }

    fn members(&self, batch: &RecordBatch) -> Result<Members> {
        Members::of_batch(batch, self.settings())
            .map_err(|refusal| Error::custom(refusal.reason()).prefixed(refusal.pointer()))
    }

    fn settings(&self) -> Settings {
        Settings { explicit_nulls: self.explicit_nulls, bytes: self.encoder.bytes_format() }
    }
}

/// All rows of a batch.
struct All<'c> {
    members: &'c Members,
    rows: usize,
}

impl Serialize for All<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.rows).map(|row| cell::Row { members: self.members, row }))
    }
}
