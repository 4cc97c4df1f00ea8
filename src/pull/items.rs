//! Where elements and records come from: an iterator of values, or one of results.

use crate::error::Error;

/// Gives the next value, or the error in its place.
pub(super) trait Items {
    type Value;

    fn next(&mut self) -> Option<Result<Self::Value, Error>>;
}

/// An iterator that cannot fail.
pub(super) struct Sure<I>(pub(super) I);

impl<I: Iterator> Items for Sure<I> {
    type Value = I::Item;

    #[inline]
    fn next(&mut self) -> Option<Result<I::Item, Error>> {
        self.0.next().map(Ok)
    }
}

/// An iterator of results. The first error ends it.
pub(super) struct Trying<I>(pub(super) I);

impl<T, E, I> Items for Trying<I>
where
    I: Iterator<Item = Result<T, E>>,
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Value = T;

    #[inline]
    fn next(&mut self) -> Option<Result<T, Error>> {
        Some(self.0.next()?.map_err(|error| Error::item(error.into())))
    }
}
