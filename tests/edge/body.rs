//! `http_body::Body` for ropes and for chunks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;

use bytes::Bytes;
use http_body::Body;
use json_rope::{Encoder, Frame, Rope};

use super::{Task, builder_of, chunks_of};

/// Takes a frame of data, or `None` at the end.
fn frame<B: Body<Data = Bytes> + Unpin>(task: &Task, body: &mut B) -> Poll<Option<Result<Bytes, B::Error>>> {
    task.poll(|cx| Pin::new(body).poll_frame(cx))
        .map(|frame| frame.map(|frame| frame.map(|frame| frame.into_data().expect("data"))))
}

/// All data up to the end or the first error. It checks what holds for every body: no frame is empty, hints are right,
/// and if `ends_with_data` the end is known with the last frame. Each time the body is not ready it must have woken the
/// task; returns how often that was.
fn collect<B: Body<Data = Bytes> + Unpin>(mut body: B) -> (Vec<Bytes>, Result<(), B::Error>, usize) {
    let (task, mut frames, mut waits) = (Task::new(), Vec::<Bytes>::new(), 0);
    let (mut hints, mut sum) = (Vec::new(), 0);
    let outcome = loop {
        hints.push((sum, body.size_hint()));
        let is_end = body.is_end_stream();
        match frame(&task, &mut body) {
            Poll::Pending => {
                assert!(!is_end);
                assert_eq!(task.wakes(), 1, "pending, so it must be polled again");
                waits += 1;
            }
            Poll::Ready(Some(Ok(data))) => {
                assert!(!is_end && !data.is_empty());
                sum += data.len() as u64;
                frames.push(data);
            }
            Poll::Ready(Some(Err(error))) => {
                assert!(!is_end);
                break Err(error);
            }
            Poll::Ready(None) => {
                assert!(is_end, "the end was not known with the last frame");
                break Ok(());
            }
        }
    };
    for (before, hint) in hints.into_iter().filter(|_| outcome.is_ok()) {
        assert!(hint.lower() <= sum - before && hint.upper().is_none_or(|upper| upper >= sum - before));
    }
    assert!(matches!(frame(&task, &mut body), Poll::Ready(None)), "it is fused");
    assert!(body.is_end_stream());
    assert_eq!(body.size_hint().exact(), Some(0));
    (frames, outcome, waits)
}

#[test]
fn rope_is_a_frame_for_each_chunk_and_knows_its_length_at_every_step() {
    for count in [0, 1, 10, 1_000, 100_000] {
        let rope = json_rope::to_rope(&vec![7; count]).unwrap();
        let (task, mut body, mut left) = (Task::new(), rope.clone(), rope.len() as u64);
        for chunk in rope.chunks() {
            assert_eq!(body.size_hint().exact(), Some(left));
            assert!(!body.is_end_stream());
            let Poll::Ready(Some(Ok(data))) = frame(&task, &mut body) else { panic!("a frame for each chunk") };
            assert_eq!(data.as_ptr(), chunk.as_ptr(), "not copied");
            assert_eq!(data.len(), chunk.len());
            left -= data.len() as u64;
        }
        assert!(body.is_end_stream());
        assert_eq!(task.wakes(), 0);
        assert_eq!(collect(rope.clone()).0, rope.chunks());
    }
    assert!(Rope::new().is_end_stream());
    assert_eq!(collect(Rope::new()).0, [""; 0]);
}

#[test]
fn chunks_come_as_frames_and_give_way_once_if_there_are_two() {
    for len in [16, 17, 64, 4096] {
        for count in (0..40).chain([1_000, 5_000]) {
            let encoder = chunks_of(len);
            let whole = encoder.encode(&(0..count).collect::<Vec<u32>>()).unwrap();
            let chunks: Vec<_> = encoder.array(0..count).map(Result::unwrap).collect();
            let (frames, outcome, waits) = collect(encoder.array(0..count).into_body());
            outcome.unwrap();
            assert_eq!(frames, chunks);
            assert_eq!(frames.concat(), whole.to_vec());
            assert_eq!(waits, usize::from(frames.len() > 1), "{} frames", frames.len());
        }
    }
}

#[test]
fn records_end_with_the_last_frame_and_none_of_them_is_no_frame() {
    for count in 0..200 {
        // With an option, a chunk can end with the last record, and the iterator says only later that it was the last.
        for encoder in [builder_of(32), builder_of(32).ascii(true)] {
            let body = encoder.build().unwrap().records(Frame::NdJson, (0..count).map(|n| n % 10)).into_body();
            assert_eq!(body.is_end_stream(), count == 0);
            let (frames, outcome, _) = collect(body);
            outcome.unwrap();
            let lines: String = (0..count).map(|n| format!("{}\n", n % 10)).collect();
            assert_eq!(frames.concat(), lines.as_bytes());
        }
    }
}

#[test]
fn trees_end_with_the_last_frame_under_every_option() {
    let tree = serde_json::json!({"b": [1, 2, {"c": "x".repeat(40)}], "a": null, "d": [[], {}, "é\u{1f600}"]});
    for len in 16..120 {
        for encoder in [builder_of(len), builder_of(len).pretty(true), builder_of(len).sort_keys(true)] {
            let encoder = encoder.build().unwrap();
            let (frames, outcome, _) = collect(encoder.chunks(tree.clone()).into_body());
            outcome.unwrap();
            assert_eq!(frames.concat(), encoder.encode(&tree).unwrap().to_vec());
        }
    }
}

#[test]
fn document_of_one_chunk_has_its_length_and_a_longer_one_has_the_least() {
    let encoder = Encoder::new();
    for count in 0..1_000 {
        let len = encoder.encode(&vec![0; count]).unwrap().len() as u64;
        let hint = encoder.array(vec![0; count]).into_body().size_hint();
        if len <= 2048 {
            assert_eq!(hint.exact(), Some(len), "{count} elements");
        } else {
            assert_eq!((hint.lower(), hint.upper()), (2048, None));
        }
    }
}

#[test]
fn body_may_begin_in_the_middle() {
    let mut chunks = chunks_of(16).array(0..100);
    let first = chunks.next().unwrap().unwrap();
    let (frames, outcome, _) = collect(chunks.into_body());
    outcome.unwrap();
    assert_eq!([first.to_vec(), frames.concat()].concat(), json_rope::to_vec(&Vec::from_iter(0..100)).unwrap());
}

#[test]
fn error_is_the_last_item() {
    for good in 0..60 {
        let items = (0..good).map(Ok).chain([Err("out of rows"), Ok(1)]);
        let (frames, outcome, _) = collect(chunks_of(16).try_array(items).into_body());
        let error = outcome.unwrap_err();
        assert_eq!(error.message(), "out of rows");
        assert_eq!(error.pointer(), Some(format!("/{good}").as_str()));
        let whole = json_rope::to_vec(&Vec::from_iter(0..good)).unwrap();
        assert_eq!(frames.concat(), whole[..whole.len() - if good == 0 { 2 } else { 1 }]);
    }
}

#[test]
fn configuration_error_is_the_only_item() {
    let encoder = Encoder::builder().pretty(true).build().unwrap();
    let (frames, outcome, _) = collect(encoder.records(Frame::NdJson, 0..3).into_body());
    assert!(frames.is_empty());
    assert!(outcome.unwrap_err().is_config());
}

#[test]
fn body_does_not_look_whole_after_a_panic() {
    for at in 0..30 {
        let items = (0..40).inspect(|&n| assert_ne!(n, at + 10));
        let (task, mut body) = (Task::new(), chunks_of(16).array(items).into_body());
        let panicked =
            catch_unwind(AssertUnwindSafe(|| while !matches!(frame(&task, &mut body), Poll::Ready(None)) {}));
        panicked.unwrap_err();
        assert!(!body.is_end_stream());
        assert_eq!(body.size_hint().exact(), None);
        let Poll::Ready(Some(Err(error))) = frame(&task, &mut body) else { panic!("not an error") };
        assert!(error.is_data());
    }
}

#[test]
fn body_can_be_moved_and_sent() {
    fn is_body<
        B: Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + Unpin + 'static,
    >(
        _: B,
    ) {
    }
    is_body(Encoder::new().array(0..1).into_body());
    is_body(Encoder::new().chunks(serde_json::Value::Null).into_body());
    is_body(Rope::new());
}
