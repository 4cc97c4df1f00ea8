//! Any behaviour of a writer, on every way to it: what it has accepted is always an exact prefix, nothing is lost or
//! sent twice, and nothing is sent after an error.
#![no_main]

use std::io::{self, ErrorKind, IoSlice, Write};

use arbitrary::Arbitrary;
use bytes::Bytes;
use json_rope::{Encoder, Rope, VectoredSink};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug, Clone)]
enum Step {
    Accept(u16),
    All,
    FirstSlice,
    Interrupted,
    WouldBlock,
    Zero,
    Lie(u8),
    LieWildly,
    Fail,
}

#[derive(Arbitrary, Debug)]
struct Input {
    steps: Vec<Step>,
    /// Whether `flush` of the writer is interrupted, and then whether it fails, in turn.
    flushes: Vec<(bool, bool)>,
    documents: Vec<Vec<(String, u8)>>,
    /// Lengths of the pieces that a rope is cut into before it is pushed, in turn.
    cuts: Vec<u16>,
    chunk: u16,
    pretty: bool,
    sorted: bool,
    usual_chunks: bool,
    /// The sink is taken apart and built anew after so many flushes.
    rebuild: u8,
}

struct Script<'a> {
    steps: std::iter::Cycle<std::slice::Iter<'a, Step>>,
    flushes: std::iter::Cycle<std::slice::Iter<'a, (bool, bool)>>,
    interrupted: bool,
    accepted: Vec<u8>,
    failed: bool,
}

impl Script<'_> {
    fn new(input: &Input) -> Script<'_> {
        let (steps, flushes) = (input.steps.iter().cycle(), input.flushes.iter().cycle());
        Script { steps, flushes, interrupted: false, accepted: Vec::new(), failed: false }
    }

    /// Fails, and remembers that nothing may follow.
    fn fail(&mut self, kind: ErrorKind) -> io::Result<usize> {
        self.failed = true;
        Err(kind.into())
    }
}

impl Write for Script<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        assert!(!self.failed, "called after an error");
        assert!(!slices.is_empty() && slices.len() <= 64 && slices.iter().all(|slice| !slice.is_empty()));
        let all: Vec<u8> = slices.iter().flat_map(|slice| slice.iter().copied()).collect();
        let taken = match self.steps.next().unwrap() {
            Step::Accept(n) => all.len().min(1 + usize::from(*n)),
            Step::All => all.len(),
            Step::FirstSlice => slices[0].len(),
            Step::Interrupted => return Err(ErrorKind::Interrupted.into()),
            Step::WouldBlock => return self.fail(ErrorKind::WouldBlock),
            Step::Fail => return self.fail(ErrorKind::BrokenPipe),
            Step::Zero | Step::Lie(0) => {
                self.failed = true;
                return Ok(0);
            }
            Step::Lie(n) => {
                self.failed = true;
                return Ok(all.len() + usize::from(*n));
            }
            Step::LieWildly => {
                self.failed = true;
                return Ok(usize::MAX);
            }
        };
        self.accepted.extend(&all[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.interrupted = !self.interrupted;
        match self.flushes.next() {
            Some((true, _)) if self.interrupted => Err(ErrorKind::Interrupted.into()),
            Some((_, true)) => Err(ErrorKind::Other.into()),
            _ => Ok(()),
        }
    }
}

fuzz_target!(|input: Input| {
    let mut input = input;
    // A writer must get on some time.
    input.steps.push(Step::Accept(40));
    let input = input;
    let mut builder = Encoder::builder().pretty(input.pretty).sort_keys(input.sorted);
    if !input.usual_chunks {
        let chunk = 16 + usize::from(input.chunk % 3000);
        builder = builder.first_chunk(chunk).max_chunk(chunk);
    }
    let encoder = builder.build().unwrap();
    let documents: Vec<Vec<String>> = input
        .documents
        .iter()
        .map(|document| document.iter().map(|(text, copies)| text.repeat(usize::from(*copies))).collect())
        .collect();
    let ropes: Vec<Rope> = documents.iter().map(|document| encoder.encode(document).unwrap()).collect();

    for (document, rope) in documents.iter().zip(&ropes) {
        to_a_writer(&input, rope, |script| rope.write_to(script));
        to_a_writer(&input, rope, |script| {
            let written = encoder.write(script, document).map_err(|error| {
                assert!(error.is_io() && error.offset() <= rope.len() as u64);
                io::Error::from(error)
            })?;
            assert_eq!(written, rope.len() as u64);
            Ok(())
        });
        // Many small pieces.
        let pieces: Rope = cut(rope, &input.cuts).collect();
        to_a_writer(&input, rope, |script| pieces.write_to(script));
    }
    to_a_sink(&input, &ropes);
});

fn to_a_writer(input: &Input, rope: &Rope, send: impl FnOnce(&mut Script<'_>) -> io::Result<()>) {
    let mut script = Script::new(input);
    let result = send(&mut script);
    assert!(rope.slice(..script.accepted.len()) == script.accepted);
    assert_eq!(result.is_err(), script.failed);
    assert!(result.is_err() || script.accepted.len() == rope.len());
    assert!(!matches!(result, Err(error) if error.kind() == ErrorKind::Interrupted));
}

/// The chunks of `rope` in pieces of the given lengths, in turn.
fn cut<'a>(rope: &'a Rope, lengths: &'a [u16]) -> impl Iterator<Item = Bytes> + 'a {
    let mut lengths = lengths.iter().cycle();
    let mut rest = rope.clone();
    std::iter::from_fn(move || {
        let next = lengths.next().map_or(usize::MAX, |&n| 1 + usize::from(n));
        let chunk = rest.chunks().first()?.clone();
        let piece = chunk.slice(..next.min(chunk.len()));
        drop(rest.split_to(piece.len()));
        Some(piece)
    })
}

fn to_a_sink(input: &Input, ropes: &[Rope]) {
    let expected: Vec<u8> = ropes.iter().flat_map(Rope::to_vec).collect();
    let mut sink = VectoredSink::new(Script::new(input));
    let mut left = ropes.iter();
    let mut pushed = 0;
    for flushes in 1usize.. {
        let next = left.next();
        for piece in next.into_iter().flat_map(|rope| cut(rope, &input.cuts)) {
            pushed += piece.len();
            sink.push(Rope::from(piece));
        }
        let result = sink.flush();
        let sent = sink.get_ref().accepted.len();
        assert_eq!(sink.get_ref().accepted, expected[..sent]);
        assert_eq!(sink.pending(), pushed - sent);
        assert!(result.is_err() || sink.pending() == 0);
        // A failing flush of the writer comes after everything was sent.
        assert!(result.is_ok() || sink.get_ref().failed || sink.pending() == 0);
        sink.get_mut().failed = false;
        if next.is_none() && sink.pending() == 0 {
            break;
        }
        if flushes % (1 + usize::from(input.rebuild)) == 0 {
            let (writer, unsent) = sink.into_parts();
            assert_eq!(unsent, expected[sent..pushed]);
            sink = VectoredSink::new(writer);
            sink.push(unsent);
        }
    }
    assert_eq!(sink.get_ref().accepted, expected);
}
