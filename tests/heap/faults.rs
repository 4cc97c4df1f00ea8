//! Proves that a `Serialize` that fails or panics, at any of its calls and on every way out, leaks nothing, and neither
//! do writers that fail; and that buffers for small messages do not pile up.

use std::fmt::Display;
use std::io::{self, ErrorKind, Read, Write};
use std::panic::{self, AssertUnwindSafe};

use json_rope::{BytesFormat, Encoder, Error, Fragment, Frame, Rope, VectoredSink};
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::counting::live;
use crate::support::failing::{Action, Risky, Shown, failing_at};

crate::tests! {
    every_call_on_every_way_out,
    writers_that_fail_after_every_byte,
    limits_at_every_length,
    half_read_streams,
    strings_around_the_first_chunk,
    a_million_small_messages,
    small_after_large_in_a_sink,
}

/// Runs the work, after which not a byte more may be allocated.
fn leaks_nothing(what: impl Display, work: impl FnOnce()) {
    let before = live();
    work();
    assert_eq!(live(), before, "{what} leaks: blocks and bytes");
}

struct Members<'a>(&'a Fragment);

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(&Risky("z"), &Risky(1))?;
        map.serialize_key(&Risky("y/<é"))?;
        map.serialize_value(&Risky([Risky(1.5), Risky(2.5)]))?;
        map.serialize_entry(&Shown(&["x", "é", "\n"]), &Shown(&["a\"", "", "é"]))?;
        map.serialize_key(&Fragment::trusted("\"w\""))?;
        map.serialize_value(&Risky(self.0))?;
        map.serialize_entry("list", &Risky(vec!["some text, and more of it"; 8]))?;
        map.end()
    }
}

fn encoders() -> Vec<Encoder> {
    let all = Encoder::builder().ascii(true).html_safe(true).escape_solidus(true).sort_keys(true).pretty(true);
    let builders = [
        Encoder::builder(),
        Encoder::builder().sort_keys(true).max_chunk(32),
        all.bytes(BytesFormat::Base64).max_chunk(64),
    ];
    builders.map(|builder| builder.build().unwrap()).into()
}

/// Takes all, in pieces.
struct Pieces(usize);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(7);
        self.0 += taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

type WayOut<'a> = Box<dyn Fn() -> Result<(), Error> + 'a>;

/// Every way out of the crate for values.
fn ways_out<'a, T: Serialize>(encoder: &'a Encoder, value: &'a T) -> Vec<(&'static str, WayOut<'a>)> {
    vec![
        ("to_rope", Box::new(move || json_rope::to_rope(value).map(drop))),
        ("to_rope_pretty", Box::new(move || json_rope::to_rope_pretty(value).map(drop))),
        ("to_chunks", Box::new(move || json_rope::to_chunks(value).map(drop))),
        ("to_vec", Box::new(move || json_rope::to_vec(value).map(drop))),
        ("to_string", Box::new(move || json_rope::to_string(value).map(drop))),
        ("to_writer", Box::new(move || json_rope::to_writer(Pieces(0), value))),
        ("to_writer_pretty", Box::new(move || json_rope::to_writer_pretty(Pieces(0), value))),
        ("encode", Box::new(move || encoder.encode(value).map(drop))),
        (
            "encode_into",
            Box::new(move || {
                let mut rope = Rope::from("before");
                let result = encoder.encode_into(&mut rope, value);
                assert!(result.is_ok() || rope == "before");
                result
            }),
        ),
        ("write", Box::new(move || encoder.write(&mut Pieces(0), value).map(drop))),
        ("array", Box::new(move || encoder.array([value, value]).try_for_each(|chunk| chunk.map(drop)))),
        (
            "array, read",
            Box::new(move || {
                let read = io::copy(&mut encoder.array([value]).into_reader(), &mut io::sink());
                read.map(drop).map_err(Error::custom)
            }),
        ),
        ("records", Box::new(move || encoder.records(Frame::JsonSeq, [value, value]).try_for_each(|c| c.map(drop)))),
        (
            "records, prefixed",
            Box::new(move || encoder.records(Frame::LengthDelimited, [value]).try_for_each(|c| c.map(drop))),
        ),
        (
            "try_array",
            Box::new(move || {
                let items = [Ok(value), Err("the end"), Ok(value)];
                let mut chunks = encoder.try_array(items);
                let error = chunks.find_map(Result::err);
                assert!(chunks.next().is_none());
                error.map_or(Ok(()), Err)
            }),
        ),
        (
            "sink",
            Box::new(move || {
                let mut sink = VectoredSink::new(Pieces(0));
                sink.push(encoder.encode(&1)?);
                sink.push(encoder.encode(value)?);
                sink.flush().map_err(Error::custom)
            }),
        ),
    ]
}

fn every_call_on_every_way_out() {
    let fragment = Fragment::trusted(format!("\"{}\"", "é".repeat(600)));
    let value = Risky((Members(&fragment), vec![Risky(1)], Shown(&["the ", "end"])));
    for encoder in encoders() {
        let want = encoder.encode(&value).unwrap();
        for (name, way_out) in ways_out(&encoder, &value) {
            for action in [Action::Fail, Action::Panic] {
                for at in 0.. {
                    let mut reached = false;
                    leaks_nothing(format_args!("{name}, {action:?} at call {at}"), || {
                        let result;
                        (result, reached) = failing_at(at, action, &way_out);
                        match result {
                            Ok(Ok(())) => assert!(!reached, "{name}: the failure was lost"),
                            // One of the ways ends with an error of its own.
                            Ok(Err(_)) => assert!(action == Action::Fail || !reached),
                            Err(_) => assert_eq!(action, Action::Panic),
                        }
                    });
                    if !reached {
                        // Nothing is poisoned.
                        assert_eq!(encoder.encode(&value).unwrap(), want);
                        assert!(at > 20, "{name}: only {at} calls");
                        break;
                    }
                }
            }
        }
    }
}

/// Takes some bytes, and then fails or panics.
struct Full(usize, Option<ErrorKind>);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match (self.0.min(bytes.len()), self.1) {
            (0, Some(kind)) => Err(kind.into()),
            (0, None) => panic::resume_unwind(Box::new(())),
            (taken, _) => {
                self.0 -= taken;
                Ok(taken)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn writers_that_fail_after_every_byte() {
    let value = json!({"list": (0..60).collect::<Vec<_>>(), "text": "é\n".repeat(100), "more": [{"a": [null, 1.5]}]});
    for encoder in encoders() {
        let rope = encoder.encode(&value).unwrap();
        // The first clone of a chunk gives it a counter, which it keeps.
        drop(rope.clone());
        for kind in [Some(ErrorKind::StorageFull), None] {
            for room in (0..rope.len()).step_by(13) {
                let attempt = |send: &dyn Fn(Full) -> bool| {
                    leaks_nothing(format_args!("a writer that takes {room} bytes, {kind:?}"), || {
                        let complete =
                            panic::catch_unwind(AssertUnwindSafe(|| send(Full(room, kind)))).unwrap_or(false);
                        assert!(!complete);
                    });
                };
                attempt(&|mut full| encoder.write(&mut full, &value).is_ok());
                attempt(&|mut full| rope.write_to(&mut full).is_ok());
                attempt(&|mut full| io::copy(&mut encoder.chunks(&value).into_reader(), &mut full).is_ok());
                attempt(&|full| {
                    let mut sink = VectoredSink::new(full);
                    rope.clone().into_iter().for_each(|chunk| sink.push(chunk.into()));
                    sink.flush().is_ok()
                });
            }
        }
        assert_eq!(encoder.encode(&value).unwrap(), rope);
    }
}

fn limits_at_every_length() {
    let fragment = Fragment::trusted(format!("[{}]", "0,".repeat(800) + "0"));
    let value = (vec!["some text"; 200], &fragment, json!({"b": "x".repeat(500), "a": [[[1]]]}), &fragment);
    let whole = Encoder::new().encode(&value).unwrap().len();
    for len in (0..whole).step_by(97) {
        for sorted in [false, true] {
            let encoder = Encoder::builder().sort_keys(sorted).max_len(len as u64).max_chunk(512).build().unwrap();
            leaks_nothing(format_args!("max_len {len}"), || {
                assert!(encoder.encode(&value).unwrap_err().is_limit());
                assert!(encoder.write(&mut Pieces(0), &value).unwrap_err().is_limit());
                assert!(encoder.array([&value]).any(|chunk| chunk.is_err_and(|error| error.is_limit())));
            });
        }
    }
}

/// Streams that are dropped after any number of steps, with the rest of the tree in them.
fn half_read_streams() {
    let tree: Value =
        (0..300).map(|n| json!({"n": n, "list": [[n, null], "text".repeat(5)], "o": {"p": {}}})).collect();
    let encoder = Encoder::builder().first_chunk(64).max_chunk(256).build().unwrap();
    let steps = encoder.chunks(&tree).count();
    for n in 0..=steps {
        leaks_nothing(format_args!("{n} steps"), || {
            assert_eq!(Iterator::take(encoder.chunks(tree.clone()), n).count(), n);
            Iterator::take(encoder.chunks(&tree), n).for_each(drop);
            Iterator::take(encoder.array(tree.as_array().unwrap()), n).for_each(drop);
            Iterator::take(encoder.records(Frame::NdJson, tree.as_array().unwrap()), n).for_each(drop);
            let mut reader = encoder.chunks(&tree).into_reader();
            // In the middle of a chunk.
            let _ = reader.read(&mut vec![0; 10 * n]).unwrap();
        });
    }
    // Handles that were never used.
    leaks_nothing("unused handles", || {
        drop(Encoder::builder().indent("\t"));
        drop((Encoder::new(), Encoder::new().clone(), Rope::new(), VectoredSink::new(Vec::<u8>::new())));
        drop(encoder.chunks(tree.clone()));
        drop(encoder.array(vec![tree.clone()]));
        drop(encoder.records(Frame::Grpc, vec![tree.clone()]));
        drop(Fragment::trusted(Vec::<u8>::new()));
    });
}

fn strings_around_the_first_chunk() {
    let encoder = Encoder::new();
    for len in (2030..2060).chain(14_320..14_345).chain([0, 1, 65_534, 65_535, 200_000]) {
        let text = "x".repeat(len);
        leaks_nothing(format_args!("a string of {len} bytes"), || {
            for _ in 0..20 {
                assert_eq!(encoder.encode(&text).unwrap().len(), len + 2);
                assert_eq!(json_rope::to_rope(&text).unwrap().len(), len + 2);
                assert_eq!(json_rope::to_vec(&text).unwrap().len(), len + 2);
                json_rope::to_writer(&mut Pieces(0), &text).unwrap();
            }
        });
    }
}

/// Messages of ten bytes, split off and dropped: a buffer that is split again and again must not grow in hiding.
fn a_million_small_messages() {
    let rope = json_rope::to_rope("12345678").unwrap();
    let mut sink = VectoredSink::new(io::sink());
    let mut kept = Rope::new();
    let round = |sink: &mut VectoredSink<io::Sink>, kept: &mut Rope| {
        for n in 0..1000 {
            sink.push(rope.clone());
            kept.append(rope.clone());
            if n % 3 == 0 {
                sink.flush().unwrap();
                drop(kept.split_to(10 + kept.len() % 10));
            }
        }
        sink.flush().unwrap();
        drop(kept.split_to(kept.len()));
    };
    (0..10).for_each(|_| round(&mut sink, &mut kept));
    let (_, before) = live();
    let rounds = if cfg!(debug_assertions) { 30 } else { 1000 };
    for _ in 0..rounds {
        round(&mut sink, &mut kept);
        let (_, now) = live();
        assert!(now <= before + 32 * 1024, "{} bytes more", now - before);
    }
}

/// After a large value a sink that lives on keeps no more than before, save the list of its queue.
fn small_after_large_in_a_sink() {
    let large = "x".repeat(4 << 20);
    let encoder = Encoder::new();
    let mut sink = VectoredSink::new(Pieces(0));
    let small = |sink: &mut VectoredSink<Pieces>| {
        for _ in 0..100 {
            sink.push(encoder.encode(&[1, 2, 3]).unwrap());
            sink.flush().unwrap();
        }
        live().1
    };
    let before = small(&mut sink);
    for _ in 0..3 {
        sink.push(Encoder::new().encode(&large).unwrap());
        sink.flush().unwrap();
        let after = small(&mut sink);
        assert!(after <= before + 24 * 1024, "{} bytes are kept", after - before);
    }
}
