//! A session, a Parquet file, and what was written, as JSON values.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields};
use datafusion::execution::SessionStateBuilder;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::prelude::{DataFrame, ParquetReadOptions, SessionConfig, SessionContext};
use json_rope::Encoder;
use json_rope_arrow::RowEncoder;
use json_rope_arrow::datafusion::NdJsonFormatFactory;
use serde_json::Value;
use tempfile::TempDir;

pub const ROWS: i64 = 5_000;

pub fn format() -> NdJsonFormatFactory {
    NdJsonFormatFactory::new(RowEncoder::new(Encoder::new()))
}

/// Many small batches, and several partitions.
pub fn config() -> SessionConfig {
    SessionConfig::new().with_batch_size(100).with_target_partitions(4)
}

pub fn session_with(format: NdJsonFormatFactory) -> SessionContext {
    let mut state = SessionStateBuilder::new().with_default_features().with_config(config()).build();
    state.register_file_format(Arc::new(format), true).unwrap();
    SessionContext::new_with_state(state)
}

/// A session with a table `orders`, which is a Parquet file, and a folder for what a test writes.
pub struct Fixture {
    pub session: SessionContext,
    folder: TempDir,
}

impl Fixture {
    pub async fn new() -> Fixture {
        Fixture::with(format()).await
    }

    pub async fn with(format: NdJsonFormatFactory) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("orders.parquet");
        let batch = orders();
        let mut writer = ArrowWriter::try_new(File::create(&file).unwrap(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let session = session_with(format);
        session.register_parquet("orders", file.to_str().unwrap(), ParquetReadOptions::default()).await.unwrap();
        Fixture { session, folder }
    }

    /// A place below the folder of this test.
    pub fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    pub async fn sql(&self, sql: &str) -> DataFrame {
        self.session.sql(sql).await.unwrap()
    }

    /// Runs a statement that writes, and returns the number of rows that it says it wrote.
    pub async fn run(&self, sql: &str) -> u64 {
        let counts = self.sql(sql).await.collect().await.unwrap();
        counts.iter().map(|batch| batch.column(0).as_primitive::<UInt64Type>().values().iter().sum::<u64>()).sum()
    }

    /// Writes a query with the given clauses, once `STORED AS NDJSON` and once `AS JSON`, and returns both folders.
    pub async fn both(&self, query: &str, name: &str, clauses: &str) -> (String, String) {
        let places = (self.path(&format!("ours/{name}")), self.path(&format!("theirs/{name}")));
        let ours = self.run(&format!("COPY ({query}) TO '{}' STORED AS NDJSON {clauses}", places.0)).await;
        let theirs = self.run(&format!("COPY ({query}) TO '{}' STORED AS JSON {clauses}", places.1)).await;
        assert_eq!(ours, theirs);
        places
    }
}

/// The files below a folder, or the one that it is, in the order of their names.
pub fn files(place: &str) -> Vec<PathBuf> {
    fn add(place: &Path, files: &mut Vec<PathBuf>) {
        if place.is_file() {
            return files.push(place.to_owned());
        }
        for entry in fs::read_dir(place).unwrap() {
            add(&entry.unwrap().path(), files);
        }
    }
    let mut found = Vec::new();
    add(Path::new(place), &mut found);
    found.sort();
    found
}

/// The text of a file, which is decompressed if its name says so.
pub fn text(file: &Path) -> String {
    let mut text = String::new();
    let opened = File::open(file).unwrap();
    match file.extension().unwrap().to_str().unwrap() {
        "gz" => flate2::read::MultiGzDecoder::new(opened).read_to_string(&mut text).unwrap(),
        _ => { opened }.read_to_string(&mut text).unwrap(),
    };
    text
}

/// The rows of a text of whole lines.
pub fn lines(text: &str) -> Vec<Value> {
    assert!(text.is_empty() || text.ends_with('\n'), "ends in the middle of a line");
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// The rows of all files of a place, file after file.
pub fn rows(place: &str) -> Vec<Value> {
    files(place).iter().flat_map(|file| lines(&text(file))).collect()
}

pub fn by_id(mut rows: Vec<Value>) -> Vec<Value> {
    rows.sort_by_key(|row| row["id"].as_i64().unwrap());
    rows
}

/// Rows of all kinds of types that Parquet has, with nulls.
pub fn orders() -> RecordBatch {
    let ids = || 0..ROWS;
    let every = |n: i64| move |id: i64| id % n != 0;
    let names = ["tea", "Zürich", "\"quoted\"\\", "line\nfeed", "", "🫖", "\u{1}"];
    let name = |id: i64| names[id as usize % names.len()];

    let mut tags = ListBuilder::new(Int32Builder::new());
    let mut notes = ListBuilder::new(StringBuilder::new());
    for id in ids() {
        for tag in 0..id % 4 {
            tags.values().append_option((tag != 2).then_some(id as i32 + tag as i32));
            notes.values().append_value(name(id + tag));
        }
        tags.append(id % 5 != 0);
        notes.append(true);
    }
    let fields =
        Fields::from(vec![Field::new("lat", DataType::Float64, true), Field::new("city", DataType::Utf8, true)]);
    let place = StructArray::new(
        fields,
        vec![
            Arc::new(ids().map(|id| every(3)(id).then_some(id as f64 / 7.0)).collect::<Float64Array>()),
            Arc::new(ids().map(|id| every(4)(id).then_some(name(id))).collect::<StringArray>()),
        ],
        Some(ids().map(every(6)).collect::<NullBuffer>()),
    );
    let at = |id: i64| id * 86_399_123 - 1_000_000_000_000;
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int64Array::from_iter_values(ids()))),
        ("name", Arc::new(ids().map(|id| every(7)(id).then_some(name(id))).collect::<StringArray>())),
        ("price", Arc::new(ids().map(|id| every(9)(id).then_some(id as f64 * 1e-7)).collect::<Float64Array>())),
        ("paid", Arc::new(ids().map(|id| every(11)(id).then_some(id % 2 == 0)).collect::<BooleanArray>())),
        ("pieces", Arc::new(ids().map(|id| every(2)(id).then_some(-(id as i32))).collect::<Int32Array>())),
        ("at", Arc::new(ids().map(|id| every(13)(id).then(|| at(id))).collect::<TimestampMillisecondArray>())),
        (
            "seen",
            Arc::new(ids().map(|id| Some(id * 1_000_007)).collect::<TimestampMicrosecondArray>().with_timezone("UTC")),
        ),
        ("day", Arc::new(Date32Array::from_iter_values(ids().map(|id| 19_000 + (id % 3) as i32)))),
        ("tags", Arc::new(tags.finish())),
        ("notes", Arc::new(notes.finish())),
        ("place", Arc::new(place)),
        (
            "sum",
            Arc::new(
                ids()
                    .map(|id| Some(i128::from(id) * 1_001))
                    .collect::<Decimal128Array>()
                    .with_precision_and_scale(20, 3)
                    .unwrap(),
            ),
        ),
        (
            "kind",
            Arc::new(ids().map(|id| Some(["new", "used"][id as usize % 2])).collect::<DictionaryArray<Int32Type>>()),
        ),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true))).unwrap()
}
