//! Sixteen bytes a step with SSE2, the baseline of x86-64; long texts go on to `avx2` where the processor has it. See the
//! parent module for what the functions promise.

use std::arch::x86_64::*;

use super::{avx2, copy_short, escape_bytewise, put_escaped};

const BLOCK: usize = 16;

/// Bytes that a long text is looked at together: one bit each in a word.
const STRIDE: usize = 4 * BLOCK;

/// From this length on it pays to ask whether there is AVX2, and to use it.
const AVX2_FROM: usize = 256;

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
        // Flipping one bit moves the quote, 0x22, next to the control characters, and them among themselves.
        let flipped = _mm_xor_si128(block, _mm_set1_epi8(0x02));
        let is_control_or_quote = _mm_cmpeq_epi8(_mm_min_epu8(flipped, _mm_set1_epi8(0x20)), flipped);
        let is_backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8(b'\\' as i8));
        _mm_or_si128(is_control_or_quote, is_backslash)
    }
}

/// A bit for each byte that needs an escape, the first byte's lowest.
#[inline(always)]
fn mask(block: __m128i) -> u32 {
    // SAFETY: arithmetic in registers; this module is only compiled where SSE2 is enabled.
    unsafe { _mm_movemask_epi8(marks(block)) as u32 }
}

/// Whether a byte of the four blocks needs an escape.
#[inline(always)]
pub(super) fn has_escape([a, b, c, d]: [__m128i; 4]) -> bool {
    // SAFETY: arithmetic in registers; this module is only compiled where SSE2 is enabled.
    unsafe {
        let ab = _mm_or_si128(marks(a), marks(b));
        let cd = _mm_or_si128(marks(c), marks(d));
        _mm_movemask_epi8(_mm_or_si128(ab, cd)) != 0
    }
}

/// Whether a byte of the four words needs an escape.
#[inline(always)]
pub(super) fn word_has_escape([a, b, c, d]: [u32; 4]) -> bool {
    // SAFETY: arithmetic in registers; this module is only compiled where SSE2 is enabled.
    mask(unsafe { _mm_set_epi32(d as i32, c as i32, b as i32, a as i32) }) != 0
}

/// Number of bytes before the first that needs an escape.
pub(super) fn clean_len(text: &[u8]) -> usize {
    let mut at = 0;
    while text.len() - at >= STRIDE {
        // SAFETY: at least a stride of `text` lies behind `at`.
        let blocks = unsafe {
            let src = text.as_ptr().add(at);
            [load(src), load(src.add(BLOCK)), load(src.add(2 * BLOCK)), load(src.add(3 * BLOCK))]
        };
        if has_escape(blocks) {
            break;
        }
        at += STRIDE;
    }
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
unsafe fn escape_long(text: &[u8], dst: *mut u8) -> *mut u8 {
    // SAFETY: the caller promises what all of them ask for, and AVX2 is there when it is detected.
    unsafe {
        if text.len() >= AVX2_FROM && std::arch::is_x86_feature_detected!("avx2") {
            avx2::escape_long(text, dst)
        } else {
            escape_strides::<Sse2>(text, dst)
        }
    }
}

/// One instruction set's way to copy a stride and find its escapes.
pub(super) trait Stride {
    /// Copies a stride from `src` to `dst`; bit n of the result is set if byte n needs an escape.
    ///
    /// # Safety
    /// `src` must be valid for reads and `dst` for writes of a stride, and they must not overlap. The processor must
    /// have the instruction set.
    unsafe fn copy(src: *const u8, dst: *mut u8) -> u64;
}

pub(super) struct Sse2;

impl Stride for Sse2 {
    #[inline(always)]
    unsafe fn copy(src: *const u8, dst: *mut u8) -> u64 {
        // SAFETY: four blocks make the stride that the caller promises.
        unsafe {
            let (a, b) = (load(src), load(src.add(BLOCK)));
            let (c, d) = (load(src.add(2 * BLOCK)), load(src.add(3 * BLOCK)));
            store(dst, a);
            store(dst.add(BLOCK), b);
            store(dst.add(2 * BLOCK), c);
            store(dst.add(3 * BLOCK), d);
            u64::from(mask(a) | mask(b) << 16) | u64::from(mask(c) | mask(d) << 16) << 32
        }
    }
}

/// [`escape`] for long texts. Inlined into a function that has the instruction set of `S`.
///
/// # Safety
/// As for [`escape`], and the processor must have the instruction set of `S`.
#[inline(always)]
pub(super) unsafe fn escape_strides<S: Stride>(mut text: &[u8], mut dst: *mut u8) -> *mut u8 {
    // Throughout, `dst` has at least 6 * text.len() + 16 bytes of room: what takes n bytes of text moves `dst` by at
    // most 6 * n.
    while text.len() >= 2 * STRIDE {
        // SAFETY: `text` has two strides, so one can be read and, as 64 <= 6 * 64, written.
        dst = unsafe {
            match S::copy(text.as_ptr(), dst) {
                0 => dst.add(STRIDE),
                escapes => escape_stride(text, escapes, dst),
            }
        };
        text = &text[STRIDE..];
    }
    while text.len() >= BLOCK {
        // SAFETY: `text` has a block.
        (text, dst) = unsafe { escape_block(text, dst) };
    }
    // SAFETY: room for 6 * text.len() + 16 bytes is left.
    unsafe { copy_short(text, dst).unwrap_or_else(|| escape_bytewise(text, dst)) }
}

/// Copies the first stride of `text`, whose escapes are known: bit n stands for byte n. The text before the first
/// escape has been copied already. Returns where the copy ends.
///
/// All positions come from the mask, not from one another's copies, so the processor can work on several at once.
///
/// # Safety
/// As for [`escape`]; `text` must have two strides and `escapes` must not be 0.
#[inline]
unsafe fn escape_stride(text: &[u8], mut escapes: u64, mut dst: *mut u8) -> *mut u8 {
    let src = text.as_ptr();
    let mut at = escapes.trailing_zeros() as usize;
    // SAFETY: `at` is at most 63 until the loop ends. An escape at index `at` is written where at most 6 * at bytes were
    // written before it, so more than 8 are left. `copy_run` reads up to `at + 64`, which is inside the two strides of
    // `text`, and writes at most 64 bytes where 6 * (128 - at) + 16 are left, which is more since `at` is at most 64.
    unsafe {
        dst = dst.add(at);
        loop {
            dst = put_escaped(*src.add(at), dst);
            at += 1;
            escapes &= escapes - 1;
            let next = if escapes == 0 { STRIDE } else { escapes.trailing_zeros() as usize };
            copy_run(src.add(at), dst, next - at);
            dst = dst.add(next - at);
            at = next;
            if escapes == 0 {
                return dst;
            }
        }
    }
}

/// Copies at least `len` bytes, in whole blocks, at most four; mostly it is one or two, so that is what it starts with.
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
