//! The routes of the example server.

use http_body_util::BodyExt;
use json_rope_bench_data::documents;
use json_rope_http_tests::Server;
use json_rope_http_tests::client::{Client, VERSIONS, body, header, within};
use serde_json::Value;

#[tokio::test(flavor = "multi_thread")]
async fn routes_answer() {
    let server = Server::start(json_rope_serve::router(), true).await;
    let canada: Value = serde_json::from_str(documents::canada()).unwrap();
    let canada = serde_json::to_vec(&canada).unwrap();
    for version in VERSIONS {
        let client = Client::new(version);
        for path in ["/canada", "/canada/stream", "/canada/blocking", "/canada/axum"] {
            let response = client.get(&server, path).await;
            assert_eq!(header(&response, "content-type"), "application/json");
            assert!(body(response).await.unwrap() == canada, "{version:?} {path}");
        }
        for n in [0, 1, 499, 500, 501, 2_345] {
            let rows: Vec<Value> =
                serde_json::from_slice(&body(client.get(&server, &format!("/rows?n={n}")).await).await.unwrap())
                    .unwrap();
            let lines = body(client.get(&server, &format!("/rows.ndjson?n={n}")).await).await.unwrap();
            let lines: Vec<Value> =
                std::str::from_utf8(&lines).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            assert_eq!(rows.len(), n);
            assert_eq!(rows, lines);
            let report = body(client.get(&server, &format!("/report?n={n}")).await).await.unwrap();
            let report: Value = serde_json::from_slice(&report).unwrap();
            assert_eq!(report["rows"], Value::from(rows.clone()));
            assert_eq!(report["count"], n);
            let total: f64 = rows.iter().map(|row| row["price"].as_f64().unwrap()).sum();
            assert!((report["total"].as_f64().unwrap() - total).abs() < 0.005);
        }
        let response = client.get(&server, "/events").await;
        assert_eq!(header(&response, "content-type"), "text/event-stream");
        let mut frames = response.into_body();
        for number in 0..3 {
            let event = within(frames.frame()).await.unwrap().unwrap().into_data().unwrap();
            let text = std::str::from_utf8(&event).unwrap();
            let tick: Value = serde_json::from_str(text.strip_prefix("data: ").unwrap()).unwrap();
            assert_eq!(tick["number"], number);
        }
        let page = body(client.get(&server, "/").await).await.unwrap();
        assert!(page.starts_with(b"<!doctype html>"));
    }
}
