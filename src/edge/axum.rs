//! Responses for axum: what a handler returns.
//!
//! A [`Rope`] and an [`Error`] are responses too, so a handler with an encoder of its own returns a
//! [`Result<Rope>`](crate::Result). For anything else than JSON, put a content type before it:
//! `([(CONTENT_TYPE, "application/grpc+json")], rope)`.
//!
//! * An error that is found before the status is sent is a 500. Its body says nothing about the value; the error itself is
//!   in the extensions of the response, as `Arc<json_rope::Error>`, for a layer that logs it.
//! * `HEAD`: axum runs the `GET` handler and drops the body. So the length is told if it is known, and the document is
//!   encoded, or begun, in any case.
//! * Compression: `tower_http::compression::CompressionLayer` takes the bodies as they are, sets `Content-Encoding` and
//!   `Vary`, and removes the length. It does not compress [`Events`], by default.
//! * Turn on `TCP_NODELAY`: see [`ChunksBody`].

use std::sync::Arc;

use axum_core::body::Body;
use axum_core::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderName, StatusCode};
use serde::Serialize;

use super::{ChunksBody, PollChunk};
use crate::error::Error;
use crate::rope::Rope;

const JSON: (HeaderName, &str) = (CONTENT_TYPE, "application/json");
const NDJSON: (HeaderName, &str) = (CONTENT_TYPE, "application/x-ndjson");
const EVENTS: (HeaderName, &str) = (CONTENT_TYPE, "text/event-stream");

/// A value as a JSON response, encoded into a rope by [`to_rope`](crate::to_rope): in place of `axum::Json`.
///
/// ```
/// use axum_core::response::IntoResponse;
/// use json_rope::axum::Json;
///
/// async fn handler() -> Json<[u32; 2]> {
///     Json([1, 2])
/// }
/// # let response = Json([1, 2]).into_response();
/// # assert_eq!(response.headers()["content-type"], "application/json");
/// # assert_eq!(http_body::Body::size_hint(response.body()).exact(), Some(5));
/// ```
///
/// With options, a handler returns the rope:
///
/// ```
/// async fn handler() -> json_rope::Result<json_rope::Rope> {
///     json_rope::Encoder::builder().pretty(true).build()?.encode(&[1, 2])
/// }
/// # fn is_handler<T: axum_core::response::IntoResponse>(_: impl Future<Output = T>) {}
/// # is_handler(handler());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Json<T>(pub T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        crate::to_rope(&self.0).into_response()
    }
}

/// A JSON response with a length, of content type `application/json`.
impl IntoResponse for Rope {
    fn into_response(self) -> Response {
        ([JSON], Body::new(self)).into_response()
    }
}

/// A 500 whose body does not say what was wrong. The error is in its extensions, as `Arc<Error>`.
///
/// ```
/// use axum_core::response::IntoResponse;
/// use json_rope::axum::Json;
/// use std::sync::Arc;
///
/// let unit_key = std::collections::BTreeMap::from([((), 1)]);
/// let response = Json(unit_key).into_response();
/// assert_eq!(response.status(), 500);
/// let error: &Arc<json_rope::Error> = response.extensions().get().unwrap();
/// assert!(error.is_data());
/// ```
impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let mut response = (StatusCode::INTERNAL_SERVER_ERROR, "the response could not be encoded").into_response();
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}

/// A JSON document that is encoded while it is sent, of content type `application/json`: [`Chunks`](crate::Chunks), an
/// [`ItemStream`](crate::ItemStream) or a [`BlockingStream`](crate::BlockingStream).
///
/// The first of `Chunks` is encoded before the status is decided. So an early error is a 500, and a document that fits
/// [`first_chunk`](crate::EncoderBuilder::first_chunk) has its length. A later error breaks off the response, which the
/// client sees.
///
/// ```
/// use axum_core::response::IntoResponse;
/// use json_rope::{Encoder, axum::JsonChunks};
///
/// async fn handler() -> impl IntoResponse {
///     JsonChunks(Encoder::new().array(0..1_000_000))
/// }
/// # assert_eq!(JsonChunks(Encoder::new().array(0..1_000_000)).into_response().status(), 200);
/// ```
#[derive(Debug)]
pub struct JsonChunks<C>(pub C);

impl<C: PollChunk + Send + 'static> IntoResponse for JsonChunks<C> {
    fn into_response(self) -> Response {
        respond(self.0, [JSON])
    }
}

/// Records as lines, of content type `application/x-ndjson`: chunks made with [`Frame::NdJson`](crate::Frame::NdJson).
/// Otherwise like [`JsonChunks`].
///
/// A client sees whole records, unless one of them is longer than a chunk.
///
/// ```
/// use axum_core::response::IntoResponse;
/// use json_rope::{Encoder, Frame, axum::NdJsonChunks};
///
/// async fn handler() -> impl IntoResponse {
///     NdJsonChunks(Encoder::new().records(Frame::NdJson, 0..1_000_000))
/// }
/// ```
#[derive(Debug)]
pub struct NdJsonChunks<C>(pub C);

impl<C: PollChunk + Send + 'static> IntoResponse for NdJsonChunks<C> {
    fn into_response(self) -> Response {
        respond(self.0, [NDJSON])
    }
}

/// Server-sent events, which no cache keeps: chunks made with
/// [`Frame::ServerSentEvent`](crate::Frame::ServerSentEvent), mostly from an async stream. Otherwise like
/// [`JsonChunks`].
///
/// ```
/// use axum_core::response::IntoResponse;
/// use json_rope::{Encoder, Frame, axum::Events};
///
/// async fn handler() -> impl IntoResponse {
///     let ticks = futures_util::stream::iter(0..3);
///     Events(Encoder::new().record_stream(Frame::ServerSentEvent, ticks))
/// }
/// ```
///
/// A proxy that ends idle connections needs comments to keep one open, which are not JSON: for those, axum's own `Sse` is
/// the better choice.
#[derive(Debug)]
pub struct Events<C>(pub C);

impl<C: PollChunk + Send + 'static> IntoResponse for Events<C> {
    fn into_response(self) -> Response {
        respond(self.0, [EVENTS, (CACHE_CONTROL, "no-cache")])
    }
}

fn respond<const N: usize>(
    chunks: impl PollChunk + Send + 'static,
    headers: [(HeaderName, &'static str); N],
) -> Response {
    let mut body = ChunksBody::new(chunks);
    match body.take_failure() {
        Some(error) => error.into_response(),
        None => (headers, Body::new(body)).into_response(),
    }
}
