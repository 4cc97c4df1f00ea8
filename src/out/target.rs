//! Where finished bytes go.

use std::io;

use send_wrapper::SendWrapper;

use super::tail::Growable;

/// Takes bytes while the document is still being encoded. Implemented in `sink` for writers, and by whatever else wants
/// bytes as they come.
///
/// It is called through `dyn`, once for many kilobytes.
pub(crate) trait Drain {
    /// Takes all of `parts`, in order. None of them is empty.
    fn drain(&mut self, parts: &[&[u8]]) -> io::Result<()>;
}

/// Where the bytes of one document go.
pub(crate) enum Target<'a> {
    /// All of them are kept, as a rope.
    Rope,
    /// Chunks are taken one by one, between the steps of a document on demand.
    Steps,
    /// They leave while the document is being encoded.
    ///
    /// A document on demand moves between threads, so the whole output has to be `Send`, which a caller's writer need
    /// not be. It never moves: a document with this target lives on the stack of the function that encodes it, and
    /// the wrapper makes sure of that.
    Drain(SendWrapper<&'a mut dyn Drain>),
    /// They are counted, and forgotten.
    Count,
    /// They are appended to memory of the caller's, in one piece. `None` once the tail is there: see [`Out::grow`].
    ///
    /// [`Out::grow`]: super::Out
    Memory(Option<Growable<'a>>),
}

impl<'a> Target<'a> {
    pub(crate) fn drain(drain: &'a mut dyn Drain) -> Target<'a> {
        Target::Drain(SendWrapper::new(drain))
    }

    pub(super) fn is_rope(&self) -> bool {
        matches!(self, Target::Rope)
    }

    pub(super) fn is_steps(&self) -> bool {
        matches!(self, Target::Steps)
    }

    /// Whether bytes leave for good while the document is being encoded.
    pub(super) fn is_stream(&self) -> bool {
        matches!(self, Target::Drain(_) | Target::Count)
    }

    /// Whether the output is a list of chunks.
    pub(super) fn has_chunks(&self) -> bool {
        matches!(self, Target::Rope | Target::Steps)
    }
}
