//! Proves the limits of depth and length, that nothing overflows the stack below them, and which settings are refused.

use std::collections::BTreeMap;
use std::thread;

use json_rope::{Encoder, EncoderBuilder, to_rope, to_rope_pretty};
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct,
    SerializeTupleVariant,
};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::support::documents;

fn built(builder: EncoderBuilder) -> Encoder {
    builder.build().expect("good settings")
}

/// How a [`Nest`] goes one level deeper.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Seq,
    Tuple,
    TupleStruct,
    TupleVariant,
    Entry,
    KeyAndValue,
    Struct,
    StructVariant,
    NewtypeVariant,
    /// No level: leaves no trace in the document.
    Some,
    /// No level either.
    NewtypeStruct,
}

const LEVELS: [Kind; 9] = [
    Kind::Seq,
    Kind::Tuple,
    Kind::TupleStruct,
    Kind::TupleVariant,
    Kind::Entry,
    Kind::KeyAndValue,
    Kind::Struct,
    Kind::StructVariant,
    Kind::NewtypeVariant,
];

/// A value that is so many levels deep, without any data.
struct Nest<'k>(&'k [Kind], usize);

/// Each kind has a function of its own: in a debug build, the frame of one for all would be many times as large.
impl Serialize for Nest<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(left) = self.1.checked_sub(1) else { return serializer.serialize_u8(7) };
        let inner = Nest(self.0, left);
        match self.0[left % self.0.len()] {
            Kind::Seq => seq(serializer, &inner),
            Kind::Tuple => tuple(serializer, &inner),
            Kind::TupleStruct => tuple_struct(serializer, &inner),
            Kind::TupleVariant => tuple_variant(serializer, &inner),
            Kind::Entry => entry(serializer, &inner),
            Kind::KeyAndValue => key_and_value(serializer, &inner),
            Kind::Struct => structure(serializer, &inner),
            Kind::StructVariant => struct_variant(serializer, &inner),
            Kind::NewtypeVariant => serializer.serialize_newtype_variant("E", 0, "v", &inner),
            Kind::Some => serializer.serialize_some(&inner),
            Kind::NewtypeStruct => serializer.serialize_newtype_struct("N", &inner),
        }
    }
}

macro_rules! steps {
    ($($name:ident: $begin:ident($($argument:expr),*), $add:ident($($key:expr)?);)*) => {$(
        fn $name<S: Serializer>(serializer: S, inner: &Nest<'_>) -> Result<S::Ok, S::Error> {
            let mut state = serializer.$begin($($argument),*)?;
            state.$add($($key,)? inner)?;
            state.end()
        }
    )*};
}

steps! {
    seq: serialize_seq(None), serialize_element();
    tuple: serialize_tuple(1), serialize_element();
    tuple_struct: serialize_tuple_struct("T", 1), serialize_field();
    tuple_variant: serialize_tuple_variant("E", 0, "v", 1), serialize_field();
    entry: serialize_map(None), serialize_entry("e");
    structure: serialize_struct("S", 1), serialize_field("f");
    struct_variant: serialize_struct_variant("E", 0, "v", 1), serialize_field("f");
}

fn key_and_value<S: Serializer>(serializer: S, inner: &Nest<'_>) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_key("k")?;
    map.serialize_value(inner)?;
    map.end()
}

/// Levels that one step of this kind takes: a variant with content is an object around it.
fn levels(kind: Kind) -> usize {
    match kind {
        Kind::TupleVariant | Kind::StructVariant => 2,
        Kind::Some | Kind::NewtypeStruct => 0,
        _ => 1,
    }
}

fn on_small_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        thread::Builder::new()
            .stack_size(2 << 20)
            .spawn_scoped(scope, work)
            .expect("a thread")
            .join()
            .expect("no panic")
    })
}

#[test]
fn br_090_every_kind_of_container_counts() {
    for kind in LEVELS {
        let steps = 128 / levels(kind);
        for (encoder, name) in [
            (built(Encoder::builder().max_depth(128)), "compact"),
            (built(Encoder::builder().max_depth(128).pretty(true)), "pretty"),
        ] {
            assert!(encoder.encode(&Nest(&[kind], steps)).is_ok(), "{kind:?}, {name}");
            for steps in [steps + 1, 1000] {
                let error = encoder.encode(&Nest(&[kind], steps)).unwrap_err();
                assert!(error.is_limit() && !error.is_data(), "{kind:?}, {name}");
                assert!(encoder.write(&mut Vec::new(), &Nest(&[kind], steps)).unwrap_err().is_limit());
            }
        }
    }
}

#[test]
fn br_090_the_default_limit_is_a_thousand() {
    on_small_stack(|| {
        for kind in LEVELS {
            let steps = 1000 / levels(kind);
            let rope = to_rope(&Nest(&[kind], steps)).unwrap();
            assert_eq!(rope, serde_json::to_vec(&Nest(&[kind], steps)).unwrap());
            assert!(to_rope(&Nest(&[kind], steps + 1)).unwrap_err().is_limit());
            assert!(to_rope_pretty(&Nest(&[kind], steps + 1)).unwrap_err().is_limit());
        }
    });
}

#[test]
fn the_pointer_of_a_depth_error_is_the_value_that_is_too_deep() {
    let encoder = built(Encoder::builder().max_depth(2));
    let error = encoder.encode(&json!({"a": [0, [1]]})).unwrap_err();
    assert_eq!(error.pointer(), Some("/a/1"));
    assert_eq!(error.offset(), r#"{"a":[0,"#.len() as u64);
    let encoder = built(Encoder::builder().max_depth(0));
    assert_eq!(encoder.encode(&Some(Some(1))).unwrap(), "1");
    assert_eq!(encoder.encode(&[0; 0]).unwrap_err().pointer(), Some(""));
    assert!(encoder.encode(&json!({})).unwrap_err().is_limit());
}

/// Depth is given back when a container ends.
#[test]
fn wide_is_not_deep() {
    let encoder = built(Encoder::builder().max_depth(3));
    let value = vec![BTreeMap::from([("a", vec![1]), ("b", vec![])]); 1000];
    assert_eq!(encoder.encode(&value).unwrap(), serde_json::to_vec(&value).unwrap());
    let variants: Vec<_> = (0..3000).map(|_| Ok::<u8, u8>(1)).collect();
    assert_eq!(encoder.encode(&variants).unwrap(), serde_json::to_vec(&variants).unwrap());
    let wrapped = vec![Some(Some(Some(1))); 10_000];
    assert_eq!(encoder.encode(&wrapped).unwrap(), serde_json::to_vec(&wrapped).unwrap());
}

/// Deeper than any stack: what is refused is the value, not the process.
#[test]
fn endless_recursion_is_an_error() {
    on_small_stack(|| {
        let mut kinds: Vec<Vec<Kind>> = LEVELS.iter().map(|kind| vec![*kind]).collect();
        kinds.extend([
            vec![Kind::Some],
            vec![Kind::NewtypeStruct],
            vec![Kind::Some, Kind::NewtypeStruct],
            vec![Kind::Some, Kind::Seq],
            vec![Kind::NewtypeStruct, Kind::Some, Kind::Some, Kind::NewtypeStruct, Kind::StructVariant],
            [&LEVELS[..], &[Kind::Some]].concat(),
        ]);
        for kinds in kinds {
            let nest = Nest(&kinds, 1_000_000);
            assert!(to_rope(&nest).unwrap_err().is_limit(), "{kinds:?}");
            assert!(to_rope_pretty(&nest).unwrap_err().is_limit(), "{kinds:?}, pretty");
            assert!(json_rope::to_writer(std::io::sink(), &nest).unwrap_err().is_limit(), "{kinds:?}, streaming");
        }
    });
}

#[test]
fn endless_recursion_in_a_key_is_an_error() {
    struct Member(Kind);
    impl Serialize for Member {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_entry(&Nest(&[self.0], 1_000_000), &())?;
            map.end()
        }
    }
    on_small_stack(|| {
        assert!(to_rope(&Member(Kind::Some)).unwrap_err().is_limit());
        assert!(to_rope(&Member(Kind::NewtypeStruct)).unwrap_err().is_limit());
        assert!(to_rope(&Member(Kind::Seq)).unwrap_err().is_data());
    });
}

#[derive(Serialize, Default)]
struct Node {
    id: u32,
    next: Option<Box<Node>>,
}

#[derive(Serialize)]
enum Tree {
    Leaf,
    Inner { left: Box<Tree>, right: Box<Tree> },
}

#[derive(Serialize)]
struct Wrapped(Option<Vec<Wrapped>>);

/// Data, as deep as the default limit allows, on the stack that a thread has unless told otherwise, in a debug build.
#[test]
fn the_default_limit_is_safe_on_a_small_stack() {
    fn check(value: &impl Serialize) {
        assert_eq!(to_rope(value).unwrap(), serde_json::to_vec(value).unwrap());
        assert_eq!(to_rope_pretty(value).unwrap(), serde_json::to_vec_pretty(value).unwrap());
    }
    on_small_stack(|| {
        check(&(0..1000).fold(json!(1), |inner, _| json!([inner])));
        check(&(0..1000).fold(json!(1), |inner, _| json!({ "k": inner })));
        check(&json_rope_bench_data::generate::deep_tree(1000));
        check(&(0..999).fold(Node::default(), |inner, id| Node { id, next: Some(Box::new(inner)) }));
        let tree =
            (0..500).fold(Tree::Leaf, |inner, _| Tree::Inner { left: Box::new(inner), right: Box::new(Tree::Leaf) });
        check(&tree);
        check(&(0..999).fold(Wrapped(Some(vec![])), |inner, _| Wrapped(Some(vec![inner]))));
    });
}

#[test]
fn settings_that_are_refused() {
    let bad = [
        Encoder::builder().indent(&" ".repeat(65)),
        Encoder::builder().pretty(true).indent("--"),
        Encoder::builder().indent("\u{a0}"),
        Encoder::builder().indent("\u{b}"),
        Encoder::builder().indent(" x "),
        Encoder::builder().first_chunk(0),
        Encoder::builder().first_chunk(15),
        Encoder::builder().first_chunk((1 << 20) + 1).max_chunk(1 << 20),
        Encoder::builder().max_chunk(15),
        Encoder::builder().max_chunk((1 << 20) + 1),
        Encoder::builder().first_chunk(usize::MAX),
        Encoder::builder().max_chunk(usize::MAX),
        Encoder::builder().first_chunk(17).max_chunk(16),
        Encoder::builder().first_chunk((64 << 10) + 1),
    ];
    for builder in bad {
        let error = builder.clone().build().expect_err(&format!("{builder:?}"));
        assert!(error.is_config() && !error.is_data() && !error.is_io() && !error.is_limit());
        assert_eq!(error.pointer(), None);
    }
}

#[test]
fn settings_at_their_bounds() {
    for (first, max) in [(16, 16), (16, 1 << 20), (1 << 20, 1 << 20)] {
        let encoder = built(Encoder::builder().first_chunk(first).max_chunk(max));
        assert_eq!(encoder.encode(&"x".repeat(3 << 20)).unwrap().chunks()[0].len(), first);
    }
    // The first chunk gives way if only the largest is set.
    let encoder = built(Encoder::builder().max_chunk(100));
    assert!(encoder.encode(&"x".repeat(1000)).unwrap().chunks().iter().all(|chunk| chunk.len() <= 100));
    for indent in [&" ".repeat(64), "\t", " \t\r\n"] {
        let encoder = built(Encoder::builder().pretty(true).indent(indent));
        assert_eq!(encoder.encode(&[[1]]).unwrap(), format!("[\n{indent}[\n{indent}{indent}1\n{indent}]\n]"));
    }
    // Without pretty, an indentation has no effect.
    assert_eq!(built(Encoder::builder().indent("\t")).encode(&[1]).unwrap(), "[1]");
    assert_eq!(built(Encoder::builder().max_depth(usize::MAX).max_len(u64::MAX)).encode(&[1]).unwrap(), "[1]");
}

/// A document of exactly the limit is encoded, one byte more is not, and what was sent of it is its beginning.
#[track_caller]
fn check_max_len(builder: &EncoderBuilder, value: &impl Serialize, want: &[u8], max_len: usize) {
    let encoder = built(builder.clone().max_len(max_len as u64));
    let mut out = Vec::new();
    let (rope, streamed) = (encoder.encode(value), encoder.write(&mut out, value));
    if want.len() <= max_len {
        assert_eq!(rope.unwrap(), want);
        assert_eq!(streamed.unwrap(), want.len() as u64);
        assert_eq!(out, want);
    } else {
        for error in [rope.map(drop).unwrap_err(), streamed.map(drop).unwrap_err()] {
            assert!(error.is_limit(), "{error}");
            assert!(error.offset() <= max_len as u64 && error.offset() >= out.len() as u64);
            assert!(error.pointer().is_some() && error.to_string().contains(&max_len.to_string()));
        }
        assert!(out.len() <= max_len && want.starts_with(&out), "{} bytes left", out.len());
    }
}

#[test]
fn every_max_len_of_small_documents() {
    let builders = [
        Encoder::builder(),
        Encoder::builder().first_chunk(16).max_chunk(16),
        Encoder::builder().first_chunk(16).max_chunk(100),
        Encoder::builder().pretty(true).first_chunk(17).max_chunk(64),
    ];
    let values =
        [json!(1), json!("é€😀\"\n\u{1}"), json!([]), json!({"a": [1.5, null, "x"], "b\"": {}, "c": -12345678})];
    for value in values.iter().chain(&documents::tricky()) {
        for (index, builder) in builders.iter().enumerate() {
            let want = if index == 3 { serde_json::to_vec_pretty(value) } else { serde_json::to_vec(value) }.unwrap();
            let step = want.len() / 200 + 1;
            for max_len in (0..want.len() - 1).step_by(step).chain([want.len() - 1, want.len(), want.len() + 1]) {
                check_max_len(builder, value, &want, max_len);
            }
        }
    }
}

#[test]
fn max_len_around_chunk_and_slab_ends() {
    let text = Value::from("x".repeat(299_000) + &"é\n".repeat(500));
    let want = serde_json::to_vec(&text).unwrap();
    for end in [2, 6, 14, 30, 62, 126, 190, 254].map(|kib| kib << 10) {
        for max_len in end - 3..=end + 3 {
            check_max_len(&Encoder::builder(), &text, &want, max_len);
        }
    }
    // Long enough, and plain enough, to be handed to a writer as it is.
    let text = "y".repeat(200_000);
    for max_len in [0, 1, 65_536, 200_000, 200_001, 200_002, 200_003] {
        check_max_len(&Encoder::builder(), &text, format!("\"{text}\"").as_bytes(), max_len);
    }
}

#[test]
fn max_len_of_nothing() {
    let encoder = built(Encoder::builder().max_len(0));
    assert!(encoder.encode(&1).unwrap_err().is_limit());
    let mut out = Vec::new();
    assert!(encoder.write(&mut out, &1).unwrap_err().is_limit());
    assert!(out.is_empty());
}
