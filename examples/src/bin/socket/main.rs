//! Sends a document over loopback TCP in four ways, and compares them.
//!
//! ```sh
//! cargo run --release -p json-rope-examples --bin socket -- [FILE|-]
//! ```
//!
//! The document is a `serde_json::Value`. A thread of the same process reads everything at the other end of one
//! long-lived connection and acknowledges the last byte, so that a total ends when the reader has the whole document.

mod link;
mod transfers;

use std::fmt::Write as _;
use std::process::ExitCode;

use json_rope_examples::args::{Args, Program};
use json_rope_examples::heap::{self, Counting};
use json_rope_examples::input::Document;
use json_rope_examples::measure::Spread;
use json_rope_examples::program::{self, Failure};
use json_rope_examples::terminal::{Progress, Stream};
use json_rope_examples::text::{count, grouped, wrap};

use link::Way;
use transfers::Transfers;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const PROGRAM: Program = Program {
    name: "socket",
    help: "\
Usage: socket [FILE|-]

Sends a JSON document over loopback TCP in four ways, many
times in turns, and shows when the reader has its first and
its last byte.

  FILE        the document; `-` is standard input; without
              it, 2 MB of orders are made up
  -h, --help  show this text
",
    options: &[],
    max_operands: 1,
};

/// Rounds before the measured ones, and measured ones; multiples of four, so that every order is equally frequent.
const WARM_UP: usize = 8;
const ROUNDS: usize = 100;

fn main() -> ExitCode {
    program::run(&PROGRAM, run)
}

fn run(args: &Args) -> Result<(), Failure> {
    let mut progress = Progress::new();
    let document = Document::read(args.operands().first(), &mut progress)?;
    progress.show("parsing");
    let value = document.parse()?;
    let name = document.name;
    let transfers = transfers::measure(&value, WARM_UP, ROUNDS, |round| {
        if progress.is_due() {
            progress.show(&format!("round {} of {}", round + 1, WARM_UP + ROUNDS));
        }
    });
    progress.clear();
    let transfers = transfers.map_err(|error| Failure::Error(format!("cannot send {name}: {error}")))?;
    program::print(&report(&name, &transfers, Stream::Out.width().min(80)))
}

fn report(name: &str, transfers: &Transfers, width: usize) -> String {
    let bytes = grouped(transfers.bytes as u64);
    let mut text = wrap(&format!("{name}: {bytes} bytes as compact JSON, over loopback TCP"), width);
    text.push_str("\n                      first byte      total  calls    heap\n");
    text.push_str("                              µs         µs            KiB\n");
    for (i, way) in Way::ALL.into_iter().enumerate() {
        let micros = |seconds: f64| grouped((seconds * 1e6).round() as u64);
        let first = micros(Spread::of(transfers.of(way).map(|(first, _)| first)).median);
        let total = micros(Spread::of(transfers.of(way).map(|(_, total)| total)).median);
        let (calls, heap) = (grouped(transfers.calls[i] as u64), grouped(transfers.heap[i] as u64 / 1024));
        writeln!(text, "{:<20} {first:>11} {total:>10} {calls:>6} {heap:>7}", short(way)).expect("strings take all");
    }
    text.push('\n');
    let rounds = count(transfers.rounds.len(), "round");
    text.push_str(&wrap(
        &format!(
            "Medians of {rounds}, from the start of the encoding until the reader has the first byte, and until its \
             acknowledgement of the last one is back. Calls are system calls of the sender; heap is what the sender \
             needs at most."
        ),
        width,
    ));
    text.push('\n');
    let totals = |way| transfers.of(way).map(|(_, total)| total);
    let first_bytes = |way| transfers.of(way).map(|(first_byte, _)| first_byte);
    let ratio = |(a, b): (f64, f64)| a / b;
    for (what, ratios) in [
        ("total, rope / to_vec", Spread::of(totals(Way::Rope).zip(totals(Way::Vec)).map(ratio))),
        ("total, streaming / to_vec", Spread::of(totals(Way::Streaming).zip(totals(Way::Vec)).map(ratio))),
        (
            "first byte, streaming / BufWriter",
            Spread::of(first_bytes(Way::Streaming).zip(first_bytes(Way::BufWriter)).map(ratio)),
        ),
    ] {
        let Spread { low, median, high } = ratios;
        writeln!(text, "{what:<36} {median:>6.2} ({low:.2}–{high:.2})").expect("strings take all");
    }
    text.push('\n');
    text.push_str(&wrap("Quotients of times, below 1 where the first way is faster. Half of the rounds are in the range in parentheses.", width));
    text
}

fn short(way: Way) -> &'static str {
    match way {
        Way::Rope => "rope, one write",
        Way::Streaming => "rope, streaming",
        Way::Vec => "serde_json to_vec",
        Way::BufWriter => "serde_json BufWriter",
    }
}
