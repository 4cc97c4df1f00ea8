//! Sixty-four bytes a step with AVX-512, for long texts. Called by `sse2` if the processor has AVX-512.

#![allow(clippy::incompatible_msrv, reason = "older compilers do not see this module")]

use std::arch::x86_64::*;

use super::set::{ANGLE_BIT, Set};
use super::strides::{Stride, escape_strides};

struct Avx512;

impl Stride for Avx512 {
    #[inline(always)]
    unsafe fn copy<S: Set>(set: S, src: *const u8, dst: *mut u8) -> u64 {
        // SAFETY: a block of 64 bytes is the stride that the caller promises, as it does the instruction set. The rest
        // is arithmetic in registers, and loads of the vectors of `More`. Bytes are compared as in `sse2`, but
        // a comparison yields bits directly.
        unsafe {
            let block = _mm512_loadu_si512(src.cast());
            _mm512_storeu_si512(dst.cast(), block);
            let flipped = _mm512_xor_si512(block, _mm512_set1_epi8(0x02));
            let is_control_or_quote = _mm512_cmple_epu8_mask(flipped, _mm512_set1_epi8(0x20));
            let is_backslash = _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(b'\\' as i8));
            let mut marks = is_control_or_quote | is_backslash;
            if let Some(more) = set.more() {
                let with_bit = _mm512_or_si512(block, _mm512_set1_epi8(ANGLE_BIT as i8));
                marks |= _mm512_test_epi8_mask(block, fourfold(&more.bits));
                marks |= _mm512_cmpeq_epi8_mask(with_bit, fourfold(&more.angle));
                for byte in &more.bytes {
                    marks |= _mm512_cmpeq_epi8_mask(block, fourfold(byte));
                }
            }
            marks
        }
    }
}

/// A vector with these 16 bytes in each of its quarters.
///
/// # Safety
/// The processor must have AVX-512F.
#[inline(always)]
unsafe fn fourfold(bytes: &[u8; 16]) -> __m512i {
    // SAFETY: a load of 16 bytes that need not be aligned; the caller promises the instruction set.
    unsafe { _mm512_broadcast_i32x4(_mm_loadu_si128(bytes.as_ptr().cast())) }
}

/// Whether the processor has what [`escape_long`] needs. Asks for VBMI too, because the first processors with AVX-512,
/// which slow their clock down for it, lack VBMI.
#[inline(always)]
pub(super) fn is_available() -> bool {
    std::arch::is_x86_feature_detected!("avx512bw") && std::arch::is_x86_feature_detected!("avx512vbmi")
}

/// Copies `text` to `dst` with its escapes and returns where the copy ends.
///
/// # Safety
/// As for [`escape`](super::escape), and the processor must have AVX-512F and AVX-512BW.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn escape_long<S: Set>(set: S, text: &[u8], dst: *mut u8) -> *mut u8 {
    // SAFETY: the caller promises all that is asked for.
    unsafe { escape_strides::<Avx512, S>(set, text, dst) }
}
