//! What a document needs to know of its source before anything is written.

use crate::frame::Newlines;
use crate::options::Options;

/// What a source asks for before it writes.
#[derive(Clone, Copy)]
pub struct Setup {
    /// The deepest nesting of arrays and objects.
    pub(crate) max_depth: usize,
    /// Bytes of a frame before and after the body.
    pub(crate) framing: (usize, usize),
    /// How line breaks outside of strings are written.
    pub(crate) newlines: Newlines,
    /// Whether `max_len` is for the whole output, and not for each record.
    pub(crate) limits_whole: bool,
    /// Bytes before the body that an error's offset does not count.
    pub(crate) origin: u64,
}

impl Setup {
    /// For a source that recurses, or calls a `Serialize` that does.
    pub(crate) fn recursive(options: &Options) -> Setup {
        Setup::with_depth(options.max_depth_recursive())
    }

    /// For a source that does not recurse, and so needs no limit if none was set.
    pub(crate) fn walking(options: &Options) -> Setup {
        Setup::with_depth(options.max_depth_walking())
    }

    pub(crate) const fn with_depth(max_depth: usize) -> Setup {
        Setup { max_depth, framing: (0, 0), newlines: Newlines::Keep, limits_whole: true, origin: 0 }
    }
}
