//! What is encoded: one value, a tree, the items of an iterator as an array, or as records.
//!
//! A source writes itself through a [`Formatter`] and does not know where the bytes go. A new kind of source is a new
//! file here.

pub(crate) mod array;
pub(crate) mod items;
pub(crate) mod records;
pub(crate) mod tree;

use serde::Serialize;

use crate::error::Result;
use crate::fmt::Formatter;
use crate::options::Options;
use crate::ser;
use crate::setup::Setup;

/// Whether a source has more to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    More,
    Complete,
}

/// What is encoded. Not reachable from outside, so that nobody else implements it.
pub trait Source {
    /// What it asks for.
    ///
    /// # Errors
    /// A configuration error if the options do not go with the source.
    fn setup(&self, options: &Options) -> Result<Setup> {
        Ok(Setup::recursive(options))
    }

    /// Writes until a chunk is finished, or to the end.
    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress>;

    /// Writes to the end, for a target that waits for no chunk.
    fn write<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<()> {
        while self.step(formatter)? == Progress::More {}
        Ok(())
    }
}

/// One value. It cannot be left half-way, so it is one step.
pub(crate) struct Value<'v, T: ?Sized>(pub(crate) &'v T);

impl<T: ?Sized + Serialize> Source for Value<'_, T> {
    #[inline]
    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress> {
        ser::serialize(formatter, self.0)?;
        formatter.check_complete()?;
        Ok(Progress::Complete)
    }
}
