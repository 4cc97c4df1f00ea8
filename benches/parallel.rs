//! What several threads gain, beside what two independent jobs gain in the same minute, which is as much as could be.
//!
//! ```sh
//! cargo bench -p json-rope-benches --features rayon --bench parallel                   # a minute
//! cargo bench -p json-rope-benches --features rayon --bench parallel -- --chart        # also draws docs/cores.svg
//! cargo bench -p json-rope-benches --features rayon --bench parallel -- --test         # one quick round, to see that it works
//! ```
//!
//! "Gain" is the time of one thread divided by that of two, the median of alternating rounds. In every round two jobs run
//! too, each on a thread of its own and each encoding the whole document on one thread: their gain is the ceiling of this
//! machine at that moment. On a machine that others use, most rounds say little; the columns after "quiet rounds" are of
//! those in which two jobs gained at least 1.6 over the best time of one. "CPU" is the processor time of all threads divided by that of one thread. The last table is
//! computed: what the measured times of the parts come to when a list of workers takes them in order. It ignores the
//! bandwidth of memory and the time to wake threads.

#[path = "support/cores.rs"]
mod cores;
#[path = "support/table.rs"]
mod table;

use std::fs;
use std::hint::black_box;
use std::io;
use std::ops::Range;
use std::time::Instant;

use json_rope::{Encoder, Frame, Pool};
use json_rope_bench_data::{Canada, documents, generate};
use rayon_core::ThreadPoolBuilder;
use serde::Serialize;
use serde_json::{Value, json};

use cores::Series;
use table::{Table, grouped, micros};

/// Rounds for each document, if they do not take too long.
const ROUNDS: usize = 301;

/// Seconds after which no round of a document begins, if there were a few.
const SECONDS: f64 = 4.0;
const FEW_ROUNDS: usize = 15;

/// What two jobs gain in a round in which nobody else wanted the machine.
const QUIET: f64 = 1.6;

/// The lengths of parts, in bytes, as the crate chooses them.
const SAMPLE: usize = 64 << 10;
const PART: usize = 256 << 10;
const MIN_PART: usize = 32 << 10;

#[derive(Serialize)]
struct Row {
    id: u64,
    name: &'static str,
    price: f64,
    tags: [u16; 3],
}

fn main() {
    let test = std::env::args().any(|argument| argument == "--test") || !std::env::args().any(|a| a == "--bench");
    let rounds = if test { 1 } else { ROUNDS };
    let scale = if test { 50 } else { 1 };
    ThreadPoolBuilder::new().num_threads(2).build_global().expect("the first pool");
    let bench = Bench { rounds, encoder: Encoder::new() };
    let logs = generate::log_records(1, 20_000 / scale);
    let rows: Vec<Row> = (0..1_000_000 / scale as u64)
        .map(|id| Row { id, name: "some name", price: id as f64 / 8.0, tags: [1, 22, 333] })
        .collect();
    let canada: Canada = serde_json::from_str(documents::canada()).expect("canada.json");
    let rings = &canada.features[0].geometry.coordinates;
    let many_rings: Vec<_> = rings.iter().cycle().take(rings.len() * 4).collect();

    let head = [
        "document",
        "bytes",
        "one thread µs",
        "two threads µs",
        "gain",
        "two jobs",
        "of the ceiling",
        "quiet rounds",
        "gain",
        "two jobs",
        "CPU",
        "CPU of two jobs",
    ];
    let mut table = Table::new(&head, &[0]);
    let logs_gain = bench.slice(&mut table, "20,000 log records", &logs);
    let rows_gain = bench.slice(&mut table, "1,000,000 rows", &rows);
    bench.slice(&mut table, "canada's rings", rings);
    let rings_gain = bench.slice(&mut table, "canada's rings, four times", &many_rings);
    let tree = serde_json::to_value(&logs).expect("a tree");
    bench.tree(&mut table, "20,000 log records, a tree", &tree);
    let small: Vec<Value> = (0..10_000 / scale).map(|number| json!({ "number": number })).collect();
    let mut skewed = json!({ "small": small });
    skewed["small"][5000 / scale] = json!({ "heavy": [[tree]] });
    bench.tree(&mut table, "a skewed tree", &skewed);
    let canada = serde_json::from_str(documents::canada()).expect("canada.json");
    bench.tree(&mut table, "canada, a tree", &canada);
    bench.records(&mut table, "log records, NDJSON", &Encoder::new(), &logs);
    let pooled = Encoder::builder().pool(Pool::default()).build().expect("no bad setting");
    bench.records(&mut table, "log records, NDJSON, pool", &pooled, &logs);
    println!("Two threads:\n\n{}", table.render());

    let mut table = Table::new(&head, &[0]);
    for count in [500, 1000, 2000, 4000, 8000, 16_000] {
        bench.slice(&mut table, &format!("{count} log records"), &logs[..count.min(logs.len())]);
    }
    println!("Where it begins to pay:\n\n{}", table.render());

    let mut table = Table::new(&["document", "2 workers", "4", "8", "16", "64"], &[0]);
    let series = [
        bench.schedule(&mut table, "1,000,000 rows", &rows, rows_gain),
        bench.schedule(&mut table, "20,000 log records", &logs, logs_gain),
        bench.schedule(&mut table, "canada's rings, four times", &many_rings, rings_gain),
    ];
    println!("Computed from the times of parts:\n\n{}", table.render());
    if std::env::args().any(|argument| argument == "--chart") {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/cores.svg");
        fs::write(path, cores::chart(&series)).expect("docs/ can be written");
    }
}

struct Bench {
    rounds: usize,
    encoder: Encoder,
}

/// Wall time and processor time of one run.
#[derive(Clone, Copy)]
struct Times {
    wall: f64,
    cpu: f64,
}

impl Bench {
    fn slice<T: Serialize + Sync>(&self, table: &mut Table, name: &str, items: &[T]) -> f64 {
        let serial = || self.encoder.encode(items).expect("encodes").len();
        let parallel = || self.encoder.par_encode_slice(items).expect("encodes").len();
        self.compare(table, name, &serial, &parallel)
    }

    fn tree(&self, table: &mut Table, name: &str, tree: &Value) {
        let serial = || self.encoder.encode_tree(tree).expect("encodes").len();
        let parallel = || self.encoder.par_encode_tree(tree).expect("encodes").len();
        self.compare(table, name, &serial, &parallel);
    }

    fn records<T: Serialize + Sync>(&self, table: &mut Table, name: &str, encoder: &Encoder, items: &[T]) {
        let serial = || encoder.records(Frame::NdJson, items).write_to(io::sink()).expect("writes") as usize;
        let parallel = || encoder.par_write_records(Frame::NdJson, items, io::sink()).expect("writes") as usize;
        self.compare(table, name, &serial, &parallel);
    }

    /// Returns the median of what two threads gain.
    fn compare(
        &self,
        table: &mut Table,
        name: &str,
        serial: &(dyn Fn() -> usize + Sync),
        parallel: &(dyn Fn() -> usize + Sync),
    ) -> f64 {
        let len = serial();
        assert_eq!(parallel(), len);
        let repeats = if self.rounds == 1 { 1 } else { (4_000_000 / len.max(1)).clamp(1, 200) as u32 };
        let mut all: [Vec<Times>; 3] = Default::default();
        let started = Instant::now();
        for round in 0..self.rounds {
            if round >= FEW_ROUNDS && started.elapsed().as_secs_f64() > SECONDS {
                break;
            }
            for step in 0..3 {
                let which = (step + round) % 3;
                all[which].push(timed(|| match which {
                    0 => (0..repeats).for_each(|_| _ = black_box(serial())),
                    1 => (0..repeats).for_each(|_| _ = black_box(parallel())),
                    _ => std::thread::scope(|scope| {
                        for _ in 0..2 {
                            scope.spawn(|| (0..repeats).for_each(|_| _ = black_box(serial())));
                        }
                    }),
                }));
            }
        }
        let [one, two, jobs] = all;
        let gains: Vec<f64> = one.iter().zip(&two).map(|(one, two)| one.wall / two.wall).collect();
        let ceilings: Vec<f64> = one.iter().zip(&jobs).map(|(one, jobs)| 2.0 * one.wall / jobs.wall).collect();
        // Of all rounds together: the clock of processor time is coarse.
        let cpu = |times: &[Times]| times.iter().map(|times| times.cpu).sum::<f64>();
        let wall = |times: &[Times]| median(times.iter().map(|times| times.wall).collect()) / f64::from(repeats);
        let best = one.iter().map(|times| times.wall).fold(f64::MAX, f64::min);
        let to_best = |jobs: f64, times: &[Times]| times.iter().map(|times| jobs * best / times.wall).collect();
        let (best_gains, best_ceilings): (Vec<f64>, Vec<f64>) = (to_best(1.0, &two), to_best(2.0, &jobs));
        let quiet: Vec<usize> = (0..best_ceilings.len()).filter(|round| best_ceilings[*round] >= QUIET).collect();
        let in_quiet = |numbers: &[f64]| match quiet.len() {
            0 => "-".to_owned(),
            _ => format!("{:.2}", median(quiet.iter().map(|round| numbers[*round]).collect())),
        };
        table.row(vec![
            name.to_owned(),
            grouped(len),
            micros(wall(&one)),
            micros(wall(&two)),
            format!("{:.2}", median(gains.clone())),
            format!("{:.2}", median(ceilings.clone())),
            format!("{:.2}", median(gains.iter().zip(&ceilings).map(|(gain, ceiling)| gain / ceiling).collect())),
            format!("{} of {}", quiet.len(), ceilings.len()),
            in_quiet(&best_gains),
            in_quiet(&best_ceilings),
            format!("{:.2}", cpu(&two) / cpu(&one)),
            format!("{:.2}", cpu(&jobs) / 2.0 / cpu(&one)),
        ]);
        median(gains)
    }

    /// Times the parts one after the other, and gives them to the worker that is free first.
    fn schedule<T: Serialize + Sync>(&self, table: &mut Table, name: &str, items: &[T], measured: f64) -> Series {
        let total = self.encoder.encode(items).expect("encodes").len();
        let item = (total / items.len().max(1)).max(1);
        let time = |range: Range<usize>| {
            let encoder = Encoder::builder().first_chunk(64 << 10).build().expect("no bad setting");
            median((0..9).map(|_| timed(|| _ = black_box(encoder.encode(&items[range.clone()]))).wall).collect())
        };
        let mut cells = vec![name.to_owned()];
        let mut series = Series { name: name.to_owned(), measured, computed: Vec::new() };
        for workers in [2, 4, 8, 16, 64] {
            let mut next = (SAMPLE / item).clamp(1, items.len());
            let alone = time(0..next);
            let (mut free, mut work) = (vec![alone; workers], alone);
            while next < items.len() {
                let left = items.len() - next;
                let share = (left / (2 * workers)).max(MIN_PART / item);
                let count = (PART / item).min(share).clamp(1, left);
                let part = time(next..next + count);
                next += count;
                work += part;
                let first = free.iter_mut().min_by(|a, b| a.total_cmp(b)).expect("workers");
                *first += part;
            }
            let end = free.iter().copied().fold(0.0, f64::max);
            let gain = work / end.max(1e-9);
            cells.push(format!("{gain:.1}"));
            series.computed.push((workers, gain));
        }
        table.row(cells);
        series
    }
}

fn timed(work: impl FnOnce()) -> Times {
    let cpu = processor_time();
    let started = Instant::now();
    work();
    let wall = started.elapsed().as_secs_f64().max(1e-9);
    // Where the system does not tell, the wall has to do.
    let cpu = processor_time().zip(cpu).map_or(wall, |(after, before)| after - before);
    Times { wall, cpu }
}

/// Seconds that all threads of this process have had the processor, those that have ended too. Only Linux tells.
fn processor_time() -> Option<f64> {
    let numbers = fs::read_to_string("/proc/self/stat").ok()?;
    // After the name of the program, which is in brackets. In hundredths of a second.
    let mut numbers = numbers.rsplit(')').next()?.split_whitespace().skip(11);
    let (user, system): (f64, f64) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
    Some((user + system) / 100.0)
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
