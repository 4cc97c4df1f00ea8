//! Where elements and records come from: an iterator of values, or one of results.

use crate::error::Error;

/// An iterator whose items may be errors. Implemented by [`Infallible`] and [`Fallible`].
pub trait TryNext {
    /// The values that are encoded.
    type Value;

    /// The next value, or the error in its place.
    fn try_next(&mut self) -> Option<Result<Self::Value, Error>>;
}

/// The items of an iterator, none of which is an error.
pub struct Infallible<I>(pub(crate) I);

impl<I: Iterator> TryNext for Infallible<I> {
    type Value = I::Item;

    #[inline]
    fn try_next(&mut self) -> Option<Result<I::Item, Error>> {
        self.0.next().map(Ok)
    }
}

/// The items of an iterator of results. The first error ends it.
pub struct Fallible<I>(pub(crate) I);

impl<T, E, I> TryNext for Fallible<I>
where
    I: Iterator<Item = Result<T, E>>,
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Value = T;

    #[inline]
    fn try_next(&mut self) -> Option<Result<T, Error>> {
        Some(self.0.next()?.map_err(|error| Error::item(error.into())))
    }
}
