//! A few bytes of input make a document of up to a megabyte, settings, and ways out, which must agree with a slow and
//! obvious reference. What a batch, a pool or sorting does only after many kilobytes is reached here.
#![no_main]

#[allow(dead_code, reason = "shared with the other targets")]
mod support;

use std::sync::LazyLock;

use arbitrary::{Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use support::differential::document::{Document, KINDS};
use support::differential::settings::levels;
use support::differential::ways::{Source, Way, ways};
use support::differential::{Trial, check};

#[derive(Arbitrary, Debug)]
struct Input {
    seed: u64,
    kind: u8,
    /// Logarithm of the size, and a part of it.
    size: (u8, u8),
    fails: bool,
    ways: [u8; 3],
    settings: [u8; 16],
}

static WAYS: LazyLock<Vec<Way>> = LazyLock::new(ways);

fuzz_target!(|data: &[u8]| {
    let Ok(input) = Unstructured::new(data).arbitrary::<Input>() else { return };
    let bytes = (256 + usize::from(input.size.1)) << (input.size.0 % 12);
    let document = Document::new(input.seed, KINDS[usize::from(input.kind) % KINDS.len()], bytes);
    let levels = levels();
    assert!(levels.len() <= input.settings.len(), "a byte for every setting");
    let settings: Vec<usize> =
        levels.iter().zip(input.settings).map(|(&values, byte)| usize::from(byte) % values).collect();
    for number in input.ways {
        let way = &WAYS[usize::from(number) % WAYS.len()];
        let fails = input.fails && way.source != Source::Tree;
        check(&Trial { document: &document, fails, settings: &settings, way, seed: input.seed });
    }
});
