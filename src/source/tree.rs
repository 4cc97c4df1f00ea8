//! Trees of serde_json as a source: `ser::tree` walks them.

use std::sync::Arc;

use serde_json::Value;

use super::{Progress, SharedWalker, Source};
use crate::error::Result;
use crate::fmt::Formatter;
use crate::options::Options;
use crate::ser::tree::Parts;
use crate::setup::Setup;

pub use crate::ser::tree::Walker;
#[cfg(feature = "rayon")]
pub(crate) use crate::ser::tree::{Share, Task};

/// A tree that [`Encoder::chunks`](crate::Encoder::chunks) can walk: `serde_json::Value`, a reference to one, or an `Arc`
/// of one. Nothing else implements it.
///
/// ```
/// fn length(tree: impl json_rope::Tree) -> usize {
///     json_rope::Encoder::new().chunks(tree).map(|chunk| chunk.unwrap().len()).sum()
/// }
/// let tree = serde_json::json!([1, 2]);
/// assert_eq!(length(&tree), 5);
/// assert_eq!(length(tree), 5);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tree that can be walked in steps",
    label = "this is neither a `serde_json::Value` nor a reference to one",
    note = "for a list of values use `Encoder::array` or `Encoder::records`, for a document with open parts \
            `Encoder::object`",
    note = "any other value is encoded in one go: `Encoder::encode` into a rope, `Encoder::write` into a writer"
)]
pub trait Tree {
    /// What [`Chunks`](crate::Chunks) encodes.
    type Walk: Source;

    #[doc(hidden)]
    fn walk(self, options: &Options) -> Self::Walk;
}

impl Tree for Value {
    type Walk = Walker<Value>;

    fn walk(self, options: &Options) -> Walker<Value> {
        Walker::new(self, options)
    }
}

impl<'v> Tree for &'v Value {
    type Walk = Walker<&'v Value>;

    fn walk(self, options: &Options) -> Walker<&'v Value> {
        Walker::new(self, options)
    }
}

impl Tree for Arc<Value> {
    type Walk = SharedWalker;

    fn walk(self, options: &Options) -> SharedWalker {
        SharedWalker::new(self, options)
    }
}

impl<T: Parts> Source for Walker<T> {
    fn setup(&self, options: &Options) -> Result<Setup> {
        Ok(Setup::walking(options))
    }

    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress> {
        Ok(if self.run::<PLAIN, true>(formatter)? { Progress::Complete } else { Progress::More })
    }

    fn write<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<()> {
        self.run::<PLAIN, false>(formatter).map(|_| ())
    }
}
