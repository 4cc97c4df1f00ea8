//! Four ways to send a document over loopback TCP: first bytes, totals, system calls and memory, as in the README.
//!
//! ```sh
//! cargo bench -p json-rope-benches --bench socket
//! cargo bench -p json-rope-benches --bench socket -- --test         # a few quick rounds, to see that it works
//! ```

#[allow(dead_code, reason = "the examples count more")]
#[path = "../examples/src/heap.rs"]
mod heap;
#[path = "../examples/src/bin/socket/link.rs"]
mod link;
#[path = "support/table.rs"]
mod table;
#[path = "../examples/src/bin/socket/transfers.rs"]
mod transfers;

use json_rope_bench_data::DOCUMENTS;
use serde_json::Value;

use link::Way;
use table::{Table, grouped, ratio};
use transfers::Transfers;

#[global_allocator]
static ALLOCATOR: heap::Counting = heap::Counting;

/// Multiples of four, so that every order of the four ways is equally frequent.
const WARM_UP: usize = 8;
const ROUNDS: usize = 200;

fn main() {
    let test = std::env::args().any(|argument| argument == "--test") || !std::env::args().any(|a| a == "--bench");
    let rounds = if test { 4 } else { ROUNDS };
    let mut table =
        Table::new(&["document", "way", "first byte µs", "total µs", "system calls", "peak heap KiB"], &[0, 1]);
    let mut ratios = Table::new(&["ratio", "document", "found", "at most"], &[0, 1]);
    for document in DOCUMENTS {
        let name = document.name;
        let value: Value = serde_json::from_str(document.text()).expect("the documents are JSON");
        let transfers = transfers::measure(&value, WARM_UP, rounds, |_| {}).expect("loopback TCP works");
        assert_eq!(transfers.rounds.len(), rounds);
        assert!(transfers.calls.iter().all(|&calls| calls > 0));
        assert!(transfers.bytes > 400_000);
        for (i, way) in Way::ALL.into_iter().enumerate() {
            let micros = |seconds: f64| grouped((seconds * 1e6).round() as usize);
            table.row(vec![
                name.to_owned(),
                way.name().to_owned(),
                micros(first_byte(&transfers, way)),
                micros(total(&transfers, way)),
                grouped(transfers.calls[i]),
                grouped(transfers.heap[i] / 1024),
            ]);
        }
        let better = total(&transfers, Way::Vec).min(total(&transfers, Way::BufWriter));
        for (what, found, at_most) in [
            ("total: rope / the better of serde_json's two", total(&transfers, Way::Rope) / better, 0.9),
            (
                "first byte: streaming / `BufWriter`",
                first_byte(&transfers, Way::Streaming) / first_byte(&transfers, Way::BufWriter),
                1.5,
            ),
            (
                "total: streaming / `to_vec` + `write_all`",
                total(&transfers, Way::Streaming) / total(&transfers, Way::Vec),
                1.0,
            ),
        ] {
            ratios.row(vec![what.to_owned(), name.to_owned(), ratio(found), ratio(at_most)]);
        }
    }
    println!("{}\n{}", table.render(), ratios.render());
}

fn first_byte(transfers: &Transfers, way: Way) -> f64 {
    median(transfers.of(way).map(|(first_byte, _)| first_byte))
}

fn total(transfers: &Transfers, way: Way) -> f64 {
    median(transfers.of(way).map(|(_, total)| total))
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
