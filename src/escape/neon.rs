//! Sixteen bytes a step with NEON, which every 64-bit ARM processor has. The parent module says what the functions
//! promise.

use std::arch::aarch64::*;

use super::set::{ANGLE_BIT, Set};
pub(super) use super::strides::clean_len;
use super::strides::{BLOCK, Stride, escape_strides};

/// # Safety
/// `src` must be valid for reads of 16 bytes.
#[inline(always)]
pub(super) unsafe fn load(src: *const u8) -> uint8x16_t {
    // SAFETY: a load of the 16 bytes that the caller promises, which need not be aligned.
    unsafe { vld1q_u8(src) }
}

/// # Safety
/// `dst` must be valid for writes of 16 bytes.
#[inline(always)]
pub(super) unsafe fn store(dst: *mut u8, block: uint8x16_t) {
    // SAFETY: a store to the 16 bytes that the caller promises, which need not be aligned.
    unsafe { vst1q_u8(dst, block) }
}

/// All bits set in each byte that is in `set`.
#[inline(always)]
fn marks<S: Set>(set: S, block: uint8x16_t) -> uint8x16_t {
    // SAFETY: arithmetic in registers, and loads of the vectors of `More`; this module is only compiled where NEON is
    // enabled.
    unsafe {
        let mut marks = if S::QUOTES {
            // Flipping one bit moves the quote, 0x22, next to the control characters, and them among themselves.
            let is_control_or_quote = vcleq_u8(veorq_u8(block, vdupq_n_u8(0x02)), vdupq_n_u8(0x20));
            let is_backslash = vceqq_u8(block, vdupq_n_u8(b'\\'));
            vorrq_u8(is_control_or_quote, is_backslash)
        } else {
            vcleq_u8(block, vdupq_n_u8(0x1f))
        };
        if let Some(more) = set.more() {
            let bits = vtstq_u8(block, load(more.bits.as_ptr()));
            let angle = vceqq_u8(vorrq_u8(block, vdupq_n_u8(ANGLE_BIT)), load(more.angle.as_ptr()));
            marks = vorrq_u8(marks, vorrq_u8(bits, angle));
            for byte in &more.bytes {
                marks = vorrq_u8(marks, vceqq_u8(block, load(byte.as_ptr())));
            }
        }
        marks
    }
}

/// Whether a byte of the four blocks is in `set`.
#[inline(always)]
pub(super) fn has_escape<S: Set>(set: S, [a, b, c, d]: [uint8x16_t; 4]) -> bool {
    // SAFETY: arithmetic in registers; this module is only compiled where NEON is enabled.
    unsafe {
        let ab = vorrq_u8(marks(set, a), marks(set, b));
        let cd = vorrq_u8(marks(set, c), marks(set, d));
        vmaxvq_u8(vorrq_u8(ab, cd)) != 0
    }
}

/// Whether a byte of the four words is in `set`.
#[inline(always)]
pub(super) fn word_has_escape<S: Set>(set: S, words: [u32; 4]) -> bool {
    // SAFETY: a load of 16 bytes, and arithmetic in registers; this module is only compiled where NEON is enabled.
    unsafe { vmaxvq_u8(marks(set, vreinterpretq_u8_u32(vld1q_u32(words.as_ptr())))) != 0 }
}

/// Index of the first byte that is in `set`, or 16.
#[inline(always)]
pub(super) fn first_escape<S: Set>(set: S, block: uint8x16_t) -> usize {
    // SAFETY: arithmetic in registers; this module is only compiled where NEON is enabled.
    let nibbles = unsafe {
        // Four bits of each byte: the upper ones of the even bytes, the lower ones of the odd.
        let narrow = vshrn_n_u16::<4>(vreinterpretq_u16_u8(marks(set, block)));
        vget_lane_u64::<0>(vreinterpret_u64_u8(narrow))
    };
    (nibbles.trailing_zeros() / 4) as usize
}

/// [`escape`](super::escape) for long texts.
///
/// # Safety
/// As for [`escape`](super::escape).
#[inline(never)]
pub(super) unsafe fn escape_long<S: Set>(set: S, text: &[u8], dst: *mut u8) -> *mut u8 {
    // SAFETY: the caller promises what is asked for, and this module is only compiled where NEON is enabled.
    unsafe { escape_strides::<Neon, S>(set, text, dst) }
}

pub(super) struct Neon;

impl Stride for Neon {
    #[inline(always)]
    unsafe fn copy<S: Set>(set: S, src: *const u8, dst: *mut u8) -> u64 {
        const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        // SAFETY: four blocks make the stride that the caller promises; `BITS` has a block.
        unsafe {
            let (a, b) = (load(src), load(src.add(BLOCK)));
            let (c, d) = (load(src.add(2 * BLOCK)), load(src.add(3 * BLOCK)));
            store(dst, a);
            store(dst.add(BLOCK), b);
            store(dst.add(2 * BLOCK), c);
            store(dst.add(3 * BLOCK), d);
            // Each of eight bytes keeps a different bit; adding neighbours three times collects them in one byte.
            let bits = load(BITS.as_ptr());
            let ab = vpaddq_u8(vandq_u8(marks(set, a), bits), vandq_u8(marks(set, b), bits));
            let cd = vpaddq_u8(vandq_u8(marks(set, c), bits), vandq_u8(marks(set, d), bits));
            let abcd = vpaddq_u8(ab, cd);
            vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(abcd, abcd)))
        }
    }
}
