//! Output on demand: it can be put aside between steps, and its chunks are taken one by one as they are finished.
//!
//! A slab is exactly one chunk, so that memory is freed with each chunk that the consumer drops: at any time there is
//! at most the finished chunk and the one being filled. With a pool it is one of its buffers.

use bytes::Bytes;

use super::hold::Holds;
use super::plan::Growth;
use super::tail::Tail;
use super::utf8;
use super::{Failure, Out, growth};
use crate::error::Result;
use crate::options::Options;
use crate::rope::Rope;

/// An [`Out`] between two steps. It borrows nothing and may move to another thread.
pub(crate) struct ParkedOut {
    tail: Tail<'static>,
    done: Rope,
    growth: Growth,
    flushed: u64,
    max_len: u64,
    limit_from: u64,
    holds: Holds,
    failure: Option<Failure>,
}

impl ParkedOut {
    /// An output of which nothing is written. Allocates nothing.
    pub(crate) fn new(options: &Options, max_len: u64) -> ParkedOut {
        let (tail, done, growth) = (Tail::on_scratch(&mut []), Rope::new(), growth(options, 0));
        let (flushed, limit_from, holds, failure) = (0, 0, Holds::default(), None);
        ParkedOut { tail, done, growth, flushed, max_len, limit_from, holds, failure }
    }

    /// Takes the oldest finished chunk away.
    pub(crate) fn pop(&mut self) -> Option<Bytes> {
        if self.done.is_empty() { None } else { Some(self.done.pop_front()) }
    }
}

impl<'a> Out<'a> {
    /// Goes on where [`park`](Self::park) stopped, with the same options.
    pub(crate) fn resume(parked: ParkedOut, options: &'a Options) -> Out<'a> {
        let ParkedOut { tail, done, growth, flushed, max_len, limit_from, holds, failure } = parked;
        // A step does not end within a message.
        let (first, message, tailroom, pool, edge, on_demand) = (None, None, 0, options.usable_pool(), None, true);
        let attention = !done.is_empty() || failure.is_some();
        Out {
            tail,
            done,
            first,
            message,
            tailroom,
            growth,
            pool,
            flushed,
            max_len,
            limit_from,
            edge,
            holds,
            failure,
            on_demand,
            attention,
        }
    }

    /// Puts the output aside.
    pub(crate) fn park(self) -> ParkedOut {
        let Out { tail, done, growth, flushed, max_len, limit_from, holds, failure, .. } = self;
        ParkedOut { tail: tail.detach(), done, growth, flushed, max_len, limit_from, holds, failure }
    }

    /// Whether the step is over: a chunk can be taken, or the document has failed, which [`check`](Self::check) tells.
    #[inline(always)]
    pub(crate) fn should_stop(&self) -> bool {
        self.attention
    }

    /// Makes chunks of what was held until now, if it is long enough.
    #[inline]
    pub(crate) fn cut_held(&mut self) {
        if self.holds.open == 0 && self.failure.is_none() && self.tail.filled_len() >= self.growth.chunk() {
            self.cut_full_chunks();
            self.open_room();
        }
    }

    /// Capacity of the slab that the tail moves to: one chunk, or as much again as is held.
    pub(super) fn one_chunk(&self, coming: usize) -> usize {
        let (filled, chunk) = (self.tail.filled_len(), self.growth.chunk());
        if filled < chunk { chunk } else { filled.saturating_add(filled.max(coming)) }
    }

    /// Makes the last chunks, once the document is complete.
    pub(crate) fn finish_on_demand(&mut self) -> Result<()> {
        self.check()?;
        self.cut_all(self.tail.filled_len());
        Ok(())
    }

    /// Makes the last chunks of a document that has failed: everything before the failure and before what is held;
    /// later bytes may be wrong. Whole characters only; the failure may be inside one.
    pub(crate) fn abandon(&mut self) {
        let mut end = self.certain_len();
        self.holds = Holds::default();
        if let Some(failure) = &self.failure {
            end = end.min(usize::try_from(failure.at.saturating_sub(self.flushed)).unwrap_or(usize::MAX));
        }
        self.cut_all(utf8::whole_characters(&self.tail.filled()[..end]));
    }

    fn cut_all(&mut self, mut len: usize) {
        while len >= self.growth.chunk() {
            let part = utf8::whole_characters(&self.tail.filled()[..self.growth.chunk()]);
            self.cut_chunk(part);
            len -= part;
        }
        // The last chunk must not keep much more memory than its length alive.
        let too_large = self.tail.capacity() > 2 * len && !self.tail.is_on_pooled_slab();
        if too_large || self.wastes_pooled() {
            self.tail.move_to_slab(self.tail.filled_len());
        }
        self.cut_chunk(len);
    }

    /// Lets the next `max_len` bytes be written, and no more.
    pub(crate) fn limit_from_here(&mut self, max_len: u64) {
        self.limit_from = self.offset();
        self.max_len = self.limit_from.saturating_add(max_len);
        self.open_room();
    }

    /// Adds slices of `chunk` by reference, none longer than a chunk. What stands before them is brought up to half a
    /// chunk by copying, and so is a short rest: no item is small because a fragment begins or ends there.
    pub(super) fn link_in_slices(&mut self, mut chunk: Bytes) -> Result<()> {
        while chunk.len() >= self.growth.chunk() / 2 {
            let (planned, filled) = (self.growth.chunk(), self.tail.filled_len());
            if filled > 0 {
                let mut missing = (planned / 2 + self.headroom_in_tail()).min(planned).saturating_sub(filled);
                while chunk.get(missing).is_some_and(|byte| byte & 0xc0 == 0x80) {
                    missing += 1;
                }
                self.put(&chunk.split_to(missing.min(chunk.len())))?;
                if self.tail.filled_len() >= planned / 2 {
                    self.cut_chunk(utf8::whole_characters(self.tail.filled()));
                }
            } else {
                let len = utf8::whole_characters(&chunk[..chunk.len().min(planned)]);
                if len < planned / 2 {
                    break;
                }
                self.flushed += len as u64;
                self.done.push(chunk.split_to(len));
                self.attention = true;
                self.growth.count_chunk(len);
            }
        }
        self.open_room();
        self.put(&chunk)
    }
}
