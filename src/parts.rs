//! Parts of one document that are encoded apart, by several threads: what the serializer and a slice tell each other.
//!
//! The serializer knows the output, the options and the depth, but not the type of the items, and so not that threads may
//! share them. A slice whose type says so knows nothing of the output. So they take turns: one leaves a message, which
//! owns what is in it, in a place of the thread, and calls the other one, which takes it before it does anything else.

use std::cell::Cell;
use std::ops::Range;

use crate::fmt::Surroundings;
use crate::out::Failure;
use crate::rope::Rope;

/// The name under which a slice presents itself to this crate's serializer, and to no other.
pub(crate) const TOKEN: &str = "$json_rope::private::Par";

/// Bytes that one thread writes before it is asked whether more threads would pay.
pub(crate) const SAMPLE: u64 = if cfg!(test) { 256 } else { 64 * 1024 };

/// The least number of bytes, by estimate, that are worth more than one thread. Waking the threads of a pool takes some
/// tens of microseconds, in which one thread encodes 100 KiB; the gain is reliable only well above that.
pub(crate) const FLOOR: u64 = if cfg!(test) { 4000 } else { 1536 * 1024 };

/// About how many bytes a part has. Four full chunks and a rest: longer parts are harder to spread over threads, shorter
/// ones have more short chunks.
pub(crate) const PART: u64 = if cfg!(test) { 3000 } else { 256 * 1024 };

/// The length that parts do not fall below when the items run out, and all threads are to be done at the same time.
pub(crate) const MIN_PART: u64 = if cfg!(test) { 500 } else { 32 * 1024 };

/// For each thread, the parts that may be in memory at once if the document does not stay in memory anyway.
pub(crate) const WINDOW: usize = 4;

pub(crate) enum Message {
    /// To the serializer: the value is a slice of so many items, which takes messages.
    Offer(usize),
    /// To the slice: serialize these items.
    Write(Range<usize>),
    /// To the slice: encode parts.
    Encode(Box<Job>),
    /// To the serializer: the parts.
    Reply(Reply),
}

/// Items that are to be encoded in parts.
pub(crate) struct Job {
    pub(crate) around: Surroundings,
    pub(crate) wrappers: usize,
    /// The index of the first of them. All items after it follow.
    pub(crate) first: usize,
    /// About how many bytes an item has, at least 1.
    pub(crate) item_len: u64,
    /// The most parts.
    pub(crate) most_parts: usize,
}

/// Parts that follow each other.
pub(crate) struct Reply {
    pub(crate) ropes: Vec<Rope>,
    /// The index after their last item.
    pub(crate) end: usize,
    pub(crate) after: After,
}

/// What comes after the parts of a [`Reply`].
pub(crate) enum After {
    /// More items.
    Items,
    /// Nothing. The last part has the closing bracket.
    Nothing,
    /// The items that exceed the length limit.
    Limit,
    /// Items of which one failed.
    Failure(Box<Failure>),
}

thread_local! {
    static PLACE: Cell<Option<Message>> = const { Cell::new(None) };
    static IN_PART: Cell<bool> = const { Cell::new(false) };
}

/// Leaves a message for the next call. Returns whether there is a place: not while the thread ends.
pub(crate) fn leave(message: Message) -> bool {
    PLACE.try_with(|place| place.set(Some(message))).is_ok()
}

pub(crate) fn take() -> Option<Message> {
    PLACE.try_with(Cell::take).ok().flatten()
}

/// Runs `encode` as the encoding of a part, or as waiting for parts: what this thread begins inside is not divided again. A
/// thread that waits takes up other work of its pool. If that could wait too, the stack would grow with the number of tasks,
/// and a `Serialize` in the middle may hold a lock that other work needs.
pub(crate) fn within_part<R>(encode: impl FnOnce() -> R) -> R {
    struct Reset(bool);
    impl Drop for Reset {
        fn drop(&mut self) {
            _ = IN_PART.try_with(|in_part| in_part.set(self.0));
        }
    }
    let _reset = Reset(IN_PART.try_with(|in_part| in_part.replace(true)).unwrap_or(true));
    encode()
}

/// Whether this thread encodes a part.
pub(crate) fn is_in_part() -> bool {
    IN_PART.try_with(Cell::get).unwrap_or(true)
}

/// Whether other threads of the pool may have nothing to do: what this one has begun and queued has been taken up.
pub(crate) fn may_have_idle_threads() -> bool {
    !is_in_part() && has_idle_threads()
}

/// Like [`may_have_idle_threads`], also for a thread that is at work for others.
pub(crate) fn has_idle_threads() -> bool {
    rayon_core::current_num_threads() > 1 && rayon_core::current_thread_has_pending_tasks() != Some(true)
}
