//! Proves that `ascii`, `html_safe` and `escape_solidus` escape exactly what they promise, in every combination, for
//! keys and values, in whole strings and in pieces, wherever a chunk ends.

use std::collections::BTreeMap;

use json_rope::Encoder;
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde::Serialize;
use serde_json::Value;

use crate::support::check::{DEFAULT_PLAN, assert_encodes, assert_same};
use crate::support::reference::{Mode, Node, Style, quote, quoted};
use crate::support::strategy;
use crate::support::values::{Calls, Hint, Honest, Key, Pieces, Shape};

fn encoder(mode: Mode, indent: Option<&str>, (first, max): (usize, usize)) -> Encoder {
    let builder = mode.builder().pretty(indent.is_some()).first_chunk(first).max_chunk(max);
    builder.indent(indent.unwrap_or(" ")).build().expect("good settings")
}

fn by_mode(mode: Mode, value: &(impl Serialize + ?Sized)) -> String {
    mode.builder().build().unwrap().encode(value).unwrap().into_string().unwrap()
}

const ASCII: Mode = Mode { ascii: true, html: false, solidus: false };
const HTML: Mode = Mode { ascii: false, html: true, solidus: false };
const SOLIDUS: Mode = Mode { ascii: false, html: false, solidus: true };
const PLAIN: Mode = Mode { ascii: false, html: false, solidus: false };

#[test]
fn golden_texts_of_each_option() {
    // BR-005
    let three = r#""\ud83d\ude01\ud83d\ude02\ud83d\ude03""#;
    assert_eq!(three.len(), 38);
    assert_eq!(by_mode(ASCII, "\u{1F601}\u{1F602}\u{1F603}"), three);
    // BR-084
    let script = "</script><!-- & ' \u{2028}\u{2029}";
    assert_eq!(by_mode(PLAIN, script), format!("\"{script}\""));
    assert_eq!(by_mode(HTML, script), r#""\u003c/script\u003e\u003c!-- \u0026 ' \u2028\u2029""#);
    assert_eq!(by_mode(SOLIDUS, script), "\"<\\/script><!-- & ' \u{2028}\u{2029}\"");
    assert_eq!(by_mode(ASCII, script), r#""</script><!-- & ' \u2028\u2029""#);
    let all = Mode { ascii: true, html: true, solidus: true };
    assert_eq!(by_mode(all, script), r#""\u003c\/script\u003e\u003c!-- \u0026 ' \u2028\u2029""#);
    // BR-085
    assert_eq!(by_mode(ASCII, "föö"), r#""f\u00f6\u00f6""#);
    assert_eq!(by_mode(ASCII, "\u{7f}\u{80}\u{ff}\u{7ff}\u{800}"), "\"\u{7f}\\u0080\\u00ff\\u07ff\\u0800\"");
    assert_eq!(
        by_mode(ASCII, "\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}"),
        r#""\ud7ff\ue000\uffff\ud800\udc00\udbff\udfff""#
    );
    // Neighbours of U+2028 and U+2029, which begin with the same bytes, stay.
    assert_eq!(by_mode(HTML, "\u{2027}\u{2028}\u{2029}\u{202a}\u{2fff}"), "\"\u{2027}\\u2028\\u2029\u{202a}\u{2fff}\"");
}

#[test]
fn golden_control_characters_in_every_mode() {
    let controls: String = ('\0'..=' ').collect();
    let want = concat!(
        r#""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f"#,
        r#"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f ""#
    );
    for mode in Mode::all() {
        // BR-014, BR-087
        assert_eq!(by_mode(mode, &controls), want, "{mode:?}");
        assert_eq!(by_mode(mode, "\u{1}\u{7f}"), "\"\\u0001\u{7f}\"", "{mode:?}");
        assert_eq!(by_mode(mode, "\"\\"), r#""\"\\""#, "{mode:?}");
    }
}

#[test]
fn golden_keys_in_every_mode() {
    for mode in Mode::all() {
        // BR-056
        let map = BTreeMap::from([(-1, 2), (7, 1)]);
        assert_eq!(by_mode(mode, &map), r#"{"-1":2,"7":1}"#, "{mode:?}");
        let pretty = mode.builder().pretty(true).build().unwrap();
        assert_eq!(pretty.encode(&map).unwrap(), "{\n  \"-1\": 2,\n  \"7\": 1\n}", "{mode:?}");
    }
    let keys = BTreeMap::from([("a/<é😀", 'é'), ("\u{2028}", '/')]);
    assert_eq!(by_mode(ASCII, &keys), r#"{"a/<\u00e9\ud83d\ude00":"\u00e9","\u2028":"/"}"#);
    assert_eq!(by_mode(HTML, &keys), r#"{"a/\u003cé😀":"é","\u2028":"/"}"#);
    assert_eq!(by_mode(SOLIDUS, &keys), "{\"a\\/<é😀\":\"é\",\"\u{2028}\":\"\\/\"}");
}

#[test]
fn names_of_fields_and_variants_are_escaped() {
    #[derive(Serialize)]
    enum E {
        #[serde(rename = "é/<")]
        Unit,
        #[serde(rename = "€/>")]
        Newtype(#[allow(dead_code)] u8),
        #[serde(rename = "😀/&")]
        Struct {
            #[serde(rename = "ß/<>")]
            field: &'static str,
        },
    }
    let value = (E::Unit, E::Newtype(1), E::Struct { field: "ü" });
    let all = Mode { ascii: true, html: true, solidus: true };
    let want = r#"["\u00e9\/\u003c",{"\u20ac\/\u003e":1},{"\ud83d\ude00\/\u0026":{"\u00df\/\u003c\u003e":"\u00fc"}}]"#;
    assert_eq!(by_mode(all, &value), want);
    for mode in Mode::all() {
        assert_eq!(by_mode(mode, &value), Node::of(&value).render(&Style { mode, ..Style::default() }));
    }
}

/// Every Unicode scalar value, in strings of some thousands.
fn every_character(mode: Mode, parse_back: bool) {
    let encoder = mode.builder().build().unwrap();
    let (mut want, mut block) = (String::new(), String::new());
    let mut characters = ('\0'..=char::MAX).peekable();
    let mut count = 0;
    while characters.peek().is_some() {
        block.clear();
        block.extend(characters.by_ref().take(5000));
        count += block.chars().count();
        want.clear();
        quote(mode, &block, &mut want);
        let text = encoder.encode(&block).unwrap().into_string().unwrap();
        assert_same(text.as_bytes(), want.as_bytes(), format_args!("{mode:?} from {:?}", block.chars().next()));
        if parse_back {
            assert_eq!(serde_json::from_str::<String>(&text).unwrap(), block);
        }
        assert!(!mode.ascii || text.is_ascii());
        assert!(!mode.html || !text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']));
    }
    assert_eq!(count, 0x11_0000 - 0x800);
}

#[test]
fn every_character_in_modes_0_and_1() {
    every_character(Mode::nth(0), false);
    every_character(Mode::nth(1), false);
}

#[test]
fn every_character_in_modes_2_and_3() {
    every_character(Mode::nth(2), true);
    every_character(Mode::nth(3), false);
}

#[test]
fn every_character_in_modes_4_and_5() {
    every_character(Mode::nth(4), false);
    every_character(Mode::nth(5), false);
}

#[test]
fn every_character_in_modes_6_and_7() {
    every_character(Mode::nth(6), false);
    every_character(Mode::nth(7), true);
}

/// Text of which every character is escaped by some mode, or nearly.
const DENSE: &str = "é/<\u{2028}😀\"&€\\>\u{2027}\n\u{1}//\u{2029}\u{7f}ab\u{10ffff}\u{800}<<\u{e9}é";

/// Keys and values of every kind that is text.
fn document() -> Shape {
    let pieces = || Pieces(DENSE.split_inclusive(['<', '😀', '\n']).map(str::to_owned).collect());
    let one_by_one = Pieces(DENSE.chars().map(String::from).collect());
    let members = vec![
        (Key::Str(DENSE.into()), Shape::Str(DENSE.into())),
        (Key::Char('/'), Shape::Char('<')),
        (Key::Char('😀'), Shape::Char('\u{2029}')),
        (Key::Display(pieces()), Shape::Display(one_by_one)),
        (Key::Variant("schlüssel"), Shape::UnitVariant("名前😀")),
        (Key::Newtype(Box::new(Key::Some(Box::new(Key::Str("</é>".into()))))), Shape::Str("plain text, long".into())),
        (Key::I8(-1), Shape::Seq(Hint::True, vec![Shape::Str("&".into()), Shape::Str(String::new())])),
        (Key::Str(String::new()), Shape::Struct(vec![("名前😀", Shape::Display(pieces()))])),
    ];
    Shape::Map(Hint::True, Calls::Alternating, members)
}

#[test]
fn every_mode_at_every_chunk_size() {
    let document = document();
    let node = Node::of(&document);
    let meaning: Value = serde_json::from_slice(&serde_json::to_vec(&document).unwrap()).unwrap();
    for mode in Mode::all() {
        for indent in [None, Some("  "), Some("\t")] {
            let style = Style { mode, indent: indent.map(str::to_owned), ..Style::default() };
            let want = node.render(&style);
            assert_eq!(serde_json::from_str::<Value>(&want).unwrap(), meaning, "{mode:?}");
            for max in 16..=80 {
                for plan in [(max, max), (16, max)] {
                    assert_encodes(&encoder(mode, indent, plan), plan, &document, want.as_bytes());
                }
            }
        }
    }
}

#[test]
fn a_character_at_every_distance_from_the_end_of_a_chunk() {
    for mode in Mode::all() {
        for character in ["é", "€", "😀", "/", "<", "\u{2028}", "\u{2027}", "\"", "\u{1}", "\\"] {
            for before in 0..=40 {
                let text = format!("{}{character}{character}x", "x".repeat(before));
                let want = quoted(mode, &text);
                for plan in [(16, 16), (19, 32)] {
                    let plain = encoder(mode, None, plan);
                    assert_encodes(&plain, plan, &text, want.as_bytes());
                    let pieces = Shape::Display(Pieces(text.chars().map(String::from).collect()));
                    assert_encodes(&plain, plan, &pieces, want.as_bytes());
                }
            }
        }
    }
}

/// Streaming, clean text of 64 KiB and more takes a way of its own.
#[test]
fn long_strings_with_few_escapes() {
    let clean = "0123456789abcde ".repeat(5 * 1024); // 80 KiB
    let texts = [
        clean.clone(),
        clean.repeat(9),
        format!("{clean}é{clean}"),
        format!("/{clean}<{clean}é"),
        format!("{clean}\u{2028}{clean}{clean}\u{2027}{}\"{clean}", &clean[..100]),
        format!("{}é", clean.repeat(9)),
        format!("{}é", "x".repeat(512 * 1024 - 1)),
        format!("{}é{}", "x".repeat(64 * 1024 - 1), "x".repeat(64 * 1024)),
    ];
    for mode in [1, 2, 4, 7].map(Mode::nth) {
        let encoder = encoder(mode, None, DEFAULT_PLAN);
        for text in &texts {
            assert_encodes(&encoder, DEFAULT_PLAN, text.as_str(), quoted(mode, text).as_bytes());
            let pieces = Shape::Display(Pieces(vec![text[..7].into(), text[7..].into()]));
            assert_encodes(&encoder, DEFAULT_PLAN, &pieces, quoted(mode, text).as_bytes());
        }
    }
}

proptest! {
    #![proptest_config(Config { cases: 400, failure_persistence: None, ..Config::default() })]

    #[test]
    fn any_value_in_any_mode(
        shape in strategy::shape(),
        mode in (0..8usize).prop_map(Mode::nth),
        indent in prop_oneof![Just(None), "[ \t]{1,9}".prop_map(Some)],
        sizes in (16..=120usize, 16..=120usize),
    ) {
        let plan = (sizes.0.min(sizes.1), sizes.0.max(sizes.1));
        let want = Node::of(&Honest(&shape)).render(&Style { mode, indent: indent.clone(), ..Style::default() });
        assert_encodes(&encoder(mode, indent.as_deref(), plan), plan, &shape, want.as_bytes());
        assert_encodes(&encoder(mode, indent.as_deref(), DEFAULT_PLAN), DEFAULT_PLAN, &shape, want.as_bytes());
    }

    #[test]
    fn any_text_in_every_mode(text in strategy::text(), first in 16..=80usize) {
        for mode in Mode::all() {
            assert_encodes(&encoder(mode, None, (first, 80)), (first, 80), &text, quoted(mode, &text).as_bytes());
        }
    }
}
