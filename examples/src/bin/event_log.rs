//! An event log: one JSON array that stays open while events come in. Twice a second what there is goes to the file, so
//! that a reader sees events soon and the disk sees few writes.
//!
//! ```sh
//! cargo run --release -p json-rope-examples --bin event_log -- -o events.json
//! ```

use std::fs::File;
use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use json_rope::{Encoder, Writer};
use json_rope_examples::args::{Args, OUTPUT, Program};
use json_rope_examples::program::{self, Failure};
use json_rope_examples::terminal::Progress;
use serde_json::json;

const PROGRAM: Program = Program {
    name: "event_log",
    help: "\
Usage: event_log [-o OUT]

Writes 200 events, one every 10 ms, as one JSON array. What
there is leaves twice a second.

  -o, --output OUT  the file to write; without it, or with
                    `-`, standard output
  -h, --help        show this text
",
    options: &[OUTPUT],
    max_operands: 0,
};

const EVENTS: u32 = 200;

/// Writes everything that is finished.
fn drain(log: &mut Writer, out: &mut dyn Write) -> io::Result<()> {
    while let Some(chunk) = log.pop() {
        out.write_all(&chunk)?;
    }
    out.flush()
}

fn write_events(out: &mut dyn Write, progress: &mut Progress) -> io::Result<()> {
    let mut log = Encoder::new().writer();
    let start = Instant::now();
    let mut flushed = start;
    log.begin_array()?;
    for number in 0..EVENTS {
        let kind = if number % 10 == 0 { "checkpoint" } else { "tick" };
        log.value(&json!({"millis": start.elapsed().as_millis() as u64, "kind": kind, "number": number}))?;
        if flushed.elapsed() >= Duration::from_millis(500) {
            log.flush();
            flushed = Instant::now();
        }
        // Chunks that are full leave at once.
        drain(&mut log, out)?;
        if progress.is_due() {
            progress.show(&format!("{number} of {EVENTS} events"));
        }
        thread::sleep(Duration::from_millis(10)); // the next event
    }
    log.end()?;
    log.finish()?;
    drain(&mut log, out)
}

fn main() -> ExitCode {
    program::run(&PROGRAM, run)
}

fn run(args: &Args) -> Result<(), Failure> {
    match args.value("--output").filter(|path| *path != "-") {
        None => write_events(&mut io::stdout().lock(), &mut Progress::off())
            .map_err(|error| Failure::output("cannot write to standard output", &error)),
        Some(path) => File::create(path)
            .and_then(|mut file| write_events(&mut file, &mut Progress::new()))
            .map_err(|error| Failure::Error(format!("cannot write {}: {error}", path.display()))),
    }
}
