//! Writes the shortest decimal text of a double, in place.
//!
//! A double is `c · 2^q`, and every real number closer to it than to its neighbours reads back as the same double. Of
//! the decimals in that interval we want the one with the fewest digits, and if there are several, the closest.
//!
//! Let `10^k` be the largest power of ten that is not wider than the interval. Then there are two cases. Either the
//! interval contains a multiple of `10^(k+1)` (at most one), or the answer is the multiple of `10^k` that is closest to
//! the double. So `c` is multiplied by the constant `2^q / 10^(k+1)`, which depends on the exponent only and is in a
//! table, as a fraction of 128 bits. The integer part of the product has the first 15 or 16 digits. Its fraction tells
//! whether this integer, or the next one, is in the interval; if neither is, it gives one more digit. (The two
//! candidates are the idea of Raffaello Giulietti's Schubfach.)
//!
//! There are hardly any branches, because digits cannot be predicted: sign, number of digits and the place of the point
//! are offsets and masks. The rare cases that this does not cover go to `zmij`, which writes the same text.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use super::digits::Digits;
use crate::escape::write_copy;

/// `yes` or `no`, without a branch if the compiler can be told so.
#[inline(always)]
fn select<T>(condition: bool, yes: T, no: T) -> T {
    #[cfg(json_rope_since_1_89)]
    #[allow(clippy::incompatible_msrv, reason = "older compilers do not see it")]
    return std::hint::select_unpredictable(condition, yes, no);
    #[cfg(not(json_rope_since_1_89))]
    if condition { yes } else { no }
}

/// Room that [`write()`] needs, in bytes. A text has at most 24, but wide stores touch more.
pub(super) const ROOM: usize = 32;

/// The fraction bits of a double, and its exponent field.
const FRACTION_BITS: u32 = 52;
const EXPONENT_MASK: u64 = 0x7ff;

/// `q` of the exponent field 0, if the hidden bit counts as one of 53 integer bits.
const BIAS: i32 = 1075;

/// The power of ten, `k + 1`, that the table entry for an exponent field divides by: the smallest one that exceeds
/// `2^q`.
#[inline(always)]
const fn power(field: i32) -> i32 {
    // floor(q · log10(2)) + 1, exact for all exponents.
    (((field - BIAS) * 315_653) >> 20) + 1
}

/// `2^q / 10^(k+1)` for each exponent field: the 128 bits after the binary point, upper half first, rounded down.
static SCALES: [[u64; 2]; 2048] = scales();

/// A fraction of 256 bits, least significant part first. Wide enough that rounding down at each step does not reach the
/// 128 bits that are used.
type Wide = [u64; 4];

/// `wide` shifted right by less than 64 bits; the lowest bits of `upper` come in from the left.
const fn shifted(wide: Wide, upper: u64, bits: u32) -> Wide {
    let mut result = [0; 4];
    let mut i = 0;
    while i < 4 {
        let above = if i < 3 { wide[i + 1] } else { upper };
        result[i] = (((above as u128) << 64 | wide[i] as u128) >> bits) as u64;
        i += 1;
    }
    result
}

/// `wide · 5`, shifted so that the uppermost bit is set.
const fn times_five(wide: Wide) -> Wide {
    let (mut result, mut carry) = ([0; 4], 0);
    let mut i = 0;
    while i < 4 {
        let product = wide[i] as u128 * 5 + carry as u128;
        (result[i], carry) = (product as u64, (product >> 64) as u64);
        i += 1;
    }
    shifted(result, carry, 64 - carry.leading_zeros())
}

/// `wide / 5`, shifted so that the uppermost bit is set.
const fn fifth(wide: Wide) -> Wide {
    // Eight times as much, so that the quotient loses no digit: the upper part of it is 0 or 1.
    let (mut result, mut rest) = ([0; 4], wide[3] >> 61);
    let upper = rest / 5;
    rest %= 5;
    let mut i = 4;
    while i > 0 {
        i -= 1;
        let below = if i > 0 { wide[i - 1] } else { 0 };
        let part = (rest as u128) << 64 | (wide[i] << 3 | below >> 61) as u128;
        (result[i], rest) = ((part / 5) as u64, (part % 5) as u64);
    }
    shifted(result, upper, 64 - upper.leading_zeros())
}

const fn scales() -> [[u64; 2]; 2048] {
    let mut table = [[0; 2]; 2048];
    // Upwards for 10^0 and what divides by more, then downwards from there.
    let mut upwards = true;
    loop {
        let mut wide = [0, 0, 0, 1 << 63];
        let mut reached = 0;
        let mut step = 1;
        while step < 2047 {
            let field = if upwards { step } else { 2047 - step };
            let power = power(field);
            if (power > 0) == upwards {
                while reached != power {
                    wide = if upwards { fifth(wide) } else { times_five(wide) };
                    reached += if upwards { 1 } else { -1 };
                }
                // The position of the uppermost bit: floor(log2(2^q / 10^power)), -4 to -1.
                let log2 = field - BIAS + ((-power * 217_706) >> 16);
                let [.., low, high] = shifted(wide, 0, (-1 - log2) as u32);
                table[field as usize] = [high, low];
            }
            step += 1;
        }
        if !upwards {
            return table;
        }
        upwards = false;
    }
}

/// How digits are laid out for one decimal exponent.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Layout {
    /// Marks the digits before the point.
    whole: [u8; 16],
    /// Where the digits after the point begin, less the number of digits before it.
    start: usize,
}

/// The decimal exponents of the first digit that are written without an exponent: -5 to 15. For the last of them all 16
/// digits are before the point.
const LOWEST_PLAIN: i64 = -5;
static LAYOUTS: [Layout; 20] = {
    let mut table = [Layout { whole: [0; 16], start: 1 }; 20];
    let mut i = 0;
    while i < 20 {
        let exponent = i as i64 + LOWEST_PLAIN;
        let mut digit = 0;
        while digit <= exponent {
            table[i].whole[digit as usize] = 0xff;
            digit += 1;
        }
        if exponent < 0 {
            table[i].start = 1 + exponent.unsigned_abs() as usize;
        }
        i += 1;
    }
    table
};

/// `e+123`, padded to one wide store, with its length in the last byte, from the exponent -324 on.
static EXPONENTS: [[u8; 8]; 324 + 309] = {
    let mut table = [[0; 8]; 324 + 309];
    let mut i = 0;
    while i < table.len() {
        let exponent = i as i32 - 324;
        let value = exponent.unsigned_abs();
        let digits = [(value / 100) as u8, (value / 10 % 10) as u8, (value % 10) as u8];
        let mut next = if value < 10 {
            2
        } else if value < 100 {
            1
        } else {
            0
        };
        let mut len = 2;
        (table[i][0], table[i][1]) = (b'e', if exponent < 0 { b'-' } else { b'+' });
        while next < 3 {
            table[i][len] = b'0' + digits[next];
            next += 1;
            len += 1;
        }
        table[i][7] = len as u8;
        i += 1;
    }
    table
};

/// Writes the double with these bits at the front of `room` and returns the length of its text, which is initialised
/// then; or 0 if the double is not finite.
#[inline(always)]
pub(super) fn write(bits: u64, room: &mut [MaybeUninit<u8>; ROOM]) -> usize {
    let sign = (bits >> 63) as usize;
    room[0].write(b'-');

    let field = (bits >> FRACTION_BITS & EXPONENT_MASK) as usize;
    let [scale, scale_low] = SCALES[field];
    // Half the width of the interval, in the unit that the table's fractions have. Its ends belong to it if `c` is
    // even; see below for the ones added and taken away.
    let mut half = (scale >> 1) + 1;
    // Powers of two have an interval of three quarters. Those from 2^-21 to 2^52 are exact in 16 digits, so that it
    // does not matter.
    if field.wrapping_sub(1002) > 1075 - 1002 {
        if bits << (64 - FRACTION_BITS) == 0 || field == 0 || field == EXPONENT_MASK as usize {
            return write_rare(bits, room);
        }
        half -= bits & 1;
    }
    let c = bits & ((1 << FRACTION_BITS) - 1) | 1 << FRACTION_BITS;
    let product = u128::from(c) * u128::from(scale) + ((u128::from(c) * u128::from(scale_low)) >> 64);
    let (mut integer, fraction) = ((product >> 64) as u64, product as u64);

    // The next digit, in four bits before the binary point, rounded, and 8 more so that an error of less than 8 in what
    // is cut off does not matter, as long as the rest is not in the first 16.
    let digit = (fraction >> 36) as u32 * 10 + (1 << 27) + 8;
    if digit & 0x0fff_fff0 == 0 {
        // Halfway between two digits, or too close to that to tell.
        return write_rare(bits, room);
    }
    // The interval holds the integer above if the sum carries, and the one below if it stays under the width.
    let (sum, above) = fraction.overflowing_add(half);
    integer += u64::from(above);
    let digit = select(sum < 2 * half, 0, digit >> 28);

    // 16 digits, and what follows: the 17th; or of 15 digits the 16th, which is 0 so far.
    let short = integer < 1_000_000_000_000_000;
    let integer = select(short, integer * 10, integer);
    let digit_index = 16 - usize::from(short);
    let digits = Digits::of(integer);
    let last = select(digit != 0, digit_index, digits.last_nonzero());
    let digit = b'0' + digit as u8;
    // `power(field)` once more, in a form that costs less here.
    let exponent = ((field as i64 * 315_653 - i64::from(BIAS) * 315_653) >> 20) + digit_index as i64;

    let place = (exponent - LOWEST_PLAIN) as usize;
    // SAFETY: everything is written between `text`, at most 1 byte after the start of the room, and 26 bytes after
    // that. `start` is at most 6 and `last` at most 16.
    //
    // All bytes that are counted are initialised. Without an exponent: up to `start` by the first store, which is 8
    // bytes, and if `start` is 1 by the third; 16 bytes from there by the second, and the digit after them if there is
    // one. The point is at most 15 bytes after `start`. With an exponent: 18 bytes by the first three stores, less if
    // there are fewer digits, and then the exponent.
    unsafe {
        let text = room.as_mut_ptr().cast::<u8>().add(sign);
        let end = if let Some(layout) = LAYOUTS.get(place) {
            text.cast::<[u8; 8]>().write_unaligned(*b"0.000000");
            let start = text.add(layout.start);
            digits.ascii().store(start);
            start.add(digit_index).write(digit);
            digits.spread(&layout.whole).store(start.sub(1));
            start.offset(exponent as isize).write(b'.');
            start.add(1 + (last as i64).max(exponent + 1) as usize)
        } else if exponent == 15 {
            digits.ascii().store(text);
            text.add(16).cast::<[u8; 2]>().write_unaligned(*b".0");
            text.add(if short { 15 } else { 17 }).write(digit);
            text.add(18)
        } else {
            digits.ascii().store(text.add(1));
            text.add(1 + digit_index).write(digit);
            digits.spread(&LAYOUTS[-LOWEST_PLAIN as usize].whole).store(text);
            text.add(1).write(b'.');
            let end = text.add(last + 1 + usize::from(last > 0));
            let exponent = EXPONENTS[(exponent + 324) as usize];
            end.cast::<[u8; 8]>().write_unaligned(exponent);
            end.add(usize::from(exponent[7]))
        };
        end.addr() - room.as_ptr().addr()
    }
}

/// Writes the doubles that [`write()`] does not cover: zero, subnormals, some powers of two, and about every 2^24th of
/// the others.
#[cold]
#[inline(never)]
fn write_rare(bits: u64, room: &mut [MaybeUninit<u8>; ROOM]) -> usize {
    let value = f64::from_bits(bits);
    if !value.is_finite() {
        return 0;
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value).as_bytes();
    write_copy(&mut room[..text.len()], text);
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the text with that of `zmij`.
    fn check(value: f64) {
        let mut room = [MaybeUninit::new(b'#'); ROOM];
        let len = write(value.to_bits(), &mut room);
        // SAFETY: all bytes are initialised above.
        let text: Vec<u8> = room[..len].iter().map(|byte| unsafe { byte.assume_init() }).collect();
        let mut buffer = zmij::Buffer::new();
        let expected = if value.is_finite() { buffer.format_finite(value) } else { "" };
        assert_eq!(std::str::from_utf8(&text), Ok(expected), "{:#x}", value.to_bits());
    }

    /// A natural number, least significant part first.
    struct Natural(Vec<u64>);

    impl Natural {
        fn times(mut self, factor: u64, times: i32) -> Natural {
            for _ in 0..times {
                let mut carry = 0;
                for part in &mut self.0 {
                    let product = u128::from(*part) * u128::from(factor) + carry;
                    (*part, carry) = (product as u64, product >> 64);
                }
                self.0.push(carry as u64);
                while self.0.last() == Some(&0) {
                    self.0.pop();
                }
            }
            self
        }

        fn shifted(self, bits: i32) -> Natural {
            let mut parts = vec![0; bits as usize / 64];
            parts.extend(self.times(1 << (bits % 64), 1).0);
            Natural(parts)
        }

        fn less_than(&self, other: &Natural) -> bool {
            self.0.len() < other.0.len()
                || self.0.len() == other.0.len() && self.0.iter().rev().lt(other.0.iter().rev())
        }
    }

    #[test]
    fn every_scale_is_exact() {
        for field in 1..2047 {
            let (q, power) = (field - BIAS, power(field));
            let [high, low] = SCALES[field as usize];
            // scale <= 2^128 · 2^q / 10^power < scale + 1, without a division.
            let side = |low: u64, high: u64| Natural(vec![low, high]).times(10, power.max(0)).shifted((-q).max(0));
            let value = Natural(vec![1]).shifted(128 + q.max(0)).times(10, (-power).max(0));
            let (next, carries) = low.overflowing_add(1);
            assert!(!value.less_than(&side(low, high)), "{field}");
            assert!(value.less_than(&side(next, high + u64::from(carries))), "{field}");
            // And at least a tenth, so that there are 15 digits.
            assert!(high > u64::MAX / 10 - 1, "{field}");
        }
    }

    #[test]
    fn every_exponent() {
        for field in 0..2048u64 {
            for fraction in [0, 1, 2, 3, 0x5_5555_5555_5555, 0x8_0000_0000_0000, 0xf_ffff_ffff_fffe, 0xf_ffff_ffff_ffff]
            {
                let value = f64::from_bits(field << FRACTION_BITS | fraction);
                check(value);
                check(-value);
            }
        }
        for exponent in -330..310 {
            for digits in [1, 2, 5, 9, 123, 9_999_999, 1_234_567_890_123_456, 99_999_999_999_999_999u64] {
                let value: f64 = format!("{digits}e{exponent}").parse().unwrap();
                check(value);
                check(f64::from_bits(value.to_bits() + 1));
                check(f64::from_bits(value.to_bits().saturating_sub(1)));
            }
        }
    }

    #[test]
    fn few_digits_and_many() {
        for value in 0..20_000u32 {
            for power in 0..12 {
                check(f64::from(value) / 10f64.powi(power));
            }
            check(f64::from(value) * 0.125);
        }
        let mut state = 1u64;
        for step in 0..200_000u32 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bits = state ^ state >> 32;
            check(f64::from_bits(bits));
            check((bits >> (step % 64)) as f64);
            check((bits >> 11) as f64 / (1u64 << 53) as f64);
            check((bits >> (step % 64)) as f64 / (1u64 << (step / 64 % 64)) as f64);
        }
    }

    /// Where an end of the interval is a multiple of the larger power of ten, and whether it belongs to it matters; and
    /// halfway between two last digits.
    #[test]
    fn ends_and_ties() {
        // In units of a half: 2^54 and the next few that are divisible by the powers of five, times powers of two.
        for shift in 0..76 {
            let mut power = 5u64;
            while power < 1 << 54 {
                let first = (1u64 << 53).div_ceil(power);
                for multiple in first..first + 40 {
                    let end = power.saturating_mul(multiple);
                    for c in [end.saturating_sub(1) / 2, end.div_ceil(2)] {
                        check(c as f64 * 2f64.powi(shift));
                    }
                }
                power *= 5;
            }
        }
        // An exact search over all exponents found no others whose interval ends this close to a multiple, 2^-62 of it,
        // and yet not there.
        for bits in [0x20e8_823a_57ad_bef8, 0x20e8_823a_57ad_bef9] {
            check(f64::from_bits(bits));
        }
        for quarter in 0..400 {
            check(2_000_000_000_000_000.0 + f64::from(quarter) * 0.25);
            check(3_000_000_000_000.0 + f64::from(quarter) / 1024.0);
        }
    }
}
