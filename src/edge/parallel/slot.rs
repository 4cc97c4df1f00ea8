//! A batch of records on its way from the caller to whichever thread encodes it, and back.

use std::any::Any;
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::PoisonError;
#[cfg(not(all(test, json_rope_loom)))]
use std::sync::{Condvar, Mutex, MutexGuard};

#[cfg(all(test, json_rope_loom))] // for `tests/interleavings.rs`
use loom::sync::{Condvar, Mutex, MutexGuard};

/// What became of a batch: a result, or a panic.
pub(super) type Outcome<R> = Result<R, Box<dyn Any + Send>>;

/// Work that is done once, by the first thread that gets to it.
///
/// The caller waits only for a batch that another thread encodes at that moment. Those that have not begun it takes back
/// and encodes itself, so that it never waits for a place in a pool.
pub(super) struct Slot<T, R> {
    state: Mutex<State<T, R>>,
    is_done: Condvar,
}

enum State<T, R> {
    Waiting(T),
    Running,
    Done(Outcome<R>),
    Taken,
}

impl<T, R> Slot<T, R> {
    pub(super) fn new(work: T) -> Slot<T, R> {
        Slot { state: Mutex::new(State::Waiting(work)), is_done: Condvar::new() }
    }

    /// Does the work, unless somebody else does or has, or it was cancelled. Returns whether it did.
    pub(super) fn run(&self, encode: impl FnOnce(T) -> R) -> bool {
        let Some(work) = self.begin() else { return false };
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| encode(work)));
        *self.lock() = State::Done(outcome);
        self.is_done.notify_all();
        true
    }

    fn begin(&self) -> Option<T> {
        let mut state = self.lock();
        if !matches!(*state, State::Waiting(_)) {
            return None;
        }
        match mem::replace(&mut *state, State::Running) {
            State::Waiting(work) => Some(work),
            _ => None,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(*self.lock(), State::Done(_))
    }

    /// Waits for the thread that does the work, if one does. To be called once.
    pub(super) fn finish(&self) -> Option<Outcome<R>> {
        let mut state = self.lock();
        while let State::Running = *state {
            state = self.is_done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        match mem::replace(&mut *state, State::Taken) {
            State::Done(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Forgets work that has not begun.
    pub(super) fn cancel(&self) {
        let mut state = self.lock();
        if let State::Waiting(_) = *state {
            let cancelled = mem::replace(&mut *state, State::Taken);
            drop(state);
            drop(cancelled);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
