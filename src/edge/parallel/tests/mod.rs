//! Everything that parallel encoding promises to be the same as one thread's. In unit tests parts are small: see
//! [`parts`](crate::parts). Long documents with the real sizes are in `tests/parallel`.

mod errors;
#[cfg(json_rope_loom)]
mod interleavings;
mod records;
mod same;
#[allow(clippy::duplicate_mod, dead_code, reason = "shared with the integration tests")]
#[path = "../../../../tests/support/sweeps.rs"]
mod sweeps;
mod trees;

use std::sync::LazyLock;
use std::time::Duration;

use rayon_core::{ThreadPool, ThreadPoolBuilder};
use serde::ser::{Error as _, SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::Par;
use crate::encoder::{Encoder, EncoderBuilder};
use crate::fragment::Fragment;
use crate::frame::Frame;
use crate::options::{BigIntegers, BytesFormat, NonFinite};
use crate::pool::Pool;
use sweeps::{Sweeps, sweeps};

/// Pools with these numbers of threads.
static POOLS: LazyLock<Vec<ThreadPool>> = LazyLock::new(|| [1, 2, 3, 8].map(pool).into());

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// A small random number generator (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }

    fn tree(&mut self, depth: u64) -> Value {
        match self.below(if depth == 0 { 6 } else { 9 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.below(u64::MAX)),
            3 => json!(self.below(1000) as f64 / 8.0 - 60.0),
            4 | 5 => {
                let len = self.below(20) as usize;
                let characters = "añ\"/<\u{2028}😀z\n".chars().cycle();
                characters.skip(self.below(9) as usize).take(len).collect::<String>().into()
            }
            6 | 7 => (0..self.below(5)).map(|_| self.tree(depth - 1)).collect(),
            _ => Value::Object(
                (0..self.below(5)).map(|_| (format!("k/{}", self.below(99)), self.tree(depth - 1))).collect(),
            ),
        }
    }
}

/// An item of an array, perhaps hostile.
#[derive(Clone, Debug)]
enum Item {
    Tree(Value),
    /// A struct with its fields in no order, a float that is not finite, bytes and a linked fragment.
    Odd(usize),
    Nested(Vec<Item>),
    /// `Some` of `Some` of …
    Wrapped(usize),
    Sleeps,
    Fails(usize),
    Swallows,
    Panics(usize),
}

impl Serialize for Item {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Item::Tree(tree) => tree.serialize(serializer),
            Item::Odd(number) => {
                let mut odd = serializer.serialize_struct("Odd", 5)?;
                odd.serialize_field("z", &f64::NAN)?;
                odd.serialize_field("b", c"bytes")?;
                odd.serialize_field("a", &Fragment::trusted("{\"linked\":\n[1,2]}"))?;
                odd.serialize_field("long", &Fragment::trusted(format!("\"{}\"", "é/<".repeat(number % 700))))?;
                odd.serialize_field("c", number)?;
                odd.end()
            }
            Item::Nested(items) => {
                let mut nested = serializer.serialize_struct("Nested", 1)?;
                nested.serialize_field("nested", &Par(items))?;
                nested.end()
            }
            Item::Wrapped(0) => serializer.serialize_str("in the middle"),
            Item::Wrapped(count) => serializer.serialize_some(&Item::Wrapped(count - 1)),
            Item::Sleeps => {
                std::thread::sleep(Duration::from_micros(200));
                serializer.serialize_none()
            }
            Item::Fails(number) => {
                let mut array = serializer.serialize_seq(None)?;
                array.serialize_element(number)?;
                array.serialize_element(&Refuses)?;
                array.end()
            }
            Item::Swallows => {
                let mut array = serializer.serialize_seq(None)?;
                _ = array.serialize_element(&Refuses);
                array.end()
            }
            Item::Panics(number) => panic!("item {number}"),
        }
    }
}

struct Refuses;

impl Serialize for Refuses {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("refused"))
    }
}

fn items(random: &mut Random, count: u64) -> Vec<Item> {
    (0..count)
        .map(|_| match random.below(200) {
            0 => Item::Sleeps,
            1..10 => Item::Odd(random.below(2000) as usize),
            10..20 => Item::Nested((0..random.below(200)).map(|n| Item::Tree(json!(n))).collect()),
            20..40 => Item::Wrapped(random.below(5) as usize),
            _ => Item::Tree(random.tree(3)),
        })
        .collect()
}

/// Encoders with many sets of options.
fn builders() -> Vec<EncoderBuilder> {
    let new = Encoder::builder;
    let mut builders = vec![
        new(),
        new().first_chunk(16).max_chunk(16),
        new().first_chunk(64).max_chunk(100),
        new().pretty(true),
        new().pretty(true).indent("\t"),
        new().pretty(true).indent(" \n\r"),
        new().pretty(true).inline_width(20),
        new().pretty(true).inline_width(300).indent("   "),
        new().pretty(true).inline_width(usize::MAX),
        new().pretty(true).inline_width(40).sort_keys(true),
        new().sort_keys(true),
        new().canonical(true),
        new().ascii(true),
        new().html_safe(true).escape_solidus(true),
        new().non_finite(NonFinite::String).bytes(BytesFormat::Base64),
        new().non_finite(NonFinite::Error).bytes(BytesFormat::Hex),
        new().big_integers(BigIntegers::String),
        new().pool(Pool::default()),
        new().pool(Pool::builder().buffer_size(4096).build()).pretty(true).ascii(true),
    ];
    let limited: Vec<_> = builders.iter().map(|builder| builder.clone().max_len(1 << 40).max_depth(6)).collect();
    builders.extend(limited);
    // In a sample every third, which are other options in the half with limits.
    builders.into_iter().step_by(if sweeps() == Sweeps::Sample { 3 } else { 1 }).collect()
}

const FRAMES: [Frame; 6] =
    [Frame::Grpc, Frame::LengthDelimited, Frame::NdJson, Frame::JsonSeq, Frame::HttpChunk, Frame::ServerSentEvent];

/// What a document comes to: its text, or all that an error says.
fn outcome(result: crate::Result<crate::Rope>) -> Result<String, String> {
    result.map(|rope| rope.into_string().unwrap_or_default()).map_err(|error| format!("{error:?}"))
}
