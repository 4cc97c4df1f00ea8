//! Encodes Arrow [record batches](RecordBatch) as lines of NDJSON, as records in any other [`Frame`], or as one JSON
//! array, with [`json_rope`]: into a rope of chunks, on demand, or to a writer.
//!
//! ```
//! use std::sync::Arc;
//!
//! use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
//! use json_rope::{Encoder, Frame};
//! use json_rope_arrow::RowEncoder;
//!
//! let ids: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
//! let names: ArrayRef = Arc::new(StringArray::from(vec![Some("tea"), None]));
//! let batch = RecordBatch::try_from_iter([("id", ids), ("name", names)])?;
//!
//! let encoder = RowEncoder::new(Encoder::new());
//! assert_eq!(encoder.array(&batch)?, r#"[{"id":1,"name":"tea"},{"id":2}]"#);
//!
//! // The results of a query are an iterator of batches, or of errors.
//! let batches = [Ok(batch)];
//! let mut file = Vec::new(); // anything that is `io::Write`
//! encoder.write_records(Frame::NdJson, batches, &mut file)?;
//! assert_eq!(file, b"{\"id\":1,\"name\":\"tea\"}\n{\"id\":2}\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # In a server
//!
//! [`chunks`](RowEncoder::chunks) makes a [`Chunks`], which is the body of a response: the first rows leave when they are
//! encoded, whatever is still to come, and with json-rope's feature `axum` it is all that a handler returns.
//!
//! ```
//! use arrow_array::RecordBatch;
//! use arrow_schema::ArrowError;
//! use axum_core::response::IntoResponse;
//! use json_rope::axum::NdJsonChunks;
//! use json_rope::{Encoder, Frame};
//! use json_rope_arrow::RowEncoder;
//!
//! /// The results of a query, which come from another thread.
//! type Results = std::sync::mpsc::IntoIter<Result<RecordBatch, ArrowError>>;
//!
//! fn respond(results: Results) -> impl IntoResponse {
//!     NdJsonChunks(RowEncoder::new(Encoder::new()).chunks(Frame::NdJson, results))
//! }
//! ```
//!
//! A body asks for the next batch on the thread that polls it. Where that blocks, as here, encode on a thread of your own
//! with [`write_records`](RowEncoder::write_records), or each batch with [`records`](RowEncoder::records) as it comes.
//!
//! # What comes out
//!
//! A row is an object, with a member for each column in the order of the schema. All options of the [`Encoder`] apply.
//! With the default ones the bytes are those of arrow-json 59.3, but for the differences below.
//!
//! | Arrow | JSON |
//! |---|---|
//! | integers, `Boolean`, `Null` | numbers, `true`, `false`, `null` |
//! | `Float16`, `Float32`, `Float64` | the shortest number that reads back; not finite: `null`, or as [`non_finite`](json_rope::EncoderBuilder::non_finite) says |
//! | decimals of each width | numbers with all their digits |
//! | `Utf8`, `LargeUtf8`, `Utf8View` | strings |
//! | binary of each kind | strings in hexadecimal, or as [`bytes`](json_rope::EncoderBuilder::bytes) says. (Its default, an array of numbers, cannot be had.) |
//! | dates, times, timestamps | strings in the form of RFC 3339; with the offset if the type has a time zone |
//! | durations | strings in the form of ISO 8601, in seconds: `"PT0.12S"` |
//! | intervals | strings: `"1 mons 3 days 2.500000000 secs"` |
//! | lists, list views, lists of fixed size | arrays |
//! | structs, and maps whose keys are strings | objects |
//! | dictionaries, run-end encoded | their values |
//! | unions, other maps | refused, before the first byte of their batch |
//!
//! A null in a list is `null`. As a column, or a member of a struct or map, it is left out, unless
//! [`explicit_nulls`](RowEncoder::explicit_nulls) is set.
//!
//! Differences to arrow-json, all of which are tested:
//!
//! * Floats have the text that serde_json gives them: `6e-6` and `1e+16`, where arrow-json writes `6.0e-6` and `1.0e16`.
//!   The numbers are equal. Of two texts of an `f32` that are equally short and near, another one may be chosen.
//! * A value that is out of the range of its type (a date after the year 262142, a time of 25 hours) is an error.
//!   arrow-json writes a string with the words of its error.
//! * A decimal has all its digits, and a zero has one. arrow-json 59 cuts digits off if there are more than the type says, and
//!   writes `000` for a zero in units of 100, which is not JSON. (arrow-json 60 writes what we write.)
//! * A key of a dictionary that refers to a null is null. arrow-json writes whatever is in its place, or panics.
//! * `UTC` is known as a time zone without the feature `chrono-tz`.
//! * Types that are nested more than 128 levels deep are refused.
//!
//! # Cost
//!
//! Columns are downcast, and their names encoded, once for each batch. Texts of dates, times and intervals are made for 256
//! rows at a time. Heap memory: that of two chunks, the names, a block of texts for each such column, and for a column of
//! runs four bytes for each row of the batch; not more for more batches. It is 2.3 times as fast as
//! arrow-json's `LineDelimitedWriter` on a table of eight mixed columns, and as fast to four times as fast on tables of one
//! column; DESIGN.md of json-rope has the figures.
//!
//! With the feature `rayon` several threads encode one batch (`RowEncoder::par_records`), or encode ahead while one writes
//! (`par_write_records`).
//!
//! For DataFusion there is the feature `datafusion`, with a file format for `COPY` and the like. To send the results of a query
//! to a client, encode each batch of its stream with [`records`](RowEncoder::records): `examples/query.rs` is a server that
//! does.
//!
//! # Features
//!
//! * `rayon`: rows on several threads.
//! * `datafusion`: the module `datafusion`, a file format for DataFusion 55.
//! * `chrono-tz`: time zones by name, such as `Europe/Paris`. Without it a time zone is `UTC` or an offset such as
//!   `+02:00`, and others are refused.

#![deny(missing_docs)]

mod cell;
mod column;
#[cfg(feature = "datafusion")]
pub mod datafusion;
mod number;
#[cfg(feature = "rayon")]
mod parallel;
mod refusal;
mod rows;
mod span;
mod text;
mod texts;
mod time;

use std::cell::RefCell;
use std::io;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use json_rope::source::Records;
use json_rope::{Chunks, Encoder, Error, Frame, Result, Rope};
use serde::ser::{Error as _, Serialize, SerializeSeq, Serializer};

use column::{Members, Settings};
pub use rows::{Row, Rows};
use texts::BLOCK;

/// The rows of record batches, encoded on demand: what [`RowEncoder::chunks`] makes.
///
/// It is a [`Chunks`], so it is an iterator, and can become a reader, an HTTP body or an async stream.
pub type RowChunks<I> = Chunks<Records<Rows<I>>>;

/// Encodes the rows of record batches as JSON objects.
///
/// Cheap to clone, and can be shared between threads.
///
/// ```
/// use json_rope::Encoder;
/// use json_rope_arrow::RowEncoder;
///
/// let encoder = RowEncoder::new(Encoder::builder().ascii(true).build()?);
/// # Ok::<(), json_rope::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RowEncoder {
    encoder: Encoder,
    explicit_nulls: bool,
}

impl RowEncoder {
    /// Encodes rows with the options of this encoder.
    ///
    /// ```
    /// let encoder = json_rope_arrow::RowEncoder::new(json_rope::Encoder::new());
    /// ```
    pub fn new(encoder: Encoder) -> RowEncoder {
        RowEncoder { encoder, explicit_nulls: false }
    }

    /// Whether columns that are null in a row are written as `null`, and members of structs and maps as well. If not,
    /// which is the default, they are left out.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use arrow_array::{ArrayRef, Int32Array, RecordBatch};
    /// use json_rope::Encoder;
    /// use json_rope_arrow::RowEncoder;
    ///
    /// let column: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None]));
    /// let batch = RecordBatch::try_from_iter([("n", column)])?;
    /// let encoder = RowEncoder::new(Encoder::new()).explicit_nulls(true);
    /// assert_eq!(encoder.array(&batch)?, r#"[{"n":1},{"n":null}]"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn explicit_nulls(self, explicit_nulls: bool) -> RowEncoder {
        RowEncoder { explicit_nulls, ..self }
    }

    /// Encodes all rows of a batch as one array. Allocates as [`Encoder::encode`] does.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use arrow_array::{ArrayRef, BooleanArray, RecordBatch};
    /// let column: ArrayRef = Arc::new(BooleanArray::from(vec![true, false]));
    /// let batch = RecordBatch::try_from_iter([("done", column)])?;
    /// let encoder = json_rope_arrow::RowEncoder::new(json_rope::Encoder::new());
    /// assert_eq!(encoder.array(&batch)?, r#"[{"done":true},{"done":false}]"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A data error if a column has a type without a JSON form, whose name is then the pointer, or a value is out of the
    /// range of its type; otherwise as [`Encoder::encode`].
    pub fn array(&self, batch: &RecordBatch) -> Result<Rope> {
        let members = RefCell::new(self.members(batch)?);
        self.encoder.encode(&All { members, rows: batch.num_rows() })
    }

    /// Encodes all rows of a batch as records, each in its frame.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use arrow_array::{ArrayRef, BooleanArray, RecordBatch};
    /// use json_rope::Frame;
    ///
    /// # let column: ArrayRef = Arc::new(BooleanArray::from(vec![true, false]));
    /// # let batch = RecordBatch::try_from_iter([("done", column)])?;
    /// let encoder = json_rope_arrow::RowEncoder::new(json_rope::Encoder::new());
    /// assert_eq!(encoder.records(Frame::NdJson, &batch)?, "{\"done\":true}\n{\"done\":false}\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`array`](Self::array) and [`Encoder::records`]; [`Error::record`] is the number of the row.
    pub fn records(&self, frame: Frame, batch: &RecordBatch) -> Result<Rope> {
        let rows = Rows::of_one(self.members(batch)?, self.settings(), batch.num_rows());
        self.encoder.records_from(frame, rows).collect()
    }

    /// Encodes the rows of many batches as records on demand, chunk by chunk. A batch is asked for when the rows of the
    /// one before it are encoded. Nothing borrows from this encoder.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use arrow_array::{ArrayRef, Int32Array, RecordBatch};
    /// use json_rope::Frame;
    ///
    /// # let column: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
    /// # let batch = RecordBatch::try_from_iter([("n", column)])?;
    /// let encoder = json_rope_arrow::RowEncoder::new(json_rope::Encoder::new());
    /// let mut chunks = encoder.chunks(Frame::NdJson, [Ok(batch.clone()), Ok(batch)]);
    /// assert_eq!(chunks.next().unwrap()?, "{\"n\":1}\n{\"n\":2}\n{\"n\":1}\n{\"n\":2}\n");
    /// assert!(chunks.next().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`records`](Self::records). An error of the input, or a column without a JSON form, comes after the rows of the
    /// batches before it, all of them whole; the input's error is the [`source`](std::error::Error::source) of ours.
    pub fn chunks<I>(&self, frame: Frame, batches: I) -> RowChunks<I::IntoIter>
    where
        I: IntoIterator<Item = std::result::Result<RecordBatch, ArrowError>>,
    {
        self.encoder.records_from(frame, Rows::new(batches.into_iter(), self.settings()))
    }

    /// Encodes the rows of many batches as records into `writer`, in a fixed amount of memory, and returns the number of
    /// bytes. Bytes leave as from [`Encoder::write`], so no `BufWriter` is needed. The writer is not flushed.
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
    /// assert_eq!(encoder.write_records(Frame::NdJson, [Ok(batch)], &mut out)?, 16);
    /// assert_eq!(out, b"{\"n\":1}\n{\"n\":2}\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`chunks`](Self::chunks), or an I/O error as from [`Encoder::write`]. The writer has then received an exact
    /// prefix.
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

/// All rows of a batch, as an array. Blocks of them are prepared as their turn comes.
struct All {
    members: RefCell<Members>,
    rows: usize,
}

impl Serialize for All {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut array = serializer.serialize_seq(Some(self.rows))?;
        for start in (0..self.rows).step_by(BLOCK) {
            let rows = start..self.rows.min(start + BLOCK);
            self.members.borrow_mut().prepare(rows.clone());
            let members = &*self.members.borrow();
            for row in rows {
                array.serialize_element(&cell::Row { members, row })?;
            }
        }
        array.end()
    }
}
