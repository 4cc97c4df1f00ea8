//! Every length of short write, and a failure after every byte, on every route to a writer.

use std::io::ErrorKind;

use json_rope::Encoder;
use serde::{Serialize, Serializer, ser::SerializeSeq};
use serde_json::{Value, json};

use crate::support::writer::Step::{Accept, Fail, Interrupted, Lie, WouldBlock, Zero};
use crate::support::writer::{ROUTES, Route, Script};

/// Scalars (BR-063), empty containers, and documents with all kinds of tokens across the ends of small chunks.
fn documents() -> Vec<Value> {
    vec![
        json!(10),
        json!("s"),
        json!(null),
        json!(true),
        json!(1.5),
        json!([]),
        json!({}),
        json!(""),
        json!("\u{1f600}é\n\"\\\u{1}x"),
        json!("0123456789abcdé\u{1f600}".repeat(8)),
        json!({
            "id": 18_446_744_073_709_551_615_u64, "float": -1.25e-300, "flags": [true, false, null, []],
            "text": "line\nquote\"\u{0}é\u{65e5}\u{672c}\u{1f600}".repeat(5), "kéy\t": {"": {}, "nested": [[[1], 2], 3]},
        }),
    ]
}

/// A document of a few hand-overs with the default settings.
fn longer() -> Value {
    json!((0..330).map(|i| json!({"i": i, "t": "é\n"})).collect::<Vec<_>>())
}

#[test]
fn short_writes_of_every_length() {
    for value in documents() {
        for route in ROUTES {
            let expected = route.expected(&value);
            for k in 1..=expected.len() {
                for interrupted in [false, true] {
                    let steps = if interrupted { vec![Interrupted, Accept(k), Interrupted] } else { vec![Accept(k)] };
                    let mut writer = Script::cycle(steps);
                    route.send(&value, &mut writer).unwrap_or_else(|error| panic!("{route:?}, k = {k}: {error}"));
                    assert_eq!(writer.accepted, expected, "{route:?}, k = {k}");
                }
            }
        }
    }
}

#[test]
fn short_writes_of_every_length_in_a_longer_document() {
    let value = longer();
    for route in [Route::Rope, Route::ToWriter, Route::Sink(usize::MAX)] {
        let expected = route.expected(&value);
        assert!(expected.len() > 6 * 1024);
        // All lengths around the ends of hand-overs and chunks, and every 31st of the others.
        let near = |k: usize| k < 100 || [2048, 4096, 6144, expected.len()].iter().any(|&end| k.abs_diff(end) < 20);
        for k in (1..=expected.len()).filter(|&k| near(k) || k % 31 == 0) {
            let mut writer = Script::cycle([Accept(k), Accept(k), Interrupted]);
            route.send(&value, &mut writer).unwrap();
            assert!(writer.accepted == expected, "{route:?}, k = {k}");
        }
    }
}

#[test]
fn short_writes_of_the_first_slice_only() {
    for value in documents() {
        for route in ROUTES {
            let expected = route.expected(&value);
            for k in 1..=expected.len() {
                let mut writer = Script::cycle([Accept(k), Interrupted]).first_slice_only();
                route.send(&value, &mut writer).unwrap();
                assert_eq!(writer.accepted, expected, "{route:?}, k = {k}");
            }
        }
    }
}

#[test]
fn would_block_between_all_short_writes_of_a_sink() {
    for value in documents() {
        for piece in [usize::MAX, 50, 3] {
            let route = Route::Sink(piece);
            let expected = route.expected(&value);
            for k in 1..=expected.len() {
                let steps = [WouldBlock, Accept(k), WouldBlock, WouldBlock, Interrupted, Accept(k)];
                let mut writer = Script::cycle(steps);
                route.send(&value, &mut writer).unwrap();
                assert_eq!(writer.accepted, expected, "{route:?}, k = {k}");
            }
        }
    }
}

#[test]
fn failure_after_every_byte_leaves_exactly_that_prefix() {
    let mut documents = documents();
    documents.push(longer());
    for value in documents {
        for route in ROUTES {
            let expected = route.expected(&value);
            let step = if expected.len() > 2000 { 31 } else { 1 };
            for n in (0..expected.len()).step_by(step) {
                let mut writer = Script::failing_after(n, ErrorKind::BrokenPipe);
                let error = route.send(&value, &mut writer).expect_err("the writer fails");
                assert_eq!(error.kind(), ErrorKind::BrokenPipe);
                assert!(writer.accepted == expected[..n], "{route:?}, n = {n}");
                assert_eq!(writer.calls_after_error, 0, "{route:?}, n = {n}");
            }
            let mut writer = Script::failing_after(expected.len(), ErrorKind::BrokenPipe);
            route.send(&value, &mut writer).unwrap();
            assert_eq!(writer.accepted, expected);
        }
    }
}

#[test]
fn every_kind_of_error_is_kept() {
    use ErrorKind::{
        BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected, Other, PermissionDenied, QuotaExceeded,
        StorageFull, TimedOut, UnexpectedEof,
    };
    let value = longer();
    for route in ROUTES {
        let expected = route.expected(&value);
        for kind in [
            BrokenPipe,
            ConnectionAborted,
            ConnectionReset,
            NotConnected,
            Other,
            PermissionDenied,
            QuotaExceeded,
            StorageFull,
            TimedOut,
            UnexpectedEof,
        ] {
            let mut writer = Script::steps([Accept(33), Fail(kind)], Accept(usize::MAX));
            let error = route.send(&value, &mut writer).expect_err("the writer fails");
            assert_eq!(error.kind(), kind);
            // What comes after the error would be accepted, and must not come.
            assert!(!writer.accepted.is_empty() && expected.starts_with(&writer.accepted));
            assert_eq!(writer.calls_after_error, 0);
        }
    }
}

#[test]
fn nothing_taken_is_write_zero() {
    for value in documents() {
        for route in ROUTES {
            let expected = route.expected(&value);
            for k in 0..expected.len() {
                let before = if k == 0 { vec![] } else { vec![Accept(k)] };
                let mut writer = Script::steps(before, Zero);
                let error = route.send(&value, &mut writer).expect_err("the writer takes nothing");
                assert_eq!(error.kind(), ErrorKind::WriteZero, "{route:?}");
                assert!(expected.starts_with(&writer.accepted));
                assert_eq!(writer.calls_after_error, 0, "{route:?}");
            }
        }
    }
}

/// BR-052.
#[test]
fn more_claimed_than_offered_is_an_error() {
    for value in documents() {
        for route in ROUTES {
            for first_slice_only in [false, true] {
                for k in 0..route.expected(&value).len() {
                    let before = if k == 0 { vec![] } else { vec![Accept(k)] };
                    let mut writer = Script::steps(before, Lie);
                    if first_slice_only {
                        writer = writer.first_slice_only();
                    }
                    let error = route.send(&value, &mut writer).expect_err("the writer lies");
                    assert_eq!(error.kind(), ErrorKind::InvalidData, "{route:?}");
                    assert!(route.expected(&value).starts_with(&writer.accepted));
                    assert_eq!(writer.calls_after_error, 0, "{route:?}");
                }
            }
        }
    }
}

/// An array whose `Serialize` ignores every error and goes on.
struct Swallows(usize);

impl Serialize for Swallows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(None)?;
        for i in 0..self.0 {
            let _ = sequence.serialize_element(&i);
        }
        sequence.end()
    }
}

#[test]
fn a_value_that_swallows_the_error_writes_nothing_more() {
    let value = Swallows(5000);
    let streaming = [Route::ToWriter, Route::ToWriterPretty, Route::Encoder(16, 16), Route::Encoder(16, 1 << 20)];
    for route in streaming {
        let expected = route.expected(&value);
        for n in (0..expected.len()).step_by(97) {
            let mut writer = Script::failing_after(n, ErrorKind::ConnectionReset);
            let error = route.send(&value, &mut writer).expect_err("the writer fails");
            assert_eq!(error.kind(), ErrorKind::ConnectionReset);
            assert!(writer.accepted == expected[..n]);
            assert_eq!(writer.calls_after_error, 0, "{route:?}, n = {n}");
        }
    }
}

/// Fails at its last element.
struct Fails(usize);

impl Serialize for Fails {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(None)?;
        for i in 0..self.0 {
            sequence.serialize_element(&[i])?;
        }
        Err(serde::ser::Error::custom("out of elements"))
    }
}

/// BR-062: a truncated document never looks complete.
#[test]
fn a_value_that_fails_leaves_a_prefix() {
    for elements in 0..300 {
        let whole: Vec<[usize; 1]> = (0..elements + 1).map(|i| [i]).collect();
        let whole = serde_json::to_vec(&whole).unwrap();
        for (first, max) in [(16, 16), (16, 64), (2048, 65_536)] {
            let encoder = Encoder::builder().first_chunk(first).max_chunk(max).build().unwrap();
            let mut writer = Script::new();
            let error = encoder.write(&mut writer, &Fails(elements)).expect_err("the value fails");
            assert!(error.is_data() && error.io_error_kind().is_none());
            assert!(whole.starts_with(&writer.accepted));
            assert!(writer.accepted.len() as u64 <= error.offset() && error.offset() < whole.len() as u64);
        }
    }
}

#[test]
fn max_len_holds_while_streaming() {
    for value in documents() {
        let expected = serde_json::to_vec(&value).unwrap();
        for max_len in 0..=expected.len() + 1 {
            for (first, max) in [(16, 16), (16, 64), (2048, 65_536)] {
                let builder = Encoder::builder().first_chunk(first).max_chunk(max);
                let encoder = builder.max_len(max_len as u64).build().unwrap();
                let mut writer = Script::cycle([Accept(5), Interrupted]);
                let written = encoder.write(&mut writer, &value);
                if max_len < expected.len() {
                    assert!(written.expect_err("longer than allowed").is_limit());
                    assert!(writer.accepted.len() <= max_len && expected.starts_with(&writer.accepted));
                } else {
                    assert_eq!(written.unwrap(), expected.len() as u64);
                    assert_eq!(writer.accepted, expected);
                }
            }
        }
    }
}
