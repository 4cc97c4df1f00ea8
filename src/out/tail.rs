//! The cursor over memory: three pointers into the stack area of a document, or into a slab. The unsafe part of `out`.

#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::mem::{self, MaybeUninit};
use std::slice;

use bytes::{Buf, Bytes, BytesMut};

use super::Out;
use crate::escape;
use crate::pool::Buffer;

/// Bytes on the stack that a document starts in. Chunks of 2, 4 and 8 KiB fit exactly, so with the default settings a
/// document costs its first slab only when it needs a fourth chunk. Larger would save one more allocation for large
/// documents, at the price of a deeper stack frame under every `Serialize` recursion.
pub(crate) const SCRATCH: usize = 14 * 1024;

/// The most bytes that a frame adds to a body, rounded up. They are added to the scratch, so that no document leaves
/// the stack because of its frame.
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
/// 3. `start..limit` is one of three things: the spare capacity of `grown`, if there is one; otherwise that of `slab`,
///    which then has no length, if it has capacity; otherwise the scratch borrowed for `'a`, or nothing. While there is
///    a `grown`, `slab` has no capacity. (`skip` moves `start` forward on the scratch.)
///
/// `cur` and `end` come first for the reason given at `Formatter`: what every token needs has a small offset.
#[repr(C)]
pub(crate) struct Tail<'a> {
    cur: *mut u8,
    end: *mut u8,
    start: *mut u8,
    limit: *mut u8,
    slab: Buffer,
    /// The memory of the caller's that is written to, if any.
    grown: Option<Growable<'a>>,
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
        Tail { cur: start, end, start, limit: end, slab: Buffer::default(), grown: None, scratch: PhantomData }
    }

    /// An empty tail in the spare capacity of `memory`, if it has any. Otherwise one in `scratch`, and `memory` is given
    /// back.
    #[inline(always)]
    pub(crate) fn on_spare(
        mut memory: Growable<'a>,
        scratch: &'a mut [MaybeUninit<u8>],
    ) -> (Tail<'a>, Option<Growable<'a>>) {
        let mut bytes = memory.spare().as_mut_ptr_range();
        let (mut grown, mut waiting) = (Some(memory), None);
        if bytes.is_empty() {
            bytes = scratch.as_mut_ptr_range();
            mem::swap(&mut grown, &mut waiting);
        }
        let (start, end) = (bytes.start.cast::<u8>(), bytes.end.cast::<u8>());
        let tail = Tail { cur: start, end, start, limit: end, slab: Buffer::default(), grown, scratch: PhantomData };
        (tail, waiting)
    }

    /// Whether the bytes are in the scratch.
    #[inline]
    pub(crate) fn is_on_scratch(&self) -> bool {
        !self.is_on_slab() && self.grown.is_none()
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

    /// The address after the memory in use.
    pub(crate) fn end_address(&self) -> usize {
        self.limit.addr()
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

    /// Appends the first `len` bytes of `block`, with `first` in the place of the first one, if there is room for all of it
    /// and `len` is from 1 to `N`.
    #[inline(always)]
    pub(crate) fn put_block<const N: usize>(&mut self, first: u8, block: &[u8; N], len: usize) -> bool {
        if N > self.room() || len == 0 || len > N {
            return false;
        }
        // SAFETY: there is room for `N` bytes at `cur` (invariant 1), at least one, which cannot overlap `block`. They are
        // initialized before `cur` passes `len <= N` of them.
        unsafe {
            self.cur.cast::<[u8; N]>().write(*block);
            self.cur.write(first);
            self.cur = self.cur.add(len);
        }
        true
    }

    /// Lets `write` fill the front of the room and appends the slice that it returns.
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

    /// Moves the uncut bytes to the front of a new slab, which must have room for them, and releases the old memory.
    pub(crate) fn move_to(&mut self, mut slab: Buffer) {
        slab.clear();
        debug_assert!(slab.capacity() >= self.filled_len());
        slab.extend_from_slice(self.filled());
        slab.clear();
        let filled = self.filled_len();
        self.slab = slab;
        self.grown = None;
        self.rebase(filled);
    }

    /// Moves the uncut bytes to a new allocation of `capacity` bytes, which must hold them.
    pub(crate) fn move_to_slab(&mut self, capacity: usize) {
        self.move_to(Buffer::with_capacity(capacity));
    }

    /// Gives the unused part of a slab that is not cut yet back to the allocator, which mostly need not move the bytes for it.
    /// Where it is cut, they are copied.
    pub(crate) fn shrink(&mut self) {
        let filled = self.filled_len();
        // SAFETY: by invariants 1 to 3 the first `filled` bytes of the slab are there and initialized.
        unsafe { self.slab.set_len(filled) };
        let mut vec = Vec::from(mem::take(&mut *self.slab));
        vec.shrink_to_fit();
        *self.slab = BytesMut::from(Bytes::from(vec));
        self.slab.clear();
        self.rebase(filled);
    }

    /// Moves the uncut bytes to the spare capacity of `memory`, with room for `more` bytes after them.
    pub(crate) fn move_to_spare(&mut self, mut memory: Growable<'a>, more: usize) {
        memory.reserve(self.filled_len().saturating_add(more));
        let mut old = mem::replace(self, Tail::on_scratch(&mut []));
        self.enter(memory);
        let fits = self.put(old.filled_mut());
        assert!(fits);
    }

    /// Makes room for `more` bytes after the uncut ones, in the caller's memory.
    ///
    /// # Panics
    /// If this is not the caller's memory.
    pub(crate) fn grow(&mut self, more: usize) {
        let filled = self.filled_len();
        let Some(mut memory) = self.grown.take() else { panic!("this memory does not grow") };
        // Growing only keeps what is part of the content, so the uncut bytes become that for a moment.
        let before = memory.len();
        // SAFETY: by invariants 1 to 3 the first `filled` bytes of the spare capacity are there and initialized.
        unsafe { memory.set_len(before + filled) };
        memory.reserve(more);
        // SAFETY: a content may always become shorter.
        unsafe { memory.set_len(before) };
        self.enter(memory);
        // SAFETY: the memory has kept these bytes, so they fit between `start` and `limit`.
        self.cur = unsafe { self.start.add(filled) };
    }

    /// Makes the uncut bytes part of the content of the caller's memory. The tail is then empty. Returns the memory.
    pub(crate) fn commit(&mut self) -> Option<Growable<'a>> {
        let filled = self.filled_len();
        let mut memory = self.grown.take();
        if let Some(memory) = &mut memory {
            let len = memory.len() + filled;
            // SAFETY: by invariants 1 to 3 the first `filled` bytes of the spare capacity are there and initialized.
            unsafe { memory.set_len(len) };
        }
        *self = Tail::on_scratch(&mut []);
        memory
    }

    /// Points at the spare capacity of `memory`, as an empty tail.
    pub(crate) fn enter(&mut self, mut memory: Growable<'a>) {
        debug_assert!(!self.is_on_slab());
        let spare = memory.spare().as_mut_ptr_range();
        (self.start, self.cur) = (spare.start.cast(), spare.start.cast());
        (self.end, self.limit) = (spare.end.cast(), spare.end.cast());
        self.grown = Some(memory);
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
        // A chunk that is the whole slab takes the slab itself: splitting would allocate a reference count first. A
        // pool keeps a handle on its slabs, so those are always split.
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

    /// Points at `scratch`, as an empty tail.
    ///
    /// # Safety
    /// The memory must be this tail's alone until it points elsewhere, or is dropped.
    unsafe fn point_to(&mut self, scratch: &mut [MaybeUninit<u8>]) {
        let bytes = scratch.as_mut_ptr_range();
        (self.start, self.cur) = (bytes.start.cast(), bytes.start.cast());
        (self.end, self.limit) = (bytes.end.cast(), bytes.end.cast());
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

impl Out<'static> {
    /// Calls `run` while the output that `out` finds in `holder` is on a fresh stack area, or appends to `vec`, which has its
    /// old content after a failure or a panic. The output must be [at rest](Out::at_rest).
    ///
    /// The area is borrowed for less than the `'static` that the type says. So that nobody can write to it afterwards, the tail
    /// leaves it in any case, also if `run` panics.
    #[inline(always)]
    pub(crate) fn lend<T, R>(
        holder: &mut T,
        out: fn(&mut T) -> &mut Out<'static>,
        vec: Option<&mut Vec<u8>>,
        run: impl FnOnce(&mut T) -> R,
    ) -> R {
        struct Lent<'h, T> {
            holder: &'h mut T,
            out: fn(&mut T) -> &mut Out<'static>,
            vec: Option<&'h mut Vec<u8>>,
        }

        impl<T> Drop for Lent<'_, T> {
            #[inline(always)]
            fn drop(&mut self) {
                let out = (self.out)(self.holder);
                if let Some(vec) = &mut self.vec {
                    let grown = out.tail_mut().grown.take();
                    if let Some(Growable::Owned(owned)) = grown.or_else(|| out.take_memory()) {
                        **vec = owned;
                    }
                }
                let tail = out.tail_mut();
                if !tail.is_on_slab() {
                    // SAFETY: there is no byte that anybody could use.
                    unsafe { tail.point_to(&mut []) };
                }
            }
        }

        let mut scratch = [MaybeUninit::uninit(); SCRATCH];
        let mut lent = Lent { holder, out, vec };
        let out = out(lent.holder);
        assert!(out.tail_mut().is_on_scratch() && out.tail_mut().capacity() == 0);
        // SAFETY: nobody else uses the scratch from here on. The tail stays in this output, since nothing in `out` takes one
        // out of it: it either leaves the scratch for other memory, or is pointed elsewhere by `Lent`, which is dropped
        // before the scratch is.
        unsafe { out.tail_mut().point_to(&mut scratch) };
        if let Some(vec) = &mut lent.vec {
            let memory = Growable::Owned(mem::take(*vec));
            out.append_to(memory);
        }
        run(&mut *lent.holder)
    }
}

/// Memory of the caller's that a document is appended to. Its content is unchanged until [`Tail::commit`].
pub(crate) enum Growable<'a> {
    Vec(&'a mut Vec<u8>),
    /// Taken from the caller until the end: see [`Out::lend`].
    Owned(Vec<u8>),
    BytesMut(&'a mut BytesMut),
}

impl Growable<'_> {
    /// Appends `bytes` to the content. Memory that had no capacity gets no more than they need.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        match self {
            Growable::Vec(vec) if vec.capacity() == 0 => **vec = bytes.to_vec(),
            Growable::Owned(vec) if vec.capacity() == 0 => *vec = bytes.to_vec(),
            Growable::Vec(vec) => vec.extend_from_slice(bytes),
            Growable::Owned(vec) => vec.extend_from_slice(bytes),
            Growable::BytesMut(memory) => memory.extend_from_slice(bytes),
        }
    }

    #[inline]
    pub(crate) fn spare(&mut self) -> &mut [MaybeUninit<u8>] {
        match self {
            Growable::Vec(vec) => vec.spare_capacity_mut(),
            Growable::Owned(vec) => vec.spare_capacity_mut(),
            Growable::BytesMut(bytes) => bytes.spare_capacity_mut(),
        }
    }

    fn len(&self) -> usize {
        match self {
            Growable::Vec(vec) => vec.len(),
            Growable::Owned(vec) => vec.len(),
            Growable::BytesMut(bytes) => bytes.len(),
        }
    }

    fn reserve(&mut self, more: usize) {
        match self {
            Growable::Vec(vec) => vec.reserve(more),
            Growable::Owned(vec) => vec.reserve(more),
            Growable::BytesMut(bytes) => bytes.reserve(more),
        }
    }

    /// # Safety
    /// The capacity must be at least `len`, and that many bytes initialized.
    unsafe fn set_len(&mut self, len: usize) {
        match self {
            // SAFETY: as the caller promises.
            Growable::Vec(vec) => unsafe { vec.set_len(len) },
            // SAFETY: as the caller promises.
            Growable::Owned(vec) => unsafe { vec.set_len(len) },
            // SAFETY: as the caller promises.
            Growable::BytesMut(bytes) => unsafe { bytes.set_len(len) },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    /// Eight bytes of scratch, of a slab, of a vector's spare capacity: as many of them filled, from the front.
    fn in_eight_bytes(filled: &[u8], test: impl Fn(&mut Tail<'_>)) {
        let mut scratch = [MaybeUninit::uninit(); 8];
        let mut tail = Tail::on_scratch(&mut scratch);
        assert!(tail.put(filled));
        test(&mut tail);
        let mut tail = Tail::on_scratch(&mut []);
        tail.move_to_slab(8);
        assert!(tail.put(filled));
        test(&mut tail);
        let mut vec = Vec::with_capacity(8);
        let mut scratch = [MaybeUninit::uninit(); 3];
        let (mut tail, waiting) = Tail::on_spare(Growable::Vec(&mut vec), &mut scratch);
        assert!(waiting.is_none() && tail.put(filled));
        test(&mut tail);
    }

    #[test]
    fn no_more_room_than_memory() {
        for filled in 0..=8 {
            in_eight_bytes(&b"abcdefgh"[..filled], |tail| {
                assert_eq!((tail.capacity(), tail.filled_len(), tail.room()), (8, filled, 8 - filled));
                for room in [0, 1, 7, 8, 9, usize::MAX] {
                    tail.set_room(room);
                    assert_eq!(tail.room(), room.min(8 - filled));
                }
            });
        }
    }

    #[test]
    fn nothing_is_written_past_the_room() {
        in_eight_bytes(b"abc", |tail| {
            tail.set_room(2);
            assert!(!tail.put(b"def") && !tail.put_block(b'd', b"xef", 1) && !tail.put_quoted(b"", b"", b""));
            assert!(!tail.put_block(b'd', b"xe", 0) && !tail.put_block(b'd', b"xe", 3));
            assert_eq!(tail.filled(), b"abc");
            assert!(tail.put_block(b'd', b"xe", 2) && !tail.put_byte(b'f') && tail.put(b""));
            assert_eq!(tail.filled(), b"abcde");
            tail.set_room(usize::MAX);
            assert!(tail.put_byte(b'f') && tail.put_block(b'g', b"xh", 1) && tail.put(b"h") && !tail.put_byte(b'i'));
            assert_eq!(tail.filled(), b"abcdefgh");
        });
    }

    #[test]
    #[cfg_attr(not(panic = "unwind"), ignore = "needs panics that can be caught")]
    fn no_more_is_taken_away_than_is_there() {
        in_eight_bytes(b"abc", |tail| {
            let is_on_slab = tail.is_on_slab();
            let calls: [fn(&mut Tail<'_>, usize); 4] = [
                |tail, len| drop(tail.cut(len)),
                |tail, len| tail.skip(len),
                |tail, len| tail.discard(len),
                |tail, len| tail.truncate(len),
            ];
            for (number, call) in calls.into_iter().enumerate() {
                for len in [4, 8, 9, usize::MAX] {
                    assert!(catch_unwind(AssertUnwindSafe(|| call(tail, len))).is_err(), "call {number}, {len}");
                    assert_eq!(tail.filled(), b"abc");
                }
            }
            assert!(is_on_slab || catch_unwind(AssertUnwindSafe(|| tail.cut(1))).is_err());
            tail.discard(1);
            assert_eq!((tail.filled(), tail.room()), (&b"bc"[..], 6));
            tail.skip(1);
            assert_eq!(tail.filled(), b"c");
            tail.truncate(0);
            assert_eq!(tail.filled(), b"");
        });
    }
}
