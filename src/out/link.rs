//! Chunks that are shared with somebody instead of copied.

use bytes::Bytes;

use super::Out;
use super::utf8::char_boundary_before_end;
use crate::error::Result;

/// Shared bytes are linked into the rope if there are at least this many, and copied otherwise. A shorter copy costs
/// less than one more chunk does at every step on its way to the socket, and many small fragments do not make many
/// small chunks. (okio found the same limit for the segments it shares.)
pub(crate) const MIN_LINK_LEN: usize = 1024;

impl Out<'_> {
    /// Whether [`link`](Self::link) can be called: chunks are kept or taken, and nothing is held.
    pub(crate) fn can_link(&self) -> bool {
        self.target.has_chunks() && self.holds.is_empty()
    }

    /// Adds `chunk`, which is not empty, by reference. Only between characters.
    pub(crate) fn link(&mut self, chunk: Bytes) -> Result<()> {
        self.check()?;
        self.check_limit(chunk.len())?;
        if self.target.is_steps() {
            return self.link_in_slices(chunk);
        }
        // The estimate for the whole document says nothing about the texts between its fragments.
        self.memory.plan.forget_estimate();
        if self.memory.tail.filled_len() > 0 {
            // Short texts between links share one slab, instead of an allocation or a pool's buffer each. And a chunk
            // must not keep a slab alive that was made for a longer document.
            if !self.memory.tail.is_on_slab() || self.memory.is_oversized(self.offset()) {
                let (need, remaining) = (self.need(), self.remaining());
                let chunks = self.memory.allocate(need, false, 0, remaining);
                self.reserve_chunks(chunks);
            }
            self.cut_full_chunks();
            self.cut_chunk(self.memory.tail.filled_len());
        }
        self.flushed += chunk.len() as u64;
        self.push_chunk(chunk);
        self.update_room();
        Ok(())
    }

    /// Adds slices of `chunk` by reference, none longer than a planned chunk. Text before them is filled up to half a
    /// chunk by copying, and a short rest is copied too: no chunk is small only because a fragment begins or ends
    /// there.
    fn link_in_slices(&mut self, mut chunk: Bytes) -> Result<()> {
        while chunk.len() >= self.memory.plan.chunk_len() / 2 {
            let (planned, filled) = (self.memory.plan.chunk_len(), self.memory.tail.filled_len());
            if filled > 0 {
                let mut missing = (planned / 2 + self.headroom_in_tail()).min(planned).saturating_sub(filled);
                while chunk.get(missing).is_some_and(|byte| byte & 0xc0 == 0x80) {
                    missing += 1;
                }
                self.put(&chunk.split_to(missing.min(chunk.len())))?;
                if self.memory.tail.filled_len() >= planned / 2 {
                    self.cut_chunk(char_boundary_before_end(self.memory.tail.filled()));
                }
            } else {
                let len = char_boundary_before_end(&chunk[..chunk.len().min(planned)]);
                if len < planned / 2 {
                    break;
                }
                self.flushed += len as u64;
                self.memory.plan.record(len);
                self.push_chunk(chunk.split_to(len));
            }
        }
        self.update_room();
        self.put(&chunk)
    }
}
