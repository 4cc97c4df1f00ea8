//! How many bytes may be written.

use super::Out;
use crate::error::{Error, Result};

/// The range of offsets that may be written.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    /// Where the limited body begins: not 0 in a frame, or for a later record of a stream.
    pub(super) start: u64,
    pub(super) end: u64,
}

impl Limit {
    /// The first `end` bytes.
    pub(super) fn new(end: u64) -> Limit {
        Limit { start: 0, end }
    }
}

impl Out<'_> {
    /// Returns a limit error if `more` bytes are too many.
    pub(super) fn check_limit(&mut self, more: usize) -> Result<()> {
        if self.limit.end.saturating_sub(self.offset()) >= more as u64 {
            return Ok(());
        }
        let limit = self.limit.end - self.limit.start;
        let message = format!("the document is longer than the {limit} bytes that max_len or its frame allows");
        Err(self.fail(Error::limit(message)))
    }

    /// Bytes that the limit still allows.
    pub(super) fn remaining(&self) -> usize {
        usize::try_from(self.limit.end.saturating_sub(self.offset())).unwrap_or(usize::MAX)
    }

    /// Allows the next `max_len` bytes, and no more.
    pub(crate) fn restart_limit(&mut self, max_len: u64) {
        let start = self.offset();
        self.limit = Limit { start, end: start.saturating_add(max_len) };
        self.update_room();
    }

    /// Allows `more` bytes that do not count, because the frame adds them.
    pub(crate) fn raise_limit(&mut self, more: usize) {
        self.limit.start = self.limit.start.saturating_add(more as u64);
        self.limit.end = self.limit.end.saturating_add(more as u64);
        self.update_room();
    }
}
