//! Walks a `serde_json::Value` with an explicit stack: any depth, and it can stop behind any token and inside a string.
//!
//! One walker for borrowed and for owned trees. Owned ones are freed as they are walked. A deep tree must not be dropped
//! by the compiler's drop glue, which recurses; so whatever is left of it is always within reach of [`Walker::drop`].

use std::borrow::Borrow;

use serde_json::{Number, Value};
use smallvec::SmallVec;

use crate::error::{Error, Result};
use crate::fmt::Formatter;
use crate::ser;
use parts::{Part, Parts};

/// A tree that [`Encoder::chunks`](crate::Encoder::chunks) can walk: `serde_json::Value`, or a reference to one. Nothing
/// else implements it.
///
/// ```
/// fn length(tree: impl json_rope::Tree) -> usize {
///     json_rope::Encoder::new().chunks(tree).map(|chunk| chunk.unwrap().len()).sum()
/// }
/// let tree = serde_json::json!([1, 2]);
/// assert_eq!(length(&tree), 5);
/// assert_eq!(length(tree), 5);
/// ```
pub trait Tree: Parts {}

impl Tree for Value {}
impl Tree for &Value {}

/// Unreachable from outside, so that nobody else implements [`Tree`].
mod parts {
    use super::*;

    /// A tree that can be taken apart, one level at a time.
    pub trait Parts: Sized {
        /// Whether what is left of the tree has to be freed.
        const OWNED: bool;
        type Text: AsRef<str>;
        type Number: Borrow<Number>;
        type Items: Iterator<Item = Self>;
        type Members: Iterator<Item = (Self::Text, Self)>;

        fn part(self) -> Part<Self>;
    }

    /// The outermost level of a tree.
    pub enum Part<T: Parts> {
        Null,
        Bool(bool),
        Number(T::Number),
        String(T::Text),
        Array(T::Items),
        Object(T::Members),
    }
}

impl Parts for Value {
    const OWNED: bool = true;
    type Text = String;
    type Number = Number;
    type Items = std::vec::IntoIter<Value>;
    type Members = serde_json::map::IntoIter;

    #[inline]
    fn part(self) -> Part<Value> {
        match self {
            Value::Null => Part::Null,
            Value::Bool(value) => Part::Bool(value),
            Value::Number(number) => Part::Number(number),
            Value::String(text) => Part::String(text),
            Value::Array(items) => Part::Array(items.into_iter()),
            Value::Object(members) => Part::Object(members.into_iter()),
        }
    }
}

impl<'v> Parts for &'v Value {
    const OWNED: bool = false;
    type Text = &'v String;
    type Number = &'v Number;
    type Items = std::slice::Iter<'v, Value>;
    type Members = serde_json::map::Iter<'v>;

    #[inline]
    fn part(self) -> Part<&'v Value> {
        match self {
            Value::Null => Part::Null,
            Value::Bool(value) => Part::Bool(*value),
            Value::Number(number) => Part::Number(number),
            Value::String(text) => Part::String(text),
            Value::Array(items) => Part::Array(items.iter()),
            Value::Object(members) => Part::Object(members.iter()),
        }
    }
}

/// Levels that [`write()`] takes by recursion. That is faster than any explicit stack, because the processor predicts each
/// place in the code by itself; and so few levels take a few kilobytes of stack. What is deeper is left to a [`Walker`].
const RECURSIVE_LEVELS: usize = 32;

/// Writes a whole tree, of any depth.
pub(crate) fn write<const PLAIN: bool>(formatter: &mut Formatter<'_, PLAIN>, tree: &Value) -> Result<()> {
    write_level(formatter, tree, RECURSIVE_LEVELS)
}

fn write_level<const PLAIN: bool>(formatter: &mut Formatter<'_, PLAIN>, tree: &Value, levels: usize) -> Result<()> {
    match tree {
        Value::Null => formatter.null(),
        Value::Bool(value) => formatter.bool(*value),
        Value::Number(number) => match number.as_u64() {
            Some(value) => formatter.integer(false, value),
            // Which knows the other representations of a number, also that of `arbitrary_precision`.
            None => ser::serialize(formatter, number),
        },
        Value::String(text) => formatter.string(text),
        _ if levels == 0 => Walker::new(tree).run(formatter),
        Value::Array(items) => {
            formatter.open()?;
            for (index, item) in items.iter().enumerate() {
                let begun = formatter.before_element(index);
                if let Err(error) = begun.and_then(|()| write_level(formatter, item, levels - 1)) {
                    return Err(under(error, index));
                }
            }
            formatter.close_array(items.len())
        }
        Value::Object(members) => {
            formatter.open()?;
            for (index, (key, value)) in members.iter().enumerate() {
                formatter.key(index, key)?;
                if let Err(error) = write_level(formatter, value, levels - 1) {
                    return Err(under(error, key));
                }
            }
            formatter.close_object(members.len())
        }
    }
}

/// Notes on the way up under what the failing value stands.
#[cold]
fn under(mut error: Error, segment: impl ToString) -> Error {
    error.push_segment(segment.to_string());
    error
}

/// Open containers that are kept without a heap allocation. Few documents are deeper.
const INLINE_LEVELS: usize = 16;

/// Where in a tree the encoding has got to.
pub(crate) struct Walker<T: Parts> {
    /// The tree, until it is begun.
    root: Option<T>,
    /// The open containers, innermost last.
    levels: SmallVec<[Level<T>; INLINE_LEVELS]>,
    /// The string that is being written in pieces, if one is.
    long: Option<Long<T>>,
    /// A value that was taken out when an error came between. It waits to be freed.
    left: Option<T>,
}

/// An open container: what is still to come, and how much has begun.
enum Level<T: Parts> {
    Array { items: T::Items, count: usize },
    Object { members: T::Members, count: usize, name: Option<T::Text> },
}

impl<T: Parts> Level<T> {
    fn array(items: T::Items) -> Level<T> {
        Level::Array { items, count: 0 }
    }

    fn object(members: T::Members) -> Level<T> {
        Level::Object { members, count: 0, name: None }
    }
}

/// A long string, of which everything before `at` has been written.
struct Long<T: Parts> {
    text: T::Text,
    at: usize,
    /// If the string is a key: the value that follows.
    value: Option<T>,
}

/// An error, and whether it came while a value of the innermost container was written.
struct Stop {
    error: Error,
    in_value: bool,
}

impl From<Error> for Stop {
    #[cold]
    fn from(error: Error) -> Stop {
        Stop { error, in_value: false }
    }
}

#[cold]
fn in_value(error: Error) -> Stop {
    Stop { error, in_value: true }
}

impl<T: Parts> Walker<T> {
    pub(crate) fn new(tree: T) -> Walker<T> {
        Walker { root: Some(tree), levels: SmallVec::new(), long: None, left: None }
    }

    /// Writes the whole tree.
    pub(crate) fn run<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<()> {
        match self.walk::<PLAIN, false>(formatter, usize::MAX) {
            Ok(_) => Ok(()),
            Err(stop) => Err(self.locate(stop)),
        }
    }

    /// Writes until a chunk is finished, strings in pieces of at most `piece` bytes (4 at least). Says whether the tree
    /// is complete.
    pub(crate) fn step<const PLAIN: bool>(
        &mut self,
        formatter: &mut Formatter<'_, PLAIN>,
        piece: usize,
    ) -> Result<bool> {
        match self.walk::<PLAIN, true>(formatter, piece) {
            Ok(complete) => Ok(complete),
            Err(stop) => Err(self.locate(stop)),
        }
    }

    #[inline(always)]
    fn walk<const PLAIN: bool, const STEPS: bool>(
        &mut self,
        formatter: &mut Formatter<'_, PLAIN>,
        piece: usize,
    ) -> std::result::Result<bool, Stop> {
        if let Some(tree) = self.root.take() {
            self.value::<PLAIN, STEPS>(tree, formatter, piece)?;
        }
        loop {
            if STEPS && self.long.is_some() {
                if formatter.should_stop() {
                    return Ok(false);
                }
                self.continue_text(formatter, piece)?;
                continue;
            }
            // One level at a time, as far as its members are scalars: the stack is looked at once for all of them.
            let inner = match self.levels.last_mut() {
                None => return Ok(true),
                Some(Level::Array { items, count }) => loop {
                    if STEPS && formatter.should_stop() {
                        return Ok(false);
                    }
                    let Some(value) = items.next() else {
                        formatter.close_array(*count)?;
                        break None;
                    };
                    let begun = formatter.before_element(*count);
                    *count += 1;
                    if let Err(error) = begun {
                        self.left = Some(value);
                        return Err(in_value(error));
                    }
                    match scalar::<T, PLAIN, STEPS>(value, formatter, piece)? {
                        None => {}
                        inner => break inner,
                    }
                },
                Some(Level::Object { members, count, name }) => loop {
                    if STEPS && formatter.should_stop() {
                        return Ok(false);
                    }
                    let Some((key, value)) = members.next() else {
                        formatter.close_object(*count)?;
                        break None;
                    };
                    if STEPS && key.as_ref().len() > piece {
                        self.long = Some(Long { text: key, at: 0, value: Some(value) });
                        formatter.before_key(*count)?;
                        formatter.quote()?;
                        break Some(Inner::Text);
                    }
                    if let Err(error) = formatter.key(*count, key.as_ref()) {
                        self.left = Some(value);
                        return Err(error.into());
                    }
                    *count += 1;
                    *name = Some(key);
                    match scalar::<T, PLAIN, STEPS>(value, formatter, piece)? {
                        None => {}
                        inner => break inner,
                    }
                },
            };
            match inner {
                None => self.levels.truncate(self.levels.len() - 1),
                Some(inner) => self.enter(inner, formatter)?,
            }
        }
    }

    /// Writes a scalar, or begins something longer.
    #[inline(always)]
    fn value<const PLAIN: bool, const STEPS: bool>(
        &mut self,
        value: T,
        formatter: &mut Formatter<'_, PLAIN>,
        piece: usize,
    ) -> std::result::Result<(), Stop> {
        match scalar::<T, PLAIN, STEPS>(value, formatter, piece)? {
            None => Ok(()),
            Some(inner) => self.enter(inner, formatter),
        }
    }

    #[inline(always)]
    fn enter<const PLAIN: bool>(
        &mut self,
        inner: Inner<T>,
        formatter: &mut Formatter<'_, PLAIN>,
    ) -> std::result::Result<(), Stop> {
        match inner {
            Inner::Text => Ok(()),
            // The level first: if opening it fails, it is freed with the others.
            Inner::Array(items) => {
                self.levels.push(Level::array(items));
                Ok(formatter.open()?)
            }
            Inner::Object(members) => {
                self.levels.push(Level::object(members));
                Ok(formatter.open()?)
            }
            Inner::Long(text) => {
                self.long = Some(Long { text, at: 0, value: None });
                formatter.quote().map_err(in_value)
            }
        }
    }

    /// Writes the next piece of a long string, and what stands behind its last.
    #[cold]
    #[inline(never)]
    fn continue_text<const PLAIN: bool>(
        &mut self,
        formatter: &mut Formatter<'_, PLAIN>,
        piece: usize,
    ) -> std::result::Result<(), Stop> {
        let Some(Long { text, at, value }) = &mut self.long else { return Ok(()) };
        let place = |error| Stop { error, in_value: value.is_none() };
        let text = text.as_ref();
        let end = text.floor_char_boundary(at.saturating_add(piece));
        formatter.piece(&text[*at..end]).map_err(place)?;
        *at = end;
        if end < text.len() {
            return Ok(());
        }
        formatter.quote().map_err(place)?;
        if value.is_some() {
            formatter.note_key(text);
            formatter.after_key()?;
        }
        let Some(Long { text: key, value: Some(value), .. }) = self.long.take() else { return Ok(()) };
        if let Some(Level::Object { count, name, .. }) = self.levels.last_mut() {
            *count += 1;
            *name = Some(key);
        }
        self.value::<PLAIN, true>(value, formatter, piece)
    }

    /// Notes in the error where it happened.
    #[cold]
    #[inline(never)]
    fn locate(&self, Stop { mut error, in_value }: Stop) -> Error {
        for level in self.levels.iter().rev().skip(usize::from(!in_value)) {
            error.push_segment(match level {
                Level::Array { count, .. } => (count - 1).to_string(),
                Level::Object { name, .. } => name.as_ref().map_or("", |name| name.as_ref()).to_owned(),
            });
        }
        error
    }

    /// Frees what is left, level by level. Needs as much memory as the walk: for the open containers.
    fn dismantle(&mut self) {
        let long = self.long.take().and_then(|long| long.value);
        let mut next = self.root.take().or(self.left.take()).or(long);
        loop {
            let value = next.take().or_else(|| match self.levels.last_mut()? {
                Level::Array { items, .. } => items.next(),
                Level::Object { members, .. } => members.next().map(|(_, value)| value),
            });
            match value.map(T::part) {
                Some(Part::Array(items)) => self.levels.push(Level::array(items)),
                Some(Part::Object(members)) => self.levels.push(Level::object(members)),
                Some(_) => {}
                None if self.levels.pop().is_none() => return,
                None => {}
            }
        }
    }
}

/// A value that is more than one token, or a long key.
enum Inner<T: Parts> {
    Array(T::Items),
    Object(T::Members),
    Long(T::Text),
    /// What [`Walker::long`] already knows.
    Text,
}

/// Writes a value that is one token, or gives back one that is not.
#[inline(always)]
fn scalar<T: Parts, const PLAIN: bool, const STEPS: bool>(
    value: T,
    formatter: &mut Formatter<'_, PLAIN>,
    piece: usize,
) -> std::result::Result<Option<Inner<T>>, Stop> {
    let written = match value.part() {
        Part::Null => formatter.null(),
        Part::Bool(value) => formatter.bool(value),
        // Which knows the representations of a number, also that of `arbitrary_precision`.
        Part::Number(number) => ser::serialize(formatter, number.borrow()),
        Part::String(text) if STEPS && text.as_ref().len() > piece => return Ok(Some(Inner::Long(text))),
        Part::String(text) => formatter.string(text.as_ref()),
        Part::Array(items) => return Ok(Some(Inner::Array(items))),
        Part::Object(members) => return Ok(Some(Inner::Object(members))),
    };
    match written {
        Ok(()) => Ok(None),
        Err(error) => Err(in_value(error)),
    }
}

impl<T: Parts> Drop for Walker<T> {
    fn drop(&mut self) {
        if T::OWNED {
            self.dismantle();
        }
    }
}
