//! A slice that may be encoded by several threads.
//!
//! It is written as any array is, but in runs of items, after which it is known how long items are. Once there is enough
//! to do, and threads to do it, the slice is asked for the rest in parts, which are linked into the output.

use serde::Serialize;
use serde::ser::SerializeSeq;

use super::Serializer;
use super::compound::Array;
use super::refuse::{Refused, refuse, refuse_most};
use crate::error::{Error, Result};
use crate::fmt::Formatter;
use crate::parts::{self, After, Job, Message, Reply};

/// Items in the first run, of which nothing is known. A run has at most four times as many as there were before.
const FIRST_RUN: usize = 4;

/// About how many bytes a run has, and the most items.
const RUN: u64 = 16 * 1024;
const MAX_RUN: usize = 4096;

/// Whether `S` is this crate's serializer, and not one that wraps it, which would want to see every item.
pub(crate) fn is_own<S: ?Sized>() -> bool {
    let id = typeid::of::<S>();
    id == typeid::of::<Serializer<'static, 'static, true>>()
        || id == typeid::of::<Serializer<'static, 'static, false>>()
}

/// Writes `items` as elements of an open array; the first one is that with the index `first`.
pub(crate) fn elements<T: Serialize, const PLAIN: bool>(
    formatter: &mut Formatter<'_, PLAIN>,
    wrappers: usize,
    first: usize,
    items: &[T],
) -> Result<()> {
    let mut array = Array::from_index(Serializer { formatter, wrappers }, first);
    items.iter().try_for_each(|item| array.element(item))
}

/// Writes a slice of `len` items, which takes messages.
pub(super) fn slice<T: ?Sized + Serialize, const PLAIN: bool>(
    serializer: Serializer<'_, '_, PLAIN>,
    len: usize,
    slice: &T,
) -> Result<()> {
    let Serializer { formatter, wrappers } = serializer;
    formatter.open()?;
    let began = formatter.out.offset();
    let (mut done, mut run, mut next_check) = (0usize, FIRST_RUN, parts::SAMPLE);
    while done < len {
        let end = done.saturating_add(run).min(len);
        let messenger = Messenger { formatter: &mut *formatter, wrappers, first: done };
        send(Message::Write(done..end), slice, messenger)?;
        done = end;
        let bytes = formatter.out.offset().saturating_sub(began);
        let item_len = (bytes / done as u64).max(1);
        run = usize::try_from(RUN / item_len).unwrap_or(MAX_RUN).clamp(1, done.saturating_mul(4).min(MAX_RUN));
        if bytes < next_check {
            continue;
        }
        // Asked again when as much again has been written: items may become longer, and threads idle.
        next_check = bytes.saturating_mul(2);
        let rest = ((len - done) as u64).saturating_mul(item_len);
        if rest >= parts::FLOOR && len - done >= 2 && parts::may_have_idle_threads() {
            match in_parts(formatter, wrappers, &mut done, item_len, slice)? {
                Flow::Closed => return Ok(()),
                Flow::Divide => {}
                Flow::Serial => next_check = u64::MAX,
            }
        }
    }
    formatter.close_array(len)
}

enum Flow {
    /// The rest may be divided.
    Divide,
    /// The rest may not be divided.
    Serial,
    /// The array is complete.
    Closed,
}

/// Writes as much as possible in parts, and moves `done` on.
fn in_parts<T: ?Sized + Serialize, const PLAIN: bool>(
    formatter: &mut Formatter<'_, PLAIN>,
    wrappers: usize,
    done: &mut usize,
    item_len: u64,
    slice: &T,
) -> Result<Flow> {
    loop {
        if !formatter.is_divisible() {
            return Ok(Flow::Divide);
        }
        let around = formatter.surroundings();
        let most_parts = if formatter.out.keeps_all() {
            usize::MAX
        } else {
            parts::WINDOW.saturating_mul(rayon_core::current_num_threads())
        };
        let job = Box::new(Job { around, wrappers, first: *done, item_len, most_parts });
        let messenger = Messenger { formatter: &mut *formatter, wrappers, first: *done };
        send(Message::Encode(job), slice, messenger)?;
        let Some(Message::Reply(Reply { ropes, end, after })) = parts::take() else {
            return Err(formatter.fail_data(LOST));
        };
        for rope in ropes {
            formatter.verbatim(rope)?;
        }
        *done = end;
        match after {
            After::Items => {}
            After::Nothing => {
                formatter.leave();
                return Ok(Flow::Closed);
            }
            // It is met by the thread that knows exactly how much is left.
            After::Limit => return Ok(Flow::Serial),
            After::Failure(failure) => return Err(formatter.out.fail_in_part(failure)),
        }
    }
}

/// Leaves a message and calls the slice, which takes it.
fn send<T: ?Sized + Serialize, const PLAIN: bool>(
    message: Message,
    slice: &T,
    messenger: Messenger<'_, '_, PLAIN>,
) -> Result<()> {
    if parts::leave(message) { slice.serialize(messenger) } else { Err(messenger.formatter.fail_data(LOST)) }
}

/// Never seen, unless a `Serialize` is called while its thread ends.
const LOST: &str = "a slice has lost its message";

/// The serializer of a call that brings a message.
struct Messenger<'f, 'a, const PLAIN: bool> {
    formatter: &'f mut Formatter<'a, PLAIN>,
    wrappers: usize,
    /// The index of the first item.
    first: usize,
}

impl<const PLAIN: bool> Messenger<'_, '_, PLAIN> {
    fn refuse<T>(self) -> Result<T> {
        Err(Error::data(LOST))
    }
}

/// Elements of an array that stays open.
struct Run<'f, 'a, const PLAIN: bool>(Array<'f, 'a, PLAIN>);

impl<const PLAIN: bool> SerializeSeq for Run<'_, '_, PLAIN> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<()> {
        self.0.element(value)
    }

    fn end(self) -> Result<()> {
        Ok(())
    }
}

impl<'f, 'a, const PLAIN: bool> serde::Serializer for Messenger<'f, 'a, PLAIN> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Run<'f, 'a, PLAIN>;
    type SerializeTuple = Refused;
    type SerializeTupleStruct = Refused;
    type SerializeTupleVariant = Refused;
    type SerializeMap = Refused;
    type SerializeStruct = Refused;
    type SerializeStructVariant = Refused;

    /// Of a run of items.
    fn serialize_seq(self, _len: Option<usize>) -> Result<Run<'f, 'a, PLAIN>> {
        let Messenger { formatter, wrappers, first } = self;
        Ok(Run(Array::from_index(Serializer { formatter, wrappers }, first)))
    }

    /// The answer is in its place.
    fn serialize_unit(self) -> Result<()> {
        Ok(())
    }

    refuse_most!(());
    refuse! {
        serialize_str(&str) -> ();
        serialize_bytes(&[u8]) -> ();
    }
}
