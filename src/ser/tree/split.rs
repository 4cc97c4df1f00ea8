//! A walk through a tree that can be divided: what is left of it is given away, to be walked by another thread.
//!
//! The outermost open container of which anything is left gives away the later half. So what is given away is as large as
//! possible, however the tree is nested and wherever its weight is.

use serde_json::Value;
use smallvec::SmallVec;
use std::slice;
use std::vec;

use super::{Level, Walker};
use crate::error::Result;
use crate::fmt::Formatter;
use crate::options::Options;

/// A part of a walk.
pub(crate) struct Task<'v> {
    /// The innermost part, which comes first.
    walker: Walker<&'v Value>,
    /// Open containers around it, the outermost first.
    sections: Vec<Section<'v>>,
    /// How many open containers are around those.
    outside: usize,
}

/// What a task does with an open container.
struct Section<'v> {
    /// The items or members that are left for this task.
    rest: Rest<'v>,
    /// How many have begun before them.
    count: usize,
    /// Whether the closing bracket is part of the task.
    closes: bool,
}

enum Rest<'v> {
    Array(slice::Iter<'v, Value>),
    Object(vec::IntoIter<(&'v String, &'v Value)>),
}

/// Decides when a task is divided.
pub(crate) trait Share {
    /// Whether somebody would take half of what is left. `written` is the length of this part so far.
    ///
    /// # Errors
    /// An error if the walk is to end.
    fn is_wanted(&self, written: u64) -> Result<bool>;
}

impl<'v> Task<'v> {
    /// The whole walk.
    pub(crate) fn new(tree: &'v Value, options: &Options) -> Task<'v> {
        Task { walker: Walker::new(tree, options), sections: Vec::new(), outside: 0 }
    }

    /// How many containers are open where the task begins.
    pub(crate) fn depth(&self) -> usize {
        self.outside + self.sections.len() + self.walker.levels.len()
    }

    /// Writes to the end, or until the task is divided. Then this task is the first half, which is still to be written,
    /// and the second one is returned.
    pub(crate) fn advance<const PLAIN: bool>(
        &mut self,
        formatter: &mut Formatter<'_, PLAIN>,
        share: &impl Share,
    ) -> Result<Option<Task<'v>>> {
        loop {
            if self.walker.run::<PLAIN, true>(formatter)? {
                if !self.next(formatter)? {
                    return Ok(None);
                }
                continue;
            }
            formatter.out.check()?;
            if share.is_wanted(formatter.out.offset())? && formatter.is_divisible() {
                if let Some(second) = self.split() {
                    return Ok(Some(second));
                }
            }
            formatter.out.go_on();
        }
    }

    /// Goes on with the containers around the walker. Returns whether there was anything.
    fn next<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<bool> {
        let Some(Section { rest, count, closes }) = self.sections.last_mut() else { return Ok(false) };
        let next = match rest {
            Rest::Array(items) => match items.next() {
                None => None,
                Some(item) => {
                    formatter.before_element(*count)?;
                    Some(item)
                }
            },
            Rest::Object(members) => match members.next() {
                None => None,
                Some((key, value)) => {
                    formatter.key(*count, key)?;
                    Some(value)
                }
            },
        };
        if next.is_some() {
            *count += 1;
            self.walker.root = next;
            return Ok(true);
        }
        if *closes {
            match rest {
                Rest::Array(_) => formatter.close_array(*count)?,
                Rest::Object(_) => formatter.close_object(*count)?,
            }
        }
        self.sections.pop();
        Ok(true)
    }

    /// Gives away the second half of what is left of the outermost container, and what comes after it.
    fn split(&mut self) -> Option<Task<'v>> {
        if self.walker.long.is_some() {
            return None;
        }
        let at = match self.sections.iter().position(|section| section.rest.len() > 0) {
            Some(at) => at,
            None => {
                let level = self.walker.levels.iter().position(Level::has_rest)?;
                self.sections.extend(self.walker.levels.drain(..=level).map(Section::of));
                self.sections.len() - 1
            }
        };
        let section = &mut self.sections[at];
        if section.count == 0 {
            // Its opening bracket is still to be written, and whether it fits one line to be decided.
            return None;
        }
        let kept = section.rest.len() / 2;
        let given = Section {
            rest: section.rest.split_off(kept),
            count: section.count + kept,
            closes: std::mem::replace(&mut section.closes, false),
        };
        // Of the containers around it, nothing is left but the closing brackets.
        let mut sections: Vec<Section<'v>> = self.sections.drain(..at).collect();
        sections.push(given);
        let outside = self.outside;
        self.outside += at;
        Some(Task { walker: self.walker.of_nothing(), sections, outside })
    }
}

impl<'v> Walker<&'v Value> {
    /// A walk that is complete, like this one otherwise.
    fn of_nothing(&self) -> Walker<&'v Value> {
        Walker {
            root: None,
            levels: SmallVec::new(),
            long: None,
            piece: self.piece,
            recursive_levels: self.recursive_levels,
            left: None,
            failure: None,
        }
    }
}

impl Level<&Value> {
    fn has_rest(&self) -> bool {
        match self {
            Level::Array { items, .. } => items.len() > 0,
            Level::Object { next, members, .. } => next.is_some() || members.len() > 0,
        }
    }
}

impl<'v> Section<'v> {
    fn of(level: Level<&'v Value>) -> Section<'v> {
        let (rest, count) = match level {
            Level::Array { items, count } => (Rest::Array(items), count),
            // A map cannot be divided, but a list of its members can.
            Level::Object { next, members, count, .. } => {
                let rest: Vec<_> = next.into_iter().chain(members).collect();
                (Rest::Object(rest.into_iter()), count)
            }
        };
        Section { rest, count, closes: true }
    }
}

impl<'v> Rest<'v> {
    fn len(&self) -> usize {
        match self {
            Rest::Array(items) => items.len(),
            Rest::Object(members) => members.len(),
        }
    }

    /// Keeps the first `kept` and returns the others.
    fn split_off(&mut self, kept: usize) -> Rest<'v> {
        match self {
            Rest::Array(items) => {
                let (first, second) = items.as_slice().split_at(kept);
                *items = first.iter();
                Rest::Array(second.iter())
            }
            Rest::Object(members) => {
                let mut first: Vec<_> = std::mem::take(members).collect();
                let second = first.split_off(kept);
                *members = first.into_iter();
                Rest::Object(second.into_iter())
            }
        }
    }
}
