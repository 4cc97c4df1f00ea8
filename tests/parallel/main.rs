//! Documents that are long enough for several threads, with the sizes of parts that everybody gets. What parallel encoding
//! promises in detail is tested in `src/edge/parallel/tests`, where parts are small.

mod hostile;
#[allow(dead_code, reason = "shared with the other test programs")]
#[path = "../support/sweeps.rs"]
mod sweeps;

use std::sync::LazyLock;

use json_rope::{Encoder, EncoderBuilder, Frame, NonFinite, Par, Pool, Rope};
use json_rope_bench_data::generate::{self, LogRecord};
use rayon_core::{ThreadPool, ThreadPoolBuilder};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use sweeps::{Sweeps, sweeps};

/// Pools with these numbers of threads.
static POOLS: LazyLock<Vec<ThreadPool>> =
    LazyLock::new(|| [1, 2, 3, 8].map(|n| ThreadPoolBuilder::new().num_threads(n).build().unwrap()).into());

/// About 2.3 MB.
static LOGS: LazyLock<Vec<LogRecord>> = LazyLock::new(|| generate::log_records(1, 8000));

fn builders() -> Vec<EncoderBuilder> {
    let new = Encoder::builder;
    let all = [
        new(),
        new().pretty(true),
        new().pretty(true).inline_width(80),
        new().sort_keys(true),
        new().canonical(true),
        new().ascii(true).html_safe(true).non_finite(NonFinite::String),
        new().pool(Pool::default()),
        new().first_chunk(1000).max_chunk(1000).max_len(1 << 30).max_depth(50),
    ];
    // In a sample, every third: plain, sorted, and with a pool.
    all.into_iter().step_by(if sweeps() == Sweeps::Sample { 3 } else { 1 }).collect()
}

/// A heavy array deep in a struct.
#[derive(Serialize)]
struct Response<'a> {
    next: Option<&'static str>,
    page: Page<'a>,
    total: usize,
}

#[derive(Serialize)]
struct Page<'a> {
    #[serde(serialize_with = "in_parts")]
    rows: &'a [LogRecord],
    checked: bool,
}

fn in_parts<T: Serialize + Sync, S: Serializer>(rows: &&[T], serializer: S) -> Result<S::Ok, S::Error> {
    Par(rows).serialize(serializer)
}

#[test]
fn slices_under_every_option() {
    for builder in builders() {
        let encoder = builder.build().unwrap();
        let expected = encoder.encode(&*LOGS).unwrap();
        for pool in &*POOLS {
            let rope = pool.install(|| encoder.par_encode_slice(&LOGS)).unwrap();
            assert!(rope == expected, "{} threads", pool.current_num_threads());
        }
        assert!(encoder.par_encode_slice(&LOGS).unwrap() == expected, "the global pool");
    }
}

#[test]
fn an_array_inside_a_document() {
    let value = Response { next: None, page: Page { rows: &LOGS, checked: true }, total: LOGS.len() };
    for builder in builders() {
        let encoder = builder.build().unwrap();
        let logs = encoder.encode(&*LOGS).unwrap();
        // Without threads it is a plain array.
        let expected = POOLS[0].install(|| encoder.encode(&value)).unwrap();
        assert!(expected.len() > logs.len());
        for pool in [&POOLS[1], &POOLS[3]] {
            pool.install(|| {
                assert!(encoder.encode(&value).unwrap() == expected);
                assert_eq!(encoder.measure(&value).unwrap(), expected.len() as u64);
                let mut written = Vec::new();
                encoder.write(&mut written, &value).unwrap();
                assert!(expected == written);
                let framed = encoder.encode_framed(Frame::LengthDelimited, &value).unwrap();
                assert!(framed.len() > expected.len() && framed.slice(framed.len() - expected.len()..) == expected);
            });
        }
    }
}

#[test]
fn a_serializer_around_ours_sees_every_item() {
    let erased: &dyn erased_serde::Serialize = &Par(&LOGS);
    let one_thread = Encoder::new().encode(&*LOGS).unwrap();
    let rope = POOLS[1].install(|| Encoder::new().encode(&Par(&LOGS))).unwrap();
    assert!(rope == one_thread && rope.chunks().len() > one_thread.chunks().len());
    let lengths = |rope: &Rope| rope.chunks().iter().map(|chunk| chunk.len()).collect::<Vec<_>>();
    let rope = json_rope::to_rope(erased).unwrap();
    assert!(rope == one_thread && lengths(&rope) == lengths(&one_thread), "no parts are made");
}

#[test]
fn trees() {
    let logs: Value = serde_json::to_value(&LOGS[..4000]).unwrap();
    let skewed = json!({"a": [1, 2, {"heavy": logs, "z": 0}], "b": (0..10_000).collect::<Value>()});
    for builder in builders() {
        let encoder = builder.build().unwrap();
        for tree in [&logs, &skewed] {
            let expected = encoder.encode_tree(tree).unwrap();
            for pool in &*POOLS {
                assert!(pool.install(|| encoder.par_encode_tree(tree)).unwrap() == expected);
            }
            assert!(encoder.par_encode_tree(tree).unwrap() == expected, "the global pool");
        }
    }
}

#[test]
fn records_in_frames() {
    for frame in [Frame::NdJson, Frame::Grpc, Frame::ServerSentEvent] {
        for encoder in [Encoder::new(), Encoder::builder().pool(Pool::default()).build().unwrap()] {
            let expected: Rope = encoder.records(frame, &*LOGS).collect::<Result<_, _>>().unwrap();
            for pool in &*POOLS {
                let mut out = Vec::new();
                let len = pool.install(|| encoder.par_write_records(frame, &*LOGS, &mut out)).unwrap();
                assert!(expected == out && len == expected.len() as u64);
                let owned = LOGS.iter().cloned();
                let mut out = Vec::new();
                pool.install(|| encoder.par_write_records(frame, owned, &mut out)).unwrap();
                assert!(expected == out);
            }
        }
    }
}

#[test]
fn chunks_are_full_inside_parts() {
    let rope = POOLS[1].install(|| Encoder::new().par_encode_slice(&LOGS)).unwrap();
    let lengths: Vec<usize> = rope.chunks().iter().map(|chunk| chunk.len()).collect();
    assert!(lengths.iter().all(|len| (1..=65536).contains(len)), "{lengths:?}");
    let full = lengths.iter().filter(|len| **len > 65530).count();
    assert!(full * 2 > lengths.len(), "{full} of {} chunks are full", lengths.len());
    let shortest = lengths.iter().filter(|len| **len < 1024).count();
    assert!(shortest * 8 < lengths.len(), "{shortest} of {} chunks are below 1 KiB", lengths.len());
    assert!(lengths.last().is_some_and(|len| *len > 1), "the bracket is a chunk of its own");
}

#[test]
fn a_half_read_result_is_dropped() {
    let encoder = Encoder::builder().pool(Pool::default()).build().unwrap();
    for pool in &*POOLS {
        let mut rope = pool.install(|| encoder.par_encode_slice(&LOGS)).unwrap();
        let front = rope.split_to(rope.len() / 2);
        drop(rope);
        assert!(front == encoder.encode(&*LOGS).unwrap().slice(..front.len()));
        let mut chunks = encoder.array([Par(&LOGS), Par(&LOGS)]);
        let first = pool.install(|| chunks.next()).unwrap().unwrap();
        drop(chunks);
        assert!(front.slice(..first.len() - 1) == first.slice(1..));
    }
}
