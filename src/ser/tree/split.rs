//! A walk through a tree that can be divided: what is left of it is given away, to be walked by another thread.
//!
//! How much is left in every open container is estimated from a few of its items. What is given away begins in the container
//! in which half of it all is reached, however the tree is nested and wherever its weight is.

use serde_json::Value;
use smallvec::SmallVec;
use std::slice;
use std::vec;

use super::node::Parts;
use super::{Level, Walker};
use crate::error::Result;
use crate::fmt::Formatter;
use crate::options::Options;

/// Bytes after which a walk looks again whether somebody would take a part of it.
const CHECK_EVERY: u64 = if cfg!(test) { 100 } else { 64 * 1024 };

/// The most open containers that are looked at, the outermost first, and of those that are weighed because something is
/// left of them.
const MOST_OPEN: usize = 256;
const MOST_WEIGHED: usize = 32;

/// About how many values are looked at to weigh all of them; the most items of an array or members of an object among them;
/// and the most levels, since values are weighed by recursion.
const LOOKS: usize = 256;
const ITEMS: usize = 4;
const MEMBERS: usize = 16;
const MEMBERS_SEEN: usize = 256;
const LEVELS: usize = 24;

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

    /// About how many bytes have to be left.
    fn least(&self) -> u64;
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
        formatter.out.go_on(CHECK_EVERY);
        loop {
            if self.walker.run::<PLAIN, true>(formatter)? {
                if !self.next(formatter)? {
                    return Ok(None);
                }
                continue;
            }
            formatter.out.check()?;
            if share.is_wanted(formatter.out.offset())? && formatter.is_divisible() {
                if let Some(second) = self.split(share.least()) {
                    return Ok(Some(second));
                }
            }
            formatter.out.go_on(CHECK_EVERY);
        }
    }

    /// Goes on with the containers around the walker. Returns whether there was anything.
    fn next<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<bool> {
        let Some(Section { rest, count, closes }) = self.sections.last_mut() else { return Ok(false) };
        let next = match rest {
            Rest::Array(items) => match items.next() {
                None => None,
                Some(item) => {
                    <&Value>::look_ahead(items);
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

    /// Gives away the second half of what is left, by estimate, if that is at least `least` bytes.
    fn split(&mut self, least: u64) -> Option<Task<'v>> {
        if self.walker.long.is_some() {
            return None;
        }
        let (at, kept) = self.middle(least)?;
        if at >= self.sections.len() {
            let levels = at - self.sections.len();
            self.sections.extend(self.walker.levels.drain(..=levels).map(Section::of));
        }
        let section = &mut self.sections[at];
        let given = Section {
            rest: section.rest.split_off(kept),
            count: section.count + kept,
            closes: std::mem::replace(&mut section.closes, false),
        };
        // What is left of the containers around it comes after it.
        let mut sections: Vec<Section<'v>> = self.sections.drain(..at).collect();
        sections.push(given);
        let outside = self.outside;
        self.outside += at;
        Some(Task { walker: self.walker.of_nothing(), sections, outside })
    }

    /// Where the second half of what is left begins: the place of the container among those that are open, and how many of
    /// its items come before. `None` if it is less than `least` bytes, or cannot be divided there.
    fn middle(&self, least: u64) -> Option<(usize, usize)> {
        let sections = self.sections.iter().map(Open::Section);
        let levels = self.walker.levels.iter().map(Open::Level);
        // Deeper levels are left to whoever takes the first half.
        let open = sections.chain(levels).take(MOST_OPEN).enumerate().filter(|(_, open)| open.len() > 0);
        let open: SmallVec<[(usize, Open<'_, 'v>); MOST_WEIGHED]> = open.take(MOST_WEIGHED).collect();
        let looks = LOOKS / open.len().max(1);
        let weights: SmallVec<[u64; MOST_WEIGHED]> = open.iter().map(|(_, open)| open.weight(looks)).collect();
        let total = weights.iter().copied().fold(0, u64::saturating_add);
        if total < least {
            return None;
        }
        let mut missing = total / 2;
        for ((at, open), weight) in open.iter().zip(weights).rev() {
            if weight >= missing {
                // Its opening bracket is still to be written if nothing has begun, and whether it fits one line to be decided.
                let kept = (open.len() as u128 * u128::from(missing) / u128::from(weight.max(1))) as usize;
                return (open.count() > 0).then_some((*at, kept.min(open.len() - 1)));
            }
            missing -= weight;
        }
        None
    }
}

/// A container that is open.
enum Open<'t, 'v> {
    Section(&'t Section<'v>),
    Level(&'t Level<&'v Value>),
}

impl Open<'_, '_> {
    /// How many items or members are left.
    fn len(&self) -> usize {
        match self {
            Open::Section(section) => section.rest.len(),
            Open::Level(Level::Array { items, .. }) => items.len(),
            Open::Level(Level::Object { next, members, .. }) => usize::from(next.is_some()) + members.len(),
        }
    }

    /// How many have begun.
    fn count(&self) -> usize {
        match self {
            Open::Section(section) => section.count,
            Open::Level(Level::Array { count, .. } | Level::Object { count, .. }) => *count,
        }
    }

    /// About how many bytes are left, by so many looks.
    fn weight(&self, looks: usize) -> u64 {
        match self {
            Open::Section(Section { rest: Rest::Array(items), .. }) | Open::Level(Level::Array { items, .. }) => {
                weight_of_items(items.as_slice(), looks, LEVELS)
            }
            Open::Section(Section { rest: Rest::Object(members), .. }) => {
                weight_of_members(members.as_slice().iter().copied(), looks, LEVELS)
            }
            Open::Level(Level::Object { next, members, .. }) => {
                let next = next.map_or(0, |(key, value)| weight_of_member(key, value, looks / 2, LEVELS));
                next.saturating_add(weight_of_members(members.clone(), looks / 2, LEVELS))
            }
        }
    }
}

/// About how many bytes the text of `value` has, by so many looks at what is in it.
fn weight(value: &Value, looks: usize, levels: usize) -> u64 {
    match value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(_) => 8,
        Value::String(text) => text.len() as u64 + 3,
        Value::Array(items) => weight_of_items(items, looks, levels).saturating_add(2),
        Value::Object(members) => weight_of_members(members.iter(), looks, levels).saturating_add(2),
    }
}

/// The weight of items from all parts of a list stands for all of them.
fn weight_of_items(items: &[Value], looks: usize, levels: usize) -> u64 {
    let Some(levels) = levels.checked_sub(1) else { return 8 * items.len() as u64 };
    let step = items.len().div_ceil(looks.clamp(1, ITEMS)).max(1);
    let samples = items.iter().step_by(step);
    let looks = looks / samples.len().max(1);
    scale(samples.len(), items.len(), samples.map(|item| weight(item, looks, levels)))
}

/// Members differ, so all of a small object are weighed if there are as many looks. A map has to be walked to get anywhere,
/// so of a large one only the front is seen.
fn weight_of_members<'v>(
    members: impl ExactSizeIterator<Item = (&'v String, &'v Value)>,
    looks: usize,
    levels: usize,
) -> u64 {
    let len = members.len();
    let Some(levels) = levels.checked_sub(1) else { return 16 * len as u64 };
    let step = len.min(MEMBERS_SEEN).div_ceil(looks.clamp(1, MEMBERS)).max(1);
    let samples = members.take(MEMBERS_SEEN).step_by(step);
    let sampled = samples.len();
    let looks = looks / sampled.max(1);
    scale(sampled, len, samples.map(|(key, value)| weight_of_member(key, value, looks, levels)))
}

fn weight_of_member(key: &str, value: &Value, looks: usize, levels: usize) -> u64 {
    weight(value, looks, levels).saturating_add(key.len() as u64 + 4)
}

/// The weight of `len` items of which the weights of `sampled` are given.
fn scale(sampled: usize, len: usize, weights: impl Iterator<Item = u64>) -> u64 {
    let sum = weights.fold(0, u64::saturating_add);
    (sum / sampled.max(1) as u64).saturating_mul(len as u64)
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
