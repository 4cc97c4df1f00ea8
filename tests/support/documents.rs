//! Texts and values that are awkward to cut into chunks.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Characters of each length, escapes of each length, and what stands next to them in code pages.
pub const MARKS: [&str; 12] =
    ["é", "€", "😀", "\"", "\\", "\n", "\u{1}", "\u{7f}", "ab", "\u{7ff}", "\u{800}\u{ffff}", "\u{10000}\u{10ffff}"];

/// A string of which every byte is an escape or part of a character.
pub fn dense_text() -> String {
    "é\"€\\😀\n\u{1}\u{1f}é€😀\u{7f}\t\u{8}\u{c}\r😀😀€€éé\"\"".into()
}

/// Fifteen documents with every kind of token.
pub fn tricky() -> Vec<Value> {
    let keys: BTreeMap<String, Value> =
        MARKS.iter().enumerate().map(|(n, mark)| (format!("{}{mark}{n}", "k".repeat(n)), json!(n))).collect();
    vec![
        json!(dense_text()),
        json!("x".repeat(450)),
        json!("é".repeat(220)),
        json!("€".repeat(150)),
        json!("😀".repeat(110)),
        json!("\u{1}".repeat(80)),
        json!("\"\\".repeat(100)),
        json!((0..40).map(|n| format!("{}{}", "y".repeat(n), MARKS[n % 12])).collect::<Vec<_>>()),
        json!((0..60).map(|n| 3_i64.pow(n % 39) * if n % 2 == 0 { 1 } else { -1 }).collect::<Vec<_>>()),
        json!((0..60).map(|n| f64::from(n) * 1.0e-7 + 10f64.powi(5 * n - 150)).collect::<Vec<_>>()),
        json!(keys),
        json!([[[[{"a": [[], {}, [{}], {"b": {"c": [null, true, false]}}]}]]], []]),
        json!(vec![Value::Null; 90]),
        json!((0..50).map(|n| json!({ "n": n, "half": f64::from(n) / 2.0 })).collect::<Vec<_>>()),
        json!({"text": dense_text(), "list": [dense_text(), 1, -2.5e-300, u64::MAX, i64::MIN], "": {"": ""}}),
    ]
}
