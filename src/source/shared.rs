//! A tree that others hold too.

use std::sync::Arc;

use self_cell::self_cell;
use serde_json::Value;

use super::{Progress, Source, Walker};
use crate::error::Result;
use crate::fmt::Formatter;
use crate::options::Options;
use crate::setup::Setup;

type Borrowed<'v> = Walker<&'v Value>;

self_cell!(
    struct Walk {
        owner: Arc<Value>,
        #[not_covariant]
        dependent: Borrowed,
    }
);

/// A shared tree, and how far its encoding has got: what [`Encoder::chunks`](crate::Encoder::chunks) makes of an
/// `Arc<Value>`. It holds a reference count, and no copy of the tree.
pub struct SharedWalker(Walk);

impl SharedWalker {
    pub(super) fn new(tree: Arc<Value>, options: &Options) -> SharedWalker {
        SharedWalker(Walk::new(tree, |tree| Walker::new(tree, options)))
    }
}

impl Source for SharedWalker {
    fn setup(&self, options: &Options) -> Result<Setup> {
        self.0.with_dependent(|_, walker| walker.setup(options))
    }

    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress> {
        self.0.with_dependent_mut(|_, walker| walker.step(formatter))
    }

    fn write<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<()> {
        self.0.with_dependent_mut(|_, walker| walker.write(formatter))
    }
}
