//! Clients that are not written in Rust, if this machine has them. All of these notice a response that was broken off.

use std::process::{Output, Stdio};

use json_rope_http_tests::client::within;
use json_rope_http_tests::{Server, routes};
use tokio::process::Command;

const PATHS: [&str; 4] = ["/rope", "/chunks", "/items", "/blocking"];
const N: u32 = 100_000;

/// Runs a client. `None`, and a loud line, if there is none.
async fn run(program: &str, arguments: &[&str]) -> Option<Output> {
    let mut command = Command::new(program);
    let command = command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    match within(command.output()).await {
        Ok(output) => Some(output),
        Err(error) => {
            eprintln!("SKIPPED: {program} cannot be run: {error}");
            None
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn curl() {
    let server = Server::start(routes::all(), true).await;
    for (version, truncated) in [("--http1.1", 18), ("--http2-prior-knowledge", 92)] {
        for path in PATHS {
            let url = server.url(&format!("{path}?n={N}"));
            let Some(output) = run("curl", &["-sS", version, &url]).await else { return };
            assert!(output.status.success() && output.stdout == routes::numbers(N).into_bytes(), "{version} {path}");
        }
        for path in &PATHS[1..] {
            let url = server.url(&format!("/fail{path}?n={N}"));
            let Some(output) = run("curl", &["-sS", version, &url]).await else { return };
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(truncated), "{version} {path}: {message}");
            assert!(routes::numbers(N).as_bytes().starts_with(&output.stdout));
        }
        let Some(output) = run("curl", &["-sS", version, "-I", &server.url("/rope?n=5")]).await else { return };
        assert!(String::from_utf8_lossy(&output.stdout).to_lowercase().contains("content-length: 11"));
    }
    server.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn python() {
    const SCRIPT: &str = "
import http.client, sys, urllib.request
try:
    sys.stdout.buffer.write(urllib.request.urlopen(sys.argv[1], timeout=60).read())
except http.client.IncompleteRead:
    sys.exit(3)
";
    let server = Server::start(routes::all(), true).await;
    for path in PATHS {
        let Some(output) = run("python3", &["-c", SCRIPT, &server.url(&format!("{path}?n={N}"))]).await else { return };
        assert!(output.status.success() && output.stdout == routes::numbers(N).into_bytes(), "{path}");
    }
    for path in &PATHS[1..] {
        let url = server.url(&format!("/fail{path}?n={N}"));
        let Some(output) = run("python3", &["-c", SCRIPT, &url]).await else { return };
        assert_eq!(output.status.code(), Some(3), "{path}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn node() {
    const SCRIPT: &str = "
fetch(process.argv[1]).then((response) => response.text())
  .then((text) => process.stdout.write(text), (error) => { console.error(error); process.exitCode = 3; });
";
    let server = Server::start(routes::all(), true).await;
    for path in PATHS {
        let Some(output) = run("node", &["-e", SCRIPT, &server.url(&format!("{path}?n={N}"))]).await else { return };
        assert!(output.status.success() && output.stdout == routes::numbers(N).into_bytes(), "{path}");
    }
    for path in &PATHS[1..] {
        let Some(output) = run("node", &["-e", SCRIPT, &server.url(&format!("/fail{path}?n={N}"))]).await else {
            return;
        };
        assert_eq!(output.status.code(), Some(3), "{path}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
