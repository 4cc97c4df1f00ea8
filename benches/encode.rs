//! All documents, against the other encoders and against the floors.
//!
//! ```sh
//! cargo bench -p json-rope-benches --bench encode                 # all, some minutes
//! cargo bench -p json-rope-benches --bench encode -- twitter      # those whose name contains `twitter`
//! cargo bench -p json-rope-benches --bench encode -- --test       # each once, to see that it works
//! ```
//!
//! Our output is compared with serde_json's byte for byte before it is timed, and a peer's at least value by value.
//! For ratios that can be compared with each other, `cargo bench -p json-rope-benches --bench ratios` alternates between the encoders.

mod support;

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use json_rope::{Encoder, to_rope};
use serde::Serialize;

use support::documents::{self, Visitor};
use support::floors::{self, Floors};
use support::peers::{agreement, done, ours, peers};

/// Compact output of every document.
struct Compact<'a> {
    criterion: &'a mut Criterion,
    group: &'static str,
}

impl Visitor for Compact<'_> {
    fn group(&mut self, name: &'static str) {
        self.group = name;
    }

    fn wants(&self, _name: &str) -> bool {
        true
    }

    fn visit<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) {
        let expected = done(serde_json::to_vec(value));
        let encoder = Encoder::new();
        let ours = ours::<T>();
        assert!((ours.compact)(value) == expected, "{name}: to_rope does not agree with serde_json");
        for _ in 0..3 {
            assert!(done(encoder.encode(value)) == expected, "{name}: Encoder does not agree with serde_json");
        }
        let mut group = open(self.criterion, &format!("{}/{name}", self.group), expected.len());
        group.bench_function("json-rope", |b| b.iter(|| (ours.compact)(black_box(value))));
        group.bench_function("json-rope, Encoder", |b| b.iter(|| done(encoder.encode(black_box(value)))));
        for peer in peers::<T>() {
            agreement(peer.name, &(peer.compact)(value), &expected);
            group.bench_function(peer.name, |b| b.iter(|| (peer.compact)(black_box(value))));
        }
        group.finish();
    }
}

/// Pretty output of the classic documents.
struct Pretty<'a> {
    criterion: &'a mut Criterion,
}

impl Visitor for Pretty<'_> {
    fn group(&mut self, _name: &'static str) {}

    fn wants(&self, _name: &str) -> bool {
        true
    }

    fn visit<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) {
        let expected = done(serde_json::to_vec_pretty(value));
        let ours = ours::<T>();
        assert!((ours.pretty)(value) == expected, "{name}: to_rope_pretty does not agree with serde_json");
        let mut group = open(self.criterion, &format!("pretty/{name}"), expected.len());
        group.bench_function("json-rope", |b| b.iter(|| (ours.pretty)(black_box(value))));
        for peer in peers::<T>() {
            agreement(peer.name, &(peer.pretty)(value), &expected);
            group.bench_function(peer.name, |b| b.iter(|| (peer.pretty)(black_box(value))));
        }
        group.finish();
    }
}

fn floors(criterion: &mut Criterion) {
    let Floors { values, canada, floats, plain } = Floors::new();
    for (name, value) in &values {
        let output = done(to_rope(value)).to_vec();
        let mut group = open(criterion, &format!("floors/{name}"), output.len());
        group.bench_function("copy", |b| b.iter(|| floors::copy(black_box(&output))));
        group.bench_function("walk", |b| b.iter(|| floors::walk(black_box(value))));
        group.finish();
    }
    let output = done(to_rope(&plain)).to_vec();
    let mut group = open(criterion, "floors/plain", output.len());
    group.bench_function("copy", |b| b.iter(|| floors::copy(black_box(&output))));
    group.finish();
    let bytes = done(to_rope(&canada)).len();
    let mut group = open(criterion, "floors/canada", bytes);
    assert_eq!(floats.len(), 111_126);
    group.bench_function("format floats", |b| b.iter(|| floors::format_floats(black_box(&floats))));
    group.finish();
}

fn open<'a>(criterion: &'a mut Criterion, name: &str, bytes: usize) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Bytes(bytes as u64));
    group
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    documents::visit_all(&mut Compact { criterion: &mut criterion, group: "" });
    documents::visit_values(&mut Pretty { criterion: &mut criterion });
    floors(&mut criterion);
    criterion.final_summary();
}
