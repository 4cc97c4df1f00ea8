//! Proves that documents of up to some megabytes come out right under all settings on all ways out.
//!
//! The whole product is millions of documents. Each run covers, for every way out, all pairs of values of two settings
//! (a document, and whether it fails, are settings here), chosen by a seed; so all triples of a way and two values.
//! A sample has fewer documents, and `.ci/long` repeats that with other documents and other choices.

use std::sync::LazyLock;

use crate::support::differential::document::{Document, KINDS, Random};
use crate::support::differential::settings::levels;
use crate::support::differential::ways::{Source, Way, ways};
use crate::support::differential::{Trial, check};
use crate::support::sweeps::{Sweeps, long, sweeps};

/// Sizes of documents in bytes, and how many there are of each: every kind is among the small ones, and among the large.
const SIZES: [(usize, usize); 4] = [(0, 2), (3000, 4), (60_000, 4), (400_000, 2)];
const SAMPLE: [(usize, usize); 4] = [(0, 1), (3000, 3), (60_000, 1), (250_000, 1)];

/// The documents of one seed.
fn documents(seed: u64) -> Vec<Document> {
    let mut random = Random(seed);
    let mut documents = Vec::new();
    let mut kinds = KINDS.iter().cycle().skip(random.below(KINDS.len()));
    for (bytes, count) in if sweeps() == Sweeps::Sample { SAMPLE } else { SIZES } {
        for &kind in kinds.by_ref().take(count) {
            documents.push(Document::new(random.next(), kind, bytes));
        }
    }
    documents
}

static DOCUMENTS: LazyLock<Vec<Document>> = LazyLock::new(|| documents(1));

/// Rows of one value each for factors with so many values, so that all pairs of values of two factors are in a row.
/// Greedy: each row is the best of a few random ones, completed value by value.
fn all_pairs(levels: &[usize], random: &mut Random) -> Vec<Vec<usize>> {
    let mut open: Vec<(usize, usize, usize, usize)> = Vec::new();
    for b in 0..levels.len() {
        for a in 0..b {
            open.extend((0..levels[a]).flat_map(|x| (0..levels[b]).map(move |y| (a, x, b, y))));
        }
    }
    let mut rows = Vec::new();
    while !open.is_empty() {
        // Begins with a pair that is not covered yet, so that every row covers something.
        let (a, x, b, y) = open[random.below(open.len())];
        let mut row: Vec<Option<usize>> = vec![None; levels.len()];
        (row[a], row[b]) = (Some(x), Some(y));
        let mut order: Vec<usize> = (0..levels.len()).filter(|factor| ![a, b].contains(factor)).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, random.below(at + 1));
        }
        for factor in order {
            let mut gains = vec![0; levels[factor]];
            for &(a, x, b, y) in &open {
                if a == factor && row[b] == Some(y) {
                    gains[x] += 1;
                } else if b == factor && row[a] == Some(x) {
                    gains[y] += 1;
                }
            }
            let shift = random.below(levels[factor]);
            row[factor] = (0..levels[factor]).map(|at| (at + shift) % levels[factor]).max_by_key(|&value| gains[value]);
        }
        let row: Vec<usize> = row.into_iter().map(|value| value.expect("all are chosen")).collect();
        open.retain(|&(a, x, b, y)| row[a] != x || row[b] != y);
        rows.push(row);
    }
    rows
}

/// All pairs of settings, documents, and failing or not, on each of these ways.
fn run(seed: u64, documents: &[Document], chosen: &Group) {
    let ways = ways();
    let (mut trials, mut bytes) = (0, 0);
    for (number, way) in ways.iter().enumerate().filter(|(_, way)| group(way) == *chosen) {
        let mut random = Random(seed ^ (number as u64) << 32);
        let mut levels = levels();
        let settings = levels.len();
        if matches!(way.source, Source::Everyday { .. }) {
            levels.fill(1);
        }
        levels.extend([documents.len(), 2]);
        for row in all_pairs(&levels, &mut random) {
            let document = &documents[row[settings]];
            let fails = row[settings + 1] == 1 && way.source != Source::Tree;
            check(&Trial { document, fails, settings: &row[..settings], way, seed: random.next() });
            trials += 1;
            bytes += document.size;
        }
    }
    println!("{trials} documents, {} MB", bytes / 1_000_000);
}

/// Every run, and many more with other documents in a long one.
fn run_often(chosen: Group) {
    run(1, &DOCUMENTS, &chosen);
    if long() {
        for seed in 2..12 {
            run(seed, &documents(seed), &chosen);
        }
    }
}

/// Ways that are tested together, so that the groups run side by side.
#[derive(PartialEq)]
enum Group {
    InMemory,
    Framed,
    Written,
    Trees,
    Arrays,
    Records,
}

fn group(way: &Way) -> Group {
    match way.source {
        Source::Tree => Group::Trees,
        Source::Array | Source::Object => Group::Arrays,
        Source::Records => Group::Records,
        _ if way.name.contains("writ") => Group::Written,
        _ if way.frame.is_some() => Group::Framed,
        _ => Group::InMemory,
    }
}

#[test]
fn in_memory() {
    run_often(Group::InMemory);
}

#[test]
fn framed_in_memory() {
    run_often(Group::Framed);
}

#[test]
fn written() {
    run_often(Group::Written);
}

#[test]
fn trees() {
    run_often(Group::Trees);
}

#[test]
fn arrays() {
    run_often(Group::Arrays);
}

#[test]
fn records() {
    run_often(Group::Records);
}

#[test]
fn every_pair_is_covered() {
    let mut levels = levels();
    levels.extend([DOCUMENTS.len(), 2]);
    let rows = all_pairs(&levels, &mut Random(7));
    println!("{} rows", rows.len());
    for b in 0..levels.len() {
        for a in 0..b {
            for (x, y) in (0..levels[a]).flat_map(|x| (0..levels[b]).map(move |y| (x, y))) {
                assert!(rows.iter().any(|row| row[a] == x && row[b] == y));
            }
        }
    }
}
