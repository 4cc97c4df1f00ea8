//! What output on demand costs beside encoding at once: trees, and arrays of many small items.
//!
//! ```sh
//! cargo bench -p json-rope-benches --bench pull
//! cargo bench -p json-rope-benches --bench pull -- --test           # one quick round, to see that it works
//! ```
//!
//! Times are medians of alternating rounds in one process, with results dropped.

#[path = "support/rounds.rs"]
mod rounds;
#[path = "support/table.rs"]
mod table;

use std::hint::black_box;

use bytes::Bytes;
use json_rope::{Encoder, Error, Frame, to_rope};
use json_rope_bench_data::{documents, generate};
use serde_json::Value;

use rounds::{Candidate, medians};
use table::{Table, grouped, micros, ratio};

/// Odd, so that the median is one of the times.
const ROUNDS: usize = 61;
const ITEMS: u32 = 10_000_000;

fn main() {
    let test = std::env::args().any(|argument| argument == "--test") || !std::env::args().any(|a| a == "--bench");
    let (rounds, items) = if test { (1, 1000) } else { (ROUNDS, ITEMS) };
    let encoder = Encoder::new();

    let head = [
        "document",
        "bytes",
        "to_rope µs",
        "encode",
        "encode_tree",
        "chunks(&tree)",
        "chunks(tree)",
        "clone alone",
        "serde_json",
    ];
    let mut trees = Table::new(&head, &[0]);
    let parsed = |text: &str| -> Value { serde_json::from_str(text).expect("the document is JSON") };
    let documents: [(&str, &dyn Fn() -> Value); 5] = [
        ("canada", &|| parsed(documents::canada())),
        ("citm_catalog", &|| parsed(documents::citm_catalog())),
        ("twitter", &|| parsed(documents::twitter())),
        ("mixed tree", &|| generate::mixed_tree(1, 50_000)),
        ("deep tree", &|| generate::deep_tree(900)),
    ];
    for (name, tree) in documents {
        let tree = tree();
        let bytes = to_rope(&tree).expect("encodes").len();
        // Owned trees are cloned first, which is timed alone, too.
        let candidates = [
            Candidate::new(|| to_rope(black_box(&tree))),
            Candidate::new(|| encoder.encode(black_box(&tree))),
            Candidate::new(|| encoder.encode_tree(black_box(&tree))),
            Candidate::new(|| drain(encoder.chunks(black_box(&tree)))),
            Candidate::new(|| drain(encoder.chunks(black_box(&tree).clone()))),
            Candidate::new(|| black_box(&tree).clone()),
            Candidate::new(|| serde_json::to_vec(black_box(&tree))),
        ];
        let medians = medians(candidates, rounds);
        let mut row = vec![name.to_owned(), grouped(bytes), micros(medians.times[0])];
        row.extend(medians.ratios[1..].iter().map(|&by| ratio(by)));
        trees.row(row);
    }
    println!("Trees: times divided by that of to_rope; below 1 is faster. chunks(tree) includes cloning it.\n");
    println!("{}", trees.render());

    let head = ["items", "to_rope(&Vec) µs", "array(iter)", "records(Line)"];
    let mut arrays = Table::new(&head, &[0]);
    let small: Vec<u32> = (0..items).map(|n| n % 1000).collect();
    let pairs: Vec<(u32, &str)> = small.iter().map(|&n| (n, "some text")).collect();
    let candidates = [
        Candidate::new(|| to_rope(black_box(&small))),
        Candidate::new(|| drain(encoder.array(black_box(&small)))),
        Candidate::new(|| drain(encoder.records(Frame::NdJson, black_box(&small)))),
    ];
    let integers = medians(candidates, rounds.min(21));
    let candidates = [
        Candidate::new(|| to_rope(black_box(&pairs))),
        Candidate::new(|| drain(encoder.array(black_box(&pairs)))),
        Candidate::new(|| drain(encoder.records(Frame::NdJson, black_box(&pairs)))),
    ];
    let pairs = medians(candidates, rounds.min(21));
    for (name, medians) in [("integers", integers), ("(integer, text)", pairs)] {
        let mut row = vec![format!("{} {name}", grouped(items as usize)), micros(medians.times[0])];
        row.extend(medians.ratios[1..].iter().map(|&by| ratio(by)));
        arrays.row(row);
    }
    println!("Many small items: times divided by that of the same Vec at once; below 1 is faster.\n");
    println!("{}", arrays.render());
}

/// Takes all chunks, dropping each, and returns the number of bytes.
fn drain(chunks: impl Iterator<Item = Result<Bytes, Error>>) -> usize {
    chunks.map(|chunk| chunk.expect("encodes").len()).sum()
}
