//! Parts of a document that stay in the tail, in one piece, until they are complete: an object whose members are put in
//! order, a headroom.

use super::Out;
use super::utf8;
use crate::error::Result;

/// Parts of the document that are kept in the tail until they are complete.
#[derive(Clone, Copy, Default)]
pub(super) struct Holds {
    pub(super) open: usize,
    /// Where in the tail the first of them begins.
    from: usize,
    /// How long the ones before were, from the first hold to the last release.
    last: usize,
}

impl Out<'_> {
    /// Keeps all bytes from here on in the tail, until as many [`release`](Self::release)s.
    pub(crate) fn hold(&mut self) -> Result<()> {
        if self.holds.open == 0 {
            self.make_room_for_hold()?;
            self.holds.from = self.tail.filled_len();
        }
        self.holds.open += 1;
        self.open_room();
        Ok(())
    }

    /// Moves complete bytes out of the tail if what will be held may not fit after them: otherwise all of it would have
    /// to move to a larger slab. They leave for the writer while streaming, and become a chunk on demand or in a pool's
    /// buffer. (Slabs in memory without a pool are much longer than what is held, or made for it.)
    fn make_room_for_hold(&mut self) -> Result<()> {
        let (filled, chunk) = (self.tail.filled_len(), self.growth.chunk());
        let may_not_fit = self.tail.capacity() - filled <= self.holds.last.saturating_mul(2);
        let pooled = self.tail.is_on_pooled_slab();
        if self.can_send() {
            if filled > self.growth.batch() / 2 || (pooled && may_not_fit && filled >= chunk / 2) {
                self.check()?;
                self.hand_over(&[])?;
            }
        } else if may_not_fit
            && (self.on_demand || pooled)
            && self.tail.is_on_slab()
            && filled > 0
            && filled >= chunk / 2
        {
            self.cut_full_chunks();
            self.cut_chunk(utf8::whole_characters(self.tail.filled()));
        }
        Ok(())
    }

    /// Ends a [`hold`](Self::hold).
    pub(crate) fn release(&mut self) {
        self.holds.open -= 1;
        if self.holds.open == 0 {
            self.holds.last = self.tail.filled_len().saturating_sub(self.holds.from);
        }
        self.open_room();
    }

    /// The tail, at least as far back as the first hold.
    pub(crate) fn held(&mut self) -> &mut [u8] {
        self.tail.filled_mut()
    }
}
