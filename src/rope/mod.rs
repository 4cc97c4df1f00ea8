//! The rope: an ordered list of reference-counted chunks with a cached length.
//!
//! Made by `out` and sent by `sink`; also a container for everyday use. Trait implementations that compare, print or
//! convert are in `traits.rs`, the `bytes::Buf` view is in `buf.rs`.

mod buf;
mod traits;

use std::io::IoSlice;
use std::mem;
use std::ops::{Bound, RangeBounds};
use std::string::FromUtf8Error;

use bytes::{Bytes, BytesMut};
use smallvec::SmallVec;

use crate::error::{Error, Result};

pub use traits::IntoIter;

/// Chunks that a rope holds without a heap allocation for its list. A document of the default settings has four chunks
/// at 30 KiB.
const INLINE_CHUNKS: usize = 4;

/// A sequence of bytes in reference-counted chunks, usually one JSON document.
///
/// Encoders return one. Send it with [`write_to`](Rope::write_to), with a [`VectoredSink`](crate::VectoredSink) if the
/// writer may block, or wherever a [`bytes::Buf`] is taken; or make it one piece with [`into_bytes`](Rope::into_bytes)
/// or [`into_vec`](Rope::into_vec). Cloning, slicing, splitting and appending move reference counts, not bytes. Two
/// ropes are equal when their bytes are equal, however they are cut into chunks.
///
/// # Memory layout
/// A rope is a list of chunks, and each chunk a reference into memory that it may share with its neighbours. Encoders
/// write into *slabs* and cut those into chunks. A slab is one heap allocation. Chunks stop growing at 64 KiB, slabs do
/// not, so a long document takes few allocations and still has chunks that suit a socket. For `0..20_000` as a `Vec`:
///
/// ```text
/// Rope           ┌────────┬────────┬────────┬─────────┬──────────┬─────────┐
///   len 108,891  │  2,048 │  4,096 │  8,192 │ 16,384  │  32,768  │  45,403 │
///                └────┬───┴────┬───┴────┬───┴────┬────┴─────┬────┴─────┬───┘
///                     ▼        ▼        ▼        ▼          ▼          ▼
///                ┌────────┬────────┬────────┬────────┐ ┌────────┐ ┌────────┬ ─ ─ ─ ┐
/// Heap           │[0,1,2,…│39,540,…│0,1451,…│3089,30…│ │,6366,6…│ │ …19999]│ unused│
///                └────────┴────────┴────────┴────────┘ └────────┘ └────────┴ ─ ─ ─ ┘
///                 slab 1                                slab 2     slab 3
/// ```
///
/// A slab is freed with the last chunk that was cut from it. So a kept chunk, even of one byte, keeps its whole slab, or
/// the buffer of a [`Pool`](crate::Pool) that it is in. [`compact`](Rope::compact) copies a rope to memory of exactly
/// its size and releases everything else.
///
/// # Invariants
/// Checked after every change in debug builds:
///
/// * no chunk is empty;
/// * [`len`](Rope::len) is the sum of the chunks' lengths.
///
/// Ropes made by this crate's encoders also have these: no chunk is longer than `max_chunk`, and every chunk is valid
/// UTF-8 by itself. Exempt are the chunks of a [`Fragment`](crate::Fragment), which are linked as they are, and the
/// lengths before messages in [`Frame::Grpc`](crate::Frame::Grpc) and [`LengthDelimited`](crate::Frame::LengthDelimited).
///
/// ```
/// let numbers: Vec<u32> = (0..5000).collect();
/// let rope = json_rope::to_rope(&numbers)?;
/// assert!(rope.chunks().len() > 1);
/// assert_eq!(rope.len(), 23_891);
/// assert_eq!(rope, serde_json::to_vec(&numbers).unwrap());
/// # Ok::<(), json_rope::Error>(())
/// ```
#[derive(Default, Clone)]
pub struct Rope {
    /// The chunks; those before `head` were consumed and are empty.
    list: SmallVec<[Bytes; INLINE_CHUNKS]>,
    head: usize,
    len: usize,
}

impl Rope {
    /// An empty rope. Allocates nothing.
    ///
    /// ```
    /// assert!(json_rope::Rope::new().is_empty());
    /// ```
    #[inline]
    pub fn new() -> Rope {
        Rope { list: SmallVec::new(), head: 0, len: 0 }
    }

    /// A rope of one chunk, which is not empty.
    #[inline]
    pub(crate) fn of(chunk: Bytes) -> Rope {
        let mut rope = Rope::new();
        rope.len = chunk.len();
        rope.list.push(chunk);
        rope
    }

    /// Length in bytes, over all chunks. O(1).
    ///
    /// ```
    /// assert_eq!(json_rope::to_rope(&[1, 2, 3])?.len(), 7);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bytes. O(1).
    ///
    /// ```
    /// assert!(json_rope::Rope::from("").is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The chunks in order; none is empty. O(1).
    ///
    /// ```
    /// let rope: json_rope::Rope = ["[1,", "", "2]"].map(bytes::Bytes::from).into_iter().collect();
    /// assert_eq!(rope.chunks(), ["[1,", "2]"]);
    /// ```
    pub fn chunks(&self) -> &[Bytes] {
        &self.list[self.head..]
    }

    /// The chunks in order, as a vector. Moves reference counts only.
    ///
    /// ```
    /// assert_eq!(json_rope::to_rope("a")?.into_chunks(), ["\"a\""]);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    #[must_use]
    pub fn into_chunks(mut self) -> Vec<Bytes> {
        self.list.drain(..self.head);
        self.list.into_vec()
    }

    /// The chunks as [`IoSlice`]s, for a vectored write of your own. [`write_to`](Rope::write_to) also handles short
    /// writes and the limits of systems.
    ///
    /// ```
    /// use std::io::Write;
    ///
    /// let rope = json_rope::to_rope(&[1, 2])?;
    /// let slices: Vec<_> = rope.io_slices().collect();
    /// let mut out = Vec::new();
    /// assert_eq!(out.write_vectored(&slices).unwrap(), 5);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn io_slices(&self) -> impl Iterator<Item = IoSlice<'_>> {
        self.chunks().iter().map(|chunk| IoSlice::new(chunk))
    }

    /// Adds a chunk at the end; an empty one is ignored. Copies nothing; amortised O(1).
    ///
    /// ```
    /// let mut rope = json_rope::Rope::from("[1");
    /// rope.push(bytes::Bytes::from("]"));
    /// assert_eq!(rope, "[1]");
    /// ```
    ///
    /// # Panics
    /// If the length of the rope would exceed `usize::MAX`, as `Vec` does.
    pub fn push(&mut self, chunk: Bytes) {
        if !chunk.is_empty() {
            self.len = self.len.checked_add(chunk.len()).expect("rope longer than usize::MAX");
            self.list.push(chunk);
        }
        self.check();
    }

    /// Adds all chunks of `other` at the end. Copies no bytes; O(chunks of `other`).
    ///
    /// ```
    /// let mut rope = json_rope::to_rope(&1)?;
    /// rope.append(json_rope::to_rope(&2)?);
    /// assert_eq!(rope, "12");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Panics
    /// If the length of the rope would exceed `usize::MAX`, as `Vec` does.
    pub fn append(&mut self, other: Rope) {
        if self.is_empty() {
            *self = other;
        } else {
            self.list.reserve(other.chunks().len());
            self.extend(other);
        }
        self.check();
    }

    /// The bytes of `range` as a rope that shares them. Copies no bytes; O(chunks).
    ///
    /// ```
    /// assert_eq!(json_rope::Rope::from("abcdef").slice(2..4), "cd");
    /// ```
    ///
    /// # Panics
    /// If the range starts after its end or ends after the rope.
    #[must_use]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Rope {
        let begin = match range.start_bound() {
            Bound::Included(&n) => n,
            Bound::Excluded(&n) => n.checked_add(1).expect("out of range"),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&n) => n.checked_add(1).expect("out of range"),
            Bound::Excluded(&n) => n,
            Bound::Unbounded => self.len,
        };
        assert!(begin <= end, "range starts at {begin} but ends at {end}");
        assert!(end <= self.len, "range ends at {end} but the rope has {} bytes", self.len);
        let mut slice = Rope::new();
        let mut at = 0;
        for chunk in self.chunks() {
            // So `end - at` below cannot wrap.
            if at >= end {
                break;
            }
            let (from, to) = (begin.saturating_sub(at).min(chunk.len()), (end - at).min(chunk.len()));
            slice.push(chunk.slice(from..to));
            at += chunk.len();
        }
        slice
    }

    /// Takes the first `n` bytes off the front and returns them. Copies no bytes; O(chunks before `n`), amortised.
    ///
    /// ```
    /// let mut rope = json_rope::Rope::from("abcdef");
    /// assert_eq!(rope.split_to(2), "ab");
    /// assert_eq!(rope, "cdef");
    /// ```
    ///
    /// # Panics
    /// If the rope has fewer than `n` bytes.
    #[must_use = "`advance`, of `bytes::Buf`, drops the front without giving it back"]
    pub fn split_to(&mut self, n: usize) -> Rope {
        assert!(n <= self.len, "cannot split {n} bytes off a rope of {}", self.len);
        let mut front = Rope::new();
        let mut missing = n;
        while missing > 0 {
            let first = self.list[self.head].len();
            let chunk = if first <= missing {
                self.pop_front()
            } else {
                self.len -= missing;
                self.list[self.head].split_to(missing)
            };
            missing -= chunk.len();
            front.push(chunk);
        }
        self.check();
        front
    }

    /// All bytes in one vector: one allocation, one copy.
    ///
    /// ```
    /// assert_eq!(json_rope::to_rope(&[1])?.to_vec(), b"[1]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len);
        for chunk in self.chunks() {
            bytes.extend_from_slice(chunk);
        }
        bytes
    }

    /// All bytes in one vector. No copy if the rope is one chunk of a `Vec` or `BytesMut` that nothing else refers to,
    /// as a document of up to 2 KiB is; otherwise one allocation and one copy.
    ///
    /// ```
    /// let rope = json_rope::to_rope(&[1])?;
    /// let place = rope.chunks()[0].as_ptr();
    /// let vec = rope.into_vec();
    /// assert_eq!(vec, b"[1]");
    /// assert_eq!(vec.as_ptr(), place);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    #[must_use]
    pub fn into_vec(mut self) -> Vec<u8> {
        if self.chunks().len() == 1 { Vec::from(self.pop_front()) } else { self.to_vec() }
    }

    /// All bytes in one piece. A rope of one chunk gives that chunk, without a copy; otherwise one allocation, one
    /// copy.
    ///
    /// ```
    /// assert_eq!(json_rope::to_rope(&[1])?.into_bytes(), "[1]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    #[must_use]
    pub fn into_bytes(mut self) -> Bytes {
        match self.chunks().len() {
            0 => Bytes::new(),
            1 => self.pop_front(),
            _ => Bytes::from(self.to_vec()),
        }
    }

    /// All bytes as a string: one check; one allocation and one copy, unless a single chunk that nobody shares can be
    /// taken as it is.
    ///
    /// ```
    /// assert_eq!(json_rope::to_rope("é")?.into_string()?, "\"é\"");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// A data error that names the offset if the bytes are not UTF-8. The output of an encoder always is, unless it
    /// contains a trusted fragment that is not.
    pub fn into_string(self) -> Result<String> {
        String::from_utf8(self.into_vec()).map_err(not_utf8)
    }

    /// Copies the bytes into memory of exactly their size and releases the slabs they came from. The chunks keep their
    /// lengths. Two allocations, one copy.
    ///
    /// ```
    /// let mut last = json_rope::to_rope(&vec![0.5; 100_000])?.slice(399_999..);
    /// last.compact(); // two bytes, without the slab that they were in
    /// assert_eq!(last, "5]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn compact(&mut self) {
        self.compact_those(|_| true);
    }

    /// Copies these chunks into memory of exactly their size, and keeps the others.
    pub(crate) fn compact_those(&mut self, is_copied: impl Fn(&Bytes) -> bool) {
        let copied = || self.chunks().iter().filter(|chunk| is_copied(chunk));
        let mut bytes = BytesMut::with_capacity(copied().map(Bytes::len).sum());
        copied().for_each(|chunk| bytes.extend_from_slice(chunk));
        let mut bytes = bytes.freeze();
        let mut compacted = Rope::new();
        compacted.list.reserve_exact(self.chunks().len());
        for chunk in self.chunks() {
            let chunk = match chunk.len() {
                _ if !is_copied(chunk) => chunk.clone(),
                len if len == bytes.len() => mem::take(&mut bytes),
                len => bytes.split_to(len),
            };
            compacted.push(chunk);
        }
        *self = compacted;
    }

    /// Room for `more` chunks, which will probably have `chunk` bytes each.
    pub(crate) fn reserve(&mut self, more: usize, chunk: usize) {
        let needed = self.list.len().saturating_add(more);
        let capacity = self.list.capacity();
        if needed > capacity {
            // An entry has 32 bytes. Next to large chunks, even a list that grew sixteenfold is a hundredth of the
            // memory, and a long document needs fewer allocations.
            let factor = if chunk >= 16 * 1024 { 16 } else { 2 };
            self.list.reserve_exact(needed.max(capacity.saturating_mul(factor)) - self.list.len());
        }
    }

    /// Whether one more chunk needs memory for the list.
    pub(crate) fn list_is_full(&self) -> bool {
        self.list.len() == self.list.capacity()
    }

    /// Adds a chunk, which is not empty, before the one with this index. O(number of chunks).
    pub(crate) fn insert(&mut self, index: usize, chunk: Bytes) {
        self.len = self.len.checked_add(chunk.len()).expect("rope longer than usize::MAX");
        self.list.insert(self.head + index, chunk);
        self.check();
    }

    /// Removes and returns the first chunk of a rope that has one.
    pub(crate) fn pop_front(&mut self) -> Bytes {
        let chunk = mem::take(&mut self.list[self.head]);
        self.head += 1;
        self.len -= chunk.len();
        // Consumed entries at the front are removed when they are the larger part: amortised O(1).
        if self.head * 2 >= self.list.len() {
            self.list.drain(..self.head);
            self.head = 0;
        }
        chunk
    }

    fn check(&self) {
        // The sum is linear, so it is only checked for small ropes; tests cover the large ones.
        debug_assert!(
            self.chunks().len() > 64
                || (self.chunks().iter().all(|chunk| !chunk.is_empty())
                    && self.len == self.chunks().iter().map(Bytes::len).sum::<usize>())
        );
    }
}

#[cold]
pub(crate) fn not_utf8(error: FromUtf8Error) -> Error {
    let at = error.utf8_error().valid_up_to();
    Error::data(format!("invalid UTF-8 at byte {at}")).at_byte(at)
}
