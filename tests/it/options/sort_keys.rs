//! Proves that `sort_keys` puts members in the order of their keys' bytes, at every depth and for every kind of map,
//! changes nothing else, and still streams what it can.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use json_rope::{Encoder, EncoderBuilder, Fragment};
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::support::check::{DEFAULT_PLAN, assert_encodes, assert_same};
use crate::support::failing::Fail;
use crate::support::reference::{Mode, Node, Style};
use crate::support::strategy;
use crate::support::values::{Calls, Hint, Honest, Key, Pieces, Shape};

fn builder() -> EncoderBuilder {
    Encoder::builder().sort_keys(true)
}

fn sorted(value: &(impl Serialize + ?Sized)) -> String {
    let encoder = builder().build().unwrap();
    let text = encoder.encode(value).unwrap().into_string().unwrap();
    assert_encodes(&encoder, DEFAULT_PLAN, value, text.as_bytes());
    assert_encodes(&builder().max_chunk(16).build().unwrap(), (16, 16), value, text.as_bytes());
    text
}

/// A map of these keys, each with its place as the value.
fn map_of(calls: Calls, keys: impl IntoIterator<Item = Key>) -> Shape {
    let members = keys.into_iter().enumerate().map(|(n, key)| (key, Shape::U64(n as u64))).collect();
    Shape::Map(Hint::True, calls, members)
}

fn texts(keys: &[&str]) -> Shape {
    map_of(Calls::Entries, keys.iter().map(|&key| Key::Str(key.into())))
}

#[test]
fn golden_orders() {
    assert_eq!(sorted(&texts(&[])), "{}");
    assert_eq!(sorted(&texts(&["a"])), r#"{"a":0}"#);
    assert_eq!(sorted(&texts(&["b", "a", "é", "B", ""])), r#"{"":4,"B":3,"a":1,"b":0,"é":2}"#);
    // A prefix comes first; equal keys keep their order.
    assert_eq!(sorted(&texts(&["ab", "a", "abc", "a", "ab"])), r#"{"a":1,"a":3,"ab":0,"ab":4,"abc":2}"#);
    // The order of UTF-8 is that of code points, not that of UTF-16.
    assert_eq!(sorted(&texts(&["\u{10000}", "\u{ffff}", "\u{7f}"])), "{\"\u{7f}\":2,\"\u{ffff}\":1,\"\u{10000}\":0}");
    // Numbers are sorted as text.
    let numbers = BTreeMap::from([(-5, 0), (1, 1), (2, 2), (10, 3), (100, 4)]);
    assert_eq!(sorted(&numbers), r#"{"-5":0,"1":1,"10":3,"100":4,"2":2}"#);
    let nested = serde_json::json!([{"b": {"d": 1, "c": [{"y": {}, "x": []}]}, "a": {}}, {"z": 1}]);
    assert_eq!(sorted(&nested), r#"[{"a":{},"b":{"c":[{"x":[],"y":{}}],"d":1}},{"z":1}]"#);
}

#[test]
fn keys_are_compared_without_their_escapes() {
    // As text, `\n` would stand behind `A`, and `\u0001` behind `!`.
    let keys = ["~", "A", "!", " ", "\n", "\u{1}", "\\", "\"", "/", "<", "\u{7f}", "é", "\u{2028}", "😀", "\u{ffff}"];
    let order = [
        r#""\u0001":5"#,
        r#""\n":4"#,
        r#"" ":3"#,
        r#""!":2"#,
        r#""\"":7"#,
        r#""\/":8"#,
        r#""\u003c":9"#,
        r#""A":1"#,
        r#""\\":6"#,
        r#""~":0"#,
        "\"\u{7f}\":10",
        r#""\u00e9":11"#,
        r#""\u2028":12"#,
        r#""\uffff":14"#,
        r#""\ud83d\ude00":13"#,
    ];
    let encoder = builder().ascii(true).html_safe(true).escape_solidus(true);
    for max in [16, 17, 40, 65536] {
        let want = format!("{{{}}}", order.join(","));
        let plan = (max.min(2048), max);
        assert_encodes(&encoder.clone().max_chunk(max).build().unwrap(), plan, &texts(&keys), want.as_bytes());
    }
    for mode in Mode::all() {
        let style = Style { mode, sorted: true, ..Style::default() };
        let want = Node::of(&texts(&keys)).render(&style);
        let encoder = mode.builder().sort_keys(true).build().unwrap();
        assert_encodes(&encoder, DEFAULT_PLAN, &texts(&keys), want.as_bytes());
    }
}

#[test]
fn keys_of_every_kind() {
    let keys = || {
        [
            Key::Display(Pieces(vec!["z".into(), "\n".into(), String::new()])),
            Key::Display(Pieces(vec![])),
            Key::Char('y'),
            Key::Char('\u{1}'),
            Key::Bool(true),
            Key::I128(-7),
            Key::U64(10),
            Key::U8(9),
            Key::F64(1.5),
            Key::F32(1e16),
            Key::Variant("tab\tbed"),
            Key::Newtype(Box::new(Key::Some(Box::new(Key::Str("x".into()))))),
            Key::Some(Box::new(Key::Display(Pieces(vec!["a".into(), "b".into()])))),
        ]
    };
    let want = concat!(
        r#"{"":1,"\u0001":3,"-7":5,"1.5":8,"10":6,"1e+16":9,"9":7,"#,
        r#""ab":12,"tab\tbed":10,"true":4,"x":11,"y":2,"z\n":0}"#
    );
    for calls in [Calls::Entries, Calls::KeysAndValues, Calls::Alternating] {
        assert_eq!(sorted(&map_of(calls, keys())), want, "{calls:?}");
    }
}

#[test]
fn structs_variants_and_flattened_fields() {
    #[derive(Serialize)]
    struct Inner {
        y: u8,
        x: u8,
    }
    #[derive(Serialize)]
    enum E {
        Struct { b: Inner, a: u8 },
        Tuple(Inner, Inner),
        Newtype(Inner),
    }
    #[derive(Serialize)]
    struct Outer {
        z: E,
        #[serde(flatten)]
        flat: Inner,
        m: E,
        #[serde(flatten)]
        rest: BTreeMap<&'static str, E>,
        a: Option<E>,
    }
    let inner = || Inner { y: 1, x: 2 };
    let value = Outer {
        z: E::Struct { b: inner(), a: 3 },
        flat: inner(),
        m: E::Tuple(inner(), inner()),
        rest: BTreeMap::from([("b", E::Newtype(inner())), ("zz", E::Newtype(inner()))]),
        a: None,
    };
    let want = concat!(
        r#"{"a":null,"b":{"Newtype":{"x":2,"y":1}},"m":{"Tuple":[{"x":2,"y":1},{"x":2,"y":1}]},"x":2,"y":1,"#,
        r#""z":{"Struct":{"a":3,"b":{"x":2,"y":1}}},"zz":{"Newtype":{"x":2,"y":1}}}"#
    );
    assert_eq!(sorted(&value), want);
}

#[test]
fn pretty() {
    let value = texts(&["b", "a", "é"]);
    let pretty = builder().pretty(true).build().unwrap();
    assert_eq!(pretty.encode(&value).unwrap(), "{\n  \"a\": 1,\n  \"b\": 0,\n  \"é\": 2\n}");
    assert_eq!(pretty.encode(&texts(&[])).unwrap(), "{}");
    let nested =
        Shape::Struct(vec![("id", value), ("a", Shape::Seq(Hint::True, vec![texts(&[]), texts(&["z", "y"])]))]);
    for indent in ["\t", " \n", "      "] {
        let style = Style { indent: Some(indent.into()), sorted: true, ..Style::default() };
        let want = Node::of(&nested).render(&style);
        for max in 16..=80 {
            let encoder = builder().pretty(true).indent(indent).max_chunk(max).build().unwrap();
            assert_encodes(&encoder, (max, max), &nested, want.as_bytes());
        }
    }
}

#[test]
fn a_map_of_many_members() {
    let map: HashMap<String, u32> = (0..10_000).map(|n| (format!("key {}", n * 7919 % 10_007), n)).collect();
    let ordered: BTreeMap<&[u8], u32> = map.iter().map(|(key, n)| (key.as_bytes(), *n)).collect();
    let members = ordered.iter().map(|(key, n)| format!("\"{}\":{n}", str::from_utf8(key).unwrap()));
    let want = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
    assert_same(sorted(&map).as_bytes(), want.as_bytes(), "10,000 members");
    let many_maps = vec![&map; 3];
    assert_same(sorted(&many_maps).as_bytes(), format!("[{want},{want},{want}]").as_bytes(), "three times");
}

proptest! {
    #![proptest_config(Config { cases: 500, failure_persistence: None, ..Config::default() })]

    #[test]
    fn any_value(
        shape in strategy::shape(),
        mode in (0..8usize).prop_map(Mode::nth),
        indent in prop_oneof![Just(None), "[ \t]{1,9}".prop_map(Some)],
        sizes in (16..=120usize, 16..=120usize),
    ) {
        let plan = (sizes.0.min(sizes.1), sizes.0.max(sizes.1));
        let want = Node::of(&Honest(&shape)).render(&Style { mode, indent: indent.clone(), sorted: true, ..Style::default() });
        let options = mode.builder().sort_keys(true).pretty(indent.is_some()).indent(indent.as_deref().unwrap_or(""));
        let small = options.clone().first_chunk(plan.0).max_chunk(plan.1).build().unwrap();
        assert_encodes(&small, plan, &shape, want.as_bytes());
        assert_encodes(&options.build().unwrap(), DEFAULT_PLAN, &shape, want.as_bytes());
    }

    /// serde_json's own maps are in the order of bytes.
    #[test]
    fn any_tree_against_serde_json(shape in strategy::shape()) {
        let text = serde_json::to_string(&Honest(&shape)).unwrap();
        // Values that lose nothing on the way through a `Value`: no duplicates, and numbers of 64 bits.
        let value: Value = serde_json::from_str(&text).unwrap();
        let want = serde_json::to_string(&value).unwrap();
        prop_assert_eq!(sorted(&value), want);
    }

    #[test]
    fn many_equal_keys(keys in proptest::collection::vec("[a-c]{0,2}", 0..200)) {
        let shape = texts(&keys.iter().map(String::as_str).collect::<Vec<_>>());
        let want = Node::of(&shape).render(&Style { sorted: true, ..Style::default() });
        prop_assert_eq!(sorted(&shape), want);
    }
}

#[test]
fn limits_hold() {
    let value = serde_json::json!([{"b": "é".repeat(20), "a": [{"d": 1, "c": 2}]}, {"z": 1, "y": 2}]);
    let text = sorted(&value);
    for max in [16, 40, 65536] {
        for limit in 0..=text.len() + 2 {
            let encoder = builder().max_chunk(max).max_len(limit as u64).build().unwrap();
            let mut out = Vec::new();
            let (kept, streamed) = (encoder.encode(&value), encoder.write(&mut out, &value));
            assert!(out.len() <= limit && text.as_bytes().starts_with(&out), "{limit}: {:?}", String::from_utf8(out));
            if limit < text.len() {
                assert!(kept.unwrap_err().is_limit() && streamed.unwrap_err().is_limit());
            } else {
                assert_eq!(kept.unwrap(), text);
                assert_eq!(streamed.unwrap(), text.len() as u64);
            }
        }
    }
    let shallow = builder().max_depth(2).build().unwrap();
    assert_eq!(shallow.encode(&[BTreeMap::from([("a", [1u8; 0])])]).unwrap_err().pointer(), Some("/0/a"));
}

#[test]
fn errors_name_their_place() {
    #[derive(Serialize)]
    struct S<T> {
        b: u8,
        a: T,
    }
    let nested = [S { b: 1, a: BTreeMap::from([("x", S { b: 2, a: [0; 0] })]) }];
    assert_eq!(sorted(&nested), r#"[{"a":{"x":{"a":[],"b":2}},"b":1}]"#);
    let failing = (0, S { b: 1, a: BTreeMap::from([("k/~", S { b: 2, a: (1, Fail) })]) });
    for encoder in [builder().build().unwrap(), builder().pretty(true).max_chunk(16).build().unwrap()] {
        let mut out = Vec::new();
        for error in [encoder.encode(&failing).unwrap_err(), encoder.write(&mut out, &failing).unwrap_err()] {
            assert_eq!(error.to_string(), "cannot encode /1/a/k~1~0/a/1: no such thing");
        }
        // In separate calls, where the name is kept in a stack that sorting uses too.
        for calls in [Calls::Entries, Calls::KeysAndValues] {
            let nan_key = Shape::Map(Hint::True, calls, vec![(Key::F64(f64::NAN), Shape::Unit)]);
            let sibling = map_of(calls, [Key::Str("long name".into()), Key::I8(3)]);
            let inner = vec![(Key::Str("s".into()), sibling), (Key::Display(Pieces(vec!["a".into()])), nan_key)];
            let outer = vec![(Key::Str("z".into()), Shape::Unit), (Key::U8(5), Shape::Map(Hint::True, calls, inner))];
            let error = encoder.encode(&Shape::Map(Hint::True, calls, outer)).unwrap_err();
            assert_eq!(error.to_string(), "cannot encode /5/a: float key must be finite");
        }
    }
}

/// Goes on after its element has failed inside an object.
struct Swallows;

impl Serialize for Swallows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        let _ = seq.serialize_element(&BTreeMap::from([("b", &Fail), ("a", &Fail)]));
        let _ = seq.serialize_element(&HashMap::from([((), 1)]));
        seq.serialize_element(&BTreeMap::from([("d", 1), ("c", 2)]))?;
        seq.end()
    }
}

#[test]
fn a_swallowed_error_is_an_error() {
    for max in [16, 65536] {
        let encoder = builder().max_chunk(max).build().unwrap();
        let value = BTreeMap::from([("y", Shape::Unit), ("z", Shape::Unit)]);
        let document = (value, BTreeMap::from([("k", Swallows), ("j", Swallows)]), Swallows);
        assert!(encoder.encode(&document).unwrap_err().is_data());
        let mut out = Vec::new();
        assert!(encoder.write(&mut out, &document).unwrap_err().is_data());
        assert!(br#"[{"y":null,"z":null},{"#.starts_with(&out[..]), "{out:?}");
    }
}

/// Counts what it is given, and notes how many elements had been made when it was first called.
struct Watch<'a> {
    made: &'a Cell<usize>,
    first: Option<usize>,
    largest: usize,
    bytes: Vec<u8>,
}

impl Watch<'_> {
    fn new(made: &Cell<usize>) -> Watch<'_> {
        Watch { made, first: None, largest: 0, bytes: Vec::new() }
    }
}

impl Write for Watch<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.first.get_or_insert(self.made.get());
        self.largest = self.largest.max(bytes.len());
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An array of `count` small objects of more or less `width` bytes.
struct Many<'a> {
    made: &'a Cell<usize>,
    count: usize,
    width: usize,
}

impl Serialize for Many<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.count).map(|n| {
            self.made.set(n);
            BTreeMap::from([("b".to_owned(), n), ("a".repeat(self.width), 7)])
        }))
    }
}

/// Between objects nothing is held, so an array of them leaves early and in small pieces, as without `sort_keys`.
#[test]
fn an_array_of_small_objects_streams() {
    let made = Cell::new(0);
    for width in [1, 10, 50, 333] {
        let many = Many { made: &made, count: 500_000 / (width + 16), width };
        let mut watch = Watch::new(&made);
        builder().build().unwrap().write(&mut watch, &many).unwrap();
        assert_same(&watch.bytes, &serde_json::to_vec(&many).unwrap(), format_args!("objects of {width}"));
        let first = watch.first.unwrap() * (width + 16);
        assert!(first <= 4 * 1024, "objects of {width}: {first} bytes were made before the first left");
        assert!(watch.largest <= 128 * 1024 + 2 * 1024, "objects of {width}: {} bytes in one call", watch.largest);
    }
}

/// What is behind a long object streams again.
#[test]
fn an_object_is_held_only_until_it_closes() {
    let long: HashMap<usize, String> = (0..300).map(|n| (n, "x".repeat(1000))).collect();
    let made = Cell::new(0);
    let document = (long, Many { made: &made, count: 20_000, width: 30 });
    let mut watch = Watch::new(&made);
    builder().build().unwrap().write(&mut watch, &document).unwrap();
    let want = Node::of(&document).render(&Style { sorted: true, ..Style::default() });
    assert_same(&watch.bytes, want.as_bytes(), "a long object and many small ones");
    let first = watch.first.unwrap();
    assert!(first < 2000, "{first} of 20,000 elements were made before the long object left");
}

#[test]
fn fragments_in_objects_keep_their_own_order() {
    let small = Fragment::trusted(r#"{"z": 1, "a": 2}"#);
    let long = Fragment::checked(format!(r#"{{"z":"{}","a":[]}}"#, "é".repeat(100_000))).unwrap();
    let map = HashMap::from([("b", &small), ("a", &long), ("c", &small)]);
    let long_text = long.as_rope();
    let want = format!(r#"{{"a":{long_text},"b":{{"z": 1, "a": 2}},"c":{{"z": 1, "a": 2}}}}"#);
    assert_eq!(sorted(&map), want);
    // Outside of objects it is still linked.
    let rope = builder().build().unwrap().encode(&[&long, &small]).unwrap();
    assert_eq!(rope.chunks()[1].as_ptr(), long_text.chunks()[0].as_ptr());
    let rope = builder().build().unwrap().encode(&(map, &long)).unwrap();
    assert_eq!(rope, format!("[{want},{long_text}]"));
    assert!(rope.chunks().iter().any(|chunk| chunk.as_ptr() == long_text.chunks()[0].as_ptr()));
}
