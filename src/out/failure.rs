//! The first failure of a document, which is kept because a `Serialize` implementation may swallow the error it was given.

use std::io;

use super::Out;
use crate::error::{Error, Result};

/// What made the output unusable.
pub(super) struct Failure {
    kind: Kind,
    /// The offset at which it happened.
    pub(super) at: u64,
}

enum Kind {
    Io(io::ErrorKind),
    Limit,
    Data,
}

impl Out<'_> {
    /// Remembers that the document cannot be completed, and gives the error back.
    #[cold]
    pub(crate) fn fail(&mut self, error: Error) -> Error {
        self.step_done = true;
        if self.failure.is_none() {
            let other = if error.is_limit() { Kind::Limit } else { Kind::Data };
            let kind = error.io_error_kind().map_or(other, Kind::Io);
            self.failure = Some(Box::new(Failure { kind, at: self.offset() }));
        }
        error
    }

    /// An error if the document has failed before. A `Serialize` implementation that goes on after an error must not
    /// get a document that looks whole.
    #[inline]
    pub(crate) fn check(&self) -> Result<()> {
        if self.failure.is_none() && !self.is_draining { Ok(()) } else { self.failed_before() }
    }

    #[cold]
    fn failed_before(&self) -> Result<()> {
        let message = "a Serialize implementation went on after an error";
        let error = match self.failure.as_ref().map(|failure| &failure.kind) {
            None => Error::data("a Serialize implementation went on after a panic"),
            Some(Kind::Io(kind)) => Error::io(io::Error::new(*kind, message)),
            Some(Kind::Limit) => Error::limit(message),
            Some(Kind::Data) => Error::data(message),
        };
        Err(error.finish(self.offset()))
    }
}
