//! The configured, reusable encoder. Its options are collected in `builder.rs`; documents in frames are in `framed.rs`,
//! those in memory of the caller's in `in_place.rs`.

mod builder;
mod framed;
mod in_place;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;

use crate::error::Result;
use crate::options::Options;
use crate::out::MAX_REMEMBERED;
use crate::rope::Rope;
use crate::run;
use crate::sink::WriterDrain;
use crate::source::{Source, Value, Walker};

pub use builder::EncoderBuilder;

/// Encodes values as JSON with one set of options, again and again.
///
/// Use one wherever you need options, or encode more than a few documents. It is cheap to clone, can be shared between
/// threads, and holds no buffers except those of a [`Pool`] that it was given. Between documents it keeps one number,
/// which its clones share: about how long recent outputs were. The next document starts with a slab of about that size,
/// so a steady workload needs one slab for each document. A document that needs less than half of its slab is copied to
/// its exact size, so nothing larger is kept alive.
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
    /// About how long recent outputs were, in bytes.
    estimate: AtomicUsize,
}

impl Default for Encoder {
    /// An encoder with the default options, as [`Encoder::new`] makes it.
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
        Encoder { shared: Arc::new(Shared { options, estimate: AtomicUsize::new(0) }) }
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
        self.to_rope(Value(value))
    }

    /// Encodes a tree into a rope by a walk of its own: the same bytes as [`encode`](Encoder::encode) under every
    /// option, and at any depth, unless [`max_depth`](EncoderBuilder::max_depth) was set: it recurses for 12 levels at
    /// a time, which fits a stack of 64 KiB in a release build and of 128 KiB in a debug build. Faster than `encode`,
    /// by 5 to 15 % on ordinary documents.
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
        self.to_rope(Walker::new(tree, self.options()))
    }

    fn to_rope(&self, source: impl Source) -> Result<Rope> {
        let estimate = self.shared.estimate.load(Ordering::Relaxed);
        let rope = run::to_rope(&self.shared.options, estimate, source)?;
        self.remember(estimate, rope.len());
        Ok(rope)
    }

    /// Like `to_rope`, for a source that leaves most of a document of more than `most` bytes to other threads: then no slab
    /// is made for all of it.
    #[cfg(feature = "rayon")]
    pub(crate) fn to_rope_in_parts(&self, source: impl Source, most: u64) -> Result<Rope> {
        let estimate = self.shared.estimate.load(Ordering::Relaxed);
        let is_divided = estimate as u64 > most && rayon_core::current_num_threads() > 1;
        let rope = run::to_rope(&self.shared.options, if is_divided { 0 } else { estimate }, source)?;
        self.remember(estimate, rope.len());
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
    /// then received an exact prefix of the document, and nothing after it: no bracket is closed.
    pub fn write<T: ?Sized + Serialize>(&self, mut writer: impl io::Write, value: &T) -> Result<u64> {
        run::to_drain(self.options(), &mut WriterDrain::new(&mut writer), Value(value))
    }

    /// Adjusts the estimate: at once to a longer output, slowly to shorter ones, so that one small document among
    /// large ones changes little, and one large document among small ones is soon forgotten.
    fn remember(&self, estimate: usize, len: usize) {
        let len = len.min(MAX_REMEMBERED);
        let next = if len >= estimate { len } else { estimate - (estimate - len).div_ceil(4) };
        if next != estimate {
            // Lost updates between threads do no harm: it is an estimate.
            self.shared.estimate.store(next, Ordering::Relaxed);
        }
    }
}
