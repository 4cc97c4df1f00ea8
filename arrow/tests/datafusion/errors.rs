//! What fails in the middle is the error of the statement; files have whole rows, in order, up to it.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, Time32SecondArray, UnionArray};
use arrow_buffer::ScalarBuffer;
use arrow_schema::{DataType, Field, UnionFields};
use datafusion::datasource::MemTable;
use datafusion::error::DataFusionError;
use json_rope::Encoder;
use json_rope_arrow::RowEncoder;
use json_rope_arrow::datafusion::NdJsonFormatFactory;

use crate::support::{Fixture, ROWS, format, rows};

/// The error of the encoder that this one comes from.
fn encoder_error(error: &DataFusionError) -> &json_rope::Error {
    let mut source = Some(error as &dyn std::error::Error);
    while let Some(error) = source {
        if let Some(found) = error.downcast_ref() {
            return found;
        }
        source = error.source();
    }
    panic!("not of the encoder: {error}")
}

async fn failure(fixture: &Fixture, sql: &str) -> DataFusionError {
    match fixture.session.sql(sql).await {
        Ok(statement) => statement.collect().await.unwrap_err(),
        Err(error) => panic!("not planned: {error}"),
    }
}

/// Rows come in the order of the table.
async fn in_order(fixture: &Fixture) {
    fixture.sql("SET datafusion.execution.target_partitions = 1").await.collect().await.unwrap();
}

/// Rows in batches of 100, each an id and a time of which one is out of range.
fn times(wrong: i64) -> MemTable {
    let batches: Vec<_> = (0..ROWS)
        .step_by(100)
        .map(|start| {
            let ids = start..start + 100;
            let time = |id: i64| if id == wrong { 90_000 } else { id as i32 };
            let columns: [(&str, ArrayRef); 2] = [
                ("id", Arc::new(Int64Array::from_iter_values(ids.clone()))),
                ("time", Arc::new(Time32SecondArray::from_iter_values(ids.map(time)))),
            ];
            RecordBatch::try_from_iter(columns).unwrap()
        })
        .collect();
    MemTable::try_new(batches[0].schema(), vec![batches]).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_value_that_cannot_be_encoded() {
    let fixture = Fixture::new().await;
    fixture.session.register_table("times", Arc::new(times(3_210))).unwrap();
    in_order(&fixture).await;
    let place = fixture.path("times.ndjson");
    let error = failure(&fixture, &format!("COPY times TO '{place}'")).await;
    let error = encoder_error(&error);
    assert_eq!(error.pointer(), Some("/time"), "{error}");
    // Whole rows, of the batches before it at most.
    let written = rows(&place);
    assert!(written.len() <= 3_200 && written.len().is_multiple_of(100), "{}", written.len());
    assert!(written.iter().enumerate().all(|(at, row)| row["id"] == at));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_value_that_cannot_be_encoded_in_one_of_many_files() {
    let fixture = Fixture::new().await;
    fixture.session.register_table("times", Arc::new(times(4_999))).unwrap();
    let place = fixture.path("times/");
    let query = "SELECT id, time, id % 3 AS rest FROM times";
    let error = failure(&fixture, &format!("COPY ({query}) TO '{place}' STORED AS NDJSON PARTITIONED BY (rest)")).await;
    assert_eq!(encoder_error(&error).pointer(), Some("/time"), "{error}");
    assert!(rows(&place).len() < ROWS as usize);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_that_fails() {
    let fixture = Fixture::new().await;
    fixture.session.register_table("times", Arc::new(times(-1))).unwrap();
    in_order(&fixture).await;
    let place = fixture.path("shares.ndjson");
    let error =
        failure(&fixture, &format!("COPY (SELECT id, 100 / (id - 3210) AS share FROM times) TO '{place}'")).await;
    assert!(error.to_string().contains("Divide by zero"), "{error}");
    let written = rows(&place);
    assert!(written.len() <= 3_200, "{}", written.len());
    assert!(written.iter().enumerate().all(|(at, row)| row["id"] == at));
}

#[tokio::test]
async fn a_type_without_a_json_form() {
    let fields = UnionFields::try_new([0], [Field::new("n", DataType::Int64, true)]).unwrap();
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let union = UnionArray::try_new(fields, ScalarBuffer::from(vec![0, 0]), None, vec![ids.clone()]).unwrap();
    let batch = RecordBatch::try_from_iter([("id", ids), ("either", Arc::new(union) as ArrayRef)]).unwrap();
    let fixture = Fixture::new().await;
    fixture.session.register_batch("unions", batch).unwrap();
    let place = fixture.path("unions.ndjson");
    let error = failure(&fixture, &format!("COPY unions TO '{place}'")).await;
    assert!(error.to_string().contains("/either"), "{error}");
    assert!(rows(&place).is_empty());
}

/// A file stands where a folder would have to be.
#[tokio::test]
async fn a_store_that_cannot_write() {
    let fixture = Fixture::new().await;
    let place = fixture.path("orders.parquet/orders.ndjson");
    failure(&fixture, &format!("COPY orders TO '{place}'")).await;
    let error = failure(&fixture, "COPY orders TO 'unknown://bucket/orders.ndjson'").await;
    assert!(error.to_string().contains("unknown://"), "{error}");
}

#[tokio::test]
async fn a_frame_that_fails() {
    let fixture = Fixture::new().await;
    fixture.session.register_table("times", Arc::new(times(0))).unwrap();
    let frame = fixture.sql("SELECT * FROM times").await;
    let error = format().write(frame, &fixture.path("times.ndjson"), &[]).await.unwrap_err();
    assert_eq!(encoder_error(&error).pointer(), Some("/time"), "{error}");
}

/// The built-in format writes lines into a table of arrays.
#[tokio::test]
async fn arrays_are_not_written() {
    let fixture = Fixture::new().await;
    let place = fixture.path("orders.ndjson");
    let copy = format!("COPY orders TO '{place}' OPTIONS ('format.newline_delimited' 'false')");
    let error = failure(&fixture, &copy).await;
    assert!(matches!(error, DataFusionError::NotImplemented(_)), "{error}");
    assert!(!std::path::Path::new(&place).exists());
}

#[tokio::test]
async fn options_that_do_not_exist() {
    let fixture = Fixture::new().await;
    for (option, says) in [("'format.compression' 'none such'", "none such"), ("'format.delimiter' ';'", "delimiter")] {
        let copy = format!("COPY orders TO '{}' OPTIONS ({option})", fixture.path("orders.ndjson"));
        let error = failure(&fixture, &copy).await;
        assert!(error.to_string().to_lowercase().contains(says), "{error}");
    }
}

/// Lines cannot be pretty.
#[tokio::test]
async fn an_encoder_that_does_not_write_lines() {
    let pretty = RowEncoder::new(Encoder::builder().pretty(true).build().unwrap());
    let fixture = Fixture::with(NdJsonFormatFactory::new(pretty)).await;
    let place = fixture.path("orders.ndjson");
    let error = failure(&fixture, &format!("COPY orders TO '{place}'")).await;
    assert!(encoder_error(&error).to_string().contains("pretty"), "{error}");
    assert!(rows(&place).is_empty());
}
