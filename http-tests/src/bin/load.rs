//! What a server needs for a JSON response, with json-rope and with `axum::Json`: a table of processor time, requests per
//! second, time to the first byte and memory. Takes about two minutes; an argument changes the seconds for each line.
//!
//! `cargo run --release -p json-rope-http-tests --bin load [SECONDS]`
//!
//! The server has one thread, whose processor time is that of the table. The client has another one, and 16 connections;
//! for the first byte it has one. The ways take turns, so that a busy machine is unfair to none of them. Memory is the most
//! that such a server had allocated at once while each connection made three requests, apart from the document itself.

use std::cell::Cell;
use std::sync::LazyLock;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::get;
use http_body_util::BodyExt;
use json_rope::Encoder;
use json_rope::axum::JsonChunks;
use json_rope_bench_data::documents;
use json_rope_http_tests::Server;
use json_rope_http_tests::client::{Client, VERSIONS, Version};
use serde_json::{Value, json};

const CONNECTIONS: usize = 16;
const ROUNDS: u32 = 5;
const FIRST_BYTES: usize = 30;
const WAYS: [&str; 4] = ["axum::Json", "Json", "rope of a tree", "JsonChunks"];

struct Document {
    name: &'static str,
    value: Value,
}

static DOCUMENTS: LazyLock<[Document; 3]> = LazyLock::new(|| {
    let parse = |text| serde_json::from_str(text).expect("it is JSON");
    let item = |n: u32| json!({"id": n, "name": format!("Item {n}"), "price": f64::from(n) * 1.25, "tags": ["a", "b"]});
    [
        Document { name: "canada", value: parse(documents::canada()) },
        Document { name: "citm", value: parse(documents::citm_catalog()) },
        Document { name: "2 KB", value: Value::from((0..32).map(item).collect::<Vec<_>>()) },
    ]
});

fn path(document: usize, way: usize) -> String {
    format!("/{document}/{way}")
}

fn router() -> Router {
    let mut router = Router::new();
    for (index, document) in DOCUMENTS.iter().enumerate() {
        let (value, encoder) = (&document.value, Encoder::new());
        let (tree, chunks) = (encoder.clone(), encoder);
        router = router
            .route(&path(index, 0), get(async move || axum::Json(value)))
            .route(&path(index, 1), get(async move || json_rope::axum::Json(value)))
            .route(&path(index, 2), get(async move || tree.encode_tree(value)))
            .route(&path(index, 3), get(async move || JsonChunks(chunks.chunks(value))));
    }
    router
}

/// The processor time that a thread has used, from `/proc`.
struct ThreadTime(String);

impl ThreadTime {
    fn of_this_thread() -> ThreadTime {
        let thread = std::fs::read_link("/proc/thread-self").expect("Linux");
        ThreadTime(format!("/proc/{}/schedstat", thread.display()))
    }

    fn get(&self) -> Duration {
        let text = std::fs::read_to_string(&self.0).expect("the thread runs");
        Duration::from_nanos(text.split(' ').next().and_then(|first| first.parse().ok()).expect("nanoseconds"))
    }
}

/// A server on a thread of its own, for as long as the process runs.
fn start_server() -> (Server, ThreadTime) {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let server = Server::start(router(), true).await;
            sender.send((server, ThreadTime::of_this_thread())).expect("the main thread waits");
            std::future::pending::<()>().await;
        });
    });
    receiver.recv().expect("the server starts")
}

/// The most bytes that a server has allocated at once while it answers requests on all connections.
async fn peak_memory(version: Version, path: &str, len: usize) -> u64 {
    let (sender, receiver) = mpsc::channel();
    let (done, wait) = tokio::sync::oneshot::channel::<()>();
    let thread = thread::spawn(move || {
        allocation_counter::measure(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                sender.send(Server::start(router(), true).await).expect("the main thread waits");
                wait.await.expect("the main thread says when it is done");
            });
        })
    });
    let server = receiver.recv().expect("the server starts");
    let client = Client::new(version);
    futures_util::future::join_all((0..CONNECTIONS).map(async |_| {
        for _ in 0..3 {
            assert_eq!(request(&client, &server, path).await.1, len);
        }
    }))
    .await;
    done.send(()).expect("the server runs");
    thread.join().expect("no panic").bytes_max
}

/// Reads a response, and returns how long its first byte took, and how many there were.
async fn request(client: &Client, server: &Server, path: &str) -> (Duration, usize) {
    let start = Instant::now();
    let mut frames = client.get(server, path).await.into_body();
    let (mut first, mut len) = (None, 0);
    while let Some(frame) = frames.frame().await {
        first.get_or_insert_with(|| start.elapsed());
        len += frame.expect("no error").data_ref().expect("no trailers").len();
    }
    (first.expect("it is not empty"), len)
}

#[derive(Default)]
struct Measured {
    requests: u32,
    server: Duration,
    wall: Duration,
    first: Vec<Duration>,
}

impl Measured {
    async fn run(&mut self, client: &Client, server: &Server, path: &str, len: usize, time: &ThreadTime, seconds: f64) {
        let (start, before, count) = (Instant::now(), time.get(), Cell::new(0));
        let until = start + Duration::from_secs_f64(seconds);
        futures_util::future::join_all((0..CONNECTIONS).map(async |_| {
            while Instant::now() < until {
                assert_eq!(request(client, server, path).await.1, len);
                count.set(count.get() + 1);
            }
        }))
        .await;
        self.requests += count.get();
        self.server += time.get() - before;
        self.wall += start.elapsed();
        for _ in 0..FIRST_BYTES {
            self.first.push(request(client, server, path).await.0);
        }
    }

    fn micros_each(&self) -> f64 {
        self.server.as_secs_f64() * 1e6 / f64::from(self.requests)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let seconds: f64 = std::env::args().nth(1).map_or(5.0, |text| text.parse().expect("seconds for each line"));
    let (server, time) = start_server();
    println!("{CONNECTIONS} connections; CPU is that of the server; first byte: best and median of one connection");
    for version in VERSIONS {
        let name = if version == Version::Http1 { "HTTP/1.1" } else { "HTTP/2" };
        println!("\n| {name} | way | CPU a request | ratio | requests/s | first byte | peak memory |");
        println!("|---|---|--:|--:|--:|--:|--:|");
        let client = Client::new(version);
        for (index, document) in DOCUMENTS.iter().enumerate() {
            let len = json_rope::to_rope(&document.value).expect("it is JSON").len();
            let mut ways: [Measured; WAYS.len()] = Default::default();
            for _ in 0..ROUNDS {
                for (way, measured) in ways.iter_mut().enumerate() {
                    let seconds = seconds / f64::from(ROUNDS);
                    measured.run(&client, &server, &path(index, way), len, &time, seconds).await;
                }
            }
            let base = ways[0].micros_each();
            for (way, (name, mut measured)) in WAYS.into_iter().zip(ways).enumerate() {
                let memory = peak_memory(version, &path(index, way), len).await;
                measured.first.sort();
                let [best, median] = [0, measured.first.len() / 2].map(|at| measured.first[at].as_micros());
                println!(
                    "| {} | {name} | {:.1} µs | {:.2} | {:.0} | {best} / {median} µs | {:.1} MB |",
                    document.name,
                    measured.micros_each(),
                    measured.micros_each() / base,
                    f64::from(measured.requests) / measured.wall.as_secs_f64(),
                    memory as f64 / 1e6,
                );
            }
        }
    }
}
