//! What made a document fail. The first failure is kept here, with its place, and decides which error comes out:
//! what a `Serialize` implementation does with the error it was given, on the way up, changes at most its words.

use super::Out;
use crate::error::{Error, Result};

/// The first failure of a document.
pub(crate) struct Failure {
    pub(super) error: Error,
    /// The offset at which it happened.
    pub(super) at: u64,
    /// Member names and element indexes that lead to the failing value, innermost first, unescaped.
    path: Vec<String>,
    /// Whether somebody wrote more after the failure, so that `path` may not be that of the failing value.
    is_path_lost: bool,
}

impl Failure {
    pub(super) fn new(error: Error, at: u64) -> Failure {
        Failure { error, at, path: Vec::new(), is_path_lost: false }
    }
}

/// A place for the first failure. Dropping an empty one is a comparison, and inlined.
#[derive(Default)]
pub(super) struct FirstFailure(pub(super) Option<Box<Failure>>);

impl Drop for FirstFailure {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(failure) = self.0.take() {
            discard(failure);
        }
    }
}

#[cold]
#[inline(never)]
fn discard(failure: Box<Failure>) {
    drop(failure);
}

impl FirstFailure {
    #[inline]
    pub(super) fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Whether the writer is what failed.
    pub(super) fn is_io(&self) -> bool {
        self.0.as_ref().is_some_and(|failure| failure.error.is_io())
    }

    /// The offset at which it happened.
    pub(super) fn at(&self) -> Option<u64> {
        self.0.as_ref().map(|failure| failure.at)
    }
}

impl Out<'_> {
    /// Records that the document cannot be completed, unless it has failed before. Returns the error that travels up
    /// through the caller's code in place of the recorded one.
    #[cold]
    #[inline(never)]
    pub(crate) fn fail(&mut self, error: Error) -> Error {
        self.step_done = true;
        let at = self.produced();
        match &mut self.failure.0 {
            None => {
                let stand_in = error.stand_in();
                self.failure.0 = Some(Box::new(Failure::new(error, at)));
                stand_in
            }
            Some(failure) => {
                failure.error.reword(error);
                failure.error.stand_in()
            }
        }
    }

    /// Like [`fail`](Self::fail), for an error of the record with this number.
    #[cold]
    pub(crate) fn fail_in_record(&mut self, error: Error, record: u64) -> Error {
        let error = self.fail(error);
        if let Some(failure) = &mut self.failure.0 {
            failure.error.set_record(record);
        }
        error
    }

    /// Notes, on the way up, the member name or element index of the failing value.
    #[cold]
    pub(crate) fn add_segment(&mut self, segment: String) {
        if let Some(failure) = &mut self.failure.0 {
            failure.path.push(segment);
        }
    }

    /// The error of an earlier failure, for code that goes on after it.
    #[cold]
    pub(crate) fn failed_before(&self) -> Option<Error> {
        self.failure.0.as_ref().map(|failure| failure.error.stand_in())
    }

    /// An error if the document has failed before: nothing may be added to it.
    #[inline]
    pub(crate) fn check(&mut self) -> Result<()> {
        if self.failure.is_none() && !self.is_draining { Ok(()) } else { self.lose_path() }
    }

    #[cold]
    #[inline(never)]
    fn lose_path(&mut self) -> Result<()> {
        let Some(failure) = &mut self.failure.0 else {
            let error = self.fail(Error::data("a Serialize implementation went on after a panic"));
            // The second time it finds the failure, whose place nobody knows.
            _ = self.lose_path();
            return Err(error);
        };
        failure.is_path_lost = true;
        Err(failure.error.stand_in())
    }

    /// The error that the caller of the encoder gets, when `error` has arrived at the top. Offsets count from `origin`,
    /// which is where the document begins in this output. The output stays failed.
    #[cold]
    #[inline(never)]
    pub(crate) fn conclude(&mut self, error: Error, origin: u64) -> Error {
        if error.is_concluded() {
            return error;
        }
        let error = self.fail(error);
        let Some(failure) = &mut self.failure.0 else { return error };
        let pointer = (!failure.is_path_lost).then(|| pointer(failure.path.drain(..).rev()));
        let offset = failure.at.saturating_sub(origin);
        let stand_in = failure.error.stand_in();
        std::mem::replace(&mut failure.error, stand_in).conclude(pointer, offset)
    }
}

/// A JSON Pointer (RFC 6901) made of these reference tokens, outermost first.
fn pointer(segments: impl Iterator<Item = String>) -> String {
    let mut pointer = String::new();
    for segment in segments {
        pointer.push('/');
        for c in segment.chars() {
            match c {
                '~' => pointer.push_str("~0"),
                '/' => pointer.push_str("~1"),
                c => pointer.push(c),
            }
        }
    }
    pointer
}
