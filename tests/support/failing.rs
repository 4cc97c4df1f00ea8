//! Values that fail or panic, when they are told to.

use std::cell::Cell;
use std::fmt::{self, Display};
use std::panic::{self, AssertUnwindSafe};
use std::thread;

use serde::ser::Error as _;
use serde::{Serialize, Serializer};

/// Always fails.
pub struct Fail;

impl Serialize for Fail {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("no such thing"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    Fail,
    Panic,
}

thread_local! {
    /// How many more calls go well, what happens then, and whether it has happened.
    static PLAN: Cell<Option<(usize, Action, bool)>> = const { Cell::new(None) };
}

/// Does the work, in which the call of this number, counted from 0, and all later ones go wrong. Returns what came of it,
/// perhaps a panic, and whether it made so many calls.
pub fn failing_at<T>(call: usize, action: Action, work: impl FnOnce() -> T) -> (thread::Result<T>, bool) {
    PLAN.set(Some((call, action, false)));
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    (result, PLAN.take().is_some_and(|(_, _, happened)| happened))
}

/// One call of something that may fail. Says whether it does. Does not panic through the hook, which would print.
fn fails() -> bool {
    match PLAN.get() {
        None => false,
        Some((0, action, _)) => {
            PLAN.set(Some((0, action, true)));
            if action == Action::Panic {
                panic::resume_unwind(Box::new(()));
            }
            true
        }
        Some((calls, action, happened)) => {
            PLAN.set(Some((calls - 1, action, happened)));
            false
        }
    }
}

/// A value that may fail before and after what is inside.
pub struct Risky<T>(pub T);

impl<T: Serialize> Serialize for Risky<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if fails() {
            return Err(S::Error::custom("on purpose"));
        }
        let ok = self.0.serialize(serializer)?;
        if fails() { Err(S::Error::custom("on purpose")) } else { Ok(ok) }
    }
}

/// A text that may fail before each of its pieces.
pub struct Shown(pub &'static [&'static str]);

impl Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|piece| if fails() { Err(fmt::Error) } else { f.write_str(piece) })
    }
}

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
