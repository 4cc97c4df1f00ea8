//! Trees, whose walks are divided whenever a thread has nothing to do.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::Value;

use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::fmt::Surroundings;
use crate::options::Options;
use crate::parts;
use crate::rope::Rope;
use crate::run;
use crate::setup::Setup;
use crate::source::{Share, Task};

/// Bytes that one thread writes before anything is given away, so that a short tree is not even weighed.
const ALONE: u64 = if cfg!(test) { 300 } else { 64 * 1024 };

/// Bytes, by estimate, of which one thread gives nothing away, at the beginning and later.
const FLOOR: u64 = if cfg!(test) { 500 } else { parts::FLOOR };
const LATER_FLOOR: u64 = if cfg!(test) { 200 } else { 128 * 1024 };

/// The most times that what is left of a task is divided again, because each takes some stack.
const MOST_DIVISIONS: usize = 16;

impl Encoder {
    /// Encodes a tree into a rope, by the threads of a rayon pool if it is long: the bytes of
    /// [`encode_tree`](Encoder::encode_tree).
    ///
    /// Use it for a `serde_json::Value` of two megabytes of text or more. On two cores it gains 1.3 to 1.6 times the speed of
    /// one thread; [`par_encode_slice`](Encoder::par_encode_slice) and [`Par`](crate::Par), for other types, 1.6 to 1.8.
    ///
    /// This thread begins alone. After every 64 KiB it looks whether another thread of the pool may be idle, estimates from
    /// a few items how much is left of each open array and object, and gives the later half of it all away if that is
    /// worth it. So it does not matter how the tree is nested, or where its weight is; only one long string, or a chain of
    /// hundreds of containers with the same weight in each, is left to one thread. The pool is the one that this thread is
    /// in, otherwise rayon's global one.
    ///
    /// Every part has slabs of its own, and begins and ends with a chunk that may be short. With
    /// [`sort_keys`](crate::EncoderBuilder::sort_keys) or [`canonical`](crate::EncoderBuilder::canonical) this is
    /// `encode_tree`: there an object is held in one piece. A tree that cannot be encoded is encoded again by one thread,
    /// to find out which error comes first.
    ///
    /// ```
    /// let tree: serde_json::Value = (0..1000).collect();
    /// let encoder = json_rope::Encoder::new();
    /// assert_eq!(encoder.par_encode_tree(&tree)?, encoder.encode_tree(&tree)?);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As `encode_tree`.
    #[cfg_attr(docsrs, doc(cfg(feature = "rayon")))]
    pub fn par_encode_tree(&self, tree: &Value) -> Result<Rope> {
        let options = self.options();
        if options.style.sort_keys {
            return self.encode_tree(tree);
        }
        let encoded = if options.is_plain() { encode::<true>(tree, options) } else { encode::<false>(tree, options) };
        match encoded {
            Ok(rope) => Ok(rope),
            Err(_) => self.encode_tree(tree),
        }
    }
}

/// What the threads that encode one tree share.
struct Shared {
    /// Whether some part has failed, so that nothing will come of the others.
    has_failed: AtomicBool,
    written: AtomicU64,
    max_len: u64,
}

impl Shared {
    /// Counts the bytes of a part. Fails if there are too many, or another part has failed.
    fn count(&self, bytes: u64) -> Result<()> {
        let before = self.written.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > self.max_len || self.has_failed.load(Ordering::Relaxed) {
            return Err(Error::limit("another thread knows more"));
        }
        Ok(())
    }
}

/// When one of these threads gives something away.
struct Giver<'s> {
    shared: &'s Shared,
    /// Bytes before the first time.
    alone: u64,
    /// How often it may.
    divisions: usize,
    /// Whether the tree has been divided already, so that this thread works for others.
    is_divided: bool,
}

impl Share for Giver<'_> {
    fn is_wanted(&self, written: u64) -> Result<bool> {
        // Too many bytes are noticed early, so that no more memory is used than that of a few parts.
        if self.shared.has_failed.load(Ordering::Relaxed)
            || self.shared.written.load(Ordering::Relaxed).saturating_add(written) > self.shared.max_len
        {
            return Err(Error::limit("another thread knows more"));
        }
        Ok(written >= self.alone
            && self.divisions > 0
            && (self.is_divided || !parts::is_in_part())
            && parts::has_idle_threads())
    }

    fn least(&self) -> u64 {
        if self.is_divided { LATER_FLOOR } else { FLOOR }
    }
}

fn encode<const PLAIN: bool>(tree: &Value, options: &Options) -> Result<Rope> {
    let shared = &Shared { has_failed: AtomicBool::new(false), written: AtomicU64::new(0), max_len: options.max_len };
    let mut task = Task::new(tree, options);
    let mut second = None;
    let giver = Giver { shared, alone: ALONE, divisions: MOST_DIVISIONS, is_divided: false };
    let mut rope = run::to_rope_as::<PLAIN>(options, 0, &Setup::walking(options), &mut |formatter| {
        second = task.advance(formatter, &giver)?.map(|second| (formatter.surroundings(), second));
        Ok(())
    })?;
    if let Some((mut around, second)) = second {
        around.options.max_len = u64::MAX;
        shared.count(rope.len() as u64)?;
        rope.append(both::<PLAIN>((task, second), &around, shared, MOST_DIVISIONS)?);
    }
    Ok(rope)
}

/// Encodes two tasks that follow each other, the second one on whichever thread takes it.
fn both<const PLAIN: bool>(
    (first, second): (Task<'_>, Task<'_>),
    around: &Surroundings,
    shared: &Shared,
    divisions: usize,
) -> Result<Rope> {
    let divisions = divisions.saturating_sub(1);
    let (first, second) = parts::within_part(|| {
        rayon_core::join(
            || whole::<PLAIN>(first, around, shared, divisions),
            || whole::<PLAIN>(second, around, shared, divisions),
        )
    });
    let mut rope = first?;
    rope.append(second?);
    Ok(rope)
}

fn whole<const PLAIN: bool>(
    mut task: Task<'_>,
    around: &Surroundings,
    shared: &Shared,
    divisions: usize,
) -> Result<Rope> {
    let (mut rope, second) =
        part::<PLAIN>(&mut task, around, &Giver { shared, alone: 0, divisions, is_divided: true })?;
    if let Some(second) = second {
        rope.append(both::<PLAIN>((task, second), around, shared, divisions)?);
    }
    Ok(rope)
}

/// Encodes a task up to where it is divided. Out of line, so that its memory on the stack is not that of all divisions.
#[inline(never)]
fn part<'v, const PLAIN: bool>(
    task: &mut Task<'v>,
    around: &Surroundings,
    giver: &Giver<'_>,
) -> Result<(Rope, Option<Task<'v>>)> {
    let mut second = None;
    let written = run::to_part::<PLAIN>(around, 0, &mut |formatter| {
        formatter.set_depth(task.depth());
        second = task.advance(formatter, giver)?;
        Ok(())
    });
    match written {
        Ok(rope) if giver.shared.count(rope.len() as u64).is_ok() => Ok((rope, second)),
        _ => {
            giver.shared.has_failed.store(true, Ordering::Relaxed);
            Err(Error::limit("a part failed"))
        }
    }
}
