//! Documents that are probably short, with the default options: the most frequent ones, whose time is mostly that of setting
//! up a formatter, and of dropping it. So each thread keeps one between them.
//!
//! It is kept only if it is as it was at first: after a document that succeeded and never left the stack. After
//! an error, a panic, or a longer document it is dropped, and the next document makes another one. A document inside of
//! another one, which a `Serialize` may encode, has one of its own.

use std::cell::{RefCell, RefMut};

use super::{COMPACT, SETUP, run, to_memory_as, to_rope_as, to_vec_as};
use crate::error::Result;
use crate::fmt::Formatter;
use crate::out::{self, Growable, Out};
use crate::rope::Rope;

type Write<'w> = super::Write<'w, true>;

/// Documents that are probably longer than this have no use for a formatter that is kept.
const MOST: usize = out::SCRATCH;

thread_local! {
    /// Kept from the latest document for the next one.
    static KEPT: RefCell<Option<Formatter<'static, true>>> = const { RefCell::new(None) };
}

/// The kept formatter while a document uses it. It is dropped afterwards, unless it may be used again.
struct InUse<'k> {
    kept: RefMut<'k, Option<Formatter<'static, true>>>,
    is_reusable: bool,
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        if !self.is_reusable {
            *self.kept = None;
        }
    }
}

/// Calls `work` with the formatter that this thread keeps, on the scratch, or appending to `vec`. Returns `None` if it is in
/// use, or the thread is ending. What `work` returns should be small: it is moved more than once.
#[inline(always)]
fn with_kept<R>(
    vec: Option<&mut Vec<u8>>,
    work: impl FnOnce(&mut Formatter<'static, true>) -> Result<R>,
) -> Option<Result<R>> {
    let result = KEPT.try_with(|kept| {
        let mut used = InUse { kept: kept.try_borrow_mut().ok()?, is_reusable: false };
        let formatter =
            used.kept.get_or_insert_with(|| Formatter::new(|| Out::at_rest(&COMPACT, &SETUP), &COMPACT, &SETUP));
        let result = Out::lend(formatter, |formatter| &mut formatter.out, vec, work);
        used.is_reusable = result.is_ok() && formatter.rest();
        Some(result)
    });
    result.ok().flatten()
}

/// Encodes with the default options into a rope; `estimate` is the probable length, or 0. Tells `remember` the length.
///
/// A rope is built in the place where it is returned. Moving it, as even a look at it makes the compiler do, would take a
/// tenth of the time of a short document.
#[inline]
pub(crate) fn to_rope(estimate: usize, write: Write<'_>, remember: impl FnOnce(usize)) -> Result<Rope> {
    if estimate > MOST {
        return long_rope(estimate, write, remember);
    }
    let mut long = None;
    let result = with_kept(None, |formatter| {
        formatter.out.expect(estimate);
        run(formatter, &SETUP, write, |out| match out.small_chunk() {
            Some(chunk) => Ok(Some(chunk)),
            None => {
                long = Some(out.finish_long());
                Ok(None)
            }
        })
    });
    match result {
        Some(Ok(Some(chunk))) => {
            remember(chunk.len());
            Ok(Rope::of(chunk))
        }
        Some(Ok(None)) => {
            let rope = long.unwrap_or_default();
            remember(rope.len());
            Ok(rope)
        }
        Some(Err(error)) => Err(error),
        None => long_rope(estimate, write, remember),
    }
}

#[inline(never)]
fn long_rope(estimate: usize, write: Write<'_>, remember: impl FnOnce(usize)) -> Result<Rope> {
    let result = to_rope_as::<true>(&COMPACT, estimate, &SETUP, write);
    if let Ok(rope) = &result {
        remember(rope.len());
    }
    result
}

/// Encodes with the default options into a rope.
pub(crate) fn rope(write: Write<'_>) -> Result<Rope> {
    to_rope(0, write, |_| {})
}

/// Encodes with the default options into contiguous memory.
pub(crate) fn vec(write: Write<'_>) -> Result<Vec<u8>> {
    let result = with_kept(None, |formatter| {
        formatter.out.append_to(Growable::Owned(Vec::new()));
        run(formatter, &SETUP, write, |out| Ok(out.finish_vec()))
    });
    result.unwrap_or_else(|| to_vec_as::<true>(&COMPACT, write))
}

/// Encodes with the default options and appends to `vec`, which is as before if that fails.
pub(crate) fn append(vec: &mut Vec<u8>, write: Write<'_>) -> Result<()> {
    let result = with_kept(Some(vec), |formatter| {
        run(formatter, &SETUP, write, |out| {
            out.finish_memory();
            Ok(())
        })
    });
    result.unwrap_or_else(|| to_memory_as::<true>(&COMPACT, Growable::Vec(vec), &SETUP, write))
}
