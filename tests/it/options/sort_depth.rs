//! Proves that `sort_keys` puts objects in order that are deep in one another, where most of them are not moved when
//! they close: chains of every length, wide and deep trees of random shape, pretty and in frames.

use json_rope::{Encoder, Frame};
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde::{Serialize, Serializer};

/// Members in the order in which they are serialized, elements, or a text.
#[derive(Clone, Debug)]
enum Tree {
    Object(Vec<(String, Tree)>),
    Array(Vec<Tree>),
    Text(String),
}
use Tree::{Array, Object, Text};

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Object(members) => serializer.collect_map(members.iter().map(|(key, value)| (key, value))),
            Array(elements) => serializer.collect_seq(elements),
            Text(text) => serializer.serialize_str(text),
        }
    }
}

impl Tree {
    fn sorted(&self) -> Tree {
        match self {
            Object(members) => {
                let mut members: Vec<_> = members.iter().map(|(key, value)| (key.clone(), value.sorted())).collect();
                members.sort_by(|a, b| a.0.cmp(&b.0));
                Object(members)
            }
            Array(elements) => Array(elements.iter().map(Tree::sorted).collect()),
            Text(_) => self.clone(),
        }
    }
}

fn object(members: impl IntoIterator<Item = (&'static str, Tree)>) -> Tree {
    Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn text(len: usize) -> Tree {
    Text("é\n,{\"".chars().cycle().take(len).collect())
}

fn assert_sorts(tree: &Tree, what: &str) {
    let want = tree.sorted();
    for pretty in [false, true] {
        let builder = Encoder::builder().pretty(pretty);
        let encoder = builder.clone().sort_keys(true).build().unwrap();
        let reference = builder.build().unwrap();
        let compact = reference.encode(&want).unwrap();
        assert!(encoder.encode(tree).unwrap() == compact, "{what}, pretty: {pretty}");
        let mut out = Vec::new();
        encoder.write(&mut out, tree).unwrap();
        assert!(compact == out[..], "{what}, pretty: {pretty}, streamed");
        let array = encoder.array([tree, tree]).collect::<Result<Vec<_>, _>>().unwrap().concat();
        assert!(reference.encode(&[&want, &want]).unwrap() == array[..], "{what}, pretty: {pretty}, on demand");
        let event = reference.encode_framed(Frame::ServerSentEvent, &want).unwrap();
        assert!(
            encoder.encode_framed(Frame::ServerSentEvent, tree).unwrap() == event,
            "{what}, pretty: {pretty}, event"
        );
    }
}

#[test]
fn chains() {
    // Around a long text nothing is long enough to be moved again; around a short one, every now and then.
    for len in [0, 1, 50, 10_000] {
        for depth in (0..40).chain([100, 500]) {
            let last = (0..depth).fold(text(len), |tree, _| object([("b", tree), ("a", text(1))]));
            let first = (0..depth).fold(text(len), |tree, _| object([("b", text(2)), ("a", tree)]));
            let in_order = (0..depth).fold(text(len), |tree, level| match level % 3 {
                0 => object([("b", tree), ("a", text(0))]),
                1 => object([("a", tree), ("b", text(3))]),
                _ => Array(vec![tree, object([("", text(0))])]),
            });
            for (tree, what) in [(last, "last"), (first, "first"), (in_order, "some in order")] {
                assert_sorts(&tree, &format!("{what}: {depth} levels around {len}"));
            }
        }
    }
}

#[test]
fn equal_keys_keep_their_order_at_every_depth() {
    let mut tree = object([]);
    for level in 0..60 {
        let number = |n: usize| Text(format!("{level} {n}"));
        tree = object([("k", number(1)), ("k", tree), ("j", number(2)), ("k", number(3)), ("j", number(4))]);
    }
    assert_sorts(&tree, "equal keys");
}

#[test]
fn several_deep_objects_in_one() {
    let deep =
        |depth: usize| (0..depth).fold(text(5), |tree, _| object([("y", tree), ("x", object([("w", text(0))]))]));
    let rows = Array((0..50).map(deep).collect());
    assert_sorts(&object([("rows", rows.clone()), ("more", deep(30)), ("last", Array(vec![rows, deep(3)]))]), "rows");
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = (0..40usize).prop_map(text);
    leaf.prop_recursive(24, 300, 4, |inner| {
        prop_oneof![
            4 => proptest::collection::vec(("[a-d]{0,2}", inner.clone()), 0..5).prop_map(Object),
            1 => proptest::collection::vec(inner, 0..4).prop_map(Array),
        ]
    })
}

proptest! {
    #![proptest_config(Config { cases: 500, failure_persistence: None, ..Config::default() })]

    #[test]
    fn any_tree(tree in tree()) {
        assert_sorts(&tree, "random");
    }
}
