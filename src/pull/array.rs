//! An array whose elements come from an iterator.

use std::fmt::{self, Debug};
use std::io::{self, Read};
use std::iter::FusedIterator;

use bytes::Bytes;
use serde::Serialize;

use super::items::{Items, Sure, Trying};
use super::{Pull, Source, pull_traits};
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::fmt::{Formatter, Parked};
use crate::options::LineBreaks;
use crate::ser;

/// An array that is encoded on demand. Made by [`Encoder::array`].
///
/// ```
/// use json_rope::{ArrayChunks, Encoder};
///
/// let mut chunks: ArrayChunks<std::ops::Range<u8>> = Encoder::new().array(0..3);
/// assert_eq!(chunks.next().unwrap()?, "[0,1,2]");
/// # Ok::<(), json_rope::Error>(())
/// ```
#[must_use = "nothing is encoded until chunks are asked for"]
pub struct ArrayChunks<I> {
    pull: Pull<Elements<Sure<I>>>,
}

/// An array of results that is encoded on demand. Made by [`Encoder::try_array`].
///
/// ```
/// use json_rope::{Encoder, TryArrayChunks};
///
/// let rows = vec![Ok::<_, std::io::Error>(1)];
/// let mut chunks: TryArrayChunks<std::vec::IntoIter<_>> = Encoder::new().try_array(rows);
/// assert_eq!(chunks.next().unwrap()?, "[1]");
/// # Ok::<(), json_rope::Error>(())
/// ```
#[must_use = "nothing is encoded until chunks are asked for"]
pub struct TryArrayChunks<I> {
    pull: Pull<Elements<Trying<I>>>,
}

pull_traits!(<I> ArrayChunks<I> where I: Iterator<Item: Serialize>);
pull_traits!(
    <I, T, E> TryArrayChunks<I>
    where
        I: Iterator<Item = std::result::Result<T, E>>,
        T: Serialize,
        E: Into<Box<dyn std::error::Error + Send + Sync>>
);

struct Elements<I> {
    items: I,
    opened: bool,
    count: usize,
}

#[cold]
fn locate<const PLAIN: bool>(error: Error, index: usize, formatter: &mut Formatter<'_, PLAIN>) -> Error {
    let error = formatter.fail(error);
    formatter.out.add_segment(index.to_string());
    error
}

impl<I: Items<Value: Serialize>> Source for Elements<I> {
    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<bool> {
        if !self.opened {
            formatter.open()?;
            self.opened = true;
        }
        // Counted here, and not through a pointer at every element.
        let mut count = self.count;
        while !formatter.should_stop() {
            // The item first: if there is an error in its place, the output ends behind the last element.
            match self.items.next() {
                None => return formatter.close_array(count).map(|()| true),
                Some(Err(error)) => return Err(locate(error, count, formatter)),
                Some(Ok(item)) => {
                    formatter.before_element(count)?;
                    let written = ser::serialize(formatter, &item);
                    if let Err(error) = written {
                        return Err(locate(error, count, formatter));
                    }
                }
            }
            count += 1;
        }
        self.count = count;
        // There may be an error that an item's `Serialize` swallowed.
        formatter.out.check().map(|()| false)
    }
}

impl Encoder {
    /// Encodes an array on demand, one element of the iterator at a time: an iterator over chunks, and an
    /// [`io::Read`]. The bytes are those of the same elements in a `Vec`.
    ///
    /// An item of the iterator is asked for when there is no finished chunk, and encoded at once, so a step does the
    /// work of one chunk and what is left of the last element in it. Heap memory: two chunks, or what one element
    /// needs. The items are as [`chunks`](Encoder::chunks) describes them; so are the errors, with the element's
    /// index in front of the pointer, and [`max_len`](crate::EncoderBuilder::max_len), which is for the whole
    /// output. Without elements the output is `[]`.
    ///
    /// ```
    /// use std::io::Read;
    ///
    /// let mut text = String::new();
    /// json_rope::Encoder::new().array((0..4).map(|n| n * n)).read_to_string(&mut text)?;
    /// assert_eq!(text, "[0,1,4,9]");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`encode`](Encoder::encode), as the last item.
    pub fn array<I>(&self, items: I) -> ArrayChunks<I::IntoIter>
    where
        I: IntoIterator<Item: Serialize>,
    {
        ArrayChunks { pull: self.pull_array(Sure(items.into_iter())) }
    }

    /// The same as [`array`](Encoder::array) for an iterator of results. The first `Err` ends the output: what was
    /// encoded before it comes out, then the error, and no closing bracket.
    ///
    /// ```
    /// let rows = ["1", "2", "x"].into_iter().map(str::parse::<i32>);
    /// let mut chunks = json_rope::Encoder::new().try_array(rows);
    /// assert_eq!(chunks.next().unwrap()?, "[1,2");
    /// let error = chunks.next().unwrap().unwrap_err();
    /// assert_eq!(error.to_string(), "cannot encode /2: invalid digit found in string");
    /// assert!(chunks.next().is_none());
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`array`](Encoder::array); or a data error whose [`source`](std::error::Error::source) is the iterator's
    /// error.
    pub fn try_array<I, T, E>(&self, items: I) -> TryArrayChunks<I::IntoIter>
    where
        I: IntoIterator<Item = std::result::Result<T, E>>,
        T: Serialize,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        TryArrayChunks { pull: self.pull_array(Trying(items.into_iter())) }
    }

    fn pull_array<I>(&self, items: I) -> Pull<Elements<I>> {
        let options = self.options();
        let parked = Parked::new(options, options.max_depth_recursive(), options.max_len, LineBreaks::Kept);
        Pull::new(self.clone(), Elements { items, opened: false, count: 0 }, parked)
    }
}
