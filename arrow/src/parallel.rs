//! Rows that are encoded by several threads.

use std::io;
use std::iter;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use json_rope::{Error, Frame, Result, Rope};

use crate::RowEncoder;

/// The most rows that one task has. Some hundred kilobytes of text: enough to be worth a task, and short enough that threads
/// end at the same time.
const ROWS: usize = 4096;

/// A part of a batch, and its text when that is done.
struct Part {
    rows: RecordBatch,
    encoded: Option<Result<Rope>>,
}

impl RowEncoder {
    /// With feature `rayon`: [`records`](Self::records) by the threads of a rayon pool, with the same bytes.
    ///
    /// Use it for batches of ten thousand rows and more; below 8,192 rows it is `records`. The pool is the one that this
    /// thread is in, otherwise rayon's global one. Each 4,096 rows have chunks of their own.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use arrow_array::{ArrayRef, Int32Array, RecordBatch};
    /// use json_rope::Frame;
    ///
    /// let column: ArrayRef = Arc::new(Int32Array::from_iter_values(0..100_000));
    /// let batch = RecordBatch::try_from_iter([("n", column)])?;
    /// let encoder = json_rope_arrow::RowEncoder::new(json_rope::Encoder::new());
    /// assert_eq!(encoder.par_records(Frame::NdJson, &batch)?, encoder.records(Frame::NdJson, &batch)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As `records`. A batch that cannot be encoded is encoded again by one thread, which finds the first error.
    pub fn par_records(&self, frame: Frame, batch: &RecordBatch) -> Result<Rope> {
        if batch.num_rows() < 2 * ROWS || rayon_core::current_num_threads() < 2 {
            return self.records(frame, batch);
        }
        let mut parts: Vec<Part> = parts(batch).collect();
        rayon_core::in_place_scope(|scope| self.spawn(scope, frame, &mut parts));
        let ropes = parts.into_iter().map(|part| part.encoded.and_then(Result::ok));
        match ropes.collect::<Option<Rope>>() {
            Some(rope) => Ok(rope),
            None => self.records(frame, batch),
        }
    }

    /// With feature `rayon`: [`write_records`](Self::write_records), where the threads of a rayon pool encode while this
    /// thread reads batches and writes, with the same bytes.
    ///
    /// Pays where batches are there already, or are made faster than they are encoded. There are at most four parts of
    /// 4,096 rows for each thread in memory. The pool is the one that this thread is in, otherwise rayon's global one.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use arrow_array::{ArrayRef, Int32Array, RecordBatch};
    /// use json_rope::Frame;
    ///
    /// # let column: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
    /// # let batch = RecordBatch::try_from_iter([("n", column)])?;
    /// let encoder = json_rope_arrow::RowEncoder::new(json_rope::Encoder::new());
    /// let mut out = Vec::new();
    /// assert_eq!(encoder.par_write_records(Frame::NdJson, [Ok(batch)], &mut out)?, 16);
    /// assert_eq!(out, b"{\"n\":1}\n{\"n\":2}\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As `write_records`. The writer has then received an exact prefix, with all rows before the first error.
    pub fn par_write_records<I>(&self, frame: Frame, batches: I, mut writer: impl io::Write) -> Result<u64>
    where
        I: IntoIterator<Item = std::result::Result<RecordBatch, ArrowError>>,
    {
        let window = 2 * rayon_core::current_num_threads();
        let mut inputs = batches.into_iter().flat_map(|batch| {
            let (batch, error) = batch.map_or_else(|error| (None, Some(error)), |batch| (Some(batch), None));
            batch.into_iter().flat_map(|batch| parts(&batch).map(Ok).collect::<Vec<_>>()).chain(error.map(Err))
        });
        let (mut records, mut bytes, mut failure) = (0, 0, None);
        let mut encoded: Vec<Part> = Vec::new();
        loop {
            let mut parts = Vec::with_capacity(window);
            while failure.is_none() && parts.len() < window {
                match inputs.next() {
                    Some(Ok(part)) => parts.push(part),
                    Some(Err(error)) => failure = Some(error),
                    None => break,
                }
            }
            rayon_core::in_place_scope(|scope| {
                self.spawn(scope, frame, &mut parts);
                for part in encoded.drain(..) {
                    let rows = part.rows.num_rows() as u64;
                    let written = match part.encoded {
                        Some(Ok(rope)) => {
                            let len = rope.len() as u64;
                            rope.write_to(&mut writer).map(|()| len).map_err(Error::from)
                        }
                        // By one thread, which writes the rows before the error.
                        _ => self.write_records(frame, [Ok(part.rows)], &mut writer),
                    };
                    bytes += written.map_err(|error| error.after(records, bytes))?;
                    records += rows;
                }
                Ok::<_, Error>(())
            })?;
            if parts.is_empty() {
                break;
            }
            encoded = parts;
        }
        match failure {
            None => Ok(bytes),
            Some(error) => self.write_records(frame, [Err(error)], writer).map_err(|error| error.after(records, bytes)),
        }
    }

    /// Begins to encode parts.
    fn spawn<'s>(&'s self, scope: &rayon_core::Scope<'s>, frame: Frame, parts: &'s mut [Part]) {
        for Part { rows, encoded } in parts {
            scope.spawn(move |_| *encoded = Some(self.records(frame, rows)));
        }
    }
}

/// The rows of a batch, which are shared with it. At least one part, though it may be empty: then a column that cannot be
/// written is found all the same.
fn parts(batch: &RecordBatch) -> impl Iterator<Item = Part> {
    let len = batch.num_rows();
    let rest = (ROWS..len).step_by(ROWS);
    iter::once(0).chain(rest).map(move |start| Part { rows: batch.slice(start, ROWS.min(len - start)), encoded: None })
}
