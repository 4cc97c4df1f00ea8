//! Proves what happens when the system refuses: a disk that is full, a pipe whose reader has gone, on every way to a
//! writer. The error has its kind, what was taken is a prefix, and the encoder is as before.
#![cfg(unix)]

use std::io::{self, ErrorKind, Read, Write};
use std::thread;

use json_rope::{Encoder, Fragment, Frame, Rope, VectoredSink, to_rope};
use serde_json::Value;

use crate::support::documents;

fn encoders() -> Vec<Encoder> {
    let builders = [
        Encoder::builder(),
        Encoder::builder().pretty(true),
        Encoder::builder().sort_keys(true).ascii(true),
        Encoder::builder().max_chunk(16),
        Encoder::builder().first_chunk(100).max_chunk(5000),
    ];
    builders.map(|builder| builder.build().unwrap()).into()
}

/// From a few bytes to more than any pipe holds.
fn values() -> Vec<Value> {
    let mut values = documents::tricky();
    values.push(Value::Null);
    values.push("x".repeat(300_000).into());
    values.push((0..100_000).collect());
    values
}

/// Everything that sends `value` to a writer, each with a writer of its own.
fn send_all<W: Write>(encoder: &Encoder, value: &Value, writer: impl Fn() -> W, check: impl Fn(io::Error)) {
    let error = encoder.write(&mut writer(), value).unwrap_err();
    assert!(error.is_io() && !error.is_data() && !error.is_limit() && !error.is_config());
    assert_eq!(error.pointer(), None);
    check(error.into());
    check(json_rope::to_writer(writer(), value).unwrap_err().into());
    check(json_rope::to_writer_pretty(writer(), value).unwrap_err().into());
    let rope = encoder.encode(value).unwrap();
    check(rope.write_to(&mut writer()).unwrap_err());
    let fragment = [Fragment::trusted(rope.clone()), Fragment::trusted(rope.clone())];
    check(encoder.write(&mut writer(), &fragment).unwrap_err().into());

    let mut sink = VectoredSink::new(writer());
    sink.push(rope.clone());
    for _ in 0..3 {
        check(sink.flush().unwrap_err());
    }
    let (_, unsent) = sink.into_parts();
    assert!(unsent == rope.slice(rope.len() - unsent.len()..), "what is left is not the end");

    check(io::copy(&mut encoder.chunks(value).into_reader(), &mut writer()).unwrap_err());
    check(io::copy(&mut encoder.array([value, value]).into_reader(), &mut writer()).unwrap_err());
    check(io::copy(&mut encoder.records(Frame::JsonSeq, [value]).into_reader(), &mut writer()).unwrap_err());

    // Nothing is poisoned.
    assert_eq!(encoder.encode(value).unwrap(), rope);
    let mut out = Vec::new();
    encoder.write(&mut out, value).unwrap();
    assert_eq!(rope, out);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    for encoder in encoders() {
        for value in values() {
            send_all(&encoder, &value, full, |error| {
                assert_eq!(error.kind(), ErrorKind::StorageFull);
                assert_eq!(error.raw_os_error(), Some(libc::ENOSPC), "the system's own error is kept");
            });
        }
    }
}

#[test]
fn a_pipe_without_a_reader() {
    let closed = || {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        writer
    };
    for encoder in encoders() {
        for value in values() {
            send_all(&encoder, &value, closed, |error| {
                assert_eq!(error.kind(), ErrorKind::BrokenPipe);
                assert_eq!(error.raw_os_error(), Some(libc::EPIPE), "the system's own error is kept");
            });
        }
    }
}

/// The reader goes after some bytes. What it got is a prefix, and the writer is told.
#[test]
fn a_pipe_whose_reader_goes() {
    let value: Value = (0..200_000).collect();
    for encoder in encoders() {
        let text = encoder.encode(&value).unwrap();
        for taken in [1, 100, 70_000, 300_000] {
            let read = move |mut reader: io::PipeReader| {
                let mut got = vec![0; taken];
                reader.read_exact(&mut got).unwrap();
                got
            };
            type Send<'a> = Box<dyn Fn(&mut io::PipeWriter) -> io::Result<()> + 'a>;
            let ways: [Send<'_>; 4] = [
                Box::new(|writer| Ok(encoder.write(writer, &value).map(drop)?)),
                Box::new(|writer| text.write_to(writer)),
                Box::new(|writer| io::copy(&mut encoder.chunks(&value).into_reader(), writer).map(drop)),
                Box::new(|writer| {
                    let mut sink = VectoredSink::new(writer);
                    sink.push(text.clone());
                    sink.flush()
                }),
            ];
            for send in ways {
                let (reader, mut writer) = io::pipe().unwrap();
                let reader = thread::spawn(move || read(reader));
                let error = send(&mut writer).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::BrokenPipe);
                assert!(text.slice(..taken) == reader.join().unwrap());
            }
        }
    }
}

/// A file that may not grow beyond a number of bytes has taken exactly those.
#[test]
fn a_slice_that_is_full() {
    let value: Value = (0..3000).collect();
    let rope = to_rope(&value).unwrap();
    for room in (0..200).chain([2047, 2048, 2049, rope.len() - 1]) {
        let mut memory = vec![0; room];
        let error = json_rope::to_writer(&mut memory[..], &value).unwrap_err();
        assert_eq!(error.io_error_kind(), Some(ErrorKind::WriteZero));
        assert!(rope.slice(..room) == memory);
        memory.fill(0);
        assert_eq!(rope.write_to(&mut &mut memory[..]).unwrap_err().kind(), ErrorKind::WriteZero);
        assert!(rope.slice(..room) == memory);
        memory.fill(0);
        let mut sink = VectoredSink::new(&mut memory[..]);
        sink.push(rope.clone());
        assert_eq!(sink.flush().unwrap_err().kind(), ErrorKind::WriteZero);
        assert_eq!(sink.pending(), rope.len() - room);
        let unsent: Rope = sink.into_parts().1;
        assert!(unsent == rope.slice(room..));
        assert!(rope.slice(..room) == memory);
    }
}
