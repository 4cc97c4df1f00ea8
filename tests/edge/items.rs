//! Async streams of items: what comes out, and when.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;
use json_rope::{Encoder, Error, Frame};
use serde::Serialize;

use super::{Task, builder_of, chunks_of};

/// A stream that does what it is told: an item, an error or nothing for each time it is polled, then the end.
struct Script<T>(VecDeque<Poll<T>>);

impl<T> Unpin for Script<T> {}

impl<T> Stream for Script<T> {
    type Item = T;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<T>> {
        self.get_mut().0.pop_front().map_or(Poll::Ready(None), |item| item.map(Some))
    }
}

fn ready<T>(items: impl IntoIterator<Item = T>) -> Script<T> {
    Script(items.into_iter().map(Poll::Ready).collect())
}

/// A script in letters: `.` is an item, `-` a time when there is none.
fn script(letters: &str) -> Script<usize> {
    let steps = letters.char_indices();
    Script(steps.map(|(at, letter)| if letter == '.' { Poll::Ready(at % 10) } else { Poll::Pending }).collect())
}

type Item = Option<Result<Bytes, Error>>;

fn poll<S: Stream<Item = Result<Bytes, Error>> + Unpin>(task: &Task, stream: &mut S) -> Poll<Item> {
    task.poll(|cx| Pin::new(stream).poll_next(cx))
}

/// What comes out when it is polled until the end or the first error, even if nobody woke the task.
fn collect<S: Stream<Item = Result<Bytes, Error>> + Unpin>(mut stream: S) -> (Vec<Bytes>, Option<Error>) {
    let (task, mut chunks) = (Task::new(), Vec::new());
    let error = loop {
        match poll(&task, &mut stream) {
            Poll::Pending => {}
            Poll::Ready(Some(Ok(chunk))) => chunks.push(chunk),
            Poll::Ready(Some(Err(error))) => break Some(error),
            Poll::Ready(None) => break None,
        }
    };
    assert!(matches!(poll(&task, &mut stream), Poll::Ready(None)), "it is fused");
    (chunks, error)
}

/// Each poll in a word: `wait`, `again` (pending, and woken), the text of a chunk, `error` or `end`.
fn polls<S: Stream<Item = Result<Bytes, Error>> + Unpin>(mut stream: S, count: usize) -> Vec<String> {
    let task = Task::new();
    let mut word = || match poll(&task, &mut stream) {
        Poll::Pending if task.wakes() > 0 => "again".to_owned(),
        Poll::Pending => "wait".to_owned(),
        Poll::Ready(Some(Ok(chunk))) => String::from_utf8(chunk.to_vec()).unwrap(),
        Poll::Ready(Some(Err(_))) => "error".to_owned(),
        Poll::Ready(None) => "end".to_owned(),
    };
    (0..count).map(|_| word()).collect()
}

/// The parts of an error that a caller can see.
fn parts(error: Option<Error>) -> Option<(String, Option<String>, u64, Option<u64>)> {
    error.map(|error| (error.to_string(), error.pointer().map(str::to_owned), error.offset(), error.record()))
}

/// The same items as an iterator and as a stream that always is ready, as an array and as records.
fn check_like_iterator<T: Serialize + Clone>(encoder: &Encoder, items: Vec<Result<T, &'static str>>) {
    let sync = |chunks: &mut dyn Iterator<Item = Result<Bytes, Error>>| {
        let (mut good, mut error) = (Vec::new(), None);
        for chunk in chunks {
            match chunk {
                Ok(chunk) => good.push(chunk),
                Err(found) => error = Some(found),
            }
        }
        (good, error)
    };
    let (expected, error) = sync(&mut encoder.try_array(items.clone()));
    let (chunks, found) = collect(encoder.try_array_stream(ready(items.clone())));
    assert_eq!(chunks, expected);
    assert_eq!(parts(found), parts(error));
    for frame in
        [Frame::NdJson, Frame::Grpc, Frame::LengthDelimited, Frame::JsonSeq, Frame::HttpChunk, Frame::ServerSentEvent]
    {
        let (expected, error) = sync(&mut encoder.try_records(frame, items.clone()));
        let (chunks, found) = collect(encoder.try_record_stream(frame, ready(items.clone())));
        assert_eq!(chunks, expected, "{frame:?}");
        assert_eq!(parts(found), parts(error), "{frame:?}");
    }
    if let Ok(values) = items.into_iter().collect::<Result<Vec<T>, _>>() {
        let (expected, error) = sync(&mut encoder.array(values.clone()));
        let (chunks, found) = collect(encoder.array_stream(ready(values.clone())));
        assert_eq!((chunks, parts(found)), (expected, parts(error)));
        let (expected, error) = sync(&mut encoder.records(Frame::JsonSeq, values.clone()));
        let (chunks, found) = collect(encoder.record_stream(Frame::JsonSeq, ready(values)));
        assert_eq!((chunks, parts(found)), (expected, parts(error)));
    }
}

#[test]
fn ready_stream_gives_the_chunks_and_the_errors_of_an_iterator() {
    let value = |n: usize| serde_json::json!({"b": n, "a": ["é".repeat(n % 7), null]});
    for len in [16, 33, 200, 4096] {
        for encoder in [builder_of(len), builder_of(len).pretty(true), builder_of(len).sort_keys(true).ascii(true)] {
            let encoder = encoder.build().unwrap();
            for count in [0, 1, 2, 7, 40] {
                check_like_iterator(&encoder, (0..count).map(value).map(Ok).collect());
                check_like_iterator(
                    &encoder,
                    (0..count).map(value).map(Ok).chain([Err("no more"), Ok(value(0))]).collect(),
                );
            }
        }
        let limited = builder_of(len).max_len(50).build().unwrap();
        check_like_iterator(&limited, (0..9).map(value).map(Ok).collect());
        check_like_iterator(&limited, vec![Ok("x".repeat(20)), Ok("x".repeat(60)), Ok(String::new())]);
    }
}

#[test]
fn what_is_begun_leaves_when_the_source_has_nothing_for_the_second_time() {
    let stream = |letters| Encoder::new().array_stream(script(letters));
    assert_eq!(polls(stream("..--.-.."), 5), ["again", "[0,1", "again", ",4,6,7]", "end"]);
    // Items in between: it was asked once more, and has nothing again.
    assert_eq!(polls(stream("..-.-."), 4), ["again", "[0,1,3", ",5]", "end"]);
    // Nothing is begun, so nobody is woken but by the source.
    assert_eq!(polls(stream("---.--.---"), 9), ["wait", "wait", "wait", "again", "[3", "again", ",6", "wait", "]"]);
    assert_eq!(polls(stream("-"), 3), ["wait", "[]", "end"]);
}

#[test]
fn records_leave_whole() {
    let stream = |letters| Encoder::new().record_stream(Frame::NdJson, script(letters));
    assert_eq!(polls(stream("..--.--"), 5), ["again", "0\n1\n", "again", "4\n", "end"]);
    // With short chunks, and sources that stop at every place: a record is never torn.
    for step in 1..12 {
        let letters: String = (0..100).map(|n| if n % step == 0 { "--" } else { "." }).collect();
        let (chunks, error) = collect(chunks_of(16).record_stream(Frame::NdJson, script(&letters)));
        assert!(error.is_none());
        assert!(chunks.iter().all(|chunk| chunk.ends_with(b"\n") && chunk.len() <= 16));
        assert_eq!(chunks.concat().len(), 2 * letters.matches('.').count());
    }
}

#[test]
fn short_chunks_wait_if_that_is_asked_for() {
    let stream = |letters, least| Encoder::new().array_stream(script(letters)).min_chunk(least);
    assert_eq!(polls(stream("..--.--.---", 5), 6), ["wait", "wait", "again", "[0,1,4", "wait", "wait"]);
    assert_eq!(polls(stream("..----", 100), 6), ["wait", "wait", "wait", "wait", "[0,1]", "end"]);
    assert_eq!(polls(stream("..--", 0), 3), ["again", "[0,1", "]"]);
    // A chunk that is full leaves all the same.
    let (chunks, _) = collect(chunks_of(16).array_stream(script(&".-".repeat(50))).min_chunk(1_000));
    assert!(chunks.len() > 5 && chunks[..chunks.len() - 1].iter().all(|chunk| chunk.len() == 16));
}

#[test]
fn short_chunks_wait_no_longer_than_they_may() {
    use std::time::Duration;

    use futures_util::StreamExt;
    use tokio::time::{Instant, advance, sleep};

    // Time passes only when nothing else is left to do.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let ms = Duration::from_millis;
        // An item every 30 ms: at 0, 30, 60, …
        let items =
            || futures_util::stream::iter(0..10_u8).then(async |n| (sleep(ms(30 * u64::from(n > 0))).await, n).1);
        let begin = Instant::now();
        let mut records = Encoder::new().record_stream(Frame::NdJson, items()).min_chunk(1000).max_delay(ms(100));
        let mut chunks = Vec::new();
        while let Some(chunk) = records.next().await {
            chunks.push((begin.elapsed().as_millis() / 10 * 10, chunk.unwrap()));
        }
        // The timer begins with the first wait after a chunk.
        let expected = [(100, "0\n1\n2\n3\n"), (220, "4\n5\n6\n7\n"), (270, "8\n9\n")];
        assert_eq!(chunks, expected.map(|(at, text)| (at, Bytes::from(text))));

        // Nothing is due before there is an item.
        let mut records = Encoder::new()
            .record_stream(Frame::NdJson, futures_util::stream::pending::<u8>())
            .min_chunk(9)
            .max_delay(ms(5));
        let task = Task::new();
        assert!(poll(&task, &mut records).is_pending());
        advance(ms(1000)).await;
        assert!(poll(&task, &mut records).is_pending());
        assert_eq!(task.wakes(), 0);

        // Without a minimum nothing waits, and no timer is started.
        let mut soon = Encoder::new().array_stream(items()).max_delay(ms(10_000));
        let begin = Instant::now();
        assert_eq!(soon.next().await.unwrap().unwrap(), "[0");
        assert_eq!(begin.elapsed(), ms(0));
    });
}

#[test]
fn source_wakes_the_task_that_polled_last() {
    let (sender, receiver) = std::sync::mpsc::channel();
    let source = futures_util::stream::poll_fn(move |cx| {
        sender.send(cx.waker().clone()).unwrap();
        Poll::<Option<u8>>::Pending
    });
    let mut stream = Encoder::new().array_stream(source);
    for task in [Task::new(), Task::new()] {
        assert!(poll(&task, &mut stream).is_pending());
        assert_eq!(task.wakes(), 0);
        receiver.recv().unwrap().wake();
        assert_eq!(task.wakes(), 1);
    }
}

#[test]
fn frame_and_options_that_do_not_go_together_are_an_error() {
    let encoder = Encoder::builder().pretty(true).build().unwrap();
    let (chunks, error) = collect(encoder.record_stream(Frame::NdJson, script("..")));
    assert!(chunks.is_empty());
    assert!(error.unwrap().is_config());
}

#[test]
fn stream_that_panicked_does_not_look_whole() {
    let source = futures_util::stream::iter((0..40).inspect(|&n| assert_ne!(n, 20)));
    let (task, mut stream) = (Task::new(), chunks_of(16).array_stream(source));
    catch_unwind(AssertUnwindSafe(|| while poll(&task, &mut stream).is_ready() {})).unwrap_err();
    let Poll::Ready(Some(Err(error))) = poll(&task, &mut stream) else { panic!("not an error") };
    assert!(error.is_data());
    assert!(matches!(poll(&task, &mut stream), Poll::Ready(None)));
}

#[test]
fn stream_can_be_moved_and_sent() {
    fn is_stream<S: Stream<Item = Result<Bytes, Error>> + Send + Unpin + 'static>(_: S) {}
    // The stream of an async block cannot be moved.
    let rows = futures_util::StreamExt::then(futures_util::stream::iter(0..3), async |n| n + 1);
    is_stream(Encoder::new().array_stream(rows));
    is_stream(Encoder::new().array(0..1).into_stream());
}

#[test]
fn chunks_as_a_stream_are_always_ready() {
    let encoder = chunks_of(16);
    let task = Task::new();
    let mut stream = encoder.array(0..40).into_stream();
    for chunk in encoder.array(0..40) {
        let Poll::Ready(Some(Ok(found))) = poll(&task, &mut stream) else { panic!("not ready") };
        assert_eq!(found, chunk.unwrap());
    }
    assert_eq!(stream.size_hint(), (0, Some(0)));
    assert!(matches!(poll(&task, &mut stream), Poll::Ready(None)));
    let (chunks, error) = collect(encoder.try_array([Ok(1), Err("no more")]).into_stream());
    assert_eq!(chunks, ["[1"]);
    assert_eq!(error.unwrap().message(), "no more");
}

/// tokio's channels say that they are empty once in 128 times although they are not.
#[test]
fn channel_with_items_gives_full_chunks() {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    for n in 0..100_000 {
        sender.send(("a record of some fifty bytes, more or less", n)).unwrap();
    }
    drop(sender);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut stream =
        Encoder::new().record_stream(Frame::NdJson, futures_util::stream::poll_fn(move |cx| receiver.poll_recv(cx)));
    let (mut count, mut len) = (0, 0);
    runtime.block_on(async {
        while let Some(chunk) = std::future::poll_fn(|cx| Pin::new(&mut stream).poll_next(cx)).await {
            (count, len) = (count + 1, len + chunk.unwrap().len());
        }
    });
    // Two budgets of 128 records each, or a full chunk.
    assert!(len / count > 10_000, "{count} chunks of {len} bytes");
}
