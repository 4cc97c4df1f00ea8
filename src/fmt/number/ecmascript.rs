//! Numbers as RFC 8785 (JCS), section 3.2.2.3, wants them: with the text of ECMAScript's `Number::toString`.
//!
//! It has the same digits as any shortest text, so it is made from ours. Only the layout differs: no `.0`, no sign
//! before zero, and an exponent only from 10^21 on and below 10^-6.

use std::mem::MaybeUninit;

use super::rare::{MAX_SAFE, is_integer};
use super::{float, float_in_place};
use crate::error::Result;
use crate::fmt::Formatter;

/// The range of exponents that are written out, which ours is a part of.
const PLAIN_EXPONENTS: std::ops::Range<i32> = -6..21;

/// The longest text that is put together here: a sign, `0.`, five zeros, and 17 digits.
const MAX_LEN: usize = 25;

impl<const PLAIN: bool> Formatter<'_, PLAIN> {
    /// A double. One that is not finite is an error.
    #[inline(never)]
    pub(super) fn canonical_float(&mut self, value: f64) -> Result<()> {
        if !(1e-5..1e16).contains(&value.abs()) {
            return self.canonical_extreme(value);
        }
        // Here our text has no exponent, and so needs another layout only if it ends in `.0`.
        if self.out.room() < float::ROOM {
            let mut room = [MaybeUninit::uninit(); float::ROOM];
            return self.out.put_slow(without_zero_fraction(float_in_place(value, &mut room)));
        }
        self.out.fill(|room| without_zero_fraction(float_in_place(value, room)));
        Ok(())
    }

    #[inline(never)]
    fn canonical_extreme(&mut self, value: f64) -> Result<()> {
        if value.is_finite() { self.relaid(zmij::Buffer::new().format_finite(value)) } else { self.non_finite(value) }
    }

    /// A finite float of half the width, with its own digits: those that it has in all other output, and that a reader
    /// of this output would write again.
    pub(super) fn canonical_single(&mut self, value: f32) -> Result<()> {
        self.relaid(zmij::Buffer::new().format_finite(value))
    }

    /// A number in decimal, rounded to the nearest double as ECMAScript's parser does it.
    ///
    /// Integers beyond 2^53 are where the RFC leaves something to decide. It wants numbers to be "expressible as IEEE 754
    /// double-precision values" (section 3.1), and others to be strings (appendix D). So an integer that would change its
    /// value is an error.
    #[inline(never)]
    pub(crate) fn canonical_number(&mut self, number: &str) -> Result<()> {
        match number.parse::<f64>() {
            Ok(value) if !value.is_finite() => Err(self.fail_data("number is too large for a double")),
            Ok(value) if is_integer(number) && value.abs() > MAX_SAFE as f64 && !is_kept(number, value) => {
                Err(self
                    .fail_data("integer is not a double, so it has no canonical form (RFC 8785); it could be a string"))
            }
            Ok(value) => self.canonical_float(value),
            Err(_) => Err(self.fail_data("invalid serde_json Number")),
        }
    }

    /// Writes a finite number, given with the layout of serde_json, in the layout of ECMAScript.
    fn relaid(&mut self, number: &str) -> Result<()> {
        let (sign, size) = number.strip_prefix('-').map_or(("", number), |size| ("-", size));
        let Some((mantissa, exponent)) = size.split_once('e') else {
            let whole = number.strip_suffix(".0").unwrap_or(number);
            return self.out.put(if size == "0.0" { b"0" } else { whole.as_bytes() });
        };
        let exponent = exponent.parse::<i32>().unwrap_or_default();
        if !PLAIN_EXPONENTS.contains(&exponent) {
            return self.out.put(number.as_bytes());
        }
        let mut text = Text { bytes: [b'0'; MAX_LEN], len: 0 };
        text.push(sign);
        let digits = mantissa.split('.');
        if exponent < 0 {
            text.push("0.");
            text.len += exponent.unsigned_abs() as usize - 1;
            digits.for_each(|digits| text.push(digits));
        } else {
            let end = text.len + exponent.unsigned_abs() as usize + 1;
            digits.for_each(|digits| text.push(digits));
            text.len = end;
        }
        self.out.put(&text.bytes[..text.len])
    }
}

/// A text that is put together among zeros.
struct Text {
    bytes: [u8; MAX_LEN],
    len: usize,
}

impl Text {
    fn push(&mut self, part: &str) {
        self.bytes[self.len..self.len + part.len()].copy_from_slice(part.as_bytes());
        self.len += part.len();
    }
}

fn without_zero_fraction(text: &mut [u8]) -> &mut [u8] {
    let whole = if text.ends_with(b".0") { text.len() - 2 } else { text.len() };
    &mut text[..whole]
}

/// Whether the text of `value` says the same as `integer`: the double is exactly that, or has the same digits. (The text
/// of 2^60 is 1152921504606847000. Canonical JSON that is read again must not be an error.)
#[cold]
fn is_kept(integer: &str, value: f64) -> bool {
    // Rust writes all digits of the double, or those of the shortest text and zeros.
    format!("{value:.0}") == integer || format!("{value}") == integer
}
