//! Work that no encoder can do without: what is left above it is our own.

use std::hint::black_box;

use json_rope_bench_data::{Canada, documents as texts};
use serde_json::Value;

use super::documents::{self, parse};

/// The documents that floors are measured for.
pub struct Floors {
    /// Name and value of each.
    pub values: [(&'static str, Value); 3],
    /// The typed canada, and its coordinates.
    pub canada: Canada,
    pub floats: Vec<f64>,
    /// A long string that needs no escape.
    pub plain: String,
}

impl Floors {
    pub fn new() -> Floors {
        let canada: Canada = parse(texts::canada());
        let rings = canada.features.iter().flat_map(|feature| &feature.geometry.coordinates);
        let floats = rings.flatten().flatten().copied().collect();
        let values = [
            ("canada, Value", parse(texts::canada())),
            ("citm_catalog, Value", parse(texts::citm_catalog())),
            ("twitter, Value", parse(texts::twitter())),
        ];
        Floors { values, canada, floats, plain: documents::plain() }
    }
}

/// Copies an output that is known already into a new vector.
pub fn copy(output: &[u8]) -> Vec<u8> {
    output.to_vec()
}

/// Walks the tree and looks at every value and key, as an encoder must, but writes nothing.
pub fn walk(value: &Value) -> usize {
    match value {
        Value::Null => 4,
        Value::Bool(truth) => 4 + usize::from(!*truth),
        Value::Number(number) => match number.as_u64() {
            Some(integer) => integer as usize,
            None => number.as_f64().map_or(0, |float| float.to_bits() as usize),
        },
        Value::String(text) => look(text),
        Value::Array(elements) => elements.iter().fold(2, |sum, element| sum.wrapping_add(walk(element))),
        Value::Object(members) => {
            members.iter().fold(2, |sum, (key, value)| sum.wrapping_add(look(key)).wrapping_add(walk(value)))
        }
    }
}

/// Touches the memory of a text; reading all of it would be part of copying it.
fn look(text: &str) -> usize {
    text.len() + usize::from(text.as_bytes().first().copied().unwrap_or(0))
}

/// Formats numbers into one buffer, again and again: the time of the digits alone.
pub fn format_floats(floats: &[f64]) -> usize {
    let mut buffer = zmij::Buffer::new();
    floats.iter().map(|&float| black_box(buffer.format_finite(float)).len()).sum()
}
