//! When a pool pays: documents of 100 bytes to 2 MB, with and without one, on one thread and on two.
//!
//! ```sh
//! cargo bench -p json-rope-benches --bench pool
//! cargo bench -p json-rope-benches --bench pool -- --test           # one quick round, to see that it works
//! ```
//!
//! Times are medians of alternating rounds in one process, for one document that is encoded and dropped. Blocks are
//! heap allocations for one document once the pool is warm.

#[path = "support/rounds.rs"]
mod rounds;
#[path = "support/table.rs"]
mod table;

use std::hint::black_box;
use std::io;
use std::mem;
use std::sync::{Arc, Mutex};
use std::thread;

use bytes::{Bytes, BytesMut};
use json_rope::{Encoder, Pool};
use json_rope_bench_data::generate::{self, LogRecord};

use rounds::{Candidate, medians};
use table::{Table, grouped, micros, ratio};

/// Odd, so that the median is one of the times.
const ROUNDS: usize = 61;

/// Bytes that each of two threads encodes between being started and joined.
const FOR_EACH_THREAD: usize = 8 << 20;

fn main() {
    let test = std::env::args().any(|argument| argument == "--test") || !std::env::args().any(|a| a == "--bench");
    let (rounds, for_each_thread) = if test { (1, 1) } else { (ROUNDS, FOR_EACH_THREAD) };
    let records = generate::log_records(1, 9000);
    let plain = Encoder::new();
    let pooled = Encoder::builder().pool(Pool::default()).build().expect("no bad setting");

    let head = ["way", "bytes", "µs", "with pool", "2 threads µs", "with pool", "blocks", "with pool"];
    let mut table = Table::new(&head, &[0]);
    for wanted in [100, 1 << 10, 8 << 10, 16 << 10, 64 << 10, 2_000_000] {
        let document = document(&records, wanted);
        for (way, run) in WAYS {
            let bytes = run(&plain, document);
            assert_eq!(run(&pooled, document), bytes);
            let one = medians([&plain, &pooled].map(|encoder| Candidate::new(move || run(encoder, document))), rounds);
            let times = for_each_thread.div_ceil(bytes);
            let work = |encoder: &Encoder| (0..times).map(|_| run(encoder, black_box(document))).sum::<usize>();
            let two =
                medians([&plain, &pooled].map(|encoder| Candidate::new(move || on_two(|| work(encoder)))), rounds);
            let blocks = [&plain, &pooled].map(|encoder| blocks(|| run(encoder, document)).to_string());
            let [without, with] = blocks;
            table.row(vec![
                way.to_owned(),
                grouped(bytes),
                micros(one.times[0]),
                ratio(one.ratios[1]),
                micros(two.times[0] / times as f64 / 2.0),
                ratio(two.ratios[1]),
                without,
                with,
            ]);
        }
    }
    println!("With pool: time divided by that without one; below 1 is faster.\n");
    println!("{}", table.render());
    ways_to_get_a_buffer_back(rounds);
}

/// A way out of the encoder. Drops what it makes, and returns the number of bytes.
type Way = fn(&Encoder, &[LogRecord]) -> usize;

const WAYS: [(&str, Way); 3] = [
    ("encode", |encoder, document| encoder.encode(document).expect("encodes").len()),
    ("write", |encoder, document| encoder.write(&mut io::sink(), document).expect("encodes") as usize),
    ("array", |encoder, document| encoder.array(document).map(|chunk| chunk.expect("encodes").len()).sum()),
];

/// As many records as have about `wanted` bytes as JSON.
fn document(records: &[LogRecord], wanted: usize) -> &[LogRecord] {
    let mut bytes = 0;
    let count = records.iter().take_while(|record| {
        let before = bytes;
        bytes += json_rope::to_rope(record).expect("encodes").len();
        before == 0 || bytes <= wanted
    });
    &records[..count.count()]
}

fn on_two<R: Send>(work: impl Fn() -> R + Sync) {
    thread::scope(|scope| {
        let other = scope.spawn(&work);
        black_box(work());
        black_box(other.join().expect("no panic"));
    });
}

fn blocks<R>(work: impl Fn() -> R) -> u64 {
    work();
    allocation_counter::measure(|| drop(black_box(work()))).count_total
}

/// What it costs to get memory and copy a finished document into it: exactly as much as it needs, from the allocator;
/// or a buffer of 64 KiB, in the two ways in which one can come back when the last `Bytes` of it is dropped.
fn ways_to_get_a_buffer_back(rounds: usize) {
    const SIZE: usize = 64 * 1024;

    /// Gives its memory back when the last `Bytes` is dropped.
    struct Owner {
        memory: Vec<u8>,
        home: Arc<Mutex<Vec<Vec<u8>>>>,
    }

    impl AsRef<[u8]> for Owner {
        fn as_ref(&self) -> &[u8] {
            &self.memory
        }
    }

    impl Drop for Owner {
        fn drop(&mut self) {
            self.home.lock().expect("no panic").push(mem::take(&mut self.memory));
        }
    }

    let text = vec![b'x'; SIZE];
    let home = Arc::new(Mutex::new(vec![Vec::with_capacity(SIZE)]));
    let buffer = Mutex::new(BytesMut::with_capacity(SIZE));
    let head = ["bytes", "exact ns", "owner hook ns", "try_reclaim ns", "blocks: exact", "owner hook", "try_reclaim"];
    let mut table = Table::new(&head, &[]);
    for len in [150, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 14 << 10, 64 << 10] {
        let text = &text[..len];
        let exact = || Bytes::copy_from_slice(black_box(text));
        let by_owner = || {
            let mut memory = home.lock().expect("no panic").pop().expect("it came back");
            memory.clear();
            memory.extend_from_slice(black_box(text));
            Bytes::from_owner(Owner { memory, home: home.clone() })
        };
        let by_reclaim = || {
            let mut buffer = buffer.lock().expect("no panic");
            buffer.clear();
            assert!(buffer.try_reclaim(SIZE));
            buffer.extend_from_slice(black_box(text));
            buffer.split().freeze()
        };
        let times =
            medians([Candidate::new(exact), Candidate::new(by_owner), Candidate::new(by_reclaim)], rounds).times;
        let mut row = vec![grouped(len)];
        row.extend(times.iter().map(|time| format!("{:.0}", time * 1e9)));
        row.extend([blocks(exact), blocks(by_owner), blocks(by_reclaim)].map(|blocks| blocks.to_string()));
        table.row(row);
    }
    println!("Memory for a finished document, and copying it there.\n");
    println!("{}", table.render());
}
