//! Faults that were found while the crate was being built, each with the input that showed it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};

use json_rope::{Encoder, Fragment, Rope, VectoredSink, to_rope};
use serde::ser::{SerializeSeq, SerializeTuple};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::support::failing::Fail;
use crate::support::values::Member;

/// Serializes an array of one element, and does not mind if that fails.
struct Careless<T>(T);

impl<T: Serialize> Serialize for Careless<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        let _ = seq.serialize_element(&self.0);
        seq.end()
    }
}

#[test]
fn a_key_that_serde_json_would_refuse_is_still_named() {
    let some = BTreeMap::from([(Some("k"), Fail)]);
    assert_eq!(to_rope(&some).unwrap_err().pointer(), Some("/k"));
    let raw = RawValue::from_string("\"a\\/b\"".to_owned()).unwrap();
    assert_eq!(to_rope(&Member(raw, Fail, true)).unwrap_err().pointer(), Some("/a~1b"));
}

#[test]
fn an_empty_indent_is_not_the_default() {
    let encoder = Encoder::builder().pretty(true).indent("").build().unwrap();
    assert_eq!(encoder.encode(&[[1]]).unwrap(), "[\n[\n1\n]\n]");
}

#[test]
fn a_swallowed_error_keeps_its_kind() {
    let deep = Encoder::builder().max_depth(1).build().unwrap();
    assert!(deep.encode(&Careless([1])).unwrap_err().is_limit());
    let long = Encoder::builder().max_len(12).build().unwrap();
    assert!(long.encode(&Careless("longer than twelve bytes")).unwrap_err().is_limit());
    assert!(to_rope(&Careless(Fail)).unwrap_err().is_data());
}

#[test]
fn an_error_swallowed_deeper_keeps_its_kind_too() {
    let deep = Encoder::builder().max_depth(2).build().unwrap();
    assert!(deep.encode(&Careless([[1]])).unwrap_err().is_limit());
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let long = "x".repeat(100_000);
    let error = Encoder::new().write(&mut Closed, &Careless([[&long]])).unwrap_err();
    assert_eq!(error.io_error_kind(), Some(io::ErrorKind::BrokenPipe));
}

#[test]
fn an_interrupted_flush_is_repeated() {
    struct Interrupted(u8);
    impl Write for Interrupted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0 += 1;
            if self.0 < 3 { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
        }
    }
    let mut sink = VectoredSink::new(Interrupted(0));
    sink.push(Rope::from("[]"));
    sink.flush().unwrap();
    assert_eq!(sink.get_ref().0, 3);
}

#[test]
fn the_first_bytes_wait_for_one_chunk_only() {
    struct Lengths(Vec<usize>);
    impl Write for Lengths {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.push(bytes.len());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let encoder = Encoder::builder().first_chunk(4096).max_chunk(4096).build().unwrap();
    let mut writer = Lengths(Vec::new());
    encoder.write(&mut writer, &vec![0; 20_000]).unwrap();
    assert_eq!(writer.0[..2], [4096, 8192]);
}

#[test]
fn a_rope_prints_with_width_and_precision_like_a_string() {
    let rope = Rope::from("äbc");
    assert_eq!(format!("{rope:>6}|{rope:-<5}|{rope:.2}"), "   äbc|äbc--|äb");
}

#[test]
fn an_impossible_hint_costs_nothing() {
    struct Hint;
    impl Serialize for Hint {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_tuple(usize::MAX)?.end()
        }
    }
    assert_eq!(to_rope(&Hint).unwrap(), "[]");
}

#[test]
fn a_limit_that_is_hit_at_a_comma_or_a_key_names_what_comes_there() {
    let encoder = Encoder::builder().max_len(6).build().unwrap();
    assert_eq!(encoder.encode(&(1000, 2, 3)).unwrap_err().pointer(), Some("/1"));
    #[derive(Serialize)]
    struct Pair {
        a: u8,
        b: u8,
    }
    assert_eq!(encoder.encode(&Pair { a: 1, b: 2 }).unwrap_err().pointer(), Some("/b"));
}

/// The place where a fragment is passed on is freed with the thread, perhaps before something else that encodes one.
#[test]
fn a_fragment_encoded_while_its_thread_ends() {
    struct Last(std::sync::mpsc::Sender<String>);
    impl Drop for Last {
        fn drop(&mut self) {
            let value = (1, Fragment::trusted("[2]"));
            let _ = self.0.send(json_rope::to_string(&value).unwrap());
        }
    }
    thread_local! {
        static FIRST: RefCell<Option<Last>> = const { RefCell::new(None) };
        static SECOND: RefCell<Option<Last>> = const { RefCell::new(None) };
    }
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        FIRST.set(Some(Last(sender.clone())));
        json_rope::to_rope(&Fragment::trusted("1")).unwrap();
        SECOND.set(Some(Last(sender)));
    })
    .join()
    .unwrap();
    // One of them is dropped after the place, whatever the order.
    assert_eq!(receiver.iter().collect::<Vec<_>>(), ["[1,[2]]", "[1,[2]]"]);
}
