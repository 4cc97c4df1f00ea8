//! Proves that fragments and raw values keep the promises of `ascii`, `html_safe` and `escape_solidus`, that they are
//! keys only as strings, and what other serializers make of them.

use std::fmt::Display;

use json_rope::{Encoder, Error, Fragment, Rope, to_rope};
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde::ser::{Error as _, Impossible};
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::support::check::{DEFAULT_PLAN, assert_encodes, assert_same};
use crate::support::reference::{Mode, Node, Style, quoted};
use crate::support::strategy;
use crate::support::values::{Honest, Member};
use crate::support::writer::cut;

fn all() -> Mode {
    Mode { ascii: true, html: true, solidus: true }
}

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.into()).unwrap()
}

#[test]
fn golden_rewrites() {
    let encode = |mode: Mode, text: &'static str| {
        let encoder = mode.builder().build().unwrap();
        let rope = encoder.encode(&Fragment::trusted(text)).unwrap();
        assert_eq!(encoder.encode(&raw(text)).unwrap(), rope);
        rope.into_string().unwrap()
    };
    let (ascii, html, solidus) = (Mode::nth(1), Mode::nth(2), Mode::nth(4));
    // What is escaped already stays as it is; a backslash behind a backslash begins nothing.
    assert_eq!(encode(ascii, r#"["é","\u00e9","\\é","\\u00e9","\"é","\u00E9😀"]"#), {
        r#"["\u00e9","\u00e9","\\\u00e9","\\u00e9","\"\u00e9","\u00E9\ud83d\ude00"]"#
    });
    assert_eq!(encode(solidus, r#"["/","\/","\\/","\\\/","//\/"]"#), r#"["\/","\/","\\\/","\\\/","\/\/\/"]"#);
    assert_eq!(encode(html, r#"{"<":">","&":"\u003c\\<"}"#), r#"{"\u003c":"\u003e","\u0026":"\u003c\\\u003c"}"#);
    assert_eq!(encode(html, "\"\u{2028}\u{2029}\u{2027}\\u2028é\""), "\"\\u2028\\u2029\u{2027}\\u2028é\"");
    // What stands outside of strings stays.
    let spaced = "{ \"a\" :\t[1,\r\n2.50e+1 , -0],\n \"b\": null }";
    for mode in Mode::all() {
        assert_eq!(encode(mode, spaced), spaced);
    }
    assert_eq!(encode(all(), r#"{"é/":"\/</é"}"#), r#"{"\u00e9\/":"\/\u003c\/\u00e9"}"#);
    assert_eq!(encode(ascii, "\"\u{7f}\""), "\"\u{7f}\"");
}

#[test]
fn pretty_output_leaves_fragments_alone() {
    let encoder = Encoder::builder().pretty(true).indent("\t").build().unwrap();
    for text in ["{ \"a\" : [1,\n2] }", "[]", "\"é\""] {
        let want = format!("[\n\t{text},\n\t{{\n\t\t\"k\": {text}\n\t}}\n]");
        let fragment = Fragment::checked(text).unwrap();
        let value = (&fragment, std::collections::BTreeMap::from([("k", raw(text))]));
        assert_encodes(&encoder, DEFAULT_PLAN, &value, want.as_bytes());
    }
}

/// BR-070
#[test]
fn raw_values_keep_their_text() {
    #[derive(Serialize)]
    struct S {
        raw: Box<RawValue>,
    }
    let text = "{ \"a\" : [1,\n2] }";
    let value = (raw(text), vec![raw(text)], S { raw: raw(text) }, std::collections::HashMap::from([("k", raw(text))]));
    let want = format!("[{text},[{text}],{{\"raw\":{text}}},{{\"k\":{text}}}]");
    for builder in [Encoder::builder(), Encoder::builder().sort_keys(true), Mode::nth(1).builder()] {
        assert_encodes(&builder.clone().build().unwrap(), DEFAULT_PLAN, &value, want.as_bytes());
        assert_encodes(&builder.max_chunk(16).build().unwrap(), (16, 16), &value, want.as_bytes());
    }
    let ascii = Mode::nth(1).builder().build().unwrap();
    assert_eq!(ascii.encode(&raw("{ \"é\" : \"\u{2028}\" }")).unwrap(), r#"{ "\u00e9" : "\u2028" }"#);
}

#[test]
fn fragments_of_chunks_that_split_characters() {
    let text = format!("[\"{}\",\"\\/\\\\/\\u00e9\"]", "é€😀/<\u{2028}x".repeat(60));
    for mode in Mode::all() {
        // The escapes that were there stay, so the reference for them is apart.
        let want = quoted(mode, &"é€😀/<\u{2028}x".repeat(60));
        let solidus = if mode.solidus { r"\\\/" } else { r"\\/" };
        let want = format!("[{want},\"\\/{solidus}\\u00e9\"]");
        for most in [1, 2, 3, 4, 5, 7, 1000] {
            let fragment = Fragment::trusted(cut(&Rope::from(text.clone()), most));
            for max in [16, 17, 18, 19, 65536] {
                let encoder = mode.builder().max_chunk(max).build().unwrap();
                let plan = (max.min(2048), max);
                if mode == Mode::default() {
                    assert_eq!(encoder.encode(&fragment).unwrap(), want);
                } else {
                    assert_encodes(&encoder, plan, &fragment, want.as_bytes());
                }
            }
        }
    }
}

#[test]
fn invalid_utf8_is_an_error_where_text_is_rewritten() {
    for bytes in [&b"\"\xff\""[..], b"\"\xed\xa0\x80\"", b"\xf0\x9f\x98", b"\"\\\xc3\"", b"\"ab\xc3"] {
        for most in [1, 2, 100] {
            let fragment = Fragment::trusted(cut(&Rope::from(bytes.to_vec()), most));
            for mode in Mode::all().skip(1) {
                for encoder in [mode.builder(), mode.builder().sort_keys(true).pretty(true)] {
                    let encoder = encoder.build().unwrap();
                    let error = encoder.encode(&[&fragment]).unwrap_err();
                    assert!(error.is_data() && error.to_string().contains("UTF-8"), "{error}");
                    assert_eq!(error.pointer(), Some("/0"));
                    assert!(encoder.write(&mut Vec::new(), &fragment).unwrap_err().is_data());
                }
            }
        }
    }
}

/// Trusted bytes are not looked at, so both ways out must let through the same.
#[test]
fn invalid_utf8_streams_as_it_is_kept() {
    for bytes in [&b"\"\xff\""[..], b"\"ab\xc3", b"\xf0\x9f", b"\xe2\x82"] {
        let fragment = Fragment::trusted(bytes.to_vec());
        let kept = to_rope(&fragment).unwrap();
        let mut out = Vec::new();
        let written = Encoder::new().write(&mut out, &fragment).unwrap();
        assert_eq!((out.as_slice(), written), (&kept.to_vec()[..], kept.len() as u64));
    }
}

#[test]
fn an_empty_fragment_is_an_error() {
    for encoder in
        [Encoder::new(), all().builder().build().unwrap(), Encoder::builder().sort_keys(true).build().unwrap()]
    {
        for fragment in [Fragment::trusted(""), Fragment::trusted(Rope::new())] {
            let error = encoder.encode(&[(1, &fragment)]).unwrap_err();
            assert!(error.is_data());
            assert_eq!(error.pointer(), Some("/0/1"));
        }
    }
}

#[test]
fn keys_are_strings() {
    let long = format!("\"{}\"", "k".repeat(70_000));
    let good = [(r#""k""#, r#"{"k":1}"#), (r#""""#, r#"{"":1}"#), (r#""\u00e9\/\n""#, r#"{"é/\n":1}"#), (&long, "")];
    let encoders = [Encoder::new(), Encoder::builder().sort_keys(true).build().unwrap()];
    for entry in [true, false] {
        for encoder in &encoders {
            for (key, want) in good {
                let want = if want.is_empty() { format!("{{{long}:1}}") } else { want.into() };
                assert_eq!(
                    encoder.encode(&Member(Fragment::checked(key.to_owned()).unwrap(), 1, entry)).unwrap(),
                    want
                );
                assert_eq!(encoder.encode(&Member(raw(key), 1, entry)).unwrap(), want);
                let split = Fragment::trusted(cut(&Rope::from(key.to_owned()), 3));
                assert_eq!(encoder.encode(&Member(Some(split), 1, entry)).unwrap(), want);
            }
            for key in ["1", "null", "[]", r#"{"a":1}"#, "\"\"1", "\"", "", "\"\\ud800\"", "k"] {
                let error = encoder.encode(&[Member(Fragment::trusted(key), 1, entry)]).unwrap_err();
                assert_eq!(error.to_string(), "cannot encode /0: key must be a string", "{key}");
            }
            assert!(encoder.encode(&Member(Fragment::trusted(b"\"\xff\"".to_vec()), 1, entry)).unwrap_err().is_data());
        }
        let all = all().builder().build().unwrap();
        let key = Fragment::trusted(r#""é/<\u00e9""#);
        assert_eq!(all.encode(&Member(&key, &key, entry)).unwrap(), {
            r#"{"\u00e9\/\u003c\u00e9":"\u00e9\/\u003c\u00e9"}"#
        });
    }
}

#[test]
fn pointers_name_keys_that_are_fragments() {
    struct Bad;
    impl Serialize for Bad {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(S::Error::custom("bad"))
        }
    }
    let sorted = Encoder::builder().sort_keys(true).build().unwrap();
    for encoder in [Encoder::new(), sorted] {
        for entry in [true, false] {
            let pointer = |key: &dyn Fn() -> Error| key().pointer().map(str::to_owned);
            let fragment = || encoder.encode(&Member(Fragment::trusted(r#""a\/b""#), Bad, entry)).unwrap_err();
            assert_eq!(pointer(&fragment).as_deref(), Some("/a~1b"), "fragment, {entry}");
            let raw_value = || encoder.encode(&Member(raw(r#""a\/b""#), Bad, entry)).unwrap_err();
            assert_eq!(pointer(&raw_value).as_deref(), Some("/a~1b"), "raw value, {entry}");
            let some = || encoder.encode(&Member(Some("a/b"), Bad, entry)).unwrap_err();
            assert_eq!(pointer(&some).as_deref(), Some("/a~1b"), "option, {entry}");
        }
    }
}

#[test]
fn serde_json_gets_json() {
    #[derive(Serialize)]
    struct S {
        f: Fragment,
        list: Vec<Fragment>,
        option: Option<Fragment>,
    }
    for most in [1, 5, 100_000] {
        let text = format!("{{ \"a\" : [1,\n2], \"é\": \"{}\" }}", "x".repeat(3000));
        let f = || Fragment::trusted(cut(&Rope::from(text.clone()), most));
        let value = S { f: f(), list: vec![f(), f()], option: Some(f()) };
        let want = format!("{{\"f\":{text},\"list\":[{text},{text}],\"option\":{text}}}");
        assert_same(serde_json::to_string(&value).unwrap().as_bytes(), want.as_bytes(), "compact");
        let meaning: Value = serde_json::from_str(&want).unwrap();
        assert_eq!(serde_json::to_value(&value).unwrap(), meaning);
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        assert!(!pretty.contains("private"));
        assert_eq!(serde_json::from_str::<Value>(&pretty).unwrap(), meaning);
    }
    for text in ["nope", "", "[1", "1 2", "{\"a\":NaN}"] {
        let fragment = Fragment::trusted(text);
        assert!(serde_json::to_string(&fragment).is_err(), "{text}");
        assert!(serde_json::to_value([&fragment]).is_err(), "{text}");
        assert!(serde_json::to_string_pretty(&fragment).is_err(), "{text}");
    }
    assert!(serde_json::to_string(&Fragment::trusted(b"\"\xff\"".to_vec())).is_err());
}

/// Refuses everything; newtype structs without a look at what is inside, or with a panic.
struct Ignorant {
    panics: bool,
}

macro_rules! refuse {
    ($($method:ident($($type:ty),*) -> $result:ty;)*) => {$(
        fn $method(self, $(_: $type),*) -> Result<$result, Error> {
            Err(Error::custom("refused"))
        }
    )*};
}

type No = Impossible<(), Error>;

impl Serializer for Ignorant {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = No;
    type SerializeTuple = No;
    type SerializeTupleStruct = No;
    type SerializeTupleVariant = No;
    type SerializeMap = No;
    type SerializeStruct = No;
    type SerializeStructVariant = No;

    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, _: &'static str, _: &T) -> Result<(), Error> {
        if self.panics { std::panic::resume_unwind(Box::new("on purpose")) } else { Ok(()) }
    }

    fn serialize_some<T: ?Sized + Serialize>(self, _: &T) -> Result<(), Error> {
        Err(Error::custom("refused"))
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Error> {
        Err(Error::custom("refused"))
    }

    fn collect_str<T: ?Sized + Display>(self, _: &T) -> Result<(), Error> {
        Err(Error::custom("refused"))
    }

    refuse! {
        serialize_bool(bool) -> ();
        serialize_i8(i8) -> ();
        serialize_i16(i16) -> ();
        serialize_i32(i32) -> ();
        serialize_i64(i64) -> ();
        serialize_u8(u8) -> ();
        serialize_u16(u16) -> ();
        serialize_u32(u32) -> ();
        serialize_u64(u64) -> ();
        serialize_f32(f32) -> ();
        serialize_f64(f64) -> ();
        serialize_char(char) -> ();
        serialize_str(&str) -> ();
        serialize_bytes(&[u8]) -> ();
        serialize_none() -> ();
        serialize_unit() -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_unit_variant(&'static str, u32, &'static str) -> ();
        serialize_seq(Option<usize>) -> No;
        serialize_tuple(usize) -> No;
        serialize_tuple_struct(&'static str, usize) -> No;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> No;
        serialize_map(Option<usize>) -> No;
        serialize_struct(&'static str, usize) -> No;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> No;
    }
}

/// A newtype struct with the private name, which would take over what a fragment has left behind.
struct Finder;

impl Serialize for Finder {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct("$json_rope::private::Fragment", &7)
    }
}

/// Gives a fragment to a serializer that does not look into it, in the middle of a document.
struct Distracted {
    panics: bool,
}

impl Serialize for Distracted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fragment = Fragment::trusted("\"left behind\"");
        let ignorant = || fragment.serialize(Ignorant { panics: self.panics });
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(ignorant));
        assert_eq!(caught.is_err(), self.panics);
        Finder.serialize(serializer)
    }
}

#[test]
fn a_serializer_that_ignores_the_value_leaves_nothing_behind() {
    let long = Fragment::trusted(format!("\"{}\"", "s".repeat(3000)));
    for panics in [false, true] {
        let rope = to_rope(&(Distracted { panics }, &long, Distracted { panics }, Finder)).unwrap();
        assert_eq!(rope, format!("[7,{},7,7]", long.as_rope()));
        assert_eq!(to_rope(&Member(Distracted { panics }, Finder, true)).unwrap(), r#"{"7":7}"#);
    }
}

proptest! {
    #![proptest_config(Config { cases: 300, failure_persistence: None, ..Config::default() })]

    /// The document of a fragment that has no escapes of its own is that of the value.
    #[test]
    fn any_value_as_a_fragment(
        shape in strategy::shape(),
        mode in (1..8usize).prop_map(Mode::nth),
        most in 1..100usize,
        max in 16..=100usize,
    ) {
        let text = serde_json::to_string(&Honest(&shape)).unwrap();
        let fragment = Fragment::trusted(cut(&Rope::from(text.clone()), most));
        let want = Node::parse(&text).render(&Style { mode, ..Style::default() });
        let encoder = mode.builder().max_chunk(max).build().unwrap();
        let whole = format!("[{want},1]");
        if text.len() < 1024 {
            assert_encodes(&encoder, (max, max), &(&fragment, 1), whole.as_bytes());
        } else {
            // Chunks that end inside characters are joined. If nothing has to be rewritten then, the whole is linked.
            prop_assert!(encoder.encode(&(&fragment, 1)).unwrap() == whole);
            let mut out = Vec::new();
            encoder.write(&mut out, &(&fragment, 1)).unwrap();
            prop_assert_eq!(out, whole.as_bytes());
        }
        prop_assert_eq!(to_rope(&[&fragment, &fragment]).unwrap(), format!("[{text},{text}]"));
        // Twice rewritten is once rewritten.
        let again = Fragment::trusted(encoder.encode(&fragment).unwrap());
        prop_assert_eq!(encoder.encode(&again).unwrap(), want.clone());
        // A fragment as a `Value` means what the shape means.
        prop_assert_eq!(serde_json::to_value(&fragment).unwrap(), serde_json::from_str::<Value>(&want).unwrap());
    }
}
