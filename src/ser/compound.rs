//! Arrays and structs: sequences, tuples, structs, and the variants that hold them.

use serde::Serialize;
use serde::ser::{
    SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct, SerializeTupleVariant,
};

use super::Serializer;
use super::token::SerdeJsonToken;
use crate::error::{Error, Result};
use crate::fmt::Formatter;

/// An array that is being written.
pub(crate) struct Array<'f, 'a, const PLAIN: bool> {
    formatter: &'f mut Formatter<'a, PLAIN>,
    wrappers: usize,
    count: usize,
    variant: Option<&'static str>,
    /// Whether an element was begun and not completed: it is being written, or has failed or panicked.
    busy: bool,
}

impl<'f, 'a, const PLAIN: bool> Array<'f, 'a, PLAIN> {
    #[inline]
    pub(super) fn new(serializer: Serializer<'f, 'a, PLAIN>) -> Self {
        let Serializer { formatter, wrappers } = serializer;
        Array { formatter, wrappers, count: 0, variant: None, busy: false }
    }

    /// An array that is open already, and has `count` elements.
    #[cfg(feature = "rayon")]
    pub(super) fn from_index(serializer: Serializer<'f, 'a, PLAIN>, count: usize) -> Self {
        Array { count, ..Array::new(serializer) }
    }

    /// Makes this array the content of an enum variant.
    #[inline]
    pub(super) fn in_variant(mut self, variant: &'static str) -> Self {
        self.variant = Some(variant);
        self
    }

    #[inline]
    pub(super) fn element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<()> {
        if self.busy {
            return Err(went_on(self.formatter, self.count, self.variant));
        }
        self.busy = true;
        let written = self
            .formatter
            .before_element(self.count)
            .and_then(|()| value.serialize(Serializer { formatter: &mut *self.formatter, wrappers: self.wrappers }));
        match written {
            Ok(()) => {
                self.busy = false;
                self.count += 1;
                Ok(())
            }
            Err(error) => Err(fail(self.formatter, error, self.count, self.variant)),
        }
    }

    #[inline(always)]
    pub(super) fn close(self) -> Result<()> {
        if self.busy {
            return Err(went_on(self.formatter, self.count, self.variant));
        }
        close_array(self.formatter, self.count, self.variant)
    }
}

/// Records an error of the element or member `segment`, in an array or object that may be the content of a variant.
/// Takes the parts of an object instead of a reference: an object whose address is never taken stays in registers,
/// which saves a store for each member.
#[cold]
#[inline(never)]
pub(super) fn fail<const PLAIN: bool>(
    formatter: &mut Formatter<'_, PLAIN>,
    error: Error,
    segment: impl ToString,
    variant: Option<&'static str>,
) -> Error {
    let error = formatter.fail(error);
    formatter.out.add_segment(segment.to_string());
    if let Some(variant) = variant {
        formatter.out.add_segment(variant.to_owned());
    }
    error
}

/// The error of an array or object whose element or member `segment` was begun and not completed. If it failed, its
/// error was swallowed, and still decides. Otherwise it panicked.
#[cold]
#[inline(never)]
fn went_on<const PLAIN: bool>(
    formatter: &mut Formatter<'_, PLAIN>,
    segment: impl ToString,
    variant: Option<&'static str>,
) -> Error {
    match formatter.out.failed_before() {
        Some(error) => error,
        None => fail(formatter, Error::data(WENT_ON), segment, variant),
    }
}

/// The message for a `Serialize` implementation that catches a panic and does not pass it on.
pub(super) const WENT_ON: &str = "a Serialize implementation went on after a panic";

macro_rules! array {
    ($($trait:ident::$method:ident),*) => {$(
        impl<const PLAIN: bool> $trait for Array<'_, '_, PLAIN> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn $method<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<()> {
                self.element(value)
            }

            #[inline]
            fn end(self) -> Result<()> {
                self.close()
            }
        }
    )*};
}

array!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

/// A struct that is being written; or one of the private protocols, which look like a struct.
pub(crate) struct Object<'f, 'a, const PLAIN: bool> {
    formatter: &'f mut Formatter<'a, PLAIN>,
    wrappers: usize,
    count: usize,
    variant: Option<&'static str>,
    token: Option<SerdeJsonToken>,
    /// The field that was begun and not completed: it is being written, or has failed or panicked.
    busy: Option<&'static str>,
}

impl<'f, 'a, const PLAIN: bool> Object<'f, 'a, PLAIN> {
    #[inline]
    pub(super) fn new(serializer: Serializer<'f, 'a, PLAIN>) -> Self {
        let Serializer { formatter, wrappers } = serializer;
        Object { formatter, wrappers, count: 0, variant: None, token: None, busy: None }
    }

    /// Not an object at all: see [`SerdeJsonToken`].
    #[inline]
    pub(super) fn of_token(serializer: Serializer<'f, 'a, PLAIN>, token: SerdeJsonToken) -> Self {
        Object { token: Some(token), ..Object::new(serializer) }
    }

    /// Makes this object the content of an enum variant.
    #[inline]
    pub(super) fn in_variant(mut self, variant: &'static str) -> Self {
        self.variant = Some(variant);
        self
    }

    #[cfg_attr(not(debug_assertions), inline(always))] // see `Formatter::static_key`
    fn field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<()> {
        if let Some(busy) = self.busy {
            return Err(went_on(self.formatter, busy, self.variant));
        }
        self.busy = Some(key);
        let written = match self.token {
            None => self.formatter.static_key(self.count, key).and_then(|()| {
                value.serialize(Serializer { formatter: &mut *self.formatter, wrappers: self.wrappers })
            }),
            Some(token) => token.field(self.formatter, self.count, key, value),
        };
        match (written, self.token) {
            (Ok(()), _) => {
                self.busy = None;
                self.count += 1;
                Ok(())
            }
            (Err(error), None) => Err(fail(self.formatter, error, key, self.variant)),
            (Err(error), Some(_)) => Err(self.formatter.fail(error)),
        }
    }

    #[inline(always)]
    fn close(self) -> Result<()> {
        match (self.busy, self.token) {
            (Some(busy), _) => Err(went_on(self.formatter, busy, self.variant)),
            (None, None) => close_object(self.formatter, self.count, self.variant),
            (None, Some(token)) => token.end(self.formatter, self.count),
        }
    }
}

/// Not inlined, but called with the parts of the array: see [`fail`].
#[inline(never)]
fn close_array<const PLAIN: bool>(
    formatter: &mut Formatter<'_, PLAIN>,
    count: usize,
    variant: Option<&'static str>,
) -> Result<()> {
    let closed = formatter.close_array(count);
    close_variant(formatter, closed, variant)
}

/// Not inlined, but called with the parts of the object: see [`fail`].
#[inline(never)]
fn close_object<const PLAIN: bool>(
    formatter: &mut Formatter<'_, PLAIN>,
    count: usize,
    variant: Option<&'static str>,
) -> Result<()> {
    let closed = formatter.close_object(count);
    close_variant(formatter, closed, variant)
}

/// Ends the object around the content of a variant, if there is one. The content has been closed, or not.
#[inline(always)]
fn close_variant<const PLAIN: bool>(
    formatter: &mut Formatter<'_, PLAIN>,
    closed: Result<()>,
    variant: Option<&'static str>,
) -> Result<()> {
    match (closed, variant) {
        (closed, None) => closed,
        (Ok(()), Some(_)) => formatter.close_object(1),
        (Err(error), Some(variant)) => Err(fail(formatter, error, variant, None)),
    }
}

macro_rules! object {
    ($($trait:ident),*) => {$(
        impl<const PLAIN: bool> $trait for Object<'_, '_, PLAIN> {
            type Ok = ();
            type Error = Error;

            #[cfg_attr(not(debug_assertions), inline(always))] // see `Formatter::static_key`
            fn serialize_field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<()> {
                self.field(key, value)
            }

            #[inline(always)]
            fn end(self) -> Result<()> {
                self.close()
            }
        }
    )*};
}

object!(SerializeStruct, SerializeStructVariant);
