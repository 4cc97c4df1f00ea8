//! Trees on demand and by the direct walk: the same bytes as `encode` under every option, well-cut chunks, the same
//! errors, and no recursion at any depth.

use std::thread;

use json_rope::{Encoder, EncoderBuilder, Rope};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::support::check::{assert_cut_by_halves, assert_same, assert_well_cut, drain, drain_to_error, encoder};
use crate::support::documents;
use crate::support::sweeps::{long, or_a_quarter};

struct Options {
    builder: EncoderBuilder,
    /// Objects are held back until their members are sorted.
    sorts: bool,
}

/// Every combination of the options that a tree can show.
fn option_sets() -> Vec<Options> {
    let mut sets = Vec::new();
    // An indent without pretty changes nothing.
    for bits in (0..64).filter(|bits| bits & 48 != 32) {
        let on = |bit: u32| bits & 1 << bit != 0;
        let builder = Encoder::builder().ascii(on(0)).html_safe(on(1)).escape_solidus(on(2)).sort_keys(on(3));
        let builder = builder.pretty(on(4));
        let builder = if on(5) { builder.indent("\t ") } else { builder };
        sets.push(Options { builder, sorts: on(3) });
    }
    sets
}

fn assert_cut(sorts: bool, rope: &Rope, sizes: (usize, usize)) {
    if sorts { assert_cut_by_halves(rope, sizes) } else { assert_well_cut(rope, sizes) }
}

/// Every pair of options and document, of options and chunk sizes, and of document and chunk sizes; in a long run, the
/// whole product.
#[test]
fn every_option_set_and_chunk_size() {
    let plans = [(16, 16), (16, 17), (17, 64), (31, 100), (64, 4096)];
    for (index, Options { builder, sorts }) in option_sets().into_iter().enumerate() {
        for (number, tree) in documents::tricky().into_iter().enumerate() {
            let want = builder.clone().build().unwrap().encode(&tree).unwrap().to_vec();
            let chosen = |plan: &usize| long() || *plan == (index + number) % plans.len();
            for (first, max) in (0..plans.len()).filter(chosen).map(|plan| plans[plan]) {
                let encoder = builder.clone().first_chunk(first).max_chunk(max).build().unwrap();
                let what = format_args!("options {index}, chunks {first}..{max}");
                assert_same(&encoder.encode_tree(&tree).unwrap().to_vec(), &want, what);
                for rope in [drain(encoder.chunks(&tree)), drain(encoder.chunks(tree.clone()))] {
                    assert_same(&rope.to_vec(), &want, what);
                    assert_cut(sorts, &rope, (first, max));
                }
            }
        }
    }
}

#[test]
fn scalars_and_empty_containers() {
    for tree in [json!(null), json!(true), json!(-1), json!(0.5), json!(""), json!([]), json!({}), json!([[], {}])] {
        for encoder in [Encoder::new(), Encoder::builder().pretty(true).sort_keys(true).build().unwrap()] {
            let want = encoder.encode(&tree).unwrap();
            assert_eq!(encoder.encode_tree(&tree).unwrap(), want);
            assert_eq!(drain(encoder.chunks(&tree)), want);
            assert_eq!(drain(encoder.chunks(tree.clone())), want);
        }
    }
}

#[test]
fn long_strings_and_keys_in_pieces() {
    let text = documents::dense_text().repeat(300);
    let tree = json!({ text.clone(): {"k": text.clone()}, "b": [text.clone(), text], "a": 0 });
    for Options { builder, sorts } in option_sets() {
        let encoder = builder.clone().first_chunk(16).max_chunk(64).build().unwrap();
        let want = encoder.encode(&tree).unwrap();
        for rope in [drain(encoder.chunks(&tree)), drain(encoder.chunks(tree.clone()))] {
            assert_eq!(rope, want);
            assert_cut(sorts, &rope, (16, 64));
        }
    }
}

/// Around the levels that the stack holds inline (BR-033).
#[test]
fn depths_around_the_inline_stack() {
    for depth in (0..40).chain([63, 64, 65, 500]) {
        let tree = (0..depth)
            .fold(json!([1]), |tree, level| if level % 3 == 0 { json!({ "k": tree }) } else { json!([tree]) });
        let encoder = encoder(16, 16);
        let want = serde_json::to_vec(&tree).unwrap();
        assert_eq!(encoder.encode_tree(&tree).unwrap(), want);
        assert_eq!(drain(encoder.chunks(&tree)), want);
        assert_eq!(drain(encoder.chunks(tree)), want);
    }
}

/// A tree that has members before and behind the deeper one on each level.
fn with_siblings(depth: usize) -> Value {
    (0..depth).fold(json!("core"), |tree, level| match level % 3 {
        0 => json!([level, tree, [level]]),
        1 => json!({"before": level, "inner": tree, "later": {"a/b": [true]}}),
        _ => json!({"inner": tree}),
    })
}

/// However deep it is when a step ends or something fails, each level goes on where it was, and knows its place.
#[test]
fn levels_are_left_and_taken_up_again() {
    for depth in [5, 11, 12, 13, 14, 24, 25, 26, 40, 100] {
        let tree = with_siblings(depth);
        let want = serde_json::to_string(&tree).unwrap();
        for max in [16, 17, 23, 64, 1000] {
            assert_eq!(drain(encoder(16, max).chunks(&tree)), want.as_str());
            assert_eq!(drain(encoder(16, max).chunks(tree.clone())), want.as_str());
        }
        for max_len in 0..want.len() as u64 {
            let encoder = Encoder::builder().max_len(max_len).first_chunk(16).max_chunk(16).build().unwrap();
            let error = format!("{:?}", encoder.encode(&tree).unwrap_err());
            assert_eq!(format!("{:?}", encoder.encode_tree(&tree).unwrap_err()), error);
            assert_eq!(format!("{:?}", drain_to_error(encoder.chunks(&tree)).1), error);
            assert_eq!(format!("{:?}", drain_to_error(encoder.chunks(tree.clone())).1), error);
        }
    }
}

/// BR-016: one line's indentation is far longer than a chunk.
#[test]
fn deep_indentation() {
    let tree = (0..500).fold(json!(1), |tree, _| json!([tree]));
    let encoder = Encoder::builder().pretty(true).indent("        ").first_chunk(64).max_chunk(64).build().unwrap();
    let want = encoder.encode(&tree).unwrap();
    assert_eq!(encoder.encode_tree(&tree).unwrap(), want);
    assert_eq!(drain(encoder.chunks(&tree)), want);
    assert_eq!(drain(encoder.chunks(tree)), want);
}

#[test]
fn limits_fail_where_encode_fails() {
    let trees = [json!({"a": [1, "two", {"b~/": [[], {"deep": [[["x"]]]}]}], "c": "é€😀"}), json!([[[[[1]]]]])];
    for tree in trees {
        let len = serde_json::to_vec(&tree).unwrap().len() as u64;
        for builder in [Encoder::builder(), Encoder::builder().pretty(true), Encoder::builder().sort_keys(true)] {
            let limits = (0..len).map(|max| builder.clone().max_len(max));
            for builder in limits.chain((0..5).map(|depth| builder.clone().max_depth(depth))) {
                let encoder = builder.first_chunk(16).max_chunk(16).build().unwrap();
                let want = encoder.encode(&tree).unwrap_err();
                let whole = Encoder::new().encode(&tree).unwrap();
                let direct = encoder.encode_tree(&tree).unwrap_err();
                assert_eq!(format!("{direct:?}"), format!("{want:?}"));
                for (begun, error) in
                    [drain_to_error(encoder.chunks(&tree)), drain_to_error(encoder.chunks(tree.clone()))]
                {
                    assert_eq!(format!("{error:?}"), format!("{want:?}"));
                    assert!(begun.len() as u64 <= error.offset());
                    assert!(begun.to_vec().len() < whole.len() * 8);
                    assert!(!begun.to_vec().ends_with(b"}") || begun.len() < whole.len());
                }
            }
        }
    }
}

#[test]
fn what_comes_before_an_error_is_a_prefix_up_to_its_offset() {
    let tree = json!({"a": ["x".repeat(100), {"b": "é".repeat(100)}]});
    let whole = serde_json::to_string(&tree).unwrap();
    for max in 0..whole.len() {
        let encoder = Encoder::builder().max_len(max as u64).first_chunk(16).max_chunk(32).build().unwrap();
        let (begun, error) = drain_to_error(encoder.chunks(&tree));
        assert_eq!(error.offset(), max as u64);
        assert_eq!(begun, whole[..whole.floor_char_boundary(max)]);
    }
}

/// Far more levels than a small stack has room for.
const DEEP: usize = 50_000;

/// A tree of so many levels, arrays and objects in turn, and its text.
fn deep(levels: usize) -> (Value, String) {
    let (mut tree, mut open, mut close) = (json!("core"), Vec::new(), String::new());
    for level in 0..levels {
        if level % 2 == 0 {
            tree = Value::Array(vec![tree]);
            open.push("[");
            close.push(']');
        } else {
            tree = member("k", tree);
            open.push("{\"k\":");
            close.push('}');
        }
    }
    open.reverse();
    (tree, open.concat() + "\"core\"" + &close)
}

/// An object of one member. (`json!` would copy the value, recursively.)
fn member(key: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(key.to_owned(), value)]))
}

/// Runs where recursion into a deep tree would overflow at once.
fn on_a_small_stack(work: impl FnOnce() + Send) {
    thread::scope(|scope| {
        thread::Builder::new().stack_size(256 << 10).spawn_scoped(scope, work).unwrap().join().unwrap();
    });
}

/// Frees a deep tree without recursion.
fn free(tree: Value) {
    drop(Encoder::new().chunks(tree));
}

#[test]
fn a_million_levels() {
    let levels = or_a_quarter(1_000_000);
    on_a_small_stack(move || {
        let (tree, want) = deep(levels);
        let encoder = Encoder::new();
        assert!(encoder.encode_tree(&tree).unwrap() == want);
        assert!(drain(encoder.chunks(&tree)) == want);
        assert!(drain(encoder.chunks(tree)) == want, "and freed as it is walked");

        let (tree, _) = deep(levels);
        let mut half_way = encoder.chunks(tree);
        for _ in 0..20 {
            half_way.next().unwrap().unwrap();
        }
        drop(half_way);

        let sorted = Encoder::builder().sort_keys(true).build().unwrap();
        let (tree, want) = deep(levels);
        assert!(drain(sorted.chunks(tree)) == want);
    });
}

#[test]
fn a_deep_tree_is_freed_after_an_error_wherever_it_comes() {
    on_a_small_stack(|| {
        let (tree, want) = deep(DEEP);
        free(tree);
        let limits = [0, 1, 5, 8, 9, 10, 10_000, want.len() as u64 - 1];
        for max_len in limits {
            let encoder = Encoder::builder().max_len(max_len).first_chunk(16).build().unwrap();
            let (tree, _) = deep(DEEP);
            // Also as the value of a long key, and beside others.
            let tree = if max_len < 14 { member("a key", Value::Array(vec![json!(1), tree])) } else { tree };
            let (begun, error) = drain_to_error(encoder.chunks(tree));
            assert!(error.is_limit());
            assert_eq!(begun.len() as u64, max_len);
        }
        let encoder = Encoder::builder().max_depth(DEEP - 1).build().unwrap();
        let (tree, _) = deep(DEEP);
        let (_, error) = drain_to_error(encoder.chunks(tree));
        assert_eq!(error.pointer().unwrap().len(), (DEEP - 1) * 2, "a segment for each level around it");
    });
}

/// Members are taken out one ahead of the one that is being written.
#[test]
fn a_deep_tree_is_freed_when_it_was_to_come_next() {
    on_a_small_stack(|| {
        for max_len in [0, 3, 7, 10, 20] {
            let encoder = Encoder::builder().max_len(max_len).first_chunk(16).max_chunk(16).build().unwrap();
            let (tree, _) = deep(DEEP);
            let members = [("a".to_owned(), json!(["some text"])), ("b".to_owned(), tree)];
            let (begun, error) = drain_to_error(encoder.chunks(Value::Object(Map::from_iter(members))));
            assert!(error.is_limit());
            assert_eq!(begun, r#"{"a":["some text"],"b":["#[..max_len as usize]);
        }
    });
}

#[test]
fn a_deep_tree_is_freed_when_a_long_key_stands_before_it() {
    on_a_small_stack(|| {
        let encoder = Encoder::builder().max_chunk(16).build().unwrap();
        for steps in 0..8 {
            let (tree, _) = deep(DEEP);
            let mut chunks = encoder.chunks(member(&"key".repeat(40), tree));
            for _ in 0..steps {
                chunks.next().unwrap().unwrap();
            }
        }
    });
}

/// BR-113: the budget is live, and bounds each step.
#[test]
fn a_step_is_bounded_by_the_chunk() {
    let tree = json!((0..5000).map(|n| json!({"n": n, "text": "some text"})).collect::<Vec<_>>());
    let mut counts = Vec::new();
    for max in [16, 4096, 65536] {
        let chunks: Vec<_> = encoder(16, max).chunks(&tree).map(Result::unwrap).collect();
        assert!(chunks.iter().all(|chunk| chunk.len() <= max));
        counts.push(chunks.len());
    }
    assert!(counts[0] > 200 * counts[1] && counts[1] > 2 * counts[2], "{counts:?}");
}

fn any_tree() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z\"\\\\\n/<é€😀\u{2028}]{0,80}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 96, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::btree_map("[a-z\"é😀]{0,40}", inner, 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_tree_any_options(tree in any_tree(), set in 0..48usize, first in 16..80usize, more in 0..300usize) {
        let Options { builder, sorts } = option_sets().swap_remove(set);
        let encoder = builder.first_chunk(first).max_chunk(first + more).build().unwrap();
        let want = encoder.encode(&tree).unwrap();
        prop_assert_eq!(&encoder.encode_tree(&tree).unwrap(), &want);
        let borrowed = drain(encoder.chunks(&tree));
        assert_cut(sorts, &borrowed, (first, first + more));
        prop_assert_eq!(&borrowed, &want);
        let owned = drain(encoder.chunks(tree));
        assert_cut(sorts, &owned, (first, first + more));
        prop_assert_eq!(&owned, &want);
    }
}

#[test]
fn owned_chunks_may_move_to_another_thread() {
    fn assert_send<T: Send + 'static>(_: &T) {}
    let tree = json!((0..100_000).collect::<Vec<_>>());
    let want = serde_json::to_vec(&tree).unwrap();
    let mut chunks = Encoder::new().chunks(tree);
    assert_send(&chunks);
    let first = chunks.next().unwrap().unwrap();
    let rest = thread::spawn(move || drain(chunks)).join().unwrap();
    let rope: Rope = [first].into_iter().chain(rest).collect();
    assert_eq!(rope, want);
}
