//! Sixteen bytes a step with SSE2, the baseline of x86-64. See the parent module for what the functions promise.

use std::arch::x86_64::*;

use super::{copy_short, escape_bytewise, put_escaped};

const BLOCK: usize = 16;

/// # Safety
/// `src` must be valid for reads of 16 bytes.
#[inline(always)]
pub(super) unsafe fn load(src: *const u8) -> __m128i {
    // SAFETY: an unaligned load of the 16 bytes that the caller promises.
    unsafe { _mm_loadu_si128(src.cast()) }
}

/// # Safety
/// `dst` must be valid for writes of 16 bytes.
#[inline(always)]
pub(super) unsafe fn store(dst: *mut u8, block: __m128i) {
    // SAFETY: an unaligned store to the 16 bytes that the caller promises.
    unsafe { _mm_storeu_si128(dst.cast(), block) }
}

/// A byte of all ones for each byte that needs an escape.
#[inline(always)]
fn marks(block: __m128i) -> __m128i {
    // SAFETY: arithmetic in registers; this module is only compiled where SSE2 is enabled.
    unsafe {
        let below_space = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
        let is_quote = _mm_cmpeq_epi8(block, _mm_set1_epi8(b'"' as i8));
        let is_backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8(b'\\' as i8));
        _mm_or_si128(_mm_or_si128(is_quote, is_backslash), below_space)
    }
}

/// A bit for each byte that needs an escape, the first byte's lowest.
#[inline(always)]
fn mask(block: __m128i) -> u32 {
    // SAFETY: arithmetic in registers; this module is only compiled where SSE2 is enabled.
    unsafe { _mm_movemask_epi8(marks(block)) as u32 }
}

/// Whether a byte of either block needs an escape.
#[inline(always)]
pub(super) fn has_escape(a: __m128i, b: __m128i) -> bool {
    // SAFETY: arithmetic in registers; this module is only compiled where SSE2 is enabled.
    unsafe { _mm_movemask_epi8(_mm_or_si128(marks(a), marks(b))) != 0 }
}

/// Whether a byte of either word needs an escape.
#[inline(always)]
pub(super) fn has_escape_128(a: u64, b: u64) -> bool {
    // SAFETY: arithmetic in registers; this module is only compiled where SSE2 is enabled.
    mask(unsafe { _mm_set_epi64x(b as i64, a as i64) }) != 0
}

/// Number of bytes before the first that needs an escape.
pub(super) fn clean_len(text: &[u8]) -> usize {
    let mut at = 0;
    while text.len() - at >= BLOCK {
        // SAFETY: at least 16 bytes of `text` lie behind `at`.
        let mask = mask(unsafe { load(text.as_ptr().add(at)) });
        if mask != 0 {
            return at + mask.trailing_zeros() as usize;
        }
        at += BLOCK;
    }
    at + text[at..].iter().take_while(|&&byte| super::escape_of(byte).is_empty()).count()
}

/// Copies `text` to `dst` with its escapes and returns where the copy ends.
///
/// # Safety
/// `dst` must be valid for writes of `6 * text.len() + 16` bytes and not overlap `text`.
#[inline(always)]
pub(super) unsafe fn escape(text: &[u8], dst: *mut u8) -> *mut u8 {
    // SAFETY: the caller promises what both functions ask for.
    unsafe {
        match copy_short(text, dst) {
            Some(end) => end,
            None => escape_long(text, dst),
        }
    }
}

/// # Safety
/// As for [`escape`].
#[inline(never)]
unsafe fn escape_long(mut text: &[u8], mut dst: *mut u8) -> *mut u8 {
    // In each step `dst` has at least 6 * text.len() + 16 bytes of room: a step that takes n bytes of text moves `dst`
    // by at most 6 * n.
    while text.len() >= 4 * BLOCK {
        let src = text.as_ptr();
        // SAFETY: 64 bytes of `text` to read and, as 64 <= 6 * 64, room to write them.
        let any = unsafe {
            let (a, b) = (load(src), load(src.add(BLOCK)));
            let (c, d) = (load(src.add(2 * BLOCK)), load(src.add(3 * BLOCK)));
            store(dst, a);
            store(dst.add(BLOCK), b);
            store(dst.add(2 * BLOCK), c);
            store(dst.add(3 * BLOCK), d);
            _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(marks(a), marks(b)), _mm_or_si128(marks(c), marks(d))))
        };
        if any == 0 {
            text = &text[4 * BLOCK..];
            // SAFETY: see above.
            dst = unsafe { dst.add(4 * BLOCK) };
        } else {
            // SAFETY: see above; `text` has more than one block.
            (text, dst) = unsafe { escape_block(text, dst) };
        }
    }
    while text.len() >= BLOCK {
        // SAFETY: `text` has a block.
        (text, dst) = unsafe { escape_block(text, dst) };
    }
    // SAFETY: room for 6 * text.len() + 16 bytes is left.
    unsafe { copy_short(text, dst).unwrap_or_else(|| escape_bytewise(text, dst)) }
}

/// Copies one block, or what precedes its first escape, and that escape.
///
/// # Safety
/// As for [`escape`], and `text` must have at least 16 bytes.
#[inline(always)]
unsafe fn escape_block(text: &[u8], dst: *mut u8) -> (&[u8], *mut u8) {
    // SAFETY: 16 bytes of `text` to read, and room to write them. An escape at index n <= 15 is written at `dst + n`,
    // where 6 * 16 + 16 - 15 > 8 bytes of room are left.
    unsafe {
        let block = load(text.as_ptr());
        store(dst, block);
        let mask = mask(block);
        if mask == 0 {
            return (text.get_unchecked(BLOCK..), dst.add(BLOCK));
        }
        let at = mask.trailing_zeros() as usize;
        (text.get_unchecked(at + 1..), put_escaped(*text.get_unchecked(at), dst.add(at)))
    }
}
