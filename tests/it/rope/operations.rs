//! Proves each operation of a rope: what it gives, that it copies nothing, and when it panics. Random sequences of
//! operations are in `rope_model.rs`.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::io::IoSlice;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::{Buf, Bytes, BytesMut};
use json_rope::{Encoder, Error, IntoIter, Rope, VectoredSink, to_rope};

fn rope(chunks: &[&'static [u8]]) -> Rope {
    chunks.iter().map(|chunk| Bytes::from_static(chunk)).collect()
}

/// A hasher that tells one call from two with the same bytes, as hashers may.
#[derive(Default)]
struct ByCall(u64);

impl Hasher for ByCall {
    fn write(&mut self, bytes: &[u8]) {
        for number in bytes.iter().map(|byte| u64::from(*byte)).chain([bytes.len() as u64 + 256]) {
            self.0 = (self.0.rotate_left(9) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn hash(rope: &Rope) -> u64 {
    let mut hasher = ByCall::default();
    rope.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn br_021_ranges_of_every_kind() {
    for rope in [rope(&[b"abcdef"]), rope(&[b"ab", b"cdef"]), rope(&[b"a", b"b", b"c", b"d", b"e", b"f"])] {
        assert_eq!(rope.slice(2..4), "cd");
        assert_eq!(rope.slice(2..4).len(), 2);
        assert_eq!(rope.slice(..), "abcdef");
        assert_eq!(rope.slice(3..), "def");
        assert_eq!(rope.slice(..3), "abc");
        assert_eq!(rope.slice(..=3), "abcd");
        assert_eq!(rope.slice(1..=1), "b");
        assert_eq!(rope.slice((std::ops::Bound::Excluded(1), std::ops::Bound::Unbounded)), "cdef");
        for begin in 0..=6 {
            assert!(rope.slice(begin..begin).chunks().is_empty());
            for end in begin..=6 {
                let slice = rope.slice(begin..end);
                assert_eq!(slice, b"abcdef"[begin..end]);
                assert!(slice.chunks().iter().all(|chunk| !chunk.is_empty()));
            }
        }
    }
}

#[test]
fn out_of_range_panics() {
    let abc = rope(&[b"a", b"bc"]);
    let panics = |operation: &dyn Fn(Rope)| {
        assert!(catch_unwind(AssertUnwindSafe(|| operation(abc.clone()))).is_err());
    };
    panics(&|rope| drop(rope.slice(..4)));
    panics(&|rope| drop(rope.slice(4..)));
    panics(&|rope| drop(rope.slice(4..4)));
    #[expect(clippy::reversed_empty_ranges)]
    panics(&|rope| drop(rope.slice(2..1)));
    panics(&|rope| drop(rope.slice(..=3)));
    panics(&|rope| drop(rope.slice(..=usize::MAX)));
    panics(&|rope| drop(rope.slice((std::ops::Bound::Excluded(usize::MAX), std::ops::Bound::Unbounded))));
    panics(&|mut rope| drop(rope.split_to(4)));
    panics(&|mut rope| rope.advance(4));
    panics(&|mut rope| drop(rope.copy_to_bytes(4)));
    panics(&|mut rope| drop(rope.split_to(usize::MAX)));
    panics(&|mut rope| {
        rope.advance(2);
        rope.advance(2);
    });
    panics(&|_| drop(Rope::new().split_to(1)));
    // A refused operation leaves the rope as it was.
    let mut rope = abc.clone();
    assert!(catch_unwind(AssertUnwindSafe(|| rope.split_to(4))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| rope.advance(4))).is_err());
    assert_eq!(rope, "abc");
}

#[test]
fn operations_on_nothing() {
    let mut empty = Rope::new();
    assert!(empty.is_empty() && empty.chunks().is_empty());
    empty.push(Bytes::new());
    empty.append(Rope::default());
    empty.extend([Bytes::new(), Bytes::new()]);
    empty.compact();
    empty.advance(0);
    assert_eq!(empty.split_to(0), "");
    assert_eq!(empty.slice(0..0), "");
    assert_eq!(empty.copy_to_bytes(0), "");
    assert_eq!(empty.chunk(), b"");
    assert_eq!(empty.io_slices().count(), 0);
    assert_eq!(empty.chunks_vectored(&mut [IoSlice::new(&[]); 2]), 0);
    assert_eq!(empty.to_string(), "");
    assert_eq!(empty.clone().into_bytes(), "");
    assert_eq!(empty.clone().into_string().unwrap(), "");
    assert_eq!(empty.to_vec(), b"");
    assert!(empty.clone().into_chunks().is_empty());
    assert_eq!(empty.clone().into_iter().len(), 0);
    assert!(Rope::from("").chunks().is_empty());
    assert!(Rope::from(Vec::<u8>::new()).chunks().is_empty());
    assert!([Bytes::new(), Bytes::new()].into_iter().collect::<Rope>().chunks().is_empty());
    empty.push(Bytes::from("x"));
    assert_eq!(empty, "x");
}

#[test]
fn nothing_is_copied() {
    let big = Bytes::from(vec![b'x'; 5000]);
    let (start, middle) = (big.as_ptr(), big[2000..].as_ptr());
    let mut rope = Rope::from(big.clone());
    rope.push(big.slice(2000..));
    rope.append(Rope::from(big.clone()));
    let places = |rope: &Rope| rope.chunks().iter().map(|chunk| chunk.as_ptr()).collect::<Vec<_>>();
    assert_eq!(places(&rope), [start, middle, start]);
    assert_eq!(places(&rope.clone()), places(&rope));
    assert_eq!(places(&rope.slice(2000..5001)), [middle, middle]);
    let mut rest = rope.clone();
    let front = rest.split_to(2000);
    assert_eq!((places(&front), places(&rest)), (vec![start], vec![middle, middle, start]));
    rest.advance(3000);
    assert_eq!(places(&rest), [middle, start]);
    assert_eq!(Rope::from(big.clone()).into_bytes().as_ptr(), start);
    let vector = vec![7u8; 100];
    let place = vector.as_ptr();
    let mut rope = Rope::from(vector);
    assert_eq!(rope.chunks()[0].as_ptr(), place);
    // Within one chunk, its front, and all of it.
    assert_eq!(rope.copy_to_bytes(30).as_ptr(), place);
    assert_eq!(rope.copy_to_bytes(70).as_ptr(), place.wrapping_add(30));
    assert!(rope.is_empty());
    // A single chunk that nobody shares becomes the string.
    let text = String::from("some text");
    let place = text.as_ptr();
    let text = Rope::from(text).into_string().unwrap();
    assert_eq!(text.as_ptr(), place);
    assert_eq!(Rope::from("static").into_chunks()[0].as_ptr(), "static".as_ptr());
    assert!(rope.into_iter().next().is_none());
}

#[test]
fn an_encoded_rope_is_sliced_and_split_without_a_copy() {
    let rope = to_rope(&vec![0.5; 100_000]).unwrap();
    let places: Vec<_> = rope.chunks().iter().map(|chunk| chunk.as_ptr()).collect();
    let slice = rope.slice(1000..rope.len() - 1000);
    let mut copy = rope.clone();
    let front = copy.split_to(1000);
    assert_eq!(slice.chunks()[0].as_ptr(), places[0].wrapping_add(1000));
    assert_eq!(front.chunks()[0].as_ptr(), places[0]);
    assert_eq!(copy.chunks()[0].as_ptr(), places[0].wrapping_add(1000));
    for (chunk, place) in slice.chunks().iter().zip(&places).skip(1) {
        assert_eq!(chunk.as_ptr(), *place);
    }
    let into: Vec<_> = rope.into_chunks().iter().map(|chunk| chunk.as_ptr()).collect();
    assert_eq!(into, places);
}

#[test]
fn bytes_across_chunks_are_copied_into_one() {
    let mut split = rope(&[b"Hello ", b"World", b"!"]);
    assert_eq!(split.copy_to_bytes(8), "Hello Wo");
    assert_eq!(split, "rld!");
    assert_eq!(split.chunks(), ["rld", "!"]);
    assert_eq!(split.copy_to_bytes(4), "rld!");
    assert_eq!(split.chunks().len(), 0);
    assert_eq!(rope(&[b"a", b"bc"]).into_bytes(), "abc");
}

#[test]
fn br_036_a_rope_of_nothing_calls_no_writer() {
    struct Refusing;
    impl std::io::Write for Refusing {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            panic!("called for nothing")
        }
        fn flush(&mut self) -> std::io::Result<()> {
            panic!("flushed")
        }
    }
    Rope::new().write_to(&mut Refusing).unwrap();
    rope(&[b"", b""]).write_to(&mut Refusing).unwrap();
    let mut used_up = rope(&[b"a", b"b"]);
    used_up.advance(2);
    used_up.write_to(&mut Refusing).unwrap();
}

#[test]
fn br_040_a_limited_view_keeps_its_parts() {
    let rope = rope(&[b"Hello ", b"World"]);
    let limited = rope.clone().take(8);
    let mut slices = [IoSlice::new(&[]); 2];
    assert_eq!(limited.chunks_vectored(&mut slices), 2);
    assert_eq!((&slices[0][..], &slices[1][..]), (&b"Hello "[..], &b"Wo"[..]));
    let mut slices = [IoSlice::new(&[]); 8];
    assert_eq!(rope.chunks_vectored(&mut slices), 2);
    assert_eq!(&slices[1][..], b"World");
    assert_eq!(rope.chunks_vectored(&mut slices[..1]), 1);
    assert_eq!(rope.chunks_vectored(&mut []), 0);
}

/// A million in a debug build; five in a release build.
#[test]
fn br_091_no_operation_recurses() {
    let count = if cfg!(debug_assertions) { 1_000_000 } else { 5_000_000 };
    let byte = Bytes::from(vec![b'x']);
    let mut rope: Rope = std::iter::repeat_n(byte, count).collect();
    assert_eq!((rope.len(), rope.chunks().len()), (count, count));
    let copy = rope.clone();
    assert!(copy == rope);
    assert_eq!(hash(&copy), hash(&rope));
    assert_eq!(rope.slice(10..count - 10).len(), count - 20);
    assert_eq!(rope.split_to(count / 2).len(), count / 2);
    rope.advance(count / 4);
    assert_eq!(rope.len(), count / 4);
    assert_eq!(copy.into_iter().map(|chunk| chunk.len()).sum::<usize>(), count);
    let mut out = Vec::new();
    rope.write_to(&mut out).unwrap();
    assert_eq!(out.len(), count / 4);
    rope.compact();
    assert_eq!(rope.to_string().len(), count / 4);
}

#[test]
fn br_099_spare_capacity_is_never_seen() {
    let encoder = Encoder::new();
    drop(encoder.encode(&"secret".repeat(20_000)).unwrap());
    for len in [1, 100, 3_000, 20_000, 100_000] {
        let rope = encoder.encode(&"x".repeat(len)).unwrap();
        assert_eq!(rope.chunks().iter().map(Bytes::len).sum::<usize>(), len + 2);
        assert!(!format!("{rope:?}").contains("secret"));
        for chunk in rope {
            let len = chunk.len();
            let bytes = BytesMut::from(chunk);
            assert_eq!(bytes.len(), len);
            assert!(bytes.iter().all(|byte| matches!(byte, b'x' | b'"')));
        }
    }
}

#[test]
fn display_replaces_what_is_not_text() {
    let bytes: &[&[u8]] = &[
        "aé€😀z".as_bytes(),
        b"\xff\xfe",
        b"\xe2\x82",
        b"\xf0\x9f\x98",
        b"\xf0\x9fa\xf0\x9f\x98\x80",
        b"\xed\xa0\x80",
        b"\xc0\x80\xc3",
        b"\xe2\xe2\x82\xac\xe2\x82",
        b"\xf4\x90\x80\x80",
        b"\xf0\xf0\xf0\x9f\x98\x80\x80\x80",
        b"ok\x80\xc3\xa9\xc3",
    ];
    for bytes in bytes {
        let want = String::from_utf8_lossy(bytes).into_owned();
        // Cut in every way.
        for cuts in 0..1u32 << (bytes.len() - 1) {
            let mut rope = Rope::new();
            let mut start = 0;
            for at in 1..=bytes.len() {
                if at == bytes.len() || cuts >> (at - 1) & 1 == 1 {
                    rope.push(Bytes::copy_from_slice(&bytes[start..at]));
                    start = at;
                }
            }
            assert_eq!(rope.to_string(), want, "{rope:?}");
        }
    }
}

#[test]
fn into_string_says_where_it_is_not_text() {
    assert_eq!(rope(&[b"\xe2\x82", b"\xac"]).into_string().unwrap(), "€");
    for chunks in [&[&b"ab\xff"[..]][..], &[b"a", b"b\xff\xff"]] {
        let error = rope(chunks).into_string().unwrap_err();
        assert!(error.is_data());
        assert_eq!(error.offset(), 2);
        assert!(error.to_string().contains("byte 2"), "{error}");
    }
}

#[test]
fn equality_and_hash_go_by_content() {
    let ropes = [
        rope(&[b"content of some length"]),
        rope(&[b"content ", b"of some ", b"length"]),
        rope(&[b"c", b"ontent of some lengt", b"h"]),
    ];
    for left in &ropes {
        for right in &ropes {
            assert_eq!(left, right);
            assert_eq!(hash(left), hash(right));
        }
        let text = "content of some length";
        assert_eq!(left, text);
        assert_eq!(*left, *text);
        assert_eq!(*left, *text.as_bytes());
        assert_eq!(left, text.as_bytes());
        assert_eq!(*left, text.as_bytes().to_vec());
        assert_eq!(*left, String::from(text));
        assert_eq!(*left, Bytes::from(text));
        assert_eq!(left, b"content of some length");
        assert_eq!(text, *left);
        assert_eq!(text.as_bytes().to_vec(), *left);
        assert_ne!(left, "content of some lengtH");
        assert_ne!(left, "content of some length ");
        assert_ne!(left, "content of some lengt");
        assert_ne!(left, "");
        assert_ne!(*left, rope(&[b"content of", b" some lengtH"]));
    }
    // Around the width of the blocks that are hashed.
    for len in [0usize, 1, 63, 64, 65, 127, 128, 129, 1000] {
        let bytes: Vec<u8> = (0..len).map(|n| n as u8).collect();
        let whole = Rope::from(bytes.clone());
        for piece in [1, 7, 63, 64, 65] {
            let cut: Rope = bytes.chunks(piece).map(Bytes::copy_from_slice).collect();
            assert_eq!(hash(&cut), hash(&whole), "{len} in pieces of {piece}");
        }
    }
    assert_eq!(HashSet::from([rope(&[b"ab"]), rope(&[b"a", b"b"]), rope(&[b"ba"])]).len(), 2);
}

#[test]
fn debug_shows_length_and_chunks() {
    assert_eq!(format!("{:?}", rope(&[b"ab", b"\n\xff"])), r#"Rope { len: 4, chunks: [b"ab", b"\n\xff"] }"#);
}

#[test]
fn display_passes_on_the_error_of_the_formatter() {
    struct Full;
    impl std::fmt::Write for Full {
        fn write_str(&mut self, _: &str) -> std::fmt::Result {
            Err(std::fmt::Error)
        }
    }
    assert!(write!(Full, "{}", rope(&[b"ab", b"c"])).is_err());
}

#[test]
fn compact_lets_go_of_what_was_shared() {
    let shared = Bytes::from(vec![b'x'; 1000]);
    let mut rope: Rope = [shared.slice(10..20), shared.slice(500..501), shared.slice(0..1000)].into_iter().collect();
    assert!(!shared.is_unique());
    rope.compact();
    assert!(shared.is_unique());
    assert_eq!(rope.chunks().iter().map(Bytes::len).collect::<Vec<_>>(), [10, 1, 1000]);
    rope.advance(10);
    rope.compact();
    assert_eq!(rope.chunks().iter().map(Bytes::len).collect::<Vec<_>>(), [1, 1000]);
}

#[test]
fn reading_lets_go_of_chunks_as_they_are_used_up() {
    let chunks: Vec<_> = (0..10).map(|n| Bytes::from(vec![n; 100])).collect();
    let mut rope: Rope = chunks.iter().cloned().collect();
    for (n, chunk) in chunks.iter().enumerate() {
        assert!(!chunk.is_unique());
        rope.advance(99);
        assert!(!chunk.is_unique());
        rope.advance(1);
        assert!(chunk.is_unique(), "chunk {n} is still held");
    }
}

#[test]
fn everything_can_go_to_another_thread() {
    fn both<T: Send + Sync>() {}
    both::<Rope>();
    both::<IntoIter>();
    both::<Encoder>();
    both::<Error>();
    both::<VectoredSink<Vec<u8>>>();
    fn lasting<T: 'static + Clone>() {}
    lasting::<Rope>();
    lasting::<Encoder>();
}
