//! One pool for many threads: encoders on some of them, and on others receivers that hold on to chunks for a while.

use std::sync::mpsc;
use std::thread;

use bytes::Bytes;
use json_rope::{Encoder, Pool};

use crate::support::sweeps::or_a_quarter;

const SENDERS: u64 = 8;
const RECEIVERS: usize = 3;
const DOCUMENTS: u64 = if cfg!(debug_assertions) { 100 } else { 4000 };

/// A document that its first number says all about, of 10 bytes to 300 KB.
fn document(seed: u64) -> Vec<u64> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let len = match next() % 10 {
        0 => next() % 20_000,
        1..4 => next() % 4000,
        _ => next() % 300,
    };
    std::iter::once(seed).chain((0..len).map(|_| next())).collect()
}

fn verify(text: &[u8]) {
    let numbers: Vec<u64> = serde_json::from_slice(text).expect("JSON as it was written");
    assert_eq!(numbers, document(numbers[0]));
}

#[test]
fn documents_arrive_as_they_were_written() {
    let pool = Pool::builder().max_buffers(20).build();
    thread::scope(|scope| {
        let (senders, receivers): (Vec<_>, Vec<_>) =
            (0..RECEIVERS).map(|_| mpsc::sync_channel::<Vec<Bytes>>(30)).unzip();
        for (index, receiver) in receivers.into_iter().enumerate() {
            scope.spawn(move || {
                // Held for as long as other documents take to arrive, and dropped in another order.
                let mut held: Vec<Vec<Bytes>> = Vec::new();
                for chunks in receiver {
                    held.push(chunks);
                    while held.len() > 7 * index + 1 {
                        let oldest = held.len() * 7919 % held.len().max(2) / 2;
                        verify(&held.swap_remove(oldest).concat());
                    }
                }
                held.iter().for_each(|chunks| verify(&chunks.concat()));
            });
        }
        for sender in 0..SENDERS {
            let (pool, senders) = (pool.clone(), senders.clone());
            scope.spawn(move || {
                let encoder = Encoder::builder().pool(pool).build().unwrap();
                for n in 0..DOCUMENTS {
                    let value = document(sender * DOCUMENTS + n);
                    let chunks = match n % 4 {
                        0 => encoder.array(&value).map(Result::unwrap).collect(),
                        _ => encoder.encode(&value).unwrap().into_chunks(),
                    };
                    senders[n as usize % RECEIVERS].send(chunks).unwrap();
                }
            });
        }
    });
    let stats = pool.stats();
    assert!(stats.hits > 0 && stats.misses > 0, "{stats:?}");
    assert!(pool.retained_bytes() <= 20 * 64 * 1024);
    // Every buffer was kept or given up.
    assert_eq!(pool.retained_bytes() as u64 / (64 * 1024), stats.misses - stats.discarded, "{stats:?}");
}

/// After 64 threads have encoded at once and are gone, no more is kept than the pool may keep (jackson-core 1117).
#[test]
fn what_many_threads_leave_is_bounded() {
    let pool = Pool::default();
    let encoder = Encoder::builder().pool(pool.clone()).build().unwrap();
    thread::scope(|scope| {
        for n in 0..64u64 {
            let encoder = encoder.clone();
            scope.spawn(move || {
                for _ in 0..or_a_quarter(5) {
                    let value = vec![n; 40_000];
                    assert_eq!(encoder.encode(&value).unwrap().len(), serde_json::to_string(&value).unwrap().len());
                }
            });
        }
    });
    assert!(pool.retained_bytes() <= 64 * 64 * 1024);
    pool.clear();
    assert_eq!(pool.retained_bytes(), 0);
}

/// Threads that encode at the same time find their buffers again. They do not find the pool in use by another one.
#[test]
fn threads_do_not_get_in_each_others_way() {
    const THREADS: u64 = 4;
    const DOCUMENTS: u64 = if cfg!(debug_assertions) { 5000 } else { 50_000 };
    let pool = Pool::default();
    let encoder = Encoder::builder().pool(pool.clone()).build().unwrap();
    let text = "x".repeat(15_000);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..DOCUMENTS).for_each(|_| drop(encoder.encode(&text).unwrap())));
        }
    });
    let stats = pool.stats();
    assert_eq!(stats.hits + stats.misses, THREADS * DOCUMENTS);
    assert_eq!(stats.discarded, 0);
    assert!(stats.misses < 10 * THREADS, "{stats:?}");
    assert_eq!(pool.retained_bytes() as u64, stats.misses * 64 * 1024);
}
