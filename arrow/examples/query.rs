//! Answers SQL queries with NDJSON, and sends the first rows while the query still runs.
//!
//! ```sh
//! cargo run --release -p json-rope-arrow --features datafusion-tests --example query -- orders.parquet
//! curl -N --get localhost:3000/query --data-urlencode 'sql=SELECT * FROM data WHERE price > 10'
//! ```

use std::net::Ipv4Addr;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::context::SQLOptions;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use futures_util::stream::{self, Stream, StreamExt, TryStreamExt};
use json_rope::{Encoder, Frame};
use json_rope_arrow::RowEncoder;
use tokio::net::TcpListener;

#[derive(serde::Deserialize)]
struct Question {
    sql: String,
}

/// Each batch of rows is encoded when the one before it is sent. A client that goes away ends the query.
fn ndjson(batches: SendableRecordBatchStream) -> impl Stream<Item = Result<Bytes>> {
    let rows = RowEncoder::new(Encoder::new());
    let ropes = batches.map(move |batch| {
        rows.records(Frame::NdJson, &batch?).map_err(|error| DataFusionError::External(error.into()))
    });
    ropes.map_ok(|rope| stream::iter(rope.into_iter().map(Ok))).try_flatten()
}

async fn query(State(session): State<SessionContext>, Query(question): Query<Question>) -> Response {
    // It may read, and nothing else.
    let only_read = SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
    let batches = async { session.sql_with_options(&question.sql, only_read).await?.execute_stream().await };
    match batches.await {
        // An error from here on can only break the connection off, which tells the client that rows are missing.
        Ok(batches) => {
            ([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(ndjson(batches))).into_response()
        }
        Err(error) => (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    }
}

fn app(session: SessionContext) -> Router {
    Router::new().route("/query", get(query)).with_state(session)
}

#[tokio::main]
async fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let session = SessionContext::new();
    match std::env::args().nth(1) {
        Some(file) => session.register_parquet("data", file, ParquetReadOptions::default()).await?,
        None => println!("no Parquet file was given, so there is no table `data`"),
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 3000)).await?;
    println!("listening on {}", listener.local_addr()?);
    Ok(axum::serve(listener, app(session)).await?)
}

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use arrow_array::{Int64Array, RecordBatch};
    use arrow_schema::{DataType, Field, Schema, SchemaRef};
    use datafusion::catalog::streaming::StreamingTable;
    use datafusion::execution::TaskContext;
    use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
    use datafusion::physical_plan::streaming::PartitionStream;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;
    use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
    use tokio::time::timeout;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    /// A table whose rows come when the test sends them.
    #[derive(Debug)]
    struct Live {
        schema: SchemaRef,
        batches: Mutex<Option<UnboundedReceiver<Result<RecordBatch>>>>,
    }

    impl PartitionStream for Live {
        fn schema(&self) -> &SchemaRef {
            &self.schema
        }

        fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
            let receiver = self.batches.lock().unwrap().take().unwrap();
            let batches = stream::unfold(receiver, |mut receiver| async { Some((receiver.recv().await?, receiver)) });
            Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), batches))
        }
    }

    /// A server whose table `data` has the column `n`, and what its rows are sent with.
    async fn serve() -> (TcpStream, UnboundedSender<Result<RecordBatch>>) {
        let schema = Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, true)]));
        let (sender, batches) = unbounded_channel();
        let live = Live { schema: schema.clone(), batches: Mutex::new(Some(batches)) };
        let session = SessionContext::new();
        let table = StreamingTable::try_new(schema, vec![Arc::new(live)]).unwrap().with_infinite_table(true);
        session.register_table("data", Arc::new(table)).unwrap();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        tokio::spawn(async move { axum::serve(listener, app(session)).await });
        (client, sender)
    }

    async fn ask(client: &mut TcpStream, sql: &str) {
        let sql: String = sql.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let request = format!("GET /query?sql={sql} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        client.write_all(request.as_bytes()).await.unwrap();
    }

    fn numbers(numbers: Range<i64>) -> Result<RecordBatch> {
        Ok(RecordBatch::try_from_iter([("n", Arc::new(Int64Array::from_iter_values(numbers)) as _)])?)
    }

    async fn until(client: &mut TcpStream, text: &str) -> String {
        let mut received = Vec::new();
        while !String::from_utf8_lossy(&received).contains(text) {
            let read = timeout(PATIENCE, client.read_buf(&mut received)).await.expect("rows do not come");
            assert_ne!(read.unwrap(), 0, "{}", String::from_utf8_lossy(&received));
        }
        String::from_utf8(received).unwrap()
    }

    async fn rest(client: &mut TcpStream) -> String {
        let mut received = Vec::new();
        let read = timeout(PATIENCE, client.read_to_end(&mut received)).await.expect("the answer does not end");
        drop(read); // may be reset
        String::from_utf8(received).unwrap()
    }

    const SQL: &str = "SELECT n, n * 2 AS twice FROM data WHERE n > 1";

    #[tokio::test]
    async fn first_rows_come_before_the_query_ends() {
        let (mut client, table) = serve().await;
        ask(&mut client, SQL).await;
        // More than a filter collects before it passes rows on.
        table.send(numbers(0..20_000)).unwrap();
        let head = until(&mut client, "{\"n\":5000,\"twice\":10000}\n").await;
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && head.contains("application/x-ndjson"), "{head}");

        table.send(numbers(20_000..20_001)).unwrap();
        drop(table);
        let rest = rest(&mut client).await;
        assert!(rest.contains("{\"n\":20000,\"twice\":40000}\n") && rest.ends_with("\r\n0\r\n\r\n"), "{rest}");
    }

    #[tokio::test]
    async fn an_error_in_the_middle_is_no_end() {
        let (mut client, table) = serve().await;
        ask(&mut client, SQL).await;
        table.send(numbers(0..20_000)).unwrap();
        until(&mut client, "{\"n\":5000,\"twice\":10000}\n").await;
        table.send(Err(DataFusionError::Execution("the disk is on fire".to_owned()))).unwrap();
        let rest = rest(&mut client).await;
        assert!(!rest.ends_with("0\r\n\r\n"), "{rest}");
    }

    #[tokio::test]
    async fn a_query_that_does_not_fit() {
        for (sql, says) in [
            ("SELECT nothing FROM data", "No field named nothing"),
            ("CREATE TABLE t AS SELECT 1", "DDL not supported"),
            ("COPY data TO 'stolen.json'", "DML not supported"),
        ] {
            let (mut client, _table) = serve().await;
            ask(&mut client, sql).await;
            let answer = rest(&mut client).await;
            assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n") && answer.contains(says), "{sql}: {answer}");
        }
    }
}
