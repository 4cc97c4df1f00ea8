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

#[cold]
fn locate<const PLAIN: bool>(error: Error, index: usize, formatter: &mut Formatter<'_, PLAIN>) -> Error {
    let error = formatter.fail(error);
    formatter.out.add_segment(index.to_string());
    error
}

impl<I: TryNext<Value: Serialize>> Source for Array<I> {
    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress> {
        if !self.is_open {
            formatter.open()?;
            self.is_open = true;
        }
        // Counted here, and not through a pointer at every element.
        let mut count = self.count;
        while !formatter.should_stop() {
            // The item first: if there is an error in its place, the output ends after the last element.
            match self.items.try_next() {
                None => {
                    formatter.close_array(count)?;
                    return Ok(Progress::Complete);
                }
                Some(Err(error)) => return Err(locate(error, count, formatter)),
                Some(Ok(item)) => {
                    formatter.before_element(count)?;
                    if let Err(error) = ser::serialize(formatter, &item) {
                        return Err(locate(error, count, formatter));
                    }
                }
            }
            count += 1;
        }
        self.count = count;
        Ok(Progress::More)
    }
}
