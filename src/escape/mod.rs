//! Finds the bytes of a string that JSON must escape, and copies a string with its escapes into free memory.
//!
//! `out` and `fmt` call it. Functions without options look for what JSON demands to be escaped; functions whose names
//! end in `_with` also look for what the options ask for. One implementation is chosen at compile time as `imp`: SSE2,
//! which every x86-64 has, NEON, which every 64-bit ARM processor has, or a portable one that works on eight bytes at a
//! time. The portable one is also used under Miri, and anywhere with `RUSTFLAGS='--cfg json_rope_portable'`. No
//! implementation reads outside the slice it is given: the last bytes are read by loads that overlap earlier ones.
//!
//! * `set`: which bytes need an escape
//! * `strides`: long texts, for all instruction sets with vectors
//! * `sse2`, `avx2`, `avx512`, `neon`, `swar`: one instruction set each (`swar`: none)
//! * `prefetch`: asks for memory ahead of time

#![allow(unsafe_code)]

mod prefetch;
mod set;

use std::mem::{self, MaybeUninit};
use std::slice;

pub(crate) use set::Escapes;
use set::{InJson, Json, More, Set};

pub(crate) use prefetch::{prefetch, prefetch_targets};

/// The items of the first condition that holds: `cfg_select!` of Rust 1.95, for two conditions.
macro_rules! select {
    ($first:meta => { $($a:item)* } $second:meta => { $($b:item)* } _ => { $($c:item)* }) => {
        $(#[cfg($first)] $a)*
        $(#[cfg(all(not($first), $second))] $b)*
        $(#[cfg(not(any($first, $second)))] $c)*
    };
}

select! {
    all(target_arch = "x86_64", target_feature = "sse2", not(miri), not(json_rope_portable)) => {
        mod avx2;
        #[cfg(json_rope_since_1_89)]
        mod avx512;
        mod sse2;
        mod strides;
        use sse2 as imp;
    }
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little", not(miri), not(json_rope_portable)) => {
        mod neon;
        mod strides;
        use neon as imp;
    }
    _ => {
        use swar as imp;
    }
}
#[allow(dead_code, reason = "used where there is nothing better, and by the tests everywhere")]
mod swar;

/// The longest escape, `\u0000`.
pub(crate) const MAX_ESCAPE: usize = 6;

/// Room that the escaping copy may touch beyond the worst case: one whole block.
const SLACK: usize = 16;

/// Room that [`quote`] needs for `len` bytes between marks of up to 4 bytes in all. Saturates, so that an
/// impossible length asks for impossible room instead of wrapping round.
#[inline(always)]
pub(crate) const fn quoted_room(len: usize) -> usize {
    len.saturating_mul(MAX_ESCAPE).saturating_add(SLACK + 4)
}

/// How a byte is escaped: the text, padded to one wide store, and its length. Length 0: as it is.
///
/// It is written to the output as it is in memory, so the text has to come first, without padding.
#[derive(Clone, Copy)]
#[repr(C)]
struct Escape {
    text: [u8; 7],
    len: u8,
}

const _: () = assert!(mem::offset_of!(Escape, text) == 0 && size_of::<Escape>() == 8);

/// One entry for each byte value.
static ESCAPES: [Escape; 256] = {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut table = [Escape { text: [0; 7], len: 0 }; 256];
    let mut byte = 0;
    while byte < 0x20 {
        let text = [b'\\', b'u', b'0', b'0', HEX[byte >> 4], HEX[byte & 15], 0];
        table[byte] = Escape { text, len: 6 };
        byte += 1;
    }
    let short = [(0x08, b'b'), (b'\t', b't'), (b'\n', b'n'), (0x0c, b'f'), (b'\r', b'r'), (b'"', b'"'), (b'\\', b'\\')];
    let mut i = 0;
    while i < short.len() {
        let (byte, letter) = short[i];
        table[byte as usize] = Escape { text: [b'\\', letter, 0, 0, 0, 0, 0], len: 2 };
        i += 1;
    }
    table
};

/// The escape for `byte`, or nothing if it needs none.
pub(crate) fn escape_of(byte: u8) -> &'static [u8] {
    let escape = &ESCAPES[byte as usize];
    &escape.text[..escape.len as usize]
}

/// Number of bytes before the first one that needs an escape; the length of `text` if none does.
pub(crate) fn clean_len(text: &[u8]) -> usize {
    imp::clean_len(Json, text)
}

/// Number of bytes before the first character that may need an escape under `escapes`; the length of `text` if there is
/// none. Always a character boundary.
pub(crate) fn clean_len_with(escapes: Escapes, text: &str) -> usize {
    imp::clean_len(More::of(escapes), text.as_bytes())
}

/// Number of bytes in JSON text before the first control character or the first character that may need an escape under
/// `escapes`; the length of `json` if there is none. Quotes and backslashes are ignored.
pub(crate) fn clean_json_len(escapes: Escapes, json: &[u8]) -> usize {
    imp::clean_len(InJson(More::of(escapes)), json)
}

/// Writes `before`, `text` with its escapes, and `after` to `dst`, and returns where they end.
///
/// Always inlined: where `text` is a constant, checking and copying it fold into a few stores.
///
/// # Safety
/// `dst` must be valid for writes of [`quoted_room`] bytes and not overlap `text`. All bytes up to the result are then
/// initialized.
#[inline(always)]
pub(crate) unsafe fn quote<const B: usize, const A: usize>(
    before: &[u8; B],
    text: &[u8],
    after: &[u8; A],
    dst: *mut u8,
) -> *mut u8 {
    const { assert!(A + B <= 4) };
    // SAFETY: there is room for at least 6 * text.len() + SLACK + 4 bytes. The marks take at most 4 and the escaped text
    // at most 6 * text.len(), which leaves the copy the SLACK that it may touch.
    unsafe {
        dst.cast::<[u8; B]>().write(*before);
        let end = escape(Json, text, dst.add(B));
        end.cast::<[u8; A]>().write(*after);
        end.add(A)
    }
}

/// Fills the front of `room` with `before`, `text` with the escapes that the options ask for, and `after`.
///
/// # Panics
/// If there is no [`quoted_room`] for them.
#[inline(always)]
pub(crate) fn quote_with<'r, const B: usize, const A: usize>(
    escapes: Escapes,
    before: &[u8; B],
    text: &str,
    after: &[u8; A],
    room: &'r mut [MaybeUninit<u8>],
) -> &'r mut [u8] {
    const { assert!(A + B <= 4) };
    assert!(room.len() >= quoted_room(text.len()));
    let start = room.as_mut_ptr().cast::<u8>();
    // SAFETY: as in `quote`, with the room that was asserted; and `text` is valid UTF-8.
    unsafe {
        start.cast::<[u8; B]>().write(*before);
        let end = escape_with(More::of(escapes), text.as_bytes(), start.add(B));
        end.cast::<[u8; A]>().write(*after);
        slice::from_raw_parts_mut(start, end.add(A).offset_from(start) as usize)
    }
}

/// Not inlined: unlike [`escape`] with [`Json`], it does not fold for constants.
///
/// # Safety
/// As for [`escape`].
#[inline(never)]
unsafe fn escape_with(more: &'static More, text: &[u8], dst: *mut u8) -> *mut u8 {
    // SAFETY: the caller promises what is asked for.
    unsafe { escape(more, text, dst) }
}

/// Copies bytes of `text`, up to the first that needs an escape, or as many as `room` holds, and returns the copy.
pub(crate) fn copy_clean<'r>(text: &[u8], room: &'r mut [MaybeUninit<u8>]) -> &'r mut [u8] {
    let fitting = &text[..text.len().min(room.len())];
    let clean = clean_len(fitting);
    let (front, _) = room.split_at_mut(clean);
    write_copy(front, &fitting[..clean])
}

/// Fills `room` with `bytes`, which are as long. (What `write_copy_of_slice` does, which older compilers lack.)
///
/// # Panics
/// If the lengths differ.
#[inline(always)]
pub(crate) fn write_copy<'r>(room: &'r mut [MaybeUninit<u8>], bytes: &[u8]) -> &'r mut [u8] {
    assert_eq!(room.len(), bytes.len());
    let start = room.as_mut_ptr().cast::<u8>();
    // SAFETY: both slices have the asserted length, and cannot overlap: one is borrowed mutably. Afterwards all bytes of
    // `room` are initialized.
    unsafe {
        start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        slice::from_raw_parts_mut(start, bytes.len())
    }
}

/// Copies `text` to `dst` with its escapes and returns where the copy ends.
///
/// # Safety
/// `dst` must be valid for writes of `6 * text.len() + 16` bytes and not overlap `text`. Unless the set is [`Json`],
/// `text` must be the end of valid UTF-8.
#[inline(always)]
unsafe fn escape<S: Set>(set: S, text: &[u8], dst: *mut u8) -> *mut u8 {
    // SAFETY: the caller promises what both functions ask for.
    unsafe {
        match copy_short(set, text, dst) {
            Some(end) => end,
            None => imp::escape_long(set, text, dst),
        }
    }
}

/// Does what [`escape`] does, byte by byte: for the few bytes around an escape.
///
/// # Safety
/// `dst` must be valid for writes of `6 * text.len() + 2` bytes and not overlap `text`. Unless the set is [`Json`],
/// `text` must be the end of valid UTF-8.
unsafe fn escape_bytewise<S: Set>(set: S, mut text: &[u8], mut dst: *mut u8) -> *mut u8 {
    while let [byte, rest @ ..] = text {
        // SAFETY: a step that takes n bytes of `text` moves `dst` by at most 6 * n, so the promised room is always left
        // for the remaining bytes.
        unsafe {
            if set.has(*byte) {
                let taken;
                (taken, dst) = set.put(text, dst);
                text = text.get_unchecked(taken..);
            } else {
                dst.write(*byte);
                (text, dst) = (rest, dst.add(1));
            }
        }
    }
    dst
}

/// Writes the escape that `escapes` has for `byte` to `dst` and returns where it ends.
///
/// # Safety
/// `dst` must be valid for writes of 8 bytes.
#[inline(always)]
unsafe fn put_escaped(escapes: &[Escape; 256], byte: u8, dst: *mut u8) -> *mut u8 {
    let escape = escapes[byte as usize];
    // SAFETY: `Escape` has 8 bytes, all initialised, beginning with the text (asserted above, as `repr(C)` promises);
    // the caller promised room for them, and the returned pointer is at most 6 further.
    unsafe {
        dst.cast::<Escape>().write(escape);
        dst.add(escape.len as usize)
    }
}

/// Copies a text of less than 64 bytes that needs no escape to `dst`, and returns where the copy ends. Returns `None`
/// if the text is longer or needs an escape; what was written to `dst` then has no meaning.
///
/// The processor cannot predict the lengths of short strings, so there are few cases: four loads that overlap more or
/// less serve a whole range of lengths without a branch.
///
/// # Safety
/// `dst` must be valid for writes of `text.len()` bytes and not overlap `text`.
#[inline(always)]
unsafe fn copy_short<S: Set>(set: S, text: &[u8], dst: *mut u8) -> Option<*mut u8> {
    let len = text.len();
    let src = text.as_ptr();
    let clean = match len {
        16..=63 => {
            // For 16 to 31 bytes the offsets are 0, 0, and twice the last block; for 32 to 63 the blocks are two at the
            // front and two at the end.
            let step = (len >> 5) << 4;
            // SAFETY: the largest offset is `len - 16`, and `step <= len - 16 - step` as `step` is 0, or 16 when `len`
            // is at least 32; so each block lies inside the `len` bytes of `text`, and of `dst`.
            unsafe {
                let (a, b) = (imp::load(src), imp::load(src.add(step)));
                let (c, d) = (imp::load(src.add(len - 16 - step)), imp::load(src.add(len - 16)));
                imp::store(dst, a);
                imp::store(dst.add(step), b);
                imp::store(dst.add(len - 16 - step), c);
                imp::store(dst.add(len - 16), d);
                !imp::has_escape(set, [a, b, c, d])
            }
        }
        4..=15 => {
            // As for 16 to 63 bytes, with words of four bytes.
            let step = (len >> 3) << 2;
            // SAFETY: the largest offset is `len - 4`, and `step <= len - 4 - step` as `step` is 0, or 4 when `len` is
            // at least 8; so each word lies inside the `len` bytes of `text`, and of `dst`.
            unsafe {
                let word = |at: usize| src.add(at).cast::<u32>().read_unaligned();
                let put = |at: usize, word: u32| dst.add(at).cast::<u32>().write_unaligned(word);
                let (a, b, c, d) = (word(0), word(step), word(len - 4 - step), word(len - 4));
                put(0, a);
                put(step, b);
                put(len - 4 - step, c);
                put(len - 4, d);
                !imp::word_has_escape(set, [a, b, c, d])
            }
        }
        1..=3 => {
            // The first, the middle and the last byte, which may coincide; a space completes the word.
            // SAFETY: all three offsets are below `len`.
            let bytes = unsafe {
                let bytes = [*src, *src.add(len / 2), *src.add(len - 1), b' '];
                dst.write(bytes[0]);
                dst.add(len / 2).write(bytes[1]);
                dst.add(len - 1).write(bytes[2]);
                bytes
            };
            swar::marks(set, u64::from(u32::from_ne_bytes(bytes)) | 0x2020_2020 << 32) == 0
        }
        0 => true,
        _ => false,
    };
    // SAFETY: `dst` is valid for `len` bytes.
    clean.then(|| unsafe { dst.add(len) })
}

#[cfg(test)]
mod tests;
