//! Values that are encoded on the blocking pool.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use json_rope::{BlockingStream, Encoder, Error};
use serde::{Serialize, Serializer};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

async fn next(stream: &mut BlockingStream) -> Option<Result<Bytes, Error>> {
    let next = std::future::poll_fn(|cx| Pin::new(&mut *stream).poll_next(cx));
    timeout(Duration::from_secs(60), next).await.expect("the stream hangs")
}

async fn collect(mut stream: BlockingStream) -> (Vec<Bytes>, Option<Error>) {
    let mut chunks = Vec::new();
    while let Some(chunk) = next(&mut stream).await {
        match chunk {
            Ok(chunk) => chunks.push(chunk),
            Err(error) => {
                assert!(next(&mut stream).await.is_none(), "it is fused");
                return (chunks, Some(error));
            }
        }
    }
    assert!(next(&mut stream).await.is_none(), "it is fused");
    (chunks, None)
}

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(test);
    runtime.shutdown_timeout(Duration::from_secs(10));
}

#[test]
fn bytes_are_those_of_encode_and_chunks_are_bounded() {
    run(async {
        let encoder = Encoder::builder().first_chunk(64).max_chunk(256).build().unwrap();
        for count in [0, 1, 50, 5_000] {
            let value: Vec<String> = (0..count).map(|n| "é\u{1f600}\n".repeat(n % 30)).collect();
            let whole = encoder.encode(&value).unwrap();
            let (chunks, error) = collect(encoder.blocking(value)).await;
            assert!(error.is_none());
            assert_eq!(chunks.concat(), whole.to_vec());
            assert!(chunks.iter().all(|chunk| !chunk.is_empty() && chunk.len() <= 512));
            assert!(chunks.iter().all(|chunk| std::str::from_utf8(chunk).is_ok()));
        }
        // A string that is handed over by reference, in one part.
        let text = "é".repeat(1 << 20);
        let (chunks, error) = collect(Encoder::new().blocking(text.clone())).await;
        assert!(error.is_none());
        assert_eq!(chunks.concat(), format!("\"{text}\"").into_bytes());
        assert!(chunks.iter().all(|chunk| chunk.len() <= 128 * 1024 && std::str::from_utf8(chunk).is_ok()));
    });
}

/// Serializes numbers, and does `at` before the last one.
struct Numbers<F>(usize, F);

impl<F: Fn() -> Result<(), &'static str>> Serialize for Numbers<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.1)().map_err(serde::ser::Error::custom)?;
        serializer.collect_seq(0..self.0)
    }
}

#[test]
fn error_comes_after_what_was_encoded_before_it() {
    run(async {
        for count in [0, 10, 10_000] {
            let value = ((0..count).collect::<Vec<u32>>(), Numbers(1, || Err("not now")));
            let before = json_rope::to_string(&value.0).unwrap();
            let (chunks, error) = collect(Encoder::new().blocking(value)).await;
            let error = error.unwrap();
            assert_eq!((error.message().as_str(), error.pointer()), ("not now", Some("/1")));
            let text = String::from_utf8(chunks.concat()).unwrap();
            assert!(format!("[{before},").starts_with(&text));
        }
    });
}

#[test]
fn panic_of_the_value_is_an_error() {
    run(async {
        for count in [0, 10, 10_000] {
            let value = ((0..count).collect::<Vec<u32>>(), Numbers(1, || panic!("a bug")));
            let (chunks, error) = collect(Encoder::new().blocking(value)).await;
            let error = error.expect("it does not look whole");
            assert!(error.is_data(), "{error}");
            assert!(chunks.concat().len() <= 60_000);
        }
    });
}

/// Counts the values that exist.
struct Counted<T>(T, Arc<AtomicUsize>);

impl<T> Drop for Counted<T> {
    fn drop(&mut self) {
        self.1.fetch_sub(1, Ordering::SeqCst);
    }
}

impl<T: Serialize> Serialize for Counted<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

async fn wait_until(what: &str, condition: impl Fn() -> bool) {
    for _ in 0..6_000 {
        if condition() {
            return;
        }
        sleep(Duration::from_millis(10)).await;
    }
    panic!("{what}: waited for a minute");
}

#[test]
fn encoding_ends_when_the_stream_is_dropped() {
    run(async {
        let alive = Arc::new(AtomicUsize::new(2));
        // Without an end: only an error gets it to stop.
        let endless = Numbers(usize::MAX, || Ok(()));
        let mut stream = Encoder::new().blocking(Counted(endless, alive.clone()));
        next(&mut stream).await.unwrap().unwrap();
        // One that was never polled is only dropped.
        drop(Encoder::new().blocking(Counted(0, alive.clone())));
        assert_eq!(alive.load(Ordering::SeqCst), 1);
        drop(stream);
        wait_until("the end of the encoding", || alive.load(Ordering::SeqCst) == 0).await;
    });
}

#[test]
fn no_more_than_allowed_are_encoded_at_once() {
    run(async {
        let semaphore = Arc::new(Semaphore::new(2));
        let long: Vec<u32> = (0..1_000_000).collect();
        let (encoder, len) = (Encoder::new(), json_rope::to_rope(&long).unwrap().len());
        let mut streams: Vec<_> = (0..5).map(|_| encoder.blocking_with(&semaphore, long.clone())).collect();
        // Two have begun and wait to be read; the third waits for a permit.
        next(&mut streams[0]).await.unwrap().unwrap();
        next(&mut streams[1]).await.unwrap().unwrap();
        assert_eq!(semaphore.available_permits(), 0);
        let third =
            timeout(Duration::from_millis(100), std::future::poll_fn(|cx| Pin::new(&mut streams[2]).poll_next(cx)));
        assert!(third.await.is_err(), "a third one was begun");
        // One goes away, so the third has its turn, and the others after it.
        drop(streams.swap_remove(0));
        let mut lens = futures_util::future::join_all(streams.into_iter().map(collect))
            .await
            .into_iter()
            .map(|(chunks, error)| (chunks.concat().len(), error.is_some()))
            .collect::<Vec<_>>();
        lens.sort();
        assert_eq!(lens[1..], [(len, false); 3]);
        assert!(lens[0].0 < len && !lens[0].1, "the one that was read from before");
        wait_until("permits", || semaphore.available_permits() == 2).await;

        semaphore.close();
        let (chunks, error) = collect(encoder.blocking_with(&semaphore, 1)).await;
        assert!(chunks.is_empty() && error.is_some());
    });
}

#[test]
fn more_streams_than_threads_all_come_to_their_end() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().max_blocking_threads(4).build().unwrap();
    runtime.block_on(async {
        let semaphore = Arc::new(Semaphore::new(3));
        let value: Vec<u32> = (0..100_000).collect();
        let len = json_rope::to_rope(&value).unwrap().len();
        // All of them are polled side by side, each until its end.
        let tasks: Vec<_> = (0..40)
            .map(|_| {
                let stream = Encoder::new().blocking_with(&semaphore, value.clone());
                tokio::spawn(collect(stream))
            })
            .collect();
        for task in tasks {
            let (chunks, error) = task.await.unwrap();
            assert!(error.is_none());
            assert_eq!(chunks.concat().len(), len);
        }
    });
}
