//! What is encoded on demand: the type parameter of [`Chunks`](crate::Chunks).
//!
//! Methods of [`Encoder`](crate::Encoder) make these types, which have no methods themselves. They are public so that a
//! struct can name them.
//!
//! ```
//! use json_rope::source::Walker;
//! use json_rope::{Chunks, Encoder};
//! use serde_json::{Value, json};
//!
//! /// A response whose body is still to be encoded.
//! struct Response {
//!     body: Chunks<Walker<Value>>,
//! }
//! let mut response = Response { body: Encoder::new().chunks(json!([1])) };
//! assert_eq!(response.body.next().unwrap()?, "[1]");
//! # Ok::<(), json_rope::Error>(())
//! ```
// A source writes itself through a `Formatter` and does not know where the bytes go. A new kind of source is a new file
// in this folder.

mod array;
mod items;
mod object;
pub(crate) mod records;
mod shared;
mod tree;

pub use array::Array;
#[cfg(feature = "stream")]
pub(crate) use array::element;
pub use items::{Fallible, Infallible, TryNext};
pub use object::{Field, LateField, Member, Members, Object};
pub(crate) use records::Framed;
pub use records::Records;
#[cfg(feature = "stream")]
pub(crate) use records::{record, records_setup};
pub use shared::SharedWalker;
#[cfg(feature = "rayon")]
pub(crate) use tree::{Share, Task};
pub use tree::{Tree, Walker};

use serde::Serialize;

use crate::error::Result;
use crate::fmt::Formatter;
use crate::options::Options;
use crate::ser;
use crate::setup::Setup;

/// Whether a source has more to write.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A chunk is finished.
    More,
    /// All of it is written.
    Complete,
}

/// Something that [`Chunks`](crate::Chunks) can encode. Its methods take types without a public name, so it cannot be
/// implemented outside of this crate.
pub trait Source {
    /// What the source asks for before it writes.
    ///
    /// # Errors
    /// A configuration error if the options do not go with the source.
    #[doc(hidden)]
    fn setup(&self, options: &Options) -> Result<Setup> {
        Ok(Setup::recursive(options))
    }

    /// Writes until a chunk is finished, or to the end.
    #[doc(hidden)]
    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress>;

    /// Writes to the end, for a target that does not wait for chunks.
    #[doc(hidden)]
    fn write<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<()> {
        while self.step(formatter)? == Progress::More {}
        Ok(())
    }
}

/// One value. Its `Serialize` cannot be interrupted, so it is one step.
pub(crate) struct Value<'v, T: ?Sized>(pub(crate) &'v T);

impl<T: ?Sized + Serialize> Source for Value<'_, T> {
    #[inline]
    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress> {
        self.write(formatter)?;
        Ok(Progress::Complete)
    }

    #[inline]
    fn write<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<()> {
        ser::serialize(formatter, self.0)
    }
}
