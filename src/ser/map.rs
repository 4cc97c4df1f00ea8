//! Maps, whose keys are values too.

use serde::Serialize;
use serde::ser::SerializeMap;

use super::compound::WENT_ON;
use super::key::KeySerializer;
use super::{Serializer, tree};
use crate::error::{Error, Result};
use crate::fmt::Formatter;

/// A map that is being written.
pub(crate) struct Map<'f, 'a, const PLAIN: bool> {
    formatter: &'f mut Formatter<'a, PLAIN>,
    wrappers: usize,
    count: usize,
    /// How many maps are open, this one included.
    level: usize,
    state: State,
}

/// The part that is being written, or that has failed or panicked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing: all members are complete.
    Ready,
    Key,
    /// A key is complete, and its value has not begun.
    Between,
    Value,
}

impl<'f, 'a, const PLAIN: bool> Map<'f, 'a, PLAIN> {
    #[inline]
    pub(super) fn new(serializer: Serializer<'f, 'a, PLAIN>) -> Self {
        let Serializer { formatter, wrappers } = serializer;
        let level = formatter.out.enter_map();
        Map { formatter, wrappers, count: 0, level, state: State::Ready }
    }

    #[inline]
    fn key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<()> {
        self.state = State::Key;
        let serializer = KeySerializer { formatter: &mut *self.formatter, index: self.count, wrappers: 0 };
        match key.serialize(serializer) {
            Ok(()) => Ok(()),
            Err(error) => Err(fail(self.formatter, self.level, error, State::Key)),
        }
    }

    #[inline]
    fn value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<()> {
        self.state = State::Value;
        self.count += 1;
        let written = match tree::as_tree(value) {
            Some(tree) => tree::write(self.formatter, tree),
            None => value.serialize(Serializer { formatter: &mut *self.formatter, wrappers: self.wrappers }),
        };
        match written {
            Ok(()) => {
                self.state = State::Ready;
                Ok(())
            }
            Err(error) => Err(fail(self.formatter, self.level, error, State::Value)),
        }
    }
}

/// An error of the map itself, or of the value that is being written.
#[cold]
#[inline(never)]
fn fail<const PLAIN: bool>(formatter: &mut Formatter<'_, PLAIN>, level: usize, error: Error, state: State) -> Error {
    let error = formatter.fail(error);
    if state == State::Value {
        let name = formatter.out.latest_key(level);
        formatter.out.add_segment(name);
    }
    formatter.out.leave_map(level);
    error
}

/// The error of a call that does not fit the state.
#[cold]
#[inline(never)]
fn misused<const PLAIN: bool>(formatter: &mut Formatter<'_, PLAIN>, level: usize, state: State, call: &str) -> Error {
    if let Some(error) = formatter.out.failed_before() {
        return error;
    }
    let message = match state {
        State::Key | State::Value => WENT_ON.to_owned(),
        State::Ready => format!("{call} was called without serialize_key"),
        State::Between => format!("{call} was called after serialize_key, without serialize_value"),
    };
    fail(formatter, level, Error::data(message), state)
}

impl<const PLAIN: bool> SerializeMap for Map<'_, '_, PLAIN> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<()> {
        if self.state != State::Ready {
            return Err(misused(self.formatter, self.level, self.state, "serialize_key"));
        }
        self.key(key)?;
        self.state = State::Between;
        Ok(())
    }

    #[inline]
    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<()> {
        if self.state != State::Between {
            return Err(misused(self.formatter, self.level, self.state, "serialize_value"));
        }
        self.value(value)
    }

    #[inline]
    fn serialize_entry<K, V>(&mut self, key: &K, value: &V) -> Result<()>
    where
        K: ?Sized + Serialize,
        V: ?Sized + Serialize,
    {
        if self.state != State::Ready {
            return Err(misused(self.formatter, self.level, self.state, "serialize_entry"));
        }
        self.key(key)?;
        self.value(value)
    }

    #[inline]
    fn end(self) -> Result<()> {
        if self.state != State::Ready {
            return Err(misused(self.formatter, self.level, self.state, "end"));
        }
        self.formatter.out.leave_map(self.level);
        self.formatter.close_object(self.count)
    }
}
