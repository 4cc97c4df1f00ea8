//! Any tree, any options, any chunk sizes: in memory and streaming give the same bytes, those of serde_json where the
//! options do not say otherwise, and text that parses back to the same tree in any case.
#![no_main]

use arbitrary::{Arbitrary, Unstructured};
use json_rope::{Encoder, Fragment};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};

#[derive(Arbitrary, Debug)]
struct Options {
    first: u16,
    max: u16,
    pretty: bool,
    ascii: bool,
    html: bool,
    solidus: bool,
    sort: bool,
    fragment: bool,
}

fn tree(u: &mut Unstructured<'_>, depth: usize) -> arbitrary::Result<Value> {
    Ok(match u.int_in_range(0..=if depth == 0 { 6 } else { 8 })? {
        0 => Value::Null,
        1 => u.arbitrary::<bool>()?.into(),
        2 => u.arbitrary::<u64>()?.into(),
        3 => u.arbitrary::<i64>()?.into(),
        4 => u.arbitrary::<f64>()?.into(),
        5 => u.arbitrary::<String>()?.into(),
        6 => u.arbitrary::<&str>()?.repeat(u.int_in_range(0..=40)?).into(),
        7 => (0..u.int_in_range(0..=6)?).map(|_| tree(u, depth - 1)).collect::<Result<_, _>>()?,
        _ => {
            let members = (0..u.int_in_range(0..=6)?).map(|_| Ok((u.arbitrary()?, tree(u, depth - 1)?)));
            Value::Object(members.collect::<arbitrary::Result<Map<String, Value>>>()?)
        }
    })
}

fuzz_target!(|data: &[u8]| {
    let mut u = Unstructured::new(data);
    let Ok(options) = u.arbitrary::<Options>() else { return };
    let Ok(value) = tree(&mut u, 8) else { return };
    let (first, max) = (16 + usize::from(options.first % 2000), 16 + usize::from(options.max % 3000));
    let encoder = Encoder::builder()
        .first_chunk(first.min(max))
        .max_chunk(max)
        .pretty(options.pretty)
        .ascii(options.ascii)
        .html_safe(options.html)
        .escape_solidus(options.solidus)
        .sort_keys(options.sort)
        .build()
        .unwrap();

    let rope = encoder.encode(&value).unwrap();
    for chunk in rope.chunks() {
        assert!(!chunk.is_empty() && chunk.len() <= max);
        assert!(std::str::from_utf8(chunk).is_ok());
    }
    let mut streamed = Vec::new();
    assert_eq!(encoder.write(&mut streamed, &value).unwrap(), rope.len() as u64);
    assert_eq!(rope, streamed);

    let plain = serde_json::to_vec(&value).unwrap();
    if !(options.ascii || options.html || options.solidus) {
        // A `Map` is sorted already.
        let expected = if options.pretty { serde_json::to_vec_pretty(&value).unwrap() } else { plain.clone() };
        assert_eq!(rope, expected);
    } else {
        let parsed: Value = serde_json::from_slice(&streamed).unwrap();
        assert_eq!(serde_json::to_vec(&parsed).unwrap(), serde_json::to_vec(&reparse(&plain)).unwrap());
        assert!(!options.ascii || streamed.is_ascii());
        assert!(!options.html || !streamed.iter().any(|byte| b"<>&".contains(byte)));
    }

    if options.fragment {
        // A fragment of the plain text, rewritten by the options, is still the same value.
        let fragment = Fragment::checked(plain.clone()).unwrap();
        let rope = encoder.encode(&(&fragment, 1, &fragment)).unwrap();
        let parsed: Value = serde_json::from_slice(&rope.to_vec()).unwrap();
        assert_eq!(serde_json::to_vec(&parsed[2]).unwrap(), serde_json::to_vec(&reparse(&plain)).unwrap());
        assert!(!options.ascii || rope.to_vec().is_ascii());
    }
});

/// What serde_json's parser makes of its own text: without `float_roundtrip` that can differ in a last digit.
fn reparse(json: &[u8]) -> Value {
    serde_json::from_slice(json).unwrap()
}
