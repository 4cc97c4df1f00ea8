//! Proves that a document is the same in however many pieces it is pushed, and where its errors are.

use std::collections::BTreeMap;

use json_rope::{Encoder, Error, Key, NonFinite, Writer};
use proptest::prelude::*;

use crate::support::check::encoder;
use crate::support::differential::document::Random;
use crate::support::differential::pieces::Pusher;
use crate::support::strategy::shape;

fn drain(writer: &mut Writer) -> Vec<u8> {
    std::iter::from_fn(|| writer.pop()).flatten().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn any_pieces_are_the_document(shape in shape(), seed: u64, options: u8, first in 16usize..200) {
        let on = |bit: u32| options & 1 << bit != 0;
        let encoder = Encoder::builder()
            .pretty(on(0)).ascii(on(1)).html_safe(on(2)).escape_solidus(on(3)).sort_keys(on(4))
            .first_chunk(first).max_chunk(if on(5) { first } else { 4096 })
            .build().unwrap();
        let want = encoder.encode(&shape).unwrap();
        let mut pusher = Pusher { writer: encoder.writer(), random: &mut Random(seed), chunks: Vec::new() };
        pusher.push(&shape).unwrap();
        pusher.writer.finish().unwrap();
        pusher.take_all();
        prop_assert_eq!(want, pusher.chunks.concat());
    }
}

/// Names of every length around that of a block, in every style, as the first and as a later member.
#[test]
fn encoded_keys() {
    let names = (0..70).map(|len| "x".repeat(len)).chain(["é\"\\/<\u{1}😀".into(), "\n".repeat(5), "\n".repeat(40)]);
    for name in names {
        let key = Key::new(&name);
        assert_eq!(key.name(), name);
        for style in 0..32 {
            let on = |bit: u32| style & 1 << bit != 0;
            let builder = Encoder::builder().pretty(on(0)).ascii(on(1)).html_safe(on(2)).escape_solidus(on(3));
            let encoder = builder.sort_keys(on(4)).build().unwrap();
            let [with_text, encoded] = [false, true].map(|encoded| {
                let mut writer = encoder.writer();
                writer.begin_object().unwrap();
                for n in 0..2 {
                    if encoded { writer.encoded_key(&key) } else { writer.key(&name) }.unwrap();
                    writer.value(&n).unwrap();
                }
                writer.end().unwrap();
                writer.finish().unwrap();
                drain(&mut writer)
            });
            assert_eq!(encoded, with_text);
            if style == 0 {
                let name = serde_json::to_string(&name).unwrap();
                assert_eq!(encoded, format!("{{{name}:0,{name}:1}}").as_bytes());
            }
        }
    }
}

/// The key is one block, which must not be written past a chunk.
#[test]
fn encoded_keys_at_the_end_of_a_chunk() {
    for first in 16..120 {
        let mut writer = encoder(first, first).writer();
        writer.begin_object().unwrap();
        for n in 0..40 {
            writer.encoded_key(&Key::new("name")).unwrap();
            writer.value(&n).unwrap();
        }
        writer.end().unwrap();
        writer.finish().unwrap();
        let want = (0..40).map(|n| format!("\"name\":{n}")).collect::<Vec<_>>().join(",");
        assert_eq!(drain(&mut writer), format!("{{{want}}}").as_bytes());
    }
}

/// An error at each depth, with the chunks that have the names taken or not.
#[test]
fn pointers() {
    let names = ["a", "é\"~/", "a name that is as long as several of the smallest chunks there are"];
    let failing = BTreeMap::from([("inner", BTreeMap::from([((), 1)]))]);
    for chunk in [16, 40, 2048] {
        for take in [false, true] {
            for sort in [false, true] {
                let encoder = Encoder::builder().first_chunk(chunk).max_chunk(chunk).sort_keys(sort).build().unwrap();
                let mut writer = encoder.writer();
                let mut pointer = String::new();
                for (n, name) in names.into_iter().enumerate() {
                    writer.begin_object().unwrap();
                    writer.key("before").unwrap();
                    writer.value(&BTreeMap::from([("x", "y".repeat(20))])).unwrap();
                    writer.key(name).unwrap();
                    writer.begin_array().unwrap();
                    (0..n).for_each(|_| writer.value(&0).unwrap());
                    pointer += &format!("/{}/{n}", name.replace('~', "~0").replace('/', "~1"));
                    if take {
                        writer.flush();
                        drain(&mut writer);
                    }
                }
                let error = writer.value(&failing).unwrap_err();
                assert_eq!(error.pointer(), Some(&*format!("{pointer}/inner")), "chunks of {chunk}, {take}, {sort}");
                assert_eq!(error.message(), "key must be a string");
            }
        }
    }
}

/// The innermost object's own member, whose key may have left.
#[test]
fn a_pointer_to_a_member_whose_key_was_taken() {
    for flush in [false, true] {
        let encoder = Encoder::builder().non_finite(NonFinite::Error).build().unwrap();
        let mut writer = encoder.writer();
        writer.begin_object().unwrap();
        for name in ["first", "second"] {
            writer.encoded_key(&Key::new(name)).unwrap();
            if flush {
                writer.flush();
                assert!(writer.pop().is_some());
            }
            if name == "first" {
                writer.value(&1).unwrap();
            }
        }
        assert_eq!(writer.value(&f64::NAN).unwrap_err().pointer(), Some("/second"));
    }
}

#[test]
fn limits() {
    let deep = Encoder::builder().max_depth(2).build().unwrap();
    let mut writer = deep.writer();
    writer.begin_array().unwrap();
    writer.value(&[1]).unwrap();
    let error = writer.value(&[[1]]).unwrap_err();
    assert!(error.is_limit());
    assert_eq!(error.pointer(), Some("/1/0"));
    let mut writer = deep.writer();
    writer.begin_array().unwrap();
    writer.begin_object().unwrap();
    writer.key("a").unwrap();
    let error = writer.begin_array().unwrap_err();
    assert!(error.is_limit());
    assert_eq!(error.pointer(), Some("/0/a"));
    assert!(writer.finish().unwrap_err().is_data());

    for max_len in 0..11 {
        let encoder = Encoder::builder().max_len(max_len).build().unwrap();
        let mut writer = encoder.writer();
        let push = |writer: &mut Writer| -> Result<(), Error> {
            writer.begin_object()?;
            writer.key("ab")?;
            writer.value("cd")?;
            writer.end()?;
            writer.finish()
        };
        let error = push(&mut writer).err();
        assert_eq!(error.is_none(), max_len == 11 || encoder.encode(&BTreeMap::from([("ab", "cd")])).is_ok());
        assert!(error.is_none_or(|error| error.is_limit()));
    }
}

/// Nothing waits for more than one chunk, and what waits is counted.
#[test]
fn chunks_leave_as_they_are_finished() {
    let mut writer = encoder(64, 64).writer();
    let mut taken = 0;
    writer.begin_array().unwrap();
    for n in 0..1000 {
        writer.value(&n).unwrap();
        while let Some(chunk) = writer.pop() {
            assert_eq!(chunk.len(), 64);
            taken += chunk.len();
        }
        assert!(writer.pending() <= 64);
    }
    writer.end().unwrap();
    let want = serde_json::to_vec(&Vec::from_iter(0..1000)).unwrap();
    assert_eq!(taken + writer.pending(), want.len());
    writer.flush();
    assert_eq!(taken + drain(&mut writer).len(), want.len());
    writer.finish().unwrap();
    assert_eq!((writer.pending(), writer.pop()), (0, None));
}

/// What may still be sorted does not leave, also if it is asked for.
#[test]
fn a_flush_leaves_what_is_held() {
    let encoder = Encoder::builder().sort_keys(true).first_chunk(16).max_chunk(16).build().unwrap();
    let mut writer = encoder.writer();
    let mut got = Vec::new();
    writer.begin_array().unwrap();
    writer.value(&0).unwrap();
    writer.begin_object().unwrap();
    for key in ["c", "b", "a"] {
        writer.key(key).unwrap();
        writer.value("a text of some length").unwrap();
        writer.flush();
        got.extend(drain(&mut writer));
        assert!(got.len() <= "[0,".len(), "{got:?}");
    }
    writer.end().unwrap();
    writer.flush();
    got.extend(drain(&mut writer));
    let text = "\"a text of some length\"";
    let want = format!(r#"[0,{{"a":{text},"b":{text},"c":{text}}}"#);
    assert_eq!(got, want.as_bytes());
    writer.end().unwrap();
    writer.finish().unwrap();
    got.extend(drain(&mut writer));
    assert_eq!(got, format!("{want}]").as_bytes());
}
