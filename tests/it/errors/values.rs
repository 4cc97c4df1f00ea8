//! Proves what an error is and says: its kind, the place that it names, and that nothing of a failed document is left.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use json_rope::{Encoder, Error, Result, Rope, to_rope, to_rope_pretty};
use serde::ser::{Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple};
use serde::{Serialize, Serializer};

use crate::support::failing::Fail;

/// What a closure does with the serializer of this crate, by way of the generic trait.
macro_rules! value {
    (|$serializer:ident| $body:expr) => {{
        struct Value;
        impl Serialize for Value {
            fn serialize<S: Serializer>(&self, $serializer: S) -> std::result::Result<S::Ok, S::Error> {
                $body
            }
        }
        Value
    }};
}

/// The error of encoding `value`, which must be the same in memory, pretty and streaming.
fn error(value: &impl Serialize) -> Error {
    let error = to_rope(value).unwrap_err();
    let mut out = Vec::new();
    let streaming = Encoder::builder().first_chunk(16).max_chunk(16).build().unwrap();
    for other in [
        to_rope_pretty(value).unwrap_err(),
        json_rope::to_writer(&mut Vec::new(), value).unwrap_err(),
        streaming.write(&mut out, value).unwrap_err(),
        streaming.encode(value).unwrap_err(),
    ] {
        assert_eq!(other.to_string(), error.to_string());
        assert_eq!(other.pointer(), error.pointer());
    }
    assert!(out.len() as u64 <= error.offset());
    error
}

fn pointer(value: &impl Serialize) -> String {
    let error = error(value);
    assert!(error.is_data() && !error.is_io() && !error.is_limit() && !error.is_config());
    error.pointer().expect("a data error has a pointer").to_owned()
}

#[test]
fn one_word_wide() {
    assert_eq!(size_of::<Error>(), size_of::<usize>());
    assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
}

#[test]
fn the_message_names_the_place() {
    #[derive(Serialize)]
    struct Order {
        id: u32,
        total: Fail,
    }
    let orders: Vec<_> = (0..18).map(|n| (n == 17).then_some(Order { id: 1, total: Fail })).collect();
    let error = error(&BTreeMap::from([("orders", orders)]));
    assert_eq!(error.pointer(), Some("/orders/17/total"));
    assert_eq!(error.to_string(), "cannot encode /orders/17/total: no such thing");
    assert!(error.source().is_none());
    assert_eq!(error.io_error_kind(), None);
    let debug = format!("{error:?}");
    assert!(debug.contains("Data") && debug.contains("/orders/17/total"), "{debug}");
}

#[test]
fn a_message_stays_on_one_line() {
    let error = error(&BTreeMap::from([("a\nb\u{7}\u{85}", Fail)]));
    assert_eq!(error.pointer(), Some("/a\nb\u{7}\u{85}"));
    assert!(!error.to_string().contains(char::is_control), "{error}");
}

#[test]
fn limits_name_the_content_of_a_variant() {
    #[derive(Serialize)]
    enum Shape {
        Newtype((u8, u8)),
        Tuple(u8, u8),
        Struct { a: u8, b: u8 },
    }
    let shapes =
        [("Newtype", Shape::Newtype((1, 2))), ("Tuple", Shape::Tuple(1, 2)), ("Struct", Shape::Struct { a: 1, b: 2 })];
    for (name, shape) in shapes {
        let shallow = Encoder::builder().max_depth(1).build().unwrap();
        assert_eq!(shallow.encode(&shape).unwrap_err().pointer(), Some(&*format!("/{name}")));
        // All but the last two brackets.
        let len = to_rope(&shape).unwrap().len() as u64;
        let short = Encoder::builder().max_len(len - 2).build().unwrap();
        assert_eq!(short.encode(&shape).unwrap_err().pointer(), Some(&*format!("/{name}")));
        let short = Encoder::builder().max_len(len - 1).build().unwrap();
        assert_eq!(short.encode(&shape).unwrap_err().pointer(), Some(""));
    }
}

#[test]
fn pointers_of_every_shape() {
    #[derive(Serialize)]
    struct Named {
        a: u8,
        bad: Fail,
    }
    #[derive(Serialize)]
    struct Tuple(u8, u8, Fail);
    #[derive(Serialize)]
    struct Newtype(Fail);
    #[derive(Serialize)]
    enum Variants {
        Newtype(Fail),
        Tuple(u8, Fail),
        Named { a: u8, bad: Fail },
    }
    #[derive(Serialize)]
    struct Flat {
        a: u8,
        #[serde(flatten)]
        rest: BTreeMap<&'static str, Fail>,
    }
    #[derive(Serialize)]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        Tuple(u8, Fail),
    }
    assert_eq!(pointer(&Fail), "");
    assert_eq!(pointer(&Some(Newtype(Fail))), "");
    assert_eq!(pointer(&[Fail]), "/0");
    assert_eq!(pointer(&(1, 2, Fail)), "/2");
    assert_eq!(pointer(&Named { a: 1, bad: Fail }), "/bad");
    assert_eq!(pointer(&Tuple(1, 2, Fail)), "/2");
    assert_eq!(pointer(&Variants::Newtype(Fail)), "/Newtype");
    assert_eq!(pointer(&Variants::Tuple(1, Fail)), "/Tuple/1");
    assert_eq!(pointer(&Variants::Named { a: 1, bad: Fail }), "/Named/bad");
    assert_eq!(pointer(&[Variants::Tuple(1, Fail)]), "/0/Tuple/1");
    assert_eq!(pointer(&Flat { a: 1, rest: BTreeMap::from([("flat", Fail)]) }), "/flat");
    assert_eq!(pointer(&Adjacent::Tuple(1, Fail)), "/c/1");
    assert_eq!(pointer(&BTreeMap::from([(-7, Fail)])), "/-7");
    assert_eq!(pointer(&BTreeMap::from([("", BTreeMap::from([("", Fail)]))])), "//");
    assert_eq!(pointer(&BTreeMap::from([("m~n/o", Fail)])), "/m~0n~1o");
    assert_eq!(pointer(&BTreeMap::from([("~1", [[Fail]])])), "/~01/0/0");
}

/// The name of a member has to be remembered when its value comes in a later call, at every level.
#[test]
fn pointers_through_keys_and_values_in_separate_calls() {
    struct Nested(usize);
    impl Serialize for Nested {
        fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            for n in 0..3 {
                map.serialize_key(&format!("done{n}"))?;
                map.serialize_value(&BTreeMap::from([(n, n)]))?;
            }
            map.serialize_key(&format!("level{}", self.0))?;
            match self.0 {
                0 => map.serialize_value(&Fail)?,
                n if n % 2 == 0 => map.serialize_value(&[Nested(n - 1)])?,
                n => map.serialize_value(&BTreeMap::from([("entry", Nested(n - 1))]))?,
            }
            map.end()
        }
    }
    assert_eq!(pointer(&Nested(0)), "/level0");
    assert_eq!(pointer(&Nested(3)), "/level3/entry/level2/0/level1/entry/level0");
    assert_eq!(pointer(&[Nested(1)]), "/0/level1/entry/level0");
}

/// The key of a member whose value never came is not part of the place.
#[test]
fn pointers_forget_keys_without_values() {
    macro_rules! inside {
        (|$serializer:ident| $body:expr) => {{
            struct Outer;
            impl Serialize for Outer {
                fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                    let mut map = serializer.serialize_map(None)?;
                    map.serialize_key("a")?;
                    map.serialize_value(&value!(|$serializer| $body))?;
                    map.end()
                }
            }
            pointer(&Outer)
        }};
    }
    let failed = inside!(|serializer| {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_key("b")?;
        Err(S::Error::custom("no such thing"))
    });
    let misused = inside!(|serializer| {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_key("b")?;
        map.serialize_key("c")?;
        map.end()
    });
    assert_eq!((&*failed, &*misused), ("/a", "/a"));
}

#[test]
fn offsets_count_the_bytes_before_the_value() {
    assert_eq!(to_rope(&Fail).unwrap_err().offset(), 0);
    assert_eq!(to_rope(&("abc", Fail)).unwrap_err().offset(), r#"["abc","#.len() as u64);
    assert_eq!(to_rope(&BTreeMap::from([("k", Fail)])).unwrap_err().offset(), r#"{"k":"#.len() as u64);
    let long = "x".repeat(100_000);
    assert_eq!(to_rope(&(&long, Fail)).unwrap_err().offset(), 100_004);
    for (first, max) in [(16, 16), (2048, 65_536)] {
        let encoder = Encoder::builder().first_chunk(first).max_chunk(max).build().unwrap();
        let mut out = Vec::new();
        let error = encoder.write(&mut out, &(&long, Fail)).unwrap_err();
        assert_eq!(error.offset(), 100_004);
        assert!(out.len() <= 100_004 && format!("[\"{long}\",").as_bytes().starts_with(&out));
    }
}

#[test]
fn br_062_a_truncated_document_never_looks_complete() {
    let value = BTreeMap::from([("x", Some(22)), ("y", None)]).into_iter().map(|(k, v)| (k, v.ok_or(Fail)));
    struct Members<T>(Vec<(&'static str, std::result::Result<T, Fail>)>);
    impl<T: Serialize> Serialize for Members<T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_struct("S", 3)?;
            for (name, value) in &self.0 {
                match value {
                    Ok(value) => map.serialize_field(name, value)?,
                    Err(fail) => map.serialize_field(name, fail)?,
                }
            }
            map.end()
        }
    }
    let members = Members(value.chain([("z", Ok(1))]).collect());
    assert_eq!(pointer(&members), "/y");
    let mut out = Vec::new();
    json_rope::to_writer(&mut out, &members).unwrap_err();
    assert!(br#"{"x":22,"y":"#.starts_with(&out[..]));
}

#[test]
fn a_rope_is_left_as_it_was() {
    let encoder = Encoder::new();
    for before in ["", "before"] {
        let mut rope = Rope::from(before);
        assert!(encoder.encode_into(&mut rope, &("x".repeat(100_000), Fail)).is_err());
        assert_eq!(rope, before);
        assert_eq!(rope.chunks().len(), usize::from(!before.is_empty()));
        encoder.encode_into(&mut rope, &1).unwrap();
        assert_eq!(rope, format!("{before}1"));
    }
}

/// Asserts that an implementation that goes on after an error gets an error at the end, however long it goes on.
fn never_whole(value: &impl Serialize) {
    let small = Encoder::builder().first_chunk(16).max_chunk(16).build().unwrap();
    assert!(error(value).is_data());
    let mut out = Vec::new();
    assert!(small.write(&mut out, value).is_err());
    assert!(serde_json::from_slice::<serde::de::IgnoredAny>(&out).is_err(), "{}", String::from_utf8_lossy(&out));
}

#[test]
fn an_error_that_is_swallowed_comes_back() {
    never_whole(&value!(|serializer| {
        let mut seq = serializer.serialize_seq(None)?;
        seq.serialize_element(&1)?;
        assert!(seq.serialize_element(&Fail).is_err());
        for n in 0..50_000 {
            let _ = seq.serialize_element(&n);
        }
        let _ = seq.serialize_element("end");
        seq.end()
    }));
    never_whole(&value!(|serializer| {
        let mut tuple = serializer.serialize_tuple(1)?;
        let _ = tuple.serialize_element(&Some(Some(Fail)));
        tuple.end()
    }));
    never_whole(&value!(|serializer| {
        let mut map = serializer.serialize_map(None)?;
        let _ = map.serialize_entry("a", &Fail);
        map.serialize_entry("b", &1)?;
        map.end()
    }));
    never_whole(&value!(|serializer| {
        let mut map = serializer.serialize_map(None)?;
        let _ = map.serialize_key(&());
        let _ = map.serialize_value(&1);
        let _ = map.serialize_entry("b", &1);
        map.end()
    }));
    never_whole(&value!(|serializer| {
        let mut object = serializer.serialize_struct("S", 2)?;
        let _ = object.serialize_field("a", &[[Fail]]);
        object.serialize_field("b", &1)?;
        object.end()
    }));
    // The failure happens several levels above, and only there is it swallowed.
    never_whole(&[value!(|serializer| {
        let mut seq = serializer.serialize_seq(None)?;
        let _ = seq.serialize_element(&BTreeMap::from([("k", BTreeMap::from([((), 1)]))]));
        seq.end()
    })]);
}

#[test]
fn a_display_that_swallows_the_error_of_its_formatter() {
    struct Stubborn;
    impl fmt::Display for Stubborn {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            for _ in 0..100 {
                let _ = f.write_str("twenty bytes of text");
            }
            Ok(())
        }
    }
    impl Serialize for Stubborn {
        fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
            serializer.collect_str(self)
        }
    }
    let encoder = Encoder::builder().max_len(100).build().unwrap();
    assert!(encoder.encode(&Stubborn).unwrap_err().is_limit());
    let mut out = Vec::new();
    assert!(encoder.write(&mut out, &Stubborn).unwrap_err().is_limit());
    assert!(out.len() <= 100);
    let mut short = [0; 70];
    let encoder = Encoder::builder().first_chunk(16).build().unwrap();
    assert_eq!(
        encoder.write(&mut &mut short[..], &Stubborn).unwrap_err().io_error_kind(),
        Some(io::ErrorKind::WriteZero)
    );
}

#[test]
fn maps_that_are_misused() {
    let misused = [
        pointer(&[value!(|serializer| {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_key("a")?;
            map.serialize_key("b")?;
            map.end()
        })]),
        pointer(&[value!(|serializer| {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_value(&1)?;
            map.end()
        })]),
        pointer(&[value!(|serializer| {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_entry("a", &1)?;
            map.serialize_value(&1)?;
            map.end()
        })]),
        pointer(&[value!(|serializer| {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_key("a")?;
            map.end()
        })]),
        pointer(&[value!(|serializer| {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_key("a")?;
            map.serialize_entry("b", &1)?;
            map.end()
        })]),
    ];
    assert_eq!(misused, ["/0"; 5]);
}

#[test]
fn a_panic_leaves_the_encoder_usable() {
    let panicking = value!(|serializer| {
        let mut seq = serializer.serialize_seq(None)?;
        for n in 0..20_000 {
            seq.serialize_element(&n)?;
        }
        panic!("on purpose")
    });
    let encoder = Encoder::new();
    let mut rope = Rope::from("kept");
    assert!(catch_unwind(AssertUnwindSafe(|| encoder.encode_into(&mut rope, &panicking))).is_err());
    assert_eq!(rope, "kept");
    let mut out = Vec::new();
    assert!(catch_unwind(AssertUnwindSafe(|| encoder.write(&mut out, &panicking))).is_err());
    let whole = format!("[{}", (0..20_000).map(|n| n.to_string()).collect::<Vec<_>>().join(","));
    assert!(whole.as_bytes().starts_with(&out));
    assert_eq!(encoder.encode(&[1, 2]).unwrap(), "[1,2]");
}

/// A writer that fails after some bytes.
struct Failing(usize, io::ErrorKind);

impl io::Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::Error::new(self.1, "the cable is cut"));
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn br_048_io_errors_keep_their_kind_and_source() {
    for kind in [io::ErrorKind::BrokenPipe, io::ErrorKind::WouldBlock, io::ErrorKind::StorageFull] {
        for room in [0, 1, 5000] {
            let error = json_rope::to_writer(Failing(room, kind), &"x".repeat(10_000)).unwrap_err();
            assert!(error.is_io() && !error.is_data() && !error.is_limit() && !error.is_config());
            assert_eq!(error.io_error_kind(), Some(kind));
            assert_eq!(error.pointer(), None);
            assert_eq!(error.to_string(), "cannot write the document: the cable is cut");
            assert_eq!(error.source().unwrap().to_string(), "the cable is cut");
            let error = io::Error::from(error);
            assert_eq!(error.kind(), kind);
            assert_eq!(error.to_string(), "the cable is cut");
        }
    }
    let error = json_rope::to_writer(&mut [0u8; 2][..], "too long").unwrap_err();
    assert_eq!(error.io_error_kind(), Some(io::ErrorKind::WriteZero));
}

#[test]
fn a_swallowed_io_error_keeps_its_kind() {
    let value = value!(|serializer| {
        let mut seq = serializer.serialize_seq(None)?;
        for _ in 0..1000 {
            let _ = seq.serialize_element("some text to fill the buffer");
        }
        seq.end()
    });
    let error = json_rope::to_writer(Failing(3000, io::ErrorKind::BrokenPipe), &value).unwrap_err();
    assert_eq!(error.io_error_kind(), Some(io::ErrorKind::BrokenPipe));
}

#[test]
fn other_errors_become_the_source_of_an_io_error() {
    let data = io::Error::from(error(&[Fail]));
    assert_eq!(data.kind(), io::ErrorKind::InvalidData);
    let source = data.get_ref().unwrap().downcast_ref::<Error>().unwrap();
    assert_eq!(source.pointer(), Some("/0"));
    let limit = Encoder::builder().max_len(1).build().unwrap().encode("abc").unwrap_err();
    assert!(io::Error::from(limit).get_ref().unwrap().downcast_ref::<Error>().unwrap().is_limit());
    let config = Encoder::builder().max_chunk(0).build().unwrap_err();
    assert_eq!((config.pointer(), config.io_error_kind()), (None, None));
    assert!(config.to_string().starts_with("bad setting: "));
    assert_eq!(io::Error::from(config).kind(), io::ErrorKind::InvalidInput);
}

#[test]
fn custom_errors_keep_their_text() {
    let error = Error::custom(format_args!("number {}", 7));
    assert!(error.is_data());
    assert_eq!(error.to_string(), "number 7");
    assert_eq!(io::Error::from(error).to_string(), "number 7");
}
