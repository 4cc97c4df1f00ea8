//! A bounded number of buffers that are used again, shared by encoders and threads. `out` takes them and writes into
//! them.
//!
//! Nobody waits for a buffer, and none is taken away from anybody. The pool keeps a handle on each buffer. While chunks
//! of the buffer exist, the handle is of no use. Once the last of them is dropped, the handle is the only one, and
//! `BytesMut::try_reclaim` makes the whole buffer writable again. So no hook runs when a chunk is dropped, and there is
//! no reference count of our own: `bytes` alone decides whether somebody can still read a buffer.
//!
//! The handles are in several lists, and each thread prefers one of them. Threads then rarely meet at a lock, and a
//! buffer stays in the cache of the core that wrote it.

use std::collections::VecDeque;
use std::fmt;
use std::iter;
use std::mem;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use bytes::BytesMut;

/// A smaller buffer would have little room beside the front of a frame and the bytes that move there from the scratch.
const MIN_BUFFER: usize = 256;

/// No buffer is larger than this, whatever the options say.
const MAX_BUFFER: usize = 16 << 20;

/// How many of the oldest buffers of a list are probed, if the newest one is still in use. A probe is one atomic load.
const MAX_PROBES: usize = 8;

/// The number of lists. More threads than this share them.
const LISTS: usize = 16;

/// The bounds of a [`Pool`], as plain data: for settings that are read from a configuration. [`Pool::builder`] is
/// shorter where they are written in code.
///
/// ```
/// use json_rope::{Pool, PoolOptions};
///
/// let mut options = PoolOptions::default();
/// options.max_buffers = 16; // 1 MiB in all
/// let pool = Pool::new(options);
/// assert_eq!(pool.retained_bytes(), 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolOptions {
    /// The most buffers that the pool keeps, including those whose chunks are in use. Default: 64. With 0 it keeps
    /// none.
    pub max_buffers: usize,
    /// Bytes of each buffer, which bounds the length of a chunk. Default: 64 KiB. A pool with fewer than 256 is not
    /// used at all. More than 16 MiB count as 16 MiB.
    pub buffer_size: usize,
}

impl Default for PoolOptions {
    fn default() -> PoolOptions {
        PoolOptions { max_buffers: 64, buffer_size: 64 * 1024 }
    }
}

/// Sets the bounds of a [`Pool`]. Made by [`Pool::builder`].
///
/// ```
/// let pool = json_rope::Pool::builder().max_buffers(16).buffer_size(128 * 1024).build();
/// assert_eq!(pool.retained_bytes(), 0);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct PoolBuilder {
    options: PoolOptions,
}

impl PoolBuilder {
    /// The most buffers that the pool keeps, including those whose chunks are in use. Default: 64. With 0 it keeps
    /// none.
    ///
    /// ```
    /// let pool = json_rope::Pool::builder().max_buffers(2).build();
    /// let encoder = json_rope::Encoder::builder().pool(pool.clone()).build()?;
    /// drop(encoder.encode(&vec![1; 500_000])?); // needs 16 buffers
    /// assert_eq!(pool.retained_bytes(), 2 * 64 * 1024);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn max_buffers(mut self, max_buffers: usize) -> Self {
        self.options.max_buffers = max_buffers;
        self
    }

    /// Bytes of each buffer, which bounds the length of a chunk. Default: 64 KiB. A pool with fewer than 256 is not
    /// used at all. More than 16 MiB count as 16 MiB.
    ///
    /// ```
    /// let pool = json_rope::Pool::builder().buffer_size(32 * 1024).build();
    /// let encoder = json_rope::Encoder::builder().pool(pool.clone()).build()?;
    /// drop(encoder.encode(&vec![1; 10_000])?); // 20,001 bytes
    /// assert_eq!(pool.retained_bytes(), 32 * 1024);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn buffer_size(mut self, buffer_size: usize) -> Self {
        self.options.buffer_size = buffer_size;
        self
    }

    /// Makes the pool. It has no buffers yet.
    ///
    /// ```
    /// let pool = json_rope::Pool::builder().build();
    /// assert_eq!(pool.stats(), json_rope::PoolStats::default());
    /// ```
    pub fn build(self) -> Pool {
        Pool::new(self.options)
    }
}

/// Counts of what has happened in a [`Pool`] since it was made. Encoders have used `hits + misses`
/// buffers. A rope that is longer than all buffers of the pool goes on in memory that does not come from it, which is not
/// counted.
///
/// ```
/// let pool = json_rope::Pool::default();
/// let encoder = json_rope::Encoder::builder().pool(pool.clone()).build()?;
/// let numbers = vec![1; 10_000];
/// drop(encoder.encode(&numbers)?); // 20,001 bytes
/// drop(encoder.encode(&numbers)?);
/// assert_eq!((pool.stats().hits, pool.stats().misses), (1, 1));
/// # Ok::<(), json_rope::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStats {
    /// Buffers that were used again.
    pub hits: u64,
    /// Buffers that were allocated, because none was free or other threads were using the pool at that moment.
    pub misses: u64,
    /// Buffers that the pool gave up because it was full, or because other threads were using it when they came back.
    pub discarded: u64,
}

/// Buffers that [`Encoder`](crate::Encoder)s use again and again, shared by clones of the pool and between threads.
///
/// Use one where allocations have to be few, as in a server that runs for weeks. Pass it to an encoder with
/// [`EncoderBuilder::pool`](crate::EncoderBuilder::pool). A document that does not fit 14 KiB is then written into
/// buffers of the pool, and costs about one heap allocation, for its list of chunks; streaming, it costs none. A shorter
/// one is copied to an allocation of its exact size, as without a pool, and takes no buffer away from others (with
/// buffers of less than 28 KiB: one that is shorter than half of a buffer).
///
/// * **Safe**: a buffer is used again only when every [`Bytes`](bytes::Bytes) cut from it is gone. A chunk may be kept
///   for a log, a retry or a statistics hook for as long as you like. It keeps its buffer alive, and out of the pool;
///   [`Rope::compact`](crate::Rope::compact) releases it.
/// * **Bounded** in count and bytes, see [`PoolOptions`]. Buffers in use count; when the pool is full, an old buffer is
///   given up for a new one. Bytes that have to be in one piece and do not fit a buffer, as
///   with [`sort_keys`](crate::EncoderBuilder::sort_keys), get an allocation that is never kept.
/// * **Never waits** while encoding: a list that another thread is using at that moment is skipped. Threads rarely
///   meet, since each prefers buffers of its own. (`clear`, `stats` and `retained_bytes` do wait, for some
///   nanoseconds.)
/// * Nothing is kept for a thread, and nothing where there is no pool.
///
/// ```
/// use json_rope::{Encoder, Pool};
///
/// let pool = Pool::default();
/// let encoder = Encoder::builder().pool(pool.clone()).build()?;
/// let rope = encoder.encode(&vec![7; 10_000])?;
/// let kept = rope.chunks()[0].clone();
/// drop(rope);
/// assert_eq!(pool.retained_bytes(), 0); // `kept` is in the only buffer
/// drop(kept);
/// assert_eq!(pool.retained_bytes(), 64 * 1024);
/// # Ok::<(), json_rope::Error>(())
/// ```
#[derive(Clone)]
pub struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    lists: [List; LISTS],
    options: PoolOptions,
    /// Buffers that have a place in the pool: those in the lists, and those that were taken from one and are being
    /// written. At most `max_buffers`.
    places: AtomicUsize,
    misses: AtomicU64,
    discarded: AtomicU64,
}

/// Two cache lines, because processors fetch them in pairs.
#[derive(Default)]
#[repr(align(128))]
struct List {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    /// Handles on buffers, the one that came back last at the end. Chunks of them may still be in use.
    buffers: VecDeque<BytesMut>,
    /// Buffers that were taken from this list.
    hits: u64,
}

impl Default for Pool {
    /// At most 64 buffers of 64 KiB.
    fn default() -> Pool {
        Pool::new(PoolOptions::default())
    }
}

impl Pool {
    /// A pool without buffers. One allocation.
    ///
    /// ```
    /// let pool = json_rope::Pool::new(json_rope::PoolOptions::default());
    /// assert_eq!(pool.stats(), json_rope::PoolStats::default());
    /// ```
    pub fn new(options: PoolOptions) -> Pool {
        Pool {
            shared: Arc::new(Shared {
                lists: Default::default(),
                options,
                places: AtomicUsize::new(0),
                misses: AtomicU64::new(0),
                discarded: AtomicU64::new(0),
            }),
        }
    }

    /// Bounds for a pool, which start at the defaults.
    ///
    /// ```
    /// let pool = json_rope::Pool::builder().max_buffers(16).build(); // at most 1 MiB
    /// assert_eq!(pool.retained_bytes(), 0);
    /// ```
    pub fn builder() -> PoolBuilder {
        PoolBuilder { options: PoolOptions::default() }
    }

    /// Bytes of heap that only the pool keeps alive: those of its buffers that nobody uses. Probes each of them.
    ///
    /// ```
    /// assert_eq!(json_rope::Pool::default().retained_bytes(), 0);
    /// ```
    pub fn retained_bytes(&self) -> usize {
        let size = self.buffer_size();
        let retained = |list: &List| -> usize {
            let mut kept = list.lock();
            kept.buffers.iter_mut().filter_map(|buffer| reclaim(buffer, size).then(|| buffer.capacity())).sum()
        };
        self.shared.lists.iter().map(retained).sum()
    }

    /// Forgets all buffers: the free ones are freed now, those in use with their last chunk. A buffer that is being
    /// written at the moment still returns to the pool.
    ///
    /// ```
    /// let pool = json_rope::Pool::default();
    /// pool.clear();
    /// assert_eq!(pool.retained_bytes(), 0);
    /// ```
    pub fn clear(&self) {
        for list in &self.shared.lists {
            let buffers = mem::take(&mut list.lock().buffers);
            // The lock is held for the statement above only, because freeing buffers takes long.
            self.shared.places.fetch_sub(buffers.len(), Relaxed);
            drop(buffers);
        }
    }

    /// The counts so far. They are read one after another, not at one moment.
    ///
    /// ```
    /// assert_eq!(json_rope::Pool::default().stats().misses, 0);
    /// ```
    pub fn stats(&self) -> PoolStats {
        let Shared { lists, misses, discarded, .. } = &*self.shared;
        let hits = lists.iter().map(|list| list.lock().hits).sum();
        PoolStats { hits, misses: misses.load(Relaxed), discarded: discarded.load(Relaxed) }
    }

    /// Bytes of each buffer.
    pub(crate) fn buffer_size(&self) -> usize {
        self.shared.options.buffer_size.min(MAX_BUFFER)
    }

    /// Whether the buffers are large enough to be used.
    pub(crate) fn is_usable(&self) -> bool {
        self.buffer_size() >= MIN_BUFFER
    }

    /// A buffer of [`buffer_size`](Self::buffer_size) bytes that came back and that nobody else refers to, if there is one.
    pub(crate) fn take_free(&self) -> Option<Buffer> {
        let size = self.buffer_size();
        let bytes = self.shared.lists_from_own().find_map(|list| list.try_lock()?.take_free(size))?;
        Some(Buffer { bytes, home: Some(self.clone()), has_place: true })
    }

    /// A new buffer of [`buffer_size`](Self::buffer_size) bytes, which comes back to the pool.
    pub(crate) fn take_new(&self) -> Buffer {
        self.shared.misses.fetch_add(1, Relaxed);
        let bytes = BytesMut::with_capacity(self.buffer_size());
        Buffer { bytes, home: Some(self.clone()), has_place: false }
    }

    /// Whether there is no place for another buffer, unless an older one is given up.
    pub(crate) fn is_full(&self) -> bool {
        self.shared.places.load(Relaxed) >= self.shared.options.max_buffers
    }

    fn put_back(&self, buffer: BytesMut, has_place: bool) {
        let shared = &*self.shared;
        // A buffer that does not stay is dropped, and perhaps freed, while no lock is held.
        let mut oldest = None;
        if !has_place && !shared.add_place() {
            oldest = shared.take_oldest();
            shared.discarded.fetch_add(1, Relaxed);
            if oldest.is_none() {
                return;
            }
        }
        match shared.lists_from_own().find_map(List::try_lock) {
            Some(mut kept) => kept.buffers.push_back(buffer),
            None => {
                shared.places.fetch_sub(1, Relaxed);
                shared.discarded.fetch_add(1, Relaxed);
            }
        }
        drop(oldest);
    }
}

impl Shared {
    /// All lists, beginning with the one that this thread prefers.
    fn lists_from_own(&self) -> impl Iterator<Item = &List> {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static THREAD: usize = THREADS.fetch_add(1, Relaxed);
        }
        let own = THREAD.with(|thread| thread % LISTS);
        let (others, from_own) = self.lists.split_at(own);
        from_own.iter().chain(others)
    }

    /// Reserves a place for one more buffer, unless all are taken.
    fn add_place(&self) -> bool {
        let max = self.options.max_buffers;
        self.places.fetch_update(Relaxed, Relaxed, |places| (places < max).then_some(places + 1)).is_ok()
    }

    /// Removes the oldest buffer of the longest list, in use or not, which gives its place to another.
    fn take_oldest(&self) -> Option<BytesMut> {
        let len = |list: &&List| list.try_lock().map_or(0, |kept| kept.buffers.len());
        self.lists_from_own().max_by_key(len)?.try_lock()?.buffers.pop_front()
    }
}

impl List {
    /// Nothing can panic while the lock is held, and a list is never half changed.
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_lock(&self) -> Option<MutexGuard<'_, Kept>> {
        match self.kept.try_lock() {
            Ok(kept) => Some(kept),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

impl Kept {
    /// Removes a buffer that nobody uses, if one is found soon.
    fn take_free(&mut self, size: usize) -> Option<BytesMut> {
        // The newest is the most likely to be in the processor's cache. If it is in use, documents are on their way
        // somewhere, and the oldest is the most likely to be free.
        let newest = self.buffers.len().checked_sub(1)?;
        let free = iter::once(newest).chain(0..MAX_PROBES.min(newest)).find(|&i| reclaim(&mut self.buffers[i], size));
        match free {
            Some(index) => {
                self.hits += 1;
                self.buffers.remove(index)
            }
            None => {
                // Chunks of these seem to be kept for long, so others are probed next time.
                let probed = MAX_PROBES.min(newest);
                self.buffers.rotate_left(probed);
                None
            }
        }
    }
}

/// Makes the whole buffer writable again if only this handle refers to it. Returns whether it did.
fn reclaim(buffer: &mut BytesMut, size: usize) -> bool {
    buffer.clear();
    buffer.try_reclaim(size)
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("options", &self.shared.options)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

/// Memory to write into. A buffer of a pool goes back to it when dropped, also while a panic unwinds.
#[derive(Default)]
pub(crate) struct Buffer {
    bytes: BytesMut,
    home: Option<Pool>,
    /// Whether it was taken from a list of its pool, which has a place for it.
    has_place: bool,
}

impl Buffer {
    /// Memory that belongs to no pool.
    pub(crate) fn with_capacity(capacity: usize) -> Buffer {
        Buffer { bytes: BytesMut::with_capacity(capacity), home: None, has_place: false }
    }

    pub(crate) fn is_pooled(&self) -> bool {
        self.home.is_some()
    }
}

impl Deref for Buffer {
    type Target = BytesMut;

    #[inline]
    fn deref(&self) -> &BytesMut {
        &self.bytes
    }
}

impl DerefMut for Buffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut BytesMut {
        &mut self.bytes
    }
}

impl Drop for Buffer {
    #[inline]
    fn drop(&mut self) {
        if let Some(home) = self.home.take() {
            home.put_back(mem::take(&mut self.bytes), self.has_place);
        }
    }
}
