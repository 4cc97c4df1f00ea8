//! What some work did with the heap, counted by dhat.
//!
//! The profiler sees the whole process, so nothing else may run beside it: tests that use this have no test harness,
//! whose own threads would be counted too, and are one function.

#![allow(dead_code, reason = "each test file uses its own part")]

/// What some work did with the heap. A reallocation counts as a block of the new size.
#[derive(Debug)]
pub struct Heap {
    pub blocks: u64,
    pub bytes: u64,
    /// Allocated by the work and not given back by it.
    pub live: usize,
    pub peak: usize,
}

/// Does the work and keeps its result alive until it was measured.
pub fn measured<T>(work: impl FnOnce() -> T) -> (T, Heap) {
    let profiler = dhat::Profiler::builder().testing().build();
    let result = work();
    let stats = dhat::HeapStats::get();
    drop(profiler);
    let heap =
        Heap { blocks: stats.total_blocks, bytes: stats.total_bytes, live: stats.curr_bytes, peak: stats.max_bytes };
    (result, heap)
}

/// The `main` of a test without the harness.
pub fn run(name: &str, test: fn()) {
    if std::env::args().any(|argument| argument == "--list") {
        println!("{name}: test");
        return;
    }
    test();
    println!("test result: ok. 1 passed; 0 failed");
}
