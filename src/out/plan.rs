//! Sizes of chunks and slabs: plain arithmetic.

/// How much shorter than planned a chunk may be: it is cut before a character that it would split, and the part of a
/// character that would have been in it is at most this long.
const CHARACTER_REST: usize = 3;

/// The largest output that an encoder remembers, in bytes. It bounds the slab that the next document starts with.
pub(crate) const MAX_REMEMBERED: usize = 64 << 20;

/// Decides the sizes of chunks and slabs from the number of bytes written, never from the number of pieces they left
/// in.
///
/// Chunks double from `first` up to `max`: the next size is due when a chunk's worth of bytes has been cut at this one,
/// in however many pieces (a linked fragment ends a chunk early). A slab is about as large as everything written before
/// it, so slabs double without a bound, and their unused part never exceeds the output by more than `first`.
#[derive(Clone)]
pub(crate) struct ChunkPlan {
    first: usize,
    max: usize,
    chunk: usize,
    written_at_size: usize,
    written: usize,
    estimate: usize,
}

impl ChunkPlan {
    /// A plan for chunks from `first` to `max` bytes, for a document of probably `estimate` bytes (0: unknown).
    #[inline]
    pub(crate) fn new(first: usize, max: usize, estimate: usize) -> ChunkPlan {
        ChunkPlan { first, max, chunk: first, written_at_size: 0, written: 0, estimate: estimate.min(MAX_REMEMBERED) }
    }

    /// Says how long the document probably is (0: unknown).
    #[inline]
    pub(crate) fn expect(&mut self, estimate: usize) {
        self.estimate = estimate.min(MAX_REMEMBERED);
    }

    /// Drops the estimate, because this document is of another kind.
    pub(crate) fn forget_estimate(&mut self) {
        self.estimate = 0;
    }

    /// The planned length of the chunk that is being filled.
    pub(crate) fn chunk_len(&self) -> usize {
        self.chunk
    }

    /// How many bytes to collect before they are flushed while streaming: a chunk, or two of them once chunks have
    /// reached their full size, because a system call costs more than the cache misses of a larger buffer. The first
    /// bytes never wait for more than the first chunk.
    pub(crate) fn batch(&self) -> usize {
        if self.chunk < self.max || self.written == 0 { self.chunk } else { self.max_batch() }
    }

    /// The most bytes that are collected before they are flushed.
    pub(crate) fn max_batch(&self) -> usize {
        2 * self.max
    }

    /// The length that no chunk exceeds.
    pub(crate) fn max_chunk(&self) -> usize {
        self.max
    }

    /// Notes that a chunk of `len` bytes was cut.
    pub(crate) fn record(&mut self, len: usize) {
        self.written = self.written.saturating_add(len);
        self.written_at_size = self.written_at_size.saturating_add(len);
        if self.chunk < self.max && self.written_at_size.saturating_add(CHARACTER_REST) >= self.chunk {
            self.chunk = self.chunk.saturating_mul(2).min(self.max);
            self.written_at_size = 0;
        }
    }

    /// The capacity of the slab to be allocated now, when `uncut` bytes have to move into it and at least `coming`
    /// follow, and the number of chunks it will be cut into.
    ///
    /// The capacity is a sum of planned chunks, so that no slab ends in the middle of one.
    pub(crate) fn slab(&self, uncut: usize, coming: usize) -> (usize, usize) {
        // As much again as there is; or the length of recent documents and an eighth more, since lengths vary.
        let so_far = self.written.saturating_add(uncut);
        let estimate = self.estimate.saturating_add(self.estimate / 8).saturating_sub(self.written);
        let wanted = uncut.saturating_add(so_far.max(coming)).saturating_add(self.first).max(estimate);
        let mut plan = self.clone();
        let (mut capacity, mut chunks) = (0usize, 0usize);
        while plan.chunk < plan.max && capacity.saturating_add(plan.chunk / 2) < wanted {
            capacity += plan.chunk;
            chunks += 1;
            plan.record(plan.chunk);
        }
        let rest = wanted.saturating_sub(capacity);
        if rest > 0 && plan.chunk == plan.max {
            let more = rest.saturating_add(plan.max / 2) / plan.max;
            capacity = capacity.saturating_add(more.saturating_mul(plan.max));
            chunks = chunks.saturating_add(more);
        }
        // Rounding down may have left nothing, or less than the bytes that have to move.
        while capacity <= uncut {
            capacity += plan.chunk;
            chunks += 1;
        }
        (capacity, chunks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths of chunks, and of batches for a writer: a reader gets the first bytes soon, and full batches later.
    #[test]
    fn sizes_double_up_to_the_largest() {
        let mut plan = ChunkPlan::new(100, 800, 0);
        let mut sizes = Vec::new();
        for _ in 0..6 {
            sizes.push((plan.chunk_len(), plan.batch()));
            plan.record(plan.batch());
        }
        assert_eq!(sizes, [(100, 100), (200, 200), (400, 400), (800, 1600), (800, 1600), (800, 1600)]);
        // Before anything was written, also if chunks do not grow.
        let mut plan = ChunkPlan::new(800, 800, 0);
        assert_eq!(plan.batch(), 800);
        plan.record(800);
        assert_eq!(plan.batch(), 1600);
    }

    /// In however many pieces they are cut, and with the rest of a character missing.
    #[test]
    fn a_size_is_left_when_that_many_bytes_were_cut() {
        for piece in [1, 7, 10, 97, 100] {
            let mut plan = ChunkPlan::new(100, 800, 0);
            let mut cut = 0;
            while cut + piece < 100 - CHARACTER_REST {
                plan.record(piece);
                cut += piece;
                assert_eq!(plan.chunk_len(), 100, "{cut} bytes in pieces of {piece}");
            }
            plan.record(piece);
            assert_eq!(plan.chunk_len(), 200, "pieces of {piece}");
        }
    }

    /// A slab has room for what moves there, for as much again and for what is known to come, and little more.
    #[test]
    fn slabs_are_whole_chunks() {
        for estimate in [0, 50, 5000] {
            for uncut in (0..3000).step_by(37) {
                for coming in [0, 1, 100, 2500] {
                    let plan = ChunkPlan::new(100, 800, estimate);
                    let (capacity, chunks) = plan.slab(uncut, coming);
                    let mut growing = plan.clone();
                    let mut sum = 0;
                    for _ in 0..chunks {
                        sum += growing.chunk_len();
                        growing.record(growing.chunk_len());
                    }
                    let what = format!("{capacity} in {chunks} chunks for {uncut} and {coming}, of {estimate}");
                    assert_eq!(sum, capacity, "{what}");
                    let wanted = (uncut + uncut.max(coming) + 100).max(estimate + estimate / 8);
                    assert!(capacity > uncut && capacity.abs_diff(wanted) <= 800 / 2, "{what}");
                }
            }
        }
    }
}
