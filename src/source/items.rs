//! Where elements and records come from: an iterator of values, one of results, or a source that lends them.

use serde::Serialize;

use crate::error::Error;

/// A source of values that may borrow from it, and of errors. Iterators become one by [`Infallible`] and [`Fallible`];
/// implement it for values that cannot be the items of an iterator, because they refer to what the source holds, and pass
/// it to [`Encoder::records_from`](crate::Encoder::records_from).
pub trait TryNext {
    /// The values that are encoded.
    type Value<'a>: Serialize
    where
        Self: 'a;

    /// The next value, or the [error](Error::from_source) in its place.
    fn try_next(&mut self) -> Option<Result<Self::Value<'_>, Error>>;
}

/// The items of an iterator, none of which is an error.
pub struct Infallible<I>(pub(crate) I);

impl<I: Iterator<Item: Serialize>> TryNext for Infallible<I> {
    type Value<'a>
        = I::Item
    where
        Self: 'a;

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
    T: Serialize,
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Value<'a>
        = T
    where
        Self: 'a;

    #[inline]
    fn try_next(&mut self) -> Option<Result<T, Error>> {
        Some(self.0.next()?.map_err(|error| Error::from_source(error)))
    }
}
