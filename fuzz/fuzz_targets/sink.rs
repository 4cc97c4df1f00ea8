//! Any behaviour of a writer: what it has accepted is always an exact prefix, and nothing is lost or sent twice.
#![no_main]

use std::io::{self, ErrorKind, IoSlice, Write};

use arbitrary::Arbitrary;
use json_rope::{Encoder, Rope, VectoredSink};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug, Clone)]
enum Step {
    Accept(u16),
    FirstSlice,
    Interrupted,
    WouldBlock,
    Zero,
    Lie,
    Fail,
}

struct Script<'a> {
    steps: std::iter::Cycle<std::slice::Iter<'a, Step>>,
    accepted: Vec<u8>,
}

impl Write for Script<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        assert!(slices.len() <= 64 && slices.iter().all(|slice| !slice.is_empty()));
        let all: Vec<u8> = slices.iter().flat_map(|slice| slice.iter().copied()).collect();
        let taken = match self.steps.next().unwrap() {
            Step::Accept(n) => all.len().min(1 + usize::from(*n)),
            Step::FirstSlice => slices[0].len(),
            Step::Interrupted => return Err(ErrorKind::Interrupted.into()),
            Step::WouldBlock => return Err(ErrorKind::WouldBlock.into()),
            Step::Zero => return Ok(0),
            Step::Lie => return Ok(all.len() + 1),
            Step::Fail => return Err(ErrorKind::BrokenPipe.into()),
        };
        self.accepted.extend(&all[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fuzz_target!(|input: (Vec<Step>, Vec<Vec<String>>, u8)| {
    let (mut steps, documents, chunk) = input;
    // A writer must get on some time.
    steps.push(Step::Accept(40));
    let script = || Script { steps: steps.iter().cycle(), accepted: Vec::new() };
    let chunk = 16 + usize::from(chunk);
    let encoder = Encoder::builder().first_chunk(chunk).max_chunk(chunk).build().unwrap();
    let ropes: Vec<Rope> = documents.iter().map(|document| encoder.encode(document).unwrap()).collect();
    let expected: Vec<u8> = ropes.iter().flat_map(Rope::to_vec).collect();

    for (document, rope) in documents.iter().zip(&ropes) {
        let mut writer = script();
        let result = rope.write_to(&mut writer);
        assert!(rope.slice(..writer.accepted.len()) == writer.accepted);
        assert!(result.is_err() || writer.accepted.len() == rope.len());
        let mut writer = script();
        let result = encoder.write(&mut writer, document);
        assert!(rope.slice(..writer.accepted.len()) == writer.accepted);
        assert!(result.map_or_else(|error| error.is_io(), |n| n == writer.accepted.len() as u64));
    }

    let mut sink = VectoredSink::new(script());
    let mut left = ropes.into_iter();
    loop {
        if let Some(rope) = left.next() {
            sink.push(rope);
        }
        let result = sink.flush();
        let sent = sink.get_ref().accepted.len();
        assert_eq!(sink.get_ref().accepted, expected[..sent]);
        if result.is_ok() {
            assert_eq!(sink.pending(), 0);
            if sent == expected.len() {
                break;
            }
        }
    }
});
