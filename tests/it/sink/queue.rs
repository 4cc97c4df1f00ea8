//! `VectoredSink`: what is pending, what is kept, what is merged, and what happens after an error.

use std::io::{self, ErrorKind, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use json_rope::{Rope, VectoredSink};
use json_rope_bench_data::generate;
use serde_json::json;

use crate::support::writer::Script;
use crate::support::writer::Step::{Accept, Fail, Interrupted, Lie, WouldBlock, Zero};

const KIB: usize = 1024;

fn document() -> (Rope, Vec<u8>) {
    let value = json!({"name": "line\n", "list": (0..60).collect::<Vec<_>>(), "end": "é\u{1f600}".repeat(9)});
    (json_rope::to_rope(&value).unwrap(), serde_json::to_vec(&value).unwrap())
}

/// Bytes that count how many of their kind are alive.
struct Owned(Vec<u8>, Arc<AtomicUsize>);

impl AsRef<[u8]> for Owned {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.1.fetch_sub(1, Ordering::Relaxed);
    }
}

fn owned(byte: u8, length: usize, alive: &Arc<AtomicUsize>) -> Bytes {
    alive.fetch_add(1, Ordering::Relaxed);
    Bytes::from_owner(Owned(vec![byte; length], Arc::clone(alive)))
}

#[test]
fn into_parts_gives_back_exactly_what_was_not_sent() {
    let (rope, bytes) = document();
    for k in 0..=bytes.len() {
        let before = if k == 0 { vec![] } else { vec![Accept(k)] };
        let mut sink = VectoredSink::new(Script::steps(before, WouldBlock));
        sink.push(rope.clone());
        assert_eq!(sink.pending(), bytes.len());
        let flushed = sink.flush();
        assert_eq!(flushed.is_ok(), k == bytes.len());
        assert_eq!(sink.pending(), bytes.len() - k);
        let (writer, unsent) = sink.into_parts();
        assert_eq!(writer.accepted, bytes[..k]);
        assert_eq!(unsent, bytes[k..]);
    }
}

/// What one sink could not send, another one can.
#[test]
fn the_rest_can_be_sent_by_another_sink() {
    let (rope, bytes) = document();
    for k in 1..bytes.len() {
        let mut sink = VectoredSink::new(Script::failing_after(k, ErrorKind::ConnectionReset));
        sink.push(rope.clone());
        assert_eq!(sink.flush().unwrap_err().kind(), ErrorKind::ConnectionReset);
        let (broken, unsent) = sink.into_parts();
        let mut sink = VectoredSink::new(Script::cycle([Accept(3)]));
        sink.push(unsent);
        sink.flush().unwrap();
        assert_eq!([broken.accepted, sink.into_parts().0.accepted].concat(), bytes);
    }
}

#[test]
fn every_error_leaves_the_rest_in_the_queue() {
    let (rope, bytes) = document();
    let steps = [
        (Fail(ErrorKind::BrokenPipe), ErrorKind::BrokenPipe),
        (Fail(ErrorKind::Other), ErrorKind::Other),
        (Zero, ErrorKind::WriteZero),
        (Lie, ErrorKind::InvalidData),
        (WouldBlock, ErrorKind::WouldBlock),
    ];
    for k in 1..bytes.len() {
        for (step, kind) in steps {
            let mut sink = VectoredSink::new(Script::steps([Accept(k), Interrupted, step], Accept(7)));
            sink.push(rope.clone());
            assert_eq!(sink.flush().unwrap_err().kind(), kind);
            assert_eq!(sink.pending(), bytes.len() - k);
            // More may be pushed after an error, and the next flush carries on exactly there.
            sink.push(Rope::from("more"));
            assert_eq!(sink.pending(), bytes.len() - k + 4);
            sink.flush().unwrap();
            assert_eq!(sink.pending(), 0);
            assert_eq!(sink.get_ref().accepted, [&bytes[..], b"more"].concat(), "{step:?} after {k}");
        }
    }
}

#[test]
fn a_failing_flush_of_the_writer_is_an_error_after_everything_was_sent() {
    let mut sink = VectoredSink::new(Script::new().failing_flush(ErrorKind::TimedOut));
    sink.push(Rope::from("[]"));
    assert_eq!(sink.flush().unwrap_err().kind(), ErrorKind::TimedOut);
    assert_eq!(sink.pending(), 0);
    sink.get_mut().mend_flush();
    sink.flush().unwrap();
    assert_eq!(sink.get_ref().accepted, b"[]");
    assert_eq!((sink.get_ref().calls.len(), sink.get_ref().flushes), (1, 2));
}

#[test]
fn nothing_is_written_by_push_or_drop() {
    let mut writer = Script::new();
    let alive = Arc::new(AtomicUsize::new(0));
    let mut sink = VectoredSink::new(&mut writer);
    sink.push(Rope::from("small"));
    sink.push(Rope::from(owned(b'x', 100 * KIB, &alive)));
    assert_eq!(sink.pending(), 100 * KIB + 5);
    drop(sink);
    assert_eq!(alive.load(Ordering::Relaxed), 0);
    assert_eq!((writer.calls.len(), writer.flushes), (0, 0));

    let mut writer = Script::steps([Accept(3)], WouldBlock);
    let mut sink = VectoredSink::new(&mut writer);
    sink.push(Rope::from("unfinished"));
    sink.flush().unwrap_err();
    drop(sink);
    assert_eq!(writer.accepted, b"unf");
    assert_eq!(writer.calls.len(), 2);
}

/// Memory falls while a slow reader drains.
#[test]
fn chunks_are_let_go_of_as_they_are_sent() {
    const CHUNKS: usize = 100;
    const LENGTH: usize = 2 * KIB;
    for k in [1, 700, LENGTH - 1, LENGTH, LENGTH + 1, 5 * LENGTH, 63 * LENGTH + 1] {
        let alive = Arc::new(AtomicUsize::new(0));
        let steps = [Accept(k), WouldBlock];
        let mut sink = VectoredSink::new(Script::cycle(steps));
        sink.push((0..CHUNKS).map(|i| owned(i as u8, LENGTH, &alive)).collect());
        assert_eq!(alive.load(Ordering::Relaxed), CHUNKS);
        let mut rounds = 0;
        while sink.pending() > 0 && rounds < 1000 {
            let _ = sink.flush();
            let sent = sink.get_ref().accepted.len();
            assert_eq!(sink.pending(), CHUNKS * LENGTH - sent);
            assert_eq!(alive.load(Ordering::Relaxed), CHUNKS - sent / LENGTH, "after {sent} bytes");
            rounds += 1;
        }
    }
}

/// The statement of the documentation: chunks of less than 2 KiB are copied together, up to 16 KiB.
#[test]
fn small_ropes_are_merged() {
    for length in [1, 10, 100, 1000, 2047] {
        let mut sink = VectoredSink::new(Script::new());
        let mut expected = Vec::new();
        for i in 0..1000 {
            let message = vec![b'a' + (i % 26) as u8; length];
            expected.extend_from_slice(&message);
            sink.push(Rope::from(message));
            assert_eq!(sink.pending(), expected.len());
        }
        sink.flush().unwrap();
        let writer = sink.get_ref();
        assert!(writer.accepted == expected);
        let slices: Vec<usize> =
            writer.calls.iter().flat_map(|call| &call.slices).map(ExactSizeIterator::len).collect();
        assert!(slices.len() <= expected.len().div_ceil(14 * KIB), "{} slices", slices.len());
        assert!(slices.iter().all(|&slice| slice <= 16 * KIB));
        assert!(writer.calls.len() <= 3, "{} calls", writer.calls.len());
    }
}

/// Small messages still merge while the writer is blocked and every push is followed by a flush, as servers do.
#[test]
fn small_ropes_are_merged_while_the_writer_blocks() {
    let mut sink = VectoredSink::new(Script::steps([WouldBlock; 1000], Accept(usize::MAX)));
    for i in 0..1000 {
        sink.push(Rope::from(format!("{i:010}")));
        assert_eq!(sink.flush().unwrap_err().kind(), ErrorKind::WouldBlock);
        assert_eq!(sink.pending(), 10 * (i + 1));
    }
    let (_, unsent) = sink.into_parts();
    assert_eq!(unsent.len(), 10_000);
    assert!(unsent.chunks().len() <= 2, "{} chunks", unsent.chunks().len());
}

#[test]
fn the_length_of_a_chunk_decides_whether_it_is_copied() {
    for (length, shared) in [(2 * KIB - 1, false), (2 * KIB, true)] {
        let alive = Arc::new(AtomicUsize::new(0));
        let mut sink = VectoredSink::new(Script::new());
        sink.push(Rope::from(owned(b'x', length, &alive)));
        assert_eq!(alive.load(Ordering::Relaxed) == 1, shared);
        assert_eq!(sink.pending(), length);
    }
}

#[test]
fn small_and_large_keep_their_order() {
    let mut random = generate::SplitMix64::new(7);
    for round in 0..30 {
        let mut expected = Vec::new();
        let steps = (0..40).flat_map(|i| [Accept(1 + (i * 977 + round * 131) % 9000), WouldBlock, Interrupted]);
        let mut sink = VectoredSink::new(Script::cycle(steps.collect::<Vec<_>>()));
        let mut sent = 0;
        for i in 0..200_u32 {
            let length = match random.below(4) {
                0 => random.below(20),
                1 => 2000 + random.below(100),
                2 => random.below(16 * 1024),
                _ => random.below(1000),
            };
            let message: Vec<u8> = i.to_le_bytes().into_iter().cycle().take(length as usize).collect();
            expected.extend_from_slice(&message);
            sink.push(Rope::from(message));
            if random.below(3) == 0 {
                let _ = sink.flush();
                sent = sink.get_ref().accepted.len();
            }
            assert_eq!(sink.pending(), expected.len() - sent);
        }
        for _ in 0..100_000 {
            if sink.flush().is_ok() {
                break;
            }
        }
        assert_eq!(sink.pending(), 0);
        assert!(sink.get_ref().accepted == expected);
    }
}

/// Many documents in one vectored call.
#[test]
fn queued_documents_leave_together() {
    let rope = json_rope::to_rope(&generate::array_of_bytes(100_000)).unwrap();
    let mut sink = VectoredSink::new(Script::new().at_most_slices(64));
    for _ in 0..8 {
        sink.push(rope.clone());
    }
    sink.flush().unwrap();
    assert_eq!(sink.get_ref().accepted.len(), 800_000);
    assert_eq!(sink.get_ref().calls.len(), 1);
}

/// Panics at its second call.
struct Panics(Vec<u8>, usize);

impl Write for Panics {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1 += 1;
        assert_ne!(self.1, 2, "as the test wants it");
        let taken = bytes.len().min(4);
        self.0.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn nothing_is_lost_or_repeated_after_a_panic_of_the_writer() {
    let mut sink = VectoredSink::new(Panics(Vec::new(), 0));
    sink.push(Rope::from("0123456789"));
    catch_unwind(AssertUnwindSafe(|| sink.flush())).expect_err("the writer panics");
    assert_eq!(sink.pending(), 6);
    sink.flush().unwrap();
    assert_eq!(sink.get_ref().0, b"0123456789");
}

#[test]
fn a_sink_can_be_moved_between_threads_and_printed() {
    fn check<T: Send + Sync>(_: &T) {}
    let mut sink = VectoredSink::new(Vec::<u8>::new());
    check(&sink);
    sink.push(Rope::from("abc"));
    assert_eq!(format!("{sink:?}"), "VectoredSink { writer: [], pending: 3 }");
    std::thread::spawn(move || sink.flush()).join().unwrap().unwrap();
}
