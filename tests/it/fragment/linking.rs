//! Proves that fragments come out byte for byte wherever they stand, that long ones are shared and short ones copied,
//! and that neither makes a rope of many small chunks or large slabs.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use bytes::Bytes;
use json_rope::{Encoder, Fragment, Rope, to_rope};
use serde::Serialize;

use crate::support::check::assert_same;
use crate::support::writer::{Script, cut};

/// A JSON string of `len` bytes.
fn string(len: usize) -> String {
    format!("\"{}\"", "s".repeat(len - 2))
}

fn fragment(len: usize) -> Fragment {
    Fragment::trusted(string(len))
}

fn range(bytes: &[u8]) -> Range<usize> {
    let start = bytes.as_ptr() as usize;
    start..start + bytes.len()
}

/// Whether chunks of `rope` are the memory of `fragment`, all of it.
fn shares(rope: &Rope, fragment: &Fragment) -> bool {
    let mut chunks = rope.chunks().iter();
    // Shorter ones are copied, together with what is between them.
    let long: Vec<_> = fragment.as_rope().chunks().iter().filter(|chunk| chunk.len() >= 1024).collect();
    !long.is_empty() && long.iter().all(|chunk| chunks.any(|other| range(other) == range(chunk)))
}

/// A short rest and what is between two fragments are one chunk: at most one short one for each linked one.
#[test]
fn a_hundred_cached_fragments_make_few_chunks() {
    for len in [2500, 5000, 70_000] {
        let cached = Fragment::trusted(to_rope(&"x".repeat(len)).unwrap());
        let long = cached.as_rope().chunks().iter().filter(|chunk| chunk.len() >= 1024).count();
        let rope = to_rope(&vec![&cached; 100]).unwrap();
        assert!(rope.chunks().len() <= 100 * long + 101, "{} chunks of {long} long ones", rope.chunks().len());
        let short = rope.chunks().iter().filter(|chunk| chunk.len() < 1024).count();
        assert!(short <= 101, "{short} short chunks");
    }
}

#[test]
fn a_kibibyte_is_shared_and_less_is_copied() {
    for len in [2, 3, 100, 1000, 1022, 1023, 1024, 1025, 2000, 64 * 1024, 1 << 20] {
        let fragment = fragment(len);
        for (rope, want) in [
            (to_rope(&fragment).unwrap(), string(len)),
            (to_rope(&[&fragment, &fragment]).unwrap(), format!("[{0},{0}]", string(len))),
            (to_rope(&BTreeMap::from([("k", &fragment)])).unwrap(), format!("{{\"k\":{}}}", string(len))),
        ] {
            assert_same(&rope.to_vec(), want.as_bytes(), len);
            assert_eq!(shares(&rope, &fragment), len >= 1024, "{len}");
        }
    }
}

#[test]
fn a_shared_chunk_may_be_longer_than_any_other() {
    let fragment = fragment(1 << 20);
    for max in [16, 4096] {
        let encoder = Encoder::builder().max_chunk(max).build().unwrap();
        let rope = encoder.encode(&("é".repeat(500), &fragment, 1)).unwrap();
        assert!(shares(&rope, &fragment));
        assert_eq!(rope.chunks().iter().filter(|chunk| chunk.len() > max).count(), 1);
        assert_eq!(rope, format!("[\"{}\",{},1]", "é".repeat(500), string(1 << 20)));
    }
}

#[test]
fn ropes_of_many_chunks_are_shared() {
    let numbers: Vec<u32> = (0..100_000).collect();
    let part = to_rope(&numbers).unwrap();
    let text = serde_json::to_string(&numbers).unwrap();
    let fragment = Fragment::trusted(part.clone());
    let rope = to_rope(&(1, &fragment, [&fragment])).unwrap();
    assert_eq!(rope, format!("[1,{text},[{text}]]"));
    assert!(shares(&rope, &fragment));
    assert!(rope.chunks().len() <= 2 * part.chunks().len() + 3);
    // A fragment made of documents that have fragments.
    let nested = Fragment::trusted(rope);
    let twice = to_rope(&[&nested, &nested]).unwrap();
    assert_eq!(twice, format!("[[1,{text},[{text}]],[1,{text},[{text}]]]"));
    assert!(shares(&twice, &nested));
}

#[test]
fn chunks_that_end_inside_a_character() {
    let text = format!("\"{}\"", "é€😀".repeat(400));
    for most in [1, 2, 3, 5, 7, 100, 1023, 1024, 1025, 3000] {
        let fragment = Fragment::trusted(cut(&Rope::from(text.clone()), most));
        for max in [16, 17, 64, 65536] {
            let encoder = Encoder::builder().max_chunk(max).build().unwrap();
            let want = format!("[{text},1,{text}]");
            assert_eq!(encoder.encode(&(&fragment, 1, &fragment)).unwrap(), want, "{most} in {max}");
            let mut out = Vec::new();
            encoder.write(&mut out, &(&fragment, 1, &fragment)).unwrap();
            assert_same(&out, want.as_bytes(), format_args!("{most} in {max}, streaming"));
        }
    }
}

#[test]
fn one_fragment_in_many_documents() {
    let shared = fragment(10_000);
    let encoder = Encoder::new();
    let ropes: Vec<Rope> = std::thread::scope(|scope| {
        let one = |n: usize| {
            let (encoder, shared) = (encoder.clone(), shared.clone());
            scope.spawn(move || encoder.encode(&(n, &shared)).unwrap())
        };
        let threads: Vec<_> = (0..20).map(one).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (n, rope) in ropes.iter().enumerate() {
        assert_eq!(*rope, format!("[{n},{}]", string(10_000)));
        assert!(shares(rope, &shared));
    }
    drop(shared);
    assert_eq!(ropes[7], format!("[7,{}]", string(10_000)));
    let mut rope = Rope::from("before ");
    encoder.encode_into(&mut rope, &fragment(3)).unwrap();
    assert_eq!(rope, "before \"s\"");
}

/// BR-073
#[test]
fn depth_costs_nothing() {
    #[derive(Serialize)]
    struct Level<T> {
        n: u32,
        inner: T,
    }
    let fragment = fragment(1 << 20);
    let level = |inner| Level { n: 1, inner };
    fn wrap<T>(inner: T) -> Level<T> {
        Level { n: 2, inner }
    }
    let rope = to_rope(&wrap(wrap(wrap(wrap(level(&fragment)))))).unwrap();
    assert!(shares(&rope, &fragment));
    assert_eq!(rope.chunks().len(), 3);
    assert_eq!(rope.len(), (1 << 20) + 5 * r#"{"n":2,"inner":}"#.len());
}

/// BR-024
#[test]
fn many_tiny_fragments_make_few_chunks() {
    for (count, text) in [(10_000, "123"), (10_000, "\"\""), (300, "[1]")] {
        let fragments = vec![Fragment::checked(text).unwrap(); count];
        let rope = to_rope(&fragments).unwrap();
        assert_eq!(rope.len(), count * (text.len() + 1) + 1);
        let plain = to_rope(&vec!["x".repeat(text.len() - 2); count]).unwrap();
        assert_eq!(rope.chunks().len(), plain.chunks().len(), "{count} of {text}");
        assert!(rope.chunks().len() <= 6 + rope.len() / (64 * 1024));
    }
}

/// BR-025
#[test]
fn short_strings_and_one_long_fragment() {
    let strings = vec!["twelve bytes"; 10_000];
    let fragment = fragment(1 << 20);
    for rope in [
        to_rope(&(&strings, &strings, &fragment)).unwrap(),
        to_rope(&(&strings, &fragment, &strings)).unwrap(),
        to_rope(&(&fragment, &strings, &strings)).unwrap(),
    ] {
        assert!(shares(&rope, &fragment));
        let mut lengths: Vec<usize> = rope.chunks().iter().map(Bytes::len).collect();
        lengths.sort_unstable();
        assert!(lengths[lengths.len() / 2] >= 2048, "{lengths:?}");
        assert!(rope.len() / lengths.len() >= 32 * 1024, "{lengths:?}");
    }
}

#[test]
fn at_most_one_short_chunk_before_each_shared_one() {
    for between in [1, 10, 500, 5000, 100_000] {
        let long = fragment(5000);
        let text = "t".repeat(between);
        let document = vec![(&text, &long); 40];
        let rope = to_rope(&document).unwrap();
        assert_same(
            &rope.to_vec(),
            &serde_json::to_vec(&vec![(&text, string(5000).trim_matches('"')); 40]).unwrap(),
            between,
        );
        let mut planned = 2048;
        let (mut short, mut written) = (0, 0);
        for chunk in rope.chunks() {
            if range(chunk) == range(&long.as_rope().chunks()[0]) {
                (short, written) = (0, 0);
                continue;
            }
            written += chunk.len();
            short += usize::from(chunk.len() < planned.min(64 * 1024));
            assert!(
                short <= 1 || written > planned,
                "{between}: {:?}",
                rope.chunks().iter().map(Bytes::len).collect::<Vec<_>>()
            );
            planned = planned.max(chunk.len());
        }
    }
}

/// The memory between fragments grows by what is written there, not by how often it is interrupted.
#[test]
fn many_spliced_fragments_make_no_large_slabs() {
    let long = fragment(2000);
    let rope = to_rope(&vec![&long; 3000]).unwrap();
    assert_eq!(rope.len(), 3000 * 2001 + 1);
    let commas: Vec<Range<usize>> =
        rope.chunks().iter().filter(|chunk| chunk.len() == 1).map(|chunk| range(chunk)).collect();
    assert_eq!(commas.len(), 3001);
    // Neighbours share a slab: their bytes stand side by side, but for a few new slabs.
    let moves = commas.windows(2).filter(|pair| pair[0].end != pair[1].start).count();
    assert!(moves <= 4, "{moves} slabs for 3,001 bytes");
}

/// BR-004
#[test]
fn characters_at_every_distance_from_an_edge() {
    let encoder = Encoder::builder().first_chunk(16).max_chunk(32).build().unwrap();
    for k in 0..=2048 + 70 {
        let text = format!("\"{}\u{1F600}\"", "x".repeat(k));
        let raw = serde_json::value::RawValue::from_string(text.clone()).unwrap();
        let trusted = Fragment::trusted(text.clone());
        let checked = Fragment::checked(text.clone()).unwrap();
        let want = format!("[{text},{text},{text}]");
        let value = (&raw, &trusted, &checked);
        if k <= 70 {
            assert_eq!(encoder.encode(&value).unwrap(), want, "{k}");
            let mut out = Vec::new();
            encoder.write(&mut out, &value).unwrap();
            assert_same(&out, want.as_bytes(), k);
        }
        if !(130..1900).contains(&k) || k % 16 == 0 {
            let rope = to_rope(&value).unwrap();
            assert_eq!(rope, want, "{k}");
            assert!(rope.chunks().iter().all(|chunk| str::from_utf8(chunk).is_ok()), "{k}");
            let mut out = Vec::new();
            json_rope::to_writer(&mut out, &value).unwrap();
            assert_same(&out, want.as_bytes(), k);
        }
    }
}

#[test]
fn streaming_sends_long_fragments_by_reference() {
    for (len, by_reference) in [(100, false), (2000, false), (64 * 1024 - 1, false), (64 * 1024, true), (1 << 20, true)]
    {
        let fragment = fragment(len);
        let memory = range(&fragment.as_rope().chunks()[0]);
        let mut script = Script::new();
        let written = Encoder::new().write(&mut script, &("pending", &fragment, 7)).unwrap();
        let want = format!("[\"pending\",{},7]", string(len));
        assert_eq!(written, want.len() as u64);
        assert_same(&script.accepted, want.as_bytes(), len);
        let is_there = script.calls.iter().any(|call| call.slices.contains(&memory));
        assert_eq!(is_there, by_reference, "{len}");
        if by_reference {
            // Together with what was pending.
            assert_eq!(script.calls[0].slices.len(), 2, "{:?}", script.calls[0].slices);
            assert_eq!(script.calls[0].slices[1], memory);
            assert_eq!(script.calls.len(), 2);
        }
    }
}

#[test]
fn streaming_a_rope_of_many_chunks() {
    let text = serde_json::to_string(&vec!["é€😀"; 20_000]).unwrap();
    for most in [1000, 4096, 65536] {
        let fragment = Fragment::trusted(cut(&Rope::from(text.clone()), most));
        let mut script = Script::new();
        Encoder::new().write(&mut script, &[&fragment]).unwrap();
        assert_same(&script.accepted, format!("[{text}]").as_bytes(), most);
        assert!(script.most_slices_seen() <= 64);
        let seen = script.calls.iter().flat_map(|call| &call.slices);
        let shared =
            seen.filter(|slice| fragment.as_rope().chunks().iter().any(|chunk| range(chunk) == **slice)).count();
        assert!(most < 4096 || shared >= fragment.as_rope().chunks().len(), "{shared} slices of {most}");
    }
}

#[test]
fn limits_count_fragments() {
    let long = fragment(100_000);
    let total = 100_000 + 4;
    for limit in [0, 1, 2, 50_000, total - 1, total, total + 1] {
        let encoder = Encoder::builder().max_len(limit).build().unwrap();
        let mut out = Vec::new();
        let (kept, streamed) = (encoder.encode(&(1, &long)), encoder.write(&mut out, &(1, &long)));
        if limit < total {
            assert!(kept.unwrap_err().is_limit());
            let error = streamed.unwrap_err();
            assert!(error.is_limit());
            assert!(out.len() as u64 <= limit && format!("[1,{}]", string(100_000)).as_bytes().starts_with(&out));
        } else {
            assert_eq!(kept.unwrap().len() as u64, total);
            assert_eq!(streamed.unwrap(), total);
        }
    }
}

#[test]
fn wrapped_in_everything() {
    #[derive(Serialize)]
    struct Newtype(Fragment);
    #[derive(Serialize)]
    struct Struct {
        option: Option<Fragment>,
        none: Option<Fragment>,
        newtype: Newtype,
        list: Vec<Newtype>,
        #[serde(flatten)]
        flat: HashMap<&'static str, Box<Fragment>>,
    }
    #[derive(Serialize)]
    enum External {
        Newtype(Fragment),
        Tuple(Fragment, u8),
        Struct { f: Fragment },
    }
    #[derive(Serialize)]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        A(Fragment),
    }
    #[derive(Serialize)]
    #[serde(tag = "t")]
    enum Internal {
        A { f: Fragment },
    }
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Untagged {
        A(Fragment),
    }
    for text in [r#"{"b": [1,2]}"#.to_owned(), string(3000), string(70_000)] {
        let f = || Fragment::checked(text.clone()).unwrap();
        let value = (
            Struct {
                option: Some(f()),
                none: None,
                newtype: Newtype(f()),
                list: vec![Newtype(f()), Newtype(f())],
                flat: HashMap::from([("flat", Box::new(f()))]),
            },
            (External::Newtype(f()), External::Tuple(f(), 1), External::Struct { f: f() }),
            (Adjacent::A(f()), Internal::A { f: f() }, Untagged::A(f())),
        );
        let want = format!(
            concat!(
                r#"[{{"option":{0},"none":null,"newtype":{0},"list":[{0},{0}],"flat":{0}}},"#,
                r#"[{{"Newtype":{0}}},{{"Tuple":[{0},1]}},{{"Struct":{{"f":{0}}}}}],"#,
                r#"[{{"t":"A","c":{0}}},{{"t":"A","f":{0}}},{0}]]"#
            ),
            text
        );
        assert_same(&to_rope(&value).unwrap().to_vec(), want.as_bytes(), "json-rope");
        let mut out = Vec::new();
        json_rope::to_writer(&mut out, &value).unwrap();
        assert_same(&out, want.as_bytes(), "streaming");
        assert_same(&serde_json::to_vec(&value).unwrap(), want.as_bytes(), "serde_json");
    }
}

/// Serde's adaptor for flattened fields takes a fragment apart as it does a raw value. Whatever comes of it, it is not
/// a member with a private name.
#[test]
fn flattened_itself() {
    #[derive(Serialize)]
    struct Flat {
        a: u8,
        #[serde(flatten)]
        rest: Fragment,
    }
    let value = Flat { a: 1, rest: Fragment::trusted(r#"{"b":2}"#) };
    if let Ok(rope) = to_rope(&value) {
        assert!(!rope.to_string().contains("private"), "{rope}");
    }
}

#[test]
fn equality_and_hash_are_of_the_content() {
    let (a, b) = (fragment(5000), Fragment::trusted(cut(&Rope::from(string(5000)), 7)));
    assert_eq!(a, b);
    assert_ne!(a, fragment(5001));
    #[allow(clippy::mutable_key_type, reason = "the bytes of a fragment never change")]
    let map = HashMap::from([(a, 1)]);
    assert_eq!(map[&b], 1);
}
