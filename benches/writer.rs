//! Documents that are pushed piece by piece, measured, or appended to memory, beside the ordinary ways.
//!
//! ```sh
//! cargo bench -p json-rope-benches --bench writer
//! cargo bench -p json-rope-benches --bench writer -- --test         # one quick round, to see that it works
//! ```
//!
//! Times are medians of alternating rounds in one process, with results dropped.

#[path = "support/rounds.rs"]
mod rounds;
#[path = "support/table.rs"]
mod table;

use std::hint::black_box;

use json_rope::{Encoder, Frame, Key};
use json_rope_bench_data::generate::{message, object_2kb};
use json_rope_bench_data::{Canada, CitmCatalog, Twitter, documents};
use serde::Serialize;
use serde_json::{Map, Value};

use rounds::{Candidate, medians};
use table::{Table, grouped, micros, ratio};

/// Odd, so that the median is one of the times.
const ROUNDS: usize = 61;
const NAMES: [&str; 8] = ["id", "user", "product", "quantity", "price", "tax", "created", "updated"];

#[derive(Serialize)]
struct Row {
    id: u64,
    user: u64,
    product: u64,
    quantity: u64,
    price: u64,
    tax: u64,
    created: u64,
    updated: u64,
}

fn columns(n: u64) -> [u64; 8] {
    [n, n * 7 % 10_007, n % 523, n % 10, n * 37 % 100_000, n % 100, 1_700_000_000 + n, 1_700_000_500 + n]
}

/// Lines by a writer, with keys that are encoded once, or each time.
fn pushed(encoder: &Encoder, rows: &[[u64; 8]], keys: Option<&[Key; 8]>) -> usize {
    let mut writer = encoder.record_writer(Frame::NdJson);
    let mut bytes = 0;
    for row in rows {
        writer.begin_object().expect("a record is due");
        for (column, value) in row.iter().enumerate() {
            match keys {
                Some(keys) => writer.encoded_key(&keys[column]).expect("a key is due"),
                None => writer.key(NAMES[column]).expect("a key is due"),
            }
            writer.value(value).expect("a value is due");
        }
        writer.end().expect("an object is open");
        while let Some(chunk) = writer.pop() {
            bytes += chunk.len();
        }
    }
    writer.finish().expect("all is closed");
    bytes + std::iter::from_fn(|| writer.pop()).map(|chunk| chunk.len()).sum::<usize>()
}

fn drained<T: Serialize>(encoder: &Encoder, rows: &[T]) -> usize {
    encoder.records(Frame::NdJson, rows).map(|chunk| chunk.expect("encodes").len()).sum()
}

fn memory(table: &mut Table, name: &str, value: &impl Serialize, rounds: usize) {
    let encoder = Encoder::new();
    let len = encoder.measure(value).expect("encodes") as usize;
    let (ours, theirs) = (std::cell::RefCell::new(Vec::new()), std::cell::RefCell::new(Vec::new()));
    let candidates = [
        Candidate::new(|| encoder.encode(black_box(value))),
        Candidate::new(|| encoder.measure(black_box(value))),
        Candidate::new(|| {
            let mut vec = ours.borrow_mut();
            vec.clear();
            encoder.encode_to_vec(&mut vec, black_box(value))
        }),
        Candidate::new(|| {
            let mut vec = theirs.borrow_mut();
            vec.clear();
            serde_json::to_writer(&mut *vec, black_box(value))
        }),
    ];
    let medians = medians(candidates, rounds);
    let times = &medians.times;
    table.row(vec![
        name.to_owned(),
        grouped(len),
        micros(times[0]),
        ratio(medians.ratios[1]),
        micros(times[2]),
        micros(times[3]),
        ratio(medians.ratio(3, 2)),
    ]);
}

fn main() {
    let test = std::env::args().any(|argument| argument == "--test") || !std::env::args().any(|a| a == "--bench");
    let (rounds, count) = if test { (1, 1000) } else { (ROUNDS, 100_000) };
    let encoder = Encoder::new();
    let rows: Vec<[u64; 8]> = (0..count).map(columns).collect();
    let structs: Vec<Row> = rows
        .iter()
        .map(|&[id, user, product, quantity, price, tax, created, updated]| Row {
            id,
            user,
            product,
            quantity,
            price,
            tax,
            created,
            updated,
        })
        .collect();
    let maps: Vec<Map<String, Value>> = rows
        .iter()
        .map(|row| NAMES.iter().zip(row).map(|(name, value)| ((*name).to_owned(), (*value).into())).collect())
        .collect();
    let keys = NAMES.map(Key::new);
    let expected = drained(&encoder, &structs);
    assert_eq!((pushed(&encoder, &rows, Some(&keys)), pushed(&encoder, &rows, None)), (expected, expected));
    assert_eq!(drained(&encoder, &maps), expected);
    let candidates = [
        Candidate::new(|| pushed(&encoder, black_box(&rows), Some(&keys))),
        Candidate::new(|| pushed(&encoder, black_box(&rows), None)),
        Candidate::new(|| drained(&encoder, black_box(&structs))),
        Candidate::new(|| drained(&encoder, black_box(&maps))),
    ];
    let medians = medians(candidates, rounds);
    let mut table = Table::new(&["rows of 8 integers as NDJSON", "bytes", "µs", "time, Writer and Key = 1"], &[0]);
    for (index, name) in ["Writer and Key", "Writer and names", "derived structs", "serde_json::Map"].iter().enumerate()
    {
        table.row(vec![
            (*name).to_owned(),
            grouped(expected),
            micros(medians.times[index]),
            ratio(medians.ratios[index]),
        ]);
    }
    println!("{}", table.render());

    let head = ["document", "bytes", "encode µs", "measure / encode", "encode_to_vec µs", "serde_json µs", "ratio"];
    let mut table = Table::new(&head, &[0]);
    memory(&mut table, "true", &true, rounds);
    memory(&mut table, "150-byte message", &message(), rounds);
    memory(&mut table, "2 KB object", &object_2kb(1), rounds);
    memory(&mut table, "canada", &serde_json::from_str::<Canada>(documents::canada()).expect("JSON"), rounds);
    memory(
        &mut table,
        "citm_catalog",
        &serde_json::from_str::<CitmCatalog>(documents::citm_catalog()).expect("JSON"),
        rounds,
    );
    memory(&mut table, "twitter", &serde_json::from_str::<Twitter>(documents::twitter()).expect("JSON"), rounds);
    println!("Vectors are used again. The last column: serde_json's `to_writer` / `encode_to_vec`.\n");
    println!("{}", table.render());
}
