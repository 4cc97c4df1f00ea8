//! What each option costs beside compact output of the same document.
//!
//! ```sh
//! cargo bench -p json-rope-benches --bench options
//! cargo bench -p json-rope-benches --bench options -- --test        # one quick round, to see that it works
//! ```
//!
//! Times are medians of alternating rounds in one process, with results dropped.

#[path = "support/rounds.rs"]
mod rounds;
#[path = "support/table.rs"]
mod table;

use std::hint::black_box;

use json_rope::{BigIntegers, Encoder, EncoderBuilder};
use json_rope_bench_data::{Canada, CitmCatalog, Twitter, documents};
use serde::Serialize;
use serde_json::Value;

use rounds::{Candidate, medians};
use table::{Table, grouped, micros, ratio};

/// Odd, so that the median is one of the times.
const ROUNDS: usize = 61;

fn encoders() -> Vec<(&'static str, Encoder)> {
    let of = |name, set: fn(EncoderBuilder) -> EncoderBuilder| {
        (name, set(Encoder::builder()).build().expect("good settings"))
    };
    vec![
        of("compact", |b| b),
        of("pretty", |b| b.pretty(true)),
        of("inline_width(80)", |b| b.pretty(true).inline_width(80)),
        of("sort_keys", |b| b.sort_keys(true)),
        of("big_integers", |b| b.big_integers(BigIntegers::String)),
        of("ascii", |b| b.ascii(true)),
        of("canonical", |b| b.canonical(true)),
    ]
}

fn row(table: &mut Table, name: &str, value: &impl Serialize, rounds: usize) {
    let mut encoders = encoders();
    // Integers beyond 2^53 have no canonical form.
    let can = |encoder: &Encoder| encoder.encode(value).is_ok();
    let failed = encoders.pop_if(|(_, encoder)| !can(encoder));
    let candidates: Vec<Candidate<'_>> =
        encoders.iter().map(|(_, encoder)| Candidate::new(move || encoder.encode(black_box(value)))).collect();
    let medians = medians(candidates, rounds);
    let length = |encoder: &Encoder| encoder.measure(value).expect("encodes");
    let mut row = vec![name.to_owned(), micros(medians.times[0])];
    row.extend(medians.ratios[1..].iter().map(|&by| ratio(by)));
    row.extend(failed.map(|_| "error".to_owned()));
    row.extend(encoders[..3].iter().map(|(_, encoder)| grouped(length(encoder) as usize)));
    table.row(row);
}

fn main() {
    let test = std::env::args().any(|argument| argument == "--test") || !std::env::args().any(|a| a == "--bench");
    let rounds = if test { 1 } else { ROUNDS };
    let mut head = vec!["document", "compact µs"];
    let names = encoders();
    head.extend(names[1..].iter().map(|(name, _)| *name));
    head.extend(["bytes", "bytes, pretty", "bytes, inline_width"]);
    let mut table = Table::new(&head, &[0]);
    row(&mut table, "canada", &serde_json::from_str::<Canada>(documents::canada()).expect("JSON"), rounds);
    row(
        &mut table,
        "citm_catalog",
        &serde_json::from_str::<CitmCatalog>(documents::citm_catalog()).expect("JSON"),
        rounds,
    );
    row(&mut table, "twitter", &serde_json::from_str::<Twitter>(documents::twitter()).expect("JSON"), rounds);
    for (name, text) in [
        ("canada, Value", documents::canada()),
        ("citm_catalog, Value", documents::citm_catalog()),
        ("twitter, Value", documents::twitter()),
    ] {
        row(&mut table, name, &serde_json::from_str::<Value>(text).expect("JSON"), rounds);
    }
    println!("Times divided by that of compact output.\n");
    println!("{}", table.render());
}
