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
        if self.can_send() && self.tail.filled_len() > self.growth.batch() / 2 {
            // What can go goes now, so that most objects fit behind it and the buffer need not grow.
            self.check()?;
            self.hand_over(&[])?;
        }
        if self.holds.open == 0 {
            self.make_room_for_hold();
            self.holds.from = self.tail.filled_len();
        }
        self.holds.open += 1;
        self.open_room();
        Ok(())
    }

    /// Makes a chunk of what is certain, if it is one and what will be held may not fit behind it: then all of it would
    /// move to a larger slab. In memory without a pool slabs are much longer than what is held, or made for it.
    fn make_room_for_hold(&mut self) {
        let (filled, capacity) = (self.tail.filled_len(), self.tail.capacity());
        let fits = capacity - filled > 2 * self.holds.last;
        let short_slabs = self.on_demand || self.tail.is_on_pooled_slab();
        if !fits && short_slabs && self.tail.is_on_slab() && filled > 0 && filled >= self.growth.chunk() / 2 {
            self.cut_full_chunks();
            self.cut_chunk(utf8::whole_characters(self.tail.filled()));
        }
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
