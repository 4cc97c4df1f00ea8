//! A pool frees memory only while it holds no lock: with an allocator that says when a buffer is being freed, and waits
//! there until another thread has asked the pool for something. A program of its own for the sake of that allocator.

#![allow(unsafe_code, reason = "an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use json_rope::{Encoder, Pool};

const BUFFER: usize = 64 * 1024;

/// The next buffer that is freed is to wait.
static ARMED: AtomicBool = AtomicBool::new(false);
static FREEING: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);

struct Waiting;

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Waiting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the system asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if layout.size() == BUFFER && ARMED.swap(false, SeqCst) {
            FREEING.store(true, SeqCst);
            wait_for(&ASKED);
        }
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Waiting = Waiting;

/// Whether the flag was set within some seconds.
fn wait_for(flag: &AtomicBool) -> bool {
    let started = Instant::now();
    while !flag.load(SeqCst) && started.elapsed() < Duration::from_secs(5) {
        thread::sleep(Duration::from_millis(1));
    }
    flag.load(SeqCst)
}

/// Runs something that frees a buffer of the pool, and asks the pool from another thread in the middle of that.
fn is_free_of_locks(pool: &Pool, frees: impl FnOnce()) {
    for flag in [&FREEING, &ASKED] {
        flag.store(false, SeqCst);
    }
    ARMED.store(true, SeqCst);
    thread::scope(|scope| {
        let other = scope.spawn(|| {
            assert!(wait_for(&FREEING), "nothing was freed");
            let started = Instant::now();
            pool.retained_bytes(); // waits for the locks
            ASKED.store(true, SeqCst);
            started.elapsed()
        });
        frees();
        let waited = other.join().expect("no panic");
        assert!(waited < Duration::from_secs(4), "the pool was locked");
    });
}

#[test]
fn no_lock_is_held_while_memory_is_freed() {
    let pool = Pool::builder().max_buffers(1).build();
    let encoder = Encoder::builder().pool(pool.clone()).build().unwrap();
    drop(encoder.encode(&vec![1; 10_000]).unwrap());
    assert_eq!(pool.retained_bytes(), BUFFER);
    is_free_of_locks(&pool, || pool.clear());

    // More buffers come back than the pool keeps.
    let mut both = [encoder.array(0..100_000), encoder.array(0..100_000)];
    for chunks in &mut both {
        chunks.by_ref().take(5).for_each(drop);
    }
    is_free_of_locks(&pool, || drop(both));
    assert_eq!(pool.retained_bytes(), BUFFER);
}
