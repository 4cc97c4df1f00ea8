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
pub struct Medians {
    /// The median time of each candidate, in seconds.
    pub times: Vec<f64>,
    /// [`ratio`](Self::ratio) of each candidate to the first.
    pub ratios: Vec<f64>,
    rounds: Vec<Vec<f64>>,
}

impl Medians {
    /// The median, over the rounds, of one candidate's time divided by another's in the same round. Where the machine
    /// slows down for a while, both are slow, so it moves less than the quotient of two medians.
    pub fn ratio(&self, candidate: usize, by: usize) -> f64 {
        median(self.rounds.iter().map(|round| round[candidate] / round[by]).collect())
    }
}

/// Times the candidates.
///
/// In every round each candidate runs once for at least [`LEAST`]. Rounds begin with another candidate each, and every
/// second goes backwards, so that nobody always runs first or behind the same neighbour. With one round, nothing is
/// repeated either: that is a test.
pub fn medians<'a>(candidates: impl IntoIterator<Item = Candidate<'a>>, rounds: usize) -> Medians {
    let candidates: Vec<Candidate> = candidates.into_iter().collect();
    let count = candidates.len();
    let repeats: Vec<u32> =
        candidates.iter().map(|candidate| if rounds > 1 { candidate.calibrate() } else { 1 }).collect();
    let rounds = (0..rounds).map(|round| {
        let mut of_round = vec![0.0; count];
        for step in 0..count {
            let step = if round % 2 == 0 { step } else { count - 1 - step };
            let i = (step + round / 2) % count;
            // Not zero even on a coarse clock: it is divided by.
            of_round[i] = (candidates[i].run)(repeats[i]).as_secs_f64().max(1e-9) / f64::from(repeats[i]);
        }
        of_round
    });
    let rounds: Vec<Vec<f64>> = rounds.collect();
    let times = (0..count).map(|i| median(rounds.iter().map(|round| round[i]).collect())).collect();
    let mut medians = Medians { times, ratios: Vec::new(), rounds };
    medians.ratios = (0..count).map(|i| medians.ratio(i, 0)).collect();
    medians
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
