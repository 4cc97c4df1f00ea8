//! Heap operations and time.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::progress::Progress;

/// One measurement of a candidate lasts at least this long; it repeats short work.
const LEAST: Duration = Duration::from_millis(2);
/// All measurements together last about this long, if [`MIN_ROUNDS`] permit.
const BUDGET: Duration = Duration::from_millis(1_500);
const MIN_ROUNDS: u32 = 3;
const MAX_ROUNDS: u32 = 101;

/// What was asked of the allocator.
pub struct Heap {
    /// Allocations and reallocations.
    pub operations: u64,
    /// The sizes asked for, added up; a reallocation counts with its new size.
    pub bytes: u64,
}

/// Counts what `encode` asks of the allocator. The result lives until the count is done.
pub fn heap<R>(encode: impl FnOnce() -> R) -> Heap {
    let profiler = dhat::Profiler::builder().testing().build();
    let before = dhat::HeapStats::get();
    let result = black_box(encode());
    let after = dhat::HeapStats::get();
    drop(profiler);
    drop(result);
    Heap { operations: after.total_blocks - before.total_blocks, bytes: after.total_bytes - before.total_bytes }
}

/// The median times of the candidates, and the number of rounds. In each round every candidate runs for a while, and
/// each round begins with another one, so that what disturbs the machine disturbs all of them alike.
pub fn medians<const N: usize>(candidates: [&dyn Fn(); N], progress: &mut Progress) -> ([Duration; N], u32) {
    // The first run warms up; the second tells how often to repeat.
    let repeats = candidates.map(|candidate| {
        time(candidate, 1);
        (LEAST.as_nanos() / time(candidate, 1).as_nanos().max(1)) as u32 + 1
    });
    let mut times = [const { Vec::new() }; N];
    let started = Instant::now();
    let mut rounds = 0;
    while rounds < MIN_ROUNDS || (rounds < MAX_ROUNDS && started.elapsed() < BUDGET) {
        progress.show(&format!("timing, round {}", rounds + 1));
        for i in 0..N {
            let i = (i + rounds as usize) % N;
            times[i].push(time(candidates[i], repeats[i]) / repeats[i]);
        }
        rounds += 1;
    }
    let medians = times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    });
    (medians, rounds)
}

fn time(candidate: &dyn Fn(), repeats: u32) -> Duration {
    let started = Instant::now();
    for _ in 0..repeats {
        candidate();
    }
    started.elapsed()
}
