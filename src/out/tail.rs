//! The cursor over memory: three pointers into the stack area of a document, or into a slab. The unsafe part of `out`.

#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::mem::{self, MaybeUninit};
use std::slice;

use bytes::{Buf, BytesMut};

use crate::escape;
use crate::pool::Buffer;

/// Bytes on the stack that a document starts in. Chunks of 2, 4 and 8 KiB fit exactly, so with the default settings a
/// document costs its first slab only when it needs a fourth chunk. Larger would save one more allocation for large
/// documents, at the price of a deeper stack frame under every `Serialize` recursion.
pub(crate) const SCRATCH: usize = 14 * 1024;

/// What a frame adds to a body at most, rounded up. It comes on top, so that it moves no document off the stack.
pub(super) const MAX_FRAMING: usize = 32;

/// The stack area; see [`SCRATCH`].
pub(crate) type Scratch = [MaybeUninit<u8>; SCRATCH + MAX_FRAMING];

/// A fresh stack area. Costs nothing: no byte of it is written.
pub(crate) fn scratch() -> Scratch {
    [MaybeUninit::uninit(); SCRATCH + MAX_FRAMING]
}

/// The open end of the output: initialized bytes that are not yet part of a chunk, then room for more.
///
/// Invariants, which every method keeps and every unsafe block rests on:
///
/// 1. `start <= cur <= end <= limit`, all inside (or at the end of) one allocation that only this `Tail` may touch
///    between `start` and `limit`.
/// 2. The bytes from `start` to `cur` are initialized.
/// 3. Either `slab` has capacity and no length, and its spare capacity is exactly `start..limit`; or
///    `slab` has no capacity and `start..limit` is the scratch borrowed for `'a`, or nothing.
///
/// In this order, `cur` and `end` first: see `Formatter`.
#[repr(C)]
pub(crate) struct Tail<'a> {
    cur: *mut u8,
    end: *mut u8,
    start: *mut u8,
    limit: *mut u8,
    slab: Buffer,
    scratch: PhantomData<&'a mut [MaybeUninit<u8>]>,
}

// SAFETY: a `Tail` is the only holder of its pointers, and what they point to (a uniquely owned slab, or bytes mutably
// borrowed for `'a`) may move between threads with it.
unsafe impl Send for Tail<'_> {}
// SAFETY: nothing can be written through a shared reference to a `Tail`.
unsafe impl Sync for Tail<'_> {}

impl<'a> Tail<'a> {
    /// An empty tail in `scratch`.
    #[inline]
    pub(crate) fn on_scratch(scratch: &'a mut [MaybeUninit<u8>]) -> Tail<'a> {
        let bytes = scratch.as_mut_ptr_range();
        let (start, end) = (bytes.start.cast::<u8>(), bytes.end.cast::<u8>());
        Tail { cur: start, end, start, limit: end, slab: Buffer::default(), scratch: PhantomData }
    }

    /// Bytes that can still be written.
    #[inline(always)]
    pub(crate) fn room(&self) -> usize {
        self.end.addr() - self.cur.addr()
    }

    /// Bytes written and not yet cut.
    #[inline]
    pub(crate) fn filled_len(&self) -> usize {
        self.cur.addr() - self.start.addr()
    }

    /// The bytes written and not yet cut.
    pub(crate) fn filled(&self) -> &[u8] {
        // SAFETY: by invariants 1 and 2 these bytes are initialized and nobody else writes them while `self` is
        // borrowed.
        unsafe { slice::from_raw_parts(self.start, self.filled_len()) }
    }

    /// The bytes written and not yet cut, to be rearranged.
    pub(crate) fn filled_mut(&mut self) -> &mut [u8] {
        // SAFETY: by invariants 1 and 2 these bytes are initialized, and `self` is borrowed exclusively.
        unsafe { slice::from_raw_parts_mut(self.start, self.filled_len()) }
    }

    /// Whether the bytes are in a slab, from which [`cut`](Self::cut) can give them away, and not in the scratch.
    pub(crate) fn is_on_slab(&self) -> bool {
        self.slab.capacity() > 0
    }

    /// Whether the bytes are in a slab that belongs to a pool.
    pub(crate) fn is_on_pooled_slab(&self) -> bool {
        self.slab.is_pooled() && self.is_on_slab()
    }

    /// Bytes of the memory in use, uncut ones and those not written yet.
    pub(crate) fn capacity(&self) -> usize {
        self.limit.addr() - self.start.addr()
    }

    /// Appends one byte if there is room for it.
    #[inline(always)]
    pub(crate) fn put_byte(&mut self, byte: u8) -> bool {
        if self.cur == self.end {
            return false;
        }
        // SAFETY: `cur < end`, so by invariant 1 the byte at `cur` is ours to write and `cur + 1 <= end`; it is
        // initialized before `cur` passes it.
        unsafe {
            self.cur.write(byte);
            self.cur = self.cur.add(1);
        }
        true
    }

    /// Appends `bytes` if there is room for all of them.
    #[inline(always)]
    pub(crate) fn put(&mut self, bytes: &[u8]) -> bool {
        if bytes.len() > self.room() {
            return false;
        }
        // SAFETY: there is room for `bytes.len()` bytes at `cur` (invariant 1); `bytes` is a live shared slice, and as
        // nobody else may touch our room it cannot overlap it; they are initialized before `cur` passes them.
        unsafe {
            self.cur.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            self.cur = self.cur.add(bytes.len());
        }
        true
    }

    /// Lets `write` fill a front part of the room and appends what it says it has filled.
    ///
    /// # Panics
    /// If the returned slice is not the front of the slice given. The comparison folds away where `write` is inlined.
    #[inline(always)]
    pub(crate) fn fill(&mut self, write: impl for<'s> FnOnce(&'s mut [MaybeUninit<u8>]) -> &'s mut [u8]) {
        let room = self.room();
        // SAFETY: by invariant 1 the bytes from `cur` to `end` are ours; as `MaybeUninit` they need no initialisation.
        let spare = unsafe { slice::from_raw_parts_mut(self.cur.cast::<MaybeUninit<u8>>(), room) };
        let filled = write(spare);
        let len = filled.len();
        assert!(filled.as_ptr() == self.cur.cast_const() && len <= room);
        // SAFETY: the closure returned `len <= room` initialized bytes (it is a `&mut [u8]`) that begin at `cur`.
        self.cur = unsafe { self.cur.add(len) };
    }

    /// Appends `before`, `text` with its escapes, and `after` if there surely is room for them.
    #[inline(always)]
    pub(crate) fn put_quoted<const B: usize, const A: usize>(
        &mut self,
        before: &[u8; B],
        text: &[u8],
        after: &[u8; A],
    ) -> bool {
        let fits = self.room() >= escape::quoted_room(text.len());
        if fits {
            // SAFETY: the room is what `quote` asks for (invariant 1), and `text` cannot overlap room that nobody else
            // may refer to. `quote` returns a pointer into that room, up to which it has initialized all bytes.
            self.cur = unsafe { escape::quote(before, text, after, self.cur) };
        }
        fits
    }

    /// Moves the uncut bytes to the front of a new slab, and lets go of the old memory. The slab must hold them.
    pub(crate) fn move_to(&mut self, mut slab: Buffer) {
        slab.clear();
        debug_assert!(slab.capacity() >= self.filled_len());
        slab.extend_from_slice(self.filled());
        slab.clear();
        let filled = self.filled_len();
        self.slab = slab;
        self.rebase(filled);
    }

    /// Moves the uncut bytes to a new allocation of `capacity` bytes, which must hold them.
    pub(crate) fn move_to_slab(&mut self, capacity: usize) {
        self.move_to(Buffer::with_capacity(capacity));
    }

    /// Gives the `len` oldest uncut bytes away as a chunk that shares the slab.
    ///
    /// # Panics
    /// If fewer bytes are filled, or if they are on the scratch.
    pub(crate) fn cut(&mut self, len: usize) -> BytesMut {
        let filled = self.filled_len();
        assert!(len <= filled && self.is_on_slab());
        // SAFETY: `len <= filled`, so at most the slab's capacity by invariants 1 and 3, and all of that is initialized
        // (2).
        unsafe { self.slab.set_len(len) };
        // The last bytes of a slab take its whole capacity with them. Splitting would first move the slab's ownership
        // to the heap: for a slab that is one chunk, and full, that is an allocation saved. A pool keeps a handle.
        let whole = len == filled && len == self.slab.capacity() && !self.slab.is_pooled();
        let chunk = if whole { mem::take(&mut *self.slab) } else { self.slab.split_to(len) };
        self.rebase(filled - len);
        chunk
    }

    /// Forgets the `len` oldest uncut bytes, and the memory they are in, without moving the rest.
    ///
    /// # Panics
    /// If fewer bytes are filled.
    pub(crate) fn skip(&mut self, len: usize) {
        let filled = self.filled_len();
        assert!(len <= filled);
        if self.is_on_slab() {
            // SAFETY: as in `cut`.
            unsafe { self.slab.set_len(len) };
            self.slab.advance(len);
            self.rebase(filled - len);
        } else {
            // SAFETY: `len` is at most what is filled, so the result is between `start` and `cur`.
            self.start = unsafe { self.start.add(len) };
        }
    }

    /// Forgets the `len` oldest uncut bytes and moves the rest to the front of the same memory.
    ///
    /// # Panics
    /// If fewer bytes are filled.
    pub(crate) fn discard(&mut self, len: usize) {
        let filled = self.filled_len();
        self.filled_mut().copy_within(len.., 0);
        // SAFETY: `len <= filled`, or the line above has panicked; the first `filled - len` bytes are initialized.
        self.cur = unsafe { self.start.add(filled - len) };
    }

    /// Forgets all but the `len` oldest uncut bytes.
    ///
    /// # Panics
    /// If fewer bytes are filled.
    pub(crate) fn truncate(&mut self, len: usize) {
        assert!(len <= self.filled_len());
        // SAFETY: `len` is at most what is filled, so the result is between `start` and the old `cur`.
        self.cur = unsafe { self.start.add(len) };
    }

    /// Lets `room` more bytes be written, or as many as the memory has if that is less.
    pub(crate) fn set_room(&mut self, room: usize) {
        let room = room.min(self.limit.addr() - self.cur.addr());
        // SAFETY: `cur + room` is at most `limit`, so it stays inside the allocation (invariant 1).
        self.end = unsafe { self.cur.add(room) };
    }

    /// Points into `slab` again, which has no length and of which the first `filled` bytes are initialized.
    fn rebase(&mut self, filled: usize) {
        let spare = self.slab.spare_capacity_mut();
        assert!(filled <= spare.len());
        let bytes = spare.as_mut_ptr_range();
        self.start = bytes.start.cast();
        self.end = bytes.end.cast();
        self.limit = self.end;
        // SAFETY: `filled <= spare.len()`, so the result lies inside the spare capacity or one past its end.
        self.cur = unsafe { self.start.add(filled) };
    }
}
