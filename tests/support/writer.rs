//! A scripted writer, and every route by which a document can reach one.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice, Write};
use std::ops::Range;

use bytes::Bytes;
use json_rope::{Encoder, Error, Rope, VectoredSink};
use serde::Serialize;

/// What a writer does when it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Takes at most so many bytes, at least one of which must be allowed.
    Accept(usize),
    /// Fails with `Interrupted`, having taken nothing.
    Interrupted,
    /// Fails with `WouldBlock`, having taken nothing.
    WouldBlock,
    /// Returns `Ok(0)`.
    Zero,
    /// Takes nothing, and claims to have taken one byte more than it was offered.
    Lie,
    /// Fails with this kind, having taken nothing.
    Fail(ErrorKind),
}

use Step::{Accept, Fail, Interrupted, Lie, WouldBlock, Zero};

/// A call of the writer.
#[derive(Clone, Debug)]
pub struct Call {
    /// Whether it was `write_vectored`.
    pub vectored: bool,
    /// The slices offered, as ranges of addresses.
    pub slices: Vec<Range<usize>>,
    /// Bytes really taken.
    pub taken: usize,
}

/// A writer that follows a script and remembers what happened.
///
/// Without steps it takes everything. It panics, and so fails the test, when it is offered an empty slice or nothing.
#[derive(Debug)]
pub struct Script {
    steps: VecDeque<Step>,
    repeat: bool,
    afterwards: Step,
    fail_after: Option<(usize, ErrorKind)>,
    first_slice_only: bool,
    most_slices: usize,
    flush_error: Option<ErrorKind>,
    /// All bytes taken.
    pub accepted: Vec<u8>,
    /// All calls of `write` and `write_vectored`.
    pub calls: Vec<Call>,
    /// Calls of `flush`.
    pub flushes: usize,
    /// Calls of `write` or `write_vectored` after one that failed for good (`Interrupted` and `WouldBlock` do not
    /// count).
    pub calls_after_error: usize,
    failed: bool,
}

impl Script {
    /// A writer that takes everything.
    pub fn new() -> Script {
        Script {
            steps: VecDeque::new(),
            repeat: false,
            afterwards: Accept(usize::MAX),
            fail_after: None,
            first_slice_only: false,
            most_slices: usize::MAX,
            flush_error: None,
            accepted: Vec::new(),
            calls: Vec::new(),
            flushes: 0,
            calls_after_error: 0,
            failed: false,
        }
    }

    /// One step after the other, and then the step `afterwards` for ever.
    pub fn steps(steps: impl IntoIterator<Item = Step>, afterwards: Step) -> Script {
        Script { steps: steps.into_iter().collect(), afterwards, ..Script::new() }
    }

    /// The steps in a circle.
    pub fn cycle(steps: impl IntoIterator<Item = Step>) -> Script {
        Script { repeat: true, ..Script::steps(steps, Zero) }
    }

    /// Takes `n` bytes in all, in calls of any size, then fails.
    pub fn failing_after(n: usize, kind: ErrorKind) -> Script {
        Script { fail_after: Some((n, kind)), ..Script::new() }
    }

    /// Takes bytes of the first slice only, as a writer without its own `write_vectored` does.
    pub fn first_slice_only(self) -> Script {
        Script { first_slice_only: true, ..self }
    }

    /// Refuses calls with more slices, as systems do.
    pub fn at_most_slices(self, most_slices: usize) -> Script {
        Script { most_slices, ..self }
    }

    /// Fails when it is flushed.
    pub fn failing_flush(self, kind: ErrorKind) -> Script {
        Script { flush_error: Some(kind), ..self }
    }

    /// Lets flushing succeed again.
    pub fn mend_flush(&mut self) {
        self.flush_error = None;
    }

    /// The most slices of one call.
    pub fn most_slices_seen(&self) -> usize {
        self.calls.iter().map(|call| call.slices.len()).max().unwrap_or(0)
    }

    fn next_step(&mut self) -> Step {
        let step = self.steps.pop_front();
        if let (Some(step), true) = (step, self.repeat) {
            self.steps.push_back(step);
        }
        step.unwrap_or(self.afterwards)
    }

    fn call(&mut self, vectored: bool, slices: &[&[u8]]) -> io::Result<usize> {
        assert!(!slices.is_empty(), "called without a slice");
        assert!(slices.iter().all(|slice| !slice.is_empty()), "an empty slice among {}", slices.len());
        self.calls_after_error += usize::from(self.failed);
        let offered: usize = slices.iter().map(|slice| slice.len()).sum();
        let ranges = slices.iter().map(|slice| {
            let start = slice.as_ptr() as usize;
            start..start + slice.len()
        });
        self.calls.push(Call { vectored, slices: ranges.collect(), taken: 0 });
        let step = match self.fail_after {
            Some((n, kind)) if self.accepted.len() >= n => Fail(kind),
            Some((n, _)) => Accept(n - self.accepted.len()),
            None => self.next_step(),
        };
        let (takes, claims) = match step {
            Accept(most) => (most, 0),
            Lie => (0, offered + 1),
            Zero => (0, 0),
            Interrupted => return Err(ErrorKind::Interrupted.into()),
            WouldBlock => return Err(ErrorKind::WouldBlock.into()),
            Fail(kind) => {
                self.failed = true;
                return Err(kind.into());
            }
        };
        self.failed |= matches!(step, Zero | Lie);
        if slices.len() > self.most_slices {
            self.failed = true;
            return Err(io::Error::new(ErrorKind::InvalidInput, format!("{} slices", slices.len())));
        }
        let first = if self.first_slice_only { slices[0].len() } else { offered };
        let taken = takes.min(first);
        let mut missing = taken;
        for slice in slices {
            let now = missing.min(slice.len());
            self.accepted.extend_from_slice(&slice[..now]);
            missing -= now;
        }
        self.calls.last_mut().expect("was pushed above").taken = taken;
        Ok(taken.max(claims))
    }
}

impl Write for Script {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.call(false, &[bytes])
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let slices: Vec<&[u8]> = slices.iter().map(|slice| &**slice).collect();
        self.call(true, &slices)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.flushes += 1;
        self.flush_error.map_or(Ok(()), |kind| Err(kind.into()))
    }
}

/// A way from a value to a writer.
#[derive(Clone, Copy, Debug)]
pub enum Route {
    /// `to_rope`, then `Rope::write_to`.
    Rope,
    /// The same with a rope of chunks that are not longer than this.
    CutRope(usize),
    /// `to_writer`.
    ToWriter,
    /// `to_writer_pretty`.
    ToWriterPretty,
    /// `Encoder::write` with this `first_chunk` and `max_chunk`.
    Encoder(usize, usize),
    /// A `VectoredSink` with the rope in pieces of this length, flushed after every push, and again after `WouldBlock`.
    Sink(usize),
}

/// Every route, with settings that make many hand-overs of short documents.
pub const ROUTES: [Route; 10] = [
    Route::Rope,
    Route::CutRope(1),
    Route::CutRope(7),
    Route::ToWriter,
    Route::ToWriterPretty,
    Route::Encoder(16, 16),
    Route::Encoder(16, 64),
    Route::Encoder(100, 1000),
    Route::Sink(usize::MAX),
    Route::Sink(50),
];

impl Route {
    /// What the writer must have received.
    pub fn expected(self, value: &(impl Serialize + ?Sized)) -> Vec<u8> {
        match self {
            Route::ToWriterPretty => serde_json::to_vec_pretty(value).unwrap(),
            _ => serde_json::to_vec(value).unwrap(),
        }
    }

    /// Sends `value` on this route.
    pub fn send(self, value: &(impl Serialize + ?Sized), writer: &mut Script) -> io::Result<()> {
        match self {
            Route::Rope => json_rope::to_rope(value)?.write_to(writer),
            Route::CutRope(most) => cut(&json_rope::to_rope(value)?, most).write_to(writer),
            Route::ToWriter => json_rope::to_writer(writer, value).map_err(checked),
            Route::ToWriterPretty => json_rope::to_writer_pretty(writer, value).map_err(checked),
            Route::Encoder(first, max) => {
                let encoder = Encoder::builder().first_chunk(first).max_chunk(max).build()?;
                let written = encoder.write(&mut *writer, value).map_err(checked)?;
                assert_eq!(written, writer.accepted.len() as u64);
                Ok(())
            }
            Route::Sink(most) => {
                let rope = json_rope::to_rope(value)?;
                let mut sink = VectoredSink::new(writer);
                let mut pushed = 0;
                for piece in cut(&rope, most) {
                    pushed += piece.len();
                    sink.push(Rope::from(piece));
                    flush_to_end(&mut sink, pushed)?;
                }
                assert_eq!(sink.pending(), 0);
                Ok(())
            }
        }
    }
}

/// Flushes until everything is sent, and checks `pending` after each attempt.
fn flush_to_end(sink: &mut VectoredSink<&mut Script>, pushed: usize) -> io::Result<()> {
    loop {
        let flushed = sink.flush();
        assert_eq!(sink.pending(), pushed - sink.get_ref().accepted.len().min(pushed));
        match flushed {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            flushed => return flushed,
        }
    }
}

/// The same bytes in chunks of at most `most` bytes.
pub fn cut(rope: &Rope, most: usize) -> Rope {
    // `at + most` must not wrap.
    let most = most.min(usize::MAX / 2);
    let pieces = |chunk: &Bytes| {
        let chunk = chunk.clone();
        (0..chunk.len()).step_by(most).map(move |at| chunk.slice(at..chunk.len().min(at + most)))
    };
    rope.chunks().iter().flat_map(pieces).collect()
}

/// An I/O error as it was, after a look at the predicates.
fn checked(error: Error) -> io::Error {
    assert!(error.is_io() && !error.is_data() && !error.is_limit() && !error.is_config(), "{error:?}");
    assert_eq!(error.pointer(), None);
    let kind = error.io_error_kind().expect("an I/O error has a kind");
    let error = io::Error::from(error);
    assert_eq!(error.kind(), kind);
    error
}
