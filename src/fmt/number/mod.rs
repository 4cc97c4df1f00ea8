//! Integers and floats, with the text that serde_json has given them since 1.0.147: `f32` by `zmij`, integers of more
//! than 64 bits by `itoa`, everything else by routines that write in place.
//!
//! * `float`: the shortest text of an `f64`
//! * `digits`: sixteen digits at once
//! * `rare`: numbers that are not finite, or that a double cannot hold, as the options want them
//! * `ecmascript`: the text that RFC 8785 asks for

#![allow(unsafe_code)]

mod digits;
mod ecmascript;
mod float;
mod rare;

use std::hint::assert_unchecked;
use std::mem::MaybeUninit;
use std::slice;

use super::Formatter;
use crate::error::Result;
use crate::escape::write_copy;

/// Room that [`single_in_place`] needs, in bytes.
const SINGLE_ROOM: usize = size_of::<zmij::Buffer>();

/// Room that [`integer_in_place`] needs, in bytes: a sign, 20 digits, and the rest of the last wide store.
const INTEGER_ROOM: usize = 1 + 20 + 8;

impl<const PLAIN: bool> Formatter<'_, PLAIN> {
    /// An integer of at most 64 bits: its sign and its absolute value.
    #[inline]
    pub(crate) fn integer(&mut self, negative: bool, value: u64) -> Result<()> {
        if !PLAIN && value > rare::MAX_SAFE && self.alters_big_integers() {
            return self.big_integer(negative, value.into());
        }
        if self.out.room() >= INTEGER_ROOM {
            self.out.fill(|room| integer_in_place(negative, value, room));
            Ok(())
        } else {
            let mut room = [MaybeUninit::uninit(); INTEGER_ROOM];
            self.out.put_slow(integer_in_place(negative, value, &mut room))
        }
    }

    /// An integer of 128 bits: its sign and its absolute value.
    pub(crate) fn wide_integer(&mut self, negative: bool, value: u128) -> Result<()> {
        if !PLAIN && value > rare::MAX_SAFE.into() && self.alters_big_integers() {
            return self.big_integer(negative, value);
        }
        if negative {
            self.out.put_byte(b'-')?;
        }
        self.out.put(itoa::Buffer::new().format(value).as_bytes())
    }

    /// A double. If it is not finite, the options decide.
    ///
    /// Out of line, together with everything it does: so a float field of a struct costs little code.
    #[inline(never)]
    pub(crate) fn float(&mut self, value: f64) -> Result<()> {
        if !PLAIN && self.options.canonical {
            return self.canonical_float(value);
        }
        if self.out.room() < float::ROOM {
            return self.float_at_the_end(value);
        }
        let mut finite = true;
        self.out.fill(|room| {
            let text = float_in_place(value, room);
            finite = !text.is_empty();
            text
        });
        if finite { Ok(()) } else { self.non_finite(value) }
    }

    /// Like [`float`](Self::float), where there is little room.
    #[cold]
    #[inline(never)]
    fn float_at_the_end(&mut self, value: f64) -> Result<()> {
        let mut room = [MaybeUninit::uninit(); float::ROOM];
        let text = float_in_place(value, &mut room);
        if text.is_empty() { self.non_finite(value) } else { self.out.put_slow(text) }
    }

    /// A float of half the width. Converted to a double, it would have more digits.
    #[inline]
    pub(crate) fn single_float(&mut self, value: f32) -> Result<()> {
        if !value.is_finite() {
            self.non_finite(value.into())
        } else if !PLAIN && self.options.canonical {
            self.canonical_single(value)
        } else if self.out.room() >= SINGLE_ROOM {
            self.out.fill(|room| single_in_place(value, room));
            Ok(())
        } else {
            self.out.put_slow(zmij::Buffer::new().format_finite(value).as_bytes())
        }
    }
}

/// Formats a double at the front of `room`, without a copy. Nothing if it is not finite.
///
/// # Panics
/// If `room` has fewer than [`float::ROOM`] bytes.
#[inline(always)]
fn float_in_place(value: f64, room: &mut [MaybeUninit<u8>]) -> &mut [u8] {
    let (room, _) = room.split_first_chunk_mut().expect("the caller has looked");
    let len = float::write(value.to_bits(), room);
    // SAFETY: `write` has initialised this many bytes of the room.
    unsafe {
        assert_unchecked(len <= float::ROOM);
        slice::from_raw_parts_mut(room.as_mut_ptr().cast::<u8>(), len)
    }
}

/// Formats a finite float at the front of `room`, without a copy.
///
/// # Panics
/// If `room` has fewer than [`SINGLE_ROOM`] bytes.
#[inline(always)]
fn single_in_place(value: f32, room: &mut [MaybeUninit<u8>]) -> &mut [u8] {
    const { assert!(align_of::<zmij::Buffer>() == 1) };
    assert!(room.len() >= SINGLE_ROOM);
    let start = room.as_mut_ptr();
    // SAFETY: `room` has the size of a `Buffer`, whose alignment is 1, and is exclusively borrowed; the value written
    // makes it a valid one, whatever it consists of.
    let buffer = unsafe {
        start.cast::<zmij::Buffer>().write(zmij::Buffer::new());
        &mut *start.cast::<zmij::Buffer>()
    };
    let text = buffer.format_finite(value);
    let (text, len) = (text.as_ptr(), text.len());
    // `zmij` may put the text anywhere in its buffer. Today that is the start; this stays right if it changes.
    let offset = text.addr() - start.addr();
    // SAFETY: the text lies inside the buffer, so `offset + len` is at most the length of `room`; its bytes are
    // initialised, and `copy` allows the two places to overlap.
    unsafe {
        if offset != 0 {
            start.cast::<u8>().copy_from(start.cast::<u8>().add(offset), len);
        }
        slice::from_raw_parts_mut(start.cast::<u8>(), len)
    }
}

const TEN_TO_8: u64 = 100_000_000;

/// Of a length that the compiler knows, so that few places in it have to be checked.
type Room = [MaybeUninit<u8>; INTEGER_ROOM];

/// Formats an integer at the front of `room`, without a copy: eight digits at a time, as eight bytes of one register.
///
/// # Panics
/// If `room` has fewer than [`INTEGER_ROOM`] bytes.
#[inline(always)]
fn integer_in_place(negative: bool, value: u64, room: &mut [MaybeUninit<u8>]) -> &mut [u8] {
    let room: &mut Room = room.first_chunk_mut().expect("the caller has looked");
    room[0].write(b'-');
    let mut len = usize::from(negative);
    if value < TEN_TO_8 {
        len = put_leading(value as u32, room, len);
    } else {
        len = put_long(value, room, len);
    }
    // SAFETY: the sign, if `len` counts one, and then every byte up to `len` was written by the `put_*` calls.
    unsafe { slice::from_raw_parts_mut(room.as_mut_ptr().cast::<u8>(), len) }
}

/// Nine digits and more. Identifiers often have nine, and times in milliseconds thirteen.
#[inline(never)]
fn put_long(value: u64, room: &mut Room, mut len: usize) -> usize {
    let (high, low) = (value / TEN_TO_8, value % TEN_TO_8);
    if high < 100 {
        // Nine or ten digits, without a branch between them: a column of numbers of 32 bits has both.
        let (tens, is_short) = (high as u32 / 10, usize::from(high < 10));
        let pair = ((tens | (high as u32 - 10 * tens) << 8) | 0x3030) >> (8 * is_short);
        room[len..len + 2].write_copy_of_slice(&(pair as u16).to_le_bytes());
        len += 2 - is_short;
    } else if high < TEN_TO_8 {
        len = put_leading(high as u32, room, len);
    } else {
        len = put_leading((high / TEN_TO_8) as u32, room, len);
        len = put_eight((high % TEN_TO_8) as u32, room, len);
    }
    put_eight(low as u32, room, len)
}

/// Writes a number below 10^8 at `at`, without leading zeros, and returns where it ends. Touches eight bytes.
#[inline(always)]
fn put_leading(value: u32, room: &mut Room, at: usize) -> usize {
    let len = digit_count(value);
    put_digits(eight_digits(value) >> (8 * (8 - len)), room, at);
    at + len
}

/// The number of decimal digits of a number.
///
/// Numbers with equally many bits have equally many digits, or one more from some power of ten on. The table has a
/// value for each number of bits, such that adding it carries into the upper half from that power on. Counting the
/// digits would be less code, but everything after a number waits for its length, and this gives it sooner.
#[inline(always)]
fn digit_count(value: u32) -> usize {
    const CARRIES: [u64; 32] = {
        let mut table = [0; 32];
        let mut bits = 0;
        while bits < 32 {
            let digits = (1u64 << bits).ilog10() + 1;
            let power = 10u64.pow(digits);
            let crosses = power < 2 << bits;
            table[bits] = if crosses { ((digits as u64 + 1) << 32) - power } else { (digits as u64) << 32 };
            bits += 1;
        }
        table
    };
    ((u64::from(value) + CARRIES[(value | 1).ilog2() as usize]) >> 32) as usize
}

/// Writes all eight digits of a number below 10^8 at `at` and returns where they end.
#[inline(always)]
fn put_eight(value: u32, room: &mut Room, at: usize) -> usize {
    put_digits(eight_digits(value), room, at);
    at + 8
}

#[inline(always)]
fn put_digits(digits: u64, room: &mut Room, at: usize) {
    const ZEROS: u64 = u64::from_ne_bytes([b'0'; 8]);
    write_copy(&mut room[at..at + 8], &(digits | ZEROS).to_le_bytes());
}

/// The eight decimal digits of a number below 10^8, one a byte, the first one in the least significant.
///
/// Three times, all lanes of a register are divided at once, by multiplying with a rounded-up reciprocal that is exact
/// for the range of a lane: first into two lanes of four digits, then into four of two, then into eight of one.
#[inline(always)]
fn eight_digits(value: u32) -> u64 {
    let (high, low) = (u64::from(value / 10_000), u64::from(value % 10_000));
    let fours = high | (low << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let twos = hundreds | ((fours - 100 * hundreds) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((twos - 10 * tens) << 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(negative: bool, value: u64) -> String {
        let mut room = [MaybeUninit::uninit(); INTEGER_ROOM];
        String::from_utf8(integer_in_place(negative, value, &mut room).to_vec()).unwrap()
    }

    #[test]
    fn every_group_of_four_digits_divides_exactly() {
        // The lanes do not influence each other, so all values of one lane, and of the other, are all there is.
        for four in 0..10_000 {
            assert_eq!(text(false, four), four.to_string());
            let high = four * 10_000 + 9_999;
            assert_eq!(text(false, high), high.to_string());
        }
    }

    #[test]
    fn around_every_power_of_ten_and_of_two() {
        let powers = (0..20).map(|n| 10u64.pow(n)).chain((0..64).map(|n| 1 << n)).chain([0, u64::MAX]);
        for power in powers {
            for value in [power.wrapping_sub(1), power, power.wrapping_add(1), power.wrapping_mul(9)] {
                assert_eq!(text(false, value), value.to_string());
                assert_eq!(text(true, value), format!("-{value}"));
            }
        }
    }

    #[test]
    fn many_values_of_every_length() {
        let mut state = 1u64;
        for step in 0..200_000u32 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let value = state >> (step % 64);
            assert_eq!(text(false, value), value.to_string());
        }
    }
}
