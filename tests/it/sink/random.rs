//! Random scripts, on documents of several megabytes and on random cuts.

use std::io::ErrorKind;
use std::sync::LazyLock;

use bytes::Bytes;
use json_rope::{Rope, VectoredSink};
use json_rope_bench_data::documents;
use proptest::prelude::*;
use serde_json::Value;

use crate::support::writer::Step::{self, Accept, Fail, Interrupted, WouldBlock};
use crate::support::writer::{Route, Script};

/// A value, and what each route has to make of it.
struct Large {
    value: Value,
    compact: Vec<u8>,
    pretty: Vec<u8>,
}

/// canada.json and citm_catalog.json.
static LARGE: LazyLock<[Large; 2]> = LazyLock::new(|| {
    [documents::canada(), documents::citm_catalog()].map(|text| {
        let value: Value = serde_json::from_str(text).unwrap();
        let (compact, pretty) = (serde_json::to_vec(&value).unwrap(), serde_json::to_vec_pretty(&value).unwrap());
        Large { value, compact, pretty }
    })
});

fn large_route() -> impl Strategy<Value = Route> {
    prop_oneof![
        Just(Route::Rope),
        Just(Route::CutRope(100)),
        Just(Route::ToWriter),
        Just(Route::ToWriterPretty),
        Just(Route::Encoder(512, 4096)),
        Just(Route::Sink(usize::MAX)),
        Just(Route::Sink(20_000)),
    ]
}

/// A step that lets work go on; `WouldBlock` only where it is allowed.
fn step(blocks: bool, least: usize, most: usize) -> impl Strategy<Value = Step> {
    (0..10_u8, least..most).prop_map(move |(kind, taken)| match kind {
        0 => Interrupted,
        1 if blocks => WouldBlock,
        _ => Accept(taken),
    })
}

fn script(blocks: bool, least: usize, most: usize) -> impl Strategy<Value = Script> {
    (prop::collection::vec(step(blocks, least, most), 1..40), any::<bool>()).prop_map(move |(mut steps, first_only)| {
        steps.push(Accept(most));
        let script = Script::cycle(steps).at_most_slices(64);
        if first_only { script.first_slice_only() } else { script }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn large_documents((route, writer) in large_route().prop_flat_map(|route| {
        (Just(route), script(matches!(route, Route::Sink(_)), 2_000, 200_000))
    }), canada in any::<bool>()) {
        let Large { value, compact, pretty } = &LARGE[usize::from(!canada)];
        let expected = if matches!(route, Route::ToWriterPretty) { pretty } else { compact };
        let mut writer = writer;
        route.send(value, &mut writer).unwrap();
        prop_assert!(writer.accepted == *expected);
        prop_assert!(writer.most_slices_seen() <= 64);
    }

    #[test]
    fn large_documents_that_fail(route in large_route(), share in 0.0..1.0, canada in any::<bool>()) {
        let Large { value, compact, pretty } = &LARGE[usize::from(!canada)];
        let expected = if matches!(route, Route::ToWriterPretty) { pretty } else { compact };
        let n = (expected.len() as f64 * share) as usize;
        let mut writer = Script::failing_after(n, ErrorKind::BrokenPipe);
        let error = route.send(value, &mut writer).unwrap_err();
        prop_assert_eq!(error.kind(), ErrorKind::BrokenPipe);
        prop_assert!(writer.accepted == expected[..n]);
        prop_assert_eq!(writer.calls_after_error, 0);
    }
}

/// What is done to a sink.
#[derive(Clone, Debug)]
enum Action {
    Push(Vec<u16>),
    Flush,
    /// Takes the sink apart and goes on with the writer and the unsent rope.
    Reassemble,
}

fn action() -> impl Strategy<Value = Action> {
    let length = prop_oneof![0..30_u16, 0..3000_u16, 0..20_000_u16];
    prop_oneof![
        4 => prop::collection::vec(length, 0..6).prop_map(Action::Push),
        3 => Just(Action::Flush),
        1 => Just(Action::Reassemble),
    ]
}

fn hard_step() -> impl Strategy<Value = Step> {
    prop_oneof![8 => step(true, 1, 20_000), 1 => Just(Fail(ErrorKind::Other)), 1 => Just(Step::Zero), 1 => Just(Step::Lie)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// A sink against the plain list of what was pushed: nothing is lost, repeated or reordered by any error.
    #[test]
    fn sinks(actions in prop::collection::vec(action(), 1..40), steps in prop::collection::vec(hard_step(), 1..40)) {
        let mut steps = steps;
        steps.push(Accept(1000));
        let mut sink = VectoredSink::new(Script::cycle(steps).at_most_slices(64));
        let mut expected = Vec::new();
        for action in actions {
            match action {
                Action::Push(lengths) => {
                    let rope: Rope = lengths.iter().enumerate().map(|(i, &length)| {
                        Bytes::from((0..length).map(|at| (at as usize * 7 + i + expected.len()) as u8).collect::<Vec<_>>())
                    }).collect();
                    expected.extend_from_slice(&rope.to_vec());
                    sink.push(rope);
                }
                Action::Flush => {
                    let flushed = sink.flush();
                    prop_assert_eq!(flushed.is_ok(), sink.pending() == 0);
                }
                Action::Reassemble => {
                    let (writer, unsent) = sink.into_parts();
                    prop_assert_eq!(&unsent, &expected[writer.accepted.len()..]);
                    sink = VectoredSink::new(writer);
                    sink.push(unsent);
                }
            }
            prop_assert_eq!(sink.pending(), expected.len() - sink.get_ref().accepted.len());
        }
        for _ in 0..100_000 {
            if sink.flush().is_ok() {
                break;
            }
        }
        prop_assert!(sink.get_ref().accepted == expected);
    }
}
