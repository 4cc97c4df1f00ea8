//! Encodes a JSON document into a rope and shows what that took, beside `serde_json::to_vec`.
//!
//! ```sh
//! cargo run --release -p json-rope-examples -- [FILE|-] [--pretty] [-o OUT]
//! ```

mod bars;

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{self, Write as _};
use std::process::ExitCode;

use json_rope::{Encoder, Rope};
use json_rope_examples::args::{Args, OUTPUT, Opt, Program};
use json_rope_examples::heap::{self, Counting, Heap};
use json_rope_examples::input::Document;
use json_rope_examples::measure::{self, Spread};
use json_rope_examples::output;
use json_rope_examples::program::{self, Failure};
use json_rope_examples::terminal::{Progress, Stream};
use json_rope_examples::text::{count, duration, grouped, wrap};
use serde_json::Value;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const PROGRAM: Program = Program {
    name: "encode",
    help: "\
Usage: encode [FILE|-] [--pretty] [-o OUT]

Parses a JSON document, encodes it into a rope of chunks,
proves that the bytes are those of serde_json, and shows the
chunks, the heap allocations and the time.

  FILE              the document; `-` is standard input;
                    without it, 2 MB of orders are made up
  --pretty          encode with line breaks and indentation
  -o, --output OUT  write the JSON to OUT (`-` is standard
                    output), the report to standard error
  -h, --help        show this text
",
    options: &[OUTPUT, Opt { long: "--pretty", short: None, takes_value: false }],
    max_operands: 1,
};

fn main() -> ExitCode {
    program::run(&PROGRAM, run)
}

fn run(args: &Args) -> Result<(), Failure> {
    let mut progress = Progress::new();
    let document = Document::read(args.operands().first(), &mut progress)?;
    progress.show("parsing");
    let value = document.parse()?;

    let encoders = Encoders::new(args.has("--pretty"), &value);
    progress.show("encoding");
    let rope = encoders.rope()?;
    progress.show("comparing with serde_json");
    prove(&rope, &encoders.vec()?)?;
    if let Some(output) = args.value("--output") {
        progress.show("writing the JSON");
        output::deliver(&rope, output)?;
    }

    let stream = if args.has("--output") { Stream::Err } else { Stream::Out };
    let width = stream.width().min(100);
    let head = format!(
        "{}: {} bytes. As {} JSON it has {}, in {} cut from {}, the same bytes as from serde_json.",
        document.name,
        grouped(document.text.len() as u64),
        if encoders.pretty { "pretty" } else { "compact" },
        count(rope.len(), "byte"),
        count(rope.chunks().len(), "chunk"),
        count(bars::slabs(rope.chunks()), "slab"),
    );
    let legend = "\
        A chunk is one piece of the rope, and one slice of a vectored write. A slab is one heap allocation, which \
        chunks are cut from; it is freed with the last of them.";
    let bars = bars::draw(rope.chunks(), width, stream.wants_colour());
    let bytes = rope.len();
    drop((rope, document));
    let table = encoders.compare(bytes, width, &mut progress)?;
    progress.clear();
    let report = format!("{}\n{bars}\n{}\n{table}", wrap(&head, width), wrap(legend, width));
    match stream {
        Stream::Out => program::print(&report),
        Stream::Err => io::stderr().write_all(report.as_bytes()).map_err(Failure::error),
    }
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
        rope.map_err(Failure::error)
    }

    fn again(&self) -> Result<Rope, Failure> {
        self.reused.encode(black_box(self.value)).map_err(Failure::error)
    }

    fn vec(&self) -> Result<Vec<u8>, Failure> {
        let value = black_box(self.value);
        let vec = if self.pretty { serde_json::to_vec_pretty(value) } else { serde_json::to_vec(value) };
        vec.map_err(|error| Failure::Error(format!("serde_json: {error}")))
    }

    /// The table of heap allocations and times.
    fn compare(&self, bytes: usize, width: usize, progress: &mut Progress) -> Result<String, Failure> {
        // Everything succeeds once here, so results need no look when they are timed. The encoder now knows the size.
        drop((self.rope()?, self.again()?, self.vec()?));
        progress.show("counting heap allocations");
        let heap: [Heap; 3] =
            [heap::count(|| self.rope()).1, heap::count(|| self.again()).1, heap::count(|| self.vec()).1];
        let rounds = measure::rounds(
            [&|| drop(black_box(self.rope())), &|| drop(black_box(self.again())), &|| drop(black_box(self.vec()))],
            |round| progress.show(&format!("timing, round {round}")),
        );
        let times = [0, 1, 2].map(|i| rounds.time(i).median);
        let speed_ups = [0, 1].map(|i| rounds.speed_up(i, 2));
        let per_byte = |heap: Heap| format!("{:.2}", heap.bytes as f64 / bytes as f64);
        let with_last = |[a, b]: [String; 2], c: &str| [a, b, c.to_owned()];
        let suffix = if self.pretty { "_pretty" } else { "" };
        let rows = [
            ("", [format!("to_rope{suffix}"), "Encoder,".into(), "serde_json".into()]),
            ("", [String::new(), "used again".into(), format!("to_vec{suffix}")]),
            ("heap allocations", heap.map(|heap| grouped(heap.operations))),
            ("bytes asked for", heap.map(|heap| grouped(heap.bytes))),
            ("  per byte of JSON", heap.map(per_byte)),
            ("time", times.map(duration)),
            ("MB/s", times.map(|time| grouped((bytes as f64 / time / 1e6) as u64))),
            ("times as fast", with_last(speed_ups.map(|speed_up| format!("{:.2}", speed_up.median)), "1")),
            (
                "  in half the rounds",
                with_last(speed_ups.map(|Spread { low, high, .. }| format!("{low:.2}–{high:.2}")), ""),
            ),
        ];
        let mut table = String::new();
        for (name, [a, b, c]) in rows {
            let line = format!("{name:<20} {a:>13} {b:>12} {c:>12}");
            writeln!(table, "{}", line.trim_end()).expect("strings take all");
        }
        let count = count(rounds.count(), "round");
        let note = format!(
            "Heap allocations include reallocations, and are counted in one encode of each. The time is the median of \
             {count} in turns, the result dropped; `times as fast` compares within each round, and half of the \
             rounds are in the range below it."
        );
        Ok(format!("{table}\n{}", wrap(&note, width)))
    }
}

/// Fails at the first byte in which the rope is not what serde_json wrote.
fn prove(rope: &Rope, expected: &[u8]) -> Result<(), Failure> {
    if *rope == *expected {
        return Ok(());
    }
    let ours = rope.chunks().iter().flatten();
    let at = grouped(ours.zip(expected).take_while(|(a, b)| a == b).count() as u64);
    Err(Failure::Error(format!("this is a fault of json-rope: its output differs from serde_json's at byte {at}")))
}
