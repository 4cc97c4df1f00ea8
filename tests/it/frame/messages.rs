//! Documents in frames, in memory and streamed: the bytes of each frame, the same chunks as without one, limits, and
//! nothing written before an error.

use bytes::Bytes;
use json_rope::{Encoder, Fragment, Frame, Pool, Rope};
use proptest::prelude::*;
use serde::ser::{Error as _, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::support::check::{assert_same, encoder};
use crate::support::frames::{FRAMES, frame, unframed};

const SIZES: [(usize, usize); 6] = [(16, 16), (16, 40), (64, 64), (64, 2000), (256, 256), (2048, 65536)];

/// Every way to a framed document.
fn assert_framed(encoder: &Encoder, kind: Frame, value: &(impl Serialize + ?Sized), want: &[u8]) -> Rope {
    let rope = encoder.encode_framed(kind, value).unwrap();
    assert_same(&rope.to_vec(), want, format_args!("{kind:?}"));
    assert!(rope.chunks().iter().all(|chunk| !chunk.is_empty()));
    assert_eq!(rope.len(), rope.chunks().iter().map(Bytes::len).sum::<usize>());
    let mut out = Vec::new();
    assert_eq!(encoder.write_framed(kind, &mut out, value).unwrap(), want.len() as u64);
    assert_same(&out, want, format_args!("{kind:?}, written"));
    let pulled: Rope = encoder.records(kind, [value]).map(Result::unwrap).collect();
    assert_same(&pulled.to_vec(), want, format_args!("{kind:?}, on demand"));
    rope
}

/// Records of one length, of which one begins at every distance to the end of the buffer that they are collected in.
#[test]
fn records_that_begin_at_every_place_of_a_buffer() {
    let builders = [(16, 16), (16, 64), (64, 256), (256, 1000), (1024, 4096), (2048, 65536)]
        .map(|(first, max)| (Encoder::builder().first_chunk(first).max_chunk(max), max));
    let pool = |size| Pool::builder().max_buffers(2).buffer_size(size).build();
    let pooled = [256, 4096, 65536].map(|size| (Encoder::builder().pool(pool(size)), size));
    for (builder, buffer) in builders.into_iter().chain(pooled) {
        let encoder = builder.build().unwrap();
        for kind in FRAMES {
            for len in [1, 3, 7, 12, 29, 50, 121, 300] {
                let text = "x".repeat(len);
                let one = frame(kind, &format!("\"{text}\""));
                // Lengths of records that have a factor in common with the buffer's do not meet all places.
                let count = (3 * buffer / one.len()).clamp(10, 6000);
                let want = one.repeat(count);
                let mut out = Vec::new();
                let written = encoder.records(kind, (0..count).map(|_| &text)).write_to(&mut out).unwrap();
                assert_same(&out, &want, format_args!("{kind:?}, {count} records of {len}, {encoder:?}"));
                assert_eq!(written, want.len() as u64);
                let pulled: Rope = encoder.records(kind, (0..count).map(|_| &text)).map(Result::unwrap).collect();
                assert_same(&pulled.to_vec(), &want, format_args!("{kind:?}, on demand"));
                for pops in [1, 10] {
                    let (mut writer, mut pushed) = (encoder.record_writer(kind), Vec::new());
                    for number in 0..count {
                        writer.value(&text).unwrap();
                        if number % pops == 0 {
                            std::iter::from_fn(|| writer.pop()).for_each(|chunk| pushed.extend_from_slice(&chunk));
                        }
                    }
                    writer.finish().unwrap();
                    std::iter::from_fn(|| writer.pop()).for_each(|chunk| pushed.extend_from_slice(&chunk));
                    assert_same(&pushed, &want, format_args!("{kind:?}, pushed, {encoder:?}"));
                }
            }
        }
    }
}

/// No more chunks than a document of this length without a frame has, save one; and none longer than `max`.
fn assert_cut_as_planned(framed: &Rope, kind: Frame, (first, max): (usize, usize)) {
    let lengths: Vec<usize> = framed.chunks().iter().map(Bytes::len).collect();
    let (mut planned, mut covered, mut chunk) = (0, 0, first);
    while covered < framed.len() {
        (planned, covered, chunk) = (planned + 1, covered + chunk, (2 * chunk).min(max));
    }
    let fits = lengths.iter().all(|&len| len > 0 && len <= max);
    assert!(fits && lengths.len() <= planned + 1, "{kind:?} {first} {max}: {lengths:?}, {planned} chunks are enough");
}

#[test]
fn every_length_around_every_chunk_size() {
    for sizes in SIZES {
        let encoder = encoder(sizes.0, sizes.1);
        let edges = [0, 16, 32, 64, 127, 128, 192, 256, 2048, 6144, 14336, 16384, 30720, 63488, 65536];
        for edge in edges.into_iter().filter(|edge| edge / sizes.1 < 40) {
            // 2 quotes, and up to 18 bytes of frame.
            for len in (edge.max(24) - 24)..=edge + 3 {
                let text = "x".repeat(len);
                let body = serde_json::to_string(&text).unwrap();
                for kind in FRAMES {
                    let rope = assert_framed(&encoder, kind, &text, &frame(kind, &body));
                    assert_cut_as_planned(&rope, kind, sizes);
                }
            }
        }
    }
}

/// Where a length needs another byte in `Varint`, or another digit in `HttpChunk`, and there are many chunks.
#[test]
fn long_lengths() {
    let encoder = Encoder::new();
    for edge in [1 << 20, 1 << 21] {
        for len in [edge - 1, edge, edge + 1] {
            let text = "x".repeat(len - 2);
            let body = serde_json::to_string(&text).unwrap();
            for kind in FRAMES {
                assert_framed(&encoder, kind, &text, &frame(kind, &body));
            }
        }
    }
}

#[test]
fn many_messages_in_one_rope() {
    let rows: Vec<Value> = (0..300).map(|n| json!({ "n": n, "text": "é\"".repeat(n) })).collect();
    for sizes in SIZES {
        let encoder = encoder(sizes.0, sizes.1);
        for kind in FRAMES {
            let (mut rope, mut want) = (Rope::new(), Vec::new());
            for row in &rows {
                encoder.encode_framed_into(kind, &mut rope, row).unwrap();
                want.extend(frame(kind, &row.to_string()));
            }
            assert_same(&rope.to_vec(), &want, format_args!("{kind:?}"));
            let pulled: Rope = encoder.records(kind, &rows).map(Result::unwrap).collect();
            assert_same(&pulled.to_vec(), &want, format_args!("{kind:?}, on demand"));
            assert!(pulled.chunks().iter().all(|chunk| chunk.len() <= sizes.1));
        }
    }
}

#[test]
fn pretty_documents() {
    let value = json!({"a": [1, {"b": []}, "x\ny"], "c": {}});
    for indent in ["  ", "\t", "", "                                                    "] {
        for (first, max) in SIZES {
            let encoder =
                Encoder::builder().pretty(true).indent(indent).first_chunk(first).max_chunk(max).build().unwrap();
            let body = encoder.encode(&value).unwrap().into_string().unwrap();
            for kind in FRAMES {
                if kind == Frame::NdJson {
                    assert!(encoder.encode_framed(kind, &value).unwrap_err().is_config());
                    let mut out = Vec::new();
                    assert!(encoder.write_framed(kind, &mut out, &value).unwrap_err().is_config());
                    assert!(encoder.encode_framed_into(kind, &mut Rope::new(), &value).unwrap_err().is_config());
                    assert!(out.is_empty());
                    continue;
                }
                assert_framed(&encoder, kind, &value, &frame(kind, &body));
            }
        }
    }
}

/// Indentation may have line breaks too: each begins a line of the event.
#[test]
fn an_indentation_with_line_breaks_in_an_event() {
    let value = json!([{"a": 1}]);
    for indent in ["\n", " \n ", "\n\n"] {
        let encoder = Encoder::builder().pretty(true).indent(indent).build().unwrap();
        let body = encoder.encode(&value).unwrap().into_string().unwrap();
        assert_framed(&encoder, Frame::ServerSentEvent, &value, &frame(Frame::ServerSentEvent, &body));
    }
    // A carriage return would end a line as well.
    let encoder = Encoder::builder().pretty(true).indent("\r\n ").build().unwrap();
    let event = encoder.encode_framed(Frame::ServerSentEvent, &value).unwrap().into_string().unwrap();
    assert!(!event.contains('\r') && event.lines().all(|line| line.is_empty() || line.starts_with("data: ")));
}

#[test]
fn every_option() {
    let value = json!({"b": "é/<&\u{2028}😀", "a": [0.5, null], "é": {"z": 1, "y": 2}});
    for bits in 0..32u32 {
        let on = |bit: u32| bits & 1 << bit != 0;
        for (first, max) in [(16, 16), (2048, 65536)] {
            let builder = Encoder::builder().ascii(on(0)).html_safe(on(1)).escape_solidus(on(2)).sort_keys(on(3));
            let encoder = builder.pretty(on(4)).first_chunk(first).max_chunk(max).build().unwrap();
            let body = encoder.encode(&value).unwrap().into_string().unwrap();
            for kind in FRAMES.into_iter().filter(|&kind| kind != Frame::NdJson || !on(4)) {
                assert_framed(&encoder, kind, &value, &frame(kind, &body));
            }
        }
    }
}

#[test]
fn line_breaks_of_foreign_json() {
    let raw = RawValue::from_string("[1,\n\r 2, \"\\n\"]".into()).unwrap();
    let fragment = Fragment::trusted("{\n}");
    let value = (&raw, &fragment);
    let encoder = Encoder::new();
    assert_framed(&encoder, Frame::NdJson, &value, b"[[1, 2, \"\\n\"],{}]\n");
    assert_framed(&encoder, Frame::ServerSentEvent, &value, b"data: [[1,\ndata:  2, \"\\n\"],{\ndata: }]\n\n");
    assert_framed(&encoder, Frame::JsonSeq, &value, b"\x1e[[1,\n\r 2, \"\\n\"],{\n}]\n");
    // A fragment that is linked, longer than a chunk, with and without line breaks.
    for json in [format!("[{}]", "1,\n".repeat(50_000) + "2"), format!("[{}]", "1,".repeat(50_000) + "2")] {
        let fragment = Fragment::trusted(json.clone());
        for kind in FRAMES {
            let body = if kind == Frame::NdJson { json.replace('\n', "") } else { json.clone() };
            assert_framed(&encoder, kind, &fragment, &frame(kind, &body));
            let body = format!("[\"before\",{body}]");
            assert_framed(&encoder, kind, &("before", &fragment), &frame(kind, &body));
        }
    }
}

/// The chunks of a linked fragment are the same memory before and after framing.
#[test]
fn a_linked_fragment_is_not_copied() {
    let text = Bytes::from(format!("[{}0]", "1,".repeat(100_000)));
    let fragment = Fragment::checked(text.clone()).unwrap();
    for kind in [Frame::Grpc, Frame::LengthDelimited, Frame::JsonSeq, Frame::HttpChunk] {
        for rope in [Encoder::new().encode_framed(kind, &fragment), Encoder::new().encode_framed(kind, &(1, &fragment))]
        {
            let rope = rope.unwrap();
            assert!(rope.chunks().iter().any(|chunk| chunk.as_ptr() == text.as_ptr() && chunk.len() == text.len()));
            assert!(rope.chunks().len() <= 3);
        }
    }
}

/// Messages on demand of all lengths after others of all lengths, so that the headroom lies at every place of a chunk;
/// also with linked fragments, and sorted members.
#[test]
fn headroom_at_every_place() {
    let fragment = Fragment::trusted(format!("[{}0]", "1,".repeat(900)));
    for (first, max) in [(16, 64), (64, 64), (64, 200), (100, 4096)] {
        for sort in [false, true] {
            let encoder = Encoder::builder().first_chunk(first).max_chunk(max).sort_keys(sort).build().unwrap();
            for kind in [Frame::Grpc, Frame::LengthDelimited, Frame::HttpChunk] {
                for before in 0..=90 {
                    let bodies = [json!("x".repeat(before)), json!({"b": "y".repeat(150), "a": before}), json!(1)];
                    let mut want: Vec<u8> = Vec::new();
                    bodies.iter().for_each(|body| {
                        want.extend(encoder.encode_framed(kind, body).unwrap().to_vec());
                    });
                    let pulled: Rope = encoder.records(kind, &bodies).map(Result::unwrap).collect();
                    assert_same(&pulled.to_vec(), &want, format_args!("{kind:?}, {first}, {max}, {before}"));
                    assert!(pulled.chunks().iter().all(|chunk| !chunk.is_empty() && chunk.len() <= max));
                    let linked = [("x".repeat(before), Some(&fragment)), (String::new(), None)];
                    want.clear();
                    linked.iter().for_each(|body| {
                        want.extend(encoder.encode_framed(kind, body).unwrap().to_vec());
                    });
                    let pulled: Rope = encoder.records(kind, &linked).map(Result::unwrap).collect();
                    assert_same(&pulled.to_vec(), &want, format_args!("{kind:?}, linked, {first}, {max}, {before}"));
                }
            }
        }
    }
}

#[test]
fn max_len_is_for_the_body() {
    let text = "x".repeat(98);
    for kind in FRAMES {
        for pretty in [false, true] {
            if pretty && kind == Frame::NdJson {
                continue;
            }
            let build =
                |len| Encoder::builder().pretty(pretty).max_len(len).first_chunk(16).max_chunk(32).build().unwrap();
            let value = json!([text, [1, 2]]);
            let body = build(u64::MAX).encode(&value).unwrap();
            let want = frame(kind, &body.to_vec().iter().map(|&byte| byte as char).collect::<String>());
            assert_framed(&build(body.len() as u64), kind, &value, &want);
            let encoder = build(body.len() as u64 - 1);
            let error = encoder.encode_framed(kind, &value).unwrap_err();
            assert!(error.is_limit(), "{error}");
            let mut out = Vec::new();
            assert!(encoder.write_framed(kind, &mut out, &value).unwrap_err().is_limit());
            assert!(want.starts_with(&out) && out.len() < want.len());
            if matches!(kind, Frame::Grpc | Frame::LengthDelimited | Frame::HttpChunk) {
                assert!(out.is_empty(), "nothing leaves before the length is known");
            }
            // In a stream each record has the limit of its own.
            let mut records = encoder.records(kind, [json!(1), value.clone(), json!(2)]);
            let mut text = Vec::new();
            let error = loop {
                match records.next().expect("an error before the end") {
                    Ok(chunk) => text.extend_from_slice(&chunk),
                    Err(error) => break error,
                }
            };
            assert!(error.is_limit() && records.next().is_none());
            assert!(text.starts_with(&frame(kind, "1")));
        }
    }
}

/// Writes a number of elements, and fails if it is asked to.
struct Row {
    fails: bool,
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        for _ in 0..20 {
            seq.serialize_element("some text that is longer than a chunk")?;
        }
        if self.fails { Err(S::Error::custom("as told")) } else { seq.end() }
    }
}

#[test]
fn a_failing_value_leaves_nothing_or_an_exact_prefix() {
    for kind in FRAMES {
        for (first, max) in SIZES {
            let encoder = encoder(first, max);
            assert!(encoder.encode_framed(kind, &Row { fails: true }).unwrap_err().is_data());
            let mut rope = Rope::from("before");
            assert!(encoder.encode_framed_into(kind, &mut rope, &Row { fails: true }).unwrap_err().is_data());
            assert_eq!(rope, "before");
            let mut out = Vec::new();
            assert!(encoder.write_framed(kind, &mut out, &Row { fails: true }).unwrap_err().is_data());
            assert!(!out.ends_with(b"]") && !out.ends_with(b"\n"));
            // What comes before the failing record is whole, and nothing of a record without its length.
            let whole = frame(kind, &serde_json::to_string(&Row { fails: false }).unwrap());
            let (mut text, mut failed) = (Vec::new(), false);
            for item in encoder.records(kind, [false, true, false].map(|fails| Row { fails })) {
                match item {
                    Ok(chunk) => text.extend_from_slice(&chunk),
                    Err(error) => failed = error.is_data(),
                }
            }
            assert!(failed);
            assert!(text.starts_with(&whole) && text.len() < 2 * whole.len());
            if matches!(kind, Frame::Grpc | Frame::LengthDelimited | Frame::HttpChunk) {
                assert_eq!(text.len(), whole.len(), "{kind:?}");
            }
        }
    }
}

/// Frames of these bodies back to back can be told apart again, and give the bodies back.
fn back_to_back(bodies: &[String], first: usize, max: usize) {
    let encoder = encoder(first, max);
    for kind in FRAMES {
        let (mut rope, mut pulled) = (Rope::new(), Rope::new());
        for body in bodies {
            encoder.encode_framed_into(kind, &mut rope, body).unwrap();
        }
        pulled.extend(encoder.records(kind, bodies).map(Result::unwrap));
        assert_eq!(rope, pulled);
        let read = unframed(kind, &rope.to_vec()).into_iter();
        assert!(read.map(|body| serde_json::from_slice::<String>(&body).unwrap()).eq(bodies.iter().cloned()));
    }
}

/// Found by the random test below.
#[test]
fn long_characters_back_to_back() {
    let bodies = [
        "ꢀ ⶰAA𞹾\u{a51}ກAaaAa𑂾a a  ଏa🌀𑶓a",
        " 🌀\"®𐬀A a0\u{8e3}ಎ  ᝠa 0a\\  ᰻0\"A",
        "𔐀 ଏAጒ0AAa￼A꜀Σa𞹙 Ὀെ𑣿",
        "Aஒ\"aa\\𐖣 a ",
        "",
    ];
    back_to_back(&bodies.map(String::from), 35, 35);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bodies_back_to_back(bodies in prop::collection::vec(any::<String>(), 1..20), first in 16usize..300, more in 0usize..300) {
        back_to_back(&bodies, first, first + more);
    }
}
