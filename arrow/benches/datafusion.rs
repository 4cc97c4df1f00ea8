//! `COPY` of a table in memory, with our format and with the built-in JSON format, in one process and in turns:
//! `cargo bench -p json-rope-arrow --features datafusion-tests --bench datafusion [filter]`.
//!
//! The table is the mixed one of `ratios`, a million rows. Each line is a place to write to: an object store that keeps
//! nothing, so that only the engine and the encoder are measured; a file; a compressed file. Printed are medians of rounds in
//! millions of rows a second, by the clock; the ratio of these, ours divided by theirs; and the ratio by the processor time of
//! all threads, which other programs on the machine disturb least. `ROUNDS` sets how many rounds there are, `THREADS` how
//! many threads the engine has.

mod tables;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use arrow_array::RecordBatch;
use async_trait::async_trait;
use cpu_time::ProcessTime;
use datafusion::datasource::MemTable;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::object_store::memory::InMemory;
use datafusion::object_store::path::Path;
use datafusion::object_store::*;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures_util::stream::BoxStream;
use json_rope::Encoder;
use json_rope_arrow::RowEncoder;
use json_rope_arrow::datafusion::NdJsonFormatFactory;

/// An object store that keeps nothing, and counts bytes.
#[derive(Debug, Default)]
struct Count {
    bytes: Arc<AtomicU64>,
    nothing: InMemory,
}

#[derive(Debug)]
struct Upload(Arc<AtomicU64>);

fn done() -> PutResult {
    PutResult { e_tag: None, version: None }
}

#[async_trait]
impl MultipartUpload for Upload {
    fn put_part(&mut self, part: PutPayload) -> UploadPart {
        self.0.fetch_add(part.content_length() as u64, Relaxed);
        Box::pin(async { Ok(()) })
    }

    async fn complete(&mut self) -> Result<PutResult> {
        Ok(done())
    }

    async fn abort(&mut self) -> Result<()> {
        Ok(())
    }
}

#[async_trait]
impl ObjectStore for Count {
    async fn put_opts(&self, _: &Path, payload: PutPayload, _: PutOptions) -> Result<PutResult> {
        self.bytes.fetch_add(payload.content_length() as u64, Relaxed);
        Ok(done())
    }

    async fn put_multipart_opts(&self, _: &Path, _: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        Ok(Box::new(Upload(self.bytes.clone())))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.nothing.get_opts(location, options).await
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.nothing.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.nothing.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.nothing.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.nothing.copy_opts(from, to, options).await
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nothing")
    }
}

fn setting(name: &str, otherwise: usize) -> usize {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

fn session(batches: Vec<RecordBatch>, threads: usize, store: Arc<Count>) -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(threads);
    let mut state = SessionStateBuilder::new().with_default_features().with_config(config).build();
    let format = NdJsonFormatFactory::new(RowEncoder::new(Encoder::new()));
    state.register_file_format(Arc::new(format), false).unwrap();
    let session = SessionContext::new_with_state(state);
    session.register_object_store(ObjectStoreUrl::parse("nothing://here").unwrap().as_ref(), store);
    let table = MemTable::try_new(batches[0].schema(), vec![batches]).unwrap();
    session.register_table("rows", Arc::new(table)).unwrap();
    session
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Times by the clock and of the processor, in seconds.
#[derive(Default)]
struct Times(Vec<f64>, Vec<f64>);

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    let test = std::env::args().any(|argument| argument == "--test");
    let (rounds, threads) = (if test { 1 } else { setting("ROUNDS", 15) }, setting("THREADS", 2));
    let (_, table) = tables::all().into_iter().find(|(name, _)| *name == "mixed").unwrap();
    let batches = table();
    let rows = batches.iter().map(RecordBatch::num_rows).sum::<usize>() as u64;
    let store = Arc::new(Count::default());
    let session = session(batches, threads, store.clone());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows").to_str().unwrap().to_owned();

    let copy = |place: &str, name: &str, options: &str| {
        let sql = format!("COPY rows TO '{place}.{name}' STORED AS {name} {options}");
        let (clock, processor) = (Instant::now(), ProcessTime::now());
        runtime.block_on(async { session.sql(&sql).await.unwrap().collect().await.unwrap() });
        (clock.elapsed().as_secs_f64(), processor.elapsed().as_secs_f64())
    };
    // They write the same, but for the text of a few floats.
    let written = |name: &str| {
        store.bytes.store(0, Relaxed);
        copy("nothing://here/rows", name, "");
        store.bytes.load(Relaxed)
    };
    let (ours, theirs) = (written("ndjson"), written("json"));
    assert!(ours > 100 * rows && ours.abs_diff(theirs) < rows / 1000, "{ours} {theirs}");

    println!(
        "{rows} rows, {:.1} MB, {threads} threads, {rounds} rounds; in millions of rows a second:",
        ours as f64 / 1e6
    );
    println!("{:<12} {:>8} {:>8} {:>8} {:>10}", "place", "ours", "built-in", "ratio", "processor");
    for (label, place, options) in [
        ("nothing", "nothing://here/rows", ""),
        ("file", &file, ""),
        ("gzip", &file, "OPTIONS ('format.compression' 'gzip', 'format.compression_level' '1')"),
    ] {
        if !label.contains(&filter) {
            continue;
        }
        let (mut ours, mut theirs) = (Times::default(), Times::default());
        for round in 0..2 * rounds {
            let our_turn = (round % 2 == 0) == (round / 2 % 2 == 0);
            let (name, times) = if our_turn { ("ndjson", &mut ours) } else { ("json", &mut theirs) };
            let (clock, processor) = copy(place, name, options);
            times.0.push(clock);
            times.1.push(processor);
        }
        let (our, their) = (median(&mut ours.0), median(&mut theirs.0));
        let processor = median(&mut theirs.1) / median(&mut ours.1);
        let speed = |seconds: f64| rows as f64 / seconds / 1e6;
        println!("{label:<12} {:>8.2} {:>8.2} {:>8.2} {processor:>10.2}", speed(our), speed(their), their / our);
    }
}
