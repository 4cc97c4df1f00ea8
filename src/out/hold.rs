//! Parts of a document that stay in the tail, in one piece, until they are complete: an object whose members are put in
//! order, a headroom.

use super::Out;
use super::utf8::char_boundary_before_end;
use crate::error::Result;

/// Parts of the document that are kept in the tail until they are complete.
#[derive(Clone, Copy, Default)]
pub(super) struct Holds {
    open: usize,
    /// Where in the tail the first of them begins.
    from: usize,
    /// How long the ones before were, from the first hold to the last release.
    last: usize,
}

impl Holds {
    pub(super) fn is_empty(&self) -> bool {
        self.open == 0
    }
}

impl Out<'_> {
    /// Keeps all bytes from here on in the tail, until as many [`release`](Self::release)s.
    pub(crate) fn hold(&mut self) -> Result<()> {
        if self.holds.open == 0 {
            self.make_room_for_hold()?;
            self.holds.from = self.memory.tail.filled_len();
        }
        self.holds.open += 1;
        self.update_room();
        Ok(())
    }

    /// Moves complete bytes out of the tail if what will be held may not fit after them: otherwise all of it would have
    /// to move to a larger slab. They leave for the writer while streaming, and become a chunk on demand or in a pool's
    /// buffer. (Slabs in memory without a pool are much longer than what is held, or made for it.)
    fn make_room_for_hold(&mut self) -> Result<()> {
        let (filled, chunk) = (self.memory.tail.filled_len(), self.memory.plan.chunk_len());
        let may_not_fit = self.memory.tail.capacity() - filled <= self.holds.last.saturating_mul(2);
        let pooled = self.memory.tail.is_on_pooled_slab();
        if self.can_send() {
            if filled > self.memory.plan.batch() / 2 || (pooled && may_not_fit && filled >= chunk / 2) {
                self.check()?;
                self.flush(&[])?;
            }
        } else if may_not_fit
            && (self.target.is_steps() || pooled)
            && self.memory.tail.is_on_slab()
            && filled > 0
            && filled >= chunk / 2
        {
            self.cut_full_chunks();
            self.cut_chunk(char_boundary_before_end(self.memory.tail.filled()));
        }
        Ok(())
    }

    /// Ends a [`hold`](Self::hold).
    pub(crate) fn release(&mut self) {
        self.holds.open -= 1;
        if self.holds.open == 0 {
            self.holds.last = self.memory.tail.filled_len().saturating_sub(self.holds.from);
        }
        self.update_room();
    }

    /// How many bytes of the tail are not held, and so cannot change any more.
    pub(super) fn certain_len(&self) -> usize {
        if self.holds.is_empty() { self.memory.tail.filled_len() } else { self.holds.from }
    }

    /// The tail, at least as far back as the first hold.
    pub(crate) fn held(&mut self) -> &mut [u8] {
        self.memory.tail.filled_mut()
    }
}
