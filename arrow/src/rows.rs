//! The rows of record batches, one by one.

use std::error::Error;
use std::iter::{Empty, empty};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use serde::{Serialize, Serializer};

use crate::cell;
use crate::column::{Members, Settings};
use crate::texts::BLOCK;

/// An iterator over the rows of record batches: the records of [`RowChunks`](crate::RowChunks).
pub struct Rows<I> {
    batches: I,
    settings: Settings,
    batch: Option<Arc<Members>>,
    /// The next row.
    row: usize,
    /// The end of the block of rows that is prepared, and that of the batch.
    block_end: usize,
    end: usize,
}

impl<I> Rows<I> {
    pub(crate) fn new(batches: I, settings: Settings) -> Rows<I> {
        Rows { batches, settings, batch: None, row: 0, block_end: 0, end: 0 }
    }
}

impl Rows<Empty<Result<RecordBatch, ArrowError>>> {
    /// The rows of one batch.
    pub(crate) fn of_one(members: Members, settings: Settings, rows: usize) -> Self {
        Rows { batch: Some(Arc::new(members)), end: rows, ..Rows::new(empty(), settings) }
    }
}

/// A row of a record batch.
pub struct Row {
    batch: Arc<Members>,
    row: usize,
}

impl Serialize for Row {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        cell::Row { members: &self.batch, row: self.row }.serialize(serializer)
    }
}

impl<I: Iterator<Item = Result<RecordBatch, ArrowError>>> Iterator for Rows<I> {
    type Item = Result<Row, Box<dyn Error + Send + Sync>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.row < self.block_end
                && let Some(batch) = &self.batch
            {
                self.row += 1;
                return Some(Ok(Row { batch: Arc::clone(batch), row: self.row - 1 }));
            }
            if let Err(error) = self.next_block()? {
                return Some(Err(error));
            }
        }
    }
}

impl<I: Iterator<Item = Result<RecordBatch, ArrowError>>> Rows<I> {
    /// Goes on to the next block, of the next batch if there is none left of this one.
    #[inline(never)]
    fn next_block(&mut self) -> Option<Result<(), Box<dyn Error + Send + Sync>>> {
        if self.row == self.end {
            self.batch = None;
            let batch = match self.batches.next()? {
                Ok(batch) => batch,
                Err(error) => return Some(Err(error.into())),
            };
            match Members::of_batch(&batch, self.settings) {
                Ok(members) => self.batch = Some(Arc::new(members)),
                Err(refusal) => return Some(Err(refusal.into())),
            }
            (self.row, self.end) = (0, batch.num_rows());
        }
        self.block_end = self.end.min(self.row + BLOCK);
        // Nobody has a row now. If somebody had, this block would be slower.
        if let Some(batch) = self.batch.as_mut().and_then(Arc::get_mut) {
            batch.prepare(self.row..self.block_end);
        }
        Some(Ok(()))
    }
}
