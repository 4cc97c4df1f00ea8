//! Proves that an object with open parts is the object that a struct would give, and where its errors are.

use std::cell::Cell;

use json_rope::{Encoder, Error};
use serde::Serialize;
use serde_json::{Value, json};

use crate::support::check::encoder;

fn drain(chunks: impl Iterator<Item = json_rope::Result<bytes::Bytes>>) -> String {
    String::from_utf8(chunks.flat_map(Result::unwrap).collect()).unwrap()
}

#[test]
fn every_kind_of_part() {
    #[derive(Serialize)]
    struct Envelope {
        meta: Value,
        items: Vec<u32>,
        none: [u8; 0],
        tree: Value,
        count: usize,
    }

    let tree = json!({"é\"": [1.5, null, {"a": "x".repeat(300)}], "b": []});
    for length in [0, 1, 2, 1000] {
        let items: Vec<u32> = (0..length).collect();
        let (meta, count) = (json!({"v": 1}), items.len());
        let whole = Envelope { meta: meta.clone(), items: items.clone(), none: [], tree: tree.clone(), count };
        for options in 0..8 {
            let builder = Encoder::builder().pretty(options & 1 != 0).sort_keys(options & 2 != 0);
            let chunk = if options & 4 != 0 { 16 } else { 2048 };
            let encoder = builder.first_chunk(chunk).max_chunk(chunk).build().unwrap();
            let object = || {
                let counted = Cell::new(0);
                let items = items.iter().inspect(move |_| counted.set(counted.get() + 1));
                let object = encoder.object().field("meta", &meta).array("items", items);
                let none = [Ok::<u8, Error>(0); 0];
                object.try_array("none".to_owned(), none).tree("tree", &tree).field_with("count", || count)
            };
            let want = encoder.encode(&whole).unwrap();
            assert_eq!(want, drain(object().chunks()));
            let mut out = Vec::new();
            assert_eq!(object().chunks().write_to(&mut out).unwrap(), want.len() as u64);
            assert_eq!(want, out);
        }
    }
    assert_eq!(drain(Encoder::new().object().chunks()), "{}");
}

/// Each part runs when its turn comes, and not before somebody asks.
#[test]
fn in_turn() {
    let steps = Cell::new(0);
    let step = |n| move |steps: &Cell<i32>| assert_eq!(steps.replace(n + 1), n);
    let rows = (0..3).inspect(|n| step(*n)(&steps));
    let object = Encoder::new().object().array("rows", rows).field_with("count", || {
        step(3)(&steps);
        steps.get()
    });
    let mut chunks = object.chunks();
    assert_eq!(steps.get(), 0);
    assert_eq!(chunks.next().unwrap().unwrap(), r#"{"rows":[0,1,2],"count":4}"#);
}

#[test]
fn pointers() {
    let bad = json!({"price": "x"});
    let rows = (0..100).map(|n| if n == 77 { Err("no row") } else { Ok(bad.clone()) });
    for encoder in [encoder(16, 16), Encoder::new()] {
        let error = encoder.object().field("a", 1).try_array("items", rows.clone()).chunks().find_map(Result::err);
        assert_eq!(error.unwrap().pointer(), Some("/items/77"));
    }
    let key = std::collections::BTreeMap::from([((), 1)]);
    let encoder = Encoder::new();
    let rows = (0..100).map(|n| (n == 77).then(|| json_rope_row(&key)));
    let error = encoder.object().array("items", rows).chunks().find_map(Result::err).unwrap();
    assert_eq!(error.pointer(), Some("/items/77/price"));
    let error = encoder.object().field("~/", &key).chunks().find_map(Result::err).unwrap();
    assert_eq!(error.pointer(), Some("/~0~1"));
    let error = encoder.object().field_with("late", || &key).chunks().write_to(Vec::new()).unwrap_err();
    assert_eq!(error.pointer(), Some("/late"));
    let shallow = Encoder::builder().max_depth(3).build().unwrap();
    let error = shallow.object().tree("t", json!([{"a": [1]}])).chunks().find_map(Result::err).unwrap();
    assert!(error.is_limit());
    assert_eq!(error.pointer(), Some("/t/0/a"));
}

fn json_rope_row<T>(price: T) -> std::collections::BTreeMap<&'static str, T> {
    std::collections::BTreeMap::from([("price", price)])
}

/// After an error no bracket is closed.
#[test]
fn the_beginning_comes_before_an_error() {
    let rows = ["1", "2", "x"].into_iter().map(str::parse::<i32>);
    let mut chunks = Encoder::new().object().try_array("items", rows).field("after", 1).chunks();
    assert_eq!(chunks.next().unwrap().unwrap(), r#"{"items":[1,2"#);
    assert!(chunks.next().unwrap().is_err());
    assert!(chunks.next().is_none());
}

/// The limit of recursion is not for a tree, and is for what comes after it.
#[test]
fn depths() {
    let deep = (0..5000).fold(Value::Null, |tree, _| Value::Array(vec![tree]));
    let encoder = Encoder::new();
    let object = encoder.object().tree("deep", deep).field("flat", 1);
    assert_eq!(drain(object.chunks()).len(), r#"{"deep":null,"flat":1}"#.len() + 10_000);
    let nested = (0..1000).fold(json!(1), |tree, _| Value::Array(vec![tree]));
    let object = encoder.object().tree("deep", Value::Null).field("nested", &nested);
    assert!(object.chunks().find_map(Result::err).unwrap().is_limit());
    let mut nested = nested;
    while let Value::Array(mut items) = nested {
        nested = items.pop().unwrap();
    }
}
