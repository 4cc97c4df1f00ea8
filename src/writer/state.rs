//! Where in its document a writer is, and what each call adds there.

use std::mem;

use serde::Serialize;
use smallvec::SmallVec;

use crate::error::{Error, Result};
use crate::fmt::Formatter;
use crate::frame::Frame;
use crate::ser;
use crate::source::records;

/// What may come next, and how much there is of what is open.
pub(super) struct State {
    pub(super) place: Place,
    /// Elements or members of the innermost open container.
    pub(super) count: usize,
    /// For the names of members: how many objects are open around this place.
    pub(super) level: usize,
    /// What is open around that container, the document first.
    pub(super) outer: SmallVec<[Outer; 8]>,
    pub(super) records: Option<Records>,
}

/// Where in the document the writer is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In an array, where an element or the end is due.
    Array,
    /// After a key, where its value is due.
    Member,
    /// Before a document.
    Start,
    /// In an object, where a key or the end is due.
    Object,
    /// After the only document.
    Complete,
    Finished,
    /// A value has panicked.
    Panicked,
    Failed,
    /// The encoder does not go with the frame.
    Refused,
}

/// A container or document that waits for the one inside it.
#[derive(Clone, Copy)]
pub(super) struct Outer {
    place: Place,
    count: usize,
    level: usize,
}

pub(super) struct Records {
    pub(super) frame: Frame,
    pub(super) max_len: u64,
    /// How many are complete.
    pub(super) count: u64,
}

impl Place {
    #[inline(always)]
    pub(super) fn takes_value(self) -> bool {
        matches!(self, Place::Array | Place::Member | Place::Start)
    }
}

/// Sets the place if a value panics, so that nothing follows it.
struct Watch<'s>(&'s mut Place);

impl Drop for Watch<'_> {
    #[cold]
    fn drop(&mut self) {
        *self.0 = Place::Panicked;
    }
}

impl State {
    /// Writes a value that is not the document.
    #[inline(always)]
    pub(super) fn value<T: ?Sized + Serialize, const PLAIN: bool>(
        &mut self,
        formatter: &mut Formatter<'_, PLAIN>,
        value: &T,
    ) -> Result<()> {
        self.before_value(formatter)?;
        let watch = Watch(&mut self.place);
        let written = ser::serialize(formatter, value);
        mem::forget(watch);
        written?;
        after_value(formatter)
    }

    /// Writes a document that is one value.
    #[inline(always)]
    pub(super) fn document<T: ?Sized + Serialize, const PLAIN: bool>(
        &mut self,
        formatter: &mut Formatter<'_, PLAIN>,
        value: &T,
    ) -> Result<()> {
        self.begin_document(formatter)?;
        let watch = Watch(&mut self.place);
        let written = ser::serialize(formatter, value);
        mem::forget(watch);
        written?;
        self.end_document(formatter)
    }

    /// Writes what comes before a value that is not the document, and goes to the place after it.
    #[inline(always)]
    fn before_value<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<()> {
        if self.place == Place::Member {
            self.place = Place::Object;
            return Ok(());
        }
        self.count += 1;
        formatter.before_element(self.count - 1)
    }

    /// What comes before a document.
    #[inline(never)]
    fn begin_document<const PLAIN: bool>(&self, formatter: &mut Formatter<'_, PLAIN>) -> Result<()> {
        match &self.records {
            None => Ok(()),
            Some(Records { frame, max_len, .. }) => {
                formatter.out.begin_record();
                records::begin(formatter, *frame, *max_len)
            }
        }
    }

    /// Goes on after a document.
    #[inline(never)]
    fn end_document<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<()> {
        after_value(formatter)?;
        match &mut self.records {
            None => self.place = Place::Complete,
            Some(Records { frame, max_len, count }) => {
                records::end(formatter, *frame, *max_len)?;
                formatter.out.begin_record();
                *count += 1;
                self.place = Place::Start;
            }
        }
        Ok(())
    }

    /// Begins a container, in which `inside` is the first place.
    #[inline]
    pub(super) fn begin<const PLAIN: bool>(
        &mut self,
        formatter: &mut Formatter<'_, PLAIN>,
        inside: Place,
    ) -> Result<()> {
        if self.place == Place::Start {
            self.begin_document(formatter)?;
        } else {
            self.before_value(formatter)?;
        }
        formatter.open()?;
        self.outer.push(Outer { place: self.place, count: self.count, level: self.level });
        (self.place, self.count) = (inside, 0);
        if inside == Place::Object {
            self.level = formatter.out.enter_map();
        }
        Ok(())
    }

    /// Ends the innermost container.
    #[inline]
    pub(super) fn end<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<()> {
        let (kind, members, level) = (self.place, self.count, self.level);
        if let Some(outer) = self.outer.pop() {
            Outer { place: self.place, count: self.count, level: self.level } = outer;
        }
        if kind == Place::Object {
            formatter.out.leave_map(level);
            formatter.close_object(members)?;
        } else {
            formatter.close_array(members)?;
        }
        if self.place == Place::Start { self.end_document(formatter) } else { after_value(formatter) }
    }

    /// Notes where the error happened.
    #[cold]
    pub(super) fn locate<const PLAIN: bool>(
        &mut self,
        formatter: &mut Formatter<'_, PLAIN>,
        error: Error,
        in_value: bool,
    ) -> Error {
        let error = match &self.records {
            None => formatter.fail(error),
            Some(records) => formatter.out.fail_in_record(error, records.count),
        };
        let innermost = Outer { place: self.place, count: self.count, level: self.level };
        let containers = self.outer.iter().copied().chain(in_value.then_some(innermost));
        for Outer { place, count, level } in containers.rev() {
            match place {
                Place::Array => formatter.out.add_segment((count - 1).to_string()),
                Place::Object => {
                    let name = formatter.out.latest_key(level);
                    formatter.out.add_segment(name);
                }
                _ => {}
            }
        }
        error
    }
}

#[inline(always)]
fn after_value<const PLAIN: bool>(formatter: &mut Formatter<'_, PLAIN>) -> Result<()> {
    if !PLAIN {
        formatter.out.cut_released();
    }
    // There may be an error that a `Serialize` swallowed.
    formatter.out.check()
}
