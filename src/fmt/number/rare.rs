//! Numbers that the options may write in another form, because JSON or its readers cannot express them.

use crate::error::Result;
use crate::fmt::Formatter;
use crate::options::{BigIntegers, NonFinite};

/// The largest integer that no other integer shares its double with: 2^53 − 1.
pub(super) const MAX_SAFE: u64 = (1 << 53) - 1;

impl<const PLAIN: bool> Formatter<'_, PLAIN> {
    /// A float that JSON has no number for.
    #[cold]
    pub(super) fn non_finite(&mut self, value: f64) -> Result<()> {
        match self.options.non_finite {
            NonFinite::Error if !PLAIN => Err(self.fail_data("float is not finite")),
            NonFinite::String if !PLAIN && value.is_nan() => self.out.put(b"\"NaN\""),
            NonFinite::String if !PLAIN && value > 0.0 => self.out.put(b"\"Infinity\""),
            NonFinite::String if !PLAIN => self.out.put(b"\"-Infinity\""),
            _ => self.null(),
        }
    }

    /// Whether integers beyond [`MAX_SAFE`] are not written as they are.
    #[inline]
    pub(super) fn alters_big_integers(&self) -> bool {
        !PLAIN && (self.options.canonical || self.options.big_integers == BigIntegers::String)
    }

    /// An integer beyond [`MAX_SAFE`]: its sign and its absolute value.
    #[cold]
    pub(super) fn big_integer(&mut self, negative: bool, value: u128) -> Result<()> {
        let text = format!("{}{value}", if negative { "-" } else { "" });
        self.number_text(&text)
    }

    /// A number in decimal, as serde_json keeps it with its feature `arbitrary_precision`.
    pub(crate) fn number_text(&mut self, number: &str) -> Result<()> {
        if !PLAIN && self.options.canonical {
            self.canonical_number(number)
        } else if self.alters_big_integers() && is_big_integer(number) {
            self.out.put_byte(b'"')?;
            self.raw(number)?;
            self.out.put_byte(b'"')
        } else {
            self.raw(number)
        }
    }
}

/// Whether this is a JSON number without a fraction or exponent.
pub(super) fn is_integer(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether this is an integer beyond ±[`MAX_SAFE`].
fn is_big_integer(number: &str) -> bool {
    // An integer that does not fit a `u64` is big.
    is_integer(number) && number.trim_start_matches('-').parse::<u64>().map_or(true, |value| value > MAX_SAFE)
}
