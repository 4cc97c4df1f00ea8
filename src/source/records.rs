//! Documents in frames: one, or a stream of them from an iterator.

use super::items::TryNext;
use super::{Progress, Source, Value};
use crate::error::Result;
use crate::fmt::Formatter;
use crate::frame::Frame;
use crate::options::Options;
use crate::setup::Setup;

/// One document in a frame.
pub(crate) struct Framed<S> {
    frame: Frame,
    max_len: u64,
    body: S,
}

impl<S: Source> Framed<S> {
    pub(crate) fn new(frame: Frame, options: &Options, body: S) -> Framed<S> {
        Framed { frame, max_len: options.max_len.min(frame.max_len()), body }
    }
}

impl<S: Source> Source for Framed<S> {
    fn setup(&self, options: &Options) -> Result<Setup> {
        let newlines = self.frame.newlines(options)?;
        let framing = (self.frame.headroom(), self.frame.suffix().len());
        // An error's offset counts from the start of the body.
        let origin = self.frame.opening().len() as u64;
        Ok(Setup { newlines, framing, origin, limits_whole: false, ..self.body.setup(options)? })
    }

    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress> {
        record(formatter, self.frame, self.max_len, &mut self.body)?;
        Ok(Progress::Complete)
    }
}

/// The items of an iterator as documents, each in its frame: what [`Encoder::records`](crate::Encoder::records)
/// encodes.
pub struct Records<I> {
    items: I,
    frame: Frame,
    max_len: u64,
    count: u64,
}

impl<I> Records<I> {
    pub(crate) fn new(frame: Frame, options: &Options, items: I) -> Records<I> {
        Records { items, frame, max_len: options.max_len.min(frame.max_len()), count: 0 }
    }

    /// Counts the records of these items from `count` on.
    #[cfg(feature = "rayon")]
    pub(crate) fn counting_from(self, count: u64) -> Records<I> {
        Records { count, ..self }
    }
}

impl<I: TryNext> Source for Records<I> {
    fn setup(&self, options: &Options) -> Result<Setup> {
        records_setup(self.frame, options)
    }

    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress> {
        formatter.out.begin_record();
        // Local copies are not looked up again for each record.
        let (frame, max_len) = (self.frame, self.max_len);
        while !formatter.should_stop() {
            let written = match self.items.try_next() {
                None => return Ok(Progress::Complete),
                Some(Ok(item)) => record(formatter, frame, max_len, &mut Value(&item)),
                Some(Err(error)) => Err(error),
            };
            if let Err(error) = written {
                return Err(formatter.out.fail_in_record(error, self.count));
            }
            self.count += 1;
            formatter.out.begin_record();
        }
        Ok(Progress::More)
    }
}

/// The setup of a stream of records.
pub(crate) fn records_setup(frame: Frame, options: &Options) -> Result<Setup> {
    let newlines = frame.newlines(options)?;
    Ok(Setup { newlines, limits_whole: false, ..Setup::recursive(options) })
}

/// Writes `body` in its frame.
#[inline]
pub(crate) fn record<const PLAIN: bool>(
    formatter: &mut Formatter<'_, PLAIN>,
    frame: Frame,
    max_len: u64,
    body: &mut impl Source,
) -> Result<()> {
    begin(formatter, frame, max_len)?;
    body.write(formatter)?;
    end(formatter, frame, max_len)
}

/// Writes the front of a record, up to its body. The body may have `max_len` bytes; those of the frame do not count.
#[inline]
pub(crate) fn begin<const PLAIN: bool>(formatter: &mut Formatter<'_, PLAIN>, frame: Frame, max_len: u64) -> Result<()> {
    if frame.has_length() {
        formatter.out.begin_message(frame.headroom())?;
    } else if !frame.opening().is_empty() {
        formatter.out.put_opening(frame.opening())?;
    }
    if max_len != u64::MAX {
        formatter.out.restart_limit(max_len);
    }
    Ok(())
}

/// Writes the end of a record, and its length in front of the body.
#[inline]
pub(crate) fn end<const PLAIN: bool>(formatter: &mut Formatter<'_, PLAIN>, frame: Frame, max_len: u64) -> Result<()> {
    if max_len != u64::MAX {
        formatter.out.restart_limit(u64::MAX);
    }
    // A `Serialize` may have swallowed an error; then this is no whole record.
    formatter.out.check()?;
    if frame.has_length() {
        match frame.prefix(formatter.out.message_len()) {
            Ok(prefix) => formatter.out.end_message(prefix.as_bytes()),
            Err(error) => return Err(formatter.fail(error)),
        }
    }
    match frame.suffix() {
        [] => Ok(()),
        suffix => formatter.out.put_suffix(suffix),
    }
}
