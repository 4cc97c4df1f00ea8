//! What stands before and behind a body in memory. Messages on demand are in `out/message.rs`.
//!
//! The prefix of a frame often is the length of its body, and so is known last. There is headroom before the body in
//! the first slab, and the first chunk stays writable until the end: the prefix is put there right-aligned, and the
//! chunk begins with it. Slabs also have some bytes left at their end for the suffix. So a framed document is cut, and
//! allocated, as an unframed one.

use std::mem;

use bytes::{Buf, Bytes, BytesMut};

use super::Out;
use super::utf8;
use crate::error::Result;
use crate::rope::Rope;

impl Out<'_> {
    /// Keeps room before the first chunk for a prefix of up to `headroom` bytes, and behind the last one for a suffix.
    /// Nothing may be written yet.
    pub(crate) fn reserve_frame(&mut self, headroom: usize, tailroom: usize) {
        self.tail.reserve_headroom(headroom);
        // A pool's buffer is one full chunk, and stays that: there the suffix may become a chunk of its own.
        self.tailroom = if self.pool.is_none() { tailroom } else { 0 };
    }

    /// The rope of all chunks with `prefix` and `suffix` around them, once the body is complete. The prefix is at most
    /// as long as the headroom that was reserved.
    pub(crate) fn finish_framed(&mut self, prefix: &[u8], suffix: &'static [u8]) -> Result<Rope> {
        self.check()?;
        let filled = self.tail.filled();
        let total = prefix.len() + filled.len() + suffix.len();
        if self.is_one_small_chunk() && total <= self.growth.max() {
            let mut message = Vec::with_capacity(total);
            message.extend_from_slice(prefix);
            message.extend_from_slice(filled);
            message.extend_from_slice(suffix);
            return Ok(Rope::from(message));
        }
        let suffix_behind = self.cut_with_suffix(suffix);
        let mut rope = mem::take(&mut self.done);
        match self.first.take() {
            Some((headroom, first)) => self.put_in_headroom(&mut rope, first, headroom, prefix),
            // The document begins with a fragment that was linked, or there is no prefix.
            None => rope.push_front(Bytes::copy_from_slice(prefix)),
        }
        rope.push(Bytes::from_static(suffix_behind));
        Ok(rope)
    }

    /// Makes the last chunks of the body, and puts the suffix behind it in the last one if there is room. Else returns
    /// it.
    fn cut_with_suffix(&mut self, suffix: &'static [u8]) -> &'static [u8] {
        self.copy_out(suffix.len());
        // The limit is for the body.
        self.tail.set_room(usize::MAX);
        let joined = self.tail.filled_len() > 0 && self.tail.put(suffix);
        let (more, behind) = if joined { (suffix.len(), &suffix[..0]) } else { (0, suffix) };
        loop {
            let filled = self.tail.filled_len();
            let longest = (self.growth.chunk() + more).min(self.growth.max());
            if filled <= longest || !self.tail.is_on_slab() {
                self.cut_chunk(filled);
                return behind;
            }
            self.cut_chunk(utf8::whole_characters(&self.tail.filled()[..self.growth.chunk()]));
        }
    }

    fn put_in_headroom(&self, rope: &mut Rope, mut first: BytesMut, headroom: usize, prefix: &[u8]) {
        first[headroom - prefix.len()..headroom].copy_from_slice(prefix);
        first.advance(headroom - prefix.len());
        let mut first = first.freeze();
        if first.len() > self.growth.max() {
            // The first chunk has the greatest length already.
            let body = first.split_off(utf8::whole_characters(&first[..self.growth.max()]));
            rope.push_front(body);
        }
        rope.push_front(first);
    }
}
