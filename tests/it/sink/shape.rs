//! How documents reach a writer: how many calls, how large, how early, and by reference or not.
//!
//! The numbers that `README.md` and the documentation promise are checked here.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::ops::Range;

use bytes::Bytes;
use json_rope::{Encoder, Rope, VectoredSink};
use json_rope_bench_data::generate;
use serde::{Serialize, Serializer, ser::SerializeSeq};
use serde_json::json;

use crate::support::writer::Step::{Accept, Interrupted};
use crate::support::writer::{ROUTES, Script};

const KIB: usize = 1024;

/// A streamed document costs at most ⌈bytes / 64 KiB⌉ calls, and this many for its small beginning: batches of 2, 4, 8,
/// 16 and 32 KiB come before the large ones.
const FIRST_CALLS: usize = 5;

fn rope_of(chunks: usize, length: usize) -> Rope {
    (0..chunks).map(|i| Bytes::from(vec![b'a' + (i % 26) as u8; length])).collect()
}

/// BR-036.
#[test]
fn nothing_to_write_is_no_call() {
    let mut writer = Script::new();
    Rope::new().write_to(&mut writer).unwrap();
    ["", ""].map(Bytes::from).into_iter().collect::<Rope>().write_to(&mut writer).unwrap();
    let mut sink = VectoredSink::new(&mut writer);
    sink.flush().unwrap();
    sink.push(Rope::new());
    sink.push(Rope::from(""));
    sink.flush().unwrap();
    assert!(writer.calls.is_empty());
}

/// BR-063: scalars leave too, without a bracket that would close them. BR-048 has its tests in the sweep.
#[test]
fn a_scalar_is_one_call() {
    for value in [json!(10), json!("s"), json!(null), json!(true), json!(1.5)] {
        for route in ROUTES {
            let mut writer = Script::new();
            route.send(&value, &mut writer).unwrap();
            assert_eq!(writer.accepted, serde_json::to_vec(&value).unwrap());
            let cut = matches!(route, crate::support::writer::Route::CutRope(1));
            assert!(cut || writer.calls.len() == 1, "{route:?}");
        }
    }
}

/// One system call where the writer takes everything.
#[test]
fn a_rope_of_up_to_64_chunks_is_one_call() {
    for (chunks, length) in [(1, 1), (2, 1), (64, 1), (64, KIB), (64, 64 * KIB)] {
        let rope = rope_of(chunks, length);
        let mut writer = Script::new();
        rope.write_to(&mut writer).unwrap();
        assert_eq!(rope, writer.accepted);
        assert_eq!(writer.calls.len(), 1, "{chunks} chunks of {length}");
    }
    let rope = json_rope::to_rope(&generate::array_of_bytes(4_200_000)).unwrap();
    let mut writer = Script::new().at_most_slices(64);
    rope.write_to(&mut writer).unwrap();
    assert_eq!(writer.calls.len(), rope.chunks().len().div_ceil(64));
}

/// BR-042.
#[test]
fn two_hundred_chunks_are_at_most_four_calls() {
    for length in [1, 10, 100, 255, 256, 257, KIB, 4 * KIB] {
        for most_slices in [64, 1024] {
            let rope = rope_of(200, length);
            let mut writer = Script::new().at_most_slices(most_slices);
            rope.write_to(&mut writer).unwrap();
            assert_eq!(rope, writer.accepted);
            assert!(writer.calls.len() <= 4, "{} calls for chunks of {length}", writer.calls.len());
            assert!(writer.most_slices_seen() <= 64);
        }
    }
}

/// BR-041, and many tiny chunks for any writer: neighbours are copied together instead of costing a call each.
#[test]
fn tiny_chunks_do_not_cost_a_call_each() {
    for length in [1, 2, 3, 16, 64, 255, 256, 257, 300, KIB, 2 * KIB] {
        for first_slice_only in [false, true] {
            let rope = rope_of(10_000, length);
            let mut writer = Script::new().at_most_slices(64);
            if first_slice_only {
                writer = writer.first_slice_only();
            }
            rope.write_to(&mut writer).unwrap();
            assert_eq!(rope, writer.accepted);
            // 1,024 chunks or 64 KiB a call, or 64 slices of any size where they are taken.
            let calls = if first_slice_only || length < 256 {
                (10_000 * length).div_ceil(64 * KIB).max(10_000_usize.div_ceil(1024))
            } else {
                10_000_usize.div_ceil(64)
            };
            let seen = writer.calls.len();
            assert!(seen <= calls + 2, "{seen} calls for chunks of {length}, first slice only: {first_slice_only}");
        }
    }
}

/// A writer for which only `write` is implemented; the standard library passes the first slice on.
struct Plain(Script);

impl Write for Plain {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[test]
fn a_writer_with_nothing_but_write() {
    let rope = rope_of(3, 3);
    let mut writer = Plain(Script::new());
    rope.write_to(&mut writer).unwrap();
    assert_eq!(rope, writer.0.accepted);

    let rope = rope_of(10_000, 3);
    let mut writer = Plain(Script::cycle([Accept(1000), Interrupted]));
    rope.write_to(&mut writer).unwrap();
    assert_eq!(rope, writer.0.accepted);
    assert!(writer.0.calls.len() <= 2 * (30 + 10 + 2), "{}", writer.0.calls.len());

    let mut writer = Plain(Script::new());
    let text = "x".repeat(100 * KIB);
    json_rope::to_writer(&mut writer, &["a", &text, "b"]).unwrap();
    assert_eq!(writer.0.accepted, serde_json::to_vec(&["a", &text, "b"]).unwrap());
    assert!(writer.0.calls.len() <= 5);
}

/// BR-043: straight to the writer, no user-side buffer.
#[test]
fn streaming_costs_few_calls() {
    let object: BTreeMap<String, u32> = (0..5000).map(|i| (format!("key{i}"), i)).collect();
    let mut writer = Script::new();
    json_rope::to_writer(&mut writer, &object).unwrap();
    assert_eq!(writer.accepted, serde_json::to_vec(&object).unwrap());
    assert!(writer.calls.len() <= writer.accepted.len().div_ceil(64 * KIB) + FIRST_CALLS);

    // At every length, and exactly the constant at the worst one.
    let mut worst = 0;
    let ends = [2, 6, 14, 30, 62, 126, 190, 318].into_iter().flat_map(|end| [-1, 0, 1, 2].map(|i| end * 1024 + i));
    let ends = ends.map(|bytes: i32| bytes as usize);
    for bytes in (45..200 * KIB).step_by(4001).chain(ends).chain([1_000_000, 3_000_000]) {
        let mut writer = Script::new();
        json_rope::to_writer(&mut writer, &generate::array_of_bytes(bytes)).unwrap();
        assert_eq!(writer.accepted.len(), bytes);
        worst = worst.max(writer.calls.len().saturating_sub(bytes.div_ceil(64 * KIB)));
    }
    assert_eq!(worst, FIRST_CALLS, "calls on top");
}

#[test]
fn pretty_output_costs_few_calls_too() {
    let lists = vec![vec![[1, 2], [3, 4]]; 5_000];
    let mut writer = Script::new();
    json_rope::to_writer_pretty(&mut writer, &lists).unwrap();
    assert!(writer.accepted == serde_json::to_vec_pretty(&lists).unwrap());
    assert!(writer.calls.len() <= writer.accepted.len().div_ceil(64 * KIB) + FIRST_CALLS);
}

/// The numbers 0, 0, 0, … and how many of them have been asked for.
struct Zeros<'a> {
    elements: usize,
    serialised: &'a Cell<usize>,
}

impl Serialize for Zeros<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(None)?;
        for i in 0..self.elements {
            self.serialised.set(i + 1);
            sequence.serialize_element(&0)?;
        }
        sequence.end()
    }
}

/// Notes how far the value was when the first byte arrived.
struct FirstByte<'a> {
    serialised: &'a Cell<usize>,
    at_first_byte: Option<usize>,
}

impl Write for FirstByte<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.at_first_byte.get_or_insert(self.serialised.get());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// BR-112: the first bytes arrive after at most `first_chunk` bytes of work.
#[test]
fn the_first_bytes_leave_early() {
    for first_chunk in [16, 100, 2048, 8192] {
        let serialised = Cell::new(0);
        let mut writer = FirstByte { serialised: &serialised, at_first_byte: None };
        let encoder = Encoder::builder().first_chunk(first_chunk).build().unwrap();
        encoder.write(&mut writer, &Zeros { elements: 1_000_000, serialised: &serialised }).unwrap();
        assert_eq!(serialised.get(), 1_000_000);
        let at = writer.at_first_byte.expect("something was written");
        assert!(at <= first_chunk / 2 + 1, "{at} elements with a first chunk of {first_chunk}");
    }
}

/// A string of many pieces that notes how many of them have been asked for.
struct Pieces<'a> {
    piece: &'a str,
    pieces: usize,
    serialised: &'a Cell<usize>,
}

impl fmt::Display for Pieces<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for i in 0..self.pieces {
            self.serialised.set(i + 1);
            f.write_str(self.piece)?;
        }
        Ok(())
    }
}

impl Serialize for Pieces<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// BR-027: a string is split across hand-overs, so its front has left before its end is looked at.
#[test]
fn a_long_string_leaves_in_pieces() {
    let serialised = Cell::new(0);
    let mut writer = FirstByte { serialised: &serialised, at_first_byte: None };
    let text = Pieces { piece: &"0123456789abcde\n".repeat(64), pieces: 2048, serialised: &serialised };
    json_rope::to_writer(&mut writer, &text).unwrap();
    assert_eq!(serialised.get(), 2048);
    assert!(writer.at_first_byte.is_some_and(|pieces| pieces <= 3), "{:?}", writer.at_first_byte);
}

/// BR-027 with the string in memory, with and without an escape.
#[test]
fn a_string_of_50_mib() {
    let mut text = "The quick brown fox jumps over the lazy dog, and so on and on. ".repeat(50 * KIB * KIB / 63);
    let mut expected = format!("\"{text}\"");
    for escape in [false, true] {
        if escape {
            text.push('\n');
            expected.insert_str(expected.len() - 1, "\\n");
        }
        let mut writer = Compare::new(expected.as_bytes());
        assert_eq!(Encoder::new().write(&mut writer, &text).unwrap(), expected.len() as u64);
        assert!(writer.missing.is_empty());
        assert!(writer.calls <= expected.len().div_ceil(64 * KIB) + FIRST_CALLS, "{} calls", writer.calls);
    }
}

/// Compares, and keeps nothing.
struct Compare<'a> {
    missing: &'a [u8],
    calls: usize,
    first: usize,
    largest: usize,
}

impl<'a> Compare<'a> {
    fn new(expected: &'a [u8]) -> Compare<'a> {
        Compare { missing: expected, calls: 0, first: 0, largest: 0 }
    }
}

impl Write for Compare<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.missing = self.missing.strip_prefix(bytes).expect("the expected bytes");
        if self.calls == 0 {
            self.first = bytes.len();
        }
        self.calls += 1;
        self.largest = self.largest.max(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// BR-028 for streams: hand-overs double up to a fixed size and stay there.
#[test]
fn hand_overs_grow_to_a_bound() {
    let value = generate::array_of_bytes(1_000_000);
    let expected = serde_json::to_vec(&value).unwrap();
    let mut writer = Compare::new(&expected);
    json_rope::to_writer(&mut writer, &value).unwrap();
    assert_eq!(writer.first, 2 * KIB);
    assert!(writer.largest > 64 * KIB && writer.largest <= 256 * KIB, "{}", writer.largest);

    let encoder = Encoder::builder().first_chunk(16).max_chunk(64).build().unwrap();
    let mut writer = Compare::new(&expected);
    encoder.write(&mut writer, &value).unwrap();
    assert_eq!(writer.first, 16);
    assert!(writer.largest <= 128, "{}", writer.largest);
}

fn addresses(text: &str) -> Range<usize> {
    let start = text.as_ptr() as usize;
    start..start + text.len()
}

/// Bytes that the writer was offered in place, and whether the first of them came behind other bytes in one call.
fn by_reference(writer: &Script, text: &str) -> (usize, bool) {
    let source = addresses(text);
    let lies_in = |slice: &Range<usize>| source.start <= slice.start && slice.end <= source.end;
    let calls: Vec<_> = writer.calls.iter().filter(|call| call.slices.iter().any(lies_in)).collect();
    let bytes = calls.iter().flat_map(|call| &call.slices).filter(|slice| lies_in(slice)).map(ExactSizeIterator::len);
    let with_pending =
        calls.first().is_some_and(|call| call.vectored && call.slices.len() > 1 && !lies_in(&call.slices[0]));
    (bytes.sum(), with_pending)
}

#[test]
fn long_strings_that_need_no_escape_go_by_reference() {
    for text in ["x".repeat(64 * KIB), "é\u{1f600}x".repeat(20_000), generate::plain_text(3, 5_000_000)] {
        for small in ["", "a", &"b".repeat(5000)] {
            let value = json!({"before": small});
            let value = (value, &text, "after", &text);
            let mut writer = Script::new();
            json_rope::to_writer(&mut writer, &value).unwrap();
            assert!(writer.accepted == serde_json::to_vec(&value).unwrap());
            assert_eq!(by_reference(&writer, &text), (2 * text.len(), true));
            assert!(writer.calls.len() <= writer.accepted.len().div_ceil(64 * KIB) + FIRST_CALLS);
        }
    }
}

#[test]
fn long_strings_by_reference_under_short_writes() {
    let text = "0123456789é".repeat(7000);
    let expected = serde_json::to_vec(&[&text]).unwrap();
    for k in [1000, 1001, 2047, 2048, 2049, 65_535, 65_536, 76_999, 77_000, 77_001, 77_002, 77_003, 77_004] {
        for script in [Script::cycle([Accept(k), Interrupted]), Script::cycle([Accept(k)]).first_slice_only()] {
            let mut writer = script;
            json_rope::to_writer(&mut writer, &[&text]).unwrap();
            assert!(writer.accepted == expected, "k = {k}");
        }
    }
    for n in [0, 1, 2, 3, 40_000, 76_999, 77_000, 77_001, expected.len() - 2, expected.len() - 1] {
        let mut writer = Script::failing_after(n, io::ErrorKind::StorageFull);
        let error = json_rope::to_writer(&mut writer, &[&text]).unwrap_err();
        assert_eq!(error.io_error_kind(), Some(io::ErrorKind::StorageFull));
        assert!(writer.accepted == expected[..n] && writer.calls_after_error == 0, "n = {n}");
    }
}

#[test]
fn an_escape_anywhere_in_a_long_string() {
    let length = 200 * KIB;
    let ends = [0, 1, 16 * KIB, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1, 128 * KIB, length - 64 * KIB, length - 1, length];
    for at in ends {
        for escape in ["\n", "\"", "\u{1}"] {
            let mut text = "y".repeat(length);
            text.insert_str(at, escape);
            let value = (1, &text, [&text]);
            let mut writer = Script::new();
            json_rope::to_writer(&mut writer, &value).unwrap();
            assert!(writer.accepted == serde_json::to_vec(&value).unwrap(), "{escape:?} at {at}");
            assert!(writer.calls.len() <= writer.accepted.len().div_ceil(64 * KIB) + FIRST_CALLS + 4);
        }
    }
}

#[test]
fn a_long_string_counts_for_max_len() {
    let text = "z".repeat(100 * KIB);
    let whole = text.len() + 4;
    for (max_len, fits) in [(whole, true), (whole - 1, false), (50 * KIB, false), (1, false)] {
        let mut writer = Script::new();
        let encoder = Encoder::builder().max_len(max_len as u64).build().unwrap();
        let written = encoder.write(&mut writer, &[&text]);
        assert_eq!(written.is_ok(), fits);
        assert!(writer.accepted.len() <= max_len);
        assert!(serde_json::to_vec(&[&text]).unwrap().starts_with(&writer.accepted));
    }
}

#[test]
fn a_buf_writer_in_between_does_no_harm() {
    let value = serde_json::to_value(generate::log_records(1, 2000)).unwrap();
    let text = "t".repeat(100 * KIB);
    let expected = serde_json::to_vec(&(&value, &text)).unwrap();
    for script in [Script::new(), Script::cycle([Accept(777), Interrupted]), Script::new().first_slice_only()] {
        let mut writer = BufWriter::new(script);
        json_rope::to_writer(&mut writer, &(&value, &text)).unwrap();
        writer.flush().unwrap();
        assert!(writer.get_ref().accepted == expected);

        let mut writer = BufWriter::new(writer.into_parts().0);
        json_rope::to_rope(&(&value, &text)).unwrap().write_to(&mut writer).unwrap();
        let mut sink = VectoredSink::new(writer);
        sink.push(json_rope::to_rope(&(&value, &text)).unwrap());
        sink.flush().unwrap();
        let accepted = &sink.get_ref().get_ref().accepted;
        assert_eq!(accepted.len(), 3 * expected.len());
        assert!(accepted.chunks(expected.len()).all(|document| document == expected));
    }
}

/// Flushing is the caller's business, except for the sink.
#[test]
fn only_the_sink_flushes_the_writer() {
    let mut writer = Script::new();
    json_rope::to_writer(&mut writer, &[1]).unwrap();
    json_rope::to_rope(&[1]).unwrap().write_to(&mut writer).unwrap();
    assert_eq!(writer.flushes, 0);
    let mut sink = VectoredSink::new(&mut writer);
    sink.push(json_rope::to_rope(&[1]).unwrap());
    sink.flush().unwrap();
    assert_eq!(writer.flushes, 1);
}
