//! Proves that what the options write means the same to those who read it: serde_json, simd-json and sonic-rs here, other
//! languages by `.ci/read_back`, for which this writes files.

#[path = "../../tests/support/generated_numbers.rs"]
mod generated_numbers;

use std::fmt::Write as _;
use std::path::PathBuf;

use json_rope::{Encoder, EncoderBuilder};
use json_rope_bench_data::documents::{citm_catalog, twitter};
use serde_json::{Value, json};

use generated_numbers::generated;

type Change = fn(EncoderBuilder) -> EncoderBuilder;

/// Options that leave the meaning as it is, by name.
const OPTIONS: [(&str, Change); 14] = [
    ("plain", |builder| builder),
    ("pretty", |builder| builder.pretty(true)),
    ("tabs", |builder| builder.pretty(true).indent("\t")),
    ("inline_20", |builder| builder.pretty(true).inline_width(20)),
    ("inline_80", |builder| builder.pretty(true).inline_width(80)),
    ("inline_all", |builder| builder.pretty(true).inline_width(usize::MAX)),
    ("ascii", |builder| builder.ascii(true)),
    ("html", |builder| builder.html_safe(true)),
    ("solidus", |builder| builder.escape_solidus(true)),
    ("all_escapes", |builder| builder.ascii(true).html_safe(true).escape_solidus(true)),
    ("sorted", |builder| builder.sort_keys(true)),
    ("sorted_inline", |builder| builder.pretty(true).sort_keys(true).inline_width(60).ascii(true)),
    ("canonical", |builder| builder.canonical(true)),
    ("small_chunks", |builder| builder.pretty(true).inline_width(40).first_chunk(16).max_chunk(16)),
];

/// Texts and numbers of every kind that all readers agree on.
fn document() -> Value {
    let texts =
        ["", "é😀\u{10000}\u{ffff}\u{7f}", "\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1f}", "</script>&\u{2028}\u{2029}", "データ"];
    let mut value = json!({
        "numbers": [0, -1, 9_007_199_254_740_991_u64, -9_007_199_254_740_991_i64, 0.1, -2.5, 1e21, 1e-7, 5e-324, 1.5e300],
        "literals": [null, true, false, [], {}],
        "nested": {"a": {"b": [[1, 2], [3, {"c": null}]]}, "points": vec![[1.5, -2.25]; 20]},
    });
    for (index, text) in texts.iter().enumerate() {
        value[format!("{text} {index}")] = json!([text, {*text: text}]);
    }
    value
}

fn encoded(value: &Value) -> impl Iterator<Item = (&'static str, String)> {
    OPTIONS.iter().map(|(name, change)| {
        let encoder = change(Encoder::builder()).build().unwrap();
        (*name, encoder.encode(value).unwrap().into_string().unwrap())
    })
}

/// Numbers compare as doubles: canonical JSON writes 1.0 as 1.
fn as_doubles(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.iter().map(as_doubles).collect(),
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), as_doubles(value))).collect(),
        other => other.clone(),
    }
}

#[test]
fn readers_in_rust() {
    let value = document();
    let expected = as_doubles(&value);
    for (name, text) in encoded(&value) {
        assert_eq!(as_doubles(&serde_json::from_str(&text).unwrap()), expected, "serde_json, {name}");
        let by_simd: Value = simd_json::serde::from_slice(&mut text.clone().into_bytes()).unwrap();
        assert_eq!(as_doubles(&by_simd), expected, "simd-json, {name}");
        #[cfg(target_pointer_width = "64")]
        assert_eq!(as_doubles(&sonic_rs::from_str(&text).unwrap()), expected, "sonic-rs, {name}");
    }
}

#[test]
fn documents_of_others() {
    // Without floats, which serde_json reads exactly only with its feature `float_roundtrip`.
    for text in [citm_catalog(), twitter()] {
        let value: Value = serde_json::from_str(text).unwrap();
        // Twitter's identifiers are integers that no double can hold.
        for (name, change) in OPTIONS.iter().filter(|(name, _)| *name != "canonical" && *name != "small_chunks") {
            let rope = change(Encoder::builder()).build().unwrap().encode(&value).unwrap().into_string().unwrap();
            let again: Value = serde_json::from_str(&rope).unwrap();
            assert!(again == value, "{name}");
        }
    }
}

/// Does nothing unless `.ci/read_back` asks for it.
#[test]
fn files_for_other_readers() {
    let Some(folder) = std::env::var_os("JSON_ROPE_READ_BACK").map(PathBuf::from) else { return };
    for (name, text) in encoded(&document()) {
        std::fs::write(folder.join(format!("{name}.json")), text).unwrap();
    }
    let encoder = Encoder::builder().canonical(true).build().unwrap();
    let mut lines = String::new();
    for number in generated().take(100_000) {
        writeln!(lines, "{:x},{}", number.to_bits(), encoder.encode(&number).unwrap()).unwrap();
    }
    std::fs::write(folder.join("numbers.txt"), lines).unwrap();
}
