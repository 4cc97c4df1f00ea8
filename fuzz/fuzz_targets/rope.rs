//! Any sequence of rope operations, against the same on a `Vec<u8>`.
#![no_main]

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use arbitrary::Arbitrary;
use bytes::{Buf, Bytes};
use json_rope::Rope;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Operation {
    Push(Vec<u8>),
    Append(Vec<Vec<u8>>),
    Slice(u16, u16),
    SplitTo(u16),
    Advance(u16),
    CopyToBytes(u16),
    Compact,
    Rebuild,
    Write,
}

fuzz_target!(|operations: Vec<Operation>| {
    let mut rope = Rope::new();
    let mut model: Vec<u8> = Vec::new();
    for operation in operations {
        let len = model.len() + 1;
        match operation {
            Operation::Push(bytes) => {
                model.extend(&bytes);
                rope.push(Bytes::from(bytes));
            }
            Operation::Append(chunks) => {
                model.extend(chunks.concat());
                rope.append(chunks.into_iter().map(Bytes::from).collect());
            }
            Operation::Slice(a, b) => {
                let (a, b) = (usize::from(a) % len, usize::from(b) % len);
                let (a, b) = (a.min(b), a.max(b));
                assert_eq!(rope.slice(a..b), model[a..b]);
            }
            Operation::SplitTo(n) => {
                let n = usize::from(n) % len;
                let front: Vec<u8> = model.drain(..n).collect();
                assert_eq!(rope.split_to(n), front);
            }
            Operation::Advance(n) => {
                let n = usize::from(n) % len;
                model.drain(..n);
                rope.advance(n);
            }
            Operation::CopyToBytes(n) => {
                let n = usize::from(n) % len;
                let front: Vec<u8> = model.drain(..n).collect();
                assert_eq!(rope.copy_to_bytes(n), front);
            }
            Operation::Compact => rope.compact(),
            Operation::Rebuild => rope = rope.into_chunks().into_iter().collect(),
            Operation::Write => {
                let mut out = Vec::new();
                rope.write_to(&mut out).unwrap();
                assert_eq!(out, model);
            }
        }
        assert_eq!(rope.len(), model.len());
        assert_eq!(rope, model);
        assert!(rope.chunks().iter().all(|chunk| !chunk.is_empty()));
        assert_eq!(rope.to_string(), String::from_utf8_lossy(&model));
        let hash = |rope: &Rope| {
            let mut hasher = DefaultHasher::new();
            rope.hash(&mut hasher);
            hasher.finish()
        };
        let flat = Rope::from(model.clone());
        assert!(rope == flat && hash(&rope) == hash(&flat));
    }
});
