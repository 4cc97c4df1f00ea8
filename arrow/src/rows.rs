//! The rows of record batches, one by one.

use std::iter::{Empty, empty};

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use json_rope::Error;
use json_rope::source::TryNext;
use serde::{Serialize, Serializer};

use crate::cell;
use crate::column::{Members, Settings};
use crate::texts::BLOCK;

/// An iterator over the rows of record batches: the records of [`RowChunks`](crate::RowChunks).
pub struct Rows<I> {
    batches: I,
    settings: Settings,
    /// The batch that the next row is of.
    batch: Members,
    /// The next row.
    row: usize,
    /// The end of the block of rows that is prepared, and that of the batch.
    block_end: usize,
    end: usize,
}

impl<I> Rows<I> {
    pub(crate) fn new(batches: I, settings: Settings) -> Rows<I> {
        Rows { batches, settings, batch: Members::default(), row: 0, block_end: 0, end: 0 }
    }
}

impl Rows<Empty<Result<RecordBatch, ArrowError>>> {
    /// The rows of one batch.
    pub(crate) fn of_one(members: Members, settings: Settings, rows: usize) -> Self {
        Rows { batch: members, end: rows, ..Rows::new(empty(), settings) }
    }
}

/// A row of a record batch.
pub struct Row<'b>(cell::Row<'b>);

impl Serialize for Row<'_> {
    #[inline(always)]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<I: Iterator<Item = Result<RecordBatch, ArrowError>>> TryNext for Rows<I> {
    type Value<'a>
        = Row<'a>
    where
        Self: 'a;

    #[inline]
    fn try_next(&mut self) -> Option<Result<Row<'_>, Error>> {
        while self.row == self.block_end {
            if let Err(error) = self.next_block()? {
                return Some(Err(error));
            }
        }
        let row = self.row;
        self.row += 1;
        Some(Ok(Row(cell::Row { members: &self.batch, row })))
    }
}

impl<I: Iterator<Item = Result<RecordBatch, ArrowError>>> Rows<I> {
    /// Goes on to the next block, of the next batch if there is none left of this one.
    #[inline(never)]
    fn next_block(&mut self) -> Option<Result<(), Error>> {
        if self.row == self.end {
            self.batch = Members::default(); // before there is another one
            let batch = match self.batches.next()? {
                Ok(batch) => batch,
                Err(error) => return Some(Err(Error::from_source(error))),
            };
            match Members::of_batch(&batch, self.settings) {
                Ok(members) => self.batch = members,
                Err(refusal) => return Some(Err(Error::from_source(refusal))),
            }
            (self.row, self.end) = (0, batch.num_rows());
        }
        self.block_end = self.end.min(self.row + BLOCK);
        self.batch.prepare(self.row..self.block_end);
        Some(Ok(()))
    }
}
