//! Writes a full heap profile of one `to_rope` for each of two documents, to look at.
//!
//! ```sh
//! cargo run --release --example heap_profile -- [FOLDER]
//! ```
//!
//! Makes `dhat-heap-canada.json` and `dhat-heap-citm_catalog.json` in the folder, or in the current one.

use std::ffi::OsString;
use std::fs;
use std::hint::black_box;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use json_rope_bench_data::documents;
use serde_json::Value;

#[global_allocator]
static ALLOC: dhat::Alloc = dhat::Alloc;

const USAGE: &str = "\
Usage: heap_profile [FOLDER]

Writes dhat-heap-canada.json and dhat-heap-citm_catalog.json: heap profiles of one `to_rope` each.";

const HOW_TO_VIEW: &str = "
To look at a profile, open DHAT's viewer and load the file with its button:
https://nnethercote.github.io/dh_view/dh_view.html, or dh_view.html of an installed Valgrind. It shows where every
block was allocated, for how long it lived, and how much was alive at the peak. A reallocation counts as a block.
";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let folder = match arguments.as_slice() {
        [] => PathBuf::from("."),
        [help] if help == "--help" || help == "-h" => return finish(print(&format!("{USAGE}\n"))),
        [folder] if !folder.as_encoded_bytes().starts_with(b"-") => folder.into(),
        _ => {
            let _ = writeln!(io::stderr(), "{USAGE}");
            return ExitCode::from(2);
        }
    };
    finish(run(&folder))
}

fn finish(result: io::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "heap_profile: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(folder: &Path) -> io::Result<()> {
    let texts = [("canada", documents::canada()), ("citm_catalog", documents::citm_catalog())];
    for (name, text) in texts {
        let value: Value = serde_json::from_str(text)?;
        let path = folder.join(format!("dhat-heap-{name}.json"));
        // The profiler itself cannot report that it failed to write.
        fs::write(&path, "").map_err(|error| named(&path, &error))?;
        let (blocks, bytes, len) = profile(&value, &path)?;
        check(&path)?;
        print(&format!(
            "{name}: {blocks} blocks, {bytes} bytes for {len} bytes of JSON ({:.2} ×) → {}\n",
            bytes as f64 / len as f64,
            path.display()
        ))?;
    }
    print(HOW_TO_VIEW)
}

/// Encodes once under the profiler, which writes its file when it is dropped.
fn profile(value: &Value, path: &Path) -> io::Result<(u64, u64, usize)> {
    let profiler = dhat::Profiler::builder().file_name(path).trim_backtraces(Some(24)).build();
    let rope = json_rope::to_rope(black_box(value))?;
    let stats = dhat::HeapStats::get();
    let len = rope.len();
    drop(black_box(rope));
    drop(profiler);
    Ok((stats.total_blocks, stats.total_bytes, len))
}

/// Fails if the profile is not complete.
fn check(path: &Path) -> io::Result<()> {
    let profile: Value = serde_json::from_slice(&fs::read(path)?).map_err(|error| named(path, &error.into()))?;
    match profile["dhatFileVersion"].as_u64() {
        Some(_) => Ok(()),
        None => Err(named(path, &io::Error::other("not a heap profile"))),
    }
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}
