//! Proves that any value comes out byte for byte as serde_json writes it, however it is cut into chunks.

use json_rope::Encoder;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::support::check::{DEFAULT_PLAN, assert_encodes, encoder, pretty_encoder};
use crate::support::strategy;
use crate::support::strategy::shape;
use crate::support::values::{Calls, Hint, Honest, Key, Shape};

fn config(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}

/// Sizes of the first and of the largest chunk.
fn plan() -> impl Strategy<Value = (usize, usize)> {
    (16..=200usize, 16..=200usize).prop_map(|(a, b)| (a.min(b), a.max(b)))
}

fn compact(shape: &Shape) -> Vec<u8> {
    serde_json::to_vec(&Honest(shape)).expect("serde_json encodes it")
}

fn pretty(shape: &Shape) -> Vec<u8> {
    serde_json::to_vec_pretty(&Honest(shape)).expect("serde_json encodes it")
}

proptest! {
    #![proptest_config(config(700))]

    #[test]
    fn any_value_at_small_chunks(shape in shape(), plan in plan()) {
        assert_encodes(&encoder(plan.0, plan.1), plan, &shape, &compact(&shape));
        assert_encodes(&pretty_encoder(plan.0, plan.1), plan, &shape, &pretty(&shape));
    }

    #[test]
    fn any_value_by_the_everyday_functions(shape in shape()) {
        let (compact, pretty) = (compact(&shape), pretty(&shape));
        assert_encodes(&Encoder::new(), DEFAULT_PLAN, &shape, &compact);
        prop_assert_eq!(json_rope::to_rope(&shape).unwrap(), &compact[..]);
        prop_assert_eq!(json_rope::to_rope_pretty(&shape).unwrap(), &pretty[..]);
        prop_assert_eq!(&json_rope::to_vec(&shape).unwrap(), &compact);
        prop_assert_eq!(&json_rope::to_vec_pretty(&shape).unwrap(), &pretty);
        prop_assert_eq!(json_rope::to_string(&shape).unwrap().into_bytes(), compact.clone());
        prop_assert_eq!(json_rope::to_string_pretty(&shape).unwrap().into_bytes(), pretty.clone());
        prop_assert_eq!(json_rope::to_chunks(&shape).unwrap().concat(), compact.clone());
        let (mut out, mut out_pretty) = (Vec::new(), Vec::new());
        json_rope::to_writer(&mut out, &shape).unwrap();
        json_rope::to_writer_pretty(&mut out_pretty, &shape).unwrap();
        prop_assert_eq!(out, compact);
        prop_assert_eq!(out_pretty, pretty);
    }

    /// Texts of indentation other than two spaces, with serde_json's own formatter as the oracle.
    #[test]
    fn any_indentation(shape in shape(), indent in "[ \t]{1,64}", plan in plan()) {
        let mut want = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
        serde::Serialize::serialize(&Honest(&shape), &mut serde_json::Serializer::with_formatter(&mut want, formatter))
            .unwrap();
        let builder = Encoder::builder().pretty(true).indent(&indent).first_chunk(plan.0).max_chunk(plan.1);
        assert_encodes(&builder.build().unwrap(), plan, &shape, &want);
    }
}

proptest! {
    #![proptest_config(config(60))]

    /// Long enough to leave the memory that a document starts in, so that tokens of all kinds meet its end, and the
    /// end of each later piece of memory.
    #[test]
    fn long_documents(
        shapes in vec(shape(), 1..12),
        keys in vec(strategy::key(), 1..6),
        repeats in 1..200usize,
        plan in plan(),
    ) {
        let one = Shape::Seq(Hint::Unknown, shapes);
        let members = keys.into_iter().map(|key: Key| (key, one.clone())).collect();
        let object = Shape::Map(Hint::Zero, Calls::Alternating, members);
        let once = compact(&object).len();
        let long = Shape::Seq(Hint::Zero, vec![object; repeats.min(1 + 60_000 / once)]);
        let want = compact(&long);
        assert_encodes(&encoder(plan.0, plan.1), plan, &long, &want);
        assert_encodes(&Encoder::new(), DEFAULT_PLAN, &long, &want);
        let pretty = pretty(&long);
        assert_encodes(&pretty_encoder(plan.0, plan.1), plan, &long, &pretty);
        // An encoder that knows what is coming, or believes that it does, cuts in the same places.
        let encoder = encoder(plan.0, plan.1);
        for _ in 0..2 {
            assert_encodes(&encoder, plan, &long, &want);
            assert_encodes(&encoder, plan, "short", b"\"short\"");
        }
    }
}
