//! Where a plan writes to.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use async_trait::async_trait;
use bytes::Bytes;
use datafusion::common::file_options::json_writer::JsonWriterOptions;
use datafusion::common::runtime::SpawnedTask;
use datafusion::datasource::file_format::write::BatchSerializer;
use datafusion::datasource::file_format::write::demux::DemuxedStreamReceiver;
use datafusion::datasource::file_format::write::orchestration::spawn_writer_tasks_and_join;
use datafusion::datasource::physical_plan::{FileSink, FileSinkConfig};
use datafusion::datasource::sink::DataSink;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::object_store::ObjectStore;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType};
use json_rope::Frame;

use crate::RowEncoder;

/// A [`DataSink`] that writes rows as lines of NDJSON into files: what a plan made by [`NdJsonFormat`](super::NdJsonFormat)
/// ends in.
///
/// It is public for engines that send plans from one process to another: they have to take it apart, with
/// [`FileSink::config`] and [`options`](NdJsonSink::options), and put it together again.
///
/// ```
/// use std::sync::Arc;
///
/// use datafusion::common::file_options::json_writer::JsonWriterOptions;
/// use datafusion::datasource::physical_plan::FileSinkConfig;
/// use datafusion::datasource::sink::DataSinkExec;
/// use datafusion::physical_plan::ExecutionPlan;
/// use json_rope::Encoder;
/// use json_rope_arrow::RowEncoder;
/// use json_rope_arrow::datafusion::NdJsonSink;
///
/// fn plan(input: Arc<dyn ExecutionPlan>, config: FileSinkConfig, options: JsonWriterOptions) -> DataSinkExec {
///     let sink = NdJsonSink::new(config, RowEncoder::new(Encoder::new()), options);
///     DataSinkExec::new(input, Arc::new(sink), None)
/// }
/// ```
pub struct NdJsonSink {
    config: FileSinkConfig,
    rows: RowEncoder,
    options: JsonWriterOptions,
}

impl NdJsonSink {
    /// Writes to the files that `config` says, compressed as `options` say.
    ///
    /// The type has an [example](NdJsonSink).
    pub fn new(config: FileSinkConfig, rows: RowEncoder, options: JsonWriterOptions) -> NdJsonSink {
        NdJsonSink { config, rows, options }
    }

    /// How files are compressed.
    ///
    /// ```
    /// # use datafusion::common::file_options::json_writer::JsonWriterOptions;
    /// # use json_rope_arrow::datafusion::NdJsonSink;
    /// fn copy(sink: &NdJsonSink) -> JsonWriterOptions {
    ///     sink.options().clone()
    /// }
    /// ```
    pub fn options(&self) -> &JsonWriterOptions {
        &self.options
    }
}

#[async_trait]
impl FileSink for NdJsonSink {
    fn config(&self) -> &FileSinkConfig {
        &self.config
    }

    async fn spawn_writer_tasks_and_join(
        &self,
        context: &Arc<TaskContext>,
        demux_task: SpawnedTask<Result<()>>,
        files: DemuxedStreamReceiver,
        store: Arc<dyn ObjectStore>,
    ) -> Result<u64> {
        let serializer = Arc::new(Lines { rows: self.rows.clone(), row_len: AtomicUsize::new(0) });
        let (compression, level) = (self.options.compression.into(), self.options.compression_level);
        spawn_writer_tasks_and_join(context, serializer, compression, level, store, demux_task, files).await
    }
}

#[async_trait]
impl DataSink for NdJsonSink {
    fn schema(&self) -> &SchemaRef {
        self.config.output_schema()
    }

    async fn write_all(&self, data: SendableRecordBatchStream, context: &Arc<TaskContext>) -> Result<u64> {
        FileSink::write_all(self, data, context).await
    }
}

impl fmt::Debug for NdJsonSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NdJsonSink").finish_non_exhaustive()
    }
}

impl DisplayAs for NdJsonSink {
    fn fmt_as(&self, kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match kind {
            DisplayFormatType::Default | DisplayFormatType::Verbose => {
                write!(f, "NdJsonSink(url={})", self.config.original_url)
            }
            DisplayFormatType::TreeRender => {
                writeln!(f, "format: ndjson")?;
                write!(f, "file={}", self.config.original_url)
            }
        }
    }
}

/// Makes a batch into lines. Many tasks share it.
struct Lines {
    rows: RowEncoder,
    /// How long a row was in the last batch, rounded up: the next one then fits into its buffer mostly.
    row_len: AtomicUsize,
}

impl BatchSerializer for Lines {
    fn serialize(&self, batch: RecordBatch, _initial: bool) -> Result<Bytes> {
        let rows = batch.num_rows();
        let mut bytes = Vec::with_capacity(rows.saturating_mul(self.row_len.load(Relaxed)));
        self.rows
            .write_records(Frame::NdJson, [Ok(batch)], &mut bytes)
            .map_err(|error| DataFusionError::External(Box::new(error)))?;
        if let Some(row_len) = bytes.len().checked_div(rows) {
            self.row_len.store(row_len + 1, Relaxed);
        }
        Ok(bytes.into())
    }
}
