//! Times candidates in alternating rounds, without the time in which other programs had the processor.

use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// A candidate repeats its work in a round until it has taken at least this long.
const LEAST: Duration = Duration::from_millis(2);

/// Something to be timed. All candidates of a comparison do the same work in different ways.
pub struct Candidate<'a> {
    run: Box<dyn Fn(u32) -> Duration + 'a>,
}

impl<'a> Candidate<'a> {
    /// A candidate that makes a result and drops it; both are timed. The loop is compiled into each candidate, so that
    /// calling through a pointer is not.
    pub fn new<R>(work: impl Fn() -> R + 'a) -> Candidate<'a> {
        let run = move |repeats| {
            let waited = waited();
            let started = Instant::now();
            for _ in 0..repeats {
                let result = work();
                // By reference: moving a large result out and back is no part of the work.
                black_box(&result);
            }
            let elapsed = started.elapsed();
            elapsed.saturating_sub(self::waited().saturating_sub(waited))
        };
        Candidate { run: Box::new(run) }
    }

    /// How often to repeat the work. Also warms up.
    fn calibrate(&self) -> u32 {
        let mut repeats = 1;
        loop {
            if (self.run)(repeats) >= LEAST {
                return repeats;
            }
            repeats *= 2;
        }
    }
}

/// How long this thread has waited for a processor that others had, since it began. On a busy machine that is most of
/// what disturbs a measurement. Only Linux tells; elsewhere it is nothing.
fn waited() -> Duration {
    let numbers = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let waited = numbers.split_whitespace().nth(1).and_then(|number| number.parse().ok());
    Duration::from_nanos(waited.unwrap_or(0))
}

/// What the rounds came to.
pub struct Medians<const N: usize> {
    /// The median time of each candidate, in seconds.
    pub times: [f64; N],
    /// The median, over the rounds, of each candidate's time divided by the first one's time in the same round. Where
    /// the machine slows down for a while, both are slow, so it moves less than the quotient of two medians.
    pub ratios: [f64; N],
}

/// Times the candidates.
///
/// In every round each candidate runs once for at least [`LEAST`]. Rounds begin with another candidate each, and every
/// second goes backwards, so that nobody always runs first or behind the same neighbour. With one round, nothing is
/// repeated either: that is a test.
pub fn medians<const N: usize>(candidates: [Candidate<'_>; N], rounds: usize) -> Medians<N> {
    let repeats = candidates.each_ref().map(|candidate| if rounds > 1 { candidate.calibrate() } else { 1 });
    let mut times = [const { Vec::new() }; N];
    let mut ratios = [const { Vec::new() }; N];
    for round in 0..rounds {
        let mut of_round = [0.0; N];
        for step in 0..N {
            let step = if round % 2 == 0 { step } else { N - 1 - step };
            let i = (step + round / 2) % N;
            // Not zero even on a coarse clock: it is divided by.
            of_round[i] = (candidates[i].run)(repeats[i]).as_secs_f64().max(1e-9) / f64::from(repeats[i]);
        }
        for i in 0..N {
            times[i].push(of_round[i]);
            ratios[i].push(of_round[i] / of_round[0]);
        }
    }
    Medians { times: times.map(median), ratios: ratios.map(median) }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
