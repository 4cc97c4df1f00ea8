//! Lengths, chunked coding, HEAD, compression, and many requests at once.

use std::io::Write;
use std::process::{Command, Stdio};

use axum::body::Body;
use hyper::{Method, Request};
use json_rope_http_tests::client::{Client, VERSIONS, Version, body, header, within};
use json_rope_http_tests::{Server, routes};

const SHORT: u32 = 100;
const LONG: u32 = 200_000;

#[tokio::test(flavor = "multi_thread")]
async fn length_is_told_if_it_is_known() {
    let server = Server::start(routes::all(), true).await;
    for version in VERSIONS {
        let client = Client::new(version);
        for (path, n, is_known) in [
            ("/json", SHORT, true),
            ("/json", LONG, true),
            ("/rope", LONG, true),
            ("/chunks", SHORT, true),
            ("/chunks", LONG, false),
            ("/items", SHORT, false),
            ("/blocking", LONG, false),
        ] {
            let what = format!("{version:?} {path} {n}");
            let response = client.get(&server, &format!("{path}?n={n}")).await;
            assert_eq!(response.status(), 200, "{what}");
            assert_eq!(header(&response, "content-type"), "application/json", "{what}");
            let expected = routes::numbers(n);
            let len = if is_known { expected.len().to_string() } else { String::new() };
            assert_eq!(header(&response, "content-length"), len, "{what}");
            let is_chunked = !is_known && version == Version::Http1;
            assert_eq!(header(&response, "transfer-encoding"), if is_chunked { "chunked" } else { "" }, "{what}");
            assert!(body(response).await.unwrap() == expected, "{what}");
        }
        let response = client.get(&server, "/records?n=5000").await;
        assert_eq!(header(&response, "content-type"), "application/x-ndjson");
        assert!(body(response).await.unwrap() == routes::lines(5_000));
        // No records at all: a length of 0.
        let response = client.get(&server, "/records?n=0").await;
        assert_eq!(header(&response, "content-length"), "0");
        assert!(body(response).await.unwrap().is_empty());
    }
    server.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sixty_four_requests_at_once() {
    let server = Server::start(routes::all(), true).await;
    for version in VERSIONS {
        let client = Client::new(version);
        let requests = (0..64).map(async |index| {
            let n = 1_000 * (index as u32 % 7) + 50_000 * (index as u32 % 2);
            let response = client.get(&server, &format!("{}?n={n}", routes::ARRAYS[index % 5])).await;
            assert!(body(response).await.unwrap() == routes::numbers(n), "{version:?}, request {index}");
        });
        within(futures_util::future::join_all(requests)).await;
    }
    server.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn head_has_the_headers_of_get_and_no_body() {
    let server = Server::start(routes::all(), true).await;
    for version in VERSIONS {
        let client = Client::new(version);
        for path in routes::ARRAYS {
            let path = format!("{path}?n={LONG}");
            let get = client.get(&server, &path).await;
            let head = client.request(Method::HEAD, &server, &path).await;
            assert_eq!(head.status(), 200);
            for name in ["content-type", "content-length"] {
                assert_eq!(header(&head, name), header(&get, name), "{version:?} {path}");
            }
            assert!(body(head).await.unwrap().is_empty());
        }
    }
    // Not `shut_down`: bodies were begun that nobody reads.
}

fn gunzip(bytes: &[u8]) -> Option<Vec<u8>> {
    let Ok(mut child) = Command::new("gzip").arg("-dc").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() else {
        eprintln!("SKIPPED: compressed bodies are not read back, since there is no gzip");
        return None;
    };
    let mut stdin = child.stdin.take().expect("it is piped");
    let bytes = bytes.to_vec();
    let writing = std::thread::spawn(move || stdin.write_all(&bytes));
    let output = child.wait_with_output().expect("gzip ends");
    writing.join().expect("no panic").expect("gzip reads all");
    assert!(output.status.success());
    Some(output.stdout)
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_can_be_compressed() {
    let server = Server::start(routes::all(), true).await;
    for version in VERSIONS {
        let client = Client::new(version);
        for path in routes::ARRAYS {
            let uri = server.url(&format!("/gzip{path}?n={LONG}"));
            let request = Request::get(uri).header("accept-encoding", "gzip").body(Body::empty()).unwrap();
            let response = client.send(request).await;
            assert_eq!(header(&response, "content-encoding"), "gzip", "{version:?} {path}");
            assert_eq!(header(&response, "content-length"), "");
            assert_eq!(header(&response, "vary"), "accept-encoding");
            let compressed = body(response).await.unwrap();
            assert!(compressed.len() < routes::numbers(LONG).len() / 2);
            if let Some(text) = gunzip(&compressed) {
                assert!(text == routes::numbers(LONG).into_bytes(), "{version:?} {path}");
            }
        }
    }
    server.shut_down().await;
}
