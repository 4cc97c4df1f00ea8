//! An export of rows that nobody counts first: the envelope has the count, and the cursor for the next page, after the
//! rows. Memory stays at two chunks, however many rows there are.
//!
//! `cargo run --release --example envelope -- 1000000 > export.json`

use std::cell::Cell;
use std::error::Error;
use std::{env, io};

use json_rope::Encoder;
use serde::Serialize;

#[derive(Serialize)]
struct Row {
    id: u64,
    name: String,
}

/// Rows as a database gives them: each may be an error, and nobody knows how many there are.
fn rows(limit: u64) -> impl Iterator<Item = Result<Row, io::Error>> {
    (1..=limit).map(|id| Ok(Row { id, name: format!("row {id}") }))
}

fn main() -> Result<(), Box<dyn Error>> {
    let limit = env::args().nth(1).map_or(Ok(1000), |limit| limit.parse())?;
    let (count, last) = (Cell::new(0u64), Cell::new(None));
    let counted = rows(limit).inspect(|row| {
        if let Ok(row) = row {
            count.set(count.get() + 1);
            last.set(Some(row.id));
        }
    });
    let export = Encoder::new()
        .object()
        .field("version", 1)
        .try_array("rows", counted)
        .field_with("count", || count.get())
        .field_with("next", || last.get());
    let bytes = export.chunks().write_to(io::stdout().lock())?;
    eprintln!("{} rows, {bytes} bytes", count.get());
    Ok(())
}
