//! Times of alternating rounds.

use std::fs;
use std::time::{Duration, Instant};

/// In a round, a candidate runs for at least this long; it repeats short work.
const MIN_TIME: Duration = Duration::from_millis(2);
/// All rounds together take about this long, if [`MIN_ROUNDS`] allow it.
const BUDGET: Duration = Duration::from_millis(1_500);
const MIN_ROUNDS: usize = 3;
const MAX_ROUNDS: usize = 101;

/// The time that each candidate took in each round, in seconds.
pub struct Rounds<const N: usize> {
    rounds: Vec<[f64; N]>,
}

/// The middle of many numbers: half of them are between `low` and `high`.
#[derive(Clone, Copy)]
pub struct Spread {
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

impl Spread {
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Spread {
        let mut numbers: Vec<f64> = numbers.into_iter().collect();
        numbers.sort_unstable_by(f64::total_cmp);
        let at = |quarters: usize| numbers[(numbers.len() - 1) * quarters / 4];
        Spread { low: at(1), median: at(2), high: at(3) }
    }
}

impl<const N: usize> Rounds<N> {
    pub fn count(&self) -> usize {
        self.rounds.len()
    }

    pub fn time(&self, candidate: usize) -> Spread {
        Spread::of(self.rounds.iter().map(|round| round[candidate]))
    }

    /// How many times as fast as `other` a candidate is. Times of the same round are compared, so that a machine that
    /// is slow for a while is slow for both.
    pub fn speed_up(&self, candidate: usize, other: usize) -> Spread {
        Spread::of(self.rounds.iter().map(|round| round[other] / round[candidate]))
    }
}

/// Times the candidates. In each round every candidate runs for a while, and each round begins with another one.
/// `progress` is told the number of every round.
pub fn rounds<const N: usize>(candidates: [&dyn Fn(); N], mut progress: impl FnMut(usize)) -> Rounds<N> {
    // The first run warms up; the second tells how often to repeat.
    let repeats = candidates.map(|candidate| {
        candidate();
        let started = Instant::now();
        candidate();
        (MIN_TIME.as_nanos() / started.elapsed().as_nanos().max(1)) as u32 + 1
    });
    let mut rounds = Vec::new();
    let started = Instant::now();
    while rounds.len() < MIN_ROUNDS || (rounds.len() < MAX_ROUNDS && started.elapsed() < BUDGET) {
        progress(rounds.len() + 1);
        let mut round = [0.0; N];
        for i in 0..N {
            let i = (i + rounds.len()) % N;
            round[i] = time(candidates[i], repeats[i]) / f64::from(repeats[i]);
        }
        rounds.push(round);
    }
    Rounds { rounds }
}

/// Seconds, without those in which other programs had the processor; never zero.
fn time(candidate: &dyn Fn(), repeats: u32) -> f64 {
    let waited_before = waited();
    let started = Instant::now();
    for _ in 0..repeats {
        candidate();
    }
    let elapsed = started.elapsed();
    elapsed.saturating_sub(waited().saturating_sub(waited_before)).as_secs_f64().max(1e-9)
}

/// How long this thread has waited for a processor since it began. Only Linux tells.
fn waited() -> Duration {
    let numbers = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(numbers.split(' ').nth(1).and_then(|number| number.parse().ok()).unwrap_or(0))
}
