//! Streams generated rows as NDJSON, in a fixed amount of memory, to a file or to standard output.
//!
//! ```sh
//! cargo run --release --example export -- [ROWS] [-o OUT]
//! ```
//!
//! What it took is reported on standard error.

#[path = "support/progress.rs"]
mod progress;
#[path = "support/text.rs"]
mod text;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use json_rope::{Encoder, Frame};
use serde::Serialize;

use progress::Progress;
use text::{count, duration, grouped};

const USAGE: &str = "\
Usage: export [ROWS] [-o OUT]

Writes ROWS generated rows, one JSON object a line, and reports rows and MB per second on standard error.

  ROWS              how many (default: 3,000,000)
  -o, --output OUT  the file to write; - or nothing is standard output
  -h, --help        this text
";

const DEFAULT_ROWS: u64 = 3_000_000;

/// Chunks between two looks at the clock.
const CHUNKS_A_LOOK: usize = 16;

struct Args {
    rows: u64,
    output: Option<PathBuf>,
}

/// `None`: help is wanted.
fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Option<Args>, String> {
    let (mut rows, mut output) = (None, None);
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("-h" | "--help") => return Ok(None),
            Some("-o" | "--output") => {
                if output.is_some() {
                    return Err("more than one output".into());
                }
                output = Some(arguments.next().ok_or("-o needs a file")?);
            }
            Some(number) if rows.is_none() && !number.starts_with('-') => {
                let digits = number.replace(['_', ','], "");
                rows = Some(digits.parse().map_err(|_| format!("{number} is not a number of rows"))?);
            }
            _ => return Err(format!("unexpected argument {}", argument.display())),
        }
    }
    let output = output.filter(|output| output != "-").map(PathBuf::from);
    Ok(Some(Args { rows: rows.unwrap_or(DEFAULT_ROWS), output }))
}

/// What a database might give.
#[derive(Serialize)]
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
        // A multiplicative hash: the same rows every time, and no two alike.
        let random = id.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
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

fn main() -> ExitCode {
    let args = match parse(std::env::args_os().skip(1)) {
        Ok(Some(args)) => args,
        Ok(None) => {
            let mut stdout = io::stdout().lock();
            return match stdout.write_all(USAGE.as_bytes()).and_then(|()| stdout.flush()) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    let _ = writeln!(io::stderr(), "export: cannot print the help: {error}");
                    ExitCode::FAILURE
                }
            };
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "export: {error}\n\n{}", USAGE.trim_end());
            return ExitCode::from(2);
        }
    };
    let name = args.output.as_ref().map_or("standard output".into(), |path| path.display().to_string());
    match export(&args) {
        Ok(report) => {
            let _ = write!(io::stderr(), "{report}");
            ExitCode::SUCCESS
        }
        // Also if the reader has gone: rows that are cut short must not look complete to whoever waits for us.
        Err(error) => {
            let _ = writeln!(io::stderr(), "export: cannot write all rows to {name}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the rows and says what it took.
fn export(args: &Args) -> io::Result<String> {
    let mut progress = Progress::new();
    progress.turn_on();
    let mut output: Box<dyn Write> = match &args.output {
        Some(path) => Box::new(File::create(path)?),
        // Not through `io::stdout`, which would copy every chunk into a buffer of lines.
        None => Box::new(standard_output()?),
    };

    let encoder = Encoder::new();
    let mut chunks = encoder.records(Frame::NdJson, (0..args.rows).map(Row::new));
    let started = Instant::now();
    let (mut bytes, mut last_id) = (0, 0);
    for index in 0.. {
        let Some(chunk) = chunks.next().transpose()? else { break };
        output.write_all(&chunk)?;
        bytes += chunk.len() as u64;
        if index % CHUNKS_A_LOOK == 0 && progress.is_due() {
            last_id = id_in(&chunk).unwrap_or(last_id);
            progress.show(&bar(last_id, args.rows, bytes, started));
        }
    }
    output.flush()?;
    let elapsed = started.elapsed();
    progress.clear();

    let seconds = elapsed.as_secs_f64().max(1e-9);
    let mut report = format!(
        "{} of {} bytes in {}: {} rows/s, {:.0} MB/s\n",
        count(args.rows as usize, "row"),
        grouped(bytes),
        duration(elapsed),
        grouped((args.rows as f64 / seconds) as u64),
        bytes as f64 / seconds / 1e6,
    );
    if let Some(peak) = peak_memory() {
        report.push_str(&format!("At most {peak} of memory at any time, of the whole process\n"));
    }
    Ok(report)
}

/// The process's standard output as a file.
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

fn bar(done: u64, rows: u64, bytes: u64, started: Instant) -> String {
    const WIDTH: usize = 24;
    let share = done as f64 / rows.max(1) as f64;
    let filled = (share * WIDTH as f64) as usize;
    let speed = bytes as f64 / started.elapsed().as_secs_f64().max(1e-9) / 1e6;
    format!(
        "[{}{}] {:3.0} %  {} rows  {speed:.0} MB/s",
        "#".repeat(filled),
        " ".repeat(WIDTH - filled.min(WIDTH)),
        share * 100.0,
        grouped(done)
    )
}

/// The most memory that the process has had, where the system tells.
fn peak_memory() -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(format!("{:.1} MiB", kib / 1024.0))
}
