//! Which thread encodes which items of a slice.
//!
//! Threads claim parts in the order of the document. So what is before a part that failed has been claimed too, and is
//! completed: the first failure in the document is known, and how many bytes are before it.

use std::any::Any;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::out::Failure;
use crate::parts::{MIN_PART, PART};
use crate::rope::Rope;

/// What became of a part.
pub(super) enum Outcome {
    Encoded(Rope),
    Failed(Box<Failure>),
    Panicked(Box<dyn Any + Send>),
}

pub(super) struct Part {
    pub(super) items: Range<usize>,
    pub(super) outcome: Outcome,
}

/// Items that are claimed, part by part.
pub(super) struct Claims {
    threads: usize,
    /// The index after the last item.
    end: usize,
    /// The most bytes that are wanted. When there are more, no part is claimed any more.
    allowed: u64,
    state: Mutex<State>,
}

struct State {
    next: usize,
    /// Parts that may yet be claimed.
    parts_left: usize,
    /// Items that are encoded, and their bytes: at first as many as one item is thought to have.
    items: u64,
    bytes: u64,
    encoded: u64,
    is_over: bool,
    done: Vec<Part>,
}

impl Claims {
    pub(super) fn new(items: Range<usize>, item_len: u64, most_parts: usize, allowed: u64, threads: usize) -> Claims {
        let state = State {
            next: items.start,
            parts_left: most_parts,
            items: 1,
            bytes: item_len.max(1),
            encoded: 0,
            is_over: false,
            done: Vec::new(),
        };
        Claims { threads, end: items.end, allowed, state: Mutex::new(state) }
    }

    /// How many parts there will probably be.
    pub(super) fn likely_parts(&self) -> usize {
        let state = self.lock();
        let bytes = ((self.end - state.next) as u64).saturating_mul(state.bytes / state.items);
        usize::try_from(bytes.div_ceil(PART)).unwrap_or(usize::MAX).min(state.parts_left)
    }

    /// Claims part after part, and encodes it by `encode`, which is given the items and about how many bytes they have.
    pub(super) fn work(&self, encode: impl Fn(Range<usize>, usize) -> Result<Rope, Box<Failure>>) {
        while let Some((items, estimate)) = self.claim() {
            // Which of several panics and errors comes first in the document is known only at the end.
            let outcome = match panic::catch_unwind(AssertUnwindSafe(|| encode(items.clone(), estimate))) {
                Ok(Ok(rope)) => Outcome::Encoded(rope),
                Ok(Err(failure)) => Outcome::Failed(failure),
                Err(payload) => Outcome::Panicked(payload),
            };
            self.complete(Part { items, outcome });
        }
    }

    fn claim(&self) -> Option<(Range<usize>, usize)> {
        let mut state = self.lock();
        let left = self.end - state.next;
        if state.is_over || left == 0 || state.parts_left == 0 {
            return None;
        }
        let items_of = |bytes: u64| {
            let items = u128::from(bytes) * u128::from(state.items) / u128::from(state.bytes.max(1));
            usize::try_from(items).unwrap_or(usize::MAX)
        };
        // Towards the end in smaller parts, so that all threads are done at about the same time.
        let share = (left / (2 * self.threads)).max(items_of(MIN_PART));
        let count = items_of(PART).min(share).clamp(1, left);
        let estimate = u128::from(state.bytes) * count as u128 / u128::from(state.items);
        let first = state.next;
        state.next += count;
        state.parts_left -= 1;
        Some((first..first + count, usize::try_from(estimate).unwrap_or(usize::MAX)))
    }

    fn complete(&self, part: Part) {
        let mut state = self.lock();
        match &part.outcome {
            Outcome::Encoded(rope) => {
                if state.encoded == 0 {
                    (state.items, state.bytes) = (0, 0);
                }
                state.items += part.items.len() as u64;
                state.bytes = state.bytes.saturating_add(rope.len() as u64).max(1);
                state.encoded = state.encoded.saturating_add(rope.len() as u64);
                state.is_over |= state.encoded > self.allowed;
            }
            Outcome::Failed(_) | Outcome::Panicked(_) => state.is_over = true,
        }
        state.done.push(part);
    }

    /// All parts that were claimed, in order. To be called when every thread has come back.
    pub(super) fn into_parts(self) -> Vec<Part> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut parts = state.done;
        parts.sort_unstable_by_key(|part| part.items.start);
        parts
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is held but an allocation that fails.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
