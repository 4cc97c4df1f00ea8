//! Proves the heap budgets of pools and frames: a warm pool leaves almost nothing to allocate, a frame costs no block,
//! and what a pool retains is bounded.

use std::collections::BTreeMap;
use std::io;

use json_rope::{Encoder, Frame, Pool, Rope};
use json_rope_bench_data::{DOCUMENTS, generate};
use serde::Serialize;

use crate::counting::measured;
use crate::support::frames::FRAMES;
use crate::{KIB, MIB};

crate::tests!(warm, frames_add_no_block, a_thousand_messages, longer_than_the_pool, retention, odd_sizes);

fn pooled() -> (Pool, Encoder) {
    let pool = Pool::default();
    (pool.clone(), Encoder::builder().pool(pool).build().unwrap())
}

/// What documents cost once the pool has seen one of them.
fn warm() {
    println!("{:34} {:>7} {:>9}", "warm", "blocks", "bytes");
    for document in &DOCUMENTS {
        let value: serde_json::Value = serde_json::from_str(document.text()).unwrap();
        let (pool, encoder) = pooled();
        drop(encoder.encode(&value).unwrap());
        let retained = pool.retained_bytes();
        for _ in 0..3 {
            let (_, heap) = measured(|| encoder.encode(&value).unwrap());
            println!("{:34} {:>7} {:>9}", document.name, heap.blocks, heap.bytes);
            assert!(heap.blocks <= 2 && heap.bytes <= 4 * KIB as u64, "{heap:?}");
        }
        let (_, heap) = measured(|| encoder.encode_tree(&value).unwrap());
        assert!(heap.blocks <= 2 && heap.bytes <= 4 * KIB as u64, "tree: {heap:?}");
        for frame in FRAMES {
            let (_, heap) = measured(|| encoder.encode_framed(frame, &value).unwrap());
            assert!(heap.blocks <= 2 && heap.bytes <= 4 * KIB as u64, "{frame:?}: {heap:?}");
        }
        let (_, heap) = measured(|| encoder.write(&mut io::sink(), &value).unwrap());
        println!("{:34} {:>7} {:>9}", format!("{}, streaming", document.name), heap.blocks, heap.bytes);
        assert_eq!(heap.blocks, 0);
        let (_, heap) = measured(|| encoder.chunks(&value).map(|chunk| chunk.unwrap().len()).sum::<usize>());
        println!("{:34} {:>7} {:>9}", format!("{}, on demand", document.name), heap.blocks, heap.bytes);
        // The first chunks, of 2, 4 and 8 KiB, and the rest behind the last full buffer, are no use of a pool.
        assert!(heap.blocks <= 4 && heap.bytes <= 16 * KIB as u64, "on demand: {heap:?}");
        assert_eq!(pool.retained_bytes(), retained, "nothing is lost and nothing added");
    }
    let (pool, encoder) = pooled();
    let message = generate::message();
    for _ in 0..2 {
        let (rope, heap) = measured(|| encoder.encode(&message).unwrap());
        println!("{:34} {:>7} {:>9}", "message of 150 bytes", heap.blocks, heap.bytes);
        assert_eq!((heap.blocks, heap.bytes), (1, rope.len() as u64));
    }
    assert_eq!(pool.retained_bytes(), 0, "a small document takes no buffer");
}

/// Framing costs no block, and no more bytes than the frame has, at every length around the sizes of chunks and slabs.
fn frames_add_no_block() {
    let mut text = String::with_capacity(MIB);
    for (what, build) in
        [("", (|| Encoder::builder().build().unwrap()) as fn() -> Encoder), (", pooled", || pooled().1)]
    {
        for edge in [24, 127, 2048, 6144, 14336, 30720, 63488, 129_024, 194_560, 524_288] {
            for len in edge - 24..=edge + 3 {
                text.clear();
                text.extend(std::iter::repeat_n('x', len));
                let encoder = build();
                let (body, unframed) = measured(|| encoder.encode(&text).unwrap());
                let body_len = body.len();
                drop(body);
                for frame in FRAMES {
                    // An encoder that has seen as much as that one had.
                    let encoder = build();
                    let (rope, framed) = measured(|| encoder.encode_framed(frame, &text).unwrap());
                    let added = (rope.len() - body_len) as u64;
                    assert!(added > 0);
                    assert!(framed.blocks <= unframed.blocks, "{frame:?}{what}, {len}: {framed:?} for {unframed:?}");
                    // Headroom is the longest prefix there can be, in at most two slabs.
                    assert!(framed.bytes <= unframed.bytes + added + 2 * 18, "{frame:?}{what}, {len}: {framed:?}");
                }
            }
        }
    }
}

/// A thousand framed messages in one rope cost what they cost without frames.
fn a_thousand_messages() {
    let message = generate::message();
    let encoder = Encoder::new();
    let (_, unframed) = measured(|| {
        let mut rope = Rope::new();
        (0..1000).for_each(|_| encoder.encode_into(&mut rope, &message).unwrap());
        rope
    });
    for frame in FRAMES {
        let (rope, framed) = measured(|| {
            let mut rope = Rope::new();
            (0..1000).for_each(|_| encoder.encode_framed_into(frame, &mut rope, &message).unwrap());
            rope
        });
        assert_eq!(framed.blocks, unframed.blocks, "{frame:?}");
        assert!(framed.bytes <= unframed.bytes + 1000 * 10, "{frame:?}");
        assert_eq!(rope.chunks().len(), 1000);
    }
}

/// A quarter of it in a debug build.
const LARGE: usize = if cfg!(debug_assertions) { 10 * MIB } else { 100 * MIB };

/// After one large document, and many small ones, no more is kept than the pool may keep.
fn retention() {
    let ((pool, encoder), heap) = measured(|| {
        let (pool, encoder) = pooled();
        let large = generate::array_of_bytes(LARGE);
        let rope = encoder.encode(&large).unwrap();
        assert_eq!(pool.retained_bytes(), 0, "all of it is in use");
        drop((rope, large));
        for n in 0..10_000u32 {
            drop(encoder.encode(&BTreeMap::from([("n", n)])).unwrap());
            drop(encoder.encode_framed(Frame::LengthDelimited, &vec![n; 3000]).unwrap());
        }
        (pool, encoder)
    });
    let bound = 64 * 64 * KIB;
    println!("kept after {} MiB: {} of {bound} bytes", LARGE / MIB, pool.retained_bytes());
    assert!(pool.retained_bytes() <= bound);
    // Beside the buffers: their list, and a header each.
    assert!(heap.live <= pool.retained_bytes() + 16 * KIB, "{heap:?} for {}", pool.retained_bytes());
    let ((), heap) = measured(|| pool.clear());
    assert_eq!((pool.retained_bytes(), heap.live), (0, 0));
    drop(encoder);
}

/// A document that is longer than all buffers of its pool goes on with slabs: two blocks for each buffer, and O(log n) for
/// the rest.
fn longer_than_the_pool() {
    let (pool, encoder) = pooled();
    let large = generate::array_of_bytes(LARGE);
    for round in 0..3 {
        let before = pool.stats();
        let (rope, heap) = measured(|| encoder.encode(&large).unwrap());
        println!("{} MiB with a pool of 4 MiB, round {round}: {} blocks, {:?}", LARGE / MIB, heap.blocks, pool.stats());
        assert_eq!(rope.len(), LARGE);
        assert!(heap.blocks <= 2 * 65 + 10 + 2 * (LARGE as u64 >> 16).ilog2() as u64, "{heap:?}");
        assert!(heap.bytes as usize <= LARGE * 5 / 2, "{heap:?}");
        if round == 0 {
            assert!(pool.stats().misses - before.misses <= 75);
        }
    }
    // Somebody keeps the first documents, and the pool is of use all the same.
    let kept: Vec<_> = (0..3).map(|_| encoder.encode(&large).unwrap()).collect();
    let small = vec![1; 100_000];
    for _ in 0..5 {
        drop(encoder.encode(&small).unwrap());
    }
    let hits = pool.stats().hits;
    drop(encoder.encode(&small).unwrap());
    assert!(pool.stats().hits > hits, "{:?}", pool.stats());
    drop(kept);
}

/// Documents that are each a little longer than the last do not make the pool grow (grpc-go 8500).
fn odd_sizes() {
    #[derive(Serialize)]
    struct Text<'a>(&'a str);

    let (pool, encoder) = pooled();
    let text = "x".repeat(MIB + 100 * 1000);
    let mut most = 0;
    for k in (0..1000).step_by(10) {
        drop(encoder.encode(&Text(&text[..MIB + k * 100])).unwrap());
        most = most.max(pool.retained_bytes());
    }
    assert!(most <= 19 * 64 * KIB, "{most}");
    let sorting = Encoder::builder().pool(pool.clone()).sort_keys(true).build().unwrap();
    let ((), heap) = measured(|| drop(sorting.encode(&BTreeMap::from([("key", &text)])).unwrap()));
    assert!(heap.live <= 2 * KIB, "a larger buffer is not kept: {heap:?}");
    assert!(pool.retained_bytes() <= 19 * 64 * KIB);
}
