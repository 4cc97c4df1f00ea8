//! Proves that `Fragment::checked` takes exactly the texts of RFC 8259, and says at which byte the others go wrong.

use json_rope::{Fragment, to_rope};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;

/// Reads JSON byte by byte, with a stack of brackets. Errors are the first byte that no JSON text can have behind what
/// stands before it; the length of the text if more would have to come.
struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

type Fault = usize;

impl Reader<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn eat(&mut self, allowed: &[u8]) -> Result<u8, Fault> {
        match self.text.get(self.at) {
            Some(byte) if allowed.contains(byte) => {
                self.at += 1;
                Ok(*byte)
            }
            _ => Err(self.at),
        }
    }

    fn white(&mut self) {
        while self.eat(b" \t\n\r").is_ok() {}
    }

    fn digits(&mut self) -> Result<(), Fault> {
        self.eat(b"0123456789")?;
        while self.eat(b"0123456789").is_ok() {}
        Ok(())
    }

    fn number(&mut self) -> Result<(), Fault> {
        let _ = self.eat(b"-");
        if self.eat(b"0").is_err() {
            self.digits()?;
        }
        if self.eat(b".").is_ok() {
            self.digits()?;
        }
        if self.eat(b"eE").is_ok() {
            let _ = self.eat(b"+-");
            self.digits()?;
        }
        Ok(())
    }

    fn string(&mut self) -> Result<(), Fault> {
        self.eat(b"\"")?;
        loop {
            match self.text.get(self.at) {
                None | Some(0..0x20) => return Err(self.at),
                Some(b'"') => break,
                Some(b'\\') => {
                    self.at += 1;
                    if self.eat(b"\"\\/bfnrtu")? == b'u' {
                        for _ in 0..4 {
                            self.eat(b"0123456789abcdefABCDEF")?;
                        }
                    }
                }
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self, word: &str) -> Result<(), Fault> {
        word.bytes().try_for_each(|byte| self.eat(&[byte]).map(drop))
    }

    fn key(&mut self) -> Result<(), Fault> {
        self.string()?;
        self.white();
        self.eat(b":").map(drop)
    }

    fn document(&mut self) -> Result<(), Fault> {
        let mut open = Vec::new();
        loop {
            // A value is to come.
            self.white();
            match self.peek() {
                bracket @ (b'[' | b'{') => {
                    self.at += 1;
                    self.white();
                    let end = if bracket == b'[' { b']' } else { b'}' };
                    if self.eat(&[end]).is_err() {
                        open.push(end);
                        if end == b'}' {
                            self.key()?;
                        }
                        continue;
                    }
                }
                b'"' => self.string()?,
                b't' => self.word("true")?,
                b'f' => self.word("false")?,
                b'n' => self.word("null")?,
                b'-' | b'0'..=b'9' => self.number()?,
                _ => return Err(self.at),
            }
            // A value has ended.
            loop {
                self.white();
                let Some(&end) = open.last() else {
                    return if self.at == self.text.len() { Ok(()) } else { Err(self.at) };
                };
                if self.eat(&[b',', end])? == end {
                    open.pop();
                    continue;
                }
                if end == b'}' {
                    self.white();
                    self.key()?;
                }
                break;
            }
        }
    }
}

fn first_fault(text: &str) -> Option<Fault> {
    Reader { text: text.as_bytes(), at: 0 }.document().err()
}

fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n', '\r'])
}

/// Whether it is taken, and that it then comes out as it is, without the white space around it.
fn is_taken(text: &str) -> bool {
    match Fragment::checked(text.to_owned()) {
        Ok(fragment) => {
            assert_eq!(*fragment.as_rope(), *trimmed(text));
            assert_eq!(to_rope(&[&fragment]).unwrap(), format!("[{}]", trimmed(text)));
            assert_eq!(to_rope(&fragment).unwrap(), *trimmed(text));
            true
        }
        Err(error) => {
            assert!(error.is_data(), "{error}");
            assert!(error.offset() <= text.len() as u64);
            assert!(error.to_string().contains(&format!("at byte {}", error.offset())), "{error}");
            false
        }
    }
}

fn offset(text: &str) -> usize {
    Fragment::checked(text.to_owned()).unwrap_err().offset() as usize
}

#[test]
fn texts_that_are_json() {
    let good = [
        "1234",
        "0",
        "-0",
        "1e999",
        "-0.0E-0",
        "123456789012345678901234567890.5e+7",
        "null",
        "true",
        "false",
        "\"\"",
        "[]",
        "{}",
        "[ ]",
        "{ }",
        r#"{"":{"":[[],{}]}}"#,
        r#"{"a":1,"a":2}"#,
        r#" {"a" : [1, 2 ] } "#,
        "\r\n\t [1,\n2]\n",
        "\"é😀\u{7f}\u{2028}\"",
        r#""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00""#,
        // The grammar allows halves of a pair; what they mean is left to the reader.
        r#""\ud800""#,
        r#""\udc00\ud800""#,
    ];
    for text in good {
        assert_eq!(first_fault(text), None, "the reference, {text:?}");
        assert!(is_taken(text), "{text:?}");
        assert!(is_taken(&format!(" \t\r\n{text}\n\n ")), "{text:?}");
    }
}

const BAD: [&str; 52] = [
    "",
    " \n ",
    "NaN",
    "Infinity",
    "-Infinity",
    r#"{"v":NaN}"#,
    "unquoted",
    "1 2",
    "1,2",
    "[1,]",
    "[,1]",
    "[1",
    "[",
    "[1 2]",
    "[1}",
    "]",
    "{",
    "{]",
    r#"{"a"}"#,
    r#"{"a":}"#,
    r#"{"a":1,}"#,
    r#"{"a":1"#,
    r#"{"a" 1}"#,
    "{1:1}",
    "{a:1}",
    "[] []",
    "{}x",
    "null null",
    "nul",
    "nulL",
    "True",
    "truex",
    "01",
    "-",
    "+1",
    ".5",
    "1.",
    "1.e5",
    "1e",
    "1e+",
    "0x10",
    "'a'",
    "\"",
    "\"a",
    "\"\\",
    "\"\\x\"",
    "\"\\u12\"",
    "\"\\u12g4\"",
    "\"a\u{1}b\"",
    "\u{feff}1",
    "1\u{a0}",
    "// no\n1",
];

#[test]
fn texts_that_are_not() {
    for text in BAD.into_iter().chain(["\"a\nb\"", "\"a\tb\"", "1\u{0}", "\u{b}1", "[1]\u{c}", "/**/1"]) {
        assert!(first_fault(text).is_some(), "the reference, {text:?}");
        assert!(!is_taken(text), "{text:?}");
    }
}

#[test]
fn the_offset_of_what_cannot_follow() {
    for (text, at) in [
        ("unquoted", 0),
        ("NaN", 0),
        ("1 2", 2),
        ("[1,]", 3),
        ("[]x", 2),
        ("[1}", 2),
        ("{\"a\":1,}", 7),
        ("{\"a\":NaN}", 5),
        ("01", 1),
        ("truX", 3),
        ("\u{feff}1", 0),
        ("\"é\"é", 4),
        ("1\u{a0}", 1),
        ("[\n1 2]", 4),
        ("\n\n ]", 3),
        ("[1,\r\n\r\n2,\n\n3 4]", 13),
        ("\"é\"\n\"é\"", 5),
    ] {
        assert_eq!(first_fault(text), Some(at), "the reference, {text:?}");
        assert_eq!(offset(text), at, "{text:?}");
    }
    let error = Fragment::checked("[1,]").unwrap_err();
    assert_eq!(error.to_string(), "not JSON at byte 3: expected a value");
}

/// A text that stops too early goes wrong at its end.
#[test]
fn the_offset_of_an_early_end() {
    for text in
        ["", " ", "[", "[1", "[1,", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "nul", "-", "1.", "1e", "1e+", "\"", "\"a"]
    {
        assert_eq!(first_fault(text), Some(text.len()), "the reference, {text:?}");
        assert_eq!(offset(text), text.len(), "{text:?}");
        let later = format!("[\"é\",\n{text}");
        assert_eq!(offset(&later), later.len(), "{later:?}");
    }
}

#[test]
fn the_offset_inside_strings_and_before_line_breaks() {
    for text in
        ["\"a\nb\"", "\"\n\"", "[\"é\",\"\u{1}\"]", "\"ab\\x\"", "\"\\u12g4\"", "\"\\u\n\"", "-\n", "1.\n2", "nu\nll"]
    {
        let at = first_fault(text).unwrap();
        assert_eq!(offset(text), at, "{text:?}");
    }
}

#[test]
fn every_front_of_a_document_goes_wrong_at_its_end() {
    let text = "[{\"a\\u00e9\\n\": [1.5e-7, -0, true, {\"b\":null}],\n\"é😀\":{} , \"\":[false]}\n, \"x\"]";
    assert!(is_taken(text));
    for at in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
        let front = &text[..at];
        assert!(!is_taken(front), "{front:?}");
        assert_eq!(offset(front), first_fault(front).unwrap(), "{front:?}");
    }
}

/// BR-019, BR-088: the offset is that of the character that is broken.
#[test]
fn text_that_is_not_utf8() {
    for (bytes, at) in [
        (&b"\xf0\x9f\x98"[..], 0),
        (b"\"\xf0\x9f\x98", 1),
        (b"\"\xf0\x9f\x98\"", 1),
        (b"\"\xed\xa0\x80\"", 1),
        (b"[\"\xc3\xa9\",\"\xff\"]", 7),
        (b"\"\xc0\x80\"", 1),
        (b"1\x80", 1),
        (b"\xff\xfe1\x00", 0),
    ] {
        let error = Fragment::checked(bytes.to_vec()).unwrap_err();
        assert!(error.is_data());
        assert_eq!(error.offset(), at, "{bytes:?}");
        assert!(error.to_string().contains(&format!("byte {at}: invalid UTF-8")), "{error}");
    }
}

#[test]
fn deep_nesting_without_recursion() {
    let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    let small_stack = std::thread::Builder::new().stack_size(256 * 1024);
    let checks = move || {
        assert!(is_taken(&deep(100_000)));
        assert!(is_taken(&(r#"{"a":"#.repeat(100_000) + "1" + &"}".repeat(100_000))));
        assert!(!is_taken(&deep(100_000)[1..]));
        assert!(!is_taken(&deep(100_000)[..199_999]));
    };
    small_stack.spawn(checks).unwrap().join().unwrap();
}

/// What `checked` keeps is a part of what it was given.
#[test]
fn nothing_is_copied() {
    let bytes = bytes::Bytes::from(format!("  {}\n", serde_json::to_string(&vec![7; 1000]).unwrap()));
    let fragment = Fragment::checked(bytes.clone()).unwrap();
    assert_eq!(fragment.as_rope().chunks()[0].as_ptr(), bytes[2..].as_ptr());
    assert_eq!(fragment.clone().into_rope(), &bytes[2..bytes.len() - 1]);
}

/// Pieces that often make JSON, and often nearly.
fn nearly_json() -> impl Strategy<Value = String> {
    const PARTS: [&str; 28] = [
        "[", "]", "{", "}", ",", ":", "\"a\"", "\"\"", "\"", "1", "0", "-", ".", "e", "5", "true", "null", "fals", " ",
        "\n", "\\", "\\u00e9", "é", "\"é\":", "\"k\":1,", "[1,2]", "{}", "+",
    ];
    proptest::collection::vec(select(&PARTS[..]), 0..12).prop_map(|parts| parts.concat())
}

/// Good JSON with one change.
fn damaged_json() -> impl Strategy<Value = String> {
    let good =
        select(&[r#"[1.5e-7,{"a":[true,null],"é":"\u00e9\n"},-0, "😀"]"#, "{\"a\" : {\n\"b\":[]} ,\"c\":1e5}"][..]);
    (good, any::<prop::sample::Index>(), select(&["", "x", "\"", "1", " ", "\n", ",", "]", "}", "\\", "é"][..]))
        .prop_map(|(good, at, by)| {
            let mut characters: Vec<String> = good.chars().map(String::from).collect();
            let at = at.index(characters.len());
            characters[at] = by.into();
            characters.concat()
        })
}

proptest! {
    #![proptest_config(Config { cases: 4000, failure_persistence: None, ..Config::default() })]

    #[test]
    fn takes_what_the_grammar_takes(text in prop_oneof![nearly_json(), damaged_json(), any::<String>()]) {
        prop_assert_eq!(is_taken(&text), first_fault(&text).is_none());
    }

    #[test]
    fn names_the_first_byte_that_is_wrong(text in prop_oneof![nearly_json(), damaged_json()]) {
        if let Some(at) = first_fault(&text) {
            prop_assert_eq!(offset(&text), at);
        }
    }
}
