//! Decimals, as JSON numbers of all their digits.

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::text::Text;

/// The name under which a number of arbitrary precision presents itself to a JSON serializer: serde_json's protocol.
const TOKEN: &str = "$serde_json::private::Number";

/// A JSON number, given as its text.
struct Number<'t>(&'t str);

impl Serialize for Number<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut number = serializer.serialize_struct(TOKEN, 1)?;
        number.serialize_field(TOKEN, self.0)?;
        number.end()
    }
}

/// Writes a decimal: so many units of 10^−scale.
pub(crate) fn decimal<S: Serializer>(unscaled: i128, scale: i8, serializer: S) -> Result<S::Ok, S::Error> {
    match (scale, i64::try_from(unscaled)) {
        (0, Ok(value)) => serializer.serialize_i64(value),
        (0, Err(_)) => serializer.serialize_i128(unscaled),
        (_, Ok(value)) => digits(itoa::Buffer::new().format(value), scale, serializer),
        (_, Err(_)) => digits(itoa::Buffer::new().format(unscaled), scale, serializer),
    }
}

/// Writes a decimal whose units are given as their text.
pub(crate) fn digits<S: Serializer>(unscaled: &str, scale: i8, serializer: S) -> Result<S::Ok, S::Error> {
    let (sign, digits) = match unscaled.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", unscaled),
    };
    let mut text = Text::new();
    text.push(sign.as_bytes());
    match usize::try_from(scale) {
        Ok(0) => text.push(digits.as_bytes()),
        Ok(places) => {
            let (whole, part) = digits.split_at(digits.len().saturating_sub(places));
            text.push(if whole.is_empty() { b"0" } else { whole.as_bytes() });
            text.push(b".");
            for _ in part.len()..places {
                text.push(b"0");
            }
            text.push(part.as_bytes());
        }
        Err(_) => {
            text.push(digits.as_bytes());
            for _ in 0..if digits == "0" { 0 } else { scale.unsigned_abs() } {
                text.push(b"0");
            }
        }
    }
    Number(text.as_str()).serialize(serializer)
}
