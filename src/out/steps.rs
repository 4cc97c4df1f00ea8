//! Documents on demand: made of steps, between which their chunks are taken one by one.
//!
//! A slab is exactly one chunk, so that memory is freed with each chunk that the consumer drops: at any time there is
//! at most the finished chunk and the one being filled. With a pool it is one of its buffers.

use bytes::Bytes;

use super::hold::Holds;
use super::memory::Memory;
use super::message::Message;
use super::tail::SCRATCH;
use super::utf8::char_boundary_before_end;
use super::{Out, Target};
use crate::options::Options;
use crate::setup::Setup;

impl Out<'_> {
    /// The output of a document on demand. It borrows nothing, and allocates nothing yet.
    pub(crate) fn on_demand(options: &Options, setup: &Setup) -> Out<'static> {
        Out::with_memory(|| Memory::on_heap(options), options, setup, Target::Steps, None)
    }

    /// Takes the oldest finished chunk.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Bytes> {
        if self.finished().is_empty() { None } else { self.take_oldest() }
    }

    #[inline(never)]
    fn take_oldest(&mut self) -> Option<Bytes> {
        if !self.can_take() {
            return None;
        }
        self.keep_open_keys();
        let chunk = self.list().pop_front();
        if let Some(message) = &mut self.message {
            message.chunk_taken();
        }
        self.step_done = !self.finished().is_empty() || !self.failure.is_none();
        Some(chunk)
    }

    /// Whether the oldest chunk can be taken although a record is being written: no byte of it may change, and there may be
    /// no part of that record in it, unless the record is longer than a chunk.
    fn can_take(&self) -> bool {
        let Some(start) = self.record_start else { return true };
        if self.message.as_ref().is_some_and(Message::is_in_oldest_chunk) {
            return false;
        }
        let end = self.flushed - self.finished_len() as u64 + self.finished()[0].len() as u64;
        end <= start || self.offset() - start > self.memory.plan.max_chunk() as u64
    }

    /// Whether there is no finished chunk.
    #[cfg(any(feature = "http-body", feature = "stream"))]
    pub(crate) fn has_no_chunk(&self) -> bool {
        self.finished().is_empty()
    }

    /// Bytes in finished chunks and in the one that is being filled.
    pub(crate) fn pending(&self) -> usize {
        let first = self.message.as_ref().and_then(Message::first).map_or(0, |(_, chunk)| chunk.len());
        self.finished_len() + first + self.memory.tail.filled_len()
    }

    /// Whether the step is over: a chunk can be taken, or the document has failed, which [`check`](Self::check) tells.
    #[inline(always)]
    pub(crate) fn should_stop(&self) -> bool {
        self.step_done
    }

    /// Makes a chunk of what there is and goes on with the buffer after it. At least `coming` bytes follow.
    pub(super) fn refill_step(&mut self, coming: usize) {
        let held = !self.holds.is_empty();
        if !held {
            self.cut_step_chunks();
            // A pooled buffer may serve for several chunks.
            let tail = &self.memory.tail;
            if tail.is_on_pooled_slab() && tail.capacity() >= self.memory.plan.chunk_len() {
                return;
            }
        }
        // As on the stack, a document that is shorter than the scratch takes no buffer away from others, unless its chunks
        // are longer from the beginning.
        let is_long = self.offset() >= SCRATCH as u64 || self.memory.plan.chunk_len() > SCRATCH;
        if self.memory.has_pool() && is_long {
            if !held && self.record_in_tail().is_none() {
                self.cut_rest();
            }
            self.next_buffer(coming);
        } else {
            let (need, remaining) = (self.need(), self.remaining());
            self.memory.allocate(need, held, coming, remaining);
        }
    }

    /// Notes that a record begins here, and the one before it, if there is one, is complete.
    #[inline]
    pub(crate) fn begin_record(&mut self) {
        if self.target.is_steps() {
            // Records that fill a chunk exactly leave together. Longer ones are cut before the last of them.
            if self.memory.tail.filled_len() <= self.max_cut() {
                self.record_start = Some(self.offset());
            }
            self.cut_released();
        }
        self.record_start = Some(self.offset());
    }

    /// Where in the tail the record that is being written begins, if it does.
    pub(super) fn record_in_tail(&self) -> Option<usize> {
        usize::try_from(self.record_start?.checked_sub(self.flushed)?).ok()
    }

    /// Makes chunks of what was held until now, if it is long enough.
    #[inline]
    pub(crate) fn cut_released(&mut self) {
        if self.target.is_steps()
            && self.holds.is_empty()
            && self.failure.is_none()
            && self.memory.tail.filled_len() >= self.memory.plan.chunk_len()
        {
            self.cut_step_chunks();
            self.update_room();
        }
    }

    /// Makes chunks of whole records, and full ones of a record that is longer than a chunk or of a document that is not
    /// one of many.
    fn cut_step_chunks(&mut self) {
        match self.record_in_tail() {
            // What is not complete moves to the next buffer.
            Some(start) if start > 0 => self.cut_chunk(start),
            _ => {}
        }
        self.cut_full_chunks();
    }

    /// Makes chunks of all there is, once the document is complete.
    pub(crate) fn finish_steps(&mut self) {
        self.cut_all(self.memory.tail.filled_len());
    }

    /// Makes chunks of what is begun, for a consumer that does not want to wait for more: of all whole characters, or in
    /// a stream of records of whole records.
    pub(crate) fn flush_step(&mut self) {
        if self.holds.is_empty() && self.failure.is_none() {
            let filled = self.memory.tail.filled();
            let end = match self.record_start {
                Some(_) => self.record_in_tail().unwrap_or(0),
                None => char_boundary_before_end(filled),
            };
            self.cut_all(end);
            self.update_room();
        }
    }

    /// Makes the last chunks of a document that has failed: of what is certain to be its beginning.
    ///
    /// That is everything before the failure and before what is held; later bytes might still have been rearranged, or
    /// were written by a `Serialize` that swallowed the error. Only whole characters leave, and of a stream of records
    /// only whole records.
    pub(crate) fn abandon(&mut self) {
        let certain = self.certain_len();
        self.holds = Holds::default();
        if let Some(Message { first: Some((index, chunk)), .. }) = self.message.take() {
            self.list().insert(index, chunk.freeze());
        }
        let mut end = self.flushed + certain as u64;
        if let Some(at) = self.failure.at() {
            end = end.min(at);
        }
        end = end.min(self.record_start.unwrap_or(u64::MAX));
        if end < self.flushed {
            let surplus = usize::try_from(self.flushed - end).unwrap_or(usize::MAX).min(self.finished_len());
            let kept = self.finished_len() - surplus;
            *self.list() = self.list().split_to(kept);
            self.flushed = end;
            self.memory.tail.truncate(0);
        }
        let kept = usize::try_from(end - self.flushed).unwrap_or(usize::MAX);
        self.cut_all(char_boundary_before_end(&self.memory.tail.filled()[..kept]));
        self.memory.tail.truncate(0);
    }

    fn cut_all(&mut self, mut len: usize) {
        while len >= self.memory.plan.chunk_len() {
            let part = char_boundary_before_end(&self.memory.tail.filled()[..self.memory.plan.chunk_len()]);
            self.cut_chunk(part);
            len -= part;
        }
        // The last chunk must not keep much more memory than its length alive.
        let memory = &mut self.memory;
        let too_large = memory.tail.capacity() > 2 * len && !memory.tail.is_on_pooled_slab();
        if len > 0 && (too_large || memory.is_nearly_empty()) {
            memory.shrink_to_fit(0);
        }
        self.cut_chunk(len);
    }
}
