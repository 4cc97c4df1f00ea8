//! What output on demand costs in heap memory: two chunks, whatever the length of the document.

use bytes::Bytes;
use json_rope::{Encoder, Error, Frame};
use serde_json::{Value, json};

use crate::counting::measured;
use crate::{KIB, MIB};

/// Beside the two chunks: the header of a chunk that is shared, the list of finished ones.
const SMALL: usize = 2 * KIB;

/// The peak while each chunk is dropped, and the number of bytes.
fn peak(chunks: impl Iterator<Item = Result<Bytes, Error>>) -> (usize, usize) {
    let (len, heap) = measured(|| chunks.map(|chunk| chunk.unwrap().len()).sum());
    assert_eq!(heap.live, 0, "nothing is kept");
    (heap.peak, len)
}

/// More in a release build.
const SCALE: usize = if cfg!(debug_assertions) { 1 } else { 4 };

/// A tree of more than 16 MiB for each step of the scale, with long strings and short ones.
fn large_tree() -> Value {
    let row = |n: usize| json!({"n": n, "text": "é\"€".repeat(20), "half": n as f64 / 2.0});
    let mut rows: Vec<_> = (0..SCALE * 8 * MIB / 200).map(row).collect();
    rows.push(json!("\u{1}é".repeat(SCALE * 5 * MIB / 4)));
    rows.push(json!({"x".repeat(SCALE * 5 * MIB / 2): 1}));
    Value::Array(rows)
}

crate::tests!(two_chunks, nothing_before_it_is_asked_for, deep, encode_tree, open_arrays);

fn two_chunks() {
    let tree = large_tree();
    for max in [4 * KIB, 64 * KIB, MIB] {
        let encoder = Encoder::builder().max_chunk(max).build().unwrap();
        let (heap, len) = peak(encoder.chunks(&tree));
        println!("tree: {len} bytes, chunks of {max}, peak {heap}");
        assert!(len > SCALE * 16 * MIB);
        assert!(heap <= 2 * max + SMALL, "{heap}");

        let (heap, len) = peak(encoder.array((0..SCALE as u32 * 1_000_000).map(|n| n % 100)));
        println!("array: {len} bytes, chunks of {max}, peak {heap}");
        assert!(heap <= 2 * max + SMALL, "{heap}");
        for frame in [Frame::NdJson, Frame::Grpc, Frame::HttpChunk] {
            let (heap, len) = peak(encoder.records(frame, (0..SCALE as u32 * 100_000).map(|n| [n, 1])));
            println!("records, {frame:?}: {len} bytes, chunks of {max}, peak {heap}");
            assert!(heap <= 2 * max + SMALL, "{heap}");
        }
    }
}

fn nothing_before_it_is_asked_for() {
    let encoder = Encoder::new();
    let tree = json!([1, 2, 3]);
    let (_, heap) = measured(|| (encoder.chunks(&tree), encoder.array([1]), encoder.records(Frame::JsonSeq, [1])));
    assert_eq!(heap.blocks, 0);
    let object = || encoder.object().field("a", 1).array("b", [2]).field_with("c", || 3).tree("d", &tree).chunks();
    let (_, heap) = measured(|| (object(), encoder.writer(), encoder.record_writer(Frame::Grpc)));
    assert_eq!(heap.blocks, 0);
}

/// The list of open containers is all that grows with the depth.
fn deep() {
    let levels = 100_000;
    let tree = (0..levels).fold(Value::Null, |tree, _| Value::Array(vec![tree]));
    let chunks = Encoder::new().chunks(tree);
    let (len, heap) = measured(|| chunks.map(|chunk| chunk.unwrap().len()).sum::<usize>());
    assert_eq!(len, 2 * levels + 4);
    println!("{levels} levels: peak {}", heap.peak);
    assert!(heap.peak <= 2 * 64 * KIB + 512 * levels);
}

/// As `encode` does: O(log n) at first, one slab as soon as the size is known.
fn encode_tree() {
    let tree = Value::Array((0..500_000).map(Value::from).collect());
    let encoder = Encoder::new();
    let [first, again] = [(); 2].map(|()| measured(|| drop(encoder.encode_tree(&tree))).1.blocks);
    println!("encode_tree: {first} blocks, then {again}");
    assert!(first <= 24 && again <= 4, "{first}, {again}");
}

/// A writer, and an object with an open array, cost what the array costs.
fn open_arrays() {
    let encoder = Encoder::new();
    let rows = 1_000_000u32;
    let (len, array) = measured(|| encoder.array(0..rows).map(|chunk| chunk.unwrap().len()).sum::<usize>());
    let (written, writer) = measured(|| {
        let mut writer = encoder.writer();
        let mut len = 0;
        writer.begin_array().unwrap();
        for n in 0..rows {
            writer.value(&n).unwrap();
            len += writer.pop().map_or(0, |chunk| chunk.len());
        }
        writer.end().unwrap();
        writer.finish().unwrap();
        len + std::iter::from_fn(|| writer.pop()).map(|chunk| chunk.len()).sum::<usize>()
    });
    let (_, object) = measured(|| {
        let object = encoder.object().field("count", rows).array("items", 0..rows).chunks();
        object.map(|chunk| chunk.unwrap().len()).sum::<usize>()
    });
    println!("{len} bytes: array {array:?}, writer {writer:?}, object {object:?}");
    assert_eq!(written, len);
    assert!(writer.blocks <= array.blocks && writer.peak <= array.peak);
    assert!(object.blocks <= array.blocks + 1 && object.peak <= array.peak + 64);
    assert_eq!((writer.live, object.live), (0, 0));
}
