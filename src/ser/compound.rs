//! Arrays and objects: sequences, tuples, maps, structs, and the variants that hold them.

use std::ops::Range;

use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct,
    SerializeTupleVariant,
};

use super::Serializer;
use super::key::{self, KeySerializer, Purpose};
use super::private::Private;
use crate::error::{Error, Result};
use crate::fmt::Formatter;

/// An array that is being written.
pub(crate) struct Array<'f, 'a, const PLAIN: bool> {
    formatter: &'f mut Formatter<'a, PLAIN>,
    wrappers: usize,
    count: usize,
    variant: Option<&'static str>,
}

impl<'f, 'a, const PLAIN: bool> Array<'f, 'a, PLAIN> {
    #[inline]
    pub(super) fn new(serializer: Serializer<'f, 'a, PLAIN>) -> Self {
        Array { formatter: serializer.formatter, wrappers: serializer.wrappers, count: 0, variant: None }
    }

    /// The same array as the content of an enum variant.
    #[inline]
    pub(super) fn in_variant(mut self, variant: &'static str) -> Self {
        self.variant = Some(variant);
        self
    }

    #[inline]
    pub(super) fn element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<()> {
        let written = self
            .formatter
            .before_element(self.count)
            .and_then(|()| value.serialize(Serializer { formatter: &mut *self.formatter, wrappers: self.wrappers }));
        match written {
            Ok(()) => {
                self.count += 1;
                Ok(())
            }
            Err(error) => Err(self.fail(error)),
        }
    }

    #[cold]
    fn fail(&mut self, error: Error) -> Error {
        fail(self.formatter, error, self.count, self.variant)
    }

    #[inline]
    pub(super) fn close(self) -> Result<()> {
        self.formatter.close_array(self.count)?;
        if self.variant.is_some() { self.formatter.close_object(1) } else { Ok(()) }
    }
}

/// An error of the element or member `segment`. Takes the parts of an object, not the whole: one whose address is never
/// taken needs no memory, which saves a store for each member.
#[cold]
#[inline(never)]
fn fail<const PLAIN: bool>(
    formatter: &mut Formatter<'_, PLAIN>,
    error: Error,
    segment: impl ToString,
    variant: Option<&'static str>,
) -> Error {
    let error = under(formatter, error, segment);
    fail_here(formatter, error, variant)
}

/// An error of the array or object itself, or of the member whose key was written just before.
#[cold]
#[inline(never)]
fn fail_here<const PLAIN: bool>(
    formatter: &mut Formatter<'_, PLAIN>,
    error: Error,
    variant: Option<&'static str>,
) -> Error {
    match variant {
        Some(variant) => under(formatter, error, variant),
        None => formatter.fail(error),
    }
}

/// Notes on the way up that the failing value stands under `segment`, and that the document has failed.
#[cold]
pub(super) fn under<const PLAIN: bool>(
    formatter: &mut Formatter<'_, PLAIN>,
    mut error: Error,
    segment: impl ToString,
) -> Error {
    error.push_segment(segment.to_string());
    formatter.fail(error)
}

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

/// An object that is being written; or one of the private protocols, which look like a struct.
pub(crate) struct Object<'f, 'a, const PLAIN: bool> {
    formatter: &'f mut Formatter<'a, PLAIN>,
    wrappers: usize,
    count: usize,
    variant: Option<&'static str>,
    private: Option<Private>,
    /// Where in `Formatter::names` the name of the member stands whose key was written and whose value was not.
    open_name: Option<Range<usize>>,
}

impl<'f, 'a, const PLAIN: bool> Object<'f, 'a, PLAIN> {
    #[inline]
    pub(super) fn new(serializer: Serializer<'f, 'a, PLAIN>) -> Self {
        Object {
            formatter: serializer.formatter,
            wrappers: serializer.wrappers,
            count: 0,
            variant: None,
            private: None,
            open_name: None,
        }
    }

    /// Not an object at all: see [`Private`].
    #[inline]
    pub(super) fn private(serializer: Serializer<'f, 'a, PLAIN>, private: Private) -> Self {
        Object { private: Some(private), ..Object::new(serializer) }
    }

    /// The same object as the content of an enum variant.
    #[inline]
    pub(super) fn in_variant(mut self, variant: &'static str) -> Self {
        self.variant = Some(variant);
        self
    }

    #[cfg_attr(not(debug_assertions), inline(always))] // see `Formatter::static_key`
    fn field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<()> {
        match self.formatter.static_key(self.count, key).and_then(|()| self.value(value)) {
            Ok(()) => Ok(()),
            Err(error) => Err(fail(self.formatter, error, key, self.variant)),
        }
    }

    #[inline]
    fn key<T: ?Sized + Serialize>(&mut self, key: &T, purpose: Purpose) -> Result<()> {
        let index = self.count;
        let serializer = KeySerializer { formatter: &mut *self.formatter, index, wrappers: 0, purpose };
        match key.serialize(serializer) {
            Ok(()) => Ok(()),
            Err(error) => Err(fail_here(self.formatter, error, self.variant)),
        }
    }

    #[inline]
    fn value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<()> {
        self.count += 1;
        value.serialize(Serializer { formatter: &mut *self.formatter, wrappers: self.wrappers })
    }

    /// An error of the member with this key.
    #[cold]
    #[inline(never)]
    fn fail_entry<K: ?Sized + Serialize>(&mut self, error: Error, key: &K) -> Error {
        let error = self.formatter.fail(error);
        let name = key::name(self.formatter, key);
        fail(self.formatter, error, name, self.variant)
    }

    #[cold]
    fn misuse(&mut self, message: &str) -> Result<()> {
        let error = self.formatter.fail_data(message);
        Err(fail_here(self.formatter, error, self.variant))
    }

    #[inline(always)]
    fn close(self) -> Result<()> {
        close_object(self.formatter, self.count, self.variant.is_some())
    }
}

/// Not inlined, but called with the parts of the object: see [`fail`].
#[inline(never)]
fn close_object<const PLAIN: bool>(formatter: &mut Formatter<'_, PLAIN>, count: usize, in_variant: bool) -> Result<()> {
    formatter.close_object(count)?;
    if in_variant { formatter.close_object(1) } else { Ok(()) }
}

impl<const PLAIN: bool> SerializeMap for Object<'_, '_, PLAIN> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<()> {
        if self.open_name.is_some() {
            return self.misuse("serialize_key was called twice without serialize_value");
        }
        // The value may fail in a later call, when the key is out of sight, so its name is kept.
        let start = self.formatter.names.len();
        self.key(key, Purpose::WriteAndName)?;
        self.open_name = Some(start..self.formatter.names.len());
        Ok(())
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<()> {
        let Some(name) = self.open_name.take() else {
            return self.misuse("serialize_value was called without serialize_key");
        };
        if let Err(error) = self.value(value) {
            let name = self.formatter.names[name].to_owned();
            return Err(fail(self.formatter, error, name, self.variant));
        }
        if !self.formatter.sorts() {
            self.formatter.names.truncate(name.start);
        }
        Ok(())
    }

    #[inline]
    fn serialize_entry<K, V>(&mut self, key: &K, value: &V) -> Result<()>
    where
        K: ?Sized + Serialize,
        V: ?Sized + Serialize,
    {
        if self.open_name.is_some() {
            return self.misuse("serialize_entry was called between serialize_key and serialize_value");
        }
        self.key(key, Purpose::Write)?;
        match self.value(value) {
            Ok(()) => Ok(()),
            Err(error) => Err(self.fail_entry(error, key)),
        }
    }

    #[inline]
    fn end(mut self) -> Result<()> {
        if self.open_name.is_some() {
            return self.misuse("a map ended after serialize_key without serialize_value");
        }
        self.close()
    }
}

impl<const PLAIN: bool> SerializeStruct for Object<'_, '_, PLAIN> {
    type Ok = ();
    type Error = Error;

    #[cfg_attr(not(debug_assertions), inline(always))] // see `Formatter::static_key`
    fn serialize_field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<()> {
        match self.private {
            None => self.field(key, value),
            Some(private) => private.field(self.formatter, &mut self.count, key, value),
        }
    }

    #[inline(always)]
    fn end(self) -> Result<()> {
        match self.private {
            None => self.close(),
            Some(private) => private.end(self.formatter, self.count),
        }
    }
}

impl<const PLAIN: bool> SerializeStructVariant for Object<'_, '_, PLAIN> {
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
