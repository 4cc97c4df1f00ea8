//! The memory that a document is written into, and the choice of the next buffer. Only this file knows the pool and how
//! slabs grow.
//!
//! Three sizes that are easily confused:
//!
//! * the **scratch** is a fixed area on the stack that a document starts in;
//! * a **chunk** is what the rope holds and the socket sees;
//! * a **slab** is what the allocator sees: one allocation that is cut into chunks which share it.

use std::borrow::Cow;
use std::ops::Range;

use super::plan::ChunkPlan;
use super::tail::{MAX_FRAMING, SCRATCH, Scratch, Tail};
use crate::options::Options;
use crate::pool::{Buffer, Pool};

/// If the last bytes of a document are alone in a pool's buffer and fewer than this, they are copied out of it. (A
/// document that fits the scratch never takes a buffer.) An allocation of that size takes as long as copying some
/// kilobytes; a buffer out of circulation costs another one of 64 KiB.
const MIN_POOLED_TAIL: usize = 2 * 1024;

/// What the next buffer is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Chunks of a rope: slabs double.
    Rope,
    /// One chunk that somebody waits for.
    Step,
    /// A batch for a writer: the same memory is filled again after it.
    Batch,
}

/// The open end of a document and the source of its buffers. `tail` comes first, so that what every token needs has a
/// small offset: see `Formatter`.
#[repr(C)]
pub(super) struct Memory<'a> {
    pub(super) tail: Tail<'a>,
    pub(super) plan: ChunkPlan,
    /// Where buffers come from, if not from the allocator.
    pool: Option<Cow<'a, Pool>>,
    /// Bytes in the tail that are the front of a frame. The plan is for the body.
    pub(super) framing: usize,
    /// Bytes at the end of the tail that are the end of a frame.
    pub(super) suffix: usize,
    /// Bytes at the end of each slab that are kept for the suffix of a frame.
    pub(super) tailroom: usize,
    /// Whether this document has been given a new buffer although the pool was full.
    is_beyond_pool: bool,
    /// What the latest slab had when it was new. If the tail has as much, nothing was cut from it.
    slab_capacity: usize,
    /// The slabs of a rope that were left with much of them unused.
    left: Option<Box<Left>>,
}

/// Slabs that chunks were cut from, and that keep memory in which there is no chunk: what was held has moved out of it.
#[derive(Default)]
struct Left {
    /// Their addresses.
    slabs: Vec<Range<usize>>,
    /// Bytes of them that are not in chunks.
    unused: usize,
}

impl<'a> Memory<'a> {
    /// Memory of a document that starts on the stack and is probably `estimate` bytes long (0: unknown), with room for
    /// a frame of `headroom` bytes before it and `tailroom` after it.
    #[inline(always)]
    pub(super) fn on_scratch(
        scratch: &'a mut Scratch,
        options: &'a Options,
        estimate: usize,
        headroom: usize,
        tailroom: usize,
    ) -> Memory<'a> {
        let framing = (headroom + tailroom).min(MAX_FRAMING);
        let (len, pool, tailroom) = match options.usable_pool() {
            None => (SCRATCH + framing, None, tailroom),
            // Bytes that move from the scratch must leave half of a buffer free. A pool's buffer is one full chunk,
            // with no room for a suffix, which may then become a chunk of its own.
            Some(pool) => (SCRATCH.min(pool.buffer_size() / 2) + framing, Some(Cow::Borrowed(pool)), 0),
        };
        // The plan first: then the tail is built in its place.
        let plan = plan(options, estimate);
        Memory {
            tail: Tail::on_scratch(&mut scratch[..len]),
            plan,
            pool,
            framing: 0,
            suffix: 0,
            tailroom,
            is_beyond_pool: false,
            slab_capacity: 0,
            left: None,
        }
    }

    /// Memory of a document that borrows nothing. Allocates nothing yet.
    pub(super) fn on_heap(options: &Options) -> Memory<'static> {
        let pool = options.usable_pool().cloned().map(Cow::Owned);
        Memory { pool, ..Memory::on_tail(Tail::on_scratch(&mut []), options) }
    }

    /// Memory that begins with `tail` and takes nothing from a pool.
    #[inline(always)]
    pub(super) fn on_tail(tail: Tail<'a>, options: &Options) -> Memory<'a> {
        Memory {
            tail,
            plan: plan(options, 0),
            pool: None,
            framing: 0,
            suffix: 0,
            tailroom: 0,
            is_beyond_pool: false,
            slab_capacity: 0,
            left: None,
        }
    }

    /// Whether the document has never left the scratch.
    pub(super) fn is_on_scratch(&self) -> bool {
        self.slab_capacity == 0 && self.tail.is_on_scratch()
    }

    /// Bytes of the open slab, or of the scratch, that are not written.
    pub(super) fn unused(&self) -> usize {
        self.tail.capacity() - self.tail.filled_len()
    }

    /// Moves the uncut bytes to the next buffer. At least `coming` bytes follow, and at most `allowed`. If they are
    /// `held`, all of them have to stay in one piece. Returns how many chunks the buffer will be cut into.
    pub(super) fn next_buffer(&mut self, need: Need, held: bool, coming: usize, allowed: usize) -> usize {
        let filled = self.tail.filled_len();
        if let Some(pool) = &self.pool {
            // A buffer that is almost full of held bytes would have to be left again at once.
            let needed = if held { filled.saturating_add(filled.max(coming)) } else { filled };
            if needed <= pool.buffer_size() / 4 * 3 {
                if let Some(buffer) = self.pooled_buffer(need) {
                    let chunks = self.plan.slab(filled, coming).1;
                    self.tail.move_to(buffer);
                    return chunks;
                }
            }
        }
        self.allocate(need, held, coming, allowed)
    }

    /// A buffer of the pool, unless this document is longer than all of them, and allocates less as slabs. One buffer more
    /// than the pool may keep is new in any case, so that those whose chunks are kept for long do not stay the pool's
    /// forever.
    fn pooled_buffer(&mut self, need: Need) -> Option<Buffer> {
        let pool = self.pool.as_deref()?;
        if let Some(buffer) = pool.take_free() {
            return Some(buffer);
        }
        if need == Need::Rope && pool.is_full() {
            if self.is_beyond_pool {
                return None;
            }
            self.is_beyond_pool = true;
        }
        Some(pool.take_new())
    }

    /// Moves the uncut bytes to a slab that belongs to no pool. Otherwise like [`next_buffer`](Self::next_buffer).
    pub(super) fn allocate(&mut self, need: Need, held: bool, coming: usize, allowed: usize) -> usize {
        let filled = self.tail.filled_len();
        let coming = coming.min(allowed);
        let doubled = filled.saturating_add(filled.max(coming));
        let (capacity, chunks) = match need {
            Need::Rope => {
                let (capacity, chunks) = self.plan.slab(filled.saturating_sub(self.framing), coming);
                (capacity.saturating_add(self.framing), chunks)
            }
            Need::Step if filled < self.plan.chunk_len() => (self.plan.chunk_len(), 1),
            // Bytes already sent do not predict how many will be held, so double.
            Need::Step => (doubled, 1),
            Need::Batch if held => (doubled, 0),
            Need::Batch => (self.plan.max_batch(), 0),
        };
        if need == Need::Rope {
            self.leave();
        }
        self.tail.move_to_slab(capacity.min(filled.saturating_add(allowed)).saturating_add(self.tailroom));
        self.slab_capacity = self.tail.capacity();
        chunks
    }

    pub(super) fn has_pool(&self) -> bool {
        self.pool.is_some()
    }

    #[cfg(feature = "rayon")]
    pub(super) fn pool(&self) -> Option<&Pool> {
        self.pool.as_deref()
    }

    /// Whether a batch for a writer needs another buffer: this one is too small, or a hold has made it too large.
    pub(super) fn is_bad_batch(&self) -> bool {
        let (capacity, max) = (self.tail.capacity(), self.plan.max_batch());
        capacity < self.plan.chunk_len() || (capacity > max.max(SCRATCH) && !self.tail.is_on_pooled_slab())
    }

    /// Whether the slab is too large for a document of `offset` bytes so far: unused capacity may not exceed the output, or
    /// the scratch if that is more. Pooled buffers have a fixed size, so they never count as oversized.
    pub(super) fn is_oversized(&self, offset: u64) -> bool {
        self.unused() as u64 > offset.max(SCRATCH as u64) && !self.tail.is_on_pooled_slab()
    }

    /// Gives unused memory back, at the end of a document of `offset` bytes, if it is more than a quarter of them and the slab
    /// is not cut.
    pub(super) fn shrink(&mut self, offset: u64) {
        let uncut = self.tail.capacity() == self.slab_capacity;
        if uncut && self.tail.is_on_slab() && !self.tail.is_on_pooled_slab() && self.unused() as u64 > offset / 4 {
            self.tail.shrink();
        }
    }

    /// What chunks that were cut from the latest slab keep of it for nothing, once the tail leaves it: more than a few percent,
    /// or nothing. A pool's documents are left as they are.
    fn unused_of_cut_slab(&self) -> Option<usize> {
        let unused = self.tail.capacity();
        let is_cut = self.pool.is_none() && self.tail.is_on_slab() && unused < self.slab_capacity;
        (is_cut && unused > self.slab_capacity / 32).then_some(unused)
    }

    /// The addresses of the latest slab.
    fn slab_addresses(&self) -> Range<usize> {
        let end = self.tail.end_address();
        end.saturating_sub(self.slab_capacity)..end
    }

    /// Notes that the tail leaves a slab of a rope.
    pub(super) fn leave(&mut self) {
        if let Some(unused) = self.unused_of_cut_slab() {
            let slab = self.slab_addresses();
            let left = self.left.get_or_insert_default();
            left.slabs.push(slab);
            left.unused += unused;
        }
    }

    /// The slabs that a rope of `len` bytes, all of which are cut, would keep for nothing, if that is more than a quarter of
    /// its length.
    pub(super) fn wasteful_slabs(&mut self, len: u64) -> Option<Vec<Range<usize>>> {
        let last = self.unused_of_cut_slab();
        let unused = last.unwrap_or(0) + self.left.as_ref().map_or(0, |left| left.unused);
        if unused as u64 <= len / 4 {
            return None;
        }
        let mut slabs = self.left.take().map_or(Vec::new(), |left| left.slabs);
        slabs.extend(last.map(|_| self.slab_addresses()));
        Some(slabs)
    }

    /// Forgets the `len` oldest uncut bytes, which are not part of the document.
    pub(super) fn skip(&mut self, len: usize) {
        self.tail.skip(len);
        self.slab_capacity = self.slab_capacity.saturating_sub(len);
    }

    /// Whether the uncut bytes are few and have a pooled buffer to themselves.
    pub(super) fn is_nearly_empty(&self) -> bool {
        let Some(pool) = &self.pool else { return false };
        self.tail.is_on_pooled_slab()
            && self.tail.filled_len() < MIN_POOLED_TAIL
            && self.tail.capacity() >= pool.buffer_size()
    }

    /// Copies the uncut bytes to an allocation of exactly their size, and `more`.
    pub(super) fn shrink_to_fit(&mut self, more: usize) {
        let filled = self.tail.filled_len();
        self.tail.move_to_slab(if filled > 0 { filled.saturating_add(more) } else { 0 });
    }
}

/// The plan for chunks and slabs. No chunk is longer than a buffer of the pool, if there is one.
#[inline]
fn plan(options: &Options, estimate: usize) -> ChunkPlan {
    let longest = options.usable_pool().map_or(usize::MAX, Pool::buffer_size);
    ChunkPlan::new(options.first_chunk.min(longest), options.max_chunk.min(longest), estimate)
}
