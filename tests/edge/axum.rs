//! Responses, without a connection: their status, their headers and their bodies.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::Poll;

use axum_core::response::{IntoResponse, Response};
use http_body::Body;
use json_rope::axum::{Events, Json, JsonChunks, NdJsonChunks};
use json_rope::{Encoder, Error, Frame, Rope};

use super::Task;

/// The body of a response, up to its end or its error.
fn text(response: Response) -> Result<String, axum_core::Error> {
    let (task, mut body, mut text) = (Task::new(), response.into_body(), Vec::new());
    loop {
        match task.poll(|cx| std::pin::Pin::new(&mut body).poll_frame(cx)) {
            Poll::Pending => assert!(task.wakes() > 0),
            Poll::Ready(None) => return Ok(String::from_utf8(text).unwrap()),
            Poll::Ready(Some(frame)) => text.extend_from_slice(&frame?.into_data().unwrap()),
        }
    }
}

fn content_type(response: &Response) -> &str {
    response.headers()["content-type"].to_str().unwrap()
}

/// A 500 that says nothing of the value, with the error for a layer that logs it.
fn check_failed(response: Response) -> Arc<Error> {
    assert_eq!(response.status(), 500);
    assert!(content_type(&response).starts_with("text/plain"));
    let error = response.extensions().get::<Arc<Error>>().expect("the error is in the extensions").clone();
    assert_eq!(text(response).unwrap(), "the response could not be encoded");
    error
}

#[test]
fn json_has_its_type_and_its_length() {
    let response = Json(vec![1; 10_000]).into_response();
    assert_eq!((response.status().as_u16(), content_type(&response)), (200, "application/json"));
    assert_eq!(response.body().size_hint().exact(), Some(20_001));
    assert_eq!(text(response).unwrap(), json_rope::to_string(&vec![1; 10_000]).unwrap());

    let rope: json_rope::Result<Rope> = Encoder::builder().pretty(true).build().unwrap().encode(&[1]);
    let response = rope.into_response();
    assert_eq!((response.status().as_u16(), content_type(&response)), (200, "application/json"));
    assert_eq!(text(response).unwrap(), "[\n  1\n]");

    let response = ([("content-type", "application/problem+json")], Rope::from("{}")).into_response();
    assert_eq!(content_type(&response), "application/problem+json");
}

#[test]
fn value_that_cannot_be_encoded_is_a_500() {
    let secret = ("a secret", BTreeMap::from([((), 1)]));
    assert_eq!(check_failed(Json(&secret).into_response()).pointer(), Some("/1"));
    assert_eq!(check_failed(Encoder::new().encode(&secret).into_response()).pointer(), Some("/1"));
}

#[test]
fn chunks_that_fail_early_are_a_500() {
    let rows = |good| (0..good).map(Ok).chain([Err("the database is gone")]);
    for good in [0, 1, 500] {
        let error = check_failed(JsonChunks(Encoder::new().try_array(rows(good))).into_response());
        assert_eq!(error.message(), "the database is gone");
        check_failed(NdJsonChunks(Encoder::new().try_records(Frame::NdJson, rows(good))).into_response());
    }
    // When the status has been sent there is no other way than to break off.
    let response = JsonChunks(Encoder::new().try_array(rows(5_000))).into_response();
    assert_eq!(response.status(), 200);
    text(response).unwrap_err();

    let pretty = Encoder::builder().pretty(true).build().unwrap();
    assert!(check_failed(NdJsonChunks(pretty.records(Frame::NdJson, 0..3)).into_response()).is_config());
}

#[test]
fn short_chunks_have_a_length() {
    let response = JsonChunks(Encoder::new().array(0..4)).into_response();
    assert_eq!((response.status().as_u16(), content_type(&response)), (200, "application/json"));
    assert_eq!(response.body().size_hint().exact(), Some(9));
    assert_eq!(text(response).unwrap(), "[0,1,2,3]");

    let response = NdJsonChunks(Encoder::new().records(Frame::NdJson, 0..5_000)).into_response();
    assert_eq!(content_type(&response), "application/x-ndjson");
    assert_eq!(response.body().size_hint().exact(), None);
    assert_eq!(text(response).unwrap().lines().count(), 5_000);
}

#[test]
fn events_are_not_kept_by_caches() {
    let stream = futures_util::stream::iter(["tick", "tock"]);
    let response = Events(Encoder::new().record_stream(Frame::ServerSentEvent, stream)).into_response();
    assert_eq!(content_type(&response), "text/event-stream");
    assert_eq!(response.headers()["cache-control"], "no-cache");
    assert_eq!(text(response).unwrap(), "data: \"tick\"\n\ndata: \"tock\"\n\n");
    let response = Events(Encoder::new().records(Frame::ServerSentEvent, [1])).into_response();
    assert_eq!(text(response).unwrap(), "data: 1\n\n");
}
