//! What becomes of a document that is complete: a rope, a vector, the rest for a drain; and an output for the next one.

use bytes::Bytes;

use super::hold::Holds;
use super::tail::Growable;
use super::utf8::char_boundary_before_end;
use super::{Out, Target};
use crate::error::Result;
use crate::rope::Rope;

impl Out<'_> {
    /// The rope of all chunks of a document that is complete and has been [checked](Self::check). The output is then
    /// empty. Never fails: the `Result` is what the caller returns, so it is built in its place and not moved.
    pub(crate) fn finish(&mut self) -> Result<Rope> {
        match self.small_chunk() {
            Some(chunk) => Ok(Rope::of(chunk)),
            None => Ok(self.finish_long()),
        }
    }

    /// The whole document, now complete, in one chunk of exactly its length, as most are; if it is on the scratch, and no
    /// longer than the first chunk.
    #[inline(always)]
    pub(crate) fn small_chunk(&self) -> Option<Bytes> {
        let is_small =
            self.flushed == 0 && !self.memory.tail.is_on_slab() && self.memory.tail.filled_len() <= self.max_last_cut();
        is_small.then(|| Bytes::copy_from_slice(self.memory.tail.filled()))
    }

    /// Like [`finish`](Self::finish), for what is not one [small chunk](Self::small_chunk).
    #[inline(never)]
    pub(crate) fn finish_long(&mut self) -> Rope {
        self.memory.shrink(self.offset());
        let unfit = self.memory.is_oversized(self.offset()) || self.memory.is_nearly_empty();
        if unfit || !self.memory.tail.is_on_slab() {
            self.memory.leave();
            self.memory.shrink_to_fit(0);
            if self.finished().is_empty() {
                // Free a list that was reserved for many chunks.
                self.chunks = None;
            }
        }
        while self.memory.tail.filled_len() > self.max_last_cut() {
            let len = char_boundary_before_end(&self.memory.tail.filled()[..self.max_cut()]);
            self.cut_chunk(len);
        }
        self.cut_chunk(self.memory.tail.filled_len());
        if let Some(slabs) = self.memory.wasteful_slabs(self.flushed) {
            self.list().compact_those(|chunk| slabs.iter().any(|slab| slab.contains(&chunk.as_ptr().addr())));
        }
        debug_assert_eq!(self.flushed, self.finished_len() as u64);
        self.chunks.take().unwrap_or_default()
    }

    /// Hands the last bytes of a document that is complete to the drain, and returns how many there were in all. An error is
    /// [concluded](Self::conclude).
    pub(crate) fn finish_drain(&mut self, origin: u64) -> Result<u64> {
        if let Err(error) = self.flush_front(self.memory.tail.filled_len(), &[]) {
            return Err(self.conclude(error, origin));
        }
        debug_assert!(self.finished().is_empty(), "a chunk was cut that nobody takes");
        Ok(self.flushed)
    }

    /// Gives the bytes of a document that is complete to the caller's memory.
    pub(crate) fn finish_memory(&mut self) {
        match &mut self.target {
            Target::Memory(Some(memory)) => memory.append(self.memory.tail.filled()),
            _ => self.target = Target::Memory(self.memory.tail.commit()),
        }
    }

    /// The bytes of a document that is complete, in a `Vec` of their size, if the target is one of the output's own.
    #[inline(always)]
    pub(crate) fn finish_vec(&mut self) -> Vec<u8> {
        if let Target::Memory(Some(_)) = self.target {
            self.memory.tail.filled().to_vec()
        } else {
            self.finish_long_vec()
        }
    }

    #[cold]
    #[inline(never)]
    fn finish_long_vec(&mut self) -> Vec<u8> {
        self.finish_memory();
        let Some(Growable::Owned(mut vec)) = self.take_memory() else {
            unreachable!("the target is memory of its own")
        };
        vec.shrink_to_fit();
        vec
    }

    /// After a document that is complete, and has been taken: makes the output as it was before. Returns whether it could,
    /// which it can if the document never left the scratch.
    #[inline]
    pub(crate) fn rest(&mut self) -> bool {
        let never_left = self.flushed == 0
            && self.chunks.is_none()
            && self.memory.is_on_scratch()
            && self.keys.has_no_heap()
            && self.failure.is_none();
        if never_left {
            debug_assert!(self.holds.is_empty() && self.message.is_none() && self.record_start.is_none());
            debug_assert!(self.limit.start == 0 && self.limit.end == u64::MAX);
            debug_assert!(!self.is_draining && !self.has_raised_room && self.checkpoint == u64::MAX && !self.step_done);
            debug_assert!(self.keys.is_empty());
            self.holds = Holds::default();
            self.target = Target::Rope;
        }
        never_left
    }

    /// The longest chunk that can be cut at the end.
    fn max_last_cut(&self) -> usize {
        (self.memory.plan.chunk_len() + self.memory.framing + self.memory.suffix).min(self.memory.plan.max_chunk())
    }
}
