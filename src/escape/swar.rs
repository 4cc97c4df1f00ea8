//! Eight bytes a step in an ordinary register, on any target and either byte order. The parent module says what the
//! functions promise.

use super::set::{ANGLE_BIT, Set};
use super::{copy_short, escape_bytewise};

const BLOCK: usize = 8;

/// # Safety
/// `src` must be valid for reads of 16 bytes.
#[inline(always)]
pub(super) unsafe fn load(src: *const u8) -> [u64; 2] {
    // SAFETY: an unaligned read of the 16 bytes that the caller promises.
    unsafe { src.cast::<[u64; 2]>().read_unaligned() }
}

/// # Safety
/// `dst` must be valid for writes of 16 bytes.
#[inline(always)]
pub(super) unsafe fn store(dst: *mut u8, block: [u64; 2]) {
    // SAFETY: an unaligned write of the 16 bytes that the caller promises.
    unsafe { dst.cast::<[u64; 2]>().write_unaligned(block) }
}

/// Sets the top bit of the lowest byte (counted from the least significant) that is in `set`, and of no byte below it.
/// Bits above may be wrong, because the subtractions borrow. Returns 0 if no byte is in the set.
#[inline(always)]
pub(super) fn marks<S: Set>(set: S, word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = ONES << 7;
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word;
    let below_space = word.wrapping_sub(ONES * 0x20) & !word;
    let mut found = below_space;
    if S::QUOTES {
        found |= zeros(word ^ (ONES * b'"' as u64)) | zeros(word ^ (ONES * b'\\' as u64));
    }
    if let Some(more) = set.more() {
        let wide = |bytes: [u8; 16]| ONES * u64::from(bytes[0]);
        found |= word & wide(more.bits) | zeros((word | (ONES * ANGLE_BIT as u64)) ^ wide(more.angle));
        found = more.bytes.iter().fold(found, |found, &byte| found | zeros(word ^ wide(byte)));
    }
    found & TOPS
}

/// Whether a byte of the four blocks is in `set`.
#[inline(always)]
pub(super) fn has_escape<S: Set>(set: S, blocks: [[u64; 2]; 4]) -> bool {
    blocks.as_flattened().iter().fold(0, |found, &word| found | marks(set, word)) != 0
}

/// Whether a byte of the four words is in `set`.
#[inline(always)]
pub(super) fn word_has_escape<S: Set>(set: S, [a, b, c, d]: [u32; 4]) -> bool {
    marks(set, u64::from(a) | u64::from(b) << 32) | marks(set, u64::from(c) | u64::from(d) << 32) != 0
}

/// Index of the first byte in memory that is in `set`, or 8.
#[inline(always)]
fn first_escape<S: Set>(set: S, word: u64) -> usize {
    // Marks are exact up to the lowest one, so the first byte in memory has to be the least significant.
    (marks(set, u64::from_le(word)).trailing_zeros() / 8) as usize
}

/// Number of bytes before the first that is in `set`.
pub(super) fn clean_len<S: Set>(set: S, text: &[u8]) -> usize {
    let mut rest = text;
    while let Some((&block, after)) = rest.split_first_chunk::<BLOCK>() {
        let first = first_escape(set, u64::from_ne_bytes(block));
        if first < BLOCK {
            return text.len() - rest.len() + first;
        }
        rest = after;
    }
    text.len() - rest.len() + rest.iter().take_while(|&&byte| !set.has(byte)).count()
}

/// [`escape`](super::escape) for long texts.
///
/// # Safety
/// As for [`escape`](super::escape).
#[inline(never)]
pub(super) unsafe fn escape_long<S: Set>(set: S, mut text: &[u8], mut dst: *mut u8) -> *mut u8 {
    while let Some((block, rest)) = text.split_first_chunk::<BLOCK>() {
        // In each step `dst` has at least 6 * text.len() + 16 bytes of room: a step that takes n bytes of text moves
        // `dst` by at most 6 * n.
        // SAFETY: room for a block, as 8 <= 6 * 8; an escape at index n <= 7 is written at `dst + n`, where room for
        // the rest of `text` and 16 bytes is left.
        unsafe {
            dst.cast::<[u8; BLOCK]>().write(*block);
            let first = first_escape(set, u64::from_ne_bytes(*block));
            if first == BLOCK {
                (text, dst) = (rest, dst.add(BLOCK));
            } else {
                let taken;
                (taken, dst) = set.put(text.get_unchecked(first..), dst.add(first));
                text = text.get_unchecked(first + taken..);
            }
        }
    }
    // SAFETY: room for 6 * text.len() + 16 bytes is left.
    unsafe { copy_short(set, text, dst).unwrap_or_else(|| escape_bytewise(set, text, dst)) }
}
