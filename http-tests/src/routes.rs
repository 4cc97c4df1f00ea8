//! What the servers of the tests send.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use axum::Router;
use axum::extract::Query;
use axum::response::IntoResponse;
use axum::routing::get;
use json_rope::axum::{Json, JsonChunks, NdJsonChunks};
use json_rope::{Encoder, Frame, Rope};
use serde::{Deserialize, Serialize};
use tower_http::compression::CompressionLayer;

#[derive(Deserialize)]
struct Count {
    n: u32,
}

/// The array that most routes send: all bytes of it are known.
pub fn numbers(n: u32) -> String {
    json_rope::to_string(&(0..n).collect::<Vec<u32>>()).expect("numbers")
}

/// The records that `/records` sends.
pub fn lines(n: u32) -> String {
    (0..n).map(|n| format!("{n}\n")).collect()
}

/// The kinds of bodies with numbers from 0 to `n`, at `PATH?n=…`: those that send an array.
pub const ARRAYS: [&str; 5] = ["/json", "/rope", "/chunks", "/items", "/blocking"];

/// Good items, and then an error: at `/fail/…?n=…`.
fn failing(n: u32) -> impl Iterator<Item = Result<u32, &'static str>> + Send {
    (0..n).map(Ok).chain([Err("a secret reason")])
}

struct Failing(u32);

impl Serialize for Failing {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::{Error, SerializeSeq};
        let mut sequence = serializer.serialize_seq(None)?;
        for n in 0..self.0 {
            sequence.serialize_element(&n)?;
        }
        Err(S::Error::custom("a secret reason"))
    }
}

struct Panicking(u32);

impl Serialize for Panicking {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..=self.0).inspect(|&n| assert_ne!(n, self.0, "meant to panic")))
    }
}

/// Every kind of body.
pub fn all() -> Router {
    let arrays = Router::new()
        .route("/json", get(async |Query(count): Query<Count>| Json((0..count.n).collect::<Vec<u32>>())))
        .route("/rope", get(rope))
        .route("/chunks", get(async |Query(count): Query<Count>| JsonChunks(Encoder::new().array(0..count.n))))
        .route("/items", get(items))
        .route("/blocking", get(blocking))
        .route(
            "/records",
            get(async |Query(count): Query<Count>| NdJsonChunks(Encoder::new().records(Frame::NdJson, 0..count.n))),
        );
    let failing = Router::new()
        .route("/rope", get(async |Query(count): Query<Count>| Json(Failing(count.n))))
        .route(
            "/chunks",
            get(async |Query(count): Query<Count>| JsonChunks(Encoder::new().try_array(failing(count.n)))),
        )
        .route("/items", get(failing_items))
        .route(
            "/blocking",
            get(async |Query(count): Query<Count>| JsonChunks(Encoder::new().blocking(Failing(count.n)))),
        )
        .route(
            "/panic",
            get(async |Query(count): Query<Count>| JsonChunks(Encoder::new().blocking(Panicking(count.n)))),
        );
    arrays.clone().nest("/fail", failing).nest("/gzip", arrays.layer(CompressionLayer::new()))
}

async fn rope(Query(count): Query<Count>) -> json_rope::Result<Rope> {
    Encoder::new().encode(&(0..count.n).collect::<Vec<u32>>())
}

async fn items(Query(count): Query<Count>) -> impl IntoResponse {
    JsonChunks(Encoder::new().array_stream(tokio_stream::iter(0..count.n)))
}

async fn failing_items(Query(count): Query<Count>) -> impl IntoResponse {
    JsonChunks(Encoder::new().try_array_stream(tokio_stream::iter(failing(count.n))))
}

async fn blocking(Query(count): Query<Count>) -> impl IntoResponse {
    JsonChunks(Encoder::new().blocking((0..count.n).collect::<Vec<u32>>()))
}

/// What a server knows about its endless bodies.
#[derive(Default)]
pub struct Watch {
    /// Items that were asked for.
    pub items: AtomicU64,
    /// Bodies that exist.
    pub open: AtomicUsize,
}

/// Numbers without an end, which are counted.
struct Endless(Arc<Watch>);

impl Endless {
    fn new(watch: Arc<Watch>) -> Endless {
        watch.open.fetch_add(1, Ordering::SeqCst);
        Endless(watch)
    }

    fn sequence(&self) -> impl Iterator<Item = u64> {
        std::iter::repeat_with(|| self.0.items.fetch_add(1, Ordering::Relaxed) % 10)
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Iterator for Endless {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.sequence().next()
    }
}

impl Serialize for Endless {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.sequence())
    }
}

/// Bodies without an end: two bytes for each item.
pub const ENDLESS: [&str; 3] = ["/chunks", "/items", "/blocking"];

pub fn endless(watch: &Arc<Watch>) -> Router {
    let [chunks, items, blocking] = [watch; 3].map(Arc::clone);
    Router::new()
        .route("/chunks", get(async move || JsonChunks(Encoder::new().array(Endless::new(chunks)))))
        .route(
            "/items",
            get(async move || JsonChunks(Encoder::new().array_stream(tokio_stream::iter(Endless::new(items))))),
        )
        .route("/blocking", get(async move || JsonChunks(Encoder::new().blocking(Endless::new(blocking)))))
}
