//! Trees of `serde_json::Value`.
//!
//! Members are put into objects in the order of their keys, so the encoded
//! bytes are the same with and without serde_json's `preserve_order`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{SplitMix64, floats, text};

/// One object of `n` members, with keys such as `status_000042` and scalars
/// or short strings as values.
pub fn wide_object(seed: u64, n: usize) -> Value {
    let mut rng = SplitMix64::new(seed);
    let members: BTreeMap<String, Value> =
        (0..n).map(|i| (format!("{}_{i:06}", text::word(&mut rng)), scalar(&mut rng))).collect();
    Value::Object(members.into_iter().collect())
}

/// `depth` arrays and objects in one another, in turns, around a string.
///
/// The outermost is an array `[level, inner]`, the next an object
/// `{"inner": inner, "level": level}`, and so on; the levels count from 0.
///
/// Encoding, dropping and cloning a `Value` recurse. Keep `depth` at 10,000 or
/// less, and use a thread with 64 MiB of stack for more than 1,000: in a debug
/// build, 10,000 levels do not fit into the usual 8 MiB.
pub fn deep_tree(depth: usize) -> Value {
    (0..depth).rev().fold(json!("bottom"), |inner, level| {
        if level % 2 == 0 {
            Value::Array(vec![level.into(), inner])
        } else {
            let mut members = Map::new();
            members.insert("inner".into(), inner);
            members.insert("level".into(), level.into());
            Value::Object(members)
        }
    })
}

/// A tree of arrays, objects and scalars with `approx_nodes` values in it, the
/// root and all containers counted (one value if `approx_nodes` is 0).
///
/// Containers have two to eight members of similar weight, so the depth grows
/// with the logarithm of the number of values.
pub fn mixed_tree(seed: u64, approx_nodes: usize) -> Value {
    node(&mut SplitMix64::new(seed), approx_nodes)
}

fn node(rng: &mut SplitMix64, nodes: usize) -> Value {
    if nodes <= 1 {
        return leaf(rng);
    }
    let mut left = nodes - 1;
    let children = (2 + rng.index(7)).min(left);
    let budgets = (1..=children).rev().map(|others| {
        // The last takes the rest; others take half to one and a half of the
        // average. Every average is at least one, so nobody gets nothing.
        let average = left / others;
        let budget = match others {
            1 => left,
            _ => (average / 2 + rng.index(average + 1)).clamp(1, left - (others - 1)),
        };
        left -= budget;
        budget
    });
    let budgets: Vec<usize> = budgets.collect();
    if rng.percent(40) {
        budgets.into_iter().map(|n| node(rng, n)).collect()
    } else {
        let member = |(i, n)| (format!("{}{i}", text::word(rng)), node(rng, n));
        let members: BTreeMap<_, _> = budgets.into_iter().enumerate().map(member).collect();
        Value::Object(members.into_iter().collect())
    }
}

fn leaf(rng: &mut SplitMix64) -> Value {
    match rng.below(20) {
        0 => json!([]),
        1 => json!({}),
        _ => scalar(rng),
    }
}

fn scalar(rng: &mut SplitMix64) -> Value {
    match rng.below(10) {
        0 => Value::Null,
        1 => rng.percent(50).into(),
        2..5 => rng.below(1_000).into(),
        5 => (rng.next_u64() as i64).into(),
        6 => floats(rng.next_u64(), 1)[0].into(),
        7 => format!("say \"{}\"\n", text::word(rng)).into(),
        _ => format!("{} {}", text::word(rng), text::word(rng)).into(),
    }
}
