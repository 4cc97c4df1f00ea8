//! Clients that go away, or do not read, and a server that is shut down.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use http_body_util::BodyExt;
use json_rope_http_tests::Server;
use json_rope_http_tests::client::{Client, VERSIONS, body, within};
use json_rope_http_tests::routes::{self, Watch};
use tokio::time::sleep;

/// Waits until nothing more is encoded, and returns how many items were.
async fn when_still(watch: &Watch) -> u64 {
    within(async {
        loop {
            let before = watch.items.load(Ordering::Relaxed);
            sleep(Duration::from_millis(300)).await;
            if watch.items.load(Ordering::Relaxed) == before {
                return before;
            }
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn body_is_dropped_when_the_client_goes_away() {
    for version in VERSIONS {
        for path in routes::ENDLESS {
            let watch = Arc::new(Watch::default());
            let server = Server::start(routes::endless(&watch), true).await;
            let client = Client::new(version);
            let mut frames = client.get(&server, path).await.into_body();
            for _ in 0..20 {
                within(frames.frame()).await.unwrap().unwrap();
            }
            assert_eq!(watch.open.load(Ordering::SeqCst), 1);
            drop((frames, client));
            within(async {
                while watch.open.load(Ordering::SeqCst) > 0 {
                    sleep(Duration::from_millis(10)).await;
                }
            })
            .await;
            // The server goes on.
            let mut frames = Client::new(version).get(&server, path).await.into_body();
            within(frames.frame()).await.unwrap().unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_encoded_for_clients_that_do_not_read() {
    const CLIENTS: u64 = 8;
    // A document is kept for no longer than the kernel's buffers, hyper's queue of 400 KiB and a few chunks need.
    const MOST_BYTES: u64 = 8 << 20;
    for version in VERSIONS {
        for path in routes::ENDLESS {
            let watch = Arc::new(Watch::default());
            let server = Server::start(routes::endless(&watch), true).await;
            let mut responses = Vec::new();
            for _ in 0..CLIENTS {
                // A connection each, which is not read from after the headers.
                let client = Client::new(version);
                responses.push((client.get(&server, path).await, client));
            }
            let bytes = 2 * when_still(&watch).await / CLIENTS;
            eprintln!("{version:?} {path}: {} KiB encoded for a client that does not read", bytes >> 10);
            assert!(bytes < MOST_BYTES, "{version:?} {path}: {bytes} bytes");
            // One of them reads, and gets more than that.
            let (response, _client) = responses.pop().unwrap();
            let (mut frames, mut len) = (response.into_body(), 0);
            while len < MOST_BYTES {
                len += within(frames.frame()).await.unwrap().unwrap().data_ref().unwrap().len() as u64;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn shutdown_waits_for_streams_that_are_open() {
    const LONG: u32 = 3_000_000;
    for version in VERSIONS {
        for path in &routes::ARRAYS[2..] {
            let server = Server::start(routes::all(), true).await;
            let client = Client::new(version);
            let mut frames = client.get(&server, &format!("{path}?n={LONG}")).await.into_body();
            let mut text = within(frames.frame()).await.unwrap().unwrap().into_data().unwrap().to_vec();
            let address = server.address;
            let ending = server.begin_shutdown();
            within(async {
                while tokio::net::TcpStream::connect(address).await.is_ok() {
                    sleep(Duration::from_millis(10)).await;
                }
            })
            .await;
            while let Some(frame) = within(frames.frame()).await {
                text.extend_from_slice(frame.unwrap().data_ref().unwrap());
            }
            assert!(text == routes::numbers(LONG).into_bytes(), "{version:?} {path}");
            drop((frames, client));
            within(ending).await.unwrap().unwrap();
        }
    }
}

/// Without `TCP_NODELAY`, a small response is not sent before the last one was acknowledged, which takes 40 ms, if it is in
/// two packets. It is in one if the end is known with the last frame.
#[tokio::test(flavor = "multi_thread")]
async fn small_responses_do_not_wait_for_acknowledgements() {
    const REQUESTS: u32 = 50;
    for nodelay in [true, false] {
        let server = Server::start(routes::all(), nodelay).await;
        for version in VERSIONS {
            for path in ["/rope", "/chunks"] {
                let client = Client::new(version);
                let start = std::time::Instant::now();
                for _ in 0..REQUESTS {
                    assert_eq!(body(client.get(&server, &format!("{path}?n=5")).await).await.unwrap(), "[0,1,2,3,4]");
                }
                let each = start.elapsed() / REQUESTS;
                eprintln!("{version:?} {path}, TCP_NODELAY {nodelay}: {each:?} a request");
                assert!(each < Duration::from_millis(30), "{version:?} {path}, TCP_NODELAY {nodelay}: {each:?}");
            }
        }
        server.shut_down().await;
    }
}
