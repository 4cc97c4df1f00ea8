//! Parts of a document that other outputs have written, on other threads.

use super::failure::Failure;
use super::{Out, Target};
use crate::error::Error;
use crate::pool::Pool;

impl Failure {
    /// How many bytes of its part there were.
    pub(crate) fn offset(&self) -> u64 {
        self.at
    }

    /// Whether something was deeper or longer than allowed.
    pub(crate) fn is_limit(&self) -> bool {
        self.error.is_limit()
    }
}

impl Out<'_> {
    /// Bytes that the limit still allows; `u64::MAX` if there is none.
    pub(crate) fn allowed(&self) -> u64 {
        if self.limit.end == u64::MAX { u64::MAX } else { self.limit.end.saturating_sub(self.offset()) }
    }

    /// The length that no chunk exceeds.
    pub(crate) fn max_chunk(&self) -> usize {
        self.memory.plan.max_chunk()
    }

    /// Where buffers come from, if not from the allocator.
    pub(crate) fn pool(&self) -> Option<&Pool> {
        self.memory.pool()
    }

    /// Whether all bytes stay in memory, in chunks, until the document is complete.
    pub(crate) fn keeps_all(&self) -> bool {
        matches!(self.target, Target::Rope)
    }

    /// Goes on to the end of the next chunk, which nobody takes before the end of the document, or for `bytes`: chunks are cut
    /// off a slab only when it is full, which may be megabytes away.
    pub(crate) fn go_on(&mut self, bytes: u64) {
        self.step_done = !self.failure.is_none();
        self.checkpoint = self.offset().saturating_add(bytes);
        self.update_room();
    }

    /// What made this output fail, for the one that it is a part of. `error` has arrived at the top.
    pub(crate) fn take_failure(&mut self, error: Error) -> Box<Failure> {
        let error = self.fail(error);
        self.failure.0.take().unwrap_or_else(|| Box::new(Failure::new(error, 0)))
    }

    /// Records that the document cannot be completed because a part that comes next has failed: see [`fail`](Self::fail).
    pub(crate) fn fail_in_part(&mut self, mut failure: Box<Failure>) -> Error {
        if let Some(error) = self.failed_before() {
            return error;
        }
        self.step_done = true;
        failure.at = failure.at.saturating_add(self.produced());
        let stand_in = failure.error.stand_in();
        self.failure.0 = Some(failure);
        stand_in
    }
}
