//! DataFusion reads what was written: with the format itself, and with the built-in one.

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::SessionContext;

use crate::support::{Fixture, ROWS, rows};

/// Types that SQL can declare, in the order of the table.
const COLUMNS: &str = "id BIGINT, name VARCHAR, price DOUBLE, paid BOOLEAN, pieces INT, at TIMESTAMP(3), day DATE, \
                       tags INT[], notes VARCHAR[], place STRUCT<lat DOUBLE, city VARCHAR>, sum DECIMAL(20, 3)";
const NAMES: &str = "id, name, price, paid, pieces, at, day, tags, notes, place, sum";

async fn printed(session: &SessionContext, query: &str) -> String {
    let batches = session.sql(query).await.unwrap().collect().await.unwrap();
    pretty_format_batches(&batches).unwrap().to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn equal_to_the_original() {
    let fixture = Fixture::new().await;
    let expected = printed(&fixture.session, &format!("SELECT {NAMES} FROM orders ORDER BY id")).await;
    for (stored, compression, options) in [
        ("NDJSON", "", ""),
        ("NDJSON", ".gz", "OPTIONS ('format.compression' 'gzip')"),
        ("JSON", "", ""),
        ("JSON", ".gz", "OPTIONS ('format.compression' 'gzip')"),
    ] {
        let place = fixture.path(&format!("{stored}.ndjson{compression}"));
        fixture.run(&format!("COPY (SELECT {NAMES} FROM orders) TO '{place}' STORED AS NDJSON {options}")).await;
        let table = format!("CREATE EXTERNAL TABLE back ({COLUMNS}) STORED AS {stored} LOCATION '{place}' {options}");
        fixture.sql(&table).await.collect().await.unwrap();
        assert!(expected == printed(&fixture.session, "SELECT * FROM back ORDER BY id").await, "{stored}{compression}");
        fixture.sql("DROP TABLE back").await.collect().await.unwrap();
    }
    assert!(expected.lines().count() as i64 > ROWS);
}

/// Nothing declared: the schema comes from the rows, and the columns of partitions from the names of folders.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_an_inferred_schema() {
    let fixture = Fixture::new().await;
    let place = fixture.path("orders/");
    fixture.run(&format!("COPY orders TO '{place}' STORED AS NDJSON PARTITIONED BY (kind)")).await;
    let table = format!("CREATE EXTERNAL TABLE back STORED AS NDJSON PARTITIONED BY (kind) LOCATION '{place}'");
    fixture.sql(&table).await.collect().await.unwrap();
    let query = "SELECT kind, count(*) AS n, sum(id) AS ids, count(price) AS prices, max(name) AS name, \
                 count(place['lat']) AS places, max(seen) AS last FROM orders GROUP BY kind ORDER BY kind";
    // Times are strings there.
    let original = query.replace("max(seen)", "replace(CAST(max(seen) AS VARCHAR), ' ', 'T')");
    let body = |text: String| text.lines().skip(3).map(str::to_owned).collect::<Vec<_>>();
    let back = body(printed(&fixture.session, &query.replace("orders", "back")).await);
    assert_eq!(back.len(), 3, "{back:?}");
    assert_eq!(back, body(printed(&fixture.session, &original).await));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_that_is_inserted_into() {
    let fixture = Fixture::new().await;
    let place = fixture.path("inserted/");
    std::fs::create_dir(&place).unwrap();
    let table = format!("CREATE EXTERNAL TABLE inserted (id BIGINT, name VARCHAR) STORED AS NDJSON LOCATION '{place}'");
    fixture.sql(&table).await.collect().await.unwrap();
    for half in ["id < 2000", "id >= 2000"] {
        fixture.run(&format!("INSERT INTO inserted SELECT id, name FROM orders WHERE {half}")).await;
    }
    let query = "SELECT id, name FROM orders ORDER BY id";
    let expected = printed(&fixture.session, query).await;
    assert!(expected == printed(&fixture.session, &query.replace("orders", "inserted")).await);
    assert_eq!(rows(&place).len() as i64, ROWS);

    let overwrite = fixture.session.sql("INSERT OVERWRITE inserted SELECT id, name FROM orders").await.unwrap();
    let error = overwrite.collect().await.unwrap_err();
    assert!(error.to_string().contains("NDJSON"), "{error}");
    assert_eq!(rows(&place).len() as i64, ROWS);
}

/// Files for `.ci/datafusion`, which lets other programs read them: into the folder that `JSON_ROPE_READ_BACK` names.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_for_other_readers() {
    let fixture = Fixture::new().await;
    let folder = std::env::var("JSON_ROPE_READ_BACK").unwrap_or_else(|_| fixture.path("others"));
    for (place, clauses) in [
        ("orders.ndjson", ""),
        ("orders.ndjson.gz", "OPTIONS ('format.compression' 'gzip')"),
        ("orders/", "PARTITIONED BY (kind)"),
    ] {
        let copy = format!("COPY orders TO '{folder}/{place}' STORED AS NDJSON {clauses}");
        assert_eq!(fixture.run(&copy).await as i64, ROWS);
    }
    std::fs::copy(fixture.path("orders.parquet"), format!("{folder}/orders.parquet")).unwrap();
}
