//! Streams generated rows as NDJSON, in a fixed amount of memory, to a file or to standard output.
//!
//! ```sh
//! cargo run --release -p json-rope-examples --bin export -- [ROWS] [-o OUT]
//! cargo run --release -p json-rope-examples --features rayon --bin export -- [ROWS] [-o OUT] [--threads N]
//! ```
//!
//! What it took is reported on standard error.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Instant;

use json_rope::{Encoder, Frame};
use json_rope_examples::args::{Args, OUTPUT, Opt, Program};
use json_rope_examples::input::pseudorandom;
use json_rope_examples::program::{self, Failure};
use json_rope_examples::terminal::{Progress, Stream};
use json_rope_examples::text::{count, duration, grouped, wrap};
use serde::ser::{Serialize, SerializeStruct, Serializer};

const PROGRAM: Program = Program {
    name: "export",
    help: "\
Usage: export [ROWS] [-o OUT] [--threads N]

Writes ROWS generated rows, one JSON object a line, and
reports rows and MB per second on standard error.

  ROWS              how many (default: 3,000,000)
  -o, --output OUT  the file to write; `-` is standard
                    output, which is also taken without this
                    option, after a question if it is a
                    terminal
      --threads N   encode with so many threads (default: 1;
                    more need the feature `rayon`)
  -h, --help        show this text
",
    options: &[OUTPUT, THREADS],
    max_operands: 1,
};

const THREADS: Opt = Opt { long: "--threads", short: None, takes_value: true };

const DEFAULT_ROWS: u64 = 3_000_000;
const BYTES_A_ROW: u64 = 114;

/// So many rows are printed on a terminal without a question.
const MAX_UNASKED: u64 = 1_000;

/// Chunks between two looks at the clock.
const CHUNKS_A_LOOK: u64 = 16;

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
    let threads = threads(args)?;
    let path = args.value("--output").filter(|path| *path != "-");
    let to_terminal = path.is_none() && Stream::Out.is_terminal();
    if to_terminal && !args.has("--output") && rows > MAX_UNASKED && !wants_it_here(rows)? {
        return Err(Failure::Error("nothing is written; choose a file with -o".into()));
    }
    // On one terminal, the progress would come between the rows.
    let progress = if to_terminal { Progress::off() } else { Progress::new() };
    let written = match path {
        Some(path) => File::create(path).and_then(|file| export(rows, threads, file, progress)),
        None => standard_output().and_then(|stdout| export(rows, threads, stdout, progress)),
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

/// How many threads are asked for.
fn threads(args: &Args) -> Result<usize, Failure> {
    let Some(threads) = args.value("--threads") else { return Ok(1) };
    match threads.to_string_lossy().parse() {
        Ok(1) => Ok(1),
        Ok(threads) if threads > 1 && cfg!(feature = "rayon") => Ok(threads),
        Ok(threads) if threads > 1 => {
            Err(Failure::Usage("more than one thread needs a build with `--features rayon`".into()))
        }
        _ => Err(Failure::Usage(format!("{} is not a number of threads", threads.display()))),
    }
}

/// Writes the rows and says what it took.
fn export(rows: u64, threads: usize, output: impl Write, progress: Progress) -> io::Result<String> {
    let mut meter = Meter { output, progress, rows, started: Instant::now(), bytes: 0, chunks: 0, last_id: 0 };
    if threads == 1 {
        for chunk in Encoder::new().records(Frame::NdJson, (0..rows).map(Row::new)) {
            meter.write_all(&chunk?)?;
        }
    } else {
        export_in_parallel(rows, threads, &mut meter)?;
    }
    meter.finish()
}

/// The rows are made where they are encoded: handing over numbers costs next to nothing.
#[cfg(feature = "rayon")]
fn export_in_parallel(rows: u64, threads: usize, meter: &mut Meter<impl Write>) -> io::Result<()> {
    struct Id(u64);
    impl Serialize for Id {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            Row::new(self.0).serialize(serializer)
        }
    }
    rayon_core::ThreadPoolBuilder::new().num_threads(threads).build_global().map_err(io::Error::other)?;
    // Buffers that are used again.
    let encoder = Encoder::builder().pool(json_rope::Pool::default()).build()?;
    encoder.par_write_records(Frame::NdJson, (0..rows).map(Id), meter)?;
    Ok(())
}

#[cfg(not(feature = "rayon"))]
fn export_in_parallel(_: u64, _: usize, _: &mut Meter<impl Write>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Writes, and shows how far it has got.
struct Meter<W> {
    output: W,
    progress: Progress,
    rows: u64,
    started: Instant,
    bytes: u64,
    chunks: u64,
    last_id: u64,
}

impl<W: Write> Write for Meter<W> {
    fn write(&mut self, chunk: &[u8]) -> io::Result<usize> {
        let written = self.output.write(chunk)?;
        self.bytes += written as u64;
        self.chunks += 1;
        if self.chunks % CHUNKS_A_LOOK == 1 && self.progress.is_due() {
            self.last_id = id_in(chunk).unwrap_or(self.last_id);
            let percent = 100 * self.last_id / self.rows.max(1);
            let seconds = self.started.elapsed().as_secs_f64().max(1e-9);
            let per_second = |number: u64| grouped((number as f64 / seconds) as u64);
            self.progress.show(&format!(
                "{percent:3} %  {} rows  {} rows/s  {} MB/s",
                grouped(self.last_id),
                per_second(self.last_id),
                per_second(self.bytes / 1_000_000)
            ));
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl<W: Write> Meter<W> {
    /// Says what it took.
    fn finish(mut self) -> io::Result<String> {
        self.output.flush()?;
        let seconds = self.started.elapsed().as_secs_f64().max(1e-9);
        self.progress.clear();
        let memory = peak_memory()
            .map_or(String::new(), |mib| format!(" The whole process took at most {mib:.1} MiB of memory."));
        Ok(format!(
            "{} of {} bytes in {}: {} rows/s, {} MB/s.{memory}",
            count(self.rows as usize, "row"),
            grouped(self.bytes),
            duration(seconds),
            grouped((self.rows as f64 / seconds) as u64),
            grouped((self.bytes as f64 / seconds / 1e6) as u64),
        ))
    }
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
