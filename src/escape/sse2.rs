//! Sixteen bytes a step with SSE2, the baseline of x86-64. Long texts are passed on to `avx512` or `avx2` if the
//! processor has it. The parent module says what the functions promise.

use std::arch::x86_64::*;

use super::avx2;
use super::set::{ANGLE_BIT, Set};
pub(super) use super::strides::clean_len;
use super::strides::{BLOCK, Stride, escape_strides};

/// From this length on, longer vectors are worth a check whether the processor has them.
const LONG_FROM: usize = 256;

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

/// Sets the top bit of each byte that is in `set`; the other bits have no meaning.
#[inline(always)]
fn marks<S: Set>(set: S, block: __m128i) -> __m128i {
    // SAFETY: arithmetic in registers; this module is only compiled where SSE2 is enabled. The vectors of `More` have
    // 16 bytes each.
    unsafe {
        let json = if S::QUOTES {
            // Flipping one bit moves the quote, 0x22, next to the control characters, and them among themselves.
            let flipped = _mm_xor_si128(block, _mm_set1_epi8(0x02));
            let is_control_or_quote = _mm_cmpeq_epi8(_mm_min_epu8(flipped, _mm_set1_epi8(0x20)), flipped);
            let is_backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8(b'\\' as i8));
            _mm_or_si128(is_control_or_quote, is_backslash)
        } else {
            _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block)
        };
        let Some(more) = set.more() else { return json };
        let bits = _mm_and_si128(block, load(more.bits.as_ptr()));
        let with_bit = _mm_or_si128(block, _mm_set1_epi8(ANGLE_BIT as i8));
        let angle = _mm_cmpeq_epi8(with_bit, load(more.angle.as_ptr()));
        let [a, b, c] = more.bytes.each_ref().map(|byte| _mm_cmpeq_epi8(block, load(byte.as_ptr())));
        _mm_or_si128(_mm_or_si128(_mm_or_si128(json, bits), _mm_or_si128(angle, a)), _mm_or_si128(b, c))
    }
}

/// One bit for each byte, set if the byte is in `set`; the lowest bit is that of the first byte.
#[inline(always)]
fn mask<S: Set>(set: S, block: __m128i) -> u32 {
    // SAFETY: arithmetic in registers; this module is only compiled where SSE2 is enabled.
    unsafe { _mm_movemask_epi8(marks(set, block)) as u32 }
}

/// Whether a byte of the four blocks is in `set`.
#[inline(always)]
pub(super) fn has_escape<S: Set>(set: S, [a, b, c, d]: [__m128i; 4]) -> bool {
    // SAFETY: arithmetic in registers; this module is only compiled where SSE2 is enabled.
    unsafe {
        let ab = _mm_or_si128(marks(set, a), marks(set, b));
        let cd = _mm_or_si128(marks(set, c), marks(set, d));
        _mm_movemask_epi8(_mm_or_si128(ab, cd)) != 0
    }
}

/// Whether a byte of the four words is in `set`.
#[inline(always)]
pub(super) fn word_has_escape<S: Set>(set: S, [a, b, c, d]: [u32; 4]) -> bool {
    // SAFETY: arithmetic in registers; this module is only compiled where SSE2 is enabled.
    mask(set, unsafe { _mm_set_epi32(d as i32, c as i32, b as i32, a as i32) }) != 0
}

/// Index of the first byte that is in `set`; 16 or more if none is.
#[inline(always)]
pub(super) fn first_escape<S: Set>(set: S, block: __m128i) -> usize {
    mask(set, block).trailing_zeros() as usize
}

/// [`escape`](super::escape) for long texts.
///
/// # Safety
/// As for [`escape`](super::escape).
#[inline(never)]
pub(super) unsafe fn escape_long<S: Set>(set: S, text: &[u8], dst: *mut u8) -> *mut u8 {
    // SAFETY: the caller promises what all of them ask for, and instruction sets are there when they are detected.
    unsafe {
        if text.len() < LONG_FROM {
            return escape_strides::<Sse2, S>(set, text, dst);
        }
        #[cfg(json_rope_since_1_89)]
        if super::avx512::is_available() {
            return super::avx512::escape_long(set, text, dst);
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            avx2::escape_long(set, text, dst)
        } else {
            escape_strides::<Sse2, S>(set, text, dst)
        }
    }
}

pub(super) struct Sse2;

impl Stride for Sse2 {
    #[inline(always)]
    unsafe fn copy<S: Set>(set: S, src: *const u8, dst: *mut u8) -> u64 {
        // SAFETY: four blocks make the stride that the caller promises.
        unsafe {
            let (a, b) = (load(src), load(src.add(BLOCK)));
            let (c, d) = (load(src.add(2 * BLOCK)), load(src.add(3 * BLOCK)));
            store(dst, a);
            store(dst.add(BLOCK), b);
            store(dst.add(2 * BLOCK), c);
            store(dst.add(3 * BLOCK), d);
            u64::from(mask(set, a) | mask(set, b) << 16) | u64::from(mask(set, c) | mask(set, d) << 16) << 32
        }
    }
}
