//! Writes a heap profile of one `to_rope`, to look at.
//!
//! ```sh
//! cargo run --release -p json-rope-examples --features dhat --bin heap_profile -- [FILE|-] [-o OUT]
//! ```

use std::fs;
use std::hint::black_box;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use json_rope_examples::args::{Args, OUTPUT, Program};
use json_rope_examples::input::Document;
use json_rope_examples::program::{self, Failure};
use json_rope_examples::terminal::{Progress, Stream};
use json_rope_examples::text::{count, grouped, wrap};
use serde_json::Value;

#[global_allocator]
static ALLOC: dhat::Alloc = dhat::Alloc;

const PROGRAM: Program = Program {
    name: "heap_profile",
    help: "\
Usage: heap_profile [FILE|-] [-o OUT]

Encodes a JSON document once and writes a profile of every
heap allocation that this takes.

  FILE              the document; `-` is standard input;
                    without it, 2 MB of orders are made up
  -o, --output OUT  the profile (default: dhat-heap.json)
  -h, --help        show this text
",
    options: &[OUTPUT],
    max_operands: 1,
};

fn main() -> ExitCode {
    program::run(&PROGRAM, run)
}

fn run(args: &Args) -> Result<(), Failure> {
    let mut progress = Progress::new();
    let document = Document::read(args.operands().first(), &mut progress)?;
    let value = document.parse()?;
    progress.clear();
    let path = args.value("--output").map_or(Path::new("dhat-heap.json"), Path::new);
    let failed = |error: io::Error| Failure::Error(format!("{}: {error}", path.display()));
    // The profiler itself cannot report that it failed to write, so the file is read back, which has to be possible.
    fs::write(path, "").map_err(failed)?;
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(failed(io::Error::other("not a regular file")));
    }
    let (allocations, bytes, len) = profile(&value, path)?;
    let written: Option<Value> = serde_json::from_slice(&fs::read(path).map_err(failed)?).ok();
    if written.is_none_or(|profile| profile["dhatFileVersion"].is_null()) {
        return Err(failed(io::Error::other("the profile is not complete")));
    }
    let report = format!(
        "{}: {} of {} bytes in all, for {} bytes of JSON ({:.2} ×). The profile is in {}.",
        document.name,
        count(allocations as usize, "heap allocation"),
        grouped(bytes),
        grouped(len as u64),
        bytes as f64 / len as f64,
        path.display()
    );
    let how_to = "\
        To look at it, open DHAT's viewer, https://nnethercote.github.io/dh_view/dh_view.html or dh_view.html of an \
        installed Valgrind, and load the file with its button. It shows where every block of memory was allocated, for \
        how long it lived, and how much was alive at the peak. A reallocation counts as a block.";
    let width = Stream::Out.width().min(80);
    program::print(&format!("{}\n{}", wrap(&report, width), wrap(how_to, width)))
}

/// Encodes once under the profiler, which writes its file when it is dropped.
fn profile(value: &Value, path: &Path) -> Result<(u64, u64, usize), Failure> {
    let profiler = dhat::Profiler::builder().file_name(path).trim_backtraces(Some(24)).build();
    let rope = json_rope::to_rope(black_box(value)).map_err(Failure::error)?;
    let stats = dhat::HeapStats::get();
    let len = rope.len();
    drop(black_box(rope));
    drop(profiler);
    Ok((stats.total_blocks, stats.total_bytes, len))
}
