//! One document from its beginning to its end: a [`Source`] is written through a [`Formatter`] to a target.
//!
//! There are several ways to run one: into a rope, into memory of the caller's, into a drain, only to measure it, or step
//! by step as a [`Document`].

pub(crate) mod short;

use bytes::Bytes;

use crate::error::{Error, Result};
use crate::fmt::Formatter;
#[cfg(feature = "rayon")]
use crate::fmt::Surroundings;
use crate::options::{DEFAULT_MAX_DEPTH, Options};
use crate::out::{self, CopiedNames, Drain, Growable, Out, Target};
use crate::rope::Rope;
use crate::setup::Setup;
use crate::source::{Progress, Source};

/// Writes a whole document. Dynamic, so that what runs it is compiled once and not for each type of value.
pub(crate) type Write<'w, const PLAIN: bool> = &'w mut dyn FnMut(&mut Formatter<'_, PLAIN>) -> Result<()>;

/// What the functions without an encoder have for options.
pub(crate) static COMPACT: Options = Options::new(false);
pub(crate) static PRETTY: Options = Options::new(true);

/// What a value needs under these.
pub(crate) static SETUP: Setup = Setup::with_depth(DEFAULT_MAX_DEPTH);

/// Asks the source for its setup, and calls the function for the formatter that the options need: then each type is compiled
/// for both, and the function once for each.
macro_rules! with_formatter_for {
    ($options:ident, $source:ident => $run:ident($($argument:ident)?)) => {{
        let setup = $source.setup($options)?;
        if $options.is_plain() {
            $run::<true>($options, $($argument,)? &setup, &mut |formatter| $source.write(formatter))
        } else {
            $run::<false>($options, $($argument,)? &setup, &mut |formatter| $source.write(formatter))
        }
    }};
}

/// Writes a whole document, and then calls `finish`. What that returns is returned in its place, and not moved.
#[inline(always)]
fn run<'a, const PLAIN: bool, R>(
    formatter: &mut Formatter<'a, PLAIN>,
    setup: &Setup,
    write: Write<'_, PLAIN>,
    finish: impl FnOnce(&mut Out<'a>) -> Result<R>,
) -> Result<R> {
    match write(formatter).and_then(|()| formatter.out.check()) {
        Ok(()) => finish(&mut formatter.out),
        Err(error) => Err(formatter.out.conclude(error, setup.origin)),
    }
}

/// Encodes into a rope; `estimate` is the probable length, or 0.
pub(crate) fn to_rope<S: Source>(options: &Options, estimate: usize, mut source: S) -> Result<Rope> {
    with_formatter_for!(options, source => to_rope_as(estimate))
}

/// Like [`to_rope`], for options that are known to be plain or not: then a type is compiled for one serializer only.
pub(crate) fn to_rope_as<const PLAIN: bool>(
    options: &Options,
    estimate: usize,
    setup: &Setup,
    write: Write<'_, PLAIN>,
) -> Result<Rope> {
    let scratch = &mut out::scratch();
    let mut formatter = Formatter::<PLAIN>::new(
        move || Out::new(scratch, options, estimate, setup, Target::Rope, None),
        options,
        setup,
    );
    formatter.prepare(options);
    run(&mut formatter, setup, write, Out::finish)
}

/// Encodes a part of an array that another formatter writes, of about `estimate` bytes.
#[cfg(feature = "rayon")]
pub(crate) fn to_part<const PLAIN: bool>(
    around: &Surroundings,
    estimate: usize,
    write: Write<'_, PLAIN>,
) -> std::result::Result<Rope, Box<out::Failure>> {
    let Surroundings { options, setup, .. } = around;
    let scratch = &mut out::scratch();
    let mut formatter = Formatter::<PLAIN>::new(
        move || Out::new(scratch, options, estimate, setup, Target::Rope, None),
        options,
        setup,
    );
    formatter.prepare(options);
    formatter.enter(around);
    let written = write(&mut formatter).and_then(|()| formatter.out.check());
    written.and_then(|()| formatter.out.finish()).map_err(|error| formatter.out.take_failure(error))
}

/// Encodes into `drain` and returns the number of bytes.
pub(crate) fn to_drain<S: Source>(options: &Options, drain: &mut dyn Drain, mut source: S) -> Result<u64> {
    with_formatter_for!(options, source => to_drain_as(drain))
}

/// Like [`to_drain`], for options that are known to be plain or not.
pub(crate) fn to_drain_as<const PLAIN: bool>(
    options: &Options,
    drain: &mut dyn Drain,
    setup: &Setup,
    write: Write<'_, PLAIN>,
) -> Result<u64> {
    let (scratch, names) = (&mut out::scratch(), &mut CopiedNames::default());
    let mut formatter = Formatter::<PLAIN>::new(
        move || Out::new(scratch, options, 0, setup, Target::drain(drain), Some(names)),
        options,
        setup,
    );
    formatter.prepare(options);
    let drained = run(&mut formatter, setup, write, |out| out.finish_drain(setup.origin));
    if drained.is_err() {
        formatter.out.flush_records();
    }
    drained
}

/// Returns the number of bytes that the output would have.
pub(crate) fn to_length<S: Source>(options: &Options, mut source: S) -> Result<u64> {
    with_formatter_for!(options, source => to_length_as())
}

fn to_length_as<const PLAIN: bool>(options: &Options, setup: &Setup, write: Write<'_, PLAIN>) -> Result<u64> {
    let (scratch, names) = (&mut out::scratch(), &mut CopiedNames::default());
    let mut formatter = Formatter::<PLAIN>::new(move || Out::counting(scratch, options, setup, names), options, setup);
    formatter.prepare(options);
    formatter.keep_order();
    run(&mut formatter, setup, write, |out| out.finish_drain(setup.origin))
}

/// Appends to `memory`, which is as before if that fails.
pub(crate) fn to_memory<S: Source>(options: &Options, memory: Growable<'_>, mut source: S) -> Result<()> {
    with_formatter_for!(options, source => to_memory_as(memory))
}

/// Like [`to_memory`], for options that are known to be plain or not.
pub(crate) fn to_memory_as<const PLAIN: bool>(
    options: &Options,
    memory: Growable<'_>,
    setup: &Setup,
    write: Write<'_, PLAIN>,
) -> Result<()> {
    let scratch = &mut out::scratch();
    let mut formatter =
        Formatter::<PLAIN>::new(move || Out::appending(scratch, options, setup, memory), options, setup);
    formatter.prepare(options);
    run(&mut formatter, setup, write, |out| {
        out.finish_memory();
        Ok(())
    })
}

/// Encodes into contiguous memory of the document's size.
pub(crate) fn to_vec_as<const PLAIN: bool>(options: &Options, write: Write<'_, PLAIN>) -> Result<Vec<u8>> {
    let mut vec = Vec::new();
    to_memory_as::<PLAIN>(options, Growable::Vec(&mut vec), &SETUP, write)?;
    vec.shrink_to_fit();
    Ok(vec)
}

/// A document on demand. It stays where it is between steps, borrows nothing, and may move to another thread.
pub(crate) struct Document {
    pub(crate) formatter: Either,
    setup: Setup,
    /// Whether a step is on. If it is when the next one begins, a step panicked.
    is_stepping: bool,
}

pub(crate) enum Either {
    Plain(Formatter<'static, true>),
    Styled(Formatter<'static, false>),
}

/// Evaluates `$body` with whichever formatter there is. In the styled one's case out of line, which leaves more registers
/// and less code where a caller pushes small values to the plain one.
macro_rules! with {
    ($document:expr, $formatter:ident => $body:expr) => {
        match &mut $document.formatter {
            $crate::run::Either::Plain($formatter) => $body,
            $crate::run::Either::Styled($formatter) => $crate::run::out_of_line(|| $body),
        }
    };
}

pub(crate) use with;

#[inline(never)]
pub(crate) fn out_of_line<R>(call: impl FnOnce() -> R) -> R {
    call()
}

impl Document {
    /// A document of which nothing is written. Allocates nothing.
    pub(crate) fn new(options: &Options, setup: Setup) -> Document {
        let out = || Out::on_demand(options, &setup);
        let formatter = if options.is_plain() {
            Either::Plain(Formatter::new(out, options, &setup))
        } else {
            Either::Styled(Formatter::new(out, options, &setup))
        };
        let mut document = Document { formatter, setup, is_stepping: false };
        with!(document, formatter => formatter.prepare(options));
        document
    }

    /// Whether there is no finished chunk.
    #[cfg(any(feature = "http-body", feature = "stream"))]
    pub(crate) fn is_empty(&self) -> bool {
        match &self.formatter {
            Either::Plain(formatter) => formatter.out.has_no_chunk(),
            Either::Styled(formatter) => formatter.out.has_no_chunk(),
        }
    }

    /// Bytes that are written, taken or not.
    pub(crate) fn produced(&self) -> u64 {
        match &self.formatter {
            Either::Plain(formatter) => formatter.out.produced(),
            Either::Styled(formatter) => formatter.out.produced(),
        }
    }

    /// Bytes that are written, and not yet taken.
    #[cfg(feature = "stream")]
    pub(crate) fn pending(&self) -> usize {
        match &self.formatter {
            Either::Plain(formatter) => formatter.out.pending(),
            Either::Styled(formatter) => formatter.out.pending(),
        }
    }

    /// Makes chunks of what is begun, between two steps.
    #[cfg(feature = "stream")]
    pub(crate) fn flush(&mut self) {
        with!(self, formatter => formatter.out.flush_step());
    }

    /// Takes the oldest finished chunk.
    pub(crate) fn pop(&mut self) -> Option<Bytes> {
        with!(self, formatter => formatter.out.pop())
    }

    /// Writes until a chunk is finished or the source is complete. After an error, or the end, the chunks that are left
    /// are the last ones.
    pub(crate) fn step<S: Source>(&mut self, source: &mut S) -> Result<Progress> {
        if self.is_stepping {
            return Err(Error::data("an earlier step panicked, so the document is incomplete"));
        }
        self.is_stepping = true;
        let result = with!(self, formatter => step(formatter, source));
        self.is_stepping = false;
        result.map_err(|error| self.fail(error))
    }

    /// Ends the document because of an error. The chunks that are left are the last ones.
    #[cold]
    pub(crate) fn fail(&mut self, error: Error) -> Error {
        with!(self, formatter => {
            let error = formatter.out.conclude(error, self.setup.origin);
            formatter.out.abandon();
            error
        })
    }
}

fn step<S: Source, const PLAIN: bool>(formatter: &mut Formatter<'static, PLAIN>, source: &mut S) -> Result<Progress> {
    // There may be an error that a `Serialize` swallowed.
    let outcome = source.step(formatter).and_then(|progress| formatter.out.check().map(|()| progress));
    if let Ok(Progress::Complete) = outcome {
        formatter.out.finish_steps();
    }
    outcome
}
