//! The rows of record batches, one by one.

use std::error::Error;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use serde::{Serialize, Serializer};

use crate::cell;
use crate::column::{Members, Settings};

/// An iterator over the rows of record batches: the records of [`RowChunks`](crate::RowChunks).
pub struct Rows<I> {
    batches: I,
    settings: Settings,
    batch: Option<Arc<Members>>,
    row: usize,
    end: usize,
}

impl<I> Rows<I> {
    pub(crate) fn new(batches: I, settings: Settings) -> Rows<I> {
        Rows { batches, settings, batch: None, row: 0, end: 0 }
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
            if self.row < self.end
                && let Some(batch) = &self.batch
            {
                self.row += 1;
                return Some(Ok(Row { batch: Arc::clone(batch), row: self.row - 1 }));
            }
            self.batch = None;
            if let Err(error) = self.next_batch()? {
                return Some(Err(error));
            }
        }
    }
}

impl<I: Iterator<Item = Result<RecordBatch, ArrowError>>> Rows<I> {
    #[inline(never)]
    fn next_batch(&mut self) -> Option<Result<(), Box<dyn Error + Send + Sync>>> {
        let batch = match self.batches.next()? {
            Ok(batch) => batch,
            Err(error) => return Some(Err(error.into())),
        };
        match Members::of_batch(&batch, self.settings) {
            Ok(members) => self.batch = Some(Arc::new(members)),
            Err(refusal) => return Some(Err(refusal.into())),
        }
        (self.row, self.end) = (0, batch.num_rows());
        Some(Ok(()))
    }
}
