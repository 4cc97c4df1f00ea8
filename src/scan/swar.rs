//! Eight bytes a step in an ordinary register, on any target and either byte order. See the parent module for what the
//! functions promise.

use super::{copy_short, escape_bytewise, escape_marks, put_escaped};

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

/// Whether a byte of the four blocks needs an escape.
#[inline(always)]
pub(super) fn has_escape(blocks: [[u64; 2]; 4]) -> bool {
    blocks.as_flattened().iter().fold(0, |marks, &word| marks | escape_marks(word)) != 0
}

/// Whether a byte of the four words needs an escape.
#[inline(always)]
pub(super) fn word_has_escape([a, b, c, d]: [u32; 4]) -> bool {
    escape_marks(u64::from(a) | u64::from(b) << 32) | escape_marks(u64::from(c) | u64::from(d) << 32) != 0
}

/// Index of the first byte in memory that needs an escape, or 8.
#[inline(always)]
fn first_escape(word: u64) -> usize {
    // Marks are exact up to the lowest one, so the first byte in memory has to be the least significant.
    (escape_marks(u64::from_le(word)).trailing_zeros() / 8) as usize
}

/// Number of bytes before the first that needs an escape.
pub(super) fn clean_len(text: &[u8]) -> usize {
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    for (index, &block) in blocks.iter().enumerate() {
        let first = first_escape(u64::from_ne_bytes(block));
        if first < BLOCK {
            return index * BLOCK + first;
        }
    }
    text.len() - rest.len() + rest.iter().take_while(|&&byte| super::escape_of(byte).is_empty()).count()
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
    while let Some((block, rest)) = text.split_first_chunk::<BLOCK>() {
        // In each step `dst` has at least 6 * text.len() + 16 bytes of room: a step that takes n bytes of text moves
        // `dst` by at most 6 * n.
        // SAFETY: room for a block, as 8 <= 6 * 8; an escape at index n <= 7 is written at `dst + n`, where
        // 6 * 8 + 16 - 7 > 8 bytes of room are left.
        unsafe {
            dst.cast::<[u8; BLOCK]>().write(*block);
            let first = first_escape(u64::from_ne_bytes(*block));
            if first == BLOCK {
                (text, dst) = (rest, dst.add(BLOCK));
            } else {
                dst = put_escaped(block[first], dst.add(first));
                text = &text[first + 1..];
            }
        }
    }
    // SAFETY: room for 6 * text.len() + 16 bytes is left.
    unsafe { copy_short(text, dst).unwrap_or_else(|| escape_bytewise(text, dst)) }
}
