//! Looks for cliffs: doubles one dimension of a document after another (length, depth, members, chunks, fragments), for
//! every option and way out, and fits the exponent of the time over the size, or over the length of the output where that
//! grows faster (indentation). Linear is 1, sorting a little more, quadratic 2.
//!
//! ```text
//! cargo bench -p json-rope-benches --bench cliffs             every pair of options and dimensions, one or two minutes
//! cargo bench -p json-rope-benches --bench cliffs -- --quick  each option by itself and fewer rounds, about 20 seconds
//! cargo bench -p json-rope-benches --bench cliffs -- sort     only rows whose name contains the word
//! ```
//!
//! An exponent above the limit is measured again, with more rounds. If it stays there the row is flagged, and the exit
//! code is 1.

use std::fmt::{self, Display, Write as _};
use std::hint::black_box;
use std::io;
use std::process::ExitCode;
use std::time::Duration;

use bytes::Bytes;
use json_rope::{BytesFormat, Encoder, EncoderBuilder, Fragment, Frame, Pool, Rope};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The largest exponent that is not flagged.
const LIMIT: f64 = 1.15;

/// Sizes of each dimension: 1, 2, 4, 8 and 16 times the smallest. The largest documents fit the cache of one core, or
/// the cache would be what is measured.
const DOUBLINGS: u32 = 4;

/// The shortest time that is measured at once.
const SAMPLE: Duration = Duration::from_micros(100);

/// How often a flagged exponent is measured again.
const RETRIES: u32 = 6;

/// A document of one of the kinds that have code of their own.
enum Doc {
    Tree(Value),
    Deep { depth: usize, text: String },
    Bytes(Vec<u8>),
    Raw(Vec<Box<RawValue>>),
    Fragments(Vec<Fragment>),
    Pieces(usize),
    Items(Vec<Value>),
}

impl Serialize for Doc {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Doc::Tree(tree) => tree.serialize(serializer),
            Doc::Deep { depth, text } => Deep(*depth, text).serialize(serializer),
            Doc::Bytes(bytes) => serializer.serialize_bytes(bytes),
            Doc::Raw(values) => values.serialize(serializer),
            Doc::Fragments(fragments) => fragments.serialize(serializer),
            Doc::Pieces(count) => serializer.collect_str(&Pieces(*count)),
            Doc::Items(items) => items.serialize(serializer),
        }
    }
}

/// Objects in one another, out of order, around a text.
struct Deep<'a>(usize, &'a str);

impl Serialize for Deep<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            0 => serializer.serialize_str(self.1),
            depth => serializer.collect_map([("b", Deep(depth - 1, self.1)), ("a", Deep(0, ""))]),
        }
    }
}

/// A text that comes in many pieces.
struct Pieces(usize);

impl Display for Pieces {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.0).try_for_each(|n| formatter.write_str(["piece ", "\"<é\n", "of text/"][n % 3]))
    }
}

/// What is doubled: a name, the smallest size, and the document of a size.
type Dimension = (&'static str, usize, fn(usize) -> Doc);

const DIMENSIONS: [Dimension; 22] = [
    ("numbers in an array", 1_000, |n| Doc::Tree((0..n).map(|n| n * 7919).collect())),
    ("strings in an array", 300, |n| Doc::Tree((0..n).map(|n| format!("text <{n}> é/\n")).collect())),
    ("members of an object", 250, |n| Doc::Tree(wide(n))),
    ("objects in an object", 30, |n| Doc::Tree(json!({"rows": (0..n).map(row).collect::<Vec<_>>(), "a": 1}))),
    ("objects as items", 30, |n| Doc::Items((0..n).map(row).collect())),
    ("a plain string", 20_000, |n| Doc::Tree("plain text, ".repeat(n / 12).into())),
    ("a string of escapes", 10_000, |n| Doc::Tree("\"<\n/é\u{2028}".repeat(n / 10).into())),
    ("a string of three-byte characters", 20_000, |n| Doc::Tree("漢字".repeat(n / 6).into())),
    ("a string in pieces", 1_000, Doc::Pieces),
    ("a key", 10_000, |n| Doc::Tree(json!({ "key / <é> ".repeat(n / 10): 1 }))),
    ("depth, arrays", 100, |n| Doc::Tree((0..n).fold(json!(1), |tree, _| json!([tree])))),
    ("depth, objects", 50, |n| Doc::Tree((0..n).fold(json!(1), |tree, _| json!({ "a": tree, "b": 1 })))),
    ("depth, unsorted", 60, |depth| Doc::Deep { depth, text: String::new() }),
    ("depth, unsorted around 100 kB", 60, |depth| Doc::Deep { depth, text: "x".repeat(100_000) }),
    ("length inside 500 levels", 20_000, |n| Doc::Deep { depth: 500, text: "x".repeat(n) }),
    ("bytes", 5_000, |n| Doc::Bytes((0..n).map(|n| n as u8).collect())),
    ("raw values of 25 bytes", 500, |n| Doc::Raw((0..n).map(raw).collect())),
    ("fragments of 2.5 kB", 20, |n| Doc::Fragments(vec![fragment(2_500, "\"abc\",", 1 << 20); n])),
    ("length of a fragment", 30_000, |n| Doc::Fragments(vec![fragment(n, "\"abc\",", 1 << 20)])),
    ("a fragment of many lines", 10_000, |n| Doc::Fragments(vec![fragment(n, "\"a/<é>\",\r\n", 1 << 20)])),
    ("a fragment of long lines", 30_000, |n| {
        Doc::Fragments(vec![fragment(n, &format!("\"{}\",\n", "x".repeat(3000)), 1 << 20)])
    }),
    ("chunks of a fragment", 250, |n| Doc::Fragments(vec![fragment(40 * n, "\"abc\",", 40)])),
];

fn row(n: usize) -> Value {
    json!({"id": n, "text": "some text, <b>", "list": [1, 2.5, null], "author": {"name": "é", "id": n}})
}

/// Keys whose order is not that of the numbers.
fn wide(n: usize) -> Value {
    (0..n).map(|n| (format!("key {}", n * 7919 % 10_007), json!(n))).collect::<serde_json::Map<_, _>>().into()
}

fn raw(n: usize) -> Box<RawValue> {
    RawValue::from_string(format!("{{\"number\":\"{n:0>12}\"}}")).unwrap()
}

/// An array of about `len` bytes of these items, in chunks of `chunk` bytes.
fn fragment(len: usize, item: &str, chunk: usize) -> Fragment {
    let text = Bytes::from(format!("[{}0]", item.repeat(len / item.len())));
    let mut rope = Rope::new();
    for start in (0..text.len()).step_by(chunk) {
        rope.append(Rope::from(text.slice(start..text.len().min(start + chunk))));
    }
    Fragment::trusted(rope)
}

/// A name, and what is set.
type Setting = (&'static str, fn(EncoderBuilder) -> EncoderBuilder);

const SETTINGS: [Setting; 11] = [
    ("plain", |builder| builder),
    ("sort_keys", |builder| builder.sort_keys(true)),
    ("pretty", |builder| builder.pretty(true)),
    ("pretty, sort_keys", |builder| builder.pretty(true).sort_keys(true)),
    ("ascii", |builder| builder.ascii(true)),
    ("html_safe", |builder| builder.html_safe(true)),
    ("escape_solidus", |builder| builder.escape_solidus(true)),
    ("base64, max_len", |builder| builder.bytes(BytesFormat::Base64).max_len(1 << 30)),
    ("hex, all escapes", |builder| builder.bytes(BytesFormat::Hex).ascii(true).html_safe(true).escape_solidus(true)),
    ("chunks of 64", |builder| builder.first_chunk(64).max_chunk(64)),
    ("pool, sort_keys", |builder| builder.pool(Pool::default()).sort_keys(true)),
];

/// The settings of `--quick`: each option once.
const QUICK: [&str; 6] = ["plain", "sort_keys", "pretty", "hex, all escapes", "chunks of 64", "pool, sort_keys"];

/// A name, and a way out. What does not go with the document or the settings is `None`.
type Way = (&'static str, fn(&Encoder, &Doc) -> Option<u64>);

const WAYS: [Way; 10] = [
    ("encode", |encoder, doc| Some(encoder.encode(doc).unwrap().len() as u64)),
    ("tree", |encoder, doc| match doc {
        Doc::Tree(tree) => Some(encoder.encode_tree(tree).unwrap().len() as u64),
        _ => None,
    }),
    ("write", |encoder, doc| Some(encoder.write(&mut io::sink(), doc).unwrap())),
    ("grpc", |encoder, doc| Some(encoder.encode_framed(Frame::Grpc, doc).unwrap().len() as u64)),
    ("ndjson", |encoder, doc| match encoder.encode_framed(Frame::NdJson, doc) {
        Err(error) if error.is_config() => None,
        encoded => Some(encoded.unwrap().len() as u64),
    }),
    ("event", |encoder, doc| Some(encoder.write_framed(Frame::ServerSentEvent, &mut io::sink(), doc).unwrap())),
    ("chunks", |encoder, doc| match doc {
        Doc::Tree(tree) => Some(total(encoder.chunks(tree.clone()))),
        _ => None,
    }),
    ("array", |encoder, doc| match doc {
        Doc::Items(items) => Some(total(encoder.array(items))),
        _ => Some(total(encoder.array([doc]))),
    }),
    ("records", |encoder, doc| match doc {
        Doc::Items(items) => Some(total(encoder.records(Frame::JsonSeq, items))),
        _ => Some(total(encoder.records(Frame::JsonSeq, [doc]))),
    }),
    ("messages", |encoder, doc| match doc {
        Doc::Items(items) => Some(total(encoder.records(Frame::Grpc, items))),
        _ => Some(total(encoder.records(Frame::Grpc, [doc]))),
    }),
];

fn total(chunks: impl Iterator<Item = json_rope::Result<Bytes>>) -> u64 {
    chunks.map(|chunk| chunk.unwrap().len() as u64).sum()
}

/// The processor time of this thread, so that other programs do not count.
#[cfg(unix)]
#[allow(unsafe_code)]
fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid for the call, which writes one `timespec`.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(result, 0);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(not(unix))]
fn now() -> Duration {
    std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default()
}

/// The shortest time of one run, in seconds.
fn time(mut run: impl FnMut(), rounds: u32) -> f64 {
    let start = now();
    run();
    let once = now().saturating_sub(start).max(Duration::from_nanos(50));
    let runs = (SAMPLE.as_nanos() / once.as_nanos()).clamp(1, 10_000) as u32;
    let times = (0..rounds).map(|_| {
        let start = now();
        (0..runs).for_each(|_| run());
        now().saturating_sub(start).as_secs_f64() / f64::from(runs)
    });
    times.fold(f64::MAX, f64::min)
}

/// The slope of the line that fits best through the logarithms of sizes and times.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs = || points.iter().map(|(size, time)| (size.log2(), time.max(1e-9).log2()));
    let count = points.len() as f64;
    let (x, y) = logs().fold((0.0, 0.0), |(x, y), (size, time)| (x + size / count, y + time / count));
    let above: f64 = logs().map(|(size, time)| (size - x) * (time - y)).sum();
    let below: f64 = logs().map(|(size, _)| (size - x) * (size - x)).sum();
    above / below
}

/// The fitted exponent, or nothing if the way does not go with the rest.
fn measure(encoder: &Encoder, docs: &[Doc], way: Way, rounds: u32) -> Option<f64> {
    let first = (way.1)(encoder, &docs[0])? as f64;
    let sizes = docs.iter().enumerate().map(|(doubling, doc)| {
        let len = (way.1)(encoder, doc).unwrap_or_default() as f64;
        f64::from(1 << doubling as u32).max(len / first)
    });
    let sizes: Vec<_> = sizes.collect();
    let mut times = vec![f64::MAX; docs.len()];
    for retry in 0..=RETRIES {
        for (time, doc) in times.iter_mut().zip(docs) {
            *time = time.min(self::time(|| _ = black_box((way.1)(encoder, doc)), rounds * (1 + retry)));
        }
        let points: Vec<_> = sizes.iter().copied().zip(times.iter().copied()).collect();
        let fitted = exponent(&points);
        if fitted <= LIMIT || retry == RETRIES {
            return Some(fitted);
        }
    }
    None
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    // As a test, every document is encoded once by every way.
    let test = arguments.iter().any(|argument| argument == "--test");
    let quick = test || arguments.iter().any(|argument| argument == "--quick");
    let words: Vec<_> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    let rounds = if quick { 3 } else { 7 };

    let mut head = format!("{:<34} {:<18}", "what is doubled", "options");
    WAYS.iter().for_each(|way| write!(head, "{:>9}", way.0).unwrap());
    println!("{head}");
    let mut flagged = 0;
    for (dimension, smallest, doc) in DIMENSIONS {
        let docs: Vec<_> = (0..=DOUBLINGS).map(|doubling| doc(smallest << doubling)).collect();
        for (setting, set) in SETTINGS {
            let mut line = format!("{dimension:<34} {setting:<18}");
            if quick && !QUICK.contains(&setting) || !words.iter().all(|word| line.contains(word.as_str())) {
                continue;
            }
            // Typed documents are within the default depth, and trees are as deep as they like.
            let encoder = set(Encoder::builder().max_depth(100_000)).build().unwrap();
            for way in WAYS {
                if test {
                    docs.iter().for_each(|doc| _ = (way.1)(&encoder, doc));
                    continue;
                }
                let Some(exponent) = measure(&encoder, &docs, way, rounds) else {
                    write!(line, "{:>9}", "").unwrap();
                    continue;
                };
                let flag = if exponent > LIMIT { "!" } else { "" };
                flagged += usize::from(exponent > LIMIT);
                write!(line, "{:>9}", format!("{flag}{exponent:.2}")).unwrap();
            }
            println!("{line}");
        }
        // Without a recursion that may be too deep.
        docs.into_iter().for_each(dismantle);
    }
    println!("{flagged} above {LIMIT}");
    if flagged > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Frees a document level by level.
fn dismantle(doc: Doc) {
    let mut trees = if let Doc::Tree(tree) = doc { vec![tree] } else { Vec::new() };
    while let Some(tree) = trees.pop() {
        match tree {
            Value::Array(items) => trees.extend(items),
            Value::Object(members) => trees.extend(members.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
}
