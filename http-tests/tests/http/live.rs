//! Items that come one by one leave one by one.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::response::IntoResponse;
use axum::routing::get;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use json_rope::axum::{Events, JsonChunks, NdJsonChunks};
use json_rope::{Encoder, Frame};
use json_rope_http_tests::Server;
use json_rope_http_tests::client::{Client, VERSIONS, header, within};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_stream::Stream;

type Receiver = Arc<Mutex<Option<UnboundedReceiver<u32>>>>;

fn items(receiver: &Receiver) -> impl Stream<Item = u32> + Send + use<> {
    let mut receiver = receiver.lock().unwrap().take().expect("one request");
    futures_util::stream::poll_fn(move |cx| receiver.poll_recv(cx))
}

fn router(receiver: Receiver) -> Router {
    let [array, lines, events] = [(); 3].map(|()| receiver.clone());
    Router::new()
        .route("/array", get(async move || JsonChunks(Encoder::new().array_stream(items(&array)))))
        .route(
            "/lines",
            get(async move || NdJsonChunks(Encoder::new().record_stream(Frame::NdJson, items(&lines))).into_response()),
        )
        .route(
            "/events",
            get(async move || Events(Encoder::new().record_stream(Frame::ServerSentEvent, items(&events)))),
        )
}

/// At least `len` bytes, or all up to the end.
async fn read(frames: &mut Incoming, len: usize) -> String {
    let mut text = String::new();
    while text.len() < len
        && let Some(frame) = within(frames.frame()).await
    {
        text.push_str(std::str::from_utf8(frame.unwrap().data_ref().unwrap()).unwrap());
    }
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn item_arrives_before_the_next_one_exists() {
    for version in VERSIONS {
        for (path, content_type, [first, second, last]) in [
            ("/array", "application/json", ["[1", ",2", "]"]),
            ("/lines", "application/x-ndjson", ["1\n", "2\n", ""]),
            ("/events", "text/event-stream", ["data: 1\n\n", "data: 2\n\n", ""]),
        ] {
            let (sender, receiver) = unbounded_channel();
            let server = Server::start(router(Arc::new(Mutex::new(Some(receiver)))), true).await;
            let response = Client::new(version).get(&server, path).await;
            assert_eq!(header(&response, "content-type"), content_type);
            let mut frames = response.into_body();
            for (item, text) in [(1, first), (2, second)] {
                sender.send(item).unwrap();
                assert_eq!(read(&mut frames, text.len()).await, text, "{version:?} {path}");
            }
            drop(sender);
            assert_eq!(read(&mut frames, usize::MAX).await, last);
            server.shut_down().await;
        }
    }
}
