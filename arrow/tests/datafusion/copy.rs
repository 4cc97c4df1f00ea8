//! `COPY … TO …` writes the rows that the built-in JSON format writes, to places with the same names.

use std::sync::Arc;

use datafusion::execution::SessionStateBuilder;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::object_store::memory::InMemory;
use datafusion::object_store::{ObjectStoreExt, path::Path};
use datafusion::prelude::SessionContext;
use json_rope::Encoder;
use json_rope_arrow::RowEncoder;
use json_rope_arrow::datafusion::NdJsonFormatFactory;
use serde_json::{Value, json};

use crate::support::{Fixture, ROWS, by_id, config, files, format, lines, orders, rows, session_with, text};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_file_is_in_order_and_equal() {
    let fixture = Fixture::new().await;
    let (ours, theirs) = fixture.both("SELECT * FROM orders ORDER BY id", "orders.ndjson", "").await;
    let ours = rows(&ours);
    assert_eq!(ours.len() as i64, ROWS);
    assert!(ours.iter().enumerate().all(|(at, row)| row["id"] == at));
    assert_eq!(
        ours[8],
        json!({
            "id": 8, "name": "Zürich", "price": 8e-7, "paid": true, "at": "1938-05-02T22:13:12.984",
            "seen": "1970-01-01T00:00:08.000056Z", "day": "2022-01-10", "tags": [], "notes": [],
            "place": {"lat": 8.0 / 7.0}, "sum": 8.008, "kind": "new",
        })
    );
    assert_eq!(ours, rows(&theirs));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_files_have_every_row_once() {
    let fixture = Fixture::new().await;
    let (ours, theirs) = fixture.both("SELECT * FROM orders", "orders/", "").await;
    assert!(files(&ours).iter().all(|file| file.extension().unwrap() == "ndjson"));
    let ours = by_id(rows(&ours));
    assert_eq!(ours.len() as i64, ROWS);
    assert_eq!(ours, by_id(rows(&theirs)));
}

/// A query with a join, an aggregate and an order, so that the batches are those of a real plan.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_of_several_operators() {
    let fixture = Fixture::new().await;
    let query = "SELECT a.day, a.kind, count(*) AS n, sum(b.price) AS total, array_agg(b.id ORDER BY b.id) AS ids, \
                 max(a.at) AS last FROM orders a JOIN orders b ON a.id = b.id AND a.id < 300 \
                 GROUP BY a.day, a.kind ORDER BY a.day, a.kind";
    let (ours, theirs) = fixture.both(query, "totals.ndjson", "").await;
    let (ours, theirs) = (rows(&ours), rows(&theirs));
    assert_eq!(ours.len(), 6);
    assert_eq!(ours.iter().map(|row| row["n"].as_u64().unwrap()).sum::<u64>(), 300);
    assert_eq!(without(ours, "total"), without(theirs, "total")); // a sum of floats depends on its order
}

fn without(mut rows: Vec<Value>, name: &str) -> Vec<Value> {
    for row in &mut rows {
        assert!(row.as_object_mut().unwrap().remove(name).unwrap().is_number());
    }
    rows
}

#[tokio::test]
async fn the_name_of_the_file_says_the_format() {
    let fixture = Fixture::new().await;
    let place = fixture.path("orders.ndjson");
    assert_eq!(fixture.run(&format!("COPY orders TO '{place}'")).await as i64, ROWS);
    let plan = fixture.sql(&format!("EXPLAIN COPY orders TO '{place}'")).await.to_string().await.unwrap();
    assert!(plan.contains("NdJsonSink"), "{plan}");
    assert_eq!(rows(&place).len() as i64, ROWS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn compressed() {
    let fixture = Fixture::new().await;
    for (compression, clauses) in [
        ("gz", "OPTIONS ('format.compression' 'gzip')"),
        ("gz", "OPTIONS ('format.compression' 'gzip', 'format.compression_level' '1')"),
    ] {
        let name = format!("orders.ndjson.{compression}");
        let (ours, theirs) = fixture.both("SELECT * FROM orders ORDER BY id", &name, clauses).await;
        let read = rows(&ours);
        assert_eq!(read.len() as i64, ROWS);
        assert_eq!(read, rows(&theirs));
        let (size, plain) = (std::fs::metadata(&ours).unwrap().len(), text(ours.as_ref()).len() as u64);
        assert!(size < plain / 3, "{size} of {plain}");
        std::fs::remove_file(ours).unwrap();
        std::fs::remove_file(theirs).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn compressed_files_of_a_folder_end_so() {
    let fixture = Fixture::new().await;
    let (ours, _) = fixture.both("SELECT * FROM orders", "orders/", "OPTIONS ('format.compression' 'gzip')").await;
    assert!(files(&ours).iter().all(|file| file.to_str().unwrap().ends_with(".ndjson.gz")), "{:?}", files(&ours));
    assert_eq!(rows(&ours).len() as i64, ROWS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn partitioned() {
    let fixture = Fixture::new().await;
    for keep in [false, true] {
        let clauses = format!("PARTITIONED BY (day, kind) OPTIONS ('execution.keep_partition_by_columns' '{keep}')");
        let (ours, theirs) = fixture.both("SELECT * FROM orders", &format!("orders-{keep}/"), &clauses).await;
        let folders = |place: &str| {
            let mut folders: Vec<_> = files(place)
                .iter()
                .map(|file| file.parent().unwrap().strip_prefix(place).unwrap().to_str().unwrap().to_owned())
                .collect();
            folders.dedup();
            folders
        };
        assert_eq!(folders(&ours).len(), 6);
        assert!(folders(&ours).contains(&"day=2022-01-08/kind=new".to_owned()), "{:?}", folders(&ours));
        assert_eq!(folders(&ours), folders(&theirs));
        for folder in folders(&ours) {
            let mine = by_id(rows(&format!("{ours}{folder}")));
            assert_eq!(mine.iter().all(|row| row.get("day").is_some()), keep);
            assert_eq!(mine, by_id(rows(&format!("{theirs}{folder}"))));
        }
        assert_eq!(rows(&ours).len() as i64, ROWS);
    }
}

#[tokio::test]
async fn options_of_the_encoder_apply() {
    let encoder = Encoder::builder().ascii(true).build().unwrap();
    let fixture = Fixture::with(NdJsonFormatFactory::new(RowEncoder::new(encoder).explicit_nulls(true))).await;
    let (ours, theirs) = fixture.both("SELECT id, name, tags FROM orders ORDER BY id", "orders.ndjson", "").await;
    let written = text(ours.as_ref());
    assert!(written.is_ascii() && written.contains("Z\\u00fcrich"));
    assert!(written.starts_with("{\"id\":0,\"name\":null,\"tags\":null}\n"), "{}", &written[..80]);
    let without_nulls = |mut row: Value| {
        row.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        row
    };
    assert_eq!(lines(&written).into_iter().map(without_nulls).collect::<Vec<_>>(), rows(&theirs));
}

#[tokio::test]
async fn the_built_in_format_can_be_replaced() {
    let rows_with_nulls = RowEncoder::new(Encoder::new()).explicit_nulls(true);
    let fixture = Fixture::with(NdJsonFormatFactory::new(rows_with_nulls).name("json")).await;
    let place = fixture.path("orders/");
    fixture.run(&format!("COPY (SELECT id, name FROM orders LIMIT 1) TO '{place}' STORED AS JSON")).await;
    assert_eq!(files(&place)[0].extension().unwrap(), "json");
    assert_eq!(rows(&place), [json!({"id": 0, "name": null})]);
}

#[tokio::test]
async fn no_rows_and_no_columns() {
    let fixture = Fixture::new().await;
    let (ours, theirs) = fixture.both("SELECT * FROM orders WHERE id < 0", "none.ndjson", "").await;
    assert_eq!((text(ours.as_ref()), text(theirs.as_ref())), (String::new(), String::new()));
    let (ours, theirs) = fixture.both("SELECT NULL AS nothing FROM orders LIMIT 3", "nulls.ndjson", "").await;
    assert_eq!(text(ours.as_ref()), "{}\n{}\n{}\n");
    assert_eq!(rows(&ours), rows(&theirs));
}

/// An object store that is no file system, in parts that are smaller than a batch and larger than a row.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_object_store_gets_parts() {
    let mut config = config();
    config.options_mut().execution.objectstore_writer_buffer_size = 10_000;
    let mut state = SessionStateBuilder::new().with_default_features().with_config(config).build();
    state.register_file_format(Arc::new(format()), false).unwrap();
    let session = SessionContext::new_with_state(state);
    let store = Arc::new(InMemory::new());
    session.register_object_store(ObjectStoreUrl::parse("memory://bucket").unwrap().as_ref(), store.clone());
    session.register_batch("orders", orders()).unwrap();

    let copy = "COPY (SELECT * FROM orders ORDER BY id) TO 'memory://bucket/out/orders.ndjson' STORED AS NDJSON";
    session.sql(copy).await.unwrap().collect().await.unwrap();
    let written = store.get(&Path::from("out/orders.ndjson")).await.unwrap().bytes().await.unwrap();

    let mut expected = Vec::new();
    let encoder = RowEncoder::new(Encoder::new());
    encoder.write_records(json_rope::Frame::NdJson, [Ok(orders())], &mut expected).unwrap();
    assert!(written.len() > 100 * 10_000);
    assert_eq!(written, expected);
}

/// A session that nobody told about the format does not have it.
#[tokio::test]
async fn it_has_to_be_registered() {
    let copy = "COPY (SELECT 1 AS n) TO 'never.ndjson' STORED AS NDJSON";
    assert!(SessionContext::new().sql(copy).await.is_err());
    assert!(session_with(format()).sql(copy).await.is_ok());
}
