//! An allocator that counts.

#![allow(unsafe_code, reason = "implements an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicU64, Ordering::Relaxed};

/// The system's allocator. While [`count`] runs it counts what all threads ask for; otherwise it costs one load.
pub struct Counting;

static IS_ON: AtomicBool = AtomicBool::new(false);
static OPERATIONS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

/// What was asked of the allocator.
#[derive(Clone, Copy, Default)]
pub struct Heap {
    /// Allocations and reallocations.
    pub operations: u64,
    /// The sizes asked for, added up. A reallocation counts with its new size.
    pub bytes: u64,
    /// The most bytes that were allocated at once, on top of what was there before.
    pub peak: usize,
}

/// Counts what `work` asks of the allocator, and gives back its result. Not for two threads at once.
pub fn count<R>(work: impl FnOnce() -> R) -> (R, Heap) {
    [&OPERATIONS, &BYTES].iter().for_each(|count| count.store(0, Relaxed));
    [&LIVE, &PEAK].iter().for_each(|count| count.store(0, Relaxed));
    IS_ON.store(true, Relaxed);
    let result = black_box(work());
    IS_ON.store(false, Relaxed);
    let peak = PEAK.load(Relaxed).max(0) as usize;
    (result, Heap { operations: OPERATIONS.load(Relaxed), bytes: BYTES.load(Relaxed), peak })
}

fn note(size: usize, freed: usize) {
    if IS_ON.load(Relaxed) {
        let change = size as isize - freed as isize;
        let live = LIVE.fetch_add(change, Relaxed) + change;
        PEAK.fetch_max(live, Relaxed);
        if size > 0 {
            OPERATIONS.fetch_add(1, Relaxed);
            BYTES.fetch_add(size as u64, Relaxed);
        }
    }
}

// SAFETY: everything is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 0);
        // SAFETY: the caller promises what the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 0);
        // SAFETY: the caller promises what the system's allocator asks for.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size, layout.size());
        // SAFETY: the caller promises what the system's allocator asks for.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        note(0, layout.size());
        // SAFETY: the caller promises what the system's allocator asks for.
        unsafe { System.dealloc(block, layout) }
    }
}
