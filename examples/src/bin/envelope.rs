//! An answer whose rows nobody counts first: their number, and the cursor for the next page, come after them. Memory stays
//! at two chunks, however many rows there are.
//!
//! ```sh
//! cargo run --release -p json-rope-examples --bin envelope -- 1000000 >answer.json
//! ```

use std::cell::Cell;
use std::io::{self, Write};
use std::process::ExitCode;

use json_rope::Encoder;
use json_rope_examples::args::{Args, Program};
use json_rope_examples::program::{self, Failure};
use json_rope_examples::text;
use serde_json::{Value, json};

const PROGRAM: Program = Program {
    name: "envelope",
    help: "\
Usage: envelope [ROWS]

Prints an object with an array of rows that stays open, and
after it how many there were.

  ROWS        how many (default: 10)
  -h, --help  show this text
",
    options: &[],
    max_operands: 1,
};

/// Rows as a database gives them: each may be an error, and nobody knows how many there are.
fn rows(limit: u64) -> impl Iterator<Item = io::Result<Value>> {
    (1..=limit).map(|id| Ok(json!({"id": id, "name": format!("row {id}")})))
}

fn main() -> ExitCode {
    program::run(&PROGRAM, run)
}

fn run(args: &Args) -> Result<(), Failure> {
    let limit = args.operands().first().map_or(Ok(10), |limit| limit.to_string_lossy().replace(['_', ','], "").parse());
    let limit = limit.map_err(|_| Failure::Usage("that is not a number of rows".into()))?;
    let (count, last) = (Cell::new(0), Cell::new(None));
    let counted = rows(limit).inspect(|row| {
        if let Ok(row) = row {
            count.set(count.get() + 1);
            last.set(row["id"].as_u64());
        }
    });
    let answer = Encoder::new()
        .object()
        .field("version", 1)
        .try_array("rows", counted)
        .field_with("count", || count.get())
        .field_with("next", || last.get());
    let mut stdout = io::stdout().lock();
    let written = answer.chunks().write_to(&mut stdout).map_err(io::Error::from);
    let bytes = written.and_then(|bytes| stdout.write_all(b"\n").and_then(|()| stdout.flush()).map(|()| bytes));
    let bytes = bytes.map_err(|error| Failure::output("cannot write to standard output", &error))?;
    let _ = writeln!(io::stderr(), "{}: {} bytes", text::count(count.get() as usize, "row"), text::grouped(bytes));
    Ok(())
}
