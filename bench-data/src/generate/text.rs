//! Texts. All have exactly the length in bytes that is asked for.

use super::SplitMix64;

const WORDS: [&str; 32] = [
    "the",
    "of",
    "request",
    "was",
    "served",
    "by",
    "a",
    "node",
    "in",
    "cluster",
    "after",
    "retry",
    "value",
    "is",
    "not",
    "found",
    "for",
    "user",
    "and",
    "order",
    "with",
    "status",
    "pending",
    "until",
    "payment",
    "has",
    "been",
    "confirmed",
    "queue",
    "message",
    "delivered",
    "at",
];

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const EMOJI: [&str; 16] =
    ["😀", "🎉", "🚀", "🔥", "👍", "🍣", "🌸", "🐱", "💻", "📦", "⚡", "❤️", "🇯🇵", "👩‍💻", "👨‍👩‍👧", "🏳️‍🌈"];

pub(super) fn word(rng: &mut SplitMix64) -> &'static str {
    rng.pick(&WORDS)
}

/// `n` strings of `len` characters of the Base64 alphabet, without padding.
///
/// They need no escape.
pub fn base64_strings(seed: u64, n: usize, len: usize) -> Vec<String> {
    let mut rng = SplitMix64::new(seed);
    (0..n).map(|_| base64(&mut rng, len)).collect()
}

fn base64(rng: &mut SplitMix64, len: usize) -> String {
    let mut text = String::with_capacity(len);
    while text.len() < len {
        let mut bits = rng.next_u64();
        for _ in 0..10.min(len - text.len()) {
            text.push(BASE64[(bits & 63) as usize] as char);
            bits >>= 6;
        }
    }
    text
}

/// `bytes` bytes of ASCII sentences that need no escape.
pub fn plain_text(seed: u64, bytes: usize) -> String {
    let mut rng = SplitMix64::new(seed);
    let mut text = String::with_capacity(bytes + 16);
    while text.len() < bytes {
        text.push_str(word(&mut rng));
        text.push_str(match rng.below(12) {
            0 => ", ",
            1 => ". ",
            _ => " ",
        });
    }
    text.truncate(bytes);
    text
}

/// `bytes` bytes of ASCII text with a character that needs an escape after
/// every 15 to 35 others, so every 26th on average.
///
/// Of 100 escapes, about 45 are quotes, 35 line feeds, eight backslashes,
/// seven tabs and five another control character.
pub fn escaped_text(seed: u64, bytes: usize) -> String {
    let mut rng = SplitMix64::new(seed);
    let mut text = plain_text(rng.next_u64(), bytes).into_bytes();
    let mut at = gap(&mut rng);
    while at < bytes {
        text[at] = match rng.below(100) {
            0..45 => b'"',
            45..80 => b'\n',
            80..88 => b'\\',
            88..95 => b'\t',
            _ => rng.pick(b"\x00\x01\x07\x08\x0b\x0c\r\x1b\x1f"),
        };
        at += 1 + gap(&mut rng);
    }
    String::from_utf8(text).expect("ASCII is UTF-8")
}

fn gap(rng: &mut SplitMix64) -> usize {
    15 + rng.index(21)
}

/// `bytes` bytes of Chinese, Japanese and Korean characters and emoji, with a
/// few ASCII words between them. It needs no escape.
///
/// Characters have one, three or four bytes; some emoji are sequences of up to
/// 18 bytes. The end is filled with full stops, as far as nothing else fits.
pub fn cjk_emoji_text(seed: u64, bytes: usize) -> String {
    let mut rng = SplitMix64::new(seed);
    let mut text = String::with_capacity(bytes);
    let mut buffer = [0; 4];
    while text.len() < bytes {
        let piece: &str = match rng.below(100) {
            0..45 => from_range(&mut rng, 0x4E00, 0x9FA5, &mut buffer),
            45..65 => from_range(&mut rng, 0x3041, 0x3096, &mut buffer),
            65..80 => from_range(&mut rng, 0xAC00, 0xD7A3, &mut buffer),
            80..85 => rng.pick(&["、", "。", "「", "」", "！"]),
            85..95 => rng.pick(&EMOJI),
            95..98 => " ",
            _ => word(&mut rng),
        };
        let fits = piece.len() <= bytes - text.len();
        text.push_str(if fits { piece } else { "." });
    }
    text
}

fn from_range<'a>(rng: &mut SplitMix64, first: u32, last: u32, buffer: &'a mut [u8; 4]) -> &'a str {
    let code = first + rng.below(u64::from(last - first + 1)) as u32;
    let character = char::from_u32(code).expect("the ranges hold no surrogate");
    character.encode_utf8(buffer)
}

/// `bytes` bytes of ASCII HTML: elements with quoted attributes, entities and
/// line feeds, cut off at the end.
///
/// JSON needs an escape for the quotes and line feeds, and none for `<`, `>`,
/// `&` and `/`.
pub fn html_text(seed: u64, bytes: usize) -> String {
    let mut rng = SplitMix64::new(seed);
    let mut html = String::with_capacity(bytes + 256);
    html.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<body>\n");
    while html.len() < bytes {
        element(&mut rng, &mut html);
    }
    html.truncate(bytes);
    html
}

fn element(rng: &mut SplitMix64, html: &mut String) {
    let tag = rng.pick(&["p", "div", "li", "span", "td", "h2"]);
    let class = word(rng);
    let id = rng.below(10_000);
    html.push_str(&format!("  <{tag} class=\"{class} item\" id=\"{class}-{id}\">"));
    for _ in 0..2 + rng.below(8) {
        match rng.below(12) {
            0 => html.push_str("&amp; "),
            1 => html.push_str("a &lt; b && b > c "),
            2 => {
                let (target, label) = (word(rng), word(rng));
                html.push_str(&format!("<a href=\"/{target}?q={id}&p=1\">{label}</a> "));
            }
            3 => html.push_str("<br/>\n    "),
            _ => {
                html.push_str(word(rng));
                html.push(' ');
            }
        }
    }
    html.push_str(&format!("</{tag}>\n"));
}
