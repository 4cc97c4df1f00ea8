//! Proves that a `Serialize` or `Display` that fails or panics, at any of its calls and on every way out, leaves
//! nothing behind: the same encoder then encodes as if nothing had happened, and what was sent is a prefix.

use std::cell::Cell;
use std::fmt::{self, Display};
use std::io::ErrorKind;

use json_rope::{BytesFormat, Encoder, Error, Fragment, Rope};
use serde::ser::{Error as _, SerializeMap, SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};

use crate::support::check::assert_same;
use crate::support::failing::{Action, Risky, Shown, failing_at};
use crate::support::values::Member;
use crate::support::writer::Script;

struct Members;

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(&Risky("z"), &Risky(1))?;
        map.serialize_key(&Risky("y/<é"))?;
        map.serialize_value(&Risky([Risky(1.5), Risky(2.5)]))?;
        map.serialize_entry(&Shown(&["x", "é", "\n"]), &Shown(&["a\"", "", "é"]))?;
        map.serialize_key(&Shown(&["w"]))?;
        map.serialize_value(&Fragment::trusted("[\"é\\/\"]"))?;
        map.serialize_entry(&Fragment::trusted("\"fragment\""), &Risky(Option::<u8>::None))?;
        map.end()
    }
}

#[derive(Serialize)]
enum Variant {
    Tuple(Risky<u8>, Risky<Members>),
    Struct { b: Risky<&'static str>, a: Risky<i64> },
}

#[derive(Serialize)]
struct Document {
    name: Risky<String>,
    list: Vec<Risky<Variant>>,
    long: Risky<Fragment>,
    last: (Risky<bool>, Shown),
}

fn document() -> Document {
    Document {
        name: Risky("é/<\u{1}".repeat(50)),
        list: vec![
            Risky(Variant::Tuple(Risky(7), Risky(Members))),
            Risky(Variant::Struct { b: Risky("text"), a: Risky(-1) }),
        ],
        long: Risky(Fragment::trusted(format!("\"{}\"", "é".repeat(35_000)))),
        last: (Risky(true), Shown(&["the ", "end"])),
    }
}

fn encoders() -> Vec<Encoder> {
    let all = Encoder::builder().ascii(true).html_safe(true).escape_solidus(true).sort_keys(true).pretty(true);
    let builders = [
        Encoder::builder(),
        Encoder::builder().max_chunk(16),
        Encoder::builder().pretty(true).max_chunk(100),
        Encoder::builder().sort_keys(true),
        Encoder::builder().sort_keys(true).max_chunk(32),
        all.bytes(BytesFormat::Base64),
    ];
    builders.map(|builder| builder.build().unwrap()).into()
}

/// Runs `encode` with a failure at its call number `at`. `None` if it needs fewer calls.
fn failing<T: fmt::Debug>(at: usize, action: Action, encode: impl FnOnce() -> Result<T, Error>) -> Option<()> {
    let (result, reached) = failing_at(at, action, encode);
    match result {
        Ok(Ok(_)) => return None,
        Ok(Err(error)) => assert!(error.is_data() && action == Action::Fail, "{at}: {error}"),
        Err(_) => assert_eq!(action, Action::Panic, "{at}"),
    }
    assert!(reached);
    Some(())
}

/// The number of calls after which encoding succeeds.
fn at_every_call(action: Action, encoder: &Encoder, mut attempt: impl FnMut(usize) -> Option<()>) -> usize {
    let control = [("b", vec![1, 2]), ("a", vec![])];
    let want = encoder.encode(&control).unwrap().to_vec();
    let mut at = 0;
    while attempt(at).is_some() {
        let (kept, mut out) = (encoder.encode(&control).unwrap(), Vec::new());
        assert_eq!(kept, want, "after call {at}, {action:?}");
        encoder.write(&mut out, &control).unwrap();
        assert_eq!(out, want, "after call {at}, {action:?}");
        at += 1;
    }
    at
}

#[test]
fn a_failure_at_every_call_of_every_way_out() {
    for encoder in encoders() {
        let want = encoder.encode(&document()).unwrap();
        for action in [Action::Fail, Action::Panic] {
            let document = document();
            let calls = at_every_call(action, &encoder, |at| failing(at, action, || encoder.encode(&document)));
            assert!(calls > 40, "{calls}");

            let mut rope = Rope::from("before");
            let into = |at| {
                rope = Rope::from("before");
                let result = failing(at, action, || encoder.encode_into(&mut rope, &document));
                assert!(result.is_none() || rope == "before", "{at}");
                result
            };
            assert_eq!(at_every_call(action, &encoder, into), calls);
            assert_eq!(rope, format!("before{want}"));

            let want = want.to_vec();
            let mut script = Script::new();
            let write = |at| {
                script = Script::new();
                let result = failing(at, action, || encoder.write(&mut script, &document));
                assert!(want.starts_with(&script.accepted), "{at}");
                assert!(result.is_none() || script.accepted.len() < want.len(), "{at}");
                result
            };
            assert_eq!(at_every_call(action, &encoder, write), calls);
            assert_same(&script.accepted, &want, "streamed");
            assert_eq!(encoder.encode(&document).unwrap(), want);
        }
    }
}

#[test]
fn the_everyday_functions_too() {
    let document = document();
    let (compact, pretty) = (json_rope::to_vec(&document).unwrap(), json_rope::to_vec_pretty(&document).unwrap());
    for action in [Action::Fail, Action::Panic] {
        for at in 0..12 {
            failing(at, action, || json_rope::to_rope(&document)).unwrap();
            failing(at, action, || json_rope::to_chunks(&document)).unwrap();
            failing(at, action, || json_rope::to_string_pretty(&document)).unwrap();
            failing(at, action, || json_rope::to_writer(&mut Vec::new(), &document)).unwrap();
            failing(at, action, || json_rope::to_writer_pretty(&mut Vec::new(), &document)).unwrap();
        }
        assert_eq!(json_rope::to_rope(&document).unwrap(), compact);
        assert_eq!(json_rope::to_rope_pretty(&document).unwrap(), pretty);
    }
}

/// Collected from a function that writes.
struct With<F>(F);

impl<F: Fn(&mut fmt::Formatter<'_>) -> fmt::Result> Display for With<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0(f)
    }
}

impl<F: Fn(&mut fmt::Formatter<'_>) -> fmt::Result> Serialize for With<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[test]
fn a_display_that_fails_is_an_error() {
    let text = "a Display implementation returned an error";
    for encoder in encoders() {
        for failing in [
            |_: &mut fmt::Formatter<'_>| Err(fmt::Error),
            |f: &mut fmt::Formatter<'_>| {
                f.write_str("some text, longer than a chunk")?;
                Err(fmt::Error)
            },
        ] {
            let error = encoder.encode(&[With(failing)]).unwrap_err();
            assert!(error.is_data());
            assert_eq!(error.to_string(), format!("cannot encode /0: {text}"));
            for entry in [true, false] {
                let error = encoder.encode(&(1, Member("k", With(failing), entry))).unwrap_err();
                assert_eq!(error.to_string(), format!("cannot encode /1/k: {text}"));
                let error = encoder.encode(&(1, Member(With(failing), 1, entry))).unwrap_err();
                assert_eq!(error.to_string(), format!("cannot encode /1: {text}"));
                let mut out = Vec::new();
                assert!(encoder.write(&mut out, &(1, Member(With(failing), 1, entry))).unwrap_err().is_data());
            }
        }
    }
}

/// Does not look at what comes back from the formatter.
fn careless(f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for _ in 0..100 {
        let _ = f.write_str("é/0123456789");
    }
    Ok(())
}

#[test]
fn a_display_that_swallows_errors_of_the_output() {
    for (sorted, max) in [(false, 16), (true, 16), (false, 65536), (true, 65536)] {
        let builder = Encoder::builder().sort_keys(sorted).max_chunk(max);
        let limited = builder.clone().max_len(500).build().unwrap();
        let encoder = builder.build().unwrap();
        for entry in [true, false] {
            let (value, key) = (Member("k", With(careless), entry), Member(With(careless), "v", entry));
            assert!(limited.encode(&value).unwrap_err().is_limit());
            assert!(limited.encode(&key).unwrap_err().is_limit());
            let mut out = Vec::new();
            assert!(limited.write(&mut out, &value).unwrap_err().is_limit());
            assert!(limited.write(&mut out, &key).unwrap_err().is_limit());
            for n in [0, 1, 100, 1000] {
                let mut script = Script::failing_after(n, ErrorKind::StorageFull);
                assert_eq!(
                    encoder.write(&mut script, &value).unwrap_err().io_error_kind(),
                    Some(ErrorKind::StorageFull)
                );
                assert_eq!((script.accepted.len(), script.calls_after_error), (n, 0));
                let mut script = Script::failing_after(n, ErrorKind::StorageFull);
                assert_eq!(encoder.write(&mut script, &key).unwrap_err().io_error_kind(), Some(ErrorKind::StorageFull));
                assert_eq!((script.accepted.len(), script.calls_after_error), (n, 0));
            }
        }
    }
}

/// Nothing says that a `Display` does the same twice.
#[test]
fn a_display_that_fails_the_second_time() {
    struct Bad;
    impl Serialize for Bad {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(S::Error::custom("bad"))
        }
    }
    for encoder in encoders() {
        for entry in [true, false] {
            let calls = Cell::new(0);
            let once = || {
                calls.set(0);
                With(|f: &mut fmt::Formatter<'_>| {
                    calls.set(calls.get() + 1);
                    if calls.get() > 1 { Err(fmt::Error) } else { f.write_str("k") }
                })
            };
            // It may be an error, but must not be a panic.
            if let Ok(rope) = encoder.encode(&Member(once(), 1, entry)) {
                let text: String = rope.to_string().split_whitespace().collect();
                assert_eq!(text, r#"{"k":1}"#);
            }
            assert!(encoder.encode(&Member(once(), Bad, entry)).unwrap_err().is_data());
        }
    }
}

/// The text of serde_json's private protocols may come through `collect_str` as well.
#[test]
fn a_raw_value_whose_display_fails() {
    struct Raw;
    impl Serialize for Raw {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let name = "$serde_json::private::RawValue";
            let mut raw = serializer.serialize_struct(name, 1)?;
            raw.serialize_field(name, &With(|_: &mut fmt::Formatter<'_>| Err(fmt::Error)))?;
            raw.end()
        }
    }
    for encoder in encoders() {
        assert!(encoder.encode(&[Raw]).unwrap_err().is_data());
        for entry in [true, false] {
            assert!(encoder.encode(&Member(Raw, 1, entry)).unwrap_err().is_data());
        }
    }
}

/// Goes on after a panic of its own element, in the middle of objects and arrays.
#[test]
fn a_panic_caught_inside_the_document() {
    struct Catches;
    impl Serialize for Catches {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut seq = serializer.serialize_seq(None)?;
            drop(failing_at(3, Action::Panic, || seq.serialize_element(&Members).is_ok()));
            seq.serialize_element(&Members)?;
            seq.end()
        }
    }
    // A panic is no error that the encoder has seen. Whatever comes out, it does not panic again.
    for encoder in encoders() {
        let want = encoder.encode(&Members).unwrap();
        for _ in 0..2 {
            let _ = encoder.encode(&Catches);
            let _ = encoder.encode(&Member("a", Catches, true));
            let _ = encoder.encode(&(Catches, Members, Member("k", Members, false)));
            let _ = encoder.write(&mut Vec::new(), &(Member("k", Catches, false), Members));
        }
        assert_eq!(encoder.encode(&Members).unwrap(), want);
    }
}
