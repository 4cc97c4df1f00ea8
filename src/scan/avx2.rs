//! Thirty-two bytes a step with AVX2, for long texts. `sse2` calls it after it has asked the processor.

use std::arch::x86_64::*;

use super::sse2::{Stride, escape_strides};

const BLOCK: usize = 32;

struct Avx2;

impl Stride for Avx2 {
    #[inline(always)]
    unsafe fn copy(src: *const u8, dst: *mut u8) -> u64 {
        // SAFETY: two blocks of 32 bytes make the stride that the caller promises, as it does AVX2.
        unsafe {
            let (a, b) = (_mm256_loadu_si256(src.cast()), _mm256_loadu_si256(src.add(BLOCK).cast()));
            _mm256_storeu_si256(dst.cast(), a);
            _mm256_storeu_si256(dst.add(BLOCK).cast(), b);
            u64::from(mask(a)) | u64::from(mask(b)) << 32
        }
    }
}

/// A bit for each byte that needs an escape, the first byte's lowest; found as in `sse2`.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn mask(block: __m256i) -> u32 {
    // SAFETY: arithmetic in registers; the caller promises AVX2.
    unsafe {
        let flipped = _mm256_xor_si256(block, _mm256_set1_epi8(0x02));
        let is_control_or_quote = _mm256_cmpeq_epi8(_mm256_min_epu8(flipped, _mm256_set1_epi8(0x20)), flipped);
        let is_backslash = _mm256_cmpeq_epi8(block, _mm256_set1_epi8(b'\\' as i8));
        _mm256_movemask_epi8(_mm256_or_si256(is_control_or_quote, is_backslash)) as u32
    }
}

/// Copies `text` to `dst` with its escapes and returns where the copy ends.
///
/// # Safety
/// `dst` must be valid for writes of `6 * text.len() + 16` bytes and not overlap `text`. The processor must have AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn escape_long(text: &[u8], dst: *mut u8) -> *mut u8 {
    // SAFETY: the caller promises all that is asked for.
    unsafe { escape_strides::<Avx2>(text, dst) }
}
