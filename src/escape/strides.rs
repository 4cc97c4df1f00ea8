//! Long texts with vector instructions: 64 bytes at a time, and one bit for each byte that needs an escape. Shared by
//! the instruction sets, each of which implements how to copy a stride and mark its escapes.

use super::imp::{first_escape, has_escape, load, store};
use super::set::Set;
use super::{copy_short, escape_bytewise};

/// Bytes that the shortest vectors hold.
pub(super) const BLOCK: usize = 16;

/// Bytes that are looked at together.
pub(super) const STRIDE: usize = 4 * BLOCK;

/// One instruction set's way to copy a stride and find its escapes.
pub(super) trait Stride {
    /// Copies a stride from `src` to `dst`; bit n of the result is set if byte n is in `set`.
    ///
    /// # Safety
    /// `src` must be valid for reads and `dst` for writes of a stride, and they must not overlap. The processor must
    /// have the instruction set.
    unsafe fn copy<S: Set>(set: S, src: *const u8, dst: *mut u8) -> u64;
}

/// Number of bytes before the first that is in `set`.
pub(super) fn clean_len<S: Set>(set: S, text: &[u8]) -> usize {
    let mut at = 0;
    while text.len() - at >= STRIDE {
        // SAFETY: `text` has at least a stride from `at` on.
        let blocks = unsafe {
            let src = text.as_ptr().add(at);
            [load(src), load(src.add(BLOCK)), load(src.add(2 * BLOCK)), load(src.add(3 * BLOCK))]
        };
        if has_escape(set, blocks) {
            break;
        }
        at += STRIDE;
    }
    while text.len() - at >= BLOCK {
        // SAFETY: `text` has at least 16 bytes from `at` on.
        let first = first_escape(set, unsafe { load(text.as_ptr().add(at)) });
        if first < BLOCK {
            return at + first;
        }
        at += BLOCK;
    }
    if let Some(last) = text.len().checked_sub(BLOCK) {
        // The last block overlaps bytes that are known not to be in the set.
        // SAFETY: `text` has 16 bytes from `last` on.
        let first = first_escape(set, unsafe { load(text.as_ptr().add(last)) });
        return last + first.min(BLOCK);
    }
    text.iter().take_while(|&&byte| !set.has(byte)).count()
}

/// Copies `text` to `dst` with its escapes and returns where the copy ends. Inlined into a function that has the
/// instruction set of `V`.
///
/// # Safety
/// As for [`escape`](super::escape), and the processor must have the instruction set of `V`.
#[inline(always)]
pub(super) unsafe fn escape_strides<V: Stride, S: Set>(set: S, mut text: &[u8], mut dst: *mut u8) -> *mut u8 {
    // Throughout, `dst` has at least 6 * text.len() + 16 bytes of room: a step that takes n bytes moves `dst` by at
    // most 6 * n.
    while text.len() >= 2 * STRIDE {
        // SAFETY: `text` has two strides, so one can be read and, as 64 <= 6 * 64, written. `escape_stride` takes no
        // more than there is.
        unsafe {
            let marks = V::copy(set, text.as_ptr(), dst);
            let taken;
            (taken, dst) = if marks == 0 { (STRIDE, dst.add(STRIDE)) } else { escape_stride(set, text, marks, dst) };
            text = text.get_unchecked(taken..);
        }
    }
    while text.len() >= BLOCK {
        // SAFETY: `text` has a block.
        (text, dst) = unsafe { escape_block(set, text, dst) };
    }
    // SAFETY: room for 6 * text.len() + 16 bytes is left.
    unsafe { copy_short(set, text, dst).unwrap_or_else(|| escape_bytewise(set, text, dst)) }
}

/// Copies the first stride of `text`, whose escapes are known: bit n of `marks` is that of byte n. The text before the
/// first escape has been copied already. Returns the number of bytes consumed, which is more than a stride if an
/// escaped character reaches beyond it, and where the copy ends.
///
/// All positions come from the marks and do not depend on earlier copies, so the processor can overlap the work.
///
/// # Safety
/// As for [`escape`](super::escape); `text` must have two strides and `marks` must not be 0.
#[inline]
unsafe fn escape_stride<S: Set>(set: S, text: &[u8], mut marks: u64, mut dst: *mut u8) -> (usize, *mut u8) {
    let src = text.as_ptr();
    let mut at = marks.trailing_zeros() as usize;
    // SAFETY: `at` is at most 63 when `put` is called, and at most 6 * at bytes were written before it, so there is
    // room for the rest of `text` and 16 bytes. It takes no more than the rest. `copy_run` is called with `at` at
    // most 64: it reads up to `at + 64`, which is inside the two strides of `text`, and writes at most 64 bytes
    // where 6 * (128 - at) + 16 are left, which is more.
    unsafe {
        dst = dst.add(at);
        loop {
            let taken;
            (taken, dst) = set.put(text.get_unchecked(at..), dst);
            at += taken;
            marks &= marks - 1;
            if set.more().is_some() {
                if at >= STRIDE {
                    return (at, dst);
                }
                // Marks inside what was consumed are done.
                marks &= u64::MAX << at;
            }
            let next = if marks == 0 { STRIDE } else { marks.trailing_zeros() as usize };
            copy_run(src.add(at), dst, next - at);
            dst = dst.add(next - at);
            at = next;
            if marks == 0 {
                return (STRIDE, dst);
            }
        }
    }
}

/// Copies at least `len` bytes in whole blocks, at most four. Mostly one or two suffice, so two are always copied.
///
/// # Safety
/// `len` must be at most 64, `src` valid for reads and `dst` for writes of 64 bytes, and they must not overlap.
#[inline(always)]
unsafe fn copy_run(src: *const u8, dst: *mut u8, len: usize) {
    // SAFETY: all accesses are inside the 64 bytes that the caller promises.
    unsafe {
        store(dst, load(src));
        store(dst.add(BLOCK), load(src.add(BLOCK)));
        if len > 2 * BLOCK {
            store(dst.add(2 * BLOCK), load(src.add(2 * BLOCK)));
            store(dst.add(3 * BLOCK), load(src.add(3 * BLOCK)));
        }
    }
}

/// Copies one block, or the bytes before its first escape and that escape.
///
/// # Safety
/// As for [`escape`](super::escape), and `text` must have at least 16 bytes.
#[inline(always)]
unsafe fn escape_block<S: Set>(set: S, text: &[u8], dst: *mut u8) -> (&[u8], *mut u8) {
    // SAFETY: 16 bytes of `text` to read, and room to write them. An escape at index n <= 15 is written at `dst + n`,
    // where room for the rest of `text` and 16 bytes is left.
    unsafe {
        let block = load(text.as_ptr());
        store(dst, block);
        let at = first_escape(set, block);
        if at >= BLOCK {
            return (text.get_unchecked(BLOCK..), dst.add(BLOCK));
        }
        let (taken, dst) = set.put(text.get_unchecked(at..), dst.add(at));
        (text.get_unchecked(at + taken..), dst)
    }
}
