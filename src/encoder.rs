//! The configured, reusable encoder and its builder.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;

use crate::error::{Error, Result};
use crate::fmt::Formatter;
use crate::options::{BytesFormat, CHUNK_BOUNDS, Escapes, MAX_INDENT, NonFinite, Options};
use crate::out::Out;
use crate::rope::Rope;
use crate::ser;
use crate::sink::WriterEdge;
use crate::slab::{self, Growth, MAX_REMEMBERED};
use crate::tree;

/// Encodes values as JSON with one set of options, again and again.
///
/// An encoder is cheap to clone, can be shared between threads, and holds no buffers. What it keeps between documents
/// is one number, shared by its clones: about how long recent outputs were. The next document then starts with a
/// slab of about that size, so that a steady workload needs one slab a document. A document that turns out to need
/// less than half of its slab is copied to its exact size, so nothing larger is kept alive.
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
        EncoderBuilder { options: Options::new(false), first_chunk: None }
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

    /// Encodes a tree into a rope by a walk of its own: the same bytes as [`encode`](Encoder::encode) under every option, and
    /// at any depth, unless [`max_depth`](EncoderBuilder::max_depth) was set: it recurses for 32 levels only. As fast as
    /// `encode`, and faster where trees are deep.
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
    /// A limit error if the tree is nested deeper than a `max_depth` that was set, or its text is longer than `max_len`.
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
    /// with the default `max_chunk`, whatever the document's length. Returns the number of bytes written.
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
    let mut scratch = slab::scratch();
    let growth = Growth::new(options.first_chunk, options.max_chunk, expected);
    let mut formatter = Formatter::<PLAIN>::new(Out::in_memory(&mut scratch, growth, options.max_len), options);
    match write(&mut formatter).and_then(|()| formatter.check_complete()) {
        Ok(()) => formatter.out.finish(),
        Err(error) => Err(error.finish(formatter.out.offset())),
    }
}

/// Writes a value.
type Write<'w, const PLAIN: bool> = &'w mut dyn FnMut(&mut Formatter<'_, PLAIN>) -> Result<()>;

fn encode_tree_as<const PLAIN: bool>(options: &Options, expected: usize, tree: &serde_json::Value) -> Result<Rope> {
    let mut scratch = slab::scratch();
    let growth = Growth::new(options.first_chunk, options.max_chunk, expected);
    let out = Out::in_memory(&mut scratch, growth, options.max_len);
    let mut formatter = Formatter::<PLAIN>::without_recursion(out, options);
    match tree::write(&mut formatter, tree) {
        Ok(()) => formatter.out.finish(),
        Err(error) => Err(error.finish(formatter.out.offset())),
    }
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
    let mut scratch = slab::scratch();
    let growth = Growth::new(options.first_chunk, options.max_chunk, 0);
    let out = Out::streaming(&mut scratch, growth, options.max_len, &mut edge);
    let mut formatter = Formatter::<PLAIN>::new(out, options);
    match write(&mut formatter).and_then(|()| formatter.check_complete()) {
        Ok(()) => formatter.out.finish_streaming(),
        Err(error) => Err(error.finish(formatter.out.offset())),
    }
}

/// Collects the options of an [`Encoder`]. Made by [`Encoder::builder`].
///
/// ```
/// let error = json_rope::Encoder::builder().indent("-->").build().unwrap_err();
/// assert!(error.is_config());
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct EncoderBuilder {
    options: Options,
    first_chunk: Option<usize>,
}

impl EncoderBuilder {
    /// Whether to write one element or member a line, indented, as `serde_json::to_string_pretty` does. Default: no.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().pretty(true).build()?;
    /// assert_eq!(encoder.encode(&[[(); 0]; 1])?, "[\n  []\n]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn pretty(mut self, pretty: bool) -> Self {
        self.options.pretty = pretty;
        self
    }

    /// One step of indentation, for pretty output: white space of at most 64 bytes, spaces or tabs as a rule, or none.
    /// Default: two spaces. Without [`pretty`](Self::pretty) it is checked but has no effect.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().pretty(true).indent(" ").build()?;
    /// assert_eq!(encoder.encode(&[1])?, "[\n 1\n]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn indent(mut self, indent: &str) -> Self {
        self.options.indent = Some(indent.to_owned());
        self
    }

    /// Whether to write everything above U+007F as `\uXXXX`, in lower-case hexadecimal, with surrogate pairs above
    /// U+FFFF: the output is then ASCII. Default: no.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().ascii(true).build()?;
    /// assert_eq!(encoder.encode("é😀")?, r#""\u00e9\ud83d\ude00""#);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn ascii(mut self, ascii: bool) -> Self {
        self.options.escapes.set(Escapes::ASCII, ascii);
        self
    }

    /// Whether to write `<`, `>`, `&`, U+2028 and U+2029 as `\uXXXX`, so that the output can stand inside an HTML
    /// `script` element. Default: no.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().html_safe(true).build()?;
    /// assert_eq!(encoder.encode("</script> & \u{2028}")?, r#""\u003c/script\u003e \u0026 \u2028""#);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn html_safe(mut self, html_safe: bool) -> Self {
        self.options.escapes.set(Escapes::HTML, html_safe);
        self
    }

    /// Whether to write `/` as `\/`. Default: no.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().escape_solidus(true).build()?;
    /// assert_eq!(encoder.encode("</a>")?, r#""<\/a>""#);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn escape_solidus(mut self, escape_solidus: bool) -> Self {
        self.options.escapes.set(Escapes::SOLIDUS, escape_solidus);
        self
    }

    /// What becomes of NaN and the infinities, as values. As a map key they are always an error.
    /// Default: [`NonFinite::Null`].
    ///
    /// ```
    /// use json_rope::{Encoder, NonFinite};
    ///
    /// assert_eq!(Encoder::new().encode(&[f64::NAN])?, "[null]");
    /// let strict = Encoder::builder().non_finite(NonFinite::Error).build()?;
    /// assert_eq!(strict.encode(&[f64::NAN]).unwrap_err().to_string(), "cannot encode /0: float is not finite");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn non_finite(mut self, non_finite: NonFinite) -> Self {
        self.options.non_finite = non_finite;
        self
    }

    /// How byte strings are written: those that come through `serialize_bytes`, as from the crate `serde_bytes` (a
    /// plain `Vec<u8>` is a sequence of numbers to serde). Default: [`BytesFormat::Array`].
    ///
    /// ```
    /// use json_rope::{BytesFormat, Encoder};
    ///
    /// let text = std::ffi::CString::new("\u{1}é").unwrap(); // serializes as bytes
    /// assert_eq!(Encoder::new().encode(&text)?, "[1,195,169]");
    /// let base64 = Encoder::builder().bytes(BytesFormat::Base64).build()?;
    /// assert_eq!(base64.encode(&text)?, "\"AcOp\"");
    /// let hex = Encoder::builder().bytes(BytesFormat::Hex).build()?;
    /// assert_eq!(hex.encode(&text)?, "\"01c3a9\"");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn bytes(mut self, format: BytesFormat) -> Self {
        self.options.bytes = format;
        self
    }

    /// Whether the members of maps and structs are written in ascending order of their keys' UTF-8 bytes, at every
    /// depth. Members with equal keys keep their order. Default: no, members come in the order of the map or struct.
    ///
    /// Members are encoded where they come, and the encoded pieces are put in order when their object closes. So the
    /// output of all objects that are open is held in contiguous memory: for a document that is one object, all of it.
    /// Streaming, that is all that is held; an array of objects still needs little memory.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().sort_keys(true).build()?;
    /// let map = std::collections::HashMap::from([("b", 1), ("a", 2), ("é", 3), ("B", 4)]);
    /// assert_eq!(encoder.encode(&map)?, r#"{"B":4,"a":2,"b":1,"é":3}"#);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn sort_keys(mut self, sort_keys: bool) -> Self {
        self.options.sort_keys = sort_keys;
        self
    }

    /// How many arrays and objects may stand in one another. Deeper values are a limit error. Default: 1,000, but no
    /// limit for [`encode_tree`](Encoder::encode_tree) and [`chunks`](Encoder::chunks), which do not recurse.
    ///
    /// The default is safe on a stack of 2 MiB, in a debug build too, for `serde_json::Value` and for trees of structs,
    /// maps, options and enums. How much stack a level takes is up to the type, though: a debug build gives an enum of
    /// many variants large frames (from about 15 variants on, a chain of 1,000 needs more than 2 MiB). The limit also
    /// bounds the transparent wrappers (`Some`, newtype structs) around a value: two for each level, 64 around a key.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().max_depth(2).build()?;
    /// assert!(encoder.encode(&[[1]]).is_ok());
    /// assert!(encoder.encode(&[[[1]]]).unwrap_err().is_limit());
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn max_depth(mut self, levels: usize) -> Self {
        self.options.max_depth = Some(levels);
        self
    }

    /// The longest document allowed, in bytes. Longer ones are a limit error. In [`records`](Encoder::records) it is for
    /// each record without its frame. Default: no limit.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().max_len(5).build()?;
    /// assert_eq!(encoder.encode("abc")?, "\"abc\"");
    /// assert!(encoder.encode("abcd").unwrap_err().is_limit());
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn max_len(mut self, bytes: u64) -> Self {
        self.options.max_len = bytes;
        self
    }

    /// Length of the first chunk, in bytes; the following ones double up to [`max_chunk`](Self::max_chunk). From 16
    /// bytes to 1 MiB. Default: 2 KiB, or `max_chunk` if that is smaller.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().first_chunk(16).build()?;
    /// assert_eq!(encoder.encode(&"x".repeat(20))?.chunks()[0].len(), 16);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn first_chunk(mut self, bytes: usize) -> Self {
        self.first_chunk = Some(bytes);
        self
    }

    /// Length that no chunk exceeds, in bytes, unless it is a fragment that was linked in whole. From 16 bytes to
    /// 1 MiB. Default: 64 KiB.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().max_chunk(4096).build()?;
    /// assert!(encoder.encode(&vec![0; 10_000])?.chunks().iter().all(|chunk| chunk.len() <= 4096));
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn max_chunk(mut self, bytes: usize) -> Self {
        self.options.max_chunk = bytes;
        self
    }

    /// The encoder.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().first_chunk(1024).max_chunk(8192).build()?;
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// A configuration error if a setting is out of its bounds or contradicts another.
    pub fn build(self) -> Result<Encoder> {
        let EncoderBuilder { mut options, first_chunk } = self;
        options.first_chunk = first_chunk.unwrap_or(options.first_chunk.min(options.max_chunk));
        for (name, bytes) in [("max_chunk", options.max_chunk), ("first_chunk", options.first_chunk)] {
            if !CHUNK_BOUNDS.contains(&bytes) {
                let (least, most) = (CHUNK_BOUNDS.start(), CHUNK_BOUNDS.end());
                return Err(Error::config(format!("{name} is {bytes} bytes, not from {least} to {most}")));
            }
        }
        if options.first_chunk > options.max_chunk {
            let (first, max) = (options.first_chunk, options.max_chunk);
            return Err(Error::config(format!("first_chunk, {first} bytes, is larger than max_chunk, {max} bytes")));
        }
        if let Some(indent) = &options.indent {
            if indent.len() > MAX_INDENT {
                return Err(Error::config(format!("indent is {} bytes, not at most {MAX_INDENT}", indent.len())));
            }
            if !indent.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
                return Err(Error::config("indent is not JSON white space (space, tab, line feed, carriage return)"));
            }
        }
        Ok(Encoder::with_options(options))
    }
}
