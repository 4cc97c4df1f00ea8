//! DataFrames write without SQL, and without a session that knows the format.

use datafusion::common::config::JsonOptions;
use datafusion::common::parsers::CompressionTypeVariant;
use datafusion::dataframe::DataFrameWriteOptions;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::prelude::{DataFrame, col, lit};

use crate::support::{Fixture, ROWS, by_id, files, format, rows};

async fn cheap(fixture: &Fixture) -> DataFrame {
    fixture.session.table("orders").await.unwrap().filter(col("price").lt(lit(9.995e-5))).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn equal_to_write_json() {
    let fixture = Fixture::new().await;
    let (ours, theirs) = (fixture.path("ours.ndjson"), fixture.path("theirs.json"));
    let sorted = cheap(&fixture).await.sort_by(vec![col("id")]).unwrap();
    let written = format().write(sorted.clone(), &ours, &[]).await.unwrap();
    sorted.write_json(&theirs, DataFrameWriteOptions::new(), None).await.unwrap();
    let ours = rows(&ours);
    assert_eq!(written, 888); // of 1000 ids, each ninth has no price
    assert_eq!(ours.len(), 888);
    assert_eq!(ours, rows(&theirs));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn partitioned_and_compressed() {
    let fixture = Fixture::new().await;
    let options = JsonOptions { compression: CompressionTypeVariant::GZIP, ..JsonOptions::default() };
    let place = fixture.path("orders/");
    let frame = fixture.session.table("orders").await.unwrap();
    assert_eq!(format().json_options(options).write(frame, &place, &["kind"]).await.unwrap() as i64, ROWS);
    for (kind, rest) in [("new", 0), ("used", 1)] {
        let folder = format!("{place}kind={kind}");
        assert!(files(&folder).iter().all(|file| file.to_str().unwrap().ends_with(".ndjson.gz")));
        let ids: Vec<_> = by_id(rows(&folder)).iter().map(|row| row["id"].as_i64().unwrap()).collect();
        assert_eq!(ids, (0..ROWS).filter(|id| id % 2 == rest).collect::<Vec<_>>());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_aggregate() {
    let fixture = Fixture::new().await;
    let frame = cheap(&fixture).await.aggregate(vec![col("kind")], vec![count(col("id")).alias("n")]).unwrap();
    let place = fixture.path("kinds.ndjson");
    assert_eq!(format().write(frame, &place, &[]).await.unwrap(), 2);
    let mut counts: Vec<_> = rows(&place).iter().map(|row| row["n"].as_u64().unwrap()).collect();
    counts.sort_unstable();
    assert_eq!(counts, [444, 444]);
}
