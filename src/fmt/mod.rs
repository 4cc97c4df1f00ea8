//! Knows what a token looks like, and writes it to `out`. Driven by `ser` and by the tree walker.
//!
//! There are two formatters, told apart by the constant `PLAIN`, so that the everyday one has no setting to look at:
//! compact output with serde_json's escapes is plain, everything else reads its [`Options`] as it goes.
//!
//! * `layout`: brackets, commas, colons, indentation, depth
//! * `number`: integers and floats
//! * `string`: quotes and escapes
//! * `bytes`: byte strings
//! * `raw`: JSON text from elsewhere
//! * `sort`: members in the order of their keys

mod bytes;
mod layout;
mod number;
mod raw;
mod sort;
mod string;

use smallvec::SmallVec;

use crate::error::{Error, Result};
use crate::options::{LineBreaks, Options};
use crate::out::{Out, ParkedOut};
use sort::Sorter;

/// A [`Formatter`] between two steps.
pub(crate) struct Parked {
    pub(crate) out: ParkedOut,
    depth: usize,
    max_depth: usize,
    names: String,
    sorter: Sorter,
    line: SmallVec<[u8; 128]>,
    line_breaks: LineBreaks,
}

impl Parked {
    /// A document of which nothing is written.
    pub(crate) fn new(options: &Options, max_depth: usize, max_len: u64, line_breaks: LineBreaks) -> Parked {
        let (names, sorter, line) = (String::new(), Sorter::default(), SmallVec::new());
        Parked { out: ParkedOut::new(options, max_len), depth: 0, max_depth, names, sorter, line, line_breaks }
    }
}

/// Writes the tokens of one document.
///
/// In this order: what every token needs has an offset of less than 128 bytes, which takes three bytes less in each of
/// the many instructions that are compiled into the `Serialize` of a type.
#[repr(C)]
pub(crate) struct Formatter<'a, const PLAIN: bool> {
    depth: usize,
    max_depth: usize,
    options: &'a Options,
    pub(crate) out: Out<'a>,
    /// Names of members that are being written, as a stack of texts in one string: for error pointers, if key and
    /// value come in separate calls; and of all members of open objects, if they are to be sorted.
    pub(crate) names: String,
    sorter: Sorter,
    /// What `layout` begins a line with in pretty output.
    line: SmallVec<[u8; 128]>,
    line_breaks: LineBreaks,
}

impl<'a, const PLAIN: bool> Formatter<'a, PLAIN> {
    pub(crate) fn new(out: Out<'a>, options: &'a Options) -> Self {
        Formatter::with_depth(out, options, options.max_depth_recursive())
    }

    /// A formatter for a walk that does not recurse, and so needs no limit if none was set.
    pub(crate) fn without_recursion(out: Out<'a>, options: &'a Options) -> Self {
        Formatter::with_depth(out, options, options.max_depth_walking())
    }

    fn with_depth(out: Out<'a>, options: &'a Options, max_depth: usize) -> Self {
        debug_assert!(!PLAIN || options.is_plain());
        let (names, sorter, line) = (String::new(), Sorter::default(), SmallVec::new());
        Formatter { out, options, depth: 0, max_depth, names, sorter, line, line_breaks: LineBreaks::Kept }
    }

    /// Says what becomes of line breaks; otherwise they are kept. Nothing may be written yet.
    pub(crate) fn set_line_breaks(&mut self, line_breaks: LineBreaks) {
        self.line_breaks = line_breaks;
    }

    /// Goes on where [`park`](Self::park) stopped, with the same options.
    pub(crate) fn resume(parked: Parked, options: &'a Options) -> Self {
        let Parked { out, depth, max_depth, names, sorter, line, line_breaks } = parked;
        Formatter { out: Out::resume(out, options), options, depth, max_depth, names, sorter, line, line_breaks }
    }

    /// Puts the document aside between two tokens.
    pub(crate) fn park(self) -> Parked {
        let Formatter { out, depth, max_depth, names, sorter, line, line_breaks, .. } = self;
        Parked { out: out.park(), depth, max_depth, names, sorter, line, line_breaks }
    }

    /// Whether a step of a document on demand is over: see [`Out::should_stop`].
    #[inline(always)]
    pub(crate) fn should_stop(&mut self) -> bool {
        if !PLAIN {
            self.out.cut_held();
        }
        self.out.should_stop()
    }

    /// Makes the last chunks of a document on demand that has failed: all that is certain to be its beginning.
    pub(crate) fn abandon(&mut self) {
        self.out.abandon();
    }

    /// The deepest nesting of arrays and objects.
    pub(crate) fn max_depth(&self) -> usize {
        self.max_depth
    }

    /// Remembers that the document cannot be completed, and gives the error back.
    #[cold]
    pub(crate) fn fail(&mut self, error: Error) -> Error {
        self.out.fail(error)
    }

    #[cold]
    pub(crate) fn fail_data(&mut self, message: &str) -> Error {
        self.out.fail(Error::data(message))
    }

    /// An error if something was begun and not ended, as by a `Serialize` that caught a panic and went on.
    pub(crate) fn check_complete(&mut self) -> Result<()> {
        self.check_at_depth(0)
    }

    /// The same for a part of the document, in `depth` containers.
    pub(crate) fn check_at_depth(&mut self, depth: usize) -> Result<()> {
        self.out.check()?;
        self.check_depth(depth)
    }

    /// The same, whatever `out` has to say.
    #[inline(always)]
    pub(crate) fn check_depth(&mut self, depth: usize) -> Result<()> {
        if self.depth == depth { Ok(()) } else { Err(self.went_on()) }
    }

    #[cold]
    #[inline(never)]
    fn went_on(&mut self) -> Error {
        self.fail_data("a Serialize implementation went on after a panic")
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
        self.out.fill(|room| &mut room[..5].write_copy_of_slice(padded)[..text.len()]);
        Ok(())
    }
}
