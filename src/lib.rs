//! Encodes any [`serde::Serialize`] value as JSON into a **rope**: a list of reference-counted chunks
//! ([`bytes::Bytes`]) that a socket takes with one vectored write, instead of one buffer that is moved every time it
//! grows.
//!
//! ```
//! use json_rope::to_rope;
//!
//! #[derive(serde::Serialize)]
//! struct Order { id: u32, items: Vec<&'static str> }
//!
//! let rope = to_rope(&Order { id: 7, items: vec!["tea", "milk"] })?;
//! assert_eq!(rope, r#"{"id":7,"items":["tea","milk"]}"#);
//!
//! let mut socket = Vec::new(); // anything that is `io::Write`
//! rope.write_to(&mut socket)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate has no parser. Keep serde_json for `from_str`, `Value` and `json!`, and use both.
//!
//! # What to use when
//!
//! * [`to_rope`] for a document that is sent, queued or kept: chunks of up to 64 KiB, O(log n) allocations, one copy of
//!   every byte.
//! * [`to_writer`] for a document that should leave while it is being encoded, in a fixed amount of memory.
//! * [`to_vec`] and [`to_string`] for contiguous memory. [`Encoder::encode_to_vec`] and
//!   [`Encoder::encode_to_bytes_mut`] append to memory that you have.
//! * [`Encoder`] for options, and for a steady workload: it remembers how long recent documents were. Its
//!   [builder](EncoderBuilder) has all options, among them [`canonical`](EncoderBuilder::canonical) JSON for signatures
//!   and digests (RFC 8785).
//! * [`Encoder::measure`] for the length of a document that is streamed later.
//! * [`Encoder::chunks`], [`Encoder::array`] and [`Encoder::records`] for output on demand: nothing is encoded until
//!   the consumer asks for the next of the [`Chunks`], and each step encodes about one chunk.
//! * [`Encoder::object`] for an envelope around open arrays, on demand.
//! * [`Writer`] for a document that is not one value: push keys and values as they come, and take finished chunks. A
//!   [`Key`] is a member name that is encoded once.
//! * [`Encoder::encode_framed`] for a message in its [`Frame`]: with its length in front, as a line, as an event.
//! * [`Fragment`] for JSON that is already encoded, and [`Text`] for long strings that are shared: both are linked into
//!   the document by reference count, not copied.
//! * [`VectoredSink`] for a non-blocking writer: it queues ropes, and continues where the writer stopped.
//! * With the feature `rayon`, `Par` for the one long array of a document, `Encoder::par_encode_slice`, `par_encode_tree` and
//!   `par_write_records`: documents of several megabytes and streams of records, encoded by several threads.
//! * [`Pool`] for many documents of 14 KiB and more: buffers that are used again when nobody refers to them.
//!
//! # Concepts
//!
//! A **chunk** is what the rope holds and the socket sees. Chunks double from 2 KiB to 64 KiB; none is empty, and none
//! ends inside a character. A **slab** is what the allocator sees: one allocation, about as large as everything before
//! it, which is cut into chunks that share it. So the number of allocations is logarithmic while chunks stay small. A
//! document of up to 2 KiB is one chunk of exactly its length. An array of 20,000 numbers has six chunks, which a socket
//! gets in one call, on three slabs:
//!
//! ```text
//! Rope     ┌────────┬────────┬────────┬─────────┬──────────┬─────────┐
//!          │  2,048 │  4,096 │  8,192 │ 16,384  │  32,768  │  45,403 │
//!          └────┬───┴────┬───┴────┬───┴────┬────┴─────┬────┴─────┬───┘
//!               ▼        ▼        ▼        ▼          ▼          ▼
//!          ┌────────┬────────┬────────┬────────┐ ┌────────┐ ┌────────┐
//! Heap     │[0,1,2,…│39,540,…│0,1451,…│3089,30…│ │,6366,6…│ │ …19999]│
//!          └────────┴────────┴────────┴────────┘ └────────┘ └────────┘
//!           slab 1                                slab 2     slab 3
//! ```
//!
//! [`Rope`] says what keeps a slab alive.
//!
//! # What comes out
//!
//! Byte for byte the output of serde_json (1.0.147 or later), compact and pretty, with the same numbers, the same
//! escapes and the same refusals, with these deliberate exceptions:
//!
//! * Length hints never decide structure.
//! * A `Display` that fails inside `collect_str` is an error, not a panic.
//! * Nesting deeper than a limit (1,000 unless set) is an error, not a stack overflow. So is nesting in `Some` and
//!   newtype structs alone that is more than twice as deep.
//! * Errors name the place of the failing value, as a JSON Pointer (RFC 6901).
//! * A `Serialize` implementation that swallows an error, or catches a panic, and goes on gets an error, not a broken
//!   document.
//! * A raw value is accepted as a map key if it is a JSON string.
//! * A struct with the private name of serde_json's raw values or numbers is written as its text, whether serde_json's
//!   features for them are on or not. If it has no text, or more than one field, it is an error.
//!
//! Members keep the order in which the map or struct gives them, and duplicate keys are not looked for. A map is data,
//! whatever its keys are called: names that serde_json reserves for itself come out as serde_json writes them. So do
//! the private names of other libraries, such as that of the dates in a TOML tree.
//!
//! # When encoding fails
//!
//! There is no rope, or the writer has received an exact prefix of the document, in which no bracket was closed. A
//! prefix can be valid JSON, though (`12` of `12345`, or lines of NDJSON), so look at the result. Every key and value
//! is serialized exactly once. The first failure decides which error comes out: see [`Error`].
//!
//! # Features
//!
//! All are off by default, and each only adds to the interface.
//!
//! * `http-body`: a rope, and chunks, as the body of an HTTP message.
//! * `stream`: chunks as an async stream, and arrays and records from async streams.
//! * `tokio`: any value as a stream, encoded on the runtime's blocking pool. Turns on `stream`.
//! * `axum`: responses for axum. Turns on `http-body`.
//! * `rayon`: long arrays, trees and streams of records, encoded by the threads of a rayon pool.
//! * `raw_value`: conversions from serde_json's raw values to [`Fragment`]. It turns on serde_json's feature of that
//!   name, which changes how the whole build reads maps with one reserved key.
//!
//! An `AsyncWrite` of tokio needs none of them: `AsyncWriteExt::write_all_buf(&mut rope)` writes a [`Rope`] with few
//! vectored calls, and if it is cancelled, the rope is what has not been written.

#![deny(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// First, so that the page of `Encoder` begins with `new`, `builder` and `encode`.
mod encoder;

mod edge;
mod error;
mod escape;
mod fmt;
mod fragment;
mod frame;
mod options;
mod out;
#[cfg(feature = "rayon")]
mod parts;
mod pool;
mod rope;
mod run;
mod ser;
mod setup;
mod sink;
pub mod source;
mod text;
mod writer;

use std::io;

use bytes::Bytes;
use serde::Serialize;

#[cfg(feature = "tokio")]
pub use edge::BlockingStream;
#[cfg(feature = "http-body")]
pub use edge::ChunksBody;
pub use edge::ObjectBuilder;
#[cfg(feature = "rayon")]
pub use edge::Par;
#[cfg(any(feature = "http-body", feature = "stream"))]
pub use edge::PollChunk;
#[cfg(feature = "axum")]
pub use edge::axum;
pub use edge::{Chunks, ChunksReader};
#[cfg(feature = "stream")]
pub use edge::{ChunksStream, ItemStream, TryPollNext};
pub use encoder::{Encoder, EncoderBuilder};
pub use error::{Category, Error, Result};
pub use fmt::Key;
pub use fragment::Fragment;
pub use frame::Frame;
pub use options::{BigIntegers, BytesFormat, NonFinite};
pub use pool::{Pool, PoolBuilder, PoolOptions, PoolStats};
pub use rope::{IntoIter, Rope};
pub use sink::VectoredSink;
pub use source::Tree;
pub use text::Text;
pub use writer::Writer;

use run::{COMPACT, PRETTY, SETUP};
use setup::Setup;
use sink::WriterDrain;
use source::{Source as _, Value};

/// Encodes `value` as compact JSON into a rope.
///
/// Costs O(log n) allocations for n bytes; one, of exactly its length, for a document of up to 2 KiB. For a steady
/// workload an [`Encoder`] does better, because it remembers how long recent documents were.
///
/// ```
/// let rope = json_rope::to_rope(&(1, "two", [3.0]))?;
/// assert_eq!(rope, r#"[1,"two",[3.0]]"#);
/// # Ok::<(), json_rope::Error>(())
/// ```
///
/// # Errors
/// A data error if `value` cannot be JSON or its `Serialize` fails, a limit error if it is nested deeper than 1,000.
pub fn to_rope<T: ?Sized + Serialize>(value: &T) -> Result<Rope> {
    run::short::rope(&mut |formatter| Value(value).write(formatter))
}

/// Like [`to_rope`], for no more than so many levels of nesting.
fn to_rope_within<T: ?Sized + Serialize>(max_depth: usize, value: &T) -> Result<Rope> {
    let setup = Setup::with_depth(max_depth);
    run::to_rope_as::<true>(&COMPACT, 0, &setup, &mut |formatter| Value(value).write(formatter))
}

/// Encodes `value` as pretty JSON, indented by two spaces, into a rope. Otherwise like [`to_rope`].
///
/// ```
/// assert_eq!(json_rope::to_rope_pretty(&[1])?, "[\n  1\n]");
/// # Ok::<(), json_rope::Error>(())
/// ```
///
/// # Errors
/// As [`to_rope`].
pub fn to_rope_pretty<T: ?Sized + Serialize>(value: &T) -> Result<Rope> {
    run::to_rope_as::<false>(&PRETTY, 0, &SETUP, &mut |formatter| Value(value).write(formatter))
}

/// Encodes `value` as compact JSON into a list of chunks: those of [`to_rope`].
///
/// ```
/// let chunks = json_rope::to_chunks(&vec![0; 5000])?;
/// assert_eq!(chunks.iter().map(|chunk| chunk.len()).collect::<Vec<_>>(), [2048, 4096, 3857]);
/// # Ok::<(), json_rope::Error>(())
/// ```
///
/// # Errors
/// As [`to_rope`].
pub fn to_chunks<T: ?Sized + Serialize>(value: &T) -> Result<Vec<Bytes>> {
    Ok(to_rope(value)?.into_chunks())
}

/// Encodes `value` as compact JSON into contiguous memory of exactly its length. Up to 14 KiB that is one allocation;
/// a longer document is written into a vector that grows. [`Encoder::encode_to_vec`] appends to an existing vector.
///
/// ```
/// assert_eq!(json_rope::to_vec(&[1, 2])?, b"[1,2]");
/// # Ok::<(), json_rope::Error>(())
/// ```
///
/// # Errors
/// As [`to_rope`].
pub fn to_vec<T: ?Sized + Serialize>(value: &T) -> Result<Vec<u8>> {
    run::short::vec(&mut |formatter| Value(value).write(formatter))
}

/// Encodes `value` as pretty JSON into contiguous memory. Otherwise like [`to_vec`].
///
/// ```
/// assert_eq!(json_rope::to_vec_pretty(&[1])?, b"[\n  1\n]");
/// # Ok::<(), json_rope::Error>(())
/// ```
///
/// # Errors
/// As [`to_rope`].
pub fn to_vec_pretty<T: ?Sized + Serialize>(value: &T) -> Result<Vec<u8>> {
    run::to_vec_as::<false>(&PRETTY, &mut |formatter| Value(value).write(formatter))
}

/// Encodes `value` as compact JSON into a string. Otherwise like [`to_vec`].
///
/// ```
/// assert_eq!(json_rope::to_string("é")?, "\"é\"");
/// # Ok::<(), json_rope::Error>(())
/// ```
///
/// # Errors
/// As [`to_rope`].
pub fn to_string<T: ?Sized + Serialize>(value: &T) -> Result<String> {
    to_vec(value).and_then(string)
}

/// Encodes `value` as pretty JSON into a string. Otherwise like [`to_vec`].
///
/// ```
/// assert_eq!(json_rope::to_string_pretty(&[()])?, "[\n  null\n]");
/// # Ok::<(), json_rope::Error>(())
/// ```
///
/// # Errors
/// As [`to_rope`].
pub fn to_string_pretty<T: ?Sized + Serialize>(value: &T) -> Result<String> {
    to_vec_pretty(value).and_then(string)
}

/// Writes `value` as compact JSON to `writer` while it is being encoded. [`Encoder::write`] also returns the number of
/// bytes.
///
/// No `BufWriter` is needed: bytes leave in batches of 2 KiB at first and 128 KiB later. The writer is not flushed.
///
/// ```
/// let mut out = Vec::new();
/// json_rope::to_writer(&mut out, &[1, 2])?;
/// assert_eq!(out, b"[1,2]");
/// # Ok::<(), json_rope::Error>(())
/// ```
///
/// # Errors
/// As [`Encoder::write`]. After an error the writer has received an exact prefix of the document.
pub fn to_writer<W: io::Write, T: ?Sized + Serialize>(mut writer: W, value: &T) -> Result<()> {
    let mut drain = WriterDrain::new(&mut writer);
    run::to_drain_as::<true>(&COMPACT, &mut drain, &SETUP, &mut |formatter| Value(value).write(formatter)).map(drop)
}

/// Encodes `value` as pretty JSON into `writer`. Otherwise like [`to_writer`].
///
/// ```
/// let mut out = Vec::new();
/// json_rope::to_writer_pretty(&mut out, &[1])?;
/// assert_eq!(out, b"[\n  1\n]");
/// # Ok::<(), json_rope::Error>(())
/// ```
///
/// # Errors
/// As [`to_writer`].
pub fn to_writer_pretty<W: io::Write, T: ?Sized + Serialize>(mut writer: W, value: &T) -> Result<()> {
    let mut drain = WriterDrain::new(&mut writer);
    run::to_drain_as::<false>(&PRETTY, &mut drain, &SETUP, &mut |formatter| Value(value).write(formatter)).map(drop)
}

/// Fails only if a trusted fragment was not UTF-8.
fn string(json: Vec<u8>) -> Result<String> {
    String::from_utf8(json).map_err(rope::not_utf8)
}

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// So are those of the page about options.
#[cfg(doctest)]
#[doc = include_str!("../docs/options.md")]
struct OptionsPage;
