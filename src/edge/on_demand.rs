//! Documents on demand: trees, arrays and streams of records.

use serde::Serialize;

use super::Chunks;
use crate::encoder::Encoder;
use crate::frame::Frame;
use crate::source::{Array, Fallible, Infallible, Records, Tree, TryNext};

impl Encoder {
    /// Encodes a tree on demand, chunk by chunk.
    ///
    /// Use it for a large `serde_json::Value` that should leave in bounded memory without a thread of its own: each step
    /// encodes about one chunk, wherever that ends, also inside a long string. The tree is a `&Value`; an owned `Value`, of
    /// which each part is freed when it has been encoded; or an `Arc<Value>`, of which others hold clones. With the last
    /// two the handle is `Send + 'static`. (To send one document to many, encode it once and clone the
    /// [`Rope`](crate::Rope): that shares the bytes too.) The bytes are those of [`encode`](Encoder::encode) under every option. All but the first chunks and the last one have at
    /// least half of [`max_chunk`](crate::EncoderBuilder::max_chunk) bytes.
    ///
    /// * Heap memory: the chunk being filled, the one being taken, and the list of open containers, if there are more
    ///   than 16. Any depth is fine, for encoding and for freeing the tree: at most 12 levels recurse. (A debug build
    ///   needs 128 KiB of stack for them.)
    /// * With [`sort_keys`](crate::EncoderBuilder::sort_keys) no member can leave before its object is complete.
    /// * [`max_len`](crate::EncoderBuilder::max_len) is for the whole output.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::new();
    /// for chunk in encoder.chunks(serde_json::json!({"a": [1, 2]})) {
    ///     assert_eq!(chunk?, r#"{"a":[1,2]}"#);
    /// }
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// A limit error if the tree is nested deeper than a `max_depth` that was set, or its text is longer than
    /// `max_len`.
    pub fn chunks<V: Tree>(&self, tree: V) -> Chunks<V::Walk> {
        Chunks::new(self.clone(), tree.walk(self.options()))
    }

    /// Encodes an array on demand, one element of the iterator at a time. The bytes are those of the same elements in a
    /// `Vec`.
    ///
    /// An item of the iterator is asked for when there is no finished chunk, and encoded at once, so a step does the
    /// work of one chunk and what is left of the last element in it. Heap memory: two chunks, or what one element
    /// needs. [`max_len`](crate::EncoderBuilder::max_len) is for the whole output. Without elements the output is `[]`.
    ///
    /// ```
    /// let squares = json_rope::Encoder::new().array((0..4).map(|n| n * n));
    /// let mut out = Vec::new();
    /// squares.write_to(&mut out)?;
    /// assert_eq!(out, b"[0,1,4,9]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`encode`](Encoder::encode), with the element's index at the front of the pointer.
    pub fn array<I>(&self, items: I) -> Chunks<Array<Infallible<I::IntoIter>>>
    where
        I: IntoIterator<Item: Serialize>,
    {
        Chunks::new(self.clone(), Array::new(Infallible(items.into_iter())))
    }

    /// Encodes an array on demand from an iterator of results. The first `Err` ends the output: what was encoded before
    /// it comes out, then the error, and no closing bracket.
    ///
    /// ```
    /// let rows = ["1", "2", "x"].into_iter().map(str::parse::<i32>);
    /// let mut chunks = json_rope::Encoder::new().try_array(rows);
    /// assert_eq!(chunks.next().unwrap()?, "[1,2");
    /// let error = chunks.next().unwrap().unwrap_err();
    /// assert_eq!(error.to_string(), "cannot encode /2: invalid digit found in string");
    /// assert!(chunks.next().is_none());
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`array`](Encoder::array); or an error whose [`source`](std::error::Error::source) is the iterator's error.
    pub fn try_array<I, T, E>(&self, items: I) -> Chunks<Array<Fallible<I::IntoIter>>>
    where
        I: IntoIterator<Item = std::result::Result<T, E>>,
        T: Serialize,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        Chunks::new(self.clone(), Array::new(Fallible(items.into_iter())))
    }

    /// Encodes a stream of documents on demand, one record of the iterator at a time, each in its [`Frame`].
    ///
    /// A chunk holds whole records, unless one is longer than a chunk: after an error, a consumer has no half record. A
    /// record is asked for when there is no finished chunk, and encoded at once, so a step does the work of one chunk
    /// and what is left of the last record in it. Heap memory: two chunks, or what one record needs. Without records
    /// there are no chunks.
    ///
    /// [`max_len`](crate::EncoderBuilder::max_len) is for the body of each record; the stream has no limit.
    ///
    /// ```
    /// use json_rope::{Encoder, Frame};
    ///
    /// let rows = [("a", 1), ("b", 2)];
    /// Encoder::new().records(Frame::NdJson, rows).write_to(std::io::stdout())?;
    ///
    /// let mut messages = Encoder::new().records(Frame::Grpc, rows);
    /// assert_eq!(messages.next().unwrap()?, "\0\0\0\0\u{7}[\"a\",1]\0\0\0\0\u{7}[\"b\",2]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`encode`](Encoder::encode). The pointer is that inside the record, [`record`](crate::Error::record) tells
    /// which one it was, and the offset counts from the start of the stream. [`Frame::NdJson`] with a pretty encoder is
    /// a configuration error, as the only item.
    ///
    /// A consumer that sees the stream end cannot always tell whether it was cut off: some HTTP clients do not report a
    /// chunked body without its last chunk. Where that matters, send a last record that says so.
    pub fn records<I>(&self, frame: Frame, items: I) -> Chunks<Records<Infallible<I::IntoIter>>>
    where
        I: IntoIterator<Item: Serialize>,
    {
        Chunks::new(self.clone(), Records::new(frame, self.options(), Infallible(items.into_iter())))
    }

    /// Encodes a stream of documents on demand from an iterator of results. The first `Err` ends the output: the records
    /// before it come out, then the error.
    ///
    /// ```
    /// use json_rope::{Encoder, Frame};
    ///
    /// let rows = ["1", "2", "x"].into_iter().map(str::parse::<i32>);
    /// let mut chunks = Encoder::new().try_records(Frame::NdJson, rows);
    /// assert_eq!(chunks.next().unwrap()?, "1\n2\n");
    /// assert!(chunks.next().unwrap().unwrap_err().is_data());
    /// assert!(chunks.next().is_none());
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`records`](Encoder::records); or an error whose [`source`](std::error::Error::source) is the iterator's
    /// error.
    pub fn try_records<I, T, E>(&self, frame: Frame, items: I) -> Chunks<Records<Fallible<I::IntoIter>>>
    where
        I: IntoIterator<Item = std::result::Result<T, E>>,
        T: Serialize,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        Chunks::new(self.clone(), Records::new(frame, self.options(), Fallible(items.into_iter())))
    }

    /// Encodes a stream of documents on demand from a source whose records borrow from it: rows of a batch, views of a
    /// buffer that is filled again. If they own what they are, [`records`](Encoder::records) and
    /// [`try_records`](Encoder::try_records) are simpler.
    ///
    /// ```
    /// use json_rope::source::TryNext;
    /// use json_rope::{Encoder, Error, Frame};
    ///
    /// /// The digits of a number, each time one less.
    /// struct Digits(String);
    ///
    /// impl TryNext for Digits {
    ///     type Value<'a> = &'a str;
    ///
    ///     fn try_next(&mut self) -> Option<Result<&str, Error>> {
    ///         self.0.pop()?;
    ///         Some(Ok(&self.0))
    ///     }
    /// }
    /// let mut chunks = Encoder::new().records_from(Frame::NdJson, Digits("123".to_owned()));
    /// assert_eq!(chunks.next().unwrap()?, "\"12\"\n\"1\"\n\"\"\n");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`try_records`](Encoder::try_records), with the errors of the source.
    pub fn records_from<S: TryNext>(&self, frame: Frame, source: S) -> Chunks<Records<S>> {
        Chunks::new(self.clone(), Records::new(frame, self.options(), source))
    }
}
