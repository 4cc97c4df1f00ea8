//! Proves that no length is computed in 32 bits, and none wraps: documents of more than 4 GiB, made of one piece of
//! memory that many chunks share, and strings that nobody holds.
#![cfg(target_pointer_width = "64")]

use std::fmt::{self, Display};
use std::io::{self, IoSlice, Read, Write};

use bytes::{Buf, Bytes};
use json_rope::{Encoder, Fragment, Frame, Rope, VectoredSink};
use serde::{Serialize, Serializer};

const MIB: usize = 1 << 20;

/// Counts bytes, and keeps the first ones.
#[derive(Default)]
struct Counter {
    bytes: u64,
    first: Vec<u8>,
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        let missing = 16_usize.saturating_sub(self.first.len());
        self.first.extend_from_slice(&bytes[..bytes.len().min(missing)]);
        Ok(bytes.len())
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        slices.iter().map(|slice| self.write(slice)).sum()
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A JSON string of this length, of chunks of one mebibyte that are the same memory.
fn string(len: usize) -> Rope {
    let piece = Bytes::from(vec![b'x'; MIB]);
    let mut rope = Rope::from("\"");
    let inside = len - 2;
    rope.extend(std::iter::repeat_n(piece.clone(), inside / MIB));
    rope.push(piece.slice(..inside % MIB));
    rope.push(Bytes::from_static(b"\""));
    rope
}

/// Lengths around those where 30, 31 and 32 bits end.
fn lengths() -> impl Iterator<Item = usize> {
    [1_usize << 30, 1 << 31, 1 << 32].into_iter().flat_map(|limit| [limit - 1, limit, limit + 1]).chain([5 << 30])
}

#[test]
fn br_015_documents_around_every_power_of_two() {
    let encoder = Encoder::new();
    for len in lengths() {
        let fragment = Fragment::trusted(string(len));
        let rope = encoder.encode(&(1, &fragment)).unwrap();
        assert_eq!(rope.len(), len + 4);
        assert_eq!(rope.chunks().iter().map(Bytes::len).sum::<usize>(), len + 4);
        assert_eq!(rope.slice(len + 1..), "x\"]");
        assert_eq!(rope.slice(..5), "[1,\"x");
        let mut rest = rope.clone();
        assert_eq!(rest.split_to(len).len(), len);
        assert_eq!(rest, "xx\"]");
        let mut rest = rope.clone();
        rest.advance(len + 1);
        assert_eq!(rest, "x\"]");

        let mut counter = Counter::default();
        rope.write_to(&mut counter).unwrap();
        assert_eq!(counter.bytes, rope.len() as u64);
        let mut counter = Counter::default();
        assert_eq!(encoder.write(&mut counter, &(1, &fragment)).unwrap(), rope.len() as u64);
        assert_eq!(counter.bytes, rope.len() as u64);
        let mut sink = VectoredSink::new(Counter::default());
        sink.push(rope.clone());
        assert_eq!(sink.pending(), rope.len());
        sink.flush().unwrap();
        assert_eq!((sink.pending(), sink.get_ref().bytes), (0, rope.len() as u64));
        let drained = encoder.array([&fragment]).try_fold(0, |sum, chunk| chunk.map(|chunk| sum + chunk.len()));
        assert_eq!(drained.unwrap(), len + 2);

        // Limits of every kind are compared with the whole length.
        let limited = Encoder::builder().max_len(len as u64 + 3).build().unwrap();
        assert!(limited.encode(&(1, &fragment)).unwrap_err().is_limit());
        let mut counter = Counter::default();
        let error = limited.write(&mut counter, &(1, &fragment)).unwrap_err();
        assert!(error.is_limit() && counter.bytes <= len as u64 + 3);
    }
}

/// The length of a gRPC message has 32 bits; that of a delimited one has as many as it needs.
#[test]
fn prefixes_around_32_bits() {
    let encoder = Encoder::new();
    for len in lengths() {
        let fragment = Fragment::trusted(string(len));
        let mut counter = Counter::default();
        let sent = io::copy(&mut encoder.records(Frame::Grpc, [&fragment]).into_reader(), &mut counter);
        match u32::try_from(len) {
            Ok(length) => {
                assert_eq!(sent.unwrap(), len as u64 + 5);
                assert_eq!(counter.first[..5], [&[0][..], &length.to_be_bytes()].concat());
            }
            Err(_) => {
                let error = sent.unwrap_err().downcast::<json_rope::Error>().unwrap();
                assert!(error.is_limit());
                assert_eq!(counter.bytes, 0, "nothing leaves before the limit is noticed");
            }
        }
        let mut records = encoder.records(Frame::LengthDelimited, [&fragment]).into_reader();
        let mut prefix = [0; 5];
        records.read_exact(&mut prefix).unwrap();
        let value = prefix.iter().rev().fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f));
        assert_eq!(value, len as u64);
        assert!(prefix[..4].iter().all(|byte| byte & 0x80 != 0) && prefix[4] & 0x80 == 0);
    }
}

/// The same piece of text, again and again.
struct Endless {
    piece: String,
    times: usize,
}

impl Display for Endless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.times).try_for_each(|_| f.write_str(&self.piece))
    }
}

impl Serialize for Endless {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A string in writes of a mebibyte, of which only a buffer is ever held: 2 GiB and more in a release build.
#[test]
fn a_string_that_nobody_holds() {
    let times = if cfg!(debug_assertions) { 100 } else { 2100 };
    for (piece, escaped) in [("x".repeat(MIB), MIB), ("\n".repeat(MIB / 64), MIB / 32)] {
        let mut counter = Counter::default();
        let len = json_rope::Encoder::new().write(&mut counter, &Endless { piece, times }).unwrap();
        assert_eq!(len, (times * escaped + 2) as u64);
        assert_eq!(counter.bytes, len);
    }
}
