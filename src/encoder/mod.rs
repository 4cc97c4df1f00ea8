//! The configured, reusable encoder. Its options are collected in `encoder/builder.rs`; documents in frames are in
//! `encoder/framed.rs`.

mod builder;
mod framed;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;

use crate::error::Result;
use crate::fmt::Formatter;
use crate::options::Options;
use crate::out::{self, CopiedNames, MAX_REMEMBERED, Out};
use crate::rope::Rope;
use crate::ser;
use crate::sink::WriterEdge;
use crate::source::tree;

pub use builder::EncoderBuilder;

/// Encodes values as JSON with one set of options, again and again.
///
/// An encoder is cheap to clone, can be shared between threads, and holds no buffers, except those of a [`Pool`] that
/// it was given. What it keeps between documents is one number, shared by its clones: about how long recent outputs
/// were. The next document then starts with a slab of about that size, so that a steady workload needs one slab a
/// document. A document that turns out to need less than half of its slab is copied to its exact size, so nothing
/// larger is kept alive.
///
/// [`Pool`]: crate::Pool
///
/// ```
/// use json_rope::Encoder;
///
/// let encoder = Encoder::builder().pretty(true).indent("\t").build()?;
/// assert_eq!(encoder.encode(&[1])?, "[\n\t1\n]");
/// # Ok::<(), json_rope::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Encoder {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    options: Options,
    expected: AtomicUsize,
}

impl Default for Encoder {
    /// The same as [`Encoder::new`].
    fn default() -> Encoder {
        Encoder::new()
    }
}

impl Encoder {
    /// An encoder with the default options: compact output, as serde_json writes it.
    ///
    /// ```
    /// assert_eq!(json_rope::Encoder::new().encode(&(1, "a"))?, "[1,\"a\"]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn new() -> Encoder {
        Encoder::with_options(Options::new(false))
    }

    pub(crate) fn with_options(options: Options) -> Encoder {
        Encoder { shared: Arc::new(Shared { options, expected: AtomicUsize::new(0) }) }
    }

    /// Options that start at the defaults.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().max_chunk(16 * 1024).build()?;
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn builder() -> EncoderBuilder {
        EncoderBuilder::new()
    }

    /// Encodes `value` into a rope.
    ///
    /// Allocates O(log n) times for n bytes of output, once if they fit `first_chunk`, and once or twice as soon as the
    /// encoder knows the usual size.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::new();
    /// let rope = encoder.encode(&vec![7; 10])?;
    /// assert_eq!(rope, "[7,7,7,7,7,7,7,7,7,7]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// A data error if `value` cannot be JSON, or its `Serialize` fails; a limit error if it is nested deeper than
    /// `max_depth` or its text is longer than `max_len`. Nothing of a failed document is returned.
    pub fn encode<T: ?Sized + Serialize>(&self, value: &T) -> Result<Rope> {
        let expected = self.shared.expected.load(Ordering::Relaxed);
        let rope = encode(&self.shared.options, expected, value)?;
        self.remember(expected, rope.len());
        Ok(rope)
    }

    /// Encodes a tree into a rope by a walk of its own: the same bytes as [`encode`](Encoder::encode) under every
    /// option, and at any depth, unless [`max_depth`](EncoderBuilder::max_depth) was set: it recurses for 12 levels
    /// at a time. Faster than `encode`, by 5 to 15 % on ordinary documents.
    ///
    /// Allocates as `encode` does, and for trees deeper than 16 levels also for the list of open containers.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::new();
    /// assert_eq!(encoder.encode_tree(&serde_json::json!({"a": [1, null]}))?, r#"{"a":[1,null]}"#);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// A limit error if the tree is nested deeper than a `max_depth` that was set, or its text is longer than
    /// `max_len`.
    pub fn encode_tree(&self, tree: &serde_json::Value) -> Result<Rope> {
        let expected = self.shared.expected.load(Ordering::Relaxed);
        let options = &self.shared.options;
        let rope = if options.is_plain() {
            encode_tree_as::<true>(options, expected, tree)?
        } else {
            encode_tree_as::<false>(options, expected, tree)?
        };
        self.remember(expected, rope.len());
        Ok(rope)
    }

    pub(crate) fn options(&self) -> &Options {
        &self.shared.options
    }

    /// Encodes `value` and appends it to `rope`.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::new();
    /// let mut rope = json_rope::Rope::from("data: ");
    /// encoder.encode_into(&mut rope, &[1])?;
    /// assert_eq!(rope, "data: [1]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`encode`](Encoder::encode); `rope` is then as it was before.
    pub fn encode_into<T: ?Sized + Serialize>(&self, rope: &mut Rope, value: &T) -> Result<()> {
        rope.append(self.encode(value)?);
        Ok(())
    }

    /// Encodes `value` into `writer` while it is being encoded, in a fixed amount of memory: at most 128 KiB of heap
    /// with the default `max_chunk`, whatever the document's length, or one buffer of a pool. Returns the number of
    /// bytes written.
    ///
    /// The first bytes leave as soon as there are `first_chunk` of them; later hand-overs grow to twice `max_chunk`, so
    /// no `BufWriter` is needed. A string of at least 64 KiB that needs no escape is handed over by reference. The
    /// writer is not flushed.
    ///
    /// ```
    /// let mut out = Vec::new();
    /// assert_eq!(json_rope::Encoder::new().write(&mut out, &[1, 2])?, 5);
    /// assert_eq!(out, b"[1,2]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`encode`](Encoder::encode), or an I/O error: the first error of the writer other than `Interrupted`,
    /// `WriteZero` if it takes nothing, `InvalidData` if it claims to have taken more than it was given. The writer has
    /// then received an exact prefix of the document, and nothing behind it: no bracket is closed.
    pub fn write<W, T>(&self, writer: &mut W, value: &T) -> Result<u64>
    where
        W: io::Write + ?Sized,
        T: ?Sized + Serialize,
    {
        let mut writer = writer;
        write(&self.shared.options, &mut writer, value)
    }

    /// Adjusts the expectation: at once to a longer output, slowly to shorter ones, so that one small document among
    /// large ones changes little, and one large document among small ones is soon forgotten.
    fn remember(&self, expected: usize, len: usize) {
        let len = len.min(MAX_REMEMBERED);
        let next = if len >= expected { len } else { expected - (expected - len).div_ceil(4) };
        if next != expected {
            // Lost updates between threads do no harm: it is an estimate.
            self.shared.expected.store(next, Ordering::Relaxed);
        }
    }
}

/// Encodes into a rope; `expected` is the probable length, or 0.
pub(crate) fn encode<T: ?Sized + Serialize>(options: &Options, expected: usize, value: &T) -> Result<Rope> {
    if options.is_plain() {
        encode_as::<T, true>(options, expected, value)
    } else {
        encode_as::<T, false>(options, expected, value)
    }
}

/// The same for options that are known to be plain or not: then `T` is compiled for one serializer only.
pub(crate) fn encode_as<T, const PLAIN: bool>(options: &Options, expected: usize, value: &T) -> Result<Rope>
where
    T: ?Sized + Serialize,
{
    encode_with::<PLAIN>(options, expected, &mut |formatter| ser::serialize(formatter, value))
}

/// What `write` writes, into a rope. All that does not depend on its type is here, once.
fn encode_with<const PLAIN: bool>(options: &Options, expected: usize, write: Write<'_, PLAIN>) -> Result<Rope> {
    let mut scratch = out::scratch();
    let mut formatter = Formatter::<PLAIN>::new(Out::in_memory(&mut scratch, options, expected), options);
    let written = write(&mut formatter).and_then(|()| formatter.out.finish());
    written.map_err(|error| formatter.out.conclude(error, 0))
}

/// Writes a value.
type Write<'w, const PLAIN: bool> = &'w mut dyn FnMut(&mut Formatter<'_, PLAIN>) -> Result<()>;

fn encode_tree_as<const PLAIN: bool>(options: &Options, expected: usize, tree: &serde_json::Value) -> Result<Rope> {
    let mut scratch = out::scratch();
    let out = Out::in_memory(&mut scratch, options, expected);
    let mut formatter = Formatter::<PLAIN>::without_recursion(out, options);
    let written = tree::write(&mut formatter, tree).and_then(|()| formatter.out.finish());
    written.map_err(|error| formatter.out.conclude(error, 0))
}

/// Streams into `writer` and returns the number of bytes.
pub(crate) fn write<T>(options: &Options, writer: &mut dyn io::Write, value: &T) -> Result<u64>
where
    T: ?Sized + Serialize,
{
    if options.is_plain() {
        write_as::<T, true>(options, writer, value)
    } else {
        write_as::<T, false>(options, writer, value)
    }
}

/// The same for options that are known to be plain or not.
pub(crate) fn write_as<T, const PLAIN: bool>(options: &Options, writer: &mut dyn io::Write, value: &T) -> Result<u64>
where
    T: ?Sized + Serialize,
{
    write_with::<PLAIN>(options, writer, &mut |formatter| ser::serialize(formatter, value))
}

fn write_with<const PLAIN: bool>(
    options: &Options,
    writer: &mut dyn io::Write,
    write: Write<'_, PLAIN>,
) -> Result<u64> {
    let mut edge = WriterEdge::new(writer);
    let (mut scratch, mut names) = (out::scratch(), CopiedNames::default());
    let out = Out::streaming(&mut scratch, options, &mut edge, &mut names);
    let mut formatter = Formatter::<PLAIN>::new(out, options);
    let written = write(&mut formatter).and_then(|()| formatter.out.finish_streaming());
    written.map_err(|error| formatter.out.conclude(error, 0))
}
