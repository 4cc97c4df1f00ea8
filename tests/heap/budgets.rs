//! Proves the heap budgets: how often and how much the encoder allocates, and that it gives everything back.

use std::collections::BTreeMap;

use json_rope::{Encoder, Fragment, Frame, Rope, to_rope};
use json_rope_bench_data::{DOCUMENTS, generate};
use serde::Serialize;
use serde_json::Value;

use crate::counting::{Heap, measured};

fn ratio(heap: &Heap, len: usize) -> f64 {
    heap.bytes as f64 / len as f64
}

fn row(what: &str, len: usize, heap: &Heap) {
    let Heap { blocks, bytes, live, peak } = heap;
    let ratio = ratio(heap, len);
    println!("{what:34} {len:>11} {blocks:>7} {bytes:>12} {ratio:>7.2} {live:>12} {peak:>12}");
}

crate::tests! {
    benchmark_documents,
    small_documents,
    known_sizes,
    growing_documents,
    unused_capacity,
    unused_capacity_of_what_was_moved,
    small_after_large,
    everything_comes_back,
    fragments_after_a_large_document,
    sorting_holds_open_objects_only,
    br_106_a_limit_bounds_memory,
    a_panic_leaks_nothing,
    streaming,
    ropes,
    measuring,
    memory_that_is_there,
}

fn document(name: &str) -> Value {
    let document = DOCUMENTS.iter().find(|document| document.name == name).expect("a document of that name");
    serde_json::from_str(document.text()).expect("JSON")
}

fn benchmark_documents() {
    println!("{:34} {:>11} {:>7} {:>12} {:>7} {:>12} {:>12}", "", "output", "blocks", "bytes", "ratio", "live", "peak");
    for (name, blocks) in [("canada.json", 14), ("citm_catalog.json", 12), ("twitter.json", 12)] {
        let value = document(name);
        let (vec, heap) = measured(|| serde_json::to_vec(&value).unwrap());
        row(&format!("{name}, serde_json::to_vec"), vec.len(), &heap);
        let (rope, heap) = measured(|| to_rope(&value).unwrap());
        row(&format!("{name}, to_rope"), rope.len(), &heap);
        assert_eq!(rope, vec);
        assert!(heap.blocks <= blocks, "{name}: {} blocks", heap.blocks);
        assert!(ratio(&heap, rope.len()) <= 2.0, "{name}: {} bytes", heap.bytes);
    }
}

/// One block of exactly its length, up to the first chunk.
fn small_documents() {
    let message = generate::message();
    let (rope, heap) = measured(|| to_rope(&message).unwrap());
    row("message, to_rope", rope.len(), &heap);
    assert_eq!((rope.len(), heap.blocks, heap.bytes), (150, 1, 150));
    let encoder = Encoder::new();
    for len in (2..=2048).step_by(31).chain([2047, 2048]) {
        let text = "x".repeat(len - 2);
        for (rope, heap) in [measured(|| to_rope(&text).unwrap()), measured(|| encoder.encode(&text).unwrap())] {
            assert_eq!((rope.len(), heap.blocks, heap.bytes, heap.live), (len, 1, len as u64, len));
        }
    }
    let text = "x".repeat(100);
    let (vec, heap) = measured(|| json_rope::to_vec(&text).unwrap());
    assert_eq!((vec.len(), vec.capacity(), heap.blocks), (102, 102, 1));
    let (_, heap) = measured(|| json_rope::to_string(&text).unwrap());
    assert_eq!((heap.blocks, heap.live), (1, 102));
}

/// An encoder that has seen such a document before.
fn known_sizes() {
    for name in ["canada.json", "citm_catalog.json", "twitter.json"] {
        let value = document(name);
        let encoder = Encoder::new();
        drop(encoder.encode(&value).unwrap());
        for _ in 0..2 {
            let (rope, heap) = measured(|| encoder.encode(&value).unwrap());
            row(&format!("{name}, same encoder"), rope.len(), &heap);
            assert!(heap.blocks <= 4, "{name}: {} blocks", heap.blocks);
            assert!(ratio(&heap, rope.len()) <= 1.3, "{name}: {} bytes", heap.bytes);
        }
        // A clone knows it too.
        let (_, heap) = measured(|| encoder.clone().encode(&value).unwrap());
        assert!(heap.blocks <= 4);
    }
}

/// The number of blocks grows with the logarithm of the length.
fn growing_documents() {
    let sizes: &[usize] = if cfg!(debug_assertions) { &[1, 8, 64] } else { &[1, 8, 64, 256] };
    for &mib in sizes {
        let len = mib << 20;
        let (rope, heap) = measured(|| to_rope(&generate::array_of_bytes(len)).unwrap());
        row(&format!("array of {mib} MiB, to_rope"), rope.len(), &heap);
        assert_eq!(rope.len(), len);
        let most = 10 + 2 * (len >> 16).ilog2() as u64;
        assert!(heap.blocks <= most, "{mib} MiB: {} blocks, {most} allowed", heap.blocks);
        // The unused rest of the last slab, and a list of 32 bytes a chunk.
        assert!(heap.bytes <= 2 * len as u64 + (len as u64 >> 6) + (14 << 10), "{mib} MiB: {} bytes", heap.bytes);
    }
}

/// A finished rope keeps at most a quarter more than its bytes.
fn unused_capacity() {
    let mut rng = generate::SplitMix64::new(1);
    let mut worst = 0.0f64;
    for n in 0..80 {
        let len = match n {
            0..20 => (1 << (n % 10 + 11)) - 2,
            20..40 => 45 + rng.index(40_000),
            _ => 45 + rng.index(2_000_000),
        };
        let text = "x".repeat(len);
        for (first, max) in [(2048, 65_536), (16, 256), (65_536, 65_536)] {
            let encoder = Encoder::builder().first_chunk(first).max_chunk(max).build().unwrap();
            let (rope, heap) = measured(|| encoder.encode(&text).unwrap());
            // What the rope keeps. The list of chunks is not capacity for bytes; it has 32 bytes a chunk, grows at
            // least twofold, and is made from a plan that may see twice as many.
            let most = rope.len() + rope.len() / 4 + 32 * 8 * rope.chunks().len() + 2048;
            assert!(heap.live <= most, "{} bytes keep {}, chunks {first} to {max}", rope.len(), heap.live);
            assert!(heap.blocks <= 20 + 2 * u64::from(rope.len().ilog2()), "{} blocks", heap.blocks);
            if first == 2048 {
                // Two kilobytes are the first list of chunks. The last slab counts again when it is shrunk.
                assert!(heap.bytes <= 3 * rope.len() as u64 + (16 << 10), "{} for {}", heap.bytes, rope.len());
                worst = worst.max(heap.live as f64 / rope.len() as f64);
            }
        }
    }
    println!("most memory that a rope keeps: {worst:.2} of its length");
}

/// So does one whose bytes were held and moved, that has the front of a frame, or in which fragments are linked.
fn unused_capacity_of_what_was_moved() {
    let mut rng = generate::SplitMix64::new(2);
    let sorted = || Encoder::builder().sort_keys(true);
    let builders = [
        Encoder::builder(),
        sorted(),
        sorted().first_chunk(100).max_chunk(1 << 20),
        Encoder::builder().canonical(true),
        Encoder::builder().pretty(true).inline_width(5000),
    ];
    let mut worst = 0.0f64;
    for n in 0..400 {
        let encoder = builders[n % builders.len()].clone().build().unwrap();
        let rows: Vec<_> = (0..rng.index(40))
            .map(|_| {
                let mut text = |most: usize| "x".repeat(most >> rng.index(8));
                BTreeMap::from([("b", text(60_000)), ("a", text(5000))])
            })
            .collect();
        let fragments: Vec<_> = (0..rng.index(40))
            .map(|_| (Fragment::trusted(format!("\"{}\"", "1".repeat(1500))), "x".repeat(rng.index(20_000))))
            .collect();
        // What is linked is not memory of the rope.
        let (rope, heap) = measured(|| match n % 3 {
            0 => encoder.encode(&rows).unwrap(),
            1 => encoder.encode_framed(Frame::LengthDelimited, &rows).unwrap(),
            _ => encoder.encode(&fragments).unwrap(),
        });
        let list = 32 * 8 * rope.chunks().len() + 2048;
        let most = rope.len() + rope.len() / 4 + rope.len() / 32 + list;
        assert!(heap.live <= most, "{n}: {} bytes keep {}", rope.len(), heap.live);
        if rope.len() > 10_000 {
            worst = worst.max(heap.live.saturating_sub(list) as f64 / rope.len() as f64);
        }
    }
    println!("most memory that such a rope keeps: {worst:.2} of its length");
}

/// One large document does not make the small ones after it large.
fn small_after_large() {
    let encoder = Encoder::new();
    drop(encoder.encode(&generate::array_of_bytes(16 << 20)).unwrap());
    for len in [45, 150, 2048] {
        let (rope, heap) = measured(|| encoder.encode(&generate::array_of_bytes(len)).unwrap());
        row("after one of 16 MiB", rope.len(), &heap);
        assert_eq!((rope.len(), heap.live), (len, len));
    }
    for len in [3000, 14 << 10, 20 << 10, 100_000] {
        let (rope, heap) = measured(|| encoder.encode(&generate::array_of_bytes(len)).unwrap());
        row("after one of 16 MiB", rope.len(), &heap);
        // Exact size, a shared header, and a list of chunks that was made for the larger document.
        assert!(heap.live <= len + (10 << 10), "{len} bytes keep {}", heap.live);
    }
    // Soon it is forgotten.
    for _ in 0..60 {
        drop(encoder.encode("small").unwrap());
    }
    let (rope, heap) = measured(|| encoder.encode(&generate::array_of_bytes(20 << 10)).unwrap());
    row("long after one of 16 MiB", rope.len(), &heap);
    assert!(heap.bytes <= 2 * rope.len() as u64 + (14 << 10));
}

/// The short texts between fragments do not keep a slab that was made for a longer document.
fn fragments_after_a_large_document() {
    let encoder = Encoder::new();
    drop(encoder.encode(&generate::array_of_bytes(16 << 20)).unwrap());
    let fragment = Fragment::trusted("0".repeat(5000));
    for head in ["x", &"x".repeat(15_000), &"x".repeat(40_000)] {
        let (rope, heap) = measured(|| encoder.encode(&(head, &fragment, 2, &fragment)).unwrap());
        row("fragments after one of 16 MiB", rope.len(), &heap);
        assert!(heap.live <= 2 * rope.len() + (14 << 10), "{} bytes keep {}", rope.len(), heap.live);
    }
}

/// Streaming, what has left already does not count.
fn sorting_holds_open_objects_only() {
    let encoder = Encoder::builder().sort_keys(true).build().unwrap();
    let small = BTreeMap::from([("a", "1".to_owned())]);
    let large = BTreeMap::from([("a", "x".repeat(150_000))]);
    for count in [100, 500_000] {
        let value: Vec<_> = std::iter::repeat_n(&small, count).chain([&large]).collect();
        let ((), heap) = measured(|| assert!(encoder.write(&mut std::io::sink(), &value).is_ok()));
        row("streaming, sorted", 9 * count + 150_000, &heap);
        assert!(heap.peak <= 1 << 20, "{} bytes", heap.peak);
    }
}

/// A limit is there to bound memory, too.
fn br_106_a_limit_bounds_memory() {
    let encoder = Encoder::builder().max_len(20_000).build().unwrap();
    let text = "x".repeat(1 << 20);
    let ((), heap) = measured(|| {
        assert!(encoder.encode(&text).unwrap_err().is_limit());
        assert!(encoder.write(&mut std::io::sink(), &text).unwrap_err().is_limit());
    });
    row("max_len of 20,000", 20_000, &heap);
    assert!(heap.peak <= 64 << 10 && heap.live == 0, "{} bytes", heap.peak);
}

/// Whatever was written before a panic is freed while it unwinds.
fn a_panic_leaks_nothing() {
    struct Panic;
    impl serde::Serialize for Panic {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            std::panic::resume_unwind(Box::new(()))
        }
    }
    let encoder = Encoder::new();
    let text = "x".repeat(100_000);
    let fragment = Fragment::trusted("0".repeat(5000));
    let once = || {
        let value = (&text, &fragment, [1, 2], Panic);
        let encode = || drop(encoder.encode(&value));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(encode)).is_err());
        let write = || drop(encoder.write(&mut std::io::sink(), &value));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(write)).is_err());
    };
    once();
    let ((), heap) = measured(once);
    assert_eq!(heap.live, 0, "a panic leaks");
}

fn everything_comes_back() {
    // BR-002: a string that nearly fills the first chunk.
    let text = "x".repeat(2042);
    let ((), heap) = measured(|| {
        for _ in 0..10_000 {
            let rope = to_rope(&text).unwrap();
            assert_eq!(rope.len(), 2044);
        }
    });
    row("10,000 x 2,044 bytes", 2044 * 10_000, &heap);
    assert_eq!((heap.live, heap.blocks, heap.peak), (0, 10_000, 2044));
    let value = document("twitter.json");
    let ((), heap) = measured(|| {
        let encoder = Encoder::new();
        for _ in 0..5 {
            drop(encoder.encode(&value).unwrap());
            encoder.write(&mut std::io::sink(), &value).unwrap();
            let mut rope = Rope::new();
            encoder.encode_into(&mut rope, &value).unwrap();
            drop((rope.slice(..1000), rope.split_to(5000), rope.clone().into_bytes(), rope.into_string().unwrap()));
        }
    });
    assert_eq!(heap.live, 0);
    // An error, in the middle of a long document, and when the limit is reached.
    let limited = Encoder::builder().max_len(300_000).build().unwrap();
    let unit_key = std::collections::BTreeMap::from([((), 1)]);
    let ((), heap) = measured(|| {
        assert!(to_rope(&(&value, &unit_key)).is_err());
        assert!(limited.encode(&value).is_err());
        assert!(limited.write(&mut std::io::sink(), &value).is_err());
    });
    assert_eq!(heap.live, 0);
}

/// The same memory is filled again and again, however long the document is.
fn streaming() {
    fn check(what: &str, value: &impl Serialize) {
        let encoder = Encoder::new();
        let (len, heap) = measured(|| encoder.write(&mut std::io::sink(), value).unwrap());
        row(what, len as usize, &heap);
        assert!(heap.blocks <= 8, "{what}: {} blocks", heap.blocks);
        assert!(heap.peak <= STREAMING_PEAK, "{what}: {} bytes at once", heap.peak);
        assert_eq!(heap.live, 0);
    }
    check("streaming 10 KiB", &generate::array_of_bytes(10 << 10));
    check("streaming 1 MiB", &generate::array_of_bytes(1 << 20));
    check("streaming 5 MiB", &generate::array_of_bytes(5 << 20));
    check("streaming a string of 8 MiB", &"x".repeat(8 << 20));
    check("streaming escapes of 8 MiB", &"\"".repeat(4 << 20));
    check("streaming canada.json", &document("canada.json"));
    // What fits a part of the stack needs no heap.
    let (encoder, message) = (Encoder::new(), generate::message());
    let (len, heap) = measured(|| encoder.write(&mut std::io::sink(), &message).unwrap());
    row("streaming message", len as usize, &heap);
    assert_eq!(heap.blocks, 0);
}

/// With the default options: one buffer of twice `max_chunk`, and nothing beside it.
const STREAMING_PEAK: usize = 128 << 10;

/// What is documented as free of copies allocates nothing for bytes.
fn ropes() {
    let rope = to_rope(&generate::array_of_bytes(1 << 20)).unwrap();
    let (_, heap) = measured(|| rope.clone());
    assert!(heap.bytes < 4096, "clone: {} bytes", heap.bytes);
    let (_, heap) = measured(|| rope.slice(1000..1_000_000));
    assert!(heap.bytes < 4096, "slice: {} bytes", heap.bytes);
    let mut copy = rope.clone();
    let (_, heap) = measured(|| copy.split_to(500_000));
    assert!(heap.bytes < 4096, "split: {} bytes", heap.bytes);
    let (_, heap) = measured(|| rope.to_vec());
    assert_eq!((heap.blocks, heap.bytes), (1, 1 << 20));
    let ((), heap) = measured(|| copy.compact());
    assert_eq!(heap.blocks, 2 + 1, "the bytes, the list, and one header that its chunks share");
    assert_eq!(rope.len(), 1 << 20);
    let (rope, heap) = measured(|| Rope::from("static"));
    assert_eq!((rope.len(), heap.blocks), (6, 0));
}

/// Nothing is allocated to measure a document, whatever the options and the length.
fn measuring() {
    for document in &DOCUMENTS {
        let value: Value = serde_json::from_str(document.text()).unwrap();
        for (pretty, sort) in [(false, false), (true, false), (false, true), (true, true)] {
            let builder = Encoder::builder().pretty(pretty).sort_keys(sort).ascii(sort);
            for encoder in [builder.clone(), builder.pool(json_rope::Pool::default())].map(|b| b.build().unwrap()) {
                let want = encoder.encode(&value).unwrap().len() as u64;
                let (len, heap) = measured(|| encoder.measure(&value).unwrap());
                assert_eq!((len, heap.blocks), (want, 0), "{}", document.name);
            }
        }
    }
    let text = generate::plain_text(1, 10 << 20);
    let (len, heap) = measured(|| Encoder::new().measure(&text).unwrap());
    assert_eq!(len, text.len() as u64 + 2);
    // The encoder itself.
    assert_eq!(heap.blocks, 1);
}

/// A document that fits the spare capacity allocates nothing; into an empty vector, one of its length if it is short.
fn memory_that_is_there() {
    let encoder = Encoder::new();
    for document in &DOCUMENTS {
        let value: Value = serde_json::from_str(document.text()).unwrap();
        let len = encoder.encode(&value).unwrap().len();
        let mut vec = Vec::with_capacity(len);
        let ((), heap) = measured(|| encoder.encode_to_vec(&mut vec, &value).unwrap());
        assert_eq!((heap.blocks, vec.len(), vec.capacity()), (0, len, len));
        let mut bytes = bytes::BytesMut::with_capacity(len);
        let ((), heap) = measured(|| encoder.encode_to_bytes_mut(&mut bytes, &value).unwrap());
        assert_eq!((heap.blocks, bytes.len()), (0, len));
        let (vec, heap) = measured(|| json_rope::to_vec(&value).unwrap());
        row(&format!("{}, to_vec", document.name), len, &heap);
        assert_eq!(vec.capacity(), len);
        assert!(heap.blocks <= 10, "{}", heap.blocks);
    }
    let message = generate::message();
    let (vec, heap) = measured(|| {
        let mut vec = Vec::new();
        encoder.encode_to_vec(&mut vec, &message).unwrap();
        vec
    });
    assert_eq!((vec.capacity(), heap.blocks), (vec.len(), 1));
}
