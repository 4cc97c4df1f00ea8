//! The first failure decides which error comes out, whatever the code between the failing value and the encoder makes
//! of the error it is given.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::{fmt, io};

use json_rope::{Category, Encoder, Error, Frame, to_rope};
use serde::ser::{Error as _, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

/// What is done with the error of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Then {
    Passes,
    /// Makes an error of its own of the text, as type-erased serializers do.
    Converts,
    /// Goes on with the next element.
    Swallows,
    /// Ends without an error.
    Ends,
}

const ALL: [Then; 4] = [Then::Passes, Then::Converts, Then::Swallows, Then::Ends];

struct Between<T>(T, Then);

impl<T: Serialize> Serialize for Between<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        seq.serialize_element(&0)?;
        match (seq.serialize_element(&self.0), self.1) {
            (Err(error), Then::Passes) => return Err(error),
            (Err(error), Then::Converts) => return Err(S::Error::custom(error)),
            (Err(_), Then::Swallows) => _ = seq.serialize_element("more"),
            _ => {}
        }
        seq.end()
    }
}

struct Fails;

impl Serialize for Fails {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("no such thing"))
    }
}

/// A chain through every kind of container, with the same treatment at each level.
fn chain<T: Serialize>(value: T, then: Then) -> impl Serialize {
    #[derive(Serialize)]
    enum Variant<T> {
        New(T),
        Struct { field: T },
        Tuple(u8, T),
    }
    let value = Variant::Struct { field: Between(value, then) };
    let value = Variant::New(Between(Variant::Tuple(7, value), then));
    Between(BTreeMap::from([("a/b", Between(Some(value), then))]), then)
}

const POINTER: &str = "/1/a~1b/1/New/1/Tuple/1/Struct/field/1";

fn all_ways<T: Serialize>(encoder: &Encoder, value: &T) -> Vec<Error> {
    let error_of = |mut chunks: Box<dyn Iterator<Item = json_rope::Result<bytes::Bytes>> + '_>| {
        chunks.find_map(Result::err).expect("an error")
    };
    vec![
        encoder.encode(value).unwrap_err(),
        encoder.write(&mut Vec::new(), value).unwrap_err(),
        encoder.encode_framed(Frame::Grpc, value).unwrap_err(),
        encoder.write_framed(Frame::JsonSeq, &mut Vec::new(), value).unwrap_err(),
        error_of(Box::new(encoder.array([value]))),
        error_of(Box::new(encoder.records(Frame::JsonSeq, [value]))),
        error_of(Box::new(encoder.records(Frame::LengthDelimited, [value]))),
    ]
}

#[test]
fn a_data_error_keeps_its_place() {
    for then in ALL {
        for (way, error) in all_ways(&Encoder::new(), &chain(Fails, then)).into_iter().enumerate() {
            let pointer = format!("{}{POINTER}", if way == 4 { "/0" } else { "" });
            assert_eq!(error.pointer(), Some(&*pointer), "{then:?}, way {way}");
            assert_eq!(error.to_string(), format!("cannot encode {pointer}: no such thing"));
            assert_eq!((error.classify(), &*error.message()), (Category::Data, "no such thing"));
        }
    }
}

#[test]
fn a_limit_stays_a_limit() {
    let long = Encoder::builder().max_len(120).build().unwrap();
    let deep = Encoder::builder().max_depth(8).build().unwrap();
    for then in ALL {
        for (encoder, words) in [(&long, "max_len"), (&deep, "max_depth")] {
            for error in all_ways(encoder, &chain("x".repeat(200), then)) {
                assert!(error.is_limit(), "{then:?}: {error:?}");
                assert!(error.message().contains(words), "{error}");
                assert_eq!(error.to_string().matches("cannot encode").count(), 1);
            }
        }
    }
}

#[derive(Debug)]
struct Cause;

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the cause")
    }
}

impl std::error::Error for Cause {}

struct Broken;

impl io::Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::new(io::ErrorKind::BrokenPipe, Cause))
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_error_of_a_writer_comes_back_as_it_was() {
    let encoder = Encoder::builder().max_chunk(64).build().unwrap();
    for then in ALL {
        let value = chain("x".repeat(100_000), then);
        for error in [
            encoder.write(&mut Broken, &value).unwrap_err(),
            encoder.write_framed(Frame::ServerSentEvent, &mut Broken, &value).unwrap_err(),
        ] {
            assert_eq!((error.classify(), error.io_error_kind()), (Category::Io, Some(io::ErrorKind::BrokenPipe)));
            assert_eq!((error.pointer(), &*error.to_string()), (None, "cannot write the document: the cause"));
            let source = error.source().unwrap().downcast_ref::<io::Error>().unwrap();
            assert!(source.get_ref().unwrap().is::<Cause>());
            assert!(io::Error::from(error).get_ref().unwrap().is::<Cause>());
        }
    }
}

/// The words that the caller's code has put around a data error are kept; its place is still known.
#[test]
fn the_words_of_a_converted_data_error() {
    struct Context(Fails);
    impl Serialize for Context {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_entry("total", &self.0).map_err(|error| S::Error::custom(format!("the order: {error}")))?;
            map.end()
        }
    }
    let error = to_rope(&[Context(Fails)]).unwrap_err();
    assert_eq!(error.to_string(), "cannot encode /0/total: the order: no such thing");
}

#[test]
fn erased_values() {
    let value: Box<dyn erased_serde::Serialize> = Box::new(BTreeMap::from([("a", [Fails])]));
    let mut value = value;
    for _ in 0..100 {
        value = Box::new(vec![value]);
    }
    for (way, error) in all_ways(&Encoder::new(), &value).into_iter().enumerate() {
        let levels = if way == 4 { 101 } else { 100 };
        assert_eq!(error.pointer(), Some(&*format!("{}/a/0", "/0".repeat(levels))));
        assert_eq!(error.message(), "no such thing");
    }
}

#[test]
fn transcoded_text_that_ends_early() {
    struct Transcoded(&'static str);
    impl Serialize for Transcoded {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut deserializer = serde_json::Deserializer::from_str(self.0);
            serde_transcode::Transcoder::new(&mut deserializer).serialize(serializer)
        }
    }
    for error in all_ways(&Encoder::new(), &Transcoded(r#"{"a":{"b":[1,[2,{"c":[1"#)) {
        assert!(error.is_data());
        assert_eq!(error.to_string().matches("cannot encode").count(), 1, "{error}");
        assert!(error.message().contains("EOF while parsing a list"), "{error}");
    }
    let error = to_rope(&Transcoded("[[[[1")).unwrap_err();
    assert!(error.message().starts_with("EOF while parsing a list"), "{error}");

    // Keys and values that are transcoded can be serialized once only.
    struct Members(&'static str, &'static str);
    impl Serialize for Members {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut key = serde_json::Deserializer::from_str(self.0);
            let mut value = serde_json::Deserializer::from_str(self.1);
            let mut map = serializer.serialize_map(None)?;
            map.serialize_entry(
                &serde_transcode::Transcoder::new(&mut key),
                &serde_transcode::Transcoder::new(&mut value),
            )?;
            map.end()
        }
    }
    assert_eq!(to_rope(&Members("\"k\"", "[1]")).unwrap(), r#"{"k":[1]}"#);
    for error in all_ways(&Encoder::builder().sort_keys(true).build().unwrap(), &Members("\"k\"", "[1")) {
        assert!(error.pointer().unwrap().ends_with("/k"), "{error:?}");
        assert!(error.message().contains("EOF while parsing a list"), "{error}");
    }
}

#[test]
fn items_that_are_errors() {
    let encoder = Encoder::new();
    let rows = || [Ok(1), Err(io::Error::new(io::ErrorKind::TimedOut, Cause))];
    for error in [
        encoder.try_array(rows()).find_map(Result::err).unwrap(),
        encoder.try_records(Frame::JsonSeq, rows()).find_map(Result::err).unwrap(),
        encoder.try_records(Frame::Grpc, rows()).find_map(Result::err).unwrap(),
    ] {
        assert_eq!((error.classify(), error.io_error_kind()), (Category::Io, Some(io::ErrorKind::TimedOut)));
        assert!(error.source().unwrap().is::<io::Error>());
        assert_eq!(error.message(), "the cause");
        let error = io::Error::from(error);
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(error.get_ref().unwrap().is::<Cause>());
    }
    let rows = [Ok(1), Err(Cause)];
    let error = encoder.try_array(rows).find_map(Result::err).unwrap();
    assert_eq!((error.classify(), error.io_error_kind()), (Category::Data, None));
    assert!(error.source().unwrap().is::<Cause>());
    assert_eq!(error.to_string(), "cannot encode /1: the cause");
    assert!(io::Error::from(error).get_ref().unwrap().source().unwrap().is::<Cause>());
}

#[test]
fn pointers_can_be_prefixed() {
    let error = to_rope(&BTreeMap::from([("price", Fails)])).unwrap_err().prefixed("/products/3");
    assert_eq!(error.pointer(), Some("/products/3/price"));
    assert_eq!(error.to_string(), "cannot encode /products/3/price: no such thing");
    let error = to_rope(&Fails).unwrap_err().prefixed("/a").prefixed("/b");
    assert_eq!(error.pointer(), Some("/b/a"));
    let error = json_rope::Fragment::checked("[1,]").unwrap_err().prefixed("/cached");
    assert_eq!((error.pointer(), error.offset()), (Some("/cached"), 3));
    let error = Encoder::new().write(&mut Broken, &1).unwrap_err().prefixed("/a");
    assert_eq!(error.pointer(), None);
    let error = Encoder::builder().max_chunk(0).build().unwrap_err().prefixed("/a");
    assert_eq!(error.pointer(), None);
}

#[test]
fn long_pointers_are_shown_without_their_middle() {
    for (key, len) in [("x", 2000), ("\u{e9}\u{1f600}", 2000), ("\n", 300), ("é", 240), ("é", 239), ("ab", 119)] {
        let key = key.repeat(len);
        let error = to_rope(&BTreeMap::from([(&key, Fails)])).unwrap_err();
        assert_eq!(error.pointer().unwrap()[1..], key);
        let text = error.to_string();
        let all = 1 + key.chars().count();
        assert_eq!(text.contains(" … "), all > 240, "{text}");
        let shown = text.strip_prefix("cannot encode ").unwrap().strip_suffix(": no such thing").unwrap();
        if all <= 240 {
            assert_eq!(shown, format!("/{key}"));
        } else {
            let (front, back) = shown.split_once(" … ").unwrap();
            let escaped = key.replace('\n', "\\n");
            assert!(format!("/{escaped}").starts_with(front) && escaped.ends_with(back), "{text}");
            assert!(text.chars().count() < 600, "{text}");
        }
    }
}

#[test]
fn io_errors_become_errors() {
    fn read() -> json_rope::Result<()> {
        Err(io::Error::new(io::ErrorKind::NotFound, Cause))?;
        Ok(())
    }
    let error = read().unwrap_err();
    assert_eq!((error.io_error_kind(), error.pointer()), (Some(io::ErrorKind::NotFound), None));
    assert_eq!(error.to_string(), "the cause");
    assert!(io::Error::from(error).get_ref().unwrap().is::<Cause>());
}
