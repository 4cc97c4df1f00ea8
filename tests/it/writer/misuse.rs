//! Proves that a call that does not fit is refused and changes nothing, and that nothing follows an error.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use json_rope::{Encoder, Error, Frame, Key, Writer};
use serde::{Serialize, Serializer};

type Call = (&'static str, fn(&mut Writer) -> Result<(), Error>);

const CALLS: [Call; 7] = [
    ("value", |writer| writer.value(&1)),
    ("begin_array", Writer::begin_array),
    ("begin_object", Writer::begin_object),
    ("key", |writer| writer.key("k")),
    ("encoded_key", |writer| writer.encoded_key(&Key::new("k"))),
    ("end", Writer::end),
    ("finish", Writer::finish),
];

/// How to get to a place, what is due there, which calls fit, and how the document can go on.
type Place = (&'static [usize], &'static str, &'static [&'static str], &'static [usize], &'static str);

const VALUE: usize = 0;
const ARRAY: usize = 1;
const OBJECT: usize = 2;
const KEY: usize = 3;
const END: usize = 5;
const FINISH: usize = 6;

const PLACES: [Place; 7] = [
    (&[], "the document is due", &["value", "begin_array", "begin_object"], &[VALUE, FINISH], "1"),
    (
        &[ARRAY, VALUE],
        "an element or the end of the array is due",
        &["value", "begin_array", "begin_object", "end"],
        &[VALUE, END, FINISH],
        "[1,1]",
    ),
    (&[OBJECT], "a key or the end of the object is due", &["key", "encoded_key", "end"], &[END, FINISH], "{}"),
    (
        &[OBJECT, KEY],
        "the value of a member is due",
        &["value", "begin_array", "begin_object"],
        &[VALUE, END, FINISH],
        r#"{"k":1}"#,
    ),
    (&[VALUE], "the document is complete", &["finish"], &[FINISH], "1"),
    (&[ARRAY, END], "the document is complete", &["finish"], &[FINISH], "[]"),
    (&[VALUE, FINISH], "the writer is finished", &["finish"], &[], "1"),
];

#[test]
fn every_call_at_every_place() {
    for sort in [false, true] {
        let encoder = Encoder::builder().sort_keys(sort).build().unwrap();
        for (way, due, allowed, rest, want) in PLACES {
            let mut writer = encoder.writer();
            way.iter().for_each(|&call| CALLS[call].1(&mut writer).unwrap());
            let before = writer.pending();
            for (name, call) in CALLS.iter().filter(|(name, _)| !allowed.contains(name)) {
                let error = call(&mut writer).unwrap_err();
                assert!(error.is_config(), "{name}");
                assert_eq!(error.to_string(), format!("wrong call: `{name}` where {due}"));
                assert_eq!((error.pointer(), writer.pending()), (None, before));
            }
            rest.iter().for_each(|&call| CALLS[call].1(&mut writer).unwrap());
            assert_eq!(writer.pop().unwrap(), want);
            assert!(writer.pop().is_none());
            for name in allowed {
                let mut writer = encoder.writer();
                way.iter().for_each(|&call| CALLS[call].1(&mut writer).unwrap());
                let (_, call) = CALLS.iter().find(|call| call.0 == *name).unwrap();
                call(&mut writer).unwrap();
            }
        }
    }
}

#[test]
fn between_records() {
    let mut writer = Encoder::new().record_writer(Frame::NdJson);
    for (name, call) in &CALLS[3..6] {
        let error = call(&mut writer).unwrap_err();
        assert_eq!(error.to_string(), format!("wrong call: `{name}` where a record is due"));
    }
    writer.finish().unwrap();
    assert!(writer.pop().is_none());
    assert!(writer.value(&1).unwrap_err().is_config());
}

#[test]
fn a_line_cannot_be_pretty() {
    let pretty = Encoder::builder().pretty(true).build().unwrap();
    let refused = pretty.encode_framed(Frame::NdJson, &1).unwrap_err().to_string();
    for (_, call) in CALLS {
        let mut writer = pretty.record_writer(Frame::NdJson);
        for _ in 0..2 {
            let error = call(&mut writer).unwrap_err();
            assert!(error.is_config());
            assert_eq!(error.to_string(), refused);
        }
        writer.flush();
        assert!(writer.pop().is_none());
    }
}

/// After an error the beginning of the document comes out, and nothing else, whatever is called.
#[test]
fn nothing_follows_an_error() {
    let failing = BTreeMap::from([("x", BTreeMap::from([((), 1)]))]);
    for sort in [false, true] {
        let mut writer = Encoder::builder().sort_keys(sort).build().unwrap().writer();
        writer.begin_array().unwrap();
        writer.value("a").unwrap();
        let error = writer.value(&failing).unwrap_err();
        assert!(error.is_data());
        assert_eq!(error.pointer(), Some("/1/x"));
        for (name, call) in CALLS {
            assert!(call(&mut writer).unwrap_err().is_data(), "{name}");
        }
        writer.flush();
        let text: Vec<u8> = std::iter::from_fn(|| writer.pop()).flatten().collect();
        assert!(br#"["a",{"x":"#.starts_with(&text) && text.len() >= 5, "{text:?}");
        assert_eq!(writer.pending(), 0);
    }
}

struct Bang;

impl Serialize for Bang {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        std::panic::resume_unwind(Box::new(()))
    }
}

/// A panic that the caller catches.
#[test]
fn nothing_follows_a_panic() {
    let before: [&[usize]; 3] = [&[], &[ARRAY, VALUE], &[OBJECT, KEY]];
    for (way, want) in before.into_iter().zip(["", "[1,", r#"{"k":"#]) {
        for (name, call) in CALLS {
            let mut writer = Encoder::new().writer();
            way.iter().for_each(|&call| CALLS[call].1(&mut writer).unwrap());
            catch_unwind(AssertUnwindSafe(|| writer.value(&Bang))).unwrap_err();
            for message in ["a value panicked", "an earlier value failed"] {
                let error = call(&mut writer).unwrap_err();
                assert!(error.is_data(), "{name}");
                assert_eq!(error.message(), format!("{message}, so the document is incomplete"));
            }
            writer.flush();
            let text: Vec<u8> = std::iter::from_fn(|| writer.pop()).flatten().collect();
            assert_eq!(str::from_utf8(&text), Ok(want), "{name}");
        }
    }
}
