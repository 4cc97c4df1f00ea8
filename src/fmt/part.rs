//! Parts of an array that other formatters write.

use super::Formatter;
use super::layout::LineTemplate;
use crate::frame::Newlines;
use crate::options::{Options, Style};
use crate::setup::Setup;

/// What the formatter of a part has to know of the document around it. Owns everything, and may be shared by threads.
pub(crate) struct Surroundings {
    pub(crate) options: Options,
    pub(crate) setup: Setup,
    depth: usize,
    line: Option<LineTemplate>,
}

impl<const PLAIN: bool> Formatter<'_, PLAIN> {
    /// Whether what comes next can be written elsewhere.
    ///
    /// In pretty output, whether what is open fits one line has to be decided, so that nothing before the element depends
    /// on it. In a server-sent event, a length limit does not count the bytes before each line, of which a part would have
    /// to keep account.
    pub(crate) fn is_divisible(&self) -> bool {
        self.undecided().is_none() && (self.newlines != Newlines::Sse || self.out.allowed() == u64::MAX)
    }

    /// The surroundings of what comes next, if it [is divisible](Self::is_divisible).
    pub(crate) fn surroundings(&self) -> Surroundings {
        let max_len = self.out.allowed();
        let max_chunk = self.out.max_chunk();
        let options = Options {
            style: self.options,
            is_plain: self.options == Style::PLAIN,
            is_default: false,
            // What `enter` copies.
            indent: None,
            inline_width: self.inline_width(),
            max_depth: Some(self.max_depth),
            max_len,
            first_chunk: max_chunk,
            max_chunk,
            pool: self.out.pool().cloned(),
        };
        Surroundings {
            options,
            setup: Setup { newlines: self.newlines, ..Setup::with_depth(self.max_depth) },
            depth: self.depth,
            line: self.line.clone(),
        }
    }

    /// Begins in the middle of another formatter's document.
    pub(crate) fn enter(&mut self, around: &Surroundings) {
        self.depth = around.depth;
        self.line.clone_from(&around.line);
    }

    /// How many containers are open, for a part that begins elsewhere than the one its surroundings are from.
    pub(crate) fn set_depth(&mut self, depth: usize) {
        self.depth = depth;
    }

    /// Leaves an array whose closing bracket was in a part.
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }
}
