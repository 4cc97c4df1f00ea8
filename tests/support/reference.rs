//! What the options ought to produce, written the slow and obvious way: character by character, from a tree that keeps
//! the order and the duplicates of members. Shares nothing with the crate.

use std::ops::ControlFlow;

use json_rope::{BigIntegers, BytesFormat, Encoder, EncoderBuilder, NonFinite};
use serde::Serialize;

use super::values::{MARK, Marked, Shape};

/// Which characters are escaped beyond what JSON demands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode {
    pub ascii: bool,
    pub html: bool,
    pub solidus: bool,
}

impl Mode {
    /// One of the eight, by number.
    pub const fn nth(n: usize) -> Mode {
        Mode { ascii: n & 1 != 0, html: n & 2 != 0, solidus: n & 4 != 0 }
    }

    /// All eight.
    pub fn all() -> impl Iterator<Item = Mode> {
        (0..8).map(Mode::nth)
    }

    /// A builder with these options.
    pub fn builder(self) -> EncoderBuilder {
        Encoder::builder().ascii(self.ascii).html_safe(self.html).escape_solidus(self.solidus)
    }
}

/// Appends `text` as a JSON string.
pub fn quote(mode: Mode, text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '/' if mode.solidus => out.push_str("\\/"),
            '\0'..' ' => push_unicode(c, out),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' if mode.html => push_unicode(c, out),
            '\u{80}'.. if mode.ascii => push_unicode(c, out),
            _ => out.push(c),
        }
    }
    out.push('"');
}

fn push_unicode(c: char, out: &mut String) {
    let code = c as u32;
    if code < 0x1_0000 {
        return push_unit(code, out);
    }
    push_unit(0xd800 + ((code - 0x1_0000) >> 10), out);
    push_unit(0xdc00 + ((code - 0x1_0000) & 0x3ff), out);
}

fn push_unit(unit: u32, out: &mut String) {
    let digit = |shift: u32| b"0123456789abcdef"[(unit >> shift & 15) as usize];
    let escape = [b'\\', b'u', digit(12), digit(8), digit(4), digit(0)];
    out.push_str(str::from_utf8(&escape).unwrap());
}

/// `text` as a JSON string.
pub fn quoted(mode: Mode, text: &str) -> String {
    let mut out = String::new();
    quote(mode, text, &mut out);
    out
}

/// A JSON document that keeps what a map would lose.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A number, `true`, `false` or `null`.
    Bare(String),
    Str(String),
    Array(Vec<Node>),
    Object(Vec<(String, Node)>),
    /// JSON text that is embedded.
    Verbatim(String),
    Bytes(Vec<u8>),
    /// A float that is not finite, as Rust prints it.
    NotFinite(String),
    /// A value that fails.
    Fail,
}

/// How a [`Node`] becomes text.
#[derive(Clone, Debug, Default)]
pub struct Style {
    pub mode: Mode,
    /// One step of indentation, if the output is pretty.
    pub indent: Option<String>,
    pub sorted: bool,
    pub bytes: BytesFormat,
    pub non_finite: NonFinite,
    pub big_integers: BigIntegers,
    /// RFC 8785: with nothing else but a format of bytes.
    pub canonical: bool,
    /// In pretty output, characters that a list may have to stay on one line.
    pub inline: usize,
}

impl Node {
    /// The tree of JSON text that is known to be valid.
    pub fn parse(text: &str) -> Node {
        let mut rest = text;
        let node = parse_value(&mut rest);
        assert_eq!(skip_white(rest), "", "text after the value");
        node
    }

    /// What serde_json makes of `value`, as a tree.
    pub fn of(value: &(impl Serialize + ?Sized)) -> Node {
        Node::parse(&serde_json::to_string(value).expect("serde_json encodes it"))
    }

    /// The tree of a value that may hold what serde_json has no option for.
    pub fn of_shape(shape: &Shape) -> Node {
        let mut node = Node::parse(&serde_json::to_string(&Marked(shape)).expect("serde_json encodes it"));
        node.unmark();
        node
    }

    fn unmark(&mut self) {
        match self {
            Node::Str(text) if text.starts_with(MARK) => {
                let marked = &text[MARK.len_utf8()..];
                *self = match marked.split_at(1) {
                    ("v", text) => Node::Verbatim(text.into()),
                    ("b", digits) => Node::Bytes(from_hex(digits)),
                    ("s", text) => Node::Str(text.into()),
                    ("n", float) => Node::NotFinite(float.into()),
                    _ => Node::Fail,
                };
            }
            Node::Array(items) => items.iter_mut().for_each(Node::unmark),
            Node::Object(members) => members.iter_mut().for_each(|(_, value)| value.unmark()),
            _ => {}
        }
    }

    /// The text in this style of a value that does not fail.
    pub fn render(&self, style: &Style) -> String {
        self.render_until_failure(style).expect("a value that does not fail")
    }

    /// The text in this style, or, if the value fails, the text before the failure. Of an object
    /// whose members would have been sorted, that is the bracket.
    pub fn render_until_failure(&self, style: &Style) -> Result<String, String> {
        let mut out = String::new();
        match self.write(style, 0, &mut out) {
            ControlFlow::Continue(()) => Ok(out),
            ControlFlow::Break(()) => Err(out),
        }
    }

    fn write(&self, style: &Style, depth: usize, out: &mut String) -> ControlFlow<()> {
        if style.inline > 0 && style.indent.is_some() && self.is_list(style) {
            match self.one_line(&Style { sorted: false, ..style.clone() }) {
                Ok(_) => {
                    out.push_str(&self.one_line(style).expect("its length does not depend on the order"));
                    return ControlFlow::Continue(());
                }
                Err(Stop::Failed) => return ControlFlow::Break(()),
                Err(Stop::TooLong) => {}
            }
        }
        match self {
            Node::Bare(text) if style.canonical => {
                let Some(text) = canonical_number(text) else { return ControlFlow::Break(()) };
                out.push_str(&text);
            }
            Node::Bare(text) if style.big_integers == BigIntegers::String && is_big(text) => {
                out.push_str(&format!("\"{text}\""));
            }
            Node::Bare(text) => out.push_str(text),
            Node::Str(text) => quote(style.mode, text, out),
            Node::Array(items) => {
                return write_list(style, depth, "[]", items, out, |item, out| item.write(style, depth + 1, out));
            }
            Node::Object(members) => {
                let mut members: Vec<&(String, Node)> = members.iter().collect();
                if style.sorted {
                    insertion_sort(&mut members, style.canonical);
                }
                let start = out.len();
                let flow = write_list(style, depth, "{}", &members, out, |(name, value), out| {
                    quote(style.mode, name, out);
                    out.push_str(if style.indent.is_some() { ": " } else { ":" });
                    value.write(style, depth + 1, out)
                });
                if style.sorted && flow.is_break() {
                    out.truncate(start + 1);
                }
                if style.canonical && members.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                    out.truncate(start + 1);
                    return ControlFlow::Break(());
                }
                return flow;
            }
            Node::Verbatim(text) if style.canonical => return Node::parse(text).write(style, depth, out),
            Node::Verbatim(text) => rewrite(style.mode, text, out),
            Node::Bytes(bytes) => match style.bytes {
                BytesFormat::Base64 => quote(style.mode, &base64(bytes), out),
                BytesFormat::Hex => quote(style.mode, &hex(bytes), out),
                _ => {
                    return write_list(style, depth, "[]", bytes, out, |byte, out| {
                        out.push_str(&byte.to_string());
                        ControlFlow::Continue(())
                    });
                }
            },
            Node::NotFinite(float) if style.non_finite == NonFinite::String => {
                out.push_str(&format!("\"{}\"", float.replace("inf", "Infinity")));
            }
            Node::NotFinite(_) if style.non_finite == NonFinite::Null => out.push_str("null"),
            Node::NotFinite(_) | Node::Fail => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }
}

/// Why a list has no line of its own.
#[derive(Debug, PartialEq)]
enum Stop {
    TooLong,
    /// Before it was too long.
    Failed,
}

/// A line that is put together, of so many characters at most.
struct Line {
    text: String,
    left: usize,
}

impl Line {
    fn push(&mut self, text: &str) -> Result<(), Stop> {
        self.text.push_str(text);
        self.left = self.left.checked_sub(text.chars().count()).ok_or(Stop::TooLong)?;
        Ok(())
    }

    fn list<T>(
        &mut self,
        brackets: &str,
        items: &[T],
        mut each: impl FnMut(&T, &mut Line) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        self.push(&brackets[..1])?;
        for (index, item) in items.iter().enumerate() {
            self.push(if index > 0 { ", " } else { "" })?;
            each(item, self)?;
        }
        self.push(&brackets[1..])
    }
}

impl Node {
    /// Whether this is an array or object with something in it.
    fn is_list(&self, style: &Style) -> bool {
        match self {
            Node::Array(items) => !items.is_empty(),
            Node::Object(members) => !members.is_empty(),
            Node::Bytes(bytes) => style.bytes == BytesFormat::Array && !bytes.is_empty(),
            _ => false,
        }
    }

    /// The value in one line, if that has no more characters than the style allows.
    fn one_line(&self, style: &Style) -> Result<String, Stop> {
        let mut line = Line { text: String::new(), left: style.inline };
        self.add_to_line(style, &mut line)?;
        Ok(line.text)
    }

    fn add_to_line(&self, style: &Style, line: &mut Line) -> Result<(), Stop> {
        match self {
            Node::Array(items) => line.list("[]", items, |item, line| item.add_to_line(style, line)),
            Node::Object(members) => {
                let mut members: Vec<&(String, Node)> = members.iter().collect();
                if style.sorted {
                    insertion_sort(&mut members, style.canonical);
                }
                line.list("{}", &members, |(name, value), line| {
                    line.push(&quoted(style.mode, name))?;
                    line.push(": ")?;
                    value.add_to_line(style, line)
                })
            }
            Node::Bytes(bytes) if style.bytes == BytesFormat::Array => {
                line.list("[]", bytes, |byte, line| line.push(&byte.to_string()))
            }
            // A line break in a text that stays as it is.
            Node::Verbatim(text) if text.contains(['\n', '\r']) => Err(Stop::TooLong),
            scalar => {
                let mut text = String::new();
                match scalar.write(style, 0, &mut text) {
                    ControlFlow::Continue(()) => line.push(&text),
                    ControlFlow::Break(()) => Err(Stop::Failed),
                }
            }
        }
    }
}

/// Whether this is an integer beyond 2^53 - 1, which has 16 digits.
fn is_big(number: &str) -> bool {
    let digits = number.trim_start_matches('-');
    digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits.len(), digits) > (16, "9007199254740991")
}

/// A scalar that is not a string, as RFC 8785 wants it; nothing if that is an error. The algorithm of ECMA-262,
/// Number::toString, step by step.
pub fn canonical_number(text: &str) -> Option<String> {
    let Ok(value) = text.parse::<f64>() else { return Some(text.into()) };
    if !value.is_finite() {
        return None;
    }
    if value == 0.0 {
        return Some("0".into());
    }
    let shortest = format!("{:e}", value.abs());
    let (mantissa, exponent) = shortest.split_once('e').expect("an exponent");
    let mut s = mantissa.replace('.', "");
    let k = s.len() as i32;
    // Of two texts that are as close, the one that is even. This is about the digits that Rust has not shown.
    let exact = format!("{:.800e}", value.abs()).replace('.', "");
    let (shown, rest) = exact.split_at(s.len());
    let is_tie = rest.starts_with('5') && rest[1..].trim_start_matches('0').starts_with('e');
    let last = s.len() - 1;
    if is_tie && !(s.as_bytes()[last] - b'0').is_multiple_of(2) {
        let odd = s.as_bytes()[last];
        let even = if s == shown { odd + 1 } else { odd - 1 };
        s.replace_range(last.., char::from(even).encode_utf8(&mut [0]));
    }
    let n = exponent.parse::<i32>().expect("a number") + 1;
    let zeros = |count: i32| "0".repeat(count as usize);
    let size = if k <= n && n <= 21 {
        s.clone() + &zeros(n - k)
    } else if 0 < n && n <= 21 {
        format!("{}.{}", &s[..n as usize], &s[n as usize..])
    } else if -6 < n && n <= 0 {
        format!("0.{}{s}", zeros(-n))
    } else {
        let sign = if n > 0 { '+' } else { '-' };
        let fraction = if k > 1 { format!(".{}", &s[1..]) } else { String::new() };
        format!("{}{fraction}e{sign}{}", &s[..1], (n - 1).abs())
    };
    // An integer must not change: it is the double, or has its digits.
    if is_big(text) {
        let digits = text.trim_start_matches('-');
        let has_its_digits = format!("{s}{}", zeros((n - k).max(0))) == digits;
        let is_the_double = value.abs() < 2f64.powi(128) && digits.parse() == Ok(value.abs() as u128);
        if !has_its_digits && !is_the_double {
            return None;
        }
    }
    Some(if value < 0.0 { format!("-{size}") } else { size })
}

/// JSON text with the escapes of the mode in its strings, where such characters can only be.
fn rewrite(mode: Mode, text: &str, out: &mut String) {
    let mut escaped = false;
    for c in text.chars() {
        match c {
            '/' if mode.solidus && !escaped => out.push_str("\\/"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' if mode.html => push_unicode(c, out),
            '\u{80}'.. if mode.ascii => push_unicode(c, out),
            _ => out.push(c),
        }
        escaped = c == '\\' && !escaped;
    }
}

/// Stable, and nothing like the standard library's sort for short lists; long ones are left to it.
fn insertion_sort(members: &mut [&(String, Node)], as_utf16: bool) {
    let compare = |a: &str, b: &str| {
        if as_utf16 { a.encode_utf16().cmp(b.encode_utf16()) } else { a.as_bytes().cmp(b.as_bytes()) }
    };
    if members.len() > 64 {
        return members.sort_by(|a, b| compare(&a.0, &b.0));
    }
    for end in 1..members.len() {
        let mut at = end;
        while at > 0 && compare(&members[at - 1].0, &members[at].0).is_gt() {
            members.swap(at - 1, at);
            at -= 1;
        }
    }
}

fn write_list<T>(
    style: &Style,
    depth: usize,
    brackets: &str,
    items: &[T],
    out: &mut String,
    mut each: impl FnMut(&T, &mut String) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let new_line = |depth: usize, out: &mut String| {
        if let Some(indent) = &style.indent {
            out.push('\n');
            out.push_str(&indent.repeat(depth));
        }
    };
    out.push_str(&brackets[..1]);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        new_line(depth + 1, out);
        each(item, out)?;
    }
    if !items.is_empty() {
        new_line(depth, out);
    }
    out.push_str(&brackets[1..]);
    ControlFlow::Continue(())
}

fn skip_white(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', '\n', '\r'])
}

fn parse_value(rest: &mut &str) -> Node {
    *rest = skip_white(rest);
    match rest.as_bytes()[0] {
        b'"' => Node::Str(parse_string(rest)),
        b'[' => Node::Array(parse_list(rest, ']', parse_value)),
        b'{' => Node::Object(parse_list(rest, '}', |rest| {
            let name = parse_string(rest);
            *rest = skip_white(rest).strip_prefix(':').expect("a colon");
            (name, parse_value(rest))
        })),
        _ => {
            let end = rest.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(rest.len());
            let (bare, behind) = rest.split_at(end);
            *rest = behind;
            Node::Bare(bare.into())
        }
    }
}

fn parse_list<T>(rest: &mut &str, end: char, mut each: impl FnMut(&mut &str) -> T) -> Vec<T> {
    let mut items = Vec::new();
    *rest = skip_white(&rest[1..]);
    while !rest.starts_with(end) {
        items.push(each(rest));
        *rest = skip_white(rest);
        *rest = skip_white(rest.strip_prefix(',').unwrap_or(rest));
    }
    *rest = &rest[1..];
    items
}

fn parse_string(rest: &mut &str) -> String {
    *rest = skip_white(rest);
    let mut end = 1;
    while rest.as_bytes()[end] != b'"' {
        end += if rest.as_bytes()[end] == b'\\' { 2 } else { 1 };
    }
    let (string, behind) = rest.split_at(end + 1);
    *rest = behind;
    serde_json::from_str(string).expect("a JSON string")
}

/// Standard Base64 with padding (RFC 4648, section 4), one bit after the other.
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - group.len()));
        for letter in 0..4 {
            let index = (bits >> (18 - 6 * letter) & 63) as usize;
            text.push(if letter <= group.len() { LETTERS[index] as char } else { '=' });
        }
    }
    text
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|digit| DIGITS[digit as usize] as char).collect()
}

fn from_hex(digits: &str) -> Vec<u8> {
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).expect("digits"), 16).expect("digits");
    digits.as_bytes().chunks(2).map(byte).collect()
}
