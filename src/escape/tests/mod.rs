//! Every implementation against a naive one: all lengths, all positions of an escape, all distances to the end of the
//! room. Texts and rooms are allocations of exactly their size, so that a sanitizer sees an access outside.

#[allow(clippy::duplicate_mod, dead_code, reason = "shared with the integration tests")]
#[path = "../../../tests/support/sweeps.rs"]
mod sweeps;

use super::*;
use sweeps::{Sweeps, sweeps};

/// What the output should be, from the standard's own words (RFC 8259, section 7), a character at a time.
fn naive(text: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::new();
    for &byte in text {
        match byte {
            b'"' => escaped.extend(b"\\\""),
            b'\\' => escaped.extend(b"\\\\"),
            0x08 => escaped.extend(b"\\b"),
            0x0c => escaped.extend(b"\\f"),
            b'\n' => escaped.extend(b"\\n"),
            b'\r' => escaped.extend(b"\\r"),
            b'\t' => escaped.extend(b"\\t"),
            0..0x20 => escaped.extend(format!("\\u{byte:04x}").bytes()),
            _ => escaped.push(byte),
        }
    }
    escaped
}

/// Like [`naive`], with what the options escape too, in their own words.
fn naive_with(escapes: Escapes, text: &str) -> Vec<u8> {
    let mut escaped = Vec::new();
    for character in text.chars() {
        let html = escapes.has(Escapes::HTML) && matches!(character, '<' | '>' | '&' | '\u{2028}' | '\u{2029}');
        match character {
            '/' if escapes.has(Escapes::SOLIDUS) => escaped.extend(b"\\/"),
            _ if html || (escapes.has(Escapes::ASCII) && character > '\u{7f}') => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    escaped.extend(format!("\\u{unit:04x}").bytes());
                }
            }
            _ => escaped.extend(naive(character.encode_utf8(&mut [0; 4]).as_bytes())),
        }
    }
    escaped
}

/// Every combination of options, or some of them in a sample.
fn all_escapes() -> impl Iterator<Item = Escapes> {
    (0..Escapes::COUNT).step_by(if sweeps() == Sweeps::Sample { 3 } else { 1 }).map(Escapes::from_index)
}

type EscapeFn<S> = unsafe fn(S, &[u8], *mut u8) -> *mut u8;

/// The implementations that this machine can run, by name. Each needs `6 * len + SLACK` bytes of room.
fn implementations<S: Set>() -> Vec<(&'static str, EscapeFn<S>)> {
    let mut all: Vec<(&'static str, EscapeFn<S>)> = vec![("imp", escape), ("imp long", imp::escape_long)];
    all.extend([("swar", swar::escape_long as EscapeFn<S>), ("bytewise", escape_bytewise)]);
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri), not(json_rope_portable)))]
    {
        all.push(("sse2 strides", strides::escape_strides::<sse2::Sse2, S>));
        if std::arch::is_x86_feature_detected!("avx2") {
            all.push(("avx2", avx2::escape_long));
        }
        #[cfg(json_rope_since_1_89)]
        if avx512::is_available() {
            all.push(("avx512", avx512::escape_long));
        }
    }
    all
}

/// Runs all implementations with `set` on `text`, which has memory of its exact size, and gives each such memory too.
fn check_set<S: Set>(set: S, text: &[u8], expected: &[u8]) {
    for (name, escape) in implementations() {
        let mut room = vec![0xaa; 6 * text.len() + SLACK].into_boxed_slice();
        let start = room.as_mut_ptr();
        // SAFETY: the room is what the implementations ask for.
        let len = unsafe { escape(set, text, start).offset_from(start) as usize };
        assert_eq!(room[..len], *expected, "{name} on {:?}", String::from_utf8_lossy(text));
    }
}

/// Runs all implementations on a copy of `text`, which need not be UTF-8.
fn check(text: &[u8]) {
    let text: Box<[u8]> = text.into();
    let expected = naive(&text);
    check_set(Json, &text, &expected);
    let first = text.iter().position(|&byte| naive(&[byte]).len() > 1).unwrap_or(text.len());
    assert_eq!(imp::clean_len(Json, &text), first);
    assert_eq!(swar::clean_len(Json, &text), first);
    let mut room = vec![MaybeUninit::uninit(); quoted_room(text.len())].into_boxed_slice();
    let mut tail = crate::out::tail::Tail::on_scratch(&mut room);
    assert!(tail.put_quoted(b",\"", &text, b"\":"));
    assert_eq!(tail.filled(), [b",\"", &expected[..], b"\":"].concat());
    let mut tail = crate::out::tail::Tail::on_scratch(&mut room[1..]);
    assert!(!tail.put_quoted(b",\"", &text, b"\":"));
}

/// Runs all implementations on a copy of `text` under `escapes`.
fn check_with(escapes: Escapes, text: &str) {
    let text: Box<str> = text.into();
    let (more, expected) = (More::of(escapes), naive_with(escapes, &text));
    check_set(more, text.as_bytes(), &expected);
    let is_looked_at = |character: char| {
        let text = character.to_string();
        naive_with(escapes, &text) != text.as_bytes()
            || (escapes.has(Escapes::HTML) && text.as_bytes().first() == Some(&0xe2))
    };
    let first = text.find(is_looked_at).unwrap_or(text.len());
    assert_eq!(clean_len_with(escapes, &text), first);
    assert_eq!(swar::clean_len(more, text.as_bytes()), first);
    let in_json = text.find(|character| is_looked_at(character) && !matches!(character, '"' | '\\'));
    let in_json = in_json.unwrap_or(text.len());
    assert_eq!(clean_json_len(escapes, text.as_bytes()), in_json);
    assert_eq!(swar::clean_len(InJson(more), text.as_bytes()), in_json);
    let mut room = vec![MaybeUninit::uninit(); quoted_room(text.len())].into_boxed_slice();
    assert_eq!(quote_with(escapes, b"\"", &text, b"\": ", &mut room), [b"\"", &expected[..], b"\": "].concat());
}

/// Lengths to try: all up to two strides and a block, and then around multiples of everything.
fn lengths() -> impl Iterator<Item = usize> {
    if cfg!(miri) { 0..40 } else { 0..300 }
}

#[test]
fn no_escape_at_any_length() {
    lengths().for_each(|len| check(&vec![b'x'; len]));
}

#[test]
fn one_escape_at_any_position() {
    for len in lengths().filter(|len| len % 7 < 3 || *len < 140) {
        let mut text = vec![b'x'; len];
        for at in 0..len {
            text[at] = [b'"', b'\\', b'\n', 0x1f, 0][at % 5];
            check(&text);
            text[at] = b'x';
        }
    }
}

#[test]
fn two_escapes_at_any_distance() {
    let len = if cfg!(miri) { 20 } else { 150 };
    let mut text = vec![b'y'; len];
    for first in 0..len {
        for second in first + 1..len {
            (text[first], text[second]) = (b'"', 0x01);
            check(&text);
            (text[first], text[second]) = (b'y', b'y');
        }
    }
}

#[test]
fn nothing_but_escapes_at_any_length() {
    lengths().for_each(|len| check(&vec![0x01; len]));
    lengths().for_each(|len| check(&vec![b'"'; len]));
}

#[test]
fn every_byte_value_at_every_place_in_a_block() {
    for byte in 0..=255 {
        for at in 0..if cfg!(miri) { 4 } else { 70 } {
            let mut text = [b'z'; 70];
            text[at] = byte;
            check(&text[..at + 1]);
            check(&text);
        }
    }
}

#[test]
fn bytes_next_to_the_special_ones_set_no_false_mark() {
    // 0x21 after 0x22, and 0x5d before 0x5c, are what a borrow in the portable test could confuse.
    for pair in [[0x22, 0x23], [0x23, 0x22], [0x5c, 0x5d], [0x5d, 0x5c], [0x1f, 0x20], [0x20, 0x1f], [0x80, 0x00]] {
        lengths().for_each(|len| check(&pair.iter().copied().cycle().take(len).collect::<Vec<_>>()));
    }
}

#[test]
fn random_texts() {
    let mut state = 88_172_645_463_325_252u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..if cfg!(miri) { 50 } else { 3_000 } {
        let (len, rarity) = ((next() % 600) as usize, 1 + next() % 60);
        let text: Vec<u8> = (0..len)
            .map(|_| match next() {
                n if n % rarity == 0 => (n >> 32) as u8 & 0x3f,
                n => (n >> 32) as u8,
            })
            .collect();
        check(&text);
    }
}

#[test]
fn copy_clean_stops_at_the_first_escape_and_at_the_end_of_the_room() {
    for len in 0..100usize {
        for room_len in 0..120 {
            for escape_at in [len, len / 2, len.saturating_sub(1)] {
                let mut text = vec![b'x'; len].into_boxed_slice();
                if let Some(byte) = text.get_mut(escape_at) {
                    *byte = b'\n';
                }
                let mut room = vec![MaybeUninit::uninit(); room_len].into_boxed_slice();
                let copy = copy_clean(&text, &mut room);
                assert_eq!(copy, &text[..escape_at.min(len).min(room_len)]);
            }
        }
    }
}

#[test]
fn an_impossible_length_asks_for_impossible_room() {
    for len in [usize::MAX, usize::MAX / 6 + 1, usize::MAX / 6, isize::MAX as usize] {
        assert!(quoted_room(len) > isize::MAX as usize);
    }
    assert_eq!(quoted_room(0), 20);
}

/// One of each way to be escaped or not: by its length, its first byte, and what is next to it.
const CHARACTERS: [&str; 22] = [
    "\"",
    "\\",
    "\n",
    "\u{1f}",
    "<",
    ">",
    "&",
    "/",
    ";",
    "=",
    ".",
    "\u{7f}",
    "é",
    "\u{80}",
    "\u{7ff}",
    "€",
    "\u{2027}",
    "\u{2028}",
    "\u{2029}",
    "語",
    "😀",
    "\u{10ffff}",
];

#[test]
fn under_options_no_escape_at_any_length() {
    for escapes in all_escapes() {
        lengths().for_each(|len| check_with(escapes, &"x".repeat(len)));
    }
}

#[test]
fn under_options_one_character_at_any_position() {
    for escapes in all_escapes() {
        for len in lengths().filter(|len| len % 41 == 0 || *len < 36) {
            for at in 0..=len {
                let character = CHARACTERS[(at + len) % CHARACTERS.len()];
                check_with(escapes, &["x".repeat(at).as_str(), character, &"x".repeat(len - at)].concat());
            }
        }
        for character in CHARACTERS {
            for at in 0..if cfg!(miri) { 4 } else { 67 } {
                check_with(escapes, &["x".repeat(at).as_str(), character, &"y".repeat(129 - at)].concat());
                check_with(escapes, &["é".repeat(at / 2).as_str(), character].concat());
            }
        }
    }
}

#[test]
fn under_options_nothing_but_one_character_at_any_length() {
    for escapes in all_escapes() {
        for character in CHARACTERS {
            lengths()
                .filter(|len| len % 13 < 2 || *len < 40)
                .for_each(|len| check_with(escapes, &character.repeat(len)));
        }
    }
}

#[test]
fn under_options_two_characters_at_any_distance() {
    let len = if cfg!(miri) { 10 } else { 140 };
    for escapes in all_escapes() {
        for distance in 0..len {
            let (a, b) = (CHARACTERS[distance % CHARACTERS.len()], CHARACTERS[distance * 5 % CHARACTERS.len()]);
            for before in [0, 1, 7, 30, 61, 62, 63] {
                let (before, between) = ("x".repeat(before), "y".repeat(distance));
                check_with(escapes, &[&before, a, &between, b, &"z".repeat(70)].concat());
            }
        }
    }
}

#[test]
fn under_options_every_byte_value_below_128_and_every_first_byte() {
    let firsts = ('\u{80}'..='\u{7ff}').step_by(64).chain(('\u{800}'..='\u{ffff}').step_by(4096 / 64));
    for character in ('\0'..='\u{7f}').chain(firsts).chain(['\u{10000}', '\u{40000}', '\u{80000}']) {
        for escapes in all_escapes() {
            check_with(escapes, &format!("{character}"));
            check_with(escapes, &format!("0123456789abcdef{character}fedcba{character}{character}9876543210"));
        }
    }
}

#[test]
fn under_options_random_texts() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..if cfg!(miri) { 20 } else { 2_000 } {
        let (len, rarity) = ((next() % 400) as usize, 1 + next() % 60);
        let text: String = (0..len)
            .map(|_| match next() {
                n if n % rarity == 0 => CHARACTERS[(n >> 32) as usize % CHARACTERS.len()],
                _ => "w",
            })
            .collect();
        all_escapes().for_each(|escapes| check_with(escapes, &text));
    }
}

#[cfg(all(unix, not(miri)))]
mod guard_page;
