//! Slices as arrays, in parts that are encoded by the threads of a rayon pool.

use std::panic;

use serde::ser::{Error as _, SerializeSeq};
use serde::{Serialize, Serializer};

use super::claims::{Claims, Outcome};
use crate::encoder::Encoder;
use crate::error::Result;
use crate::parts::{self, After, Job, Message, Reply};
use crate::rope::Rope;
use crate::source::Value;
use crate::{run, ser};

/// A slice that is encoded as an array, by several threads if it is long: a value anywhere in a document.
///
/// Use it for the one heavy array of a document: the rows of a response, the points of a line. With serde's derive, a
/// field of another type becomes one by `#[serde(serialize_with = "…")]` and `Par(items).serialize(serializer)`.
///
/// The document is the same as without it, but for the lengths of chunks: its bytes, whatever the options are, its limits,
/// and the first error or panic in the order of the document, with its place. Every item is serialized once, unless it
/// is in a part that exceeds [`max_len`](crate::EncoderBuilder::max_len). This thread
/// begins alone. After 64 KiB it estimates the length of the rest, and shares that with the threads of the rayon pool it
/// is in, or of the global one, if it is at least 1.5 MiB and other threads may be idle. A pool of one thread makes no
/// difference. Each part, of about 256 KiB, is linked into a rope, or copied where bytes have to be in one piece: into a
/// vector, inside an object whose members are sorted. A document that is written or encoded on demand has at most four
/// parts for each thread in memory at a time.
///
/// It is encoded by one thread:
///
/// * inside a part of another `Par`, which is what the other threads are busy with;
/// * by other serializers, for which it is the plain slice, and inside those that wrap this crate's, such as type-erased
///   ones or that of an internally tagged enum;
/// * in pretty output, as long as the array may fit [`inline_width`](crate::EncoderBuilder::inline_width);
/// * pretty, in [`Frame::ServerSentEvent`](crate::Frame::ServerSentEvent) with a
///   [`max_len`](crate::EncoderBuilder::max_len).
///
/// A thread of a rayon pool that waits for the last parts may take up other work of that pool, as in any rayon call. So
/// do not hold a lock that such work needs, which serde's `Serialize` of a `Mutex` with a `Par` inside does.
///
/// ```
/// use json_rope::{Encoder, Par};
///
/// #[derive(serde::Serialize)]
/// struct Response<'a> {
///     next: Option<&'a str>,
///     rows: Par<'a, (u32, &'a str)>,
/// }
/// let rows = vec![(1, "one"), (2, "two")];
/// let rope = Encoder::new().encode(&Response { next: None, rows: Par(&rows) })?;
/// assert_eq!(rope, r#"{"next":null,"rows":[[1,"one"],[2,"two"]]}"#);
/// # Ok::<(), json_rope::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(docsrs, doc(cfg(feature = "rayon")))]
pub struct Par<'a, T>(pub &'a [T]);

impl<T: Serialize + Sync> Serialize for Par<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        if self.0.len() > 1 && ser::is_own::<S>() && !parts::is_in_part() && parts::leave(Message::Offer(self.0.len()))
        {
            serializer.serialize_newtype_struct(parts::TOKEN, &Slice(self.0))
        } else {
            serializer.collect_seq(self.0)
        }
    }
}

/// What the serializer calls with a message.
struct Slice<'a, T>(&'a [T]);

impl<T: Serialize + Sync> Serialize for Slice<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match parts::take() {
            Some(Message::Write(items)) => {
                let mut run = serializer.serialize_seq(None)?;
                for item in self.0.get(items).unwrap_or_default() {
                    run.serialize_element(item)?;
                }
                run.end()
            }
            Some(Message::Encode(job)) => {
                let reply = if job.around.options.is_plain() {
                    encode::<T, true>(self.0, &job)
                } else {
                    encode::<T, false>(self.0, &job)
                };
                parts::leave(Message::Reply(reply));
                serializer.serialize_unit()
            }
            _ => Err(S::Error::custom("a slice has lost its message")),
        }
    }
}

/// Encodes the items of a job in parts, on as many threads as there are in the pool.
///
/// # Panics
/// If a `Serialize` panics, and no item before it fails.
fn encode<T: Serialize + Sync, const PLAIN: bool>(items: &[T], job: &Job) -> Reply {
    let allowed = job.around.options.max_len;
    let threads = rayon_core::current_num_threads();
    let claims = Claims::new(job.first..items.len(), job.item_len, job.most_parts, allowed, threads);
    let work = || {
        claims.work(|range, estimate| {
            parts::within_part(|| {
                run::to_part::<PLAIN>(&job.around, estimate, &mut |formatter| {
                    ser::elements(formatter, job.wrappers, range.start, &items[range.clone()])?;
                    if range.end == items.len() { formatter.close_array(items.len()) } else { Ok(()) }
                })
            })
        });
    };
    // This thread works too. So a pool that is busy, or has one thread, is no reason to wait for it.
    parts::within_part(|| {
        rayon_core::in_place_scope(|scope| {
            for _ in 1..threads.min(claims.likely_parts()) {
                scope.spawn(|_| work());
            }
            work();
        });
    });
    join(claims, job, items.len(), allowed)
}

/// The parts in order, up to the first that failed or exceeds the limit.
fn join(claims: Claims, job: &Job, len: usize, allowed: u64) -> Reply {
    let (mut ropes, mut end, mut bytes) = (Vec::new(), job.first, 0u64);
    let mut after = None;
    let mut parts = claims.into_parts().into_iter();
    while let Some(part) = parts.next() {
        match part.outcome {
            Outcome::Encoded(rope) => {
                let sum = bytes.saturating_add(rope.len() as u64);
                if sum > allowed {
                    after = Some(After::Limit);
                    break;
                }
                bytes = sum;
                end = part.items.end;
                ropes.push(rope);
            }
            Outcome::Failed(failure) => {
                // A part may have as many bytes as all parts together, so which limit it met is not known here.
                let is_beyond = bytes.saturating_add(failure.offset()) >= allowed || failure.is_limit();
                let is_limited = allowed != u64::MAX && is_beyond;
                after = Some(if is_limited { After::Limit } else { After::Failure(failure) });
                break;
            }
            Outcome::Panicked(payload) => {
                // What other panics carry may panic when it is dropped, which must not happen while this one unwinds.
                drop(parts);
                panic::resume_unwind(payload);
            }
        }
    }
    let after = after.unwrap_or(if end == len { After::Nothing } else { After::Items });
    Reply { ropes, end, after }
}

impl Encoder {
    /// Encodes a slice as an array into a rope, by the threads of a rayon pool if it is long.
    ///
    /// The same as [`encode`](Encoder::encode) of a [`Par`], which says what is the same as with one thread, and when
    /// other threads are asked. Below 1.5 MiB of output this is `encode`; it pays reliably from about 4 MiB on. The pool is the one that
    /// this thread is in, otherwise rayon's global one: `pool.install(|| encoder.par_encode_slice(&rows))`.
    ///
    /// Parts of about 256 KiB have slabs of their own, so there are about three heap blocks for each, and one chunk for
    /// each that is shorter than [`max_chunk`](crate::EncoderBuilder::max_chunk).
    ///
    /// ```
    /// let rows: Vec<(u32, &str)> = (0..1000).map(|n| (n, "row")).collect();
    /// let encoder = json_rope::Encoder::new();
    /// assert_eq!(encoder.par_encode_slice(&rows)?, encoder.encode(&rows)?);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As `encode`: that of the first item that fails, in the order of the slice. Items after it may have been serialized.
    ///
    /// # Panics
    /// If the `Serialize` of an item panics, on any thread, and no item before it fails.
    #[cfg_attr(docsrs, doc(cfg(feature = "rayon")))]
    pub fn par_encode_slice<T: Serialize + Sync>(&self, items: &[T]) -> Result<Rope> {
        self.to_rope_in_parts(Value(&Par(items)), parts::FLOOR)
    }
}
