//! Arrays and records on demand: the bytes of the same `Vec` and of each frame, well-cut chunks, laziness, and errors
//! that come once.

use std::cell::Cell;
use std::error::Error as _;
use std::fmt;
use std::io;
use std::panic::{self, AssertUnwindSafe};

use bytes::Bytes;
use json_rope::source::{Array, Infallible, Records, TryNext};
use json_rope::{Chunks, Encoder, Error, Fragment, Frame, Pool, Rope};
use serde::ser::{Error as _, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::support::check::{assert_well_cut, drain, drain_to_error, encoder};
use crate::support::frames::{FRAMES, frame};
use crate::support::sweeps::or_a_quarter;

/// The text before the error, and the error, which must be the last item.
fn fail(chunks: impl Iterator<Item = Result<Bytes, Error>>) -> (String, Error) {
    let (rope, error) = drain_to_error(chunks);
    (rope.into_string().unwrap(), error)
}

/// Records of lengths around those where a prefix grows.
fn rows() -> Vec<Value> {
    (0..60).map(|n| json!({ "n": n, "text": "é\"".repeat(n) })).chain([json!(1), json!(""), json!([])]).collect()
}

#[test]
fn an_array_is_the_vec() {
    for count in [0, 1, 2, 60] {
        let rows = &rows()[..count];
        for pretty in [false, true] {
            for (first, max) in [(16, 16), (16, 40), (64, 2000), (2048, 65536)] {
                let encoder = Encoder::builder().pretty(pretty).first_chunk(first).max_chunk(max).build().unwrap();
                let want = if pretty { serde_json::to_vec_pretty(rows) } else { serde_json::to_vec(rows) }.unwrap();
                let rope = drain(encoder.array(rows));
                assert_eq!(rope, want);
                assert_well_cut(&rope, (first, max));
                assert_eq!(drain(encoder.try_array(rows.iter().map(Ok::<_, Error>))), want);
            }
        }
    }
    let named: Chunks<Array<Infallible<std::ops::Range<i32>>>> = Encoder::new().array(1..4);
    assert_eq!(drain(named), "[1,2,3]", "BR-083");
    assert_eq!(drain(Encoder::new().array([0; 0])), "[]");
}

#[test]
fn options_apply_to_elements() {
    let rows = [json!({"b": "é/<", "a": [1]}), json!({})];
    for bits in 0..32 {
        let on = |bit: u32| bits & 1 << bit != 0;
        let builder = Encoder::builder().ascii(on(0)).html_safe(on(1)).escape_solidus(on(2)).sort_keys(on(3));
        let encoder = builder.pretty(on(4)).first_chunk(16).max_chunk(20).build().unwrap();
        assert_eq!(drain(encoder.array(&rows)), encoder.encode(&rows).unwrap());
    }
}

/// A chunk ends with a record, unless it holds nothing but a part of one that is longer than a chunk.
fn assert_whole_records(rope: &Rope, records: &[Vec<u8>]) {
    let ends: Vec<usize> =
        records.iter().scan(0, |end, record| Some((*end + record.len(), *end += record.len()).0)).collect();
    let mut start = 0;
    for chunk in rope.chunks() {
        let end = start + chunk.len();
        let begun = ends.iter().rev().find(|&&record| record < end).copied().unwrap_or(0);
        assert!(ends.contains(&end) || begun <= start, "a chunk of {} bytes ends inside a record", chunk.len());
        start = end;
    }
}

#[test]
fn records_in_every_frame() {
    for kind in FRAMES {
        for (first, max) in [(16, 16), (16, 40), (64, 2000), (2048, 65536)] {
            let encoder = encoder(first, max);
            let records: Vec<Vec<u8>> = rows().iter().map(|row| frame(kind, &row.to_string())).collect();
            let want = records.concat();
            let rope = drain(encoder.records(kind, rows()));
            assert_eq!(rope, want, "{kind:?}");
            assert!(rope.chunks().iter().all(|chunk| !chunk.is_empty() && chunk.len() <= max));
            assert_whole_records(&rope, &records);
            assert_eq!(drain(encoder.try_records(kind, rows().into_iter().map(Ok::<_, Error>))), want);
            assert!(encoder.records(kind, [0; 0]).next().is_none(), "no records, nothing");
        }
    }
    let named: Chunks<Records<Infallible<std::ops::Range<i32>>>> = Encoder::new().records(Frame::NdJson, 1..4);
    assert_eq!(drain(named), "1\n2\n3\n", "BR-083");
}

/// Short records share chunks, each as long as planned but for a record that does not fit.
#[test]
fn short_records_share_chunks() {
    let encoder = Encoder::builder().first_chunk(256).max_chunk(256).build().unwrap();
    for kind in FRAMES {
        for len in 0..40 {
            let record = "x".repeat(len);
            let chunks = encoder.records(kind, vec![&record; 200]).map(|chunk| chunk.unwrap().len());
            let lengths: Vec<usize> = chunks.collect();
            let framed = frame(kind, &format!("\"{record}\"")).len();
            // The longest prefix is reserved before it is known to be shorter.
            let least = 256 - framed - 40;
            let (_, full) = lengths.split_last().unwrap();
            assert!(full.iter().all(|chunk| *chunk >= least), "{kind:?}, {framed}: {full:?}");
        }
    }
}

#[test]
fn pretty_records() {
    let encoder = Encoder::builder().pretty(true).first_chunk(16).max_chunk(32).build().unwrap();
    for kind in FRAMES {
        if kind == Frame::NdJson {
            let mut records = encoder.records(kind, [1]);
            assert!(records.next().unwrap().unwrap_err().is_config());
            assert!(records.next().is_none());
            let mut records = encoder.try_records(kind, [Ok::<_, Error>(1)]);
            assert!(records.next().unwrap().unwrap_err().is_config());
            assert!(records.next().is_none());
            continue;
        }
        let want: Vec<u8> =
            rows().iter().flat_map(|row| frame(kind, &serde_json::to_string_pretty(row).unwrap())).collect();
        assert_eq!(drain(encoder.records(kind, rows())), want, "{kind:?}");
    }
}

#[test]
fn one_line_has_no_line_breaks() {
    let raw = RawValue::from_string("[1,\n\r 2, \"\\n\"]".into()).unwrap();
    let fragment = Fragment::trusted("{\n}");
    let encoder = Encoder::new();
    assert_eq!(drain(encoder.records(Frame::NdJson, [(&raw, &fragment)])), "[[1, 2, \"\\n\"],{}]\n");
    assert_eq!(drain(encoder.records(Frame::ServerSentEvent, [&fragment])), "data: {\ndata: }\n\n");
    assert_eq!(drain(encoder.records(Frame::JsonSeq, [&fragment])), "\u{1e}{\n}\n");
}

/// Items are at least half of `max_chunk`, but for the first few and the last, and valid UTF-8, whatever is linked.
#[test]
fn linked_fragments_are_sliced_to_fit() {
    for len in [10, 1023, 1024, 1025, 2000, 4095, 4096, 4097, 10_000, 100_000] {
        for text in ["x", "é", "€", "😀"] {
            let json = format!("\"{}\"", text.repeat(len / text.len()));
            let fragment = Fragment::trusted(json.clone());
            for gap in [0, 1, 7, 100, 3000] {
                let items: Vec<_> = (0..12).map(|_| ("y".repeat(gap), fragment.clone())).collect();
                let want = json_rope::to_vec(&items).unwrap();
                for max in [64, 1000, 4096, 65536] {
                    let chunks: Vec<_> = encoder(16, max).array(&items).map(Result::unwrap).collect();
                    assert!(chunks.iter().all(|chunk| chunk.len() <= max && str::from_utf8(chunk).is_ok()));
                    // Growing takes at most two chunks of each size, since each has at least half of what is planned.
                    let full = chunks.iter().skip(2 * (max.ilog2() as usize - 3)).rev().skip(1);
                    assert!(
                        full.clone().all(|chunk| chunk.len() >= max / 2),
                        "fragments of {len}, gaps of {gap}, {max}"
                    );
                    assert_eq!(chunks.into_iter().collect::<Rope>(), want);
                }
            }
        }
    }
}

#[test]
fn a_long_fragment_is_not_copied() {
    let json = Bytes::from(format!("\"{}\"", "z".repeat(1 << 20)));
    let range = json.as_ptr_range();
    let chunks: Vec<_> = Encoder::new().array([Fragment::checked(json.clone()).unwrap()]).map(Result::unwrap).collect();
    let linked = chunks.iter().filter(|chunk| range.contains(&chunk.as_ptr())).map(Bytes::len).sum::<usize>();
    assert!(linked > 900_000, "{linked}");
}

#[test]
fn fragments_that_begin_within_a_character() {
    let text = format!("\"{}\"", "😀€é".repeat(2000));
    for size in [1, 2, 3, 5, 700, 1025, 2049] {
        let pieces = text.as_bytes().chunks(size).map(Bytes::copy_from_slice).collect::<Rope>();
        let chunks: Vec<_> = encoder(16, 1024).array([Fragment::trusted(pieces)]).map(Result::unwrap).collect();
        assert!(chunks.iter().all(|chunk| str::from_utf8(chunk).is_ok() && chunk.len() <= 1024));
        assert_eq!(chunks.into_iter().collect::<Rope>(), format!("[{text}]"));
    }
}

/// By counting: how many items are asked for at each step.
#[test]
fn nothing_happens_before_it_is_asked_for() {
    let pulled = Cell::new(0);
    let items = (0..).inspect(|_| pulled.set(pulled.get() + 1)).map(|n| n % 10);
    let mut chunks = encoder(16, 1024).array(items);
    assert_eq!(pulled.get(), 0);
    let mut bytes = 0;
    for _ in 0..100 {
        let before = pulled.get();
        let chunk = chunks.next().unwrap().unwrap();
        bytes += chunk.len();
        assert!(pulled.get() - before <= chunk.len() / 2 + 1, "two bytes an item");
        assert!(pulled.get() <= bytes / 2 + 1, "and none in advance");
    }
    drop(chunks);

    let pulled = Cell::new(0);
    let items = (0..).inspect(|_| pulled.set(pulled.get() + 1)).map(|_| "x".repeat(10_000));
    let mut lines = encoder(16, 1024).records(Frame::NdJson, items);
    for _ in 0..9 {
        lines.next().unwrap().unwrap();
    }
    assert_eq!(pulled.get(), 1, "one long record serves many steps");
}

#[test]
fn many_small_items() {
    let count = if cfg!(debug_assertions) { 1_000_000 } else { 10_000_000 };
    let (mut bytes, mut last) = (0, Bytes::new());
    for chunk in Encoder::new().array((0..count).map(|n| n % 100)) {
        last = chunk.unwrap();
        bytes += last.len();
    }
    let hundred: usize = (0..100).map(|n: usize| n.to_string().len() + 1).sum();
    assert_eq!(bytes, hundred * (count / 100) + 1);
    assert!(last.ends_with(b"99]"));
}

/// An error with a source, to see that it is kept.
#[derive(Debug, PartialEq)]
struct Broken;

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the cursor broke")
    }
}

impl std::error::Error for Broken {}

#[test]
fn a_failing_iterator_ends_the_output() {
    let items = || [Ok(1), Ok(2), Err(Broken), Ok(3)];
    let (text, error) = fail(Encoder::new().try_array(items()));
    assert_eq!(text, "[1,2");
    assert!(error.is_data() && !error.is_io());
    assert_eq!((error.pointer(), error.offset()), (Some("/2"), 4));
    assert_eq!(error.to_string(), "cannot encode /2: the cursor broke");
    assert_eq!(error.source().unwrap().downcast_ref(), Some(&Broken));
    let error = io::Error::from(error);
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);

    for kind in FRAMES {
        let (text, error) = fail(Encoder::new().try_records(kind, items()));
        assert_eq!(text.as_bytes(), [frame(kind, "1"), frame(kind, "2")].concat());
        assert_eq!((error.pointer(), error.offset()), (Some(""), text.len() as u64));
        assert_eq!(error.source().unwrap().downcast_ref(), Some(&Broken));
    }
    // What can become a boxed error will do.
    let (text, _) = fail(Encoder::new().try_array([Ok(1), Err("text")]));
    assert_eq!(text, "[1");
    let (text, _) =
        fail(Encoder::new().try_array([Err::<i32, _>(Box::<dyn std::error::Error + Send + Sync>::from("x"))]));
    assert_eq!(text, "");
}

/// Fails behind its first element, and may be asked to hide that.
struct Failing {
    swallow: bool,
}

impl Serialize for Failing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Element;
        impl Serialize for Element {
            fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
                Err(S::Error::custom("no"))
            }
        }
        let mut seq = serializer.serialize_seq(None)?;
        seq.serialize_element(&1)?;
        let result = seq.serialize_element(&Element);
        if !self.swallow {
            result?;
        }
        seq.end()
    }
}

#[test]
fn a_failing_item_ends_the_output() {
    for swallow in [false, true] {
        let (text, error) = fail(Encoder::new().array([Failing { swallow }, Failing { swallow }]));
        // Not what was written after an error that was swallowed.
        assert_eq!((text.as_str(), error.is_data()), ("[[1,", true));
        for kind in FRAMES {
            let (text, error) = fail(Encoder::new().records(kind, [Failing { swallow }, Failing { swallow }]));
            assert!(error.is_data() && !text.ends_with('\n') && text.matches("[1").count() <= 1, "{text}");
            if !swallow {
                assert_eq!(error.pointer(), Some("/1"));
            }
        }
    }
    let (text, error) = fail(Encoder::new().array([Failing { swallow: false }]));
    assert_eq!((text.as_str(), error.pointer(), error.offset()), ("[[1,", Some("/0/1"), 4));
}

/// With sorted keys, what is held when an error comes may still change its place, so it does not leave.
#[test]
fn only_what_is_certain_comes_before_an_error() {
    #[derive(Serialize)]
    struct Row {
        b: i32,
        a: Failing,
    }
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Item {
        Good(i32),
        Bad(Row),
    }
    let encoder = Encoder::builder().sort_keys(true).build().unwrap();
    let items = [Item::Good(1), Item::Bad(Row { b: 2, a: Failing { swallow: false } })];
    let (text, error) = fail(encoder.array(items));
    assert_eq!((text.as_str(), error.pointer()), ("[1,", Some("/1/a/1")));
}

#[test]
fn limits() {
    let encoder = Encoder::builder().max_len(10).max_depth(2).build().unwrap();
    assert_eq!(drain(encoder.array([111, 222])), "[111,222]");
    let (text, error) = fail(encoder.array([111, 222, 333]));
    assert_eq!(text, "[111,222,3");
    assert!(error.is_limit());
    assert!(error.to_string().contains("10 bytes"));
    // Depth counts the array itself.
    assert_eq!(drain(encoder.array([[1]])), "[[1]]");
    let (_, error) = fail(encoder.array([[[1]]]));
    assert_eq!((error.is_limit(), error.pointer()), (true, Some("/0/0")));

    // A bracket or comma that does not fit is the place of the element after it, as in a `Vec`.
    for max_len in 0..9 {
        let encoder = Encoder::builder().max_len(max_len).build().unwrap();
        let expected = encoder.encode(&[111, 222]).unwrap_err();
        let (_, error) = fail(encoder.array([111, 222]));
        assert_eq!((error.pointer(), error.offset()), (expected.pointer(), expected.offset()), "{max_len}");
    }

    // For records both are for each body.
    for kind in FRAMES {
        let body = "x".repeat(8);
        let want: Vec<u8> = (0..5).flat_map(|_| frame(kind, &format!("\"{body}\""))).collect();
        assert_eq!(drain(encoder.records(kind, vec![body.clone(); 5])), want);
        let (text, error) = fail(encoder.records(kind, [body.clone(), body + "y"]));
        assert!(error.is_limit() && error.to_string().contains("10 bytes"), "{error}");
        assert!(text.len() >= want.len() / 5);
        assert_eq!(drain(encoder.records(kind, [[[1]]])), frame(kind, "[[1]]"));
        assert!(fail(encoder.records(kind, [[[[1]]]])).1.is_limit());
    }
    // The default for items, which recurse.
    let deep = (0..1000).fold(json!(1), |value, _| Value::Array(vec![value]));
    assert!(drain(Encoder::new().records(Frame::NdJson, [&deep])).len() == 2002);
    assert!(fail(Encoder::new().array([&deep])).1.is_limit());
}

#[test]
fn a_panic_does_not_look_like_an_end() {
    let mut chunks = Encoder::new().array((0..10).map(|n| if n == 5 { panic!("expected") } else { n }));
    assert!(panic::catch_unwind(AssertUnwindSafe(|| chunks.next())).is_err());
    assert!(chunks.next().unwrap().unwrap_err().is_data());
    assert!(chunks.next().is_none());
}

#[test]
fn handles_may_be_kept_and_moved() {
    fn assert_send<T: Send + 'static>(_: &T) {}
    let chunks = Encoder::new().array(vec![1]);
    assert_send(&chunks);
    assert_send(&Encoder::new().try_records(Frame::NdJson, vec![Ok::<_, Error>(1)]));
    assert_eq!(format!("{chunks:?}"), "Chunks { .. }");
}

/// Lends the lines of a text, from one buffer; an empty line is an error.
struct Lines<'t>(std::str::Lines<'t>, String);

impl TryNext for Lines<'_> {
    type Value<'a>
        = &'a str
    where
        Self: 'a;

    fn try_next(&mut self) -> Option<Result<&str, Error>> {
        self.1.clear();
        self.1.push_str(self.0.next()?);
        Some(if self.1.is_empty() { Err(Error::from_source("an empty line")) } else { Ok(&self.1) })
    }
}

#[test]
fn records_may_be_lent() {
    let text = (0..5_000).map(|n| format!("line {n}\n")).collect::<String>();
    for kind in FRAMES {
        let lent = drain(Encoder::new().records_from(kind, Lines(text.lines(), String::new())));
        assert_eq!(lent, drain(Encoder::new().records(kind, text.lines())));
    }
    let mut out = Vec::new();
    let lines = Lines("a\nb\n\nc".lines(), String::new());
    let error = Encoder::new().records_from(Frame::NdJson, lines).write_to(&mut out).unwrap_err();
    assert_eq!((error.record(), error.message()), (Some(2), "an empty line".to_owned()));
    assert!(error.is_data() && error.source().is_some());
    let (text, _) = fail(Encoder::new().records_from(Frame::NdJson, Lines("a\nb\n\nc".lines(), String::new())));
    assert_eq!(text, "\"a\"\n\"b\"\n");
}

/// A record may begin when less of the buffer is left than the prefix of its length may need.
#[test]
fn a_writer_gets_records_that_begin_at_the_end_of_its_buffer() {
    for size in [1000, 4096] {
        let pool = Pool::builder().buffer_size(size).build();
        let encoder = Encoder::builder().first_chunk(size).max_chunk(size).pool(pool).build().unwrap();
        for kind in FRAMES {
            for len in size - 64..size + 64 {
                let records = [len, 1, 2 * size - len, 1, len, size - 8].map(|len| "x".repeat(len));
                let want: Vec<u8> = records.iter().flat_map(|text| frame(kind, &format!("\"{text}\""))).collect();
                let mut out = Vec::new();
                let written = encoder.records(kind, &records).write_to(&mut out).unwrap();
                assert!(out == want, "{kind:?}, {len}");
                assert_eq!(written, want.len() as u64);
            }
        }
    }
}

/// A writer gets whole records too, all of those before the failure, unless one is longer than a chunk.
#[test]
fn a_writer_has_whole_records_when_one_fails() {
    use serde::ser::SerializeMap;
    struct Row(usize, bool);
    impl serde::Serialize for Row {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_entry("z", &vec!["é"; self.0 / 4])?;
            map.serialize_entry("a", &vec![json_rope::Text::from("t".repeat(self.0 / 2))])?;
            map.serialize_entry("n", &vec![std::collections::BTreeMap::from([("b", 1)])])?;
            if self.1 { Err(S::Error::custom("no row")) } else { map.end() }
        }
    }
    let plain = Encoder::builder;
    let pool = json_rope::Pool::default();
    for (name, encoder) in [
        ("plain", plain()),
        ("sorted", plain().sort_keys(true)),
        ("pooled", plain().pool(pool.clone())),
        ("sorted, pooled", plain().sort_keys(true).pool(pool)),
        ("limited", plain().max_len(60_000)),
        ("long chunks", plain().max_chunk(1 << 20)),
    ]
    .map(|(name, builder)| (name, builder.build().unwrap()))
    {
        for frame in [Frame::NdJson, Frame::JsonSeq, Frame::LengthDelimited, Frame::ServerSentEvent] {
            for len in [10, 300, 1_500, 3_000, 9_000, 20_000, 30_000] {
                for good in [0, 1, 3, or_a_quarter(40)] {
                    let rows = |bad| (0..=good).map(move |n| Row(len + n % 7, n == good && bad));
                    let mut whole = Vec::new();
                    encoder.records(frame, rows(false).take(good)).write_to(&mut whole).unwrap();
                    let mut written = Vec::new();
                    let error = encoder.records(frame, rows(true)).write_to(&mut written).unwrap_err();
                    assert_eq!(error.record(), Some(good as u64));
                    assert!(
                        written == whole,
                        "{name}, {frame:?}, {good} rows of {len}: {} {}",
                        written.len(),
                        whole.len()
                    );
                    // So does whoever takes the chunks.
                    let chunks = encoder.records(frame, rows(true)).map_while(Result::ok).collect::<json_rope::Rope>();
                    assert_eq!(chunks, whole);
                    let mut all = Vec::new();
                    encoder.records(frame, rows(false)).write_to(&mut all).unwrap();
                    assert!(all.starts_with(&whole) && all.len() > whole.len());
                }
            }
        }
    }
    // One that is longer than a chunk leaves in parts.
    let mut written = Vec::new();
    Encoder::new()
        .records(Frame::NdJson, [Row(300_000, false), Row(300_000, true)])
        .write_to(&mut written)
        .unwrap_err();
    assert!(written.len() > 300_000 && !written.ends_with(b"\n"));
}

/// Whatever was taken before: a writer never has more than were produced.
#[test]
fn the_offset_of_a_failed_write_is_that_in_the_document() {
    let encoder = encoder(16, 64);
    let all = drain(encoder.array(rows())).len();
    for taken in 0..20 {
        for room in [0, 1, 15, 100, 1000] {
            let mut chunks = encoder.array(rows());
            let front: usize = chunks.by_ref().take(taken).map(|chunk| chunk.unwrap().len()).sum();
            let error = chunks.write_to(&mut vec![0; room][..]).unwrap_err();
            assert!(error.is_io());
            let offset = error.offset() as usize;
            assert!((front + room..=all).contains(&offset), "{front} taken, {room} written, offset {offset}");
        }
    }
}
