//! Proves that any sequence of operations on a rope does what it would do to a plain vector of bytes.

use std::hash::{BuildHasher, RandomState};

use bytes::{Buf, Bytes};
use json_rope::Rope;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::Config;

#[derive(Clone, Debug)]
enum Operation {
    Push(Vec<u8>),
    /// A slice of a longer buffer, as an encoder's chunks are.
    PushShared(Vec<u8>, Index, Index),
    Append(Vec<Vec<u8>>),
    Extend(Vec<Vec<u8>>),
    Collect(Vec<Vec<u8>>),
    AppendItself,
    Slice(Index, Index),
    SplitTo(Index),
    SplitOffFront(Index),
    Advance(Index),
    CopyToBytes(Index),
    CopyToSlice(Index),
    ReadLimited(Index),
    GetU16,
    Compact,
    CloneAndChange(Index),
    ThroughBytes,
    ThroughChunks,
    ThroughIterator(Index),
    ThroughWriter,
}

fn bytes() -> impl Strategy<Value = Vec<u8>> + Clone {
    // Mostly text, cut anywhere; now and then anything.
    prop_oneof![
        3 => vec(any::<u8>(), 0..20),
        3 => vec(proptest::sample::select("aé€😀".as_bytes()), 0..20),
        1 => vec(any::<u8>(), 60..300),
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    let index = any::<Index>;
    let parts = vec(bytes(), 0..8);
    prop_oneof![
        4 => bytes().prop_map(Operation::Push),
        3 => (bytes(), index(), index()).prop_map(|(bytes, a, b)| Operation::PushShared(bytes, a, b)),
        2 => parts.clone().prop_map(Operation::Append),
        1 => parts.clone().prop_map(Operation::Extend),
        1 => parts.prop_map(Operation::Collect),
        1 => Just(Operation::AppendItself),
        1 => (index(), index()).prop_map(|(a, b)| Operation::Slice(a, b)),
        2 => index().prop_map(Operation::SplitTo),
        1 => index().prop_map(Operation::SplitOffFront),
        2 => index().prop_map(Operation::Advance),
        2 => index().prop_map(Operation::CopyToBytes),
        1 => index().prop_map(Operation::CopyToSlice),
        1 => index().prop_map(Operation::ReadLimited),
        1 => Just(Operation::GetU16),
        1 => Just(Operation::Compact),
        1 => index().prop_map(Operation::CloneAndChange),
        1 => Just(Operation::ThroughBytes),
        1 => Just(Operation::ThroughChunks),
        1 => index().prop_map(Operation::ThroughIterator),
        1 => Just(Operation::ThroughWriter),
    ]
}

fn collect(parts: &[Vec<u8>]) -> Rope {
    parts.iter().map(|part| Bytes::copy_from_slice(part)).collect()
}

fn up_to(index: &Index, len: usize) -> usize {
    index.index(len + 1)
}

fn range(a: &Index, b: &Index, len: usize) -> std::ops::Range<usize> {
    let (a, b) = (up_to(a, len), up_to(b, len));
    a.min(b)..a.max(b)
}

/// Applies one operation to both. What an operation returns is compared here, what it leaves by the caller.
fn apply(operation: &Operation, rope: &mut Rope, model: &mut Vec<u8>) {
    match operation {
        Operation::Push(bytes) => {
            rope.push(Bytes::from(bytes.clone()));
            model.extend(bytes);
        }
        Operation::PushShared(bytes, a, b) => {
            let range = range(a, b, bytes.len());
            rope.push(Bytes::from(bytes.clone()).slice(range.clone()));
            model.extend(&bytes[range]);
        }
        Operation::Append(parts) => {
            rope.append(collect(parts));
            model.extend(parts.concat());
        }
        Operation::Extend(parts) => {
            rope.extend(parts.iter().cloned().map(Bytes::from));
            model.extend(parts.concat());
        }
        Operation::Collect(parts) => {
            *rope = collect(parts);
            *model = parts.concat();
        }
        Operation::AppendItself => {
            if model.len() < 5_000 {
                rope.append(rope.clone());
                model.extend(model.clone());
            }
        }
        Operation::Slice(a, b) => {
            let range = range(a, b, model.len());
            *rope = rope.slice(range.clone());
            *model = model[range].to_vec();
        }
        Operation::SplitTo(at) => {
            let front = rope.split_to(up_to(at, model.len()));
            check(&front, &model.drain(..front.len()).collect::<Vec<_>>());
        }
        Operation::SplitOffFront(at) => {
            let at = up_to(at, model.len());
            let rest = std::mem::take(rope).into_iter().collect::<Rope>();
            let mut front = rest;
            let kept = front.split_to(at);
            check(&front, &model.split_off(at));
            *rope = kept;
        }
        Operation::Advance(at) => {
            let at = up_to(at, model.len());
            rope.advance(at);
            model.drain(..at);
        }
        Operation::CopyToBytes(at) => {
            let at = up_to(at, model.len());
            let single = rope.chunk().len() >= at;
            let place = rope.chunk().as_ptr();
            let bytes = rope.copy_to_bytes(at);
            assert!(!single || at == 0 || bytes.as_ptr() == place, "copied out of one chunk");
            assert_eq!(bytes, model.drain(..at).collect::<Vec<_>>());
        }
        Operation::CopyToSlice(at) => {
            let mut bytes = vec![0; up_to(at, model.len())];
            rope.copy_to_slice(&mut bytes);
            assert_eq!(bytes, model.drain(..bytes.len()).collect::<Vec<_>>());
        }
        Operation::ReadLimited(at) => {
            let at = up_to(at, model.len());
            let mut limited = rope.take(at);
            assert_eq!(limited.remaining(), at);
            let bytes = limited.copy_to_bytes(at);
            assert_eq!(bytes, model.drain(..at).collect::<Vec<_>>());
        }
        Operation::GetU16 => {
            if model.len() >= 2 {
                assert_eq!(rope.get_u16(), u16::from_be_bytes([model[0], model[1]]));
                model.drain(..2);
            }
        }
        Operation::Compact => {
            let lens: Vec<_> = rope.chunks().iter().map(Bytes::len).collect();
            rope.compact();
            assert_eq!(rope.chunks().iter().map(Bytes::len).collect::<Vec<_>>(), lens);
        }
        Operation::CloneAndChange(at) => {
            let mut other = rope.clone();
            other.push(Bytes::from_static(b"more"));
            other.advance(up_to(at, model.len()));
            other.compact();
        }
        Operation::ThroughBytes => *rope = Rope::from(std::mem::take(rope).into_bytes()),
        Operation::ThroughChunks => *rope = Rope::from_iter(std::mem::take(rope).into_chunks()),
        Operation::ThroughIterator(at) => {
            let mut chunks = std::mem::take(rope).into_iter();
            let total = chunks.len();
            let taken = chunks.by_ref().take(up_to(at, total)).collect::<Rope>();
            assert_eq!(chunks.len(), total - taken.chunks().len());
            model.drain(..taken.len());
            *rope = chunks.collect();
        }
        Operation::ThroughWriter => {
            let mut out = Vec::new();
            rope.write_to(&mut out).unwrap();
            assert_eq!(&out, model);
        }
    }
}

/// Invariants, and every way to look at a rope.
fn check(rope: &Rope, model: &[u8]) {
    assert_eq!(rope.len(), model.len());
    assert_eq!(rope.is_empty(), model.is_empty());
    assert!(rope.chunks().iter().all(|chunk| !chunk.is_empty()), "no chunk is empty");
    assert_eq!(rope.chunks().iter().map(Bytes::len).sum::<usize>(), model.len());
    assert_eq!(rope.chunks().concat(), model);
    assert_eq!(rope.to_vec(), model);
    assert!(*rope == *model && *rope == model.to_vec());
    let other = Rope::from(model.to_vec());
    assert_eq!(*rope, other);
    assert_eq!(other, *rope);
    assert_eq!(rope.remaining(), model.len());
    assert_eq!(rope.has_remaining(), !model.is_empty());
    assert_eq!(rope.chunk(), rope.chunks().first().map_or(&[][..], |chunk| &chunk[..]));
    assert_eq!(rope.io_slices().flat_map(|slice| slice.to_vec()).collect::<Vec<_>>(), model);
    assert_eq!(rope.to_string(), String::from_utf8_lossy(model));
    assert_eq!(rope.clone().into_string().ok(), String::from_utf8(model.to_vec()).ok());
    if let Some(last) = model.last() {
        let mut changed = model.to_vec();
        *changed.last_mut().unwrap() = !last;
        assert!(*rope != changed);
        let changed = Rope::from(changed);
        assert!(*rope != changed);
    }
}

proptest! {
    #![proptest_config(Config { cases: 600, failure_persistence: None, ..Config::default() })]

    #[test]
    fn a_rope_is_a_vector_of_bytes(operations in vec(operation(), 1..40)) {
        let (mut rope, mut model) = (Rope::new(), Vec::new());
        let hasher = RandomState::new();
        for operation in &operations {
            apply(operation, &mut rope, &mut model);
            check(&rope, &model);
            prop_assert_eq!(hasher.hash_one(&rope), hasher.hash_one(Rope::from(model.clone())));
        }
    }
}
