//! Walks a `serde_json::Value` of any depth. The walk can stop after any token and inside a string.
//!
//! The walk recurses, because that is faster than an explicit stack: the processor predicts each place in the code
//! separately. But it recurses for a few levels only. When it has to stop, because a chunk is finished, the tree is too
//! deep, or something failed, every level on the way out puts its remaining items on a list, from which the walk
//! continues later.
//!
//! One walker serves borrowed and owned trees. Owned trees are freed as they are walked. The compiler's drop glue would
//! recurse through a deep tree, so what is left of one is always on the list, where [`Walker::drop`] frees it.

mod cast;
mod node;
#[cfg(feature = "rayon")]
mod split;

use std::borrow::Borrow;

use serde_json::{Number, Value};
use smallvec::SmallVec;

use crate::error::{Error, Result};
use crate::escape;
use crate::fmt::Formatter;
use crate::options::{DEFAULT_MAX_DEPTH, Options};
use crate::out::floor_char_boundary;

pub(super) use cast::{as_tree, as_trees};
use node::Part;
pub(crate) use node::Parts;
#[cfg(feature = "rayon")]
pub(crate) use split::{Share, Task};

/// The longest output that one byte of a string can have.
const MAX_ESCAPE: usize = 6;

/// Levels of recursion before the list is used. Few documents are deeper, and this few frames fit a small stack. A
/// processor remembers about 16 return addresses, so returns from deeper recursion would be mispredicted.
const FEW_LEVELS: usize = 12;

/// Levels of recursion in a tree that is written as a value, where recursion has a limit anyway. A level needs about
/// 200 bytes of stack; without optimization it needs kilobytes.
const MANY_LEVELS: usize = if cfg!(debug_assertions) { FEW_LEVELS } else { DEFAULT_MAX_DEPTH };

/// Open containers that are listed without a heap allocation. Few documents are deeper.
const INLINE_LEVELS: usize = 16;

/// A tree, and how far its encoding has got: what [`Encoder::chunks`](crate::Encoder::chunks) encodes.
pub struct Walker<T: Parts> {
    /// The tree, until the walk begins.
    root: Option<T>,
    /// The open containers, innermost last, except those being left: see [`put_in_order`](Self::put_in_order).
    levels: SmallVec<[Level<T>; INLINE_LEVELS]>,
    /// The string that is being written in pieces, if any.
    long: Option<Long<T>>,
    /// Strings are written in pieces of at most this many bytes (4 at least), if there are steps.
    piece: usize,
    /// Levels of recursion before the list is used.
    recursive_levels: usize,
    /// A value that was taken out before an error interrupted the walk. It has still to be freed.
    left: Option<T>,
    failure: Option<Failure>,
}

/// An open container: its remaining items, and how many have begun.
enum Level<T: Parts> {
    Array {
        items: T::Items,
        count: usize,
    },
    Object {
        /// The member after `name`, and then the remaining ones.
        next: Option<(T::Text, T)>,
        members: T::Members,
        count: usize,
        name: Option<T::Text>,
    },
}

impl<T: Parts> Level<T> {
    fn array(items: T::Array) -> Level<T> {
        Level::Array { items: items.into_iter(), count: 0 }
    }

    fn object(members: T::Object) -> Level<T> {
        Level::Object { next: None, members: members.into_iter(), count: 0, name: None }
    }
}

/// A long string, of which everything before `at` has been written.
struct Long<T: Parts> {
    text: T::Text,
    at: usize,
    /// The value that follows, if the string is a key.
    value: Option<T>,
}

/// An error, and whether it came while a value of the innermost container was written.
struct Failure {
    error: Error,
    in_value: bool,
}

/// Whether the walk continues, or leaves all levels.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    On,
    Stop,
}

impl<T: Parts> Walker<T> {
    pub(crate) fn new(tree: T, options: &Options) -> Walker<T> {
        let piece = (options.max_chunk / MAX_ESCAPE).max(char::MAX.len_utf8());
        Walker::with(Some(tree), piece, FEW_LEVELS)
    }

    fn with(root: Option<T>, piece: usize, recursive_levels: usize) -> Walker<T> {
        let levels = SmallVec::new();
        Walker { root, levels, long: None, piece, recursive_levels, left: None, failure: None }
    }

    /// Writes to the end, or with `STEPS` until a chunk is finished. Returns whether it was the end.
    pub(crate) fn run<const PLAIN: bool, const STEPS: bool>(
        &mut self,
        formatter: &mut Formatter<'_, PLAIN>,
    ) -> Result<bool> {
        loop {
            if let Some(failure) = self.failure.take() {
                return Err(self.locate(failure, formatter));
            }
            if STEPS && formatter.should_stop() {
                return Ok(false);
            }
            if let Some(tree) = self.root.take() {
                let flow = self.value::<PLAIN, STEPS>(tree, formatter, self.recursive_levels);
                self.put_in_order(0, flow);
            } else if STEPS && self.long.is_some() {
                self.continue_text(formatter);
            } else if self.levels.is_empty() {
                return Ok(true);
            } else {
                self.level::<PLAIN, STEPS>(formatter);
            }
        }
    }

    /// If the walk has stopped, puts the levels from `outside` on in the order of the list: the innermost level was
    /// left, and so listed, first.
    fn put_in_order(&mut self, outside: usize, flow: Flow) {
        if flow == Flow::Stop {
            self.levels[outside..].reverse();
        }
    }

    /// Continues with the innermost container on the list.
    #[inline(never)]
    fn level<const PLAIN: bool, const STEPS: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) {
        let level = self.levels.pop();
        let outside = self.levels.len();
        let flow = match level {
            None => Flow::On,
            Some(Level::Array { items, count }) => {
                self.items::<PLAIN, STEPS>(items, count, formatter, self.recursive_levels)
            }
            Some(Level::Object { next, mut members, count, .. }) => {
                let next = next.or_else(|| members.next());
                self.members::<PLAIN, STEPS>(next, members, count, formatter, self.recursive_levels)
            }
        };
        self.put_in_order(outside, flow);
    }

    /// Writes a value. Containers in it may recurse for `levels` more levels.
    #[inline(always)]
    fn value<const PLAIN: bool, const STEPS: bool>(
        &mut self,
        value: T,
        formatter: &mut Formatter<'_, PLAIN>,
        levels: usize,
    ) -> Flow {
        let written = match value.part() {
            Part::Null => formatter.null(),
            Part::Bool(value) => formatter.bool(value),
            Part::Number(number) => write_number(formatter, number.borrow()),
            Part::String(text) if STEPS && text.as_ref().len() > self.piece => {
                self.long = Some(Long { text, at: 0, value: None });
                return self.stop(formatter.quote(), true);
            }
            Part::String(text) => formatter.string(text.as_ref()),
            Part::Array(items) => return self.array::<PLAIN, STEPS>(items, formatter, levels),
            Part::Object(members) => return self.object::<PLAIN, STEPS>(members, formatter, levels),
        };
        match written {
            Ok(()) => Flow::On,
            Err(error) => self.stop(Err(error), true),
        }
    }

    #[inline(never)]
    fn array<const PLAIN: bool, const STEPS: bool>(
        &mut self,
        items: T::Array,
        formatter: &mut Formatter<'_, PLAIN>,
        levels: usize,
    ) -> Flow {
        let opened = formatter.open();
        if levels == 0 || opened.is_err() {
            self.list(Level::array(items));
            return self.stop(opened, false);
        }
        self.items::<PLAIN, STEPS>(items.into_iter(), 0, formatter, levels - 1)
    }

    #[inline(always)]
    fn items<const PLAIN: bool, const STEPS: bool>(
        &mut self,
        mut items: T::Items,
        mut count: usize,
        formatter: &mut Formatter<'_, PLAIN>,
        levels: usize,
    ) -> Flow {
        while let Some(value) = items.next() {
            T::look_ahead(&items);
            let flow = match formatter.before_element(count) {
                Ok(()) => self.value::<PLAIN, STEPS>(value, formatter, levels),
                Err(error) => {
                    self.left = Some(value);
                    self.stop(Err(error), true)
                }
            };
            count += 1;
            if flow == Flow::Stop || (STEPS && formatter.should_stop()) {
                return self.list(Level::Array { items, count });
            }
        }
        match formatter.close_array(count) {
            Ok(()) => Flow::On,
            Err(error) => self.stop(Err(error), true),
        }
    }

    #[inline(never)]
    fn object<const PLAIN: bool, const STEPS: bool>(
        &mut self,
        members: T::Object,
        formatter: &mut Formatter<'_, PLAIN>,
        levels: usize,
    ) -> Flow {
        let opened = formatter.open();
        if levels == 0 || opened.is_err() {
            self.list(Level::object(members));
            return self.stop(opened, false);
        }
        let mut members = members.into_iter();
        self.members::<PLAIN, STEPS>(members.next(), members, 0, formatter, levels - 1)
    }

    #[inline(always)]
    fn members<const PLAIN: bool, const STEPS: bool>(
        &mut self,
        mut next: Option<(T::Text, T)>,
        mut members: T::Members,
        mut count: usize,
        formatter: &mut Formatter<'_, PLAIN>,
        levels: usize,
    ) -> Flow {
        while let Some((key, value)) = next {
            // The walk waits for memory most of the time, so the next member is loaded while this one is written.
            next = members.next();
            if let Some((key, value)) = &next {
                escape::prefetch(key.as_ref().as_ptr());
                value.prefetch();
            }
            if STEPS && key.as_ref().len() > self.piece {
                let begun = formatter.before_key(count).and_then(|()| formatter.quote());
                self.long = Some(Long { text: key, at: 0, value: Some(value) });
                self.list(Level::Object { next, members, count, name: None });
                return self.stop(begun, false);
            }
            let flow = match formatter.key(count, key.as_ref()) {
                Ok(()) => self.value::<PLAIN, STEPS>(value, formatter, levels),
                Err(error) => {
                    self.left = Some(value);
                    self.stop(Err(error), false)
                }
            };
            count += 1;
            if flow == Flow::Stop || (STEPS && formatter.should_stop()) {
                return self.list(Level::Object { next, members, count, name: Some(key) });
            }
        }
        match formatter.close_object(count) {
            Ok(()) => Flow::On,
            Err(error) => self.stop(Err(error), true),
        }
    }

    /// Puts a container that is being left on the list. Inlined, so that it is not copied once more on its way.
    #[inline(always)]
    fn list(&mut self, level: Level<T>) -> Flow {
        self.levels.push(level);
        Flow::Stop
    }

    /// Stops the walk, and records the error if there is one.
    #[cold]
    #[inline(never)]
    fn stop(&mut self, outcome: Result<()>, in_value: bool) -> Flow {
        self.failure = outcome.err().map(|error| Failure { error, in_value });
        Flow::Stop
    }

    /// Writes the next piece of a long string, and after the last piece what follows the string.
    #[inline(never)]
    fn continue_text<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) {
        let in_value = self.long.as_ref().is_some_and(|long| long.value.is_none());
        match self.write_piece(formatter) {
            Err(error) => _ = self.stop(Err(error), in_value),
            Ok(None) => {}
            Ok(Some((key, value))) => {
                if let Some(Level::Object { count, name, .. }) = self.levels.last_mut() {
                    *count += 1;
                    *name = Some(key);
                }
                let outside = self.levels.len();
                let flow = self.value::<PLAIN, true>(value, formatter, self.recursive_levels);
                self.put_in_order(outside, flow);
            }
        }
    }

    /// Writes the next piece of a long string. After the last piece of a key, returns the key with its value.
    fn write_piece<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Option<(T::Text, T)>> {
        let Some(Long { text, at, value }) = &mut self.long else { return Ok(None) };
        let text = text.as_ref();
        let end = floor_char_boundary(text, at.saturating_add(self.piece));
        formatter.piece(&text[*at..end])?;
        *at = end;
        if end < text.len() {
            return Ok(None);
        }
        formatter.quote()?;
        if value.is_some() {
            formatter.note_key(text);
            formatter.after_key()?;
        }
        Ok(self.long.take().and_then(|long| Some((long.text, long.value?))))
    }

    /// Notes where the error happened.
    #[cold]
    #[inline(never)]
    fn locate<const PLAIN: bool>(&self, failure: Failure, formatter: &mut Formatter<'_, PLAIN>) -> Error {
        let error = formatter.fail(failure.error);
        for level in self.levels.iter().rev().skip(usize::from(!failure.in_value)) {
            formatter.out.add_segment(match level {
                Level::Array { count, .. } => (count - 1).to_string(),
                Level::Object { name, .. } => name.as_ref().map_or("", |name| name.as_ref()).to_owned(),
            });
        }
        error
    }

    /// Frees the rest of the tree, level by level. Needs as much memory as the walk does for open containers.
    fn dismantle(&mut self) {
        let long = self.long.take().and_then(|long| long.value);
        let mut value = self.root.take().or(self.left.take()).or(long);
        loop {
            value = value.or_else(|| match self.levels.last_mut()? {
                Level::Array { items, .. } => items.next(),
                Level::Object { next, members, .. } => next.take().or_else(|| members.next()).map(|(_, value)| value),
            });
            match value.take().map(T::part) {
                Some(Part::Array(items)) => self.levels.push(Level::array(items)),
                Some(Part::Object(members)) => self.levels.push(Level::object(members)),
                Some(_) => {}
                None if self.levels.pop().is_none() => return,
                None => {}
            }
        }
    }
}

/// Writes a tree that is a value, or part of one. Under `arbitrary_precision` and other features of serde_json it comes out
/// as its `Serialize` would write it.
#[inline(never)]
pub(super) fn write<const PLAIN: bool>(formatter: &mut Formatter<'_, PLAIN>, tree: &Value) -> Result<()> {
    match tree {
        Value::Null => formatter.null(),
        Value::Bool(value) => formatter.bool(*value),
        Value::Number(number) => write_number(formatter, number),
        Value::String(text) => formatter.string(text),
        Value::Array(_) | Value::Object(_) => walk(formatter, tree),
    }
}

/// Writes an array of trees.
#[inline(never)]
pub(super) fn write_array<const PLAIN: bool>(formatter: &mut Formatter<'_, PLAIN>, trees: &[Value]) -> Result<()> {
    formatter.open()?;
    let mut walker = Walker::<&Value>::with(None, usize::MAX, MANY_LEVELS);
    walker.levels.push(Level::Array { items: trees.iter(), count: 0 });
    walker.run::<PLAIN, false>(formatter).map(|_| ())
}

#[inline(never)]
fn walk<const PLAIN: bool>(formatter: &mut Formatter<'_, PLAIN>, tree: &Value) -> Result<()> {
    Walker::with(Some(tree), usize::MAX, MANY_LEVELS).run::<PLAIN, false>(formatter).map(|_| ())
}

#[inline(always)]
fn write_number<const PLAIN: bool>(formatter: &mut Formatter<'_, PLAIN>, number: &Number) -> Result<()> {
    match number.as_u64() {
        Some(value) => formatter.integer(false, value),
        // Negative numbers, floats, and numbers of `arbitrary_precision`.
        None => super::serialize(formatter, number),
    }
}

impl<T: Parts> Drop for Walker<T> {
    fn drop(&mut self) {
        if T::OWNED {
            self.dismantle();
        }
    }
}
