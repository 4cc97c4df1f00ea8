//! Proves that a record writer gives out the records of `Encoder::records`, and no part of one.

use std::collections::BTreeMap;

use json_rope::{Encoder, Frame, Writer};

use crate::support::frames::{FRAMES, frame, unframed};

fn drain(writer: &mut Writer) -> Vec<u8> {
    std::iter::from_fn(|| writer.pop()).flatten().collect()
}

fn encoders() -> Vec<Encoder> {
    let mut encoders = Vec::new();
    for (first, max) in [(16, 16), (100, 100), (64, 3000), (2048, 65536)] {
        for sort in [false, true] {
            let builder = Encoder::builder().first_chunk(first).max_chunk(max).sort_keys(sort);
            encoders.push(builder.clone().build().unwrap());
            encoders.push(builder.pool(json_rope::Pool::default()).build().unwrap());
        }
    }
    encoders
}

/// A record of about `len` bytes, in pieces.
fn push(writer: &mut Writer, n: usize, len: usize) -> String {
    writer.begin_object().unwrap();
    writer.key("n").unwrap();
    writer.value(&n).unwrap();
    writer.key("text").unwrap();
    writer.begin_array().unwrap();
    (0..len / 10).for_each(|_| writer.value("a text.").unwrap());
    writer.end().unwrap();
    writer.end().unwrap();
    format!(r#"{{"n":{n},"text":[{}]}}"#, vec![r#""a text.""#; len / 10].join(","))
}

#[test]
fn the_records_in_every_frame() {
    for encoder in encoders() {
        for kind in FRAMES {
            let mut writer = encoder.record_writer(kind);
            let (mut got, mut want) = (Vec::new(), Vec::new());
            for n in 0..60 {
                if n % 3 == 0 {
                    writer.value(&n).unwrap();
                    want.extend(frame(kind, &n.to_string()));
                } else {
                    let body = push(&mut writer, n, n * n);
                    want.extend(frame(kind, &body));
                }
                match n % 7 {
                    0 => writer.flush(),
                    1 | 2 => got.extend(drain(&mut writer)),
                    3 => got.extend(writer.pop().into_iter().flatten()),
                    _ => {}
                }
            }
            writer.finish().unwrap();
            got.extend(drain(&mut writer));
            assert!(got == want, "{kind:?}");
        }
    }
}

/// While a record is open that is not longer than a chunk, only whole records come out, and all of them.
#[test]
fn no_part_of_a_record() {
    for kind in FRAMES {
        for chunk in [3000, 65536] {
            let encoder = Encoder::builder().first_chunk(chunk).max_chunk(chunk).build().unwrap();
            let mut writer = encoder.record_writer(kind);
            let (mut got, mut bodies) = (Vec::new(), 0);
            for n in 0..40 {
                writer.begin_array().unwrap();
                for _ in 0..n {
                    writer.value("some text of an element of this record").unwrap();
                    if n % 5 == 0 {
                        writer.flush();
                    }
                    got.extend(drain(&mut writer));
                }
                let whole = unframed(kind, &got).len();
                assert!(whole <= n && (whole == n || n % 5 != 0 || n == 0), "{kind:?}: {whole} of {n}");
                writer.end().unwrap();
                bodies += 1;
            }
            writer.finish().unwrap();
            got.extend(drain(&mut writer));
            assert_eq!(unframed(kind, &got).len(), bodies);
        }
    }
}

/// While chunks grow, one may end inside of a record. It waits until the record is complete, or longer than the longest
/// chunk; and what waits is counted.
#[test]
fn no_part_of_a_record_in_chunks_that_grow() {
    let encoder = Encoder::builder().first_chunk(32).max_chunk(256).build().unwrap();
    for (kind, headroom, suffix) in [(Frame::NdJson, 0, 1), (Frame::Grpc, 5, 0)] {
        for len in (1..130).chain(245..265) {
            let mut writer = encoder.record_writer(kind);
            let (mut got, mut whole) = (0, 0);
            for n in 0..8 {
                writer.begin_array().unwrap();
                let mut body = 0;
                for _ in 0..2 {
                    writer.value(&"x".repeat(len)).unwrap();
                    body += r#"["""#.len() + len;
                    got += drain(&mut writer).len();
                    assert_eq!(got + writer.pending(), whole + headroom + body, "{kind:?}, {len}, {n}");
                    let may_leave = body > 256 && kind == Frame::NdJson;
                    assert!(got <= whole || may_leave, "{kind:?}, {len}: {got} of {whole} bytes and {body}");
                }
                writer.end().unwrap();
                whole += headroom + body + "]".len() + suffix;
            }
            writer.finish().unwrap();
            assert_eq!(got + drain(&mut writer).len(), whole);
        }
    }
}

/// A record that is longer than a chunk leaves in parts, if its frame lets it.
#[test]
fn a_long_record() {
    for kind in FRAMES {
        let encoder = Encoder::builder().first_chunk(64).max_chunk(64).build().unwrap();
        let mut writer = encoder.record_writer(kind);
        writer.value("before").unwrap();
        writer.begin_array().unwrap();
        let mut got = Vec::new();
        for n in 0..100 {
            writer.value(&n).unwrap();
            got.extend(drain(&mut writer));
        }
        let before = frame(kind, "\"before\"");
        if matches!(kind, Frame::Grpc | Frame::LengthDelimited | Frame::HttpChunk) {
            assert_eq!(got, before, "{kind:?}");
        } else {
            assert!(got.len() > before.len() + 200, "{kind:?}");
        }
        writer.end().unwrap();
        writer.finish().unwrap();
        got.extend(drain(&mut writer));
        let body = serde_json::to_string(&Vec::from_iter(0..100)).unwrap();
        assert!(got == [before, frame(kind, &body)].concat(), "{kind:?}");
    }
}

#[test]
fn an_error_ends_with_a_whole_record() {
    for kind in FRAMES {
        for encoder in encoders().into_iter().skip(8) {
            let mut writer = encoder.record_writer(kind);
            writer.value("one").unwrap();
            writer.value(&[2, 3]).unwrap();
            writer.begin_object().unwrap();
            writer.key("a").unwrap();
            let error = writer.value(&[BTreeMap::from([((), 1)])]).unwrap_err();
            assert_eq!((error.record(), error.pointer()), (Some(2), Some("/a/0")));
            let want = [frame(kind, "\"one\""), frame(kind, "[2,3]")].concat();
            assert_eq!(drain(&mut writer), want, "{kind:?}");
            assert!(writer.value(&1).is_err());
        }
    }
}

#[test]
fn the_limit_is_for_each_record() {
    for kind in FRAMES {
        let encoder = Encoder::builder().max_len(5).build().unwrap();
        let mut writer = encoder.record_writer(kind);
        for _ in 0..10 {
            writer.value("abc").unwrap();
            writer.begin_array().unwrap();
            writer.value(&1).unwrap();
            writer.value(&2).unwrap();
            writer.end().unwrap();
        }
        writer.begin_array().unwrap();
        writer.value(&10).unwrap();
        let error = writer.value(&20).and_then(|()| writer.end()).unwrap_err();
        assert!(error.is_limit());
        assert_eq!(error.record(), Some(20));
        let records = unframed(kind, &drain(&mut writer));
        assert_eq!(records.len(), 20);
        assert!(records.iter().all(|body| body.len() == 5));
    }
}
