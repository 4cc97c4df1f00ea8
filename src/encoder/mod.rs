//! The configured, reusable encoder. Its options are collected in `builder.rs`; its everyday methods are in `encode.rs`,
//! documents in frames in `framed.rs`, those in memory of the caller's in `in_place.rs`.

mod builder;
mod encode;
mod framed;
mod in_place;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::Result;
use crate::options::{BytesFormat, Options};
use crate::out::MAX_REMEMBERED;
use crate::rope::Rope;
use crate::run;
use crate::source::Source;

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
    pub(crate) fn with_options(mut options: Options) -> Encoder {
        options.update_is_plain();
        Encoder { shared: Arc::new(Shared { options, estimate: AtomicUsize::new(0) }) }
    }

    fn to_rope(&self, source: impl Source) -> Result<Rope> {
        let estimate = self.shared.estimate.load(Ordering::Relaxed);
        let result = run::to_rope(&self.shared.options, estimate, source);
        // By reference: a rope is large enough that moving it costs a small document something.
        if let Ok(rope) = &result {
            self.remember(estimate, rope.len());
        }
        result
    }

    /// Like `to_rope`, for a value and the default options.
    fn to_short_rope(&self, write: run::Write<'_, true>) -> Result<Rope> {
        let estimate = self.shared.estimate.load(Ordering::Relaxed);
        run::short::to_rope(estimate, write, |len| self.remember(estimate, len))
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

    /// How this encoder writes byte strings: see [`EncoderBuilder::bytes`]. For a `Serialize` with byte strings of its own
    /// that follows the encoder's choice.
    ///
    /// ```
    /// use json_rope::{BytesFormat, Encoder};
    ///
    /// assert_eq!(Encoder::new().bytes_format(), BytesFormat::Array);
    /// ```
    #[must_use]
    pub fn bytes_format(&self) -> BytesFormat {
        self.options().style.bytes
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
