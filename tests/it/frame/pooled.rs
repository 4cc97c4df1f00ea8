//! Where frames, pools, linked fragments, parts that are held back, and failures meet.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use json_rope::{Encoder, Error, Fragment, Frame, Pool, Rope};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use serde_json::json;

use crate::support::check::drain_to_error;
use crate::support::failing::Fail;

/// A document that is one fragment, whose first chunk is linked and whose later ones are copied.
#[test]
fn a_fragment_keeps_its_order_in_a_frame() {
    let text = format!("\"{}{}\"", "a".repeat(1023), "b".repeat(10));
    let mut rope = Rope::from(text[..1024].to_owned());
    rope.push(Bytes::from(text[1024..].to_owned()));
    let fragment = Fragment::trusted(rope);
    let encoder = Encoder::new();
    for (frame, prefix) in [(Frame::JsonSeq, 1), (Frame::Grpc, 5), (Frame::LengthDelimited, 2), (Frame::HttpChunk, 5)] {
        let framed = encoder.encode_framed(frame, &fragment).unwrap();
        assert_eq!(framed.slice(prefix..prefix + text.len()), text, "{frame:?}");
    }
}

/// Neither do small documents with a linked fragment, nor small ones on demand.
#[test]
fn small_documents_take_no_buffer() {
    let pool = Pool::default();
    let encoder = Encoder::builder().pool(pool.clone()).build().unwrap();
    let kept = encoder.encode(&("a", Fragment::trusted("1".repeat(1100)))).unwrap();
    let linked = pool.stats().misses;
    let numbers = json!(vec![1; 2500]);
    let items: Vec<_> = encoder.chunks(&numbers).map(Result::unwrap).collect();
    let on_demand = (pool.stats().misses, pool.retained_bytes());
    drop((kept, items));
    assert_eq!((linked, on_demand.0), (0, 0), "kept alive: 64 KiB for 1 KB, 64 KiB for 5 KB");
}

/// Records with a length are held back until it is known, and still written into buffers of the pool.
#[test]
fn records_with_a_length_use_the_pool() {
    let pool = Pool::default();
    let encoder = Encoder::builder().pool(pool.clone()).build().unwrap();
    let row = "x".repeat(98);
    for frame in [Frame::NdJson, Frame::Grpc, Frame::LengthDelimited, Frame::HttpChunk] {
        let before = pool.stats();
        let bytes: usize =
            encoder.records(frame, std::iter::repeat_n(&row, 50_000)).map(|item| item.unwrap().len()).sum();
        let taken = pool.stats().hits + pool.stats().misses - before.hits - before.misses;
        assert!(taken as usize >= bytes / (64 * 1024), "{frame:?}: {taken} buffers for {bytes} bytes");
    }
}

/// So are small objects whose members are sorted.
#[test]
fn sorted_arrays_use_the_pool() {
    let pool = Pool::default();
    let encoder = Encoder::builder().pool(pool.clone()).sort_keys(true).build().unwrap();
    let rows = vec![json!({"id": 1, "text": "x".repeat(80)}); 20_000];
    let bytes = encoder.encode(&rows).unwrap().len();
    let taken = pool.stats().misses;
    assert!(taken as usize >= bytes / (64 * 1024), "{taken} buffers for {bytes} bytes");
}

struct Inner;

impl Serialize for Inner {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        seq.serialize_element(&1)?;
        panic!("as told")
    }
}

/// Catches a panic that left an array open, and goes on.
struct Catches;

impl Serialize for Catches {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        let _ = catch_unwind(AssertUnwindSafe(|| seq.serialize_element(&Inner)));
        seq.serialize_element(&3)?;
        seq.end()
    }
}

#[test]
fn a_caught_panic_is_an_error_on_demand_too() {
    let encoder = Encoder::new();
    assert!(encoder.encode_framed(Frame::NdJson, &Catches).is_err());
    let records = encoder.records(Frame::NdJson, [Catches, Catches]).collect::<Result<Rope, Error>>();
    let array = encoder.array([Catches]).collect::<Result<Rope, Error>>();
    assert!(records.is_err() && array.is_err(), "{records:?} {array:?}");
}

/// Swallows an error, if one is wanted, and goes on.
struct Swallows {
    fails: bool,
}

impl Serialize for Swallows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        seq.serialize_element(&0)?;
        if self.fails {
            let _ = seq.serialize_element(&Fail);
        }
        seq.serialize_element(&2)?;
        seq.end()
    }
}

#[test]
fn nothing_behind_a_swallowed_error_comes_out() {
    let rows = [Swallows { fails: false }, Swallows { fails: true }];
    let (text, error) = drain_to_error(Encoder::new().records(Frame::NdJson, rows));
    assert!(error.is_data(), "{error}");
    // The whole record, and nothing or a part of the other one.
    let rest = text.to_string();
    let rest = rest.strip_prefix("[0,2]\n").expect("the first record");
    assert!("[0,".starts_with(rest), "{rest}");
}

/// An offset counts what was produced, not what was kept free; and the same in memory and streamed.
#[test]
fn offsets_of_framed_errors() {
    let encoder = Encoder::new();
    for frame in [Frame::JsonSeq, Frame::ServerSentEvent] {
        let in_memory = encoder.encode_framed(frame, &(1, Fail)).unwrap_err().offset();
        let written = encoder.write_framed(frame, &mut Vec::new(), &(1, Fail)).unwrap_err().offset();
        assert_eq!(in_memory, written, "{frame:?}");
    }
    let pulled = encoder.records(Frame::LengthDelimited, [(1, Fail)]).find_map(Result::err).unwrap().offset();
    assert_eq!(pulled, 3, "bytes of the body; the prefix was never produced");
}
