//! Parts of a document that stay in the tail, in one piece, until they are complete: an object whose members have to be
//! sorted, a message that waits for its length.

use super::Out;
use super::utf8::char_boundary_before_end;
use crate::error::Result;

/// Parts of the document that are kept in the tail until they are complete.
#[derive(Clone, Copy, Default)]
pub(super) struct Holds {
    open: usize,
    /// Where in the tail the first of them begins.
    from: usize,
    /// How long the previous held part was, from the first hold to the last release.
    last: usize,
}

impl Holds {
    pub(super) fn is_empty(&self) -> bool {
        self.open == 0
    }
}

impl Out<'_> {
    /// Keeps all bytes from here on in the tail, until [`release`](Self::release) has been called as often as this.
    pub(crate) fn hold(&mut self) -> Result<()> {
        self.hold_for(self.holds.last.saturating_mul(2))
    }

    /// Like [`hold`](Self::hold), for what will probably be no more than `most` bytes. Costs next to nothing if there
    /// is room for them.
    #[inline]
    pub(crate) fn hold_briefly(&mut self, most: usize) -> Result<()> {
        if self.holds.open > 0 || self.room() < most {
            return self.hold_for(most);
        }
        self.holds.from = self.memory.tail.filled_len();
        self.holds.open = 1;
        Ok(())
    }

    #[inline(never)]
    fn hold_for(&mut self, probably: usize) -> Result<()> {
        if self.holds.open == 0 {
            self.make_room_for_hold(probably)?;
            self.holds.from = self.memory.tail.filled_len();
        }
        self.holds.open += 1;
        self.update_room();
        Ok(())
    }

    /// Moves complete bytes out of the tail if what will be held may not fit after them: otherwise all of it would have
    /// to move to a larger slab. While streaming they are flushed; on demand, and in a pool's buffer, they become a
    /// chunk; in other slabs, full chunks are cut.
    fn make_room_for_hold(&mut self, probably: usize) -> Result<()> {
        let (filled, chunk) = (self.memory.tail.filled_len(), self.memory.plan.chunk_len());
        let may_not_fit = self.memory.tail.capacity() - filled <= probably;
        let pooled = self.memory.tail.is_on_pooled_slab();
        if self.target.is_stream() && self.is_free() {
            if filled > self.memory.plan.batch() / 2 || (pooled && may_not_fit && filled >= chunk / 2) {
                self.check()?;
                let sendable = self.sendable(char_boundary_before_end(self.memory.tail.filled()));
                self.flush_front(sendable, &[])?;
            }
        } else if may_not_fit
            && (self.target.is_steps() || pooled)
            && self.memory.tail.is_on_slab()
            && filled > 0
            && filled >= chunk / 2
        {
            self.cut_full_chunks();
            self.cut_chunk(char_boundary_before_end(self.memory.tail.filled()));
        } else if may_not_fit && self.target.is_rope() {
            self.cut_full_chunks();
        }
        Ok(())
    }

    /// Ends a [`hold`](Self::hold).
    #[inline]
    pub(crate) fn release(&mut self) {
        self.holds.open -= 1;
        if self.holds.open == 0 && self.has_raised_room {
            self.holds.last = self.memory.tail.filled_len().saturating_sub(self.holds.from);
            self.update_room();
        }
    }

    /// Ends the hold for the first `len` bytes of the tail, if nothing else holds them. They leave if there are enough
    /// of them. Returns how many bytes left.
    pub(crate) fn release_front(&mut self, len: usize) -> Result<usize> {
        if self.holds.open != 1 || self.message.is_some() {
            return Ok(0);
        }
        let before = self.memory.tail.filled_len();
        let gone = |out: &Out<'_>| before - out.memory.tail.filled_len();
        if self.target.is_stream() {
            if len >= self.memory.plan.batch() {
                self.check()?;
                self.flush_front(self.sendable(len), &[])?;
            }
        } else if self.target.has_chunks() {
            while self.memory.tail.is_on_slab() && len - gone(self) >= self.max_cut() {
                let part = char_boundary_before_end(&self.memory.tail.filled()[..self.max_cut()]);
                self.cut_chunk(part);
            }
        }
        let gone = gone(self);
        self.holds.from = len - gone;
        self.update_room();
        Ok(gone)
    }

    /// How many bytes of the tail are not held, and so cannot change any more.
    pub(super) fn certain_len(&self) -> usize {
        if self.holds.is_empty() { self.memory.tail.filled_len() } else { self.holds.from }
    }

    /// Forgets all but the first `len` bytes of the tail.
    pub(crate) fn take_back(&mut self, len: usize) {
        debug_assert!(!self.holds.is_empty() && self.holds.from <= len);
        self.memory.tail.truncate(len);
    }

    /// The length of [`held`](Self::held).
    #[inline(always)]
    pub(crate) fn held_len(&self) -> usize {
        self.memory.tail.filled_len()
    }

    /// The tail, at least as far back as the first hold.
    pub(crate) fn held(&mut self) -> &mut [u8] {
        self.memory.tail.filled_mut()
    }
}
