//! Pools: a buffer comes back when the last chunk of it is gone and not before, whatever happened in between, and the
//! bytes are those of an encoder without a pool.

use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};

use bytes::Bytes;
use json_rope::{Encoder, Fragment, Pool, Rope, VectoredSink};
use serde::ser::{Error as _, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::support::check::assert_same;
use crate::support::frames::FRAMES;
use crate::support::sweeps::or_a_quarter;

const BUFFER: usize = 64 * 1024;

fn pooled() -> (Pool, Encoder) {
    let pool = Pool::default();
    (pool.clone(), Encoder::builder().pool(pool).build().unwrap())
}

/// A document of `rows` rows, each of them about 100 bytes, with strings and numbers.
fn document(rows: usize) -> Value {
    (0..rows).map(|n| json!({"n": n, "text": "é\"x".repeat(n % 20), "half": n as f64 / 2.0})).collect()
}

/// Hits, misses and discarded buffers.
fn counts(pool: &Pool) -> [u64; 3] {
    let stats = pool.stats();
    [stats.hits, stats.misses, stats.discarded]
}

/// Asserts that every buffer that was ever taken is free, or was given up on purpose.
fn assert_balanced(pool: &Pool, what: &str) {
    let [_, misses, discarded] = counts(pool);
    assert_eq!(pool.retained_bytes() as u64, (misses - discarded) * BUFFER as u64, "{what}");
}

#[test]
fn a_kept_chunk_never_changes() {
    let (pool, encoder) = pooled();
    let first = encoder.encode(&document(3000)).unwrap();
    for chunk in first.clone().into_chunks() {
        let (kept, copy) = (chunk.clone(), chunk.to_vec());
        drop(chunk);
        for n in 0..or_a_quarter(100) {
            let rope = encoder.encode(&vec![n; 20_000]).unwrap();
            assert_eq!(rope, serde_json::to_vec(&vec![n; 20_000]).unwrap());
        }
        assert_eq!(kept, copy);
    }
    drop(first);
    assert_balanced(&pool, "all gone");
}

/// One byte of a buffer keeps all of it out of the pool, until the last one is dropped or copied out.
#[test]
fn a_slice_keeps_its_buffer() {
    let (pool, encoder) = pooled();
    let mut rope = encoder.encode(&vec![1; 20_000]).unwrap();
    let one = rope.chunks()[1].slice(7..8);
    let mut tail = rope.slice(20_000..20_001);
    drop(rope);
    assert_eq!((pool.retained_bytes(), pool.stats().misses), (0, 1));
    tail.compact();
    assert_eq!(pool.retained_bytes(), 0);
    drop(one);
    assert_eq!(pool.retained_bytes(), BUFFER);
    rope = encoder.encode(&vec![1; 20_000]).unwrap();
    rope.compact();
    assert_eq!((pool.retained_bytes(), pool.stats().hits), (BUFFER, 1), "compact gives buffers back");
}

/// Writes many elements, and then errors or panics if it is told to.
struct Ends(&'static str);

impl Serialize for Ends {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        for n in 0..50_000 {
            seq.serialize_element(&n)?;
        }
        match self.0 {
            "error" => Err(S::Error::custom("as told")),
            "panic" => panic!("as told"),
            _ => seq.end(),
        }
    }
}

/// Takes some bytes, and then fails.
struct Fails(usize);

impl Write for Fails {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn takes_and_returns_balance() {
    let (pool, encoder) = pooled();
    let tree = document(5000);
    for ends in ["well", "error", "panic"] {
        let run = |work: &dyn Fn() -> bool| {
            let before = pool.stats();
            let outcome = panic::catch_unwind(AssertUnwindSafe(work));
            assert_eq!(outcome.ok(), (ends != "panic").then_some(ends == "well"));
            assert_ne!(pool.stats(), before, "the pool was used");
            assert_balanced(&pool, ends);
        };
        run(&|| encoder.encode(&Ends(ends)).is_ok());
        run(&|| encoder.encode_into(&mut Rope::from("x"), &Ends(ends)).is_ok());
        run(&|| encoder.write(&mut io::sink(), &Ends(ends)).is_ok());
        run(&|| encoder.array([Ends("well"), Ends(ends)]).all(|item| item.is_ok()));
        for frame in FRAMES {
            run(&|| encoder.encode_framed(frame, &Ends(ends)).is_ok());
            run(&|| encoder.write_framed(frame, &mut io::sink(), &Ends(ends)).is_ok());
            run(&|| encoder.records(frame, [Ends("well"), Ends(ends)]).all(|item| item.is_ok()));
        }
    }
    for room in [0, 1, 3000, 100_000] {
        assert!(encoder.write(&mut Fails(room), &tree).unwrap_err().is_io());
        assert_balanced(&pool, "the writer fails");
        assert!(encoder.encode(&tree).unwrap().write_to(&mut Fails(room)).is_err());
        assert_balanced(&pool, "the writer of a rope fails");
        let mut sink = VectoredSink::new(Fails(room));
        sink.push(encoder.encode(&tree).unwrap());
        assert!(sink.flush().is_err());
        drop(sink);
        assert_balanced(&pool, "a sink is dropped with a queue");
    }
    for taken in 0..12 {
        let mut chunks = encoder.chunks(&tree);
        chunks.by_ref().take(taken).for_each(|chunk| drop(chunk.unwrap()));
        drop(chunks);
        assert_balanced(&pool, "a stream is dropped half read");
        let chunks: Vec<_> = encoder.chunks(tree.clone()).take(taken).collect();
        drop(chunks);
        assert_balanced(&pool, "a stream is dropped before its chunks");
    }
    // Too long (elasticsearch 156382), by way of every output.
    let limited = Encoder::builder().pool(pool.clone()).max_len(100_000).build().unwrap();
    assert!(limited.encode(&tree).unwrap_err().is_limit());
    assert!(limited.write(&mut io::sink(), &tree).unwrap_err().is_limit());
    assert!(limited.chunks(&tree).any(|item| item.is_err()));
    assert_balanced(&pool, "a limit");
}

/// Sizes of buffers that are of use, too small, and out of all proportion.
const SIZES: [usize; 8] = [0, 255, 256, 300, 1000, 4096, BUFFER, 1 << 20];

/// The bytes are those of an encoder without a pool, for all sizes of buffers and chunks and by every way out, also if
/// encoders with other settings use the same pool (jackson-core 354), and whatever came before.
#[test]
fn the_same_bytes_at_every_size() {
    let long = "x".repeat(70_000);
    let short = "x".repeat(700);
    let fragment = Fragment::trusted(format!("[{}0]", "1,".repeat(700)));
    let small = document(3);
    let large = document(60);
    let links: Vec<_> = (0..6).map(|n| (n, &fragment)).collect();
    for buffer_size in SIZES {
        let pool = Pool::builder().max_buffers(3).buffer_size(buffer_size).build();
        for (first, max) in [(16, 16), (16, 100), (64, 256), (1000, 70_000), (2048, 65536), (1 << 20, 1 << 20)] {
            for sort in [false, true] {
                let builder = || Encoder::builder().first_chunk(first).max_chunk(max).sort_keys(sort);
                let (plain, pooled) = (builder().build().unwrap(), builder().pool(pool.clone()).build().unwrap());
                let longest = if buffer_size < 256 { max } else { max.min(buffer_size) };
                let check = |value: &dyn Any| value.check(&plain, &pooled, longest);
                check(&small);
                check(&large);
                check(&short);
                check(&links);
                if max > 100 {
                    check(&long);
                }
                for value in [&small, &large] {
                    let want = plain.encode(value).unwrap();
                    let chunks: Rope = pooled.chunks(value).map(Result::unwrap).collect();
                    assert_eq!(chunks, want);
                    assert!(chunks.chunks().iter().all(|chunk| chunk.len() <= longest));
                    assert_eq!(pooled.encode_tree(value).unwrap(), want);
                }
            }
        }
        assert!(pool.retained_bytes() <= 3 * buffer_size);
        assert_eq!(pool.stats().misses == 0, buffer_size < 256, "too small to be used, or used");
    }
}

/// What can be checked without knowing its type.
trait Any {
    fn check(&self, plain: &Encoder, pooled: &Encoder, longest: usize);
}

impl<T: Serialize> Any for T {
    fn check(&self, plain: &Encoder, pooled: &Encoder, longest: usize) {
        let want = plain.encode(self).unwrap();
        let linked = want.chunks().iter().any(|chunk| chunk.len() > longest);
        let rope = pooled.encode(self).unwrap();
        assert_same(&rope.to_vec(), &want.to_vec(), "pooled");
        for chunk in rope.chunks() {
            assert!(!chunk.is_empty() && (chunk.len() <= longest || linked) && str::from_utf8(chunk).is_ok());
        }
        let mut out = Vec::new();
        assert_eq!(pooled.write(&mut out, self).unwrap(), want.len() as u64);
        assert_eq!(want, out);
        for frame in FRAMES {
            let framed = plain.encode_framed(frame, self).unwrap();
            let rope = pooled.encode_framed(frame, self).unwrap();
            assert_same(&rope.to_vec(), &framed.to_vec(), "pooled, framed");
            assert!(rope.chunks().iter().all(|chunk| chunk.len() <= longest || linked));
            assert_eq!(pooled.records(frame, [self]).map(Result::unwrap).collect::<Rope>(), framed);
        }
    }
}

/// Nothing of an earlier document can be seen (grpc-go 8910): not in the rope, nor behind its chunks' ends.
#[test]
fn no_trace_of_an_earlier_document() {
    let (pool, encoder) = pooled();
    let secret = "secret".repeat(10_000);
    drop(encoder.encode(&secret).unwrap());
    assert_eq!(pool.retained_bytes(), BUFFER);
    let numbers = vec![1; 8000];
    for rope in [encoder.encode(&1).unwrap(), encoder.encode(&numbers).unwrap()] {
        // Then nobody else has a handle on the chunks, and they can be written to.
        pool.clear();
        assert!(!format!("{rope} {rope:?}").contains("secret"));
        let chunk = rope.into_chunks().swap_remove(0);
        let len = chunk.len();
        let mut bytes = chunk.try_into_mut().expect("the only handle");
        assert_eq!(bytes.len(), len);
        bytes.resize(len + 100, b'.');
        assert!(!String::from_utf8_lossy(&bytes).contains("secret"));
    }
}

#[test]
fn bounds_and_counts() {
    let pool = Pool::builder().max_buffers(2).build();
    let encoder = Encoder::builder().pool(pool.clone()).build().unwrap();
    let ropes: Vec<_> = (0..5).map(|n| encoder.encode(&vec![n; 20_000]).unwrap()).collect();
    assert_eq!(counts(&pool), [0, 5, 3]);
    assert_eq!(pool.retained_bytes(), 0);
    for (n, rope) in ropes.into_iter().enumerate() {
        assert_eq!(rope, serde_json::to_vec(&vec![n; 20_000]).unwrap());
    }
    assert_eq!(pool.retained_bytes(), 2 * BUFFER);
    drop(encoder.encode(&vec![1; 60_000]).unwrap()); // two buffers
    assert_eq!(counts(&pool), [2, 5, 3]);
    pool.clear();
    assert_eq!(pool.retained_bytes(), 0);

    // Cleared while in use: what is being written comes back, what was written does not.
    let rope = encoder.encode(&vec![1; 20_000]).unwrap();
    pool.clear();
    drop(rope);
    assert_eq!(pool.retained_bytes(), 0);
    let mut chunks = encoder.array(0..100_000);
    chunks.by_ref().take(5).for_each(drop); // the first 14 KiB are no document for a pool yet
    pool.clear();
    drop(chunks);
    assert_eq!(pool.retained_bytes(), BUFFER);

    let none = Pool::builder().max_buffers(0).build();
    let encoder = Encoder::builder().pool(none.clone()).build().unwrap();
    drop(encoder.encode(&vec![1; 60_000]).unwrap());
    // After one buffer that has no place in the pool, a document goes on with slabs.
    assert_eq!((none.retained_bytes(), counts(&none)), (0, [0, 1, 1]));
}

/// Chunks that are kept for ever do not keep the pool from serving others.
#[test]
fn kept_chunks_make_place() {
    let (pool, encoder) = pooled();
    let mut kept: Vec<Bytes> = Vec::new();
    for n in 0..500 {
        let rope = encoder.encode(&vec![n; 20_000]).unwrap();
        if n % 5 == 0 {
            kept.push(rope.chunks()[0].clone());
        }
    }
    let before = pool.stats();
    for _ in 0..100 {
        drop(encoder.encode(&vec![1; 20_000]).unwrap());
    }
    assert_eq!(pool.stats().misses, before.misses, "what comes back last is found first");
    for (n, chunk) in kept.iter().enumerate() {
        assert!(serde_json::to_string(&vec![5 * n; 20_000]).unwrap().as_bytes().starts_with(chunk));
    }
    drop(kept);
    assert!(pool.retained_bytes() <= 64 * BUFFER);
}

#[test]
fn what_it_says_of_itself() {
    fn assert_shared<T: Send + Sync + Clone + std::fmt::Debug + 'static>(_: &T) {}
    let (pool, encoder) = pooled();
    assert_shared(&pool);
    assert_shared(&encoder);
    assert!(format!("{pool:?} {encoder:?}").contains("max_buffers: 64"));
    // An absurd size is brought down to one that can be allocated.
    let absurd = Pool::builder().max_buffers(usize::MAX).buffer_size(usize::MAX).build();
    let encoder = Encoder::builder().pool(absurd.clone()).build().unwrap();
    drop(encoder.encode(&vec![1; 20_000]).unwrap());
    assert_eq!(absurd.retained_bytes(), 16 << 20);
}
