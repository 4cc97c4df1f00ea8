//! Knows what a token looks like, and writes it to `out`. Driven by `ser` and by the tree walker.
//!
//! There are two formatters, told apart by the constant `PLAIN`, so that the everyday one has no setting to look at:
//! compact output with serde_json's escapes is plain, everything else reads its [`Options`] as it goes.
//!
//! * `layout`: brackets, commas, colons, indentation, depth
//! * `inline`: which arrays and objects stay on one line of pretty output
//! * `number`: integers and floats
//! * `string`: quotes and escapes
//! * `bytes`: byte strings
//! * `raw`: JSON text from elsewhere
//! * `canonical`: the same in canonical form
//! * `key`: member names that are encoded once
//! * `sort`: members in the order of their keys
//! * `part`: parts of an array that other formatters write

mod bytes;
mod canonical;
mod inline;
mod key;
mod layout;
mod number;
#[cfg(feature = "rayon")]
mod part;
mod raw;
mod sort;
mod string;

use crate::error::{Error, Result};
use crate::escape::write_copy;
use crate::frame::Newlines;
use crate::options::{Options, Style};
use crate::out::Out;
use crate::setup::Setup;
use inline::Inline;
use layout::LineTemplate;
use sort::Sorter;

pub use key::Key;
pub(crate) use key::{Block, is_token as is_key_token};
#[cfg(feature = "rayon")]
pub(crate) use part::Surroundings;

/// Writes the tokens of one document.
///
/// In this order: what every token needs has an offset of less than 128 bytes, which takes three bytes less in each of
/// the many instructions that are compiled into the `Serialize` of a type.
#[repr(C)]
pub struct Formatter<'a, const PLAIN: bool> {
    depth: usize,
    max_depth: usize,
    options: Style,
    pub(crate) out: Out<'a>,
    /// The names of all members of open objects, as a stack of texts in one string, if they are to be sorted. If not,
    /// room for the text of a key that comes from a `Display`.
    names: String,
    /// `None` until there is something to sort, which is one store and one comparison in each document.
    sorter: Option<Sorter>,
    /// In pretty output.
    line: Option<LineTemplate>,
    newlines: Newlines,
    inline: Option<Box<Inline>>,
}

impl<'a, const PLAIN: bool> Formatter<'a, PLAIN> {
    /// Never inlined, and all of it in one literal: then it is built in the place where it stays, and not moved.
    #[inline(never)]
    pub(crate) fn new(out: impl FnOnce() -> Out<'a>, options: &Options, setup: &Setup) -> Self {
        debug_assert!(!PLAIN || options.is_plain());
        Formatter {
            out: out(),
            depth: 0,
            max_depth: setup.max_depth,
            options: options.style,
            names: String::new(),
            sorter: None,
            line: None,
            newlines: setup.newlines,
            inline: None,
        }
    }

    /// Opens the output and prepares what the options need, if they need anything. To be called once, where the formatter
    /// stays: apart from [`new`](Self::new), which builds it there.
    #[inline(always)]
    pub(crate) fn prepare(&mut self, options: &Options) {
        self.out.begin();
        if !PLAIN && options.style.pretty {
            self.line = Some(LineTemplate::new(options.indent(), self.newlines));
            self.inline = Inline::new(options.inline_width);
        }
    }

    /// Makes the formatter as it was before a document that was complete. Returns whether it is: see [`Out::rest`].
    #[inline]
    pub(crate) fn rest(&mut self) -> bool {
        let has_no_heap =
            self.names.capacity() == 0 && self.sorter.is_none() && self.line.is_none() && self.inline.is_none();
        debug_assert!(!has_no_heap || self.depth == 0);
        has_no_heap && self.out.rest()
    }

    /// Whether a step of a document on demand is over: see [`Out::should_stop`].
    #[inline(always)]
    pub(crate) fn should_stop(&mut self) -> bool {
        if !PLAIN {
            self.out.cut_released();
        }
        self.out.should_stop()
    }

    /// The deepest nesting of arrays and objects.
    pub(crate) fn max_depth(&self) -> usize {
        self.max_depth
    }

    /// Sets the deepest nesting, for a part that needs another one.
    pub(crate) fn set_max_depth(&mut self, max_depth: usize) {
        self.max_depth = max_depth;
    }

    /// Records that the document cannot be completed, and returns the error that travels up: see [`Out::fail`].
    #[cold]
    pub(crate) fn fail(&mut self, error: Error) -> Error {
        self.out.fail(error)
    }

    #[cold]
    pub(crate) fn fail_data(&mut self, message: &str) -> Error {
        self.out.fail(Error::data(message))
    }

    #[inline]
    pub(crate) fn null(&mut self) -> Result<()> {
        self.out.put(b"null")
    }

    #[inline]
    pub(crate) fn bool(&mut self, value: bool) -> Result<()> {
        // Both are written by the same stores where there is room for the longer one.
        let (padded, text): (&[u8; 5], &[u8]) = if value { (b"true ", b"true") } else { (b"false", b"false") };
        if self.out.room() < padded.len() {
            return self.out.put_slow(text);
        }
        self.out.fill(|room| &mut write_copy(&mut room[..5], padded)[..text.len()]);
        Ok(())
    }
}
