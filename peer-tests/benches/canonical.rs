//! Canonical JSON beside serde_json_canonicalizer: `cargo bench -p json-rope-peer-tests --bench canonical`.
//!
//! Medians of alternating rounds in one process. Where a document has no canonical form (twitter.json has integers that no
//! double can hold) it is left out.

use std::hint::black_box;
use std::time::Instant;

use json_rope::Encoder;
use json_rope_bench_data::documents;
use serde_json::Value;

const ROUNDS: usize = 41;

fn timed<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let encoder = Encoder::builder().canonical(true).build().expect("good settings");
    println!("| document | json-rope µs | serde_json_canonicalizer µs | ratio |\n|---|--:|--:|--:|");
    for (name, text) in [("canada", documents::canada()), ("citm_catalog", documents::citm_catalog())] {
        let value: Value = serde_json::from_str(text).expect("it is JSON");
        let theirs = serde_json_canonicalizer::to_vec(&value).expect("has a canonical form");
        assert!(encoder.encode(&value).expect("has a canonical form") == theirs, "{name}");
        let (mut ours, mut peers) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ours.push(timed(|| encoder.encode(&value)));
            peers.push(timed(|| serde_json_canonicalizer::to_vec(&value)));
        }
        let (ours, peers) = (median(ours), median(peers));
        println!("| {name} | {:.0} | {:.0} | {:.2} |", ours * 1e6, peers * 1e6, peers / ours);
    }
}
