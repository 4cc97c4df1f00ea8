//! An array whose elements come from an iterator.

use serde::Serialize;

use super::items::TryNext;
use super::{Progress, Source};
use crate::error::{Error, Result};
use crate::fmt::Formatter;
use crate::ser;

/// The items of an iterator as the elements of one array: what [`Encoder::array`](crate::Encoder::array) encodes.
pub struct Array<I> {
    items: I,
    is_open: bool,
    count: usize,
}

impl<I> Array<I> {
    pub(crate) fn new(items: I) -> Array<I> {
        Array { items, is_open: false, count: 0 }
    }
}

/// Writes `item` as the element with this index. If it is an error, the output ends with the previous element.
#[inline(always)]
pub(crate) fn element<const PLAIN: bool>(
    formatter: &mut Formatter<'_, PLAIN>,
    index: usize,
    item: Result<impl Serialize>,
) -> Result<()> {
    let item = match item {
        Ok(item) => item,
        Err(error) => return Err(locate(error, index, formatter)),
    };
    match formatter.before_element(index).and_then(|()| ser::serialize(formatter, &item)) {
        Ok(()) => Ok(()),
        Err(error) => Err(locate(error, index, formatter)),
    }
}

#[cold]
fn locate<const PLAIN: bool>(error: Error, index: usize, formatter: &mut Formatter<'_, PLAIN>) -> Error {
    let error = formatter.fail(error);
    formatter.out.add_segment(index.to_string());
    error
}

impl<I: TryNext> Source for Array<I> {
    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress> {
        if !self.is_open {
            formatter.open()?;
            self.is_open = true;
        }
        // A local count is faster than one behind a pointer.
        let mut count = self.count;
        while !formatter.should_stop() {
            let Some(item) = self.items.try_next() else {
                formatter.close_array(count)?;
                return Ok(Progress::Complete);
            };
            element(formatter, count, item)?;
            count += 1;
        }
        self.count = count;
        Ok(Progress::More)
    }
}
