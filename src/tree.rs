//! Walks a `serde_json::Value` with an explicit stack: any depth, and it can stop behind any token and inside a string.
//!
//! One walker for borrowed and for owned trees. Owned ones are freed as they are walked. A deep tree must not be dropped
//! by the compiler's drop glue, which recurses; so whatever is left of it is always within reach of [`Walker::drop`].

use std::borrow::Borrow;
use std::mem;

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

/// Open containers that are kept without a heap allocation. Few documents are deeper.
const INLINE_LEVELS: usize = 16;

/// Where in a tree the encoding has got to.
pub(crate) struct Walker<T: Parts> {
    /// The innermost open container.
    top: Level<T>,
    /// Those around it; the outermost is the root.
    around: SmallVec<[Level<T>; INLINE_LEVELS]>,
    /// The string that is being written in pieces, if one is.
    long: Option<Long<T>>,
    /// A value that was taken out when an error came between. It waits to be freed.
    left: Option<T>,
}

/// An open container: what is still to come, and how much has begun.
enum Level<T: Parts> {
    Root(Option<T>),
    Array { items: T::Items, count: usize },
    Object { members: T::Members, count: usize, name: Option<T::Text> },
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
        Walker { top: Level::Root(Some(tree)), around: SmallVec::new(), long: None, left: None }
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
        loop {
            if STEPS {
                if formatter.out.has_chunk() {
                    return Ok(false);
                }
                if self.long.is_some() {
                    self.continue_text(formatter, piece)?;
                    continue;
                }
            }
            let value = match &mut self.top {
                Level::Array { items, count } => match items.next() {
                    Some(value) => {
                        if let Err(error) = formatter.before_element(*count) {
                            self.left = Some(value);
                            return Err(error.into());
                        }
                        *count += 1;
                        value
                    }
                    None => {
                        formatter.close_array(*count)?;
                        self.ascend();
                        continue;
                    }
                },
                Level::Object { members, count, name } => match members.next() {
                    Some((key, value)) => {
                        if STEPS && key.as_ref().len() > piece {
                            self.long = Some(Long { text: key, at: 0, value: Some(value) });
                            formatter.before_key(*count)?;
                            formatter.quote()?;
                            continue;
                        }
                        if let Err(error) = formatter.key(*count, key.as_ref()) {
                            self.left = Some(value);
                            return Err(error.into());
                        }
                        *count += 1;
                        *name = Some(key);
                        value
                    }
                    None => {
                        formatter.close_object(*count)?;
                        self.ascend();
                        continue;
                    }
                },
                Level::Root(tree) => match tree.take() {
                    Some(tree) => tree,
                    None => return Ok(true),
                },
            };
            self.value::<PLAIN, STEPS>(value, formatter, piece)?;
        }
    }

    #[inline(always)]
    fn value<const PLAIN: bool, const STEPS: bool>(
        &mut self,
        value: T,
        formatter: &mut Formatter<'_, PLAIN>,
        piece: usize,
    ) -> std::result::Result<(), Stop> {
        match value.part() {
            Part::Null => formatter.null().map_err(in_value),
            Part::Bool(value) => formatter.bool(value).map_err(in_value),
            // Which knows the representations of a number, also that of `arbitrary_precision`.
            Part::Number(number) => ser::serialize(formatter, number.borrow()).map_err(in_value),
            Part::String(text) if STEPS && text.as_ref().len() > piece => {
                self.long = Some(Long { text, at: 0, value: None });
                formatter.quote().map_err(in_value)
            }
            Part::String(text) => formatter.string(text.as_ref()).map_err(in_value),
            // The level first: if opening it fails, it is freed with the others.
            Part::Array(items) => {
                self.descend(Level::Array { items, count: 0 });
                Ok(formatter.open()?)
            }
            Part::Object(members) => {
                self.descend(Level::Object { members, count: 0, name: None });
                Ok(formatter.open()?)
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
        if let Level::Object { count, name, .. } = &mut self.top {
            *count += 1;
            *name = Some(key);
        }
        self.value::<PLAIN, true>(value, formatter, piece)
    }

    #[inline]
    fn descend(&mut self, level: Level<T>) {
        self.around.push(mem::replace(&mut self.top, level));
    }

    #[inline]
    fn ascend(&mut self) {
        self.top = self.around.pop().unwrap_or(Level::Root(None));
    }

    /// Notes in the error where it happened.
    #[cold]
    #[inline(never)]
    fn locate(&self, Stop { mut error, in_value }: Stop) -> Error {
        let top = in_value.then_some(&self.top);
        for level in top.into_iter().chain(self.around.iter().rev()) {
            match level {
                Level::Root(_) => {}
                Level::Array { count, .. } => error.push_segment((count - 1).to_string()),
                Level::Object { name, .. } => {
                    error.push_segment(name.as_ref().map_or("", |name| name.as_ref()).to_owned());
                }
            }
        }
        error
    }

    /// Frees what is left, level by level. Needs as much memory as the walk: for the open containers.
    fn dismantle(&mut self) {
        let mut next = self.left.take().or_else(|| self.long.take().and_then(|long| long.value));
        loop {
            let value = next.take().or_else(|| match &mut self.top {
                Level::Root(tree) => tree.take(),
                Level::Array { items, .. } => items.next(),
                Level::Object { members, .. } => members.next().map(|(_, value)| value),
            });
            match value.map(T::part) {
                Some(Part::Array(items)) => self.descend(Level::Array { items, count: 0 }),
                Some(Part::Object(members)) => self.descend(Level::Object { members, count: 0, name: None }),
                Some(_) => {}
                None if matches!(self.top, Level::Root(_)) => return,
                None => self.ascend(),
            }
        }
    }
}

impl<T: Parts> Drop for Walker<T> {
    fn drop(&mut self) {
        if T::OWNED {
            self.dismantle();
        }
    }
}
