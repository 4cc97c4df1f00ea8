//! Thirty-two bytes a step with AVX2, for long texts. Called by `sse2` if the processor has AVX2.

use std::arch::x86_64::*;

use super::set::{ANGLE_BIT, Set};
use super::strides::{Stride, escape_strides};

const BLOCK: usize = 32;

struct Avx2;

impl Stride for Avx2 {
    #[inline(always)]
    unsafe fn copy<S: Set>(set: S, src: *const u8, dst: *mut u8) -> u64 {
        // SAFETY: two blocks of 32 bytes make the stride that the caller promises, as it does AVX2.
        unsafe {
            let (a, b) = (_mm256_loadu_si256(src.cast()), _mm256_loadu_si256(src.add(BLOCK).cast()));
            _mm256_storeu_si256(dst.cast(), a);
            _mm256_storeu_si256(dst.add(BLOCK).cast(), b);
            u64::from(mask(set, a)) | u64::from(mask(set, b)) << 32
        }
    }
}

/// One bit for each byte, set if the byte is in `set`; the lowest bit is that of the first byte. Works as in `sse2`.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn mask<S: Set>(set: S, block: __m256i) -> u32 {
    // SAFETY: arithmetic in registers, and loads of the vectors of `More`; the caller promises AVX2.
    unsafe {
        let flipped = _mm256_xor_si256(block, _mm256_set1_epi8(0x02));
        let is_control_or_quote = _mm256_cmpeq_epi8(_mm256_min_epu8(flipped, _mm256_set1_epi8(0x20)), flipped);
        let is_backslash = _mm256_cmpeq_epi8(block, _mm256_set1_epi8(b'\\' as i8));
        let mut marks = _mm256_or_si256(is_control_or_quote, is_backslash);
        if let Some(more) = set.more() {
            let bits = _mm256_and_si256(block, twice(&more.bits));
            let with_bit = _mm256_or_si256(block, _mm256_set1_epi8(ANGLE_BIT as i8));
            let angle = _mm256_cmpeq_epi8(with_bit, twice(&more.angle));
            marks = _mm256_or_si256(marks, _mm256_or_si256(bits, angle));
            for byte in &more.bytes {
                marks = _mm256_or_si256(marks, _mm256_cmpeq_epi8(block, twice(byte)));
            }
        }
        _mm256_movemask_epi8(marks) as u32
    }
}

/// A vector with these 16 bytes in both of its halves.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn twice(bytes: &[u8; 16]) -> __m256i {
    // SAFETY: a load of 16 bytes that need not be aligned; the caller promises AVX2.
    unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(bytes.as_ptr().cast())) }
}

/// Copies `text` to `dst` with its escapes and returns where the copy ends.
///
/// # Safety
/// As for [`escape`](super::escape), and the processor must have AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn escape_long<S: Set>(set: S, text: &[u8], dst: *mut u8) -> *mut u8 {
    // SAFETY: the caller promises all that is asked for.
    unsafe { escape_strides::<Avx2, S>(set, text, dst) }
}
