//! The front of a frame that begins with the length of its body, which is known last.
//!
//! Room for the longest prefix is written before the body like any other bytes, and the first chunk of the message
//! stays writable until the message is complete. Then the prefix is put in, right-aligned. Headroom that is left over
//! at the front of a chunk is skipped; inside a chunk, the rest of the chunk is moved over it.
//!
//! Later chunks are finished as usual, and linked fragments stay linked, but neither the first chunk nor any after it can
//! be taken before the message is complete.

use bytes::{Buf, Bytes, BytesMut};

use super::Out;
use crate::error::Result;

/// Chunks that are shorter than this may be shorter than the headroom. Messages are then held in one piece.
const MIN_SPLIT_CHUNK: usize = 64;

/// A message whose length is not known yet.
pub(super) struct Message {
    /// Where its headroom begins: in the tail, or in `first`.
    at: usize,
    pub(super) headroom: usize,
    /// The offset at which it begins.
    began: u64,
    /// The chunk that contains the headroom, once it is cut, and its place in the list of finished chunks.
    pub(super) first: Option<(usize, BytesMut)>,
    held: bool,
}

impl Message {
    /// The bytes of `first`, with its place in the list.
    pub(super) fn first(&self) -> Option<(usize, &[u8])> {
        self.first.as_ref().map(|(index, chunk)| (*index, &chunk[..]))
    }

    /// Whether the oldest chunk is that of the headroom.
    pub(super) fn is_in_oldest_chunk(&self) -> bool {
        self.first.as_ref().is_some_and(|(index, _)| *index == 0)
    }

    /// Notes that the oldest chunk, which is before the message, was taken.
    pub(super) fn chunk_taken(&mut self) {
        if let Some((index, _)) = &mut self.first {
            *index -= 1;
        }
    }
}

impl Out<'_> {
    /// Begins a message with room for a prefix of up to `headroom` bytes.
    pub(crate) fn begin_message(&mut self, headroom: usize) -> Result<()> {
        // The headroom has to be in one piece, if possible without moving the bytes before it. (To a drain they are sent by
        // `hold`.)
        let filled = self.memory.tail.filled_len();
        let half = self.memory.plan.chunk_len() / 2;
        let may_move = self.memory.unused() < headroom && filled >= half;
        if may_move && self.memory.tail.is_on_slab() && self.target.has_chunks() {
            self.cut_chunk(filled);
        }
        // Bytes that a drain has taken cannot be changed any more.
        let held = self.target.is_stream() || self.memory.plan.chunk_len() < MIN_SPLIT_CHUNK;
        self.hold()?;
        let (at, began) = (self.memory.tail.filled_len(), self.offset());
        self.put(&[0; 32][..headroom])?;
        if !held {
            self.release();
        }
        if self.target.is_rope() {
            self.memory.framing = headroom;
        }
        self.message = Some(Message { at, headroom, began, first: None, held });
        Ok(())
    }

    /// Bytes of the message so far, without its headroom.
    pub(crate) fn message_len(&self) -> u64 {
        self.message.as_ref().map_or(0, |message| self.offset() - message.began - message.headroom as u64)
    }

    /// Puts `prefix`, at most as long as the headroom, before the message, which is then complete.
    pub(crate) fn end_message(&mut self, prefix: &[u8]) {
        let Some(Message { at, headroom, first, held, .. }) = self.message.take() else { return };
        let unused = headroom - prefix.len();
        match first {
            None if at == 0 => {
                self.memory.tail.filled_mut()[unused..headroom].copy_from_slice(prefix);
                self.memory.skip(unused);
                self.memory.framing = self.memory.framing.saturating_sub(unused);
            }
            None => {
                close(&mut self.memory.tail.filled_mut()[at..], unused, headroom, prefix);
                self.memory.tail.truncate(self.memory.tail.filled_len() - unused);
            }
            Some((index, mut chunk)) => {
                if at == 0 {
                    chunk[unused..headroom].copy_from_slice(prefix);
                    chunk.advance(unused);
                } else {
                    close(&mut chunk[at..], unused, headroom, prefix);
                    chunk.truncate(chunk.len() - unused);
                }
                self.flushed -= unused as u64;
                self.list().insert(index, chunk.freeze());
            }
        }
        if held {
            self.release();
        }
        self.cut_released();
        self.update_room();
    }

    /// Writes the front of a frame that has no length.
    pub(crate) fn put_opening(&mut self, opening: &'static [u8]) -> Result<()> {
        if self.target.is_rope() {
            self.memory.framing += opening.len();
        }
        self.put(opening)
    }

    /// Writes the end of a frame, into the room that was kept for it if there is any.
    #[inline]
    pub(crate) fn put_suffix(&mut self, suffix: &'static [u8]) -> Result<()> {
        match suffix {
            _ if self.target.is_rope() => self.put_last_suffix(suffix),
            // A line feed, most of the time: a store instead of a call that copies one byte.
            [byte] => self.put_byte(*byte),
            _ => self.put(suffix),
        }
    }

    /// Writes the suffix of the only message. It may make the last chunk longer than planned.
    #[inline(never)]
    fn put_last_suffix(&mut self, suffix: &'static [u8]) -> Result<()> {
        self.memory.tailroom = 0;
        self.update_room();
        if self.room() < suffix.len() && self.memory.tail.filled_len() > 0 {
            return self.link(Bytes::from_static(suffix));
        }
        self.memory.suffix = suffix.len();
        self.put(suffix)
    }

    /// The largest length up to `len` that can be cut without splitting the headroom of a message.
    pub(super) fn before_headroom(&self, len: usize) -> usize {
        match &self.message {
            Some(Message { at, headroom, first: None, .. }) if *at < len && len < at + headroom => *at,
            _ => len,
        }
    }

    /// Bytes in the tail that are headroom.
    pub(super) fn headroom_in_tail(&self) -> usize {
        self.message.as_ref().map_or(0, |message| if message.first.is_none() { message.headroom } else { 0 })
    }

    /// Keeps a chunk that was cut from the tail if the headroom of a message is in it. Otherwise returns it.
    pub(super) fn keep_for_message(&mut self, chunk: BytesMut) -> Option<BytesMut> {
        let index = self.finished().len();
        match &mut self.message {
            Some(message) if message.first.is_none() => {
                if message.at < chunk.len() {
                    message.first = Some((index, chunk));
                    return None;
                }
                message.at -= chunk.len();
                Some(chunk)
            }
            _ => Some(chunk),
        }
    }
}

/// Puts `prefix` at the end of the headroom and moves all of it over the unused part.
fn close(bytes: &mut [u8], unused: usize, headroom: usize, prefix: &[u8]) {
    bytes[unused..headroom].copy_from_slice(prefix);
    if unused > 0 {
        bytes.copy_within(unused.., 0);
    }
}
