//! Serves documents over loopback TCP in four ways, and compares them.
//!
//! `cargo run --release --example socket [FILE]`: without a file, canada.json, citm_catalog.json and twitter.json. All
//! are parsed into a `serde_json::Value` first. A thread of the same process reads everything at the other end of one
//! long-lived connection and acknowledges the last byte, so that a total ends when the reader has the whole document.
//!
//! Times are medians of rounds in which the four ways take turns, in a different order each time. Peak heap is counted
//! by dhat in a phase of its own; while no profiler runs, its allocator costs a lock per allocation, which is far below
//! a thousandth of the times shown.

#[path = "support/socket_link.rs"]
mod link;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;
use std::time::Duration;
use std::{env, fs};

use json_rope::Encoder;
use json_rope_bench_data::DOCUMENTS;
use serde_json::Value;

use link::{Link, Way};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

const USAGE: &str = "usage: socket [FILE]\n\nCompares four ways to send a JSON document over loopback TCP.";

/// Rounds before the measured ones, and measured ones; a multiple of four, so that every order is equally frequent.
const WARM_UP: usize = 8;
const ROUNDS: usize = 200;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // If standard error is closed too, there is nobody left to tell.
            let _ = writeln!(io::stderr(), "socket: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let documents = match &arguments[..] {
        [] => DOCUMENTS.map(|document| (document.name.to_owned(), document.text().to_owned())).to_vec(),
        [flag] if flag == "--help" || flag == "-h" => return printed(writeln!(io::stdout(), "{USAGE}")),
        [path] => {
            let name = path.to_string_lossy().into_owned();
            let text = fs::read_to_string(path).map_err(|error| format!("cannot read {name}: {error}"))?;
            vec![(name, text)]
        }
        _ => return Err(format!("too many arguments\n{USAGE}")),
    };
    for (name, text) in documents {
        let value: Value = serde_json::from_str(&text).map_err(|error| format!("{name} is not JSON: {error}"))?;
        drop(text);
        let figures = measure(&value).map_err(|error| format!("cannot send {name}: {error}"))?;
        match print(&name, &figures) {
            Ok(()) => {}
            // Whoever reads the table has seen enough of it.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            Err(error) => return Err(format!("cannot print: {error}")),
        }
    }
    Ok(())
}

fn printed(result: io::Result<()>) -> Result<(), String> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("cannot print: {error}")),
        _ => Ok(()),
    }
}

/// What was found about one document.
struct Figures {
    bytes: usize,
    /// In the order of [`Way::ALL`].
    ways: [WayFigures; 4],
}

#[derive(Default)]
struct WayFigures {
    first_byte: Duration,
    total: Duration,
    calls: usize,
    peak_heap: usize,
}

fn measure(value: &Value) -> io::Result<Figures> {
    let expected = serde_json::to_vec(value)?;
    let bytes = expected.len();
    let encoder = Encoder::new();
    let mut link = Link::open()?;
    let mut send = |way: Way, keep| link.transfer(bytes, keep, |socket| way.send(&encoder, value, socket));

    for way in Way::ALL {
        if send(way, true)?.received != expected {
            return Err(io::Error::other(format!("{} arrived differently", way.name())));
        }
    }
    drop(expected);

    let mut times: [Vec<(Duration, Duration)>; 4] = Default::default();
    let mut ways: [WayFigures; 4] = Default::default();
    for round in 0..WARM_UP + ROUNDS {
        for turn in 0..4 {
            let way = (round + turn) % 4;
            let transfer = send(Way::ALL[way], false)?;
            if round >= WARM_UP {
                times[way].push((transfer.first_byte, transfer.total));
                ways[way].calls = ways[way].calls.max(transfer.calls);
            }
        }
    }
    for (figures, times) in ways.iter_mut().zip(&times) {
        figures.first_byte = median(times.iter().map(|time| time.0));
        figures.total = median(times.iter().map(|time| time.1));
    }

    for (figures, way) in ways.iter_mut().zip(Way::ALL) {
        let profiler = dhat::Profiler::builder().testing().build();
        send(way, false)?;
        figures.peak_heap = dhat::HeapStats::get().max_bytes;
        drop(profiler);
    }
    Ok(Figures { bytes, ways })
}

fn median(times: impl Iterator<Item = Duration>) -> Duration {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    times[times.len() / 2]
}

fn print(name: &str, figures: &Figures) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{name}, {} bytes as compact JSON, medians of {ROUNDS}", figures.bytes)?;
    writeln!(out, "  {:<30} {:>13} {:>10} {:>7} {:>13}", "", "first byte µs", "total µs", "calls", "peak heap KiB")?;
    for (way, figures) in Way::ALL.iter().zip(&figures.ways) {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let (first_byte, total, heap) = (micros(figures.first_byte), micros(figures.total), figures.peak_heap / 1024);
        writeln!(out, "  {:<30} {first_byte:>13.0} {total:>10.0} {:>7} {heap:>13}", way.name(), figures.calls)?;
    }
    let [rope, streaming, vec, buffered] = &figures.ways;
    let ratio = |a: Duration, b: Duration| a.as_secs_f64() / b.as_secs_f64();
    let ratios = [
        ("total, rope / better serde_json", ratio(rope.total, vec.total.min(buffered.total)), 0.9),
        ("first byte, streaming / BufWriter", ratio(streaming.first_byte, buffered.first_byte), 1.5),
        ("total, streaming / to_vec + write_all", ratio(streaming.total, vec.total), 1.0),
    ];
    for (name, ratio, target) in ratios {
        let verdict = if ratio <= target { "met" } else { "missed" };
        writeln!(out, "  {name:<44} {ratio:>6.2}   target {target:.2}: {verdict}")?;
    }
    writeln!(out)?;
    out.flush()
}
