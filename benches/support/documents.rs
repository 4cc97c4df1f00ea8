//! The list of documents. Nothing in the encoder knows any of them.

use json_rope_bench_data::generate::{
    SplitMix64, base64_strings, cjk_emoji_text, deep_tree, escaped_text, floats, html_text, log_records, message,
    mixed_tree, object_2kb, plain_text, small_integers, wide_object,
};
use json_rope_bench_data::{Canada, CitmCatalog, Twitter, documents};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// What is done with every document, whatever its type.
pub trait Visitor {
    /// A new group of documents begins.
    fn group(&mut self, name: &'static str);

    /// Whether the document is wanted; if not, it is not made.
    fn wants(&self, name: &str) -> bool;

    /// The document.
    fn visit<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T);

    /// The document, which is a tree.
    fn visit_tree(&mut self, name: &'static str, tree: &Value) {
        self.visit(name, tree);
    }
}

/// Seed of all generated documents.
const SEED: u64 = 1;
const MIB: usize = 1 << 20;
/// Levels of the deep tree; the encoder refuses more than 1,000.
const DEPTH: usize = 900;

/// Makes the wanted documents, one after the other, and shows them to `visitor`.
pub fn visit_all(visitor: &mut impl Visitor) {
    visitor.group("typed structs");
    one(visitor, "canada", || parse::<Canada>(documents::canada()));
    one(visitor, "citm_catalog", || parse::<CitmCatalog>(documents::citm_catalog()));
    one(visitor, "twitter", || parse::<Twitter>(documents::twitter()));
    one(visitor, "log records", || log_records(SEED, 2_000));

    visitor.group("serde_json::Value");
    visit_values(visitor);

    visitor.group("strings of 1 MiB");
    one(visitor, "plain", plain);
    one(visitor, "escape every 25 bytes", || escaped_text(SEED, MIB));
    one(visitor, "CJK and emoji", || cjk_emoji_text(SEED, MIB));
    one(visitor, "HTML", || html_text(SEED, MIB));

    visitor.group("small");
    one(visitor, "150-byte message", message);
    one(visitor, "2 KB object", || object_2kb(SEED));

    visitor.group("tiny");
    one(visitor, "true", || true);
    tree(visitor, "object of 8 bytes", || json!({"ok": 1}));
    one(visitor, "struct of 22 bytes", || Small { id: 12_345, ok: true });
    one(visitor, "struct of 93 bytes", || Medium {
        id: 123_456,
        name: "a small thing",
        price: 12.5,
        tags: [1, 20, 255],
        active: true,
        note: None,
    });

    visitor.group("larger than the cache");
    one(visitor, "1,000,000 typed rows", || (0..5 * ROWS).map(Row::new).collect::<Vec<_>>());
    tree(visitor, "200,000 rows, Value", rows);
    tree(visitor, "200,000 rows in any order, Value", || shuffled(rows()));
    tree(visitor, "10,000 rows of 40 columns, Value", table);

    visitor.group("other");
    one(visitor, "Base64, 1 MiB", || base64_strings(SEED, 1, MIB).remove(0));
    one(visitor, "small integers", || small_integers(SEED, 100_000));
    one(visitor, "floats", || floats(SEED, 50_000));
    one(visitor, "wide object", || wide_object(SEED, 20_000));
    tree(visitor, "mixed tree", || mixed_tree(SEED, 50_000));
    tree(visitor, "deep tree", || deep_tree(DEPTH));
}

/// The three classic documents as `serde_json::Value`.
pub fn visit_values(visitor: &mut impl Visitor) {
    tree(visitor, "canada, Value", || parse(documents::canada()));
    tree(visitor, "citm_catalog, Value", || parse(documents::citm_catalog()));
    tree(visitor, "twitter, Value", || parse(documents::twitter()));
}

#[derive(Serialize)]
struct Small {
    id: u32,
    ok: bool,
}

#[derive(Serialize)]
struct Medium {
    id: u64,
    name: &'static str,
    price: f64,
    tags: [u8; 3],
    active: bool,
    note: Option<&'static str>,
}

const ROWS: u32 = 200_000;

#[derive(Serialize)]
struct Row {
    id: u32,
    x: f64,
    y: f64,
    s: String,
}

impl Row {
    fn new(id: u32) -> Row {
        Row { id, x: f64::from(id) * 0.37, y: f64::from(id) * -1.7, s: format!("row {id}") }
    }
}

fn rows() -> Value {
    (0..ROWS).map(|id| serde_json::to_value(Row::new(id)).expect("a row is JSON")).collect()
}

/// Elements that are next to each other in the document are not so in memory: as in a tree that was changed for long.
fn shuffled(mut rows: Value) -> Value {
    let mut random = SplitMix64::new(SEED);
    if let Value::Array(rows) = &mut rows {
        for index in (1..rows.len()).rev() {
            rows.swap(index, random.index(index + 1));
        }
    }
    rows
}

fn table() -> Value {
    let cell = |row: u32, column: u32| match column % 4 {
        0 => json!(row * column),
        1 => json!(f64::from(row) / 7.0),
        2 => json!(format!("text {row}")),
        _ => json!(row.is_multiple_of(2)),
    };
    let row = |row| (0..40).map(|column| (format!("column{column}"), cell(row, column))).collect::<Map<_, _>>();
    (0..10_000).map(|index| Value::Object(row(index))).collect()
}

fn one<T: Serialize>(visitor: &mut impl Visitor, name: &'static str, make: impl FnOnce() -> T) {
    if visitor.wants(name) {
        visitor.visit(name, &make());
    }
}

fn tree(visitor: &mut impl Visitor, name: &'static str, make: impl FnOnce() -> Value) {
    if visitor.wants(name) {
        visitor.visit_tree(name, &make());
    }
}

/// A string of 1 MiB that needs no escape.
pub fn plain() -> String {
    plain_text(SEED, MIB)
}

/// A classic document as a value of type `T`.
pub fn parse<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).expect("the classic documents are JSON and have models")
}
