//! An allocator that counts: what is live, and what one piece of work did. A hundred times as fast as a heap profiler.
//!
//! The counts are those of the whole process, so nothing else may run beside the work that is measured.

#![allow(unsafe_code, reason = "implements an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// The system's allocator with a header before each block, which says during which measurement it was allocated.
pub struct Counting;

static LIVE_BLOCKS: AtomicUsize = AtomicUsize::new(0);
static LIVE_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Number of the current measurement. Blocks of earlier ones are not its own, even if it frees them.
static MEASUREMENT: AtomicU64 = AtomicU64::new(0);
static BLOCKS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// Blocks and bytes that are allocated now.
pub fn live() -> (usize, usize) {
    (LIVE_BLOCKS.load(Relaxed), LIVE_BYTES.load(Relaxed))
}

/// What some work did with the heap. A reallocation counts as a block of the new size.
#[derive(Debug, PartialEq, Eq)]
pub struct Heap {
    pub blocks: u64,
    pub bytes: u64,
    /// Bytes that the work allocated and did not give back.
    pub live: usize,
    /// The most bytes at one time.
    pub peak: usize,
}

/// Does the work, and keeps its result alive until it was measured.
pub fn measured<T>(work: impl FnOnce() -> T) -> (T, Heap) {
    MEASUREMENT.fetch_add(1, Relaxed);
    BLOCKS.store(0, Relaxed);
    BYTES.store(0, Relaxed);
    LIVE.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    let result = work();
    let heap = Heap {
        blocks: BLOCKS.load(Relaxed),
        bytes: BYTES.load(Relaxed),
        live: LIVE.load(Relaxed),
        peak: PEAK.load(Relaxed),
    };
    (result, heap)
}

/// Size of the header: the number of the measurement, and padding up to the alignment of the block.
fn header(layout: Layout) -> usize {
    layout.align().max(size_of::<u64>())
}

/// The block with its header.
fn whole(layout: Layout) -> Option<Layout> {
    let size = layout.size().checked_add(header(layout))?;
    Layout::from_size_align(size, header(layout)).ok()
}

fn grow(bytes: usize) {
    PEAK.fetch_max(LIVE.fetch_add(bytes, Relaxed) + bytes, Relaxed);
}

// SAFETY: a block is the part after the header of a block of the system's allocator. `whole` gives both the same layout
// when a block is allocated, reallocated and freed, and the header is a multiple of the alignment.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(whole) = whole(layout) else { return std::ptr::null_mut() };
        // SAFETY: the layout is not of size zero, because of the header.
        let block = unsafe { System.alloc(whole) };
        if block.is_null() {
            return block;
        }
        LIVE_BLOCKS.fetch_add(1, Relaxed);
        LIVE_BYTES.fetch_add(layout.size(), Relaxed);
        BLOCKS.fetch_add(1, Relaxed);
        BYTES.fetch_add(layout.size() as u64, Relaxed);
        grow(layout.size());
        // SAFETY: the header is inside of the block and aligned for a `u64`.
        unsafe {
            block.cast::<u64>().write(MEASUREMENT.load(Relaxed));
            block.add(header(layout))
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE_BLOCKS.fetch_sub(1, Relaxed);
        LIVE_BYTES.fetch_sub(layout.size(), Relaxed);
        // SAFETY: `alloc` returned the address after the header.
        let start = unsafe { block.sub(header(layout)) };
        // SAFETY: `alloc` wrote the header.
        if unsafe { start.cast::<u64>().read() } == MEASUREMENT.load(Relaxed) {
            LIVE.fetch_sub(layout.size(), Relaxed);
        }
        let whole = whole(layout).expect("a layout that was allocated");
        // SAFETY: `alloc` got this block from the system, with this layout.
        unsafe { System.dealloc(start, whole) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let Some(new) = new_size.checked_add(header(layout)) else { return std::ptr::null_mut() };
        let old = whole(layout).expect("a layout that was allocated");
        // SAFETY: `alloc` returned the address after the header.
        let start = unsafe { block.sub(header(layout)) };
        // SAFETY: `alloc` wrote the header.
        let is_own = unsafe { start.cast::<u64>().read() } == MEASUREMENT.load(Relaxed);
        // SAFETY: `alloc` got this block from the system, with this layout; the caller promises that the new size does
        // not overflow when it is rounded up to the alignment, to which the header adds a multiple of it.
        let start = unsafe { System.realloc(start, old, new) };
        if start.is_null() {
            return start;
        }
        LIVE_BYTES.fetch_add(new_size, Relaxed);
        LIVE_BYTES.fetch_sub(layout.size(), Relaxed);
        BLOCKS.fetch_add(1, Relaxed);
        BYTES.fetch_add(new_size as u64, Relaxed);
        if is_own {
            LIVE.fetch_sub(layout.size(), Relaxed);
        }
        grow(new_size);
        // SAFETY: as in `alloc`.
        unsafe {
            start.cast::<u64>().write(MEASUREMENT.load(Relaxed));
            start.add(header(layout))
        }
    }
}
