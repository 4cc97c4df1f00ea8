//! Documents that fail: before the status is sent, and after it.

use axum::body::Body;
use http_body_util::BodyExt;
use hyper::Request;
use json_rope_http_tests::client::{Client, VERSIONS, body, within};
use json_rope_http_tests::{Server, routes};

const KINDS: [&str; 5] = ["rope", "chunks", "items", "blocking", "panic"];

#[tokio::test(flavor = "multi_thread")]
async fn early_error_is_a_500_that_tells_nothing_and_keeps_the_connection() {
    let server = Server::start(routes::all(), true).await;
    for version in VERSIONS {
        let client = Client::new(version);
        for path in ["/fail/rope?n=0", "/fail/rope?n=100000", "/fail/chunks?n=0", "/fail/chunks?n=100"] {
            let response = client.get(&server, path).await;
            assert_eq!(response.status(), 500, "{version:?} {path}");
            assert_eq!(body(response).await.unwrap(), "the response could not be encoded");
            let response = client.get(&server, "/rope?n=5").await;
            assert_eq!(body(response).await.unwrap(), "[0,1,2,3,4]");
        }
    }
    server.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn late_error_breaks_off_the_response() {
    let server = Server::start(routes::all(), true).await;
    for version in VERSIONS {
        let client = Client::new(version);
        for kind in &KINDS[1..] {
            for n in [2_000, 500_000] {
                let request = Request::get(server.url(&format!("/fail/{kind}?n={n}"))).body(Body::empty()).unwrap();
                let response = match client.try_send(request).await {
                    Ok(response) => response,
                    // An error soon after the status can overtake it: hyper closes the connection before it has written
                    // the head (HTTP/1.1), or the reset of the stream is seen first (HTTP/2).
                    Err(_) if n == 2_000 => continue,
                    Err(error) => panic!("{version:?} {kind} {n}: {error}"),
                };
                assert_eq!(response.status(), 200, "{version:?} {kind} {n}");
                let (whole, mut text, mut frames) = (routes::numbers(n), Vec::new(), response.into_body());
                let error = loop {
                    match within(frames.frame()).await {
                        Some(Ok(frame)) => text.extend_from_slice(frame.data_ref().unwrap()),
                        Some(Err(error)) => break error,
                        None => panic!("{version:?} {kind} {n} looks whole after {} bytes", text.len()),
                    }
                };
                assert!(whole.as_bytes().starts_with(&text), "{version:?} {kind} {n}: {error}");
                assert!(text.len() < whole.len());
                // The next request is answered, on this connection or on another one.
                let response = client.get(&server, "/chunks?n=5").await;
                assert_eq!(body(response).await.unwrap(), "[0,1,2,3,4]");
            }
        }
    }
    server.shut_down().await;
}
