//! A message on demand, whose length stands before it: it may be longer than a chunk, so its first chunk waits, with
//! headroom, until the length is known. What the headroom had too much is closed by moving the rest of that chunk.
//!
//! Chunks behind the first one are finished as ever, and linked fragments stay linked; they only cannot be taken yet,
//! because a step does not end within a message.

use bytes::BytesMut;

use super::Out;
use crate::error::Result;

/// Chunks of less than this may be shorter than the headroom. Messages are then held in one piece instead.
const LEAST_CHUNK: usize = 64;

/// A message of which the length is not known yet.
pub(super) struct Message {
    /// Where its headroom begins: in the tail, or in `first`.
    at: usize,
    headroom: usize,
    /// The offset at which it begins.
    began: u64,
    /// The chunk that the headroom is in, once it is cut, and its place in the list of finished chunks.
    first: Option<(usize, BytesMut)>,
    held: bool,
}

impl Message {
    /// The chunk that the headroom is in, once it is cut, and its place in the list of finished chunks.
    pub(super) fn first(&self) -> Option<(usize, &[u8])> {
        self.first.as_ref().map(|(index, chunk)| (*index, &chunk[..]))
    }
}

impl Out<'_> {
    /// Begins a message with room for a prefix of up to `headroom` bytes. Ends the one before.
    pub(crate) fn begin_message(&mut self, headroom: usize) -> Result<()> {
        // The headroom in one piece, if possible without moving what stands before it.
        let filled = self.tail.filled_len();
        let left = self.tail.capacity() - filled;
        if left < headroom && self.tail.is_on_slab() && filled >= self.growth.chunk() / 2 {
            self.cut_chunk(filled);
        }
        let held = self.growth.chunk() < LEAST_CHUNK;
        self.hold()?;
        let (at, began) = (self.tail.filled_len(), self.offset());
        for _ in 0..headroom {
            self.put_byte(0)?;
        }
        if !held {
            self.release();
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
        let close = |bytes: &mut [u8]| {
            bytes[unused..headroom].copy_from_slice(prefix);
            if unused > 0 {
                bytes.copy_within(unused.., 0);
            }
        };
        match first {
            None => {
                close(&mut self.tail.filled_mut()[at..]);
                self.tail.truncate(self.tail.filled_len() - unused);
            }
            Some((index, mut chunk)) => {
                close(&mut chunk[at..]);
                chunk.truncate(chunk.len() - unused);
                self.flushed -= unused as u64;
                self.done.insert(index, chunk.freeze());
            }
        }
        if held {
            self.release();
        }
        self.cut_held();
    }

    /// Takes a message that failed back, with its headroom.
    pub(crate) fn cancel_message(&mut self) {
        let Some(Message { at, began, first, held, .. }) = self.message.take() else { return };
        match first {
            None => self.tail.truncate(at),
            Some((index, mut chunk)) => {
                self.done.truncate_chunks(index);
                chunk.truncate(at);
                self.done.push(chunk.freeze());
                self.tail.truncate(0);
                self.flushed = began;
            }
        }
        if held {
            self.release();
        }
    }

    /// The most bytes up to `len` that can be cut without cutting the headroom of a message.
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

    /// Takes a chunk that was cut from the tail, if it has the headroom of a message in it. Else gives it back.
    pub(super) fn keep_for_message(&mut self, chunk: BytesMut) -> Option<BytesMut> {
        match &mut self.message {
            Some(message) if message.first.is_none() => {
                if message.at < chunk.len() {
                    message.first = Some((self.done.chunks().len(), chunk));
                    return None;
                }
                message.at -= chunk.len();
                Some(chunk)
            }
            _ => Some(chunk),
        }
    }
}
