//! What a rope is made from and turned into, and that reading it as a `Buf` is like reading a slice, wherever the
//! chunks end.

use std::io::{IoSlice, Read};

use bytes::{Buf, Bytes};
use json_rope::Rope;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::Config;

fn chunks(texts: &[&'static str]) -> Vec<Bytes> {
    texts.iter().map(|text| Bytes::from_static(text.as_bytes())).collect()
}

#[test]
fn from_a_list_of_chunks() {
    for texts in [&[][..], &[""], &["a"], &["", "ab", "", "c", ""], &["a", "b", "c", "d", "e", "f", ""]] {
        let rope = Rope::from(chunks(texts));
        assert_eq!(rope, texts.concat());
        assert_eq!(rope.len(), texts.concat().len());
        assert!(rope.chunks().iter().all(|chunk| !chunk.is_empty()));
        assert_eq!(rope, chunks(texts).into_iter().collect::<Rope>());
    }
    let list = chunks(&["a", "b", "c", "d", "e", "f"]);
    let place = list.as_ptr();
    assert_eq!(Rope::from(list).chunks().as_ptr(), place, "the list itself is taken");
}

#[test]
fn into_one_piece() {
    for texts in [&[][..], &["a"], &["ab", "c"]] {
        let rope = Rope::from(chunks(texts));
        assert_eq!(rope.clone().into_vec(), texts.concat().as_bytes());
        assert_eq!(Vec::from(rope.clone()), texts.concat().as_bytes());
        assert_eq!(Bytes::from(rope), texts.concat());
    }
    // A chunk of its own memory is not copied.
    let vec = vec![7; 100];
    let place = vec.as_ptr();
    let bytes = Bytes::from(Rope::from(vec));
    assert_eq!(bytes.as_ptr(), place);
    let vec = Vec::from(Rope::from(bytes));
    assert_eq!(vec.as_ptr(), place);
    // One that somebody else can read is.
    let shared = Bytes::from(vec![7; 100]);
    let vec = Vec::from(Rope::from(shared.clone()));
    assert_eq!(vec, shared);
    assert_ne!(vec.as_ptr(), shared.as_ptr());
}

#[test]
fn ropes_of_ropes() {
    let parts = || [&["[1"][..], &[], &[",", "2"], &["]"]].map(|texts| Rope::from(chunks(texts)));
    let rope: Rope = parts().into_iter().collect();
    assert_eq!(rope, "[1,2]");
    assert_eq!(rope.chunks(), ["[1", ",", "2", "]"]);
    let mut rope = Rope::from("x");
    rope.extend(parts());
    rope.extend(Vec::<Rope>::new());
    assert_eq!(rope, "x[1,2]");
    assert_eq!([Rope::new(), Rope::new()].into_iter().collect::<Rope>().chunks().len(), 0);
}

#[test]
fn a_rope_by_reference_is_its_chunks() {
    let mut rope = Rope::from(chunks(&["ab", "c", "d"]));
    let mut seen = Vec::new();
    for chunk in &rope {
        seen.push(chunk.clone());
    }
    assert_eq!(seen, chunks(&["ab", "c", "d"]));
    assert_eq!((&rope).into_iter().len(), 3);
    rope.advance(2);
    assert_eq!((&rope).into_iter().collect::<Vec<_>>(), ["c", "d"]);
}

#[test]
fn a_writer_by_value_or_by_reference() {
    let rope = Rope::from(chunks(&["[1", ",2]"]));
    let mut room = [0; 5];
    rope.write_to(&mut room[..]).unwrap();
    assert_eq!(&room, b"[1,2]");
    let mut out = Vec::new();
    rope.write_to(&mut out).unwrap();
    let writer: &mut dyn std::io::Write = &mut out;
    rope.write_to(writer).unwrap();
    assert_eq!(out, b"[1,2][1,2]");
}

/// Reads with every method of `Buf` that takes a fixed number of bytes, and says what it read.
fn read(buf: &mut impl Buf, method: usize, count: usize) -> String {
    macro_rules! read {
        ($($method:ident $try_method:ident),* $(; $($sized:ident $try_sized:ident),*)?) => {{
            let mut number = 0..;
            $(
                if number.next() == Some(method) {
                    return format!("{:?}", buf.$try_method());
                }
                if number.next() == Some(method) && buf.remaining() >= 16 {
                    return format!("{:?}", buf.$method());
                }
            )*
            $($(
                if number.next() == Some(method) {
                    return format!("{:?}", buf.$try_sized(count % 9));
                }
                if number.next() == Some(method) && buf.remaining() >= 8 {
                    return format!("{:?}", buf.$sized(count % 9));
                }
            )*)?
        }};
    }
    read!(
        get_u8 try_get_u8, get_i8 try_get_i8,
        get_u16 try_get_u16, get_u16_le try_get_u16_le, get_u16_ne try_get_u16_ne,
        get_i16 try_get_i16, get_i16_le try_get_i16_le, get_i16_ne try_get_i16_ne,
        get_u32 try_get_u32, get_u32_le try_get_u32_le, get_u32_ne try_get_u32_ne,
        get_i32 try_get_i32, get_i32_le try_get_i32_le, get_i32_ne try_get_i32_ne,
        get_u64 try_get_u64, get_u64_le try_get_u64_le, get_u64_ne try_get_u64_ne,
        get_i64 try_get_i64, get_i64_le try_get_i64_le, get_i64_ne try_get_i64_ne,
        get_u128 try_get_u128, get_u128_le try_get_u128_le, get_u128_ne try_get_u128_ne,
        get_i128 try_get_i128, get_i128_le try_get_i128_le, get_i128_ne try_get_i128_ne,
        get_f32 try_get_f32, get_f32_le try_get_f32_le, get_f32_ne try_get_f32_ne,
        get_f64 try_get_f64, get_f64_le try_get_f64_le, get_f64_ne try_get_f64_ne;
        get_uint try_get_uint, get_uint_le try_get_uint_le, get_uint_ne try_get_uint_ne,
        get_int try_get_int, get_int_le try_get_int_le, get_int_ne try_get_int_ne
    );
    match method % 6 {
        0 => {
            let mut bytes = vec![0; count];
            let result = buf.try_copy_to_slice(&mut bytes);
            format!("{result:?} {bytes:?}")
        }
        1 => {
            let mut bytes = vec![0; count.min(buf.remaining())];
            buf.copy_to_slice(&mut bytes);
            format!("{bytes:?}")
        }
        2 => {
            let count = count.min(buf.remaining());
            format!("{:?}", buf.copy_to_bytes(count))
        }
        3 => {
            buf.advance(count.min(buf.remaining()));
            String::new()
        }
        4 => {
            let mut bytes = Vec::new();
            let read = buf.take(count).reader().read_to_end(&mut bytes).unwrap();
            format!("{read} {bytes:?}")
        }
        _ => {
            let copied = vectored(&buf.take(count), 3);
            format!("{}", copied.len() <= count)
        }
    }
}

/// The bytes of the first so many slices.
fn vectored(buf: &impl Buf, slots: usize) -> Vec<u8> {
    let mut slices = vec![IoSlice::new(b"untouched"); slots];
    let count = buf.chunks_vectored(&mut slices);
    assert!(slices[count..].iter().all(|slice| **slice == *b"untouched"));
    assert!(slices[..count].iter().all(|slice| !slice.is_empty()));
    slices[..count].iter().flat_map(|slice| slice.to_vec()).collect()
}

proptest! {
    #![proptest_config(Config { cases: 2000, failure_persistence: None, ..Config::default() })]

    #[test]
    fn a_rope_reads_as_a_slice_does(
        parts in vec(vec(any::<u8>(), 0..20), 0..12),
        reads in vec((0_usize..100, 0_usize..40), 1..30),
        slots in 0_usize..16,
    ) {
        let mut rope: Rope = parts.iter().cloned().map(Bytes::from).collect();
        let model = parts.concat();
        let mut model = &model[..];
        for (method, count) in reads {
            prop_assert_eq!(read(&mut rope, method, count), read(&mut model, method, count));
            prop_assert_eq!(rope.remaining(), model.remaining());
            prop_assert_eq!(rope.has_remaining(), model.has_remaining());
            prop_assert!(rope == *model);
            rope.advance(0);
            prop_assert!(rope.chunk().is_empty() == model.is_empty());
            let offered = vectored(&rope, slots);
            prop_assert!(model.starts_with(&offered));
            prop_assert!(offered.len() == model.len() || rope.chunks().len() > slots);
            let chained = vectored(&rope.clone().chain(&b"end"[..]), 100);
            prop_assert!(chained == [model, b"end"].concat());
        }
    }
}
