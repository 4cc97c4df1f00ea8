//! Streams generated rows as NDJSON, in a fixed amount of memory, to a file or to standard output.
//!
//! ```sh
//! cargo run --release -p json-rope-examples --bin export -- [ROWS] [-o OUT]
//! ```
//!
//! What it took is reported on standard error.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Instant;

use json_rope::{Encoder, Frame};
use json_rope_examples::args::{Args, OUTPUT, Program};
use json_rope_examples::input::pseudorandom;
use json_rope_examples::program::{self, Failure};
use json_rope_examples::terminal::{Progress, Stream};
use json_rope_examples::text::{count, duration, grouped, wrap};
use serde::ser::{Serialize, SerializeStruct, Serializer};

const PROGRAM: Program = Program {
    name: "export",
    help: "\
Usage: export [ROWS] [-o OUT]

Writes ROWS generated rows, one JSON object a line, and
reports rows and MB per second on standard error.

  ROWS              how many (default: 3,000,000)
  -o, --output OUT  the file to write; `-` is standard
                    output, which is also taken without this
                    option, after a question if it is a
                    terminal
  -h, --help        show this text
",
    options: &[OUTPUT],
    max_operands: 1,
};

const DEFAULT_ROWS: u64 = 3_000_000;
const BYTES_A_ROW: u64 = 114;

/// So many rows are printed on a terminal without a question.
const MAX_UNASKED: u64 = 1_000;

/// Chunks between two looks at the clock.
const CHUNKS_A_LOOK: usize = 16;

/// What a database might give.
struct Row {
    id: u64,
    customer: String,
    country: &'static str,
    items: [u32; 3],
    total: f64,
    note: Option<&'static str>,
}

impl Row {
    fn new(id: u64) -> Row {
        let random = pseudorandom(id);
        let pick = |n: u64, shift: u32| (random >> shift) % n;
        Row {
            id,
            customer: format!("customer {}", pick(100_000, 0)),
            country: ["Österreich", "France", "日本", "Brasil", "Kenya"][pick(5, 3) as usize],
            items: [pick(500, 5) as u32, pick(500, 9) as u32, pick(500, 13) as u32],
            total: pick(1_000_000, 2) as f64 / 100.0,
            note: (pick(10, 7) == 0).then_some("said \"leave it\nat the door\""),
        }
    }
}

/// What `#[derive(Serialize)]` would write. By hand, so that trying the examples takes no derive macros.
impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_struct("Row", 6)?;
        row.serialize_field("id", &self.id)?;
        row.serialize_field("customer", &self.customer)?;
        row.serialize_field("country", &self.country)?;
        row.serialize_field("items", &self.items)?;
        row.serialize_field("total", &self.total)?;
        row.serialize_field("note", &self.note)?;
        row.end()
    }
}

fn main() -> ExitCode {
    program::run(&PROGRAM, run)
}

fn run(args: &Args) -> Result<(), Failure> {
    let rows = match args.operands().first() {
        None => DEFAULT_ROWS,
        Some(rows) => {
            let digits = rows.to_string_lossy().replace(['_', ','], "");
            digits.parse().map_err(|_| Failure::Usage(format!("{} is not a number of rows", rows.display())))?
        }
    };
    let path = args.value("--output").filter(|path| *path != "-");
    let to_terminal = path.is_none() && Stream::Out.is_terminal();
    if to_terminal && !args.has("--output") && rows > MAX_UNASKED && !wants_it_here(rows)? {
        return Err(Failure::Error("nothing is written; choose a file with -o".into()));
    }
    // On one terminal, the progress would come between the rows.
    let progress = if to_terminal { Progress::off() } else { Progress::new() };
    let written = match path {
        Some(path) => File::create(path).and_then(|file| export(rows, file, progress)),
        None => standard_output().and_then(|stdout| export(rows, stdout, progress)),
    };
    let name = path.map_or("standard output".into(), |path| path.display().to_string());
    let report = written.map_err(|error| Failure::output(&format!("cannot write all rows to {name}"), &error))?;
    let _ = write!(io::stderr(), "{}", wrap(&report, Stream::Err.width().min(80)));
    Ok(())
}

/// Asks whoever sits at the terminal.
fn wants_it_here(rows: u64) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        return Ok(false);
    }
    let megabytes = grouped((rows.saturating_mul(BYTES_A_ROW) / 1_000_000).max(1));
    let _ = write!(io::stderr(), "Write about {megabytes} MB to this terminal? [y/N] ");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).map_err(Failure::error)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Writes the rows and says what it took.
fn export(rows: u64, mut output: impl Write, mut progress: Progress) -> io::Result<String> {
    let encoder = Encoder::new();
    let mut chunks = encoder.records(Frame::NdJson, (0..rows).map(Row::new));
    let started = Instant::now();
    let (mut bytes, mut last_id) = (0, 0);
    for index in 0.. {
        let Some(chunk) = chunks.next().transpose()? else { break };
        output.write_all(&chunk)?;
        bytes += chunk.len() as u64;
        if index % CHUNKS_A_LOOK == 0 && progress.is_due() {
            last_id = id_in(&chunk).unwrap_or(last_id);
            let percent = 100 * last_id / rows.max(1);
            let speed = bytes as f64 / started.elapsed().as_secs_f64().max(1e-9) / 1e6;
            progress.show(&format!("{percent:3} %  {} rows  {} MB/s", grouped(last_id), grouped(speed as u64)));
        }
    }
    output.flush()?;
    let seconds = started.elapsed().as_secs_f64().max(1e-9);
    progress.clear();
    let memory =
        peak_memory().map_or(String::new(), |mib| format!(" The whole process took at most {mib:.1} MiB of memory."));
    Ok(format!(
        "{} of {} bytes in {}: {} rows/s, {} MB/s.{memory}",
        count(rows as usize, "row"),
        grouped(bytes),
        duration(seconds),
        grouped((rows as f64 / seconds) as u64),
        grouped((bytes as f64 / seconds / 1e6) as u64),
    ))
}

/// The process's standard output as a file: `io::stdout` would copy every chunk into a buffer of lines.
#[cfg(unix)]
fn standard_output() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}

#[cfg(not(unix))]
fn standard_output() -> io::Result<io::StdoutLock<'static>> {
    Ok(io::stdout().lock())
}

/// The number of the first row that begins in `chunk`.
fn id_in(chunk: &[u8]) -> Option<u64> {
    let text = str::from_utf8(chunk).ok()?;
    let (_, id) = text.split_once("\n{\"id\":")?;
    id.split(',').next()?.parse().ok()
}

/// The most memory in MiB that the process has had, where the system tells.
fn peak_memory() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024.0)
}
