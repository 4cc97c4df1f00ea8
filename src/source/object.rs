//! A document that is one object, some members of which are open: they are encoded as they come.

use serde::Serialize;

use super::{Progress, Source};
use crate::error::{Error, Result};
use crate::fmt::Formatter;
use crate::options::Options;
use crate::ser;

/// The members of an object, one after the other: what [`ObjectBuilder`](crate::ObjectBuilder) puts together.
pub struct Object<P> {
    members: P,
    is_open: bool,
}

impl<P> Object<P> {
    pub(crate) fn new(members: P) -> Object<P> {
        Object { members, is_open: false }
    }
}

impl<P: Members> Source for Object<P> {
    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress> {
        if !self.is_open {
            formatter.open()?;
            self.is_open = true;
        }
        if self.members.step(formatter)? == Progress::More {
            return Ok(Progress::More);
        }
        formatter.close_object(P::COUNT)?;
        Ok(Progress::Complete)
    }
}

/// Members of an object, in their order: a list that is nested in pairs, the last member outermost.
pub trait Members {
    /// How many there are.
    #[doc(hidden)]
    const COUNT: usize;

    /// Writes until a chunk is finished, or to the end.
    #[doc(hidden)]
    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress>;
}

impl Members for () {
    const COUNT: usize = 0;

    fn step<const PLAIN: bool>(&mut self, _: &mut Formatter<'_, PLAIN>) -> Result<Progress> {
        Ok(Progress::Complete)
    }
}

/// A member whose value is a source.
pub struct Member<K, S> {
    key: K,
    value: S,
    /// The deepest nesting that the value needs: a tree is not bound to the limit of recursion.
    max_depth: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    Begun,
    Complete,
}

impl<K, S: Source> Member<K, S> {
    pub(crate) fn new(key: K, value: S, options: &Options) -> Member<K, S> {
        // None of the values that there are is refused.
        let max_depth = value.setup(options).map_or(options.max_depth_recursive(), |setup| setup.max_depth);
        Member { key, value, max_depth, state: State::Waiting }
    }
}

impl<P: Members, K: AsRef<str>, S: Source> Members for (P, Member<K, S>) {
    const COUNT: usize = P::COUNT + 1;

    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress> {
        let (before, Member { key, value, max_depth, state }) = self;
        if *state == State::Waiting {
            if before.step(formatter)? == Progress::More || formatter.should_stop() {
                return Ok(Progress::More);
            }
            formatter.key(P::COUNT, key.as_ref())?;
            *state = State::Begun;
        }
        if *state == State::Begun {
            formatter.set_max_depth(*max_depth);
            match value.step(formatter) {
                Ok(Progress::More) => return Ok(Progress::More),
                Ok(Progress::Complete) => *state = State::Complete,
                Err(error) => return Err(locate(error, key.as_ref(), formatter)),
            }
        }
        Ok(Progress::Complete)
    }
}

#[cold]
fn locate<const PLAIN: bool>(error: Error, key: &str, formatter: &mut Formatter<'_, PLAIN>) -> Error {
    let error = formatter.fail(error);
    formatter.out.add_segment(key.to_owned());
    error
}

/// A value that is there from the beginning.
pub struct Field<T>(pub(crate) T);

impl<T: Serialize> Source for Field<T> {
    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress> {
        ser::serialize(formatter, &self.0)?;
        Ok(Progress::Complete)
    }
}

/// A value that is made when its turn comes.
pub struct LateField<F>(Option<F>);

impl<F> LateField<F> {
    pub(crate) fn new(make: F) -> LateField<F> {
        LateField(Some(make))
    }
}

impl<F: FnOnce() -> T, T: Serialize> Source for LateField<F> {
    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress> {
        match self.0.take() {
            Some(make) => ser::serialize(formatter, &make())?,
            // It is written in one step.
            None => return Err(formatter.fail_data("a member was written twice")),
        }
        Ok(Progress::Complete)
    }
}
