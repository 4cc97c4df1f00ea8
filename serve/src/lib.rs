//! The routes of the example server: one document in several ways, and streams of rows and events.

mod rows;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::Query;
use axum::response::{Html, IntoResponse};
use axum::routing::get;
use json_rope::axum::{Events, JsonChunks, NdJsonChunks};
use json_rope::{Encoder, Frame, Rope};
use serde::Deserialize;
use serde_json::Value;

/// The document that the page at `/` compares, 2 MB.
static CANADA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(json_rope_bench_data::documents::canada()).expect("it is JSON"));

/// One for all requests: it remembers how long documents are.
static ENCODER: LazyLock<Encoder> = LazyLock::new(Encoder::new);

/// All routes.
pub fn router() -> Router {
    // So that the first request does not pay for it.
    LazyLock::force(&CANADA);
    Router::new()
        .route("/", get(async || Html(include_str!("page.html"))))
        .route("/canada", get(rope))
        .route("/canada/stream", get(stream))
        .route("/canada/blocking", get(blocking))
        .route("/canada/axum", get(async || axum::Json(&*CANADA)))
        .route("/rows", get(rows))
        .route("/rows.ndjson", get(ndjson))
        .route("/report", get(report))
        .route("/events", get(events))
}

/// Encoded before the first byte is sent, with a length.
async fn rope() -> json_rope::Result<Rope> {
    ENCODER.encode_tree(&CANADA)
}

/// Encoded while it is sent.
async fn stream() -> impl IntoResponse {
    JsonChunks(ENCODER.chunks(&*CANADA))
}

/// Encoded on another thread while it is sent: this works for any value.
async fn blocking() -> impl IntoResponse {
    JsonChunks(ENCODER.blocking(&*CANADA))
}

#[derive(Deserialize)]
struct Count {
    #[serde(default = "Count::default_n")]
    n: u64,
}

impl Count {
    fn default_n() -> u64 {
        1_000
    }
}

/// An array whose rows come from an async source, a page at a time.
async fn rows(Query(count): Query<Count>) -> impl IntoResponse {
    JsonChunks(ENCODER.array_stream(rows::from_database(count.n)))
}

/// The same rows, each on a line.
async fn ndjson(Query(count): Query<Count>) -> impl IntoResponse {
    NdJsonChunks(ENCODER.record_stream(Frame::NdJson, rows::from_database(count.n)))
}

/// An envelope around an array that stays open: how many rows there were, and what they cost, comes after them. This is
/// encoded on demand too, from an iterator.
async fn report(Query(count): Query<Count>) -> impl IntoResponse {
    let cents = Arc::new(AtomicU64::new(0));
    let sum = cents.clone();
    let rows = rows::all(count.n).inspect(move |row| {
        sum.fetch_add(row.cents(), Ordering::Relaxed);
    });
    let report = ENCODER
        .object()
        .field("title", "Products")
        .array("rows", rows)
        .field("count", count.n)
        .field_with("total", move || cents.load(Ordering::Relaxed) as f64 / 100.0);
    JsonChunks(report.chunks())
}

/// An event every half second, without an end.
async fn events() -> impl IntoResponse {
    Events(ENCODER.record_stream(Frame::ServerSentEvent, rows::ticks()))
}
