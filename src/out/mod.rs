//! The only write path. `fmt` writes every byte of a document through an [`Out`]; nothing else reserves or commits
//! bytes.
//!
//! Writing is a comparison and a copy into the open [`Tail`]. When its room is used up, [`Out::refill`] decides what
//! happens: in memory the tail is cut into chunks and a new slab is opened; while streaming the bytes leave through the
//! [`Spill`] edge and the same buffer is filled again. On demand it is as in memory, but a slab is one chunk, and the
//! chunks are taken away as they are finished; see `out/demand.rs`. With a pool, slabs are its buffers. What stands
//! before a body whose length is known last is put into the headroom of its first chunk at the end; see
//! `out/framed.rs`, and `out/message.rs` for messages on demand.

mod demand;
mod failure;
mod framed;
mod hold;
mod keys;
mod message;
mod plan;
pub(crate) mod tail;
mod utf8;

use std::io;
use std::mem::{self, MaybeUninit};

use bytes::{Bytes, BytesMut};
use smallvec::SmallVec;

use crate::error::{Error, Result};
use crate::options::Options;
use crate::pool::{Buffer, Pool};
use crate::rope::Rope;

pub(crate) use demand::ParkedOut;
use failure::FirstFailure;
use hold::Holds;
pub(crate) use keys::CopiedNames;
use keys::OpenKeys;
use message::Message;
use plan::Growth;
pub(crate) use plan::MAX_REMEMBERED;
pub(crate) use tail::scratch;
use tail::{SCRATCH, Scratch, Tail};
pub(crate) use utf8::whole_characters;

/// Where bytes go while the document is still being encoded.
///
/// `out` only declares it; `sink` implements it for writers. It is called through `dyn`, once for many kilobytes.
pub(crate) trait Spill {
    /// Takes all of `parts`, in order. None of them is empty.
    fn spill(&mut self, parts: &[&[u8]]) -> io::Result<()>;
}

/// The output of one document. In this order: see `Formatter`.
#[repr(C)]
pub(crate) struct Out<'a> {
    tail: Tail<'a>,
    done: Rope,
    /// The first chunk while its headroom, of so many bytes, waits for a prefix. It is not in `done`.
    first: Option<(usize, BytesMut)>,
    /// On demand, a message that is not complete.
    message: Option<Message>,
    /// Bytes at the end of each slab that are kept for a suffix.
    tailroom: usize,
    growth: Growth,
    /// Where slabs come from, if not from the allocator.
    pool: Option<&'a Pool>,
    /// Bytes that were cut, linked or handed over; those in the tail come on top.
    flushed: u64,
    /// The largest offset allowed.
    max_len: u64,
    /// The offset that `max_len` is counted from: not 0 for a later record of a stream.
    limit_from: u64,
    edge: Option<&'a mut dyn Spill>,
    /// While any is open, bytes stay in the tail, which grows, so that they can be rearranged.
    holds: Holds,
    /// Where the keys of open maps are.
    keys: OpenKeys<'a>,
    failure: FirstFailure,
    /// Whether chunks are made one at a time, as they are asked for.
    on_demand: bool,
    /// Whether there is a finished chunk or a failure: one byte to look at behind every token.
    attention: bool,
}

/// Entries of the chunk list that are reserved at a time, at most: those of 256 MiB in full chunks. With a pool nothing
/// else is allocated, so a list that was made for a longer document would be most of what a rope keeps: there it begins
/// with those of 4 MiB.
const MAX_RESERVED: usize = 4096;
const FIRST_RESERVED: usize = 64;

/// The rest of a document that would have a pool's buffer for itself is copied out if it is shorter than this. (A
/// document that fits the scratch never gets that far.) An allocation of that size takes as long as copying some
/// kilobytes; a buffer out of circulation costs another one of 64 KiB.
const COPY_OUT_BELOW: usize = 2 * 1024;

/// The plan for chunks and slabs. No chunk is longer than a buffer of the pool, if there is one.
fn growth(options: &Options, expected: usize) -> Growth {
    let longest = options.usable_pool().map_or(usize::MAX, Pool::buffer_size);
    Growth::new(options.first_chunk.min(longest), options.max_chunk.min(longest), expected)
}

impl<'a> Out<'a> {
    /// An output that is kept as a rope; `expected` is its probable length, or 0.
    pub(crate) fn in_memory(scratch: &'a mut Scratch, options: &'a Options, expected: usize) -> Out<'a> {
        Out::new(scratch, options, expected, None, OpenKeys::default())
    }

    /// An output whose bytes leave through `edge` while the document is being encoded; `names` is room for those that
    /// an error may need.
    pub(crate) fn streaming(
        scratch: &'a mut Scratch,
        options: &'a Options,
        edge: &'a mut dyn Spill,
        names: &'a mut CopiedNames,
    ) -> Out<'a> {
        Out::new(scratch, options, 0, Some(edge), OpenKeys::copied_to(names))
    }

    fn new(
        scratch: &'a mut Scratch,
        options: &'a Options,
        expected: usize,
        edge: Option<&'a mut dyn Spill>,
        keys: OpenKeys<'a>,
    ) -> Out<'a> {
        let pool = options.usable_pool();
        // What moves from the scratch must leave half of a buffer free.
        let len = pool.map_or(SCRATCH, |pool| SCRATCH.min(pool.buffer_size() / 2));
        let mut out = Out {
            tail: Tail::on_scratch(&mut scratch[..len]),
            done: Rope::new(),
            first: None,
            message: None,
            tailroom: 0,
            growth: growth(options, expected),
            pool,
            flushed: 0,
            max_len: options.max_len,
            limit_from: 0,
            edge,
            holds: Holds::default(),
            keys,
            failure: FirstFailure::default(),
            on_demand: false,
            attention: false,
        };
        out.open_room();
        out
    }

    /// Bytes produced so far.
    pub(crate) fn offset(&self) -> u64 {
        self.flushed + self.tail.filled_len() as u64
    }

    /// Bytes that have left the tail.
    pub(crate) fn flushed(&self) -> u64 {
        self.flushed
    }

    /// Bytes that can be written without a refill.
    #[inline(always)]
    pub(crate) fn room(&self) -> usize {
        self.tail.room()
    }

    /// Lets `write` fill a front part of the [`room`](Self::room).
    #[inline(always)]
    pub(crate) fn fill(&mut self, write: impl for<'s> FnOnce(&'s mut [MaybeUninit<u8>]) -> &'s mut [u8]) {
        self.tail.fill(write);
    }

    /// Writes `before`, `text` with its escapes, and `after`, if they surely fit the room. Says whether it did.
    #[inline(always)]
    pub(crate) fn put_quoted<const B: usize, const A: usize>(
        &mut self,
        before: &[u8; B],
        text: &[u8],
        after: &[u8; A],
    ) -> bool {
        self.tail.put_quoted(before, text, after)
    }

    /// Writes one byte, which must be ASCII.
    #[inline(always)]
    pub(crate) fn put_byte(&mut self, byte: u8) -> Result<()> {
        if self.tail.put_byte(byte) { Ok(()) } else { self.put_slow(&[byte]) }
    }

    /// Writes `text`, which may be cut anywhere, even inside a character.
    #[inline(always)]
    pub(crate) fn put(&mut self, text: &[u8]) -> Result<()> {
        if self.tail.put(text) { Ok(()) } else { self.put_slow(text) }
    }

    /// Fills the room up, refills, and goes on: a token that does not fit is split, so that chunks are always full.
    #[cold]
    #[inline(never)]
    pub(crate) fn put_slow(&mut self, mut text: &[u8]) -> Result<()> {
        loop {
            let (now, later) = text.split_at(text.len().min(self.tail.room()));
            self.tail.put(now);
            if later.is_empty() {
                return Ok(());
            }
            text = later;
            self.refill(text.len())?;
        }
    }

    /// Makes room when there is none, and at least `coming` bytes are about to be written.
    #[cold]
    #[inline(never)]
    pub(crate) fn refill(&mut self, coming: usize) -> Result<()> {
        debug_assert_eq!(self.tail.room(), 0);
        self.check()?;
        self.allow(1)?;
        if self.can_send() {
            self.hand_over(&[])?;
            // From the scratch at once to the largest batch: one buffer. Back to it after a hold.
            let (largest, capacity) = (self.growth.largest_batch(), self.tail.capacity());
            let too_large = capacity > largest.max(SCRATCH) && !self.tail.is_on_pooled_slab();
            if capacity < self.growth.chunk() || too_large {
                let slab = self.pool.map_or_else(|| Buffer::with_capacity(largest), Pool::take);
                self.tail.move_to(slab);
            }
        } else {
            if self.holds.open == 0 {
                self.cut_full_chunks();
            }
            // On demand, a buffer of a pool may serve for several chunks.
            let pooled = self.on_demand && self.holds.open == 0 && self.tail.is_on_pooled_slab();
            if !pooled || self.tail.capacity() < self.growth.chunk() {
                self.next_slab(coming);
            }
        }
        self.open_room();
        Ok(())
    }

    /// Moves the uncut bytes to the slab that is written next. At least `coming` bytes follow.
    fn next_slab(&mut self, coming: usize) {
        if let Some(pool) = self.pool
            && self.takes_pooled_slab(pool, coming)
        {
            // For as many chunks as are to be expected, but not all at once, or as many as there are.
            if self.flushed == 0 || self.done.list_is_full() {
                let (_, chunks) = self.growth.slab(self.tail.filled_len(), coming);
                let most = if self.flushed == 0 { FIRST_RESERVED } else { MAX_RESERVED };
                self.done.reserve(chunks.min(most), self.growth.chunk());
            }
            return self.tail.move_to(pool.take());
        }
        self.next_own_slab(coming);
    }

    /// The same, to a slab that belongs to no pool.
    fn next_own_slab(&mut self, coming: usize) {
        // More than `max_len` allows is never written.
        let filled = self.tail.filled_len();
        let allowed = self.allowed();
        let coming = coming.min(allowed);
        let capacity = if self.on_demand {
            self.one_chunk(coming)
        } else if self.edge.is_some() {
            // Held while streaming: what has left says nothing of how much will be held.
            filled.saturating_add(filled.max(coming))
        } else {
            let (capacity, chunks) = self.growth.slab(filled, coming);
            self.done.reserve(chunks.min(MAX_RESERVED), self.growth.chunk());
            capacity
        };
        self.tail.move_to_slab(capacity.min(filled.saturating_add(allowed)).saturating_add(self.tailroom));
    }

    /// Whether the next slab can be a buffer of the pool. What is held has to stay in one piece, and may not fit.
    fn takes_pooled_slab(&mut self, pool: &Pool, coming: usize) -> bool {
        if self.on_demand && self.offset() < SCRATCH as u64 {
            // As in memory, a document that fits the scratch takes no buffer away from others.
            return false;
        }
        if self.holds.open == 0 {
            // What is left of a buffer need not move if it makes a chunk of its own; and what does move leaves room.
            let filled = self.tail.filled_len();
            if self.tail.is_on_slab() && filled > 0 && filled >= self.growth.chunk() / 2 {
                self.cut_chunk(whole_characters(self.tail.filled()));
            }
        }
        let filled = self.tail.filled_len();
        let needed = if self.holds.open == 0 { filled } else { filled.saturating_add(filled.max(coming)) };
        needed.saturating_add(self.tail.headroom()) <= pool.buffer_size() / 4 * 3
    }

    /// The rope of all chunks, once the document is complete. The output is then empty.
    pub(crate) fn finish(&mut self) -> Result<Rope> {
        self.check()?;
        if self.is_one_small_chunk() {
            // Most documents: one chunk of exactly their length.
            return Ok(Rope::from(Bytes::copy_from_slice(self.tail.filled())));
        }
        self.copy_out(0);
        self.cut_full_chunks();
        self.cut_chunk(self.tail.filled_len());
        Ok(mem::take(&mut self.done))
    }

    /// Whether the whole document, now complete, is on the scratch, and no longer than the first chunk.
    #[inline]
    fn is_one_small_chunk(&self) -> bool {
        self.flushed == 0 && !self.tail.is_on_slab() && self.tail.filled_len() <= self.growth.chunk()
    }

    /// Gives the uncut bytes of a complete document, and a suffix, exactly the memory they need, if they are in none,
    /// or in too much.
    fn copy_out(&mut self, suffix: usize) {
        // A document that fits the scratch gets its exact size. So does one that was expected to be far longer.
        if !self.tail.is_on_slab() || self.wastes() || self.wastes_pooled() {
            let filled = self.tail.filled_len();
            self.tail.move_to_slab(if filled > 0 { filled + suffix } else { 0 });
            if self.done.is_empty() {
                // Let go of a list that was reserved for many chunks.
                self.done = Rope::new();
            }
        }
    }

    /// Hands over the last bytes, once the document is complete, and returns how many there were in all.
    pub(crate) fn finish_streaming(&mut self) -> Result<u64> {
        self.check()?;
        let filled = self.tail.filled_len();
        self.hand_over_front(filled, &[])?;
        Ok(self.flushed)
    }

    /// Lets `max_len` be exceeded by `more` bytes that are not of the document itself.
    pub(crate) fn exempt(&mut self, more: usize) {
        self.max_len = self.max_len.saturating_add(more as u64);
        self.limit_from += more as u64;
    }

    /// Whether [`send`](Self::send) can be called: the document is streaming, and nothing is held.
    pub(crate) fn can_send(&self) -> bool {
        self.edge.is_some() && self.holds.open == 0
    }

    /// Sends what there is, and then `parts`, none of them empty, by reference. Between characters.
    pub(crate) fn send(&mut self, parts: &[&[u8]]) -> Result<()> {
        self.check()?;
        self.allow(parts.iter().map(|part| part.len()).sum())?;
        self.hand_over(parts)?;
        self.open_room();
        Ok(())
    }

    /// Whether [`link`](Self::link) can be called: the document is kept in memory, and nothing is held.
    pub(crate) fn can_link(&self) -> bool {
        self.edge.is_none() && self.holds.open == 0
    }

    /// Adds `chunk`, which is not empty, to the rope by reference. Between characters.
    pub(crate) fn link(&mut self, chunk: Bytes) -> Result<()> {
        self.check()?;
        self.allow(chunk.len())?;
        if self.on_demand {
            return self.link_in_slices(chunk);
        }
        // What was expected of the whole document says nothing of the texts between its fragments.
        self.growth.expect_nothing();
        if self.tail.filled_len() > 0 {
            // Short texts between links come from one slab, not each from an allocation of its own, nor from a buffer
            // of a pool. And a chunk must not keep a slab that was made for a longer document.
            if !self.tail.is_on_slab() || self.wastes() {
                self.next_own_slab(0);
            }
            self.cut_full_chunks();
            self.cut_chunk(self.tail.filled_len());
        } else if self.flushed == 0 {
            // The first chunk is not ours to write into: what stands before it becomes a chunk of its own.
            self.tail.reserve_headroom(0);
        }
        self.flushed += chunk.len() as u64;
        self.done.push(chunk);
        self.open_room();
        Ok(())
    }

    /// Cuts the tail into chunks of the planned sizes, as far as it has bytes for whole ones.
    fn cut_full_chunks(&mut self) {
        while self.tail.is_on_slab() && self.tail.filled_len() >= self.growth.chunk() {
            let len = whole_characters(&self.tail.filled()[..self.growth.chunk()]);
            self.cut_chunk(self.before_headroom(len));
        }
    }

    fn cut_chunk(&mut self, len: usize) {
        if len > 0 {
            let headroom = self.tail.headroom();
            let chunk = self.tail.cut(len);
            if headroom > 0 {
                self.first = Some((headroom, chunk));
            } else if let Some(chunk) = self.keep_for_message(chunk) {
                self.done.push(chunk.freeze());
            }
            self.attention = true;
            self.flushed += len as u64;
            self.growth.count_chunk(len);
        }
    }

    /// Sends the whole characters of the tail, and then `parts`, through the edge. The same memory is filled again.
    fn hand_over(&mut self, parts: &[&[u8]]) -> Result<()> {
        self.hand_over_front(whole_characters(self.tail.filled()), parts)
    }

    fn hand_over_front(&mut self, len: usize, parts: &[&[u8]]) -> Result<()> {
        self.copy_open_keys();
        let (sent, bytes) = {
            let mut all: SmallVec<[&[u8]; 2]> = SmallVec::new();
            all.extend((len > 0).then(|| &self.tail.filled()[..len]));
            all.extend_from_slice(parts);
            let sent = match &mut self.edge {
                Some(edge) if !all.is_empty() => edge.spill(&all),
                _ => Ok(()),
            };
            (sent, all.iter().map(|part| part.len() as u64).sum::<u64>())
        };
        self.tail.discard(len);
        self.flushed += bytes;
        self.growth.count_chunk(len);
        sent.map_err(|error| self.fail(Error::io(error)))
    }

    /// Whether the slab is too large for the document: unused capacity may not exceed the output, or the scratch if
    /// that is more. A pool's buffer is what it is.
    fn wastes(&self) -> bool {
        let unused = self.tail.capacity() - self.tail.filled_len();
        unused as u64 > self.offset().max(SCRATCH as u64) && !self.tail.is_on_pooled_slab()
    }

    /// Whether the uncut bytes are few and the only ones in a pool's buffer.
    fn wastes_pooled(&self) -> bool {
        let Some(pool) = self.pool else { return false };
        let taken = self.tail.capacity() + self.tail.headroom();
        self.tail.is_on_pooled_slab() && self.tail.filled_len() < COPY_OUT_BELOW && taken >= pool.buffer_size()
    }

    /// A limit error if `more` bytes are too many.
    fn allow(&mut self, more: usize) -> Result<()> {
        if self.max_len.saturating_sub(self.offset()) >= more as u64 {
            return Ok(());
        }
        let limit = self.max_len - self.limit_from;
        let message = format!("the document is longer than the {limit} bytes that max_len or its frame allows");
        Err(self.fail(Error::limit(message)))
    }

    /// Bytes that `max_len` still allows.
    fn allowed(&self) -> usize {
        usize::try_from(self.max_len.saturating_sub(self.offset())).unwrap_or(usize::MAX)
    }

    /// Lets the tail be written up to the end of its memory, or of the next batch, but not past `max_len`.
    fn open_room(&mut self) {
        let allowed = self.allowed();
        // Not past the end of a batch, or of a chunk that somebody waits for.
        let filled = self.tail.filled_len();
        let batch = match (self.holds.open, &self.edge) {
            (0, Some(_)) => self.growth.batch().saturating_sub(filled),
            (0, None) if self.on_demand && self.tail.is_on_slab() => self.growth.chunk().saturating_sub(filled),
            _ => usize::MAX,
        };
        let tailroom = if self.tail.is_on_slab() { self.tailroom } else { 0 };
        let left = (self.tail.capacity() - filled).saturating_sub(tailroom);
        self.tail.set_room(allowed.min(batch).min(left));
    }
}
