//! Proves that a document can be appended to memory that is there, and be measured.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::BytesMut;
use json_rope::{Encoder, Pool};
use proptest::prelude::*;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use crate::support::strategy::shape;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn appended_and_measured(shape in shape(), options: u8, capacity in 0usize..3000) {
        let on = |bit: u32| options & 1 << bit != 0;
        let builder = Encoder::builder().pretty(on(0)).ascii(on(1)).html_safe(on(2)).sort_keys(on(3));
        let builder = if on(4) { builder.first_chunk(16).max_chunk(16) } else { builder };
        let encoder = if on(5) { builder.pool(Pool::default()) } else { builder }.build().unwrap();
        let want = encoder.encode(&shape).unwrap();
        prop_assert_eq!(encoder.measure(&shape).unwrap(), want.len() as u64);
        let mut vec = Vec::with_capacity(capacity);
        let mut bytes = BytesMut::with_capacity(capacity);
        for times in 1..4 {
            encoder.encode_to_vec(&mut vec, &shape).unwrap();
            encoder.encode_to_bytes_mut(&mut bytes, &shape).unwrap();
            let want = want.to_vec().repeat(times);
            prop_assert_eq!(&vec, &want);
            prop_assert_eq!(&bytes, &want);
        }
    }
}

/// Every capacity around the length of a document.
#[test]
fn at_the_end_of_the_capacity() {
    let value = ("a text", [1.5, 1e300], vec![u64::MAX; 5], "é\n\"".repeat(30));
    let want = serde_json::to_vec(&value).unwrap();
    for capacity in 0..want.len() + 600 {
        let mut vec = Vec::with_capacity(capacity);
        Encoder::new().encode_to_vec(&mut vec, &value).unwrap();
        assert_eq!(vec, want);
        assert!(capacity < want.len() || vec.capacity() == capacity, "{capacity}");
        let mut bytes = BytesMut::with_capacity(capacity);
        Encoder::new().encode_to_bytes_mut(&mut bytes, &value).unwrap();
        assert_eq!(bytes, want);
    }
}

/// A measured document is only counted, except for what is kept until it is known whether it fits one line.
#[test]
fn long_documents_are_measured() {
    let member = |n: usize| (format!("{}{n}", ["z", "a", "m"][n % 3]), "x".repeat(n % 200));
    let object: Vec<(String, String)> = (0..700).map(member).collect();
    let value = [Members(&object), Members(&object[..1]), Members(&object[..200])];
    for options in 0..8 {
        let width = if options & 1 > 0 { 20_000 } else { 0 };
        let builder = Encoder::builder().pretty(options & 2 > 0).inline_width(width).sort_keys(true);
        let builder = if options & 4 > 0 { builder.first_chunk(64).max_chunk(1024) } else { builder };
        let encoder = builder.build().unwrap();
        assert_eq!(encoder.measure(&value).unwrap(), encoder.encode(&value).unwrap().len() as u64, "{options}");
    }
}

/// A map with its members in this order.
struct Members<'a>(&'a [(String, String)]);

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// Memory without any spare capacity: the document is somewhere else until it is complete, and is then put after what is
/// there. An empty vector gets a capacity of exactly its length.
#[test]
fn memory_that_is_full() {
    let encoder = Encoder::new();
    for before in ["", "before"] {
        for len in [0, 1, 100, 20_000] {
            let text = "x".repeat(len);
            let want = format!("{before}\"{text}\"");
            let mut vec = before.as_bytes().to_vec();
            assert_eq!(vec.capacity(), vec.len());
            encoder.encode_to_vec(&mut vec, &text).unwrap();
            assert_eq!(vec, want.as_bytes());
            assert!(!before.is_empty() || len > 14_000 || vec.capacity() == vec.len(), "{len}: {}", vec.capacity());
            let mut bytes = BytesMut::from(before);
            assert_eq!(bytes.capacity(), bytes.len());
            encoder.encode_to_bytes_mut(&mut bytes, &text).unwrap();
            assert_eq!(bytes, want.as_bytes());
        }
    }
}

/// A buffer whose front was taken, as that of a codec.
#[test]
fn a_buffer_that_is_consumed() {
    let encoder = Encoder::new();
    let mut buffer = BytesMut::with_capacity(100);
    for n in 0..2000 {
        let text = "x".repeat(n % 97);
        encoder.encode_to_bytes_mut(&mut buffer, &text).unwrap();
        assert_eq!(buffer.split(), format!("\"{text}\"").as_bytes());
    }
    let mut shared = BytesMut::from(&b"front and back"[..]);
    let back = shared.split_off(5);
    encoder.encode_to_bytes_mut(&mut shared, &vec![7; 500]).unwrap();
    assert_eq!(back, " and back");
    assert_eq!(shared, ["front".into(), serde_json::to_string(&vec![7; 500]).unwrap()].concat());
}

/// Writes much, and then fails or panics.
struct Late {
    panics: bool,
}

impl Serialize for Late {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        for n in 0..10_000 {
            seq.serialize_element(&n)?;
        }
        if self.panics {
            std::panic::resume_unwind(Box::new(()));
        }
        seq.serialize_element(&std::collections::BTreeMap::from([((), 1)]))?;
        seq.end()
    }
}

#[test]
fn as_before_on_error() {
    let encoder = Encoder::new();
    for capacity in [0, 6, 7, 1000, 100_000] {
        let mut vec = Vec::with_capacity(capacity);
        vec.extend_from_slice(b"before");
        let mut bytes = BytesMut::with_capacity(capacity);
        bytes.extend_from_slice(b"before");
        let error = encoder.encode_to_vec(&mut vec, &Late { panics: false }).unwrap_err();
        assert_eq!(error.pointer(), Some("/10000"));
        encoder.encode_to_bytes_mut(&mut bytes, &Late { panics: false }).unwrap_err();
        catch_unwind(AssertUnwindSafe(|| encoder.encode_to_vec(&mut vec, &Late { panics: true }))).unwrap_err();
        catch_unwind(AssertUnwindSafe(|| encoder.encode_to_bytes_mut(&mut bytes, &Late { panics: true }))).unwrap_err();
        assert_eq!(vec, b"before");
        assert_eq!(bytes, b"before"[..]);
    }
    let error = encoder.measure(&Late { panics: false }).unwrap_err();
    assert_eq!((error.pointer(), error.offset()), (Some("/10000"), "[".len() as u64 + 48_890));
}

#[test]
fn limits() {
    let encoder = Encoder::builder().max_len(20_000).build().unwrap();
    for len in [19_998, 19_999] {
        let text = "x".repeat(len);
        let mut vec = Vec::new();
        assert_eq!(encoder.encode_to_vec(&mut vec, &text).is_ok(), len == 19_998);
        assert_eq!(encoder.measure(&text).is_ok(), len == 19_998);
        assert!(vec.capacity() <= 40_000);
    }
}

#[test]
fn exactly_as_long() {
    for len in [0, 1, 5, 100, 14_000, 15_000, 100_000, 1_000_000] {
        let text = "x".repeat(len);
        let vec = json_rope::to_vec(&text).unwrap();
        assert_eq!((vec.len(), vec.capacity()), (len + 2, len + 2));
    }
}
