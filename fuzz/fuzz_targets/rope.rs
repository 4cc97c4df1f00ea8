//! Any sequence of rope operations, against the same on a `Vec<u8>`; and ropes that were kept do not change.
#![no_main]

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io::IoSlice;
use std::ops::Bound;

use arbitrary::Arbitrary;
use bytes::{Buf, Bytes};
use json_rope::Rope;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Operation {
    Push(Vec<u8>),
    Append(Vec<Vec<u8>>),
    AppendItself,
    Extend(Vec<Vec<u8>>),
    Slice(Bound<u16>, Bound<u16>),
    Keep(u16, u16),
    SplitTo(u16),
    Advance(u16),
    CopyToBytes(u16),
    CopyToSlice(u16),
    GetU64,
    Take(u16, u8),
    Vectored(u8),
    Compact,
    Rebuild,
    Flatten,
    Write,
}

fn hash(rope: &Rope) -> u64 {
    let mut hasher = DefaultHasher::new();
    rope.hash(&mut hasher);
    hasher.finish()
}

fuzz_target!(|operations: Vec<Operation>| {
    let mut rope = Rope::new();
    let mut model: Vec<u8> = Vec::new();
    let mut kept: Vec<(Rope, Vec<u8>)> = Vec::new();
    for operation in operations {
        let at = |n: u16| usize::from(n) % (model.len() + 1);
        match operation {
            Operation::Push(bytes) => {
                model.extend(&bytes);
                rope.push(Bytes::from(bytes));
            }
            Operation::Append(chunks) => {
                model.extend(chunks.concat());
                rope.append(chunks.into_iter().map(Bytes::from).collect());
            }
            Operation::AppendItself if model.len() < 1 << 13 => {
                model.extend_from_within(..);
                rope.append(rope.clone());
            }
            Operation::AppendItself => {}
            Operation::Extend(chunks) => {
                model.extend(chunks.concat());
                rope.extend(chunks.into_iter().map(Bytes::from));
            }
            Operation::Slice(from, to) => {
                let (from, to) = (from.map(at), to.map(at));
                let range = (from, to);
                // The standard library says which ranges there are.
                match model.get(range) {
                    Some(slice) => assert_eq!(rope.slice(range), *slice),
                    None => continue,
                }
            }
            Operation::Keep(a, b) => {
                let (a, b) = (at(a).min(at(b)), at(a).max(at(b)));
                kept.push((rope.slice(a..b), model[a..b].to_vec()));
                kept.push((rope.clone(), model.clone()));
            }
            Operation::SplitTo(n) => {
                let front: Vec<u8> = model.drain(..at(n)).collect();
                let split = rope.split_to(front.len());
                assert_eq!(split, front);
                kept.push((split, front));
            }
            Operation::Advance(n) => {
                let n = at(n);
                model.drain(..n);
                rope.advance(n);
            }
            Operation::CopyToBytes(n) => {
                let front: Vec<u8> = model.drain(..at(n)).collect();
                assert_eq!(rope.copy_to_bytes(front.len()), front);
            }
            Operation::CopyToSlice(n) => {
                let mut front = vec![0; at(n)];
                rope.copy_to_slice(&mut front);
                assert_eq!(front, model.drain(..front.len()).collect::<Vec<u8>>());
            }
            Operation::GetU64 => match model.first_chunk::<8>().copied() {
                Some(bytes) => {
                    model.drain(..8);
                    assert_eq!(rope.get_u64(), u64::from_be_bytes(bytes));
                }
                None => assert!(rope.try_get_u64().is_err()),
            },
            Operation::Take(n, slots) => {
                let n = at(n);
                let limited = rope.clone().take(n);
                let mut slices = [IoSlice::new(&[]); 255];
                let used = limited.chunks_vectored(&mut slices[..usize::from(slots)]);
                let seen: Vec<u8> = slices[..used].iter().flat_map(|slice| slice.iter().copied()).collect();
                assert!(model[..n].starts_with(&seen));
                assert!(slots == 0 || n == 0 || !seen.is_empty());
            }
            Operation::Vectored(slots) => {
                let mut slices = [IoSlice::new(&[]); 255];
                let used = rope.chunks_vectored(&mut slices[..usize::from(slots)]);
                assert_eq!(used, rope.chunks().len().min(usize::from(slots)));
                let seen: Vec<u8> = slices[..used].iter().flat_map(|slice| slice.iter().copied()).collect();
                assert!(model.starts_with(&seen));
                assert_eq!(rope.io_slices().map(|slice| slice.len()).sum::<usize>(), model.len());
            }
            Operation::Compact => rope.compact(),
            Operation::Rebuild => rope = rope.into_chunks().into_iter().collect(),
            Operation::Flatten => rope = Rope::from(rope.into_bytes()),
            Operation::Write => {
                let mut out = Vec::new();
                rope.write_to(&mut out).unwrap();
                assert_eq!(out, model);
            }
        }
        assert_eq!((rope.len(), rope.remaining(), rope.is_empty()), (model.len(), model.len(), model.is_empty()));
        assert_eq!(rope, model);
        assert!(rope.chunks().iter().all(|chunk| !chunk.is_empty()));
        assert_eq!(rope.chunk().is_empty(), model.is_empty());
        assert_eq!(rope.to_string(), String::from_utf8_lossy(&model));
        let flat = Rope::from(model.clone());
        assert!(rope == flat && flat == rope && hash(&rope) == hash(&flat));
        let mut other = model.clone();
        if let Some(byte) = other.last_mut() {
            *byte ^= 1;
            assert!(rope != other && flat != Rope::from(other));
        }
        assert_eq!(rope.clone().into_string().ok(), String::from_utf8(model.clone()).ok());
        if kept.len() > 40 {
            kept.drain(..20).for_each(|(rope, model)| assert_eq!(rope, model));
        }
    }
    kept.into_iter().for_each(|(rope, model)| assert_eq!(rope, model));
});
