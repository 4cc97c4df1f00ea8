//! The only write path. `fmt` writes every byte of a document through an [`Out`]; nothing else reserves or commits
//! bytes.
//!
//! Writing is a comparison and a copy into the open end of [`Memory`]. When its room is used up, [`Out::refill`] does
//! what the [`Target`] asks for. A rope cuts chunks and opens another slab; a drain takes the bytes, and the same
//! memory is filled again; a document on demand makes one chunk, for which the consumer waits.
//!
//! * `tail`: the cursor over memory; the only unsafe code here
//! * `memory`, `plan`: which buffer comes next, and how large it is
//! * `target`: where bytes go
//! * `hold`: parts that stay in one piece until they are complete
//! * `message`: the front of a frame, which is known last
//! * `link`: chunks that are shared instead of copied
//! * `steps`: what only documents on demand need
//! * `part`: parts that other outputs have written
//! * `limit`: how many bytes may be written
//! * `finish`: what becomes of a document that is complete
//! * `keys`: the names of open members, for error pointers
//! * `failure`: the first failure, which decides the error

mod failure;
mod finish;
mod hold;
mod keys;
mod limit;
mod link;
mod memory;
mod message;
#[cfg(feature = "rayon")]
mod part;
mod plan;
mod steps;
pub(crate) mod tail;
mod target;
mod utf8;

use std::mem::{self, MaybeUninit};

use bytes::Bytes;
use smallvec::SmallVec;

use crate::error::{Error, Result};
use crate::options::Options;
use crate::rope::Rope;
use crate::setup::Setup;

#[cfg(feature = "rayon")]
pub(crate) use failure::Failure;
use failure::FirstFailure;
use hold::Holds;
use keys::OpenKeys;
use limit::Limit;
use memory::{Memory, Need};
use message::Message;
use tail::{Scratch, Tail};

pub(crate) use keys::CopiedNames;
pub(crate) use link::MIN_LINK_LEN;
pub(crate) use plan::MAX_REMEMBERED;
pub(crate) use tail::{Growable, SCRATCH, scratch};
pub(crate) use target::{Drain, Target};
pub(crate) use utf8::{char_boundary_before_end, floor_char_boundary};

/// The output of one document, or of one stream of records. Fields that every token needs come first: see `Formatter`.
#[repr(C)]
pub(crate) struct Out<'a> {
    memory: Memory<'a>,
    /// The finished chunks that have not been taken. `None` until there is one: an empty rope is 152 bytes, and the compiler
    /// copies them to their place.
    chunks: Option<Rope>,
    /// Bytes that have left the tail. [`offset`](Self::offset) adds those still in it.
    flushed: u64,
    limit: Limit,
    /// While any is open, bytes stay in the tail, which grows, so that they can be rearranged.
    holds: Holds,
    /// A message whose length is not known yet.
    message: Option<Message>,
    /// In a stream of records, the offset at which the current record begins.
    record_start: Option<u64>,
    target: Target<'a>,
    /// The positions of the latest keys of open maps.
    keys: OpenKeys<'a>,
    failure: FirstFailure,
    /// Whether a drain is being called. If it is set at any other time, the drain has panicked.
    is_draining: bool,
    /// Whether the room was planned while something was held, and so is larger than it otherwise would be.
    has_raised_room: bool,
    /// The offset at which a walk that can be divided stops next, if no chunk ends before. Otherwise `u64::MAX`.
    checkpoint: u64,
    /// Whether a step on demand is over: there is a finished chunk or a failure. Cached, so that the check after every
    /// token is one load.
    step_done: bool,
}

/// The most entries of the chunk list that are reserved at a time: enough for 256 MiB in full chunks. With a pool
/// nothing else is allocated, and a list made for a longer document would be most of what a rope keeps, so there the
/// list begins with entries for 4 MiB.
const MAX_RESERVED: usize = 4096;
const FIRST_RESERVED: usize = 64;

/// The least number of bytes by which the caller's memory grows.
const MIN_GROWTH: usize = 256;

impl<'a> Out<'a> {
    /// An output that starts on the stack. `estimate` is its probable length, or 0. If bytes leave early, `names` is
    /// where the names in them are kept for errors.
    #[inline(always)]
    pub(crate) fn new(
        scratch: &'a mut Scratch,
        options: &'a Options,
        estimate: usize,
        setup: &Setup,
        target: Target<'a>,
        names: Option<&'a mut CopiedNames>,
    ) -> Out<'a> {
        let tailroom = if target.is_rope() { setup.framing.1 } else { 0 };
        Out::with_memory(
            move || Memory::on_scratch(scratch, options, estimate, setup.framing.0, tailroom),
            options,
            setup,
            target,
            names,
        )
    }

    /// An output whose bytes are only counted. It never leaves the scratch, unless something is held.
    #[inline(always)]
    pub(crate) fn counting(
        scratch: &'a mut Scratch,
        options: &'a Options,
        setup: &Setup,
        names: &'a mut CopiedNames,
    ) -> Out<'a> {
        Out::with_memory(
            move || Memory::on_tail(Tail::on_scratch(scratch), options),
            options,
            setup,
            Target::Count,
            Some(names),
        )
    }

    /// An output that is appended to `memory`: written where it belongs if there is any room, otherwise on the scratch
    /// first, so that a document that fits it costs one allocation of the right size.
    #[inline(always)]
    pub(crate) fn appending(
        scratch: &'a mut Scratch,
        options: &'a Options,
        setup: &Setup,
        memory: Growable<'a>,
    ) -> Out<'a> {
        let (tail, waiting) = Tail::on_spare(memory, scratch);
        Out::with_memory(|| Memory::on_tail(tail, options), options, setup, Target::Memory(waiting), None)
    }

    /// An output without memory, to be [put on a scratch](Self::lend) for each document.
    #[inline(always)]
    pub(crate) fn at_rest(options: &'static Options, setup: &Setup) -> Out<'static> {
        Out::with_memory(|| Memory::on_tail(Tail::on_scratch(&mut []), options), options, setup, Target::Rope, None)
    }

    /// All of it in one literal, as [`Formatter::new`](crate::fmt::Formatter): then nothing is moved. There is no room yet:
    /// see [`begin`](Self::begin).
    #[inline(always)]
    fn with_memory(
        memory: impl FnOnce() -> Memory<'a>,
        options: &Options,
        setup: &Setup,
        target: Target<'a>,
        names: Option<&'a mut CopiedNames>,
    ) -> Out<'a> {
        Out {
            memory: memory(),
            chunks: None,
            flushed: 0,
            limit: Limit::new(if setup.limits_whole { options.max_len } else { u64::MAX }),
            holds: Holds::default(),
            message: None,
            record_start: None,
            target,
            keys: OpenKeys::copied_to(names),
            failure: FirstFailure::default(),
            is_draining: false,
            has_raised_room: false,
            checkpoint: u64::MAX,
            step_done: false,
        }
    }

    /// Says how long the document probably is. To be called before anything is written.
    #[inline(always)]
    pub(crate) fn expect(&mut self, estimate: usize) {
        self.memory.plan.expect(estimate);
    }

    /// Makes `memory` the target, in whose spare capacity the document begins if there is any. To be called before anything is
    /// written.
    #[inline(always)]
    pub(crate) fn append_to(&mut self, mut memory: Growable<'a>) {
        self.target = Target::Memory(if memory.spare().is_empty() {
            Some(memory)
        } else {
            self.memory.tail.enter(memory);
            None
        });
    }

    /// Takes the memory of the target out of it, if it is there.
    #[inline]
    fn take_memory(&mut self) -> Option<Growable<'a>> {
        if let Target::Memory(memory) = &mut self.target { memory.take() } else { None }
    }

    /// Opens what may be written first. To be called once, where the output stays.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.update_room();
    }

    /// Bytes produced so far.
    pub(crate) fn offset(&self) -> u64 {
        self.flushed + self.memory.tail.filled_len() as u64
    }

    /// The list of finished chunks, to be changed.
    fn list(&mut self) -> &mut Rope {
        self.chunks.get_or_insert_with(Rope::new)
    }

    /// The finished chunks.
    fn finished(&self) -> &[Bytes] {
        self.chunks.as_ref().map_or(&[], Rope::chunks)
    }

    /// Bytes in the finished chunks.
    fn finished_len(&self) -> usize {
        self.chunks.as_ref().map_or(0, Rope::len)
    }

    /// Bytes that have left the tail.
    pub(crate) fn flushed(&self) -> u64 {
        self.flushed
    }

    /// Bytes of the document produced so far, without the headroom of a message.
    pub(crate) fn produced(&self) -> u64 {
        let headroom = self.message.as_ref().map_or(0, |message| message.headroom);
        self.offset() - headroom as u64
    }

    /// Bytes that can be written without a refill.
    #[inline(always)]
    pub(crate) fn room(&self) -> usize {
        self.memory.tail.room()
    }

    /// Lets `write` fill a front part of the [`room`](Self::room).
    #[inline(always)]
    pub(crate) fn fill(&mut self, write: impl for<'s> FnOnce(&'s mut [MaybeUninit<u8>]) -> &'s mut [u8]) {
        self.memory.tail.fill(write);
    }

    /// Writes `before`, `text` with its escapes, and `after`, if there surely is room for them. Returns whether it did.
    #[inline(always)]
    pub(crate) fn put_quoted<const B: usize, const A: usize>(
        &mut self,
        before: &[u8; B],
        text: &[u8],
        after: &[u8; A],
    ) -> bool {
        self.memory.tail.put_quoted(before, text, after)
    }

    /// Writes the first `len` bytes of `block`, with `first` in the place of the first one, if all of it would fit, and `len`
    /// is not 0. Returns whether it did.
    #[inline(always)]
    pub(crate) fn put_block<const N: usize>(&mut self, first: u8, block: &[u8; N], len: usize) -> bool {
        self.memory.tail.put_block(first, block, len)
    }

    /// Writes one byte, which must be ASCII.
    #[inline(always)]
    pub(crate) fn put_byte(&mut self, byte: u8) -> Result<()> {
        if self.memory.tail.put_byte(byte) { Ok(()) } else { self.put_slow(&[byte]) }
    }

    /// Writes `text`, which may be cut anywhere, even inside a character.
    #[inline(always)]
    pub(crate) fn put(&mut self, text: &[u8]) -> Result<()> {
        if self.memory.tail.put(text) { Ok(()) } else { self.put_slow(text) }
    }

    /// Fills the room, refills, and continues: a token that does not fit is split, so that chunks are always full.
    #[cold]
    #[inline(never)]
    pub(crate) fn put_slow(&mut self, mut text: &[u8]) -> Result<()> {
        loop {
            let (now, later) = text.split_at(text.len().min(self.memory.tail.room()));
            self.memory.tail.put(now);
            if later.is_empty() {
                return Ok(());
            }
            text = later;
            self.refill(text.len())?;
        }
    }

    /// Makes room when there is none. At least `coming` bytes are about to be written.
    #[cold]
    #[inline(never)]
    pub(crate) fn refill(&mut self, coming: usize) -> Result<()> {
        debug_assert_eq!(self.memory.tail.room(), 0);
        self.check()?;
        self.check_limit(1)?;
        if self.has_passed_checkpoint() {
            return Ok(());
        }
        match &self.target {
            Target::Drain(_) if self.holds.is_empty() => {
                let sendable = self.sendable(char_boundary_before_end(self.memory.tail.filled()));
                self.flush_front(sendable, &[])?;
                if self.memory.is_bad_batch() || self.memory.unused() == 0 {
                    self.next_buffer(coming);
                }
            }
            Target::Drain(_) => self.next_buffer(coming),
            Target::Rope => {
                self.cut_full_chunks();
                self.next_buffer(coming);
            }
            Target::Steps => self.refill_step(coming),
            Target::Count if self.holds.is_empty() => self.flush(&[])?,
            Target::Count => self.next_buffer(coming),
            Target::Memory(_) => self.grow(coming),
        }
        self.update_room();
        Ok(())
    }

    /// Makes the caller's memory larger, and moves there if the document is still on the scratch.
    fn grow(&mut self, coming: usize) {
        let more = coming.min(self.remaining()).max(self.memory.tail.filled_len()).max(MIN_GROWTH);
        let Target::Memory(memory) = &mut self.target else { return };
        match memory.take() {
            Some(memory) => self.memory.tail.move_to_spare(memory, more),
            None => self.memory.tail.grow(more),
        }
    }

    /// Moves the uncut bytes to the buffer that is written next, from the pool if there is one.
    fn next_buffer(&mut self, coming: usize) {
        let (need, held, allowed) = (self.need(), !self.holds.is_empty(), self.remaining());
        if self.memory.has_pool() && !held && self.target.is_rope() {
            // The rest of a buffer need not move if it is long enough for a chunk; and less to move leaves more room.
            self.cut_rest();
        }
        let chunks = self.memory.next_buffer(need, held, coming, allowed);
        self.reserve_chunks(chunks);
    }

    /// The purpose of the target's next buffer.
    fn need(&self) -> Need {
        match &self.target {
            Target::Rope => Need::Rope,
            Target::Steps => Need::Step,
            Target::Drain(_) | Target::Count | Target::Memory(_) => Need::Batch,
        }
    }

    /// Reserves list entries for the chunks that are expected, but not for all of a long document at once.
    fn reserve_chunks(&mut self, chunks: usize) {
        let (has_pool, is_first) = (self.memory.has_pool(), self.flushed == 0);
        if self.target.is_rope() && (!has_pool || is_first || self.list().list_is_full()) {
            let most = if has_pool && is_first { FIRST_RESERVED } else { MAX_RESERVED };
            let len = self.memory.plan.chunk_len();
            self.list().reserve(chunks.min(most), len);
        }
    }

    /// Makes a chunk of the rest of a slab if it is at least half of one.
    fn cut_rest(&mut self) {
        let filled = self.memory.tail.filled_len();
        if self.memory.tail.is_on_slab() && filled > 0 && filled >= self.memory.plan.chunk_len() / 2 {
            self.cut_chunk(char_boundary_before_end(self.memory.tail.filled()));
        }
    }

    fn tail_mut(&mut self) -> &mut Tail<'a> {
        &mut self.memory.tail
    }

    /// Whether nothing is held back, so that bytes can leave.
    fn is_free(&self) -> bool {
        self.holds.is_empty()
    }

    /// Whether [`send`](Self::send) can be called with `len` bytes: bytes leave while they are encoded, nothing is held, and
    /// there is no record that would leave in parts.
    pub(crate) fn can_send(&self, len: usize) -> bool {
        self.target.is_stream() && self.is_free() && self.is_longer_than_a_chunk(len)
    }

    /// Whether the record that is being written is longer than a chunk, with `coming` bytes more. True if there are none.
    fn is_longer_than_a_chunk(&self, coming: usize) -> bool {
        let max = self.memory.plan.max_chunk() as u64;
        self.record_start.is_none_or(|start| (self.offset() - start).saturating_add(coming as u64) > max)
    }

    /// How many of the first `len` bytes of the tail can leave it: no part of a record, unless it is longer than a chunk.
    fn sendable(&self, len: usize) -> usize {
        match self.record_in_tail() {
            Some(start) if !self.is_longer_than_a_chunk(0) => len.min(start),
            _ => len,
        }
    }

    /// Hands the whole records before a failure to the drain. What is wrong with it then makes no difference.
    #[cold]
    pub(crate) fn flush_records(&mut self) {
        let works = !self.is_draining && !self.failure.is_io();
        if let (true, true, Some(start)) = (works, self.target.is_stream(), self.record_in_tail()) {
            _ = self.flush_front(start, &[]);
        }
    }

    /// Flushes the tail, and then sends `parts`, none of them empty, by reference. Only between characters.
    pub(crate) fn send(&mut self, parts: &[&[u8]]) -> Result<()> {
        self.check()?;
        self.check_limit(parts.iter().map(|part| part.len()).fold(0, usize::saturating_add))?;
        self.flush(parts)?;
        self.update_room();
        Ok(())
    }

    /// The longest chunk that can be cut now.
    fn max_cut(&self) -> usize {
        (self.memory.plan.chunk_len() + self.memory.framing).min(self.memory.plan.max_chunk())
    }

    /// Cuts full chunks of the planned sizes off the tail, unless something is held.
    fn cut_full_chunks(&mut self) {
        if !self.is_free() {
            return;
        }
        while self.memory.tail.is_on_slab() && self.memory.tail.filled_len() >= self.max_cut() {
            let len = char_boundary_before_end(&self.memory.tail.filled()[..self.max_cut()]);
            self.cut_chunk(self.before_headroom(len));
        }
    }

    /// Makes a chunk of the `len` oldest bytes, if there are any.
    fn cut_chunk(&mut self, len: usize) {
        debug_assert!(self.target.has_chunks());
        if len > 0 {
            let chunk = self.memory.tail.cut(len);
            self.flushed += len as u64;
            self.memory.plan.record(len - mem::take(&mut self.memory.framing).min(len));
            if let Some(chunk) = self.keep_for_message(chunk) {
                self.push_chunk(chunk.freeze());
            }
        }
    }

    fn push_chunk(&mut self, chunk: Bytes) {
        self.list().push(chunk);
        self.step_done = true;
    }

    /// Hands the whole characters of the tail, and then `parts`, to the drain, after which the memory is filled again.
    fn flush(&mut self, parts: &[&[u8]]) -> Result<()> {
        self.flush_front(char_boundary_before_end(self.memory.tail.filled()), parts)
    }

    fn flush_front(&mut self, len: usize, parts: &[&[u8]]) -> Result<()> {
        self.copy_open_keys();
        let mut all: SmallVec<[&[u8]; 2]> = SmallVec::new();
        all.extend((len > 0).then(|| &self.memory.tail.filled()[..len]));
        all.extend_from_slice(parts);
        if all.is_empty() {
            return Ok(());
        }
        let mut drained = Ok(());
        if let Target::Drain(drain) = &mut self.target {
            // If the drain panics, and a `Serialize` catches that, nothing is sent a second time.
            self.is_draining = true;
            drained = drain.drain(&all);
            self.is_draining = false;
        }
        let bytes = all.iter().map(|part| part.len() as u64).sum::<u64>();
        drop(all);
        self.memory.tail.discard(len);
        self.flushed += bytes;
        self.memory.plan.record(len);
        drained.map_err(|error| self.fail(Error::io(error)))
    }

    /// Bytes up to the next checkpoint.
    fn to_checkpoint(&self) -> usize {
        if self.checkpoint == u64::MAX {
            return usize::MAX;
        }
        usize::try_from(self.checkpoint.saturating_sub(self.offset())).unwrap_or(usize::MAX)
    }

    /// If the room ended at a checkpoint, ends the step, and opens what comes after it. Returns whether there is room then.
    fn has_passed_checkpoint(&mut self) -> bool {
        if self.offset() < self.checkpoint {
            return false;
        }
        self.checkpoint = u64::MAX;
        self.step_done = true;
        self.update_room();
        self.memory.tail.room() > 0
    }

    /// Sets the room of the tail: up to the end of its memory, or of the batch or step, but not past the limit.
    #[inline]
    fn update_room(&mut self) {
        let filled = self.memory.tail.filled_len();
        let planned = match &self.target {
            Target::Rope | Target::Count | Target::Memory(_) => usize::MAX,
            _ if !self.is_free() => usize::MAX,
            // A record that is shorter than a chunk stays until it is whole.
            Target::Drain(_) if self.record_start.is_some() && filled >= self.memory.plan.batch() => {
                self.memory.plan.max_batch().saturating_sub(filled)
            }
            Target::Drain(_) => self.memory.plan.batch().saturating_sub(filled),
            Target::Steps if self.memory.tail.is_on_slab() => self.memory.plan.chunk_len().saturating_sub(filled),
            Target::Steps => usize::MAX,
        };
        let room = self.memory.unused().saturating_sub(self.memory.tailroom);
        self.memory.tail.set_room(self.remaining().min(planned).min(room).min(self.to_checkpoint()));
        self.has_raised_room = !self.is_free();
    }
}
