//! Whether a text is one JSON value, and if not, where it is wrong, in words of our own.

use std::ops::Range;

use crate::error::{Error, Result};

/// Where in `json` its one value is, without the white space around it.
pub(super) fn one_value(json: &[u8]) -> Result<Range<usize>> {
    let text = std::str::from_utf8(json).map_err(|error| invalid(error.valid_up_to(), "invalid UTF-8"))?;
    parse(text).map_err(|_| first_wrong_byte(text))?;
    let white = [' ', '\t', '\n', '\r'];
    let start = text.len() - text.trim_start_matches(white).len();
    Ok(start..start + text.trim_matches(white).len())
}

#[cold]
fn invalid(at: usize, what: &str) -> Error {
    Error::data(format!("not JSON at byte {at}: {what}")).at_byte(at)
}

/// Reads one JSON value. `IgnoredAny` is parsed without recursion.
fn parse(text: &str) -> serde_json::Result<serde::de::IgnoredAny> {
    serde_json::from_str(text)
}

/// Where a text stops being the beginning of a JSON value (its length, if only the rest is missing), and why.
///
/// serde_json tells how far it had read, which is not always the byte that is wrong. With control characters after the
/// text, which are wrong everywhere, there is a wrong byte in any case, and then how far it has read tells which.
#[cold]
fn first_wrong_byte(text: &str) -> Error {
    let longer = format!("{text}\u{1}\u{1}\u{1}\u{1}");
    let Err(error) = parse(&longer) else { return invalid(text.len(), "more text after the value") };
    let lines = longer.split_inclusive('\n').take(error.line().saturating_sub(1));
    let read = lines.map(str::len).sum::<usize>() + error.column();
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let at = if message.starts_with("control character") {
        read
    } else if read >= 6 && longer.as_bytes()[read - 6..].starts_with(b"\\u") {
        let digits = &longer.as_bytes()[read - 4..read];
        read - 4 + digits.iter().position(|digit| !digit.is_ascii_hexdigit()).unwrap_or(3)
    } else {
        read.saturating_sub(1)
    };
    if at < text.len() { invalid(at, in_plain_words(message)) } else { invalid(text.len(), "unexpected end") }
}

/// What serde_json's messages mean for somebody who looks at the text.
fn in_plain_words(message: &str) -> &str {
    match message {
        "expected value" => "expected a value",
        "expected ident" => "expected `true`, `false` or `null`",
        "expected `:`" => "expected a colon after a member name",
        "expected `,` or `]`" => "expected a comma, or the end of the array",
        "expected `,` or `}`" => "expected a comma, or the end of the object",
        "key must be a string" => "expected a member name in quotes",
        "trailing comma" => "no element or member follows the comma",
        "trailing characters" => "more text after the value",
        "invalid number" => "this is not how JSON writes numbers",
        "invalid escape" => "no such escape",
        "lone leading surrogate in hex escape" | "unexpected end of hex escape" => "half of a surrogate pair",
        _ if message.starts_with("control character") => "a control character in a string has to be escaped",
        _ => message,
    }
}
