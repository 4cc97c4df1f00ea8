//! Encodes a JSON document into a rope and shows what that took, beside `serde_json::to_vec`.
//!
//! ```sh
//! cargo run --release --example encode -- [FILE|-] [--pretty] [-o OUT]
//! ```
//!
//! Without a file it takes canada.json.

mod support;

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use json_rope::{Encoder, Rope};
use serde_json::Value;

use support::Failure;
use support::args::{self, Args, Command};
use support::bars;
use support::input::Document;
use support::measure::{self, Heap};
use support::output;
use support::progress::Progress;
use support::text::{count, duration, grouped};

/// Counts heap operations while a profiler runs, and otherwise costs some 10 ns an operation.
#[global_allocator]
static ALLOC: dhat::Alloc = dhat::Alloc;

fn main() -> ExitCode {
    let result = match args::parse(std::env::args_os().skip(1)) {
        Ok(Command::Help) => print(args::USAGE, false),
        Ok(Command::Encode(args)) => run(&args),
        Err(error) => {
            let _ = writeln!(io::stderr(), "encode: {error}\n\n{}", args::USAGE.trim_end());
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(message)) => {
            let _ = writeln!(io::stderr(), "encode: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Failure> {
    let mut progress = Progress::new();
    let document = Document::read(&args.input, &mut progress)?;
    progress.expect(document.text.len() as u64);
    progress.show("parsing");
    let value = document.parse()?;

    let encoders = Encoders::new(args.pretty, &value);
    progress.show("encoding");
    let rope = encoders.rope()?;
    progress.show("comparing with serde_json");
    prove(&rope, &encoders.vec()?)?;
    if let Some(output) = &args.output {
        progress.show("writing the JSON");
        output::deliver(&rope, output)?;
    }

    let mut report = format!(
        "{}: {} bytes, parsed; {} JSON of {}, in {} cut from {}; the bytes are those of serde_json\n\n",
        document.name,
        grouped(document.text.len() as u64),
        if args.pretty { "pretty" } else { "compact" },
        count(rope.len(), "byte"),
        count(rope.chunks().len(), "chunk"),
        count(bars::slabs(rope.chunks()), "slab"),
    );
    let to_stderr = args.output.is_some();
    report.push_str(&bars::draw(rope.chunks(), wants_colour(to_stderr)));
    report.push_str("A slab is a stretch of memory in which every chunk begins where the one before it ends.\n\n");
    let bytes = rope.len();
    drop((rope, document));
    report.push_str(&encoders.compare(bytes, &mut progress)?);
    progress.clear();
    print(&report, to_stderr)
}

/// One value and the ways to encode it.
struct Encoders<'a> {
    pretty: bool,
    reused: Encoder,
    value: &'a Value,
}

impl<'a> Encoders<'a> {
    fn new(pretty: bool, value: &'a Value) -> Self {
        let reused = Encoder::builder().pretty(pretty).build().expect("these settings are valid");
        Encoders { pretty, reused, value }
    }

    fn rope(&self) -> Result<Rope, Failure> {
        let value = black_box(self.value);
        let rope = if self.pretty { json_rope::to_rope_pretty(value) } else { json_rope::to_rope(value) };
        rope.map_err(|error| Failure(error.to_string()))
    }

    fn again(&self) -> Result<Rope, Failure> {
        self.reused.encode(black_box(self.value)).map_err(|error| Failure(error.to_string()))
    }

    fn vec(&self) -> Result<Vec<u8>, Failure> {
        let value = black_box(self.value);
        let vec = if self.pretty { serde_json::to_vec_pretty(value) } else { serde_json::to_vec(value) };
        vec.map_err(|error| Failure(format!("serde_json: {error}")))
    }

    /// The table of heap operations and times.
    fn compare(&self, bytes: usize, progress: &mut Progress) -> Result<String, Failure> {
        // Everything succeeds once here, so results need no look when they are timed. The encoder now knows the size.
        drop((self.rope()?, self.again()?, self.vec()?));
        progress.show("counting heap operations");
        let heap = [measure::heap(|| self.rope()), measure::heap(|| self.again()), measure::heap(|| self.vec())];
        let (times, rounds) = measure::medians(
            [&|| drop(black_box(self.rope())), &|| drop(black_box(self.again())), &|| drop(black_box(self.vec()))],
            progress,
        );
        let suffix = if self.pretty { "_pretty" } else { "" };
        let columns = [format!("to_rope{suffix}"), "Encoder, reused".into(), format!("serde_json::to_vec{suffix}")];
        let per_byte = |heap: &Heap| format!("{:.2}", heap.bytes as f64 / bytes as f64);
        let seconds = times.map(|time| time.as_secs_f64().max(1e-12));
        let rows = [
            ("", columns),
            ("heap operations", heap.each_ref().map(|heap| grouped(heap.operations))),
            ("bytes requested", heap.each_ref().map(|heap| grouped(heap.bytes))),
            ("  for each byte of JSON", heap.each_ref().map(per_byte)),
            ("time", times.map(duration)),
            ("MB/s", seconds.map(|time| format!("{:.0}", bytes as f64 / time / 1e6))),
            ("time / serde_json's", seconds.map(|time| format!("{:.2}", time / seconds[2]))),
        ];
        let mut table = String::new();
        for (name, [a, b, c]) in rows {
            writeln!(table, "{name:<24} {a:>16} {b:>16} {c:>26}").expect("strings take all");
        }
        let rounds = count(rounds as usize, "alternating round");
        writeln!(
            table,
            "Heap operations are allocations and reallocations, counted in one encode of each. Times are medians of\n\
             {rounds}, with the result dropped. json-rope is {:.2} × as fast as serde_json here.",
            seconds[2] / seconds[0]
        )
        .expect("strings take all");
        if times[0] < Duration::from_micros(10) {
            table.push_str(
                "(The allocator that counts adds some 10 ns to each heap operation: much, in so short a time.)\n",
            );
        }
        Ok(table)
    }
}

/// Fails at the first byte in which the rope is not what serde_json wrote.
fn prove(rope: &Rope, expected: &[u8]) -> Result<(), Failure> {
    if *rope == *expected {
        return Ok(());
    }
    let ours = rope.chunks().iter().flatten();
    let at = ours.zip(expected).take_while(|(a, b)| a == b).count();
    Err(Failure(format!("this is a fault of json-rope: its output differs from serde_json's at byte {at}")))
}

/// The report goes to standard output unless the JSON may be there.
fn print(text: &str, to_stderr: bool) -> Result<(), Failure> {
    let result = if to_stderr {
        io::stderr().lock().write_all(text.as_bytes())
    } else {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
    };
    result.map_err(|error| Failure::output("cannot write the report", &error))
}

fn wants_colour(to_stderr: bool) -> bool {
    let terminal = if to_stderr { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    terminal && !set("NO_COLOR") && std::env::var_os("TERM").is_some_and(|term| term != "dumb")
}
