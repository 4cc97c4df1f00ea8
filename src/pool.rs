//! Buffers that come back: a bounded list of them, shared by encoders and threads. `slab` writes into them, `out` asks
//! for them.
//!
//! A buffer is never waited for and never taken from anybody. While chunks of it exist, the pool's handle on it is of
//! no use; once the last of them is dropped, the handle is the only one, and `BytesMut::try_reclaim` gives the whole
//! buffer back. So there is no hook that runs when a chunk is dropped, and no reference count of our own: whether
//! somebody can still read a buffer is decided by `bytes` alone.

use std::collections::VecDeque;
use std::fmt;
use std::mem;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use bytes::BytesMut;

/// Smaller buffers than this would hold little beside the front of a frame and what has to move there from the scratch.
const MIN_BUFFER: usize = 256;

/// Larger buffers than this are not made, whatever the options say.
const MAX_BUFFER: usize = 16 << 20;

/// How many of the longest kept buffers are looked at, if the latest one is still in use. A look is one atomic load.
const LOOKS: usize = 8;

/// Bounds of a [`Pool`].
///
/// ```
/// use json_rope::{Pool, PoolOptions};
///
/// // At most 1 MiB.
/// let pool = Pool::new(PoolOptions { max_buffers: 16, ..PoolOptions::default() });
/// assert_eq!(pool.retained_bytes(), 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolOptions {
    /// How many buffers the pool knows at most, those in use included, but not those that are being written. Default:
    /// 64. With 0 it keeps none.
    pub max_buffers: usize,
    /// Bytes of each buffer, which bounds the length of a chunk. Default: 64 KiB. Fewer than 256 are of no use:
    /// nothing is taken from such a pool. More than 16 MiB count as 16 MiB.
    pub buffer_size: usize,
}

impl Default for PoolOptions {
    fn default() -> PoolOptions {
        PoolOptions { max_buffers: 64, buffer_size: 64 * 1024 }
    }
}

/// What has happened in a [`Pool`] since it was made. `hits + misses` is how many buffers encoders have asked for.
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
pub struct PoolStats {
    /// Buffers that were used again.
    pub hits: u64,
    /// Buffers that had to be allocated, because none was free, or because another thread was using the pool just
    /// then.
    pub misses: u64,
    /// Buffers that came back and were not kept, or had to make place: the pool was full, or another thread was using
    /// it just then.
    pub discarded: u64,
}

/// Buffers that [`Encoder`](crate::Encoder)s use again and again, shared by clones of the pool and between threads.
///
/// Given to an encoder with [`EncoderBuilder::pool`](crate::EncoderBuilder::pool). A document that does not fit 14 KiB
/// is then written into buffers of the pool, and costs about one heap allocation, for its list of chunks; streaming, it
/// costs none. A shorter one is copied out to its exact size, as without a pool, and takes no buffer away from others
/// (with buffers of less than 28 KiB: one that is shorter than half of a buffer).
///
/// * **Safe**: a buffer is used again only when every [`Bytes`](bytes::Bytes) cut from it is gone. A chunk may be kept
///   for a log, a retry or a statistics hook for as long as one likes. It keeps its buffer alive, and out of the pool;
///   [`Rope::compact`](crate::Rope::compact) frees it.
/// * **Bounded** in count and bytes, see [`PoolOptions`]. Buffers in use count; an old one makes place for another.
///   What has to be in one piece and does not fit a buffer, as [`sort_keys`](crate::EncoderBuilder::sort_keys) may ask
///   for, is allocated, and never kept.
/// * **Never waits**: if another thread uses the pool at the same moment, a buffer is allocated, or freed. (What is
///   only for people, as [`stats`](Pool::stats) and [`clear`](Pool::clear), does wait.)
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
    options: PoolOptions,
    /// Handles on buffers, the one that came back last at the end. Chunks may still be in use.
    kept: Mutex<VecDeque<BytesMut>>,
    hits: AtomicU64,
    misses: AtomicU64,
    discarded: AtomicU64,
}

impl Default for Pool {
    /// At most 64 buffers of 64 KiB.
    fn default() -> Pool {
        Pool::new(PoolOptions::default())
    }
}

impl Pool {
    /// A pool without buffers. Allocates only itself.
    ///
    /// ```
    /// let pool = json_rope::Pool::new(json_rope::PoolOptions::default());
    /// assert_eq!(pool.stats(), json_rope::PoolStats::default());
    /// ```
    pub fn new(options: PoolOptions) -> Pool {
        let (hits, misses, discarded) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        Pool { shared: Arc::new(Shared { options, kept: Mutex::default(), hits, misses, discarded }) }
    }

    /// Bytes of heap that only the pool keeps alive: those of its buffers that nobody uses. Looks at all of them.
    ///
    /// ```
    /// assert_eq!(json_rope::Pool::default().retained_bytes(), 0);
    /// ```
    pub fn retained_bytes(&self) -> usize {
        let size = self.buffer_size();
        self.lock().iter_mut().filter_map(|buffer| is_free(buffer, size).then(|| buffer.capacity())).sum()
    }

    /// Forgets all buffers: the free ones are freed now, those in use with their last chunk. A buffer that is being
    /// written at the moment comes back all the same.
    ///
    /// ```
    /// let pool = json_rope::Pool::default();
    /// pool.clear();
    /// assert_eq!(pool.retained_bytes(), 0);
    /// ```
    pub fn clear(&self) {
        // Freed after the lock.
        drop(mem::take(&mut *self.lock()));
    }

    /// Counts of what has happened so far. They are read one after another, not at one moment.
    ///
    /// ```
    /// assert_eq!(json_rope::Pool::default().stats().misses, 0);
    /// ```
    pub fn stats(&self) -> PoolStats {
        let Shared { hits, misses, discarded, .. } = &*self.shared;
        let [hits, misses, discarded] = [hits, misses, discarded].map(|count| count.load(Ordering::Relaxed));
        PoolStats { hits, misses, discarded }
    }

    /// Bytes of each buffer.
    pub(crate) fn buffer_size(&self) -> usize {
        self.shared.options.buffer_size.min(MAX_BUFFER)
    }

    /// Whether the buffers are large enough to be used.
    pub(crate) fn is_usable(&self) -> bool {
        self.buffer_size() >= MIN_BUFFER
    }

    /// A buffer of [`buffer_size`](Self::buffer_size) bytes that nobody else refers to.
    pub(crate) fn take(&self) -> Buffer {
        let size = self.buffer_size();
        let free = self.try_lock().and_then(|mut kept| {
            // The one that came back last is the most likely to be in the processor's cache. If it is in use, documents
            // are on their way somewhere, and the longest kept buffer is the most likely to be free.
            let last = kept.len().wrapping_sub(1);
            let index = [last].into_iter().chain(0..LOOKS).find(|&index| {
                let buffer = kept.get_mut(index);
                buffer.is_some_and(|buffer| is_free(buffer, size))
            });
            if index.is_none() {
                // They seem to be kept for long. The next time, others are looked at.
                let looks = LOOKS.min(kept.len());
                kept.rotate_left(looks);
            }
            kept.remove(index?)
        });
        let counter = if free.is_some() { &self.shared.hits } else { &self.shared.misses };
        counter.fetch_add(1, Ordering::Relaxed);
        let bytes = free.unwrap_or_else(|| BytesMut::with_capacity(size));
        Buffer { bytes, home: Some(self.clone()) }
    }

    fn put_back(&self, buffer: BytesMut) {
        // What does not stay is freed after the lock.
        let mut discarded = Some(buffer);
        if let Some(mut kept) = self.try_lock() {
            if kept.len() < self.shared.options.max_buffers {
                kept.extend(discarded.take());
            } else if let Some(oldest) = kept.pop_front() {
                kept.extend(discarded.replace(oldest));
            }
        }
        if discarded.is_some() {
            self.shared.discarded.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Nothing can panic while the lock is held, and a list of buffers is never half changed.
    fn lock(&self) -> MutexGuard<'_, VecDeque<BytesMut>> {
        self.shared.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_lock(&self) -> Option<MutexGuard<'_, VecDeque<BytesMut>>> {
        match self.shared.kept.try_lock() {
            Ok(kept) => Some(kept),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// Whether nobody but this handle refers to the buffer. It is then whole again.
fn is_free(buffer: &mut BytesMut, size: usize) -> bool {
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

/// Memory to write into. If it comes from a pool it goes back there when it is dropped, also while a panic unwinds.
#[derive(Default)]
pub(crate) struct Buffer {
    bytes: BytesMut,
    home: Option<Pool>,
}

impl Buffer {
    /// Memory that belongs to no pool.
    pub(crate) fn with_capacity(capacity: usize) -> Buffer {
        Buffer { bytes: BytesMut::with_capacity(capacity), home: None }
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
            home.put_back(mem::take(&mut self.bytes));
        }
    }
}
