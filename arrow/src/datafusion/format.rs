//! The format of a table or of a statement.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::file_options::json_writer::JsonWriterOptions;
use datafusion::common::{GetExt, Statistics};
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::json::JsonFormat;
use datafusion::datasource::physical_plan::{FileScanConfig, FileSinkConfig, FileSource};
use datafusion::datasource::sink::DataSinkExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::dml::InsertOp;
use datafusion::object_store::{ObjectMeta, ObjectStore};
use datafusion::physical_expr::LexRequirement;
use datafusion::physical_plan::ExecutionPlan;

use super::NdJsonSink;
use crate::RowEncoder;

/// A [`FileFormat`] that writes rows as lines of NDJSON with a [`RowEncoder`], and reads as [`JsonFormat`] does.
///
/// Usually an [`NdJsonFormatFactory`](super::NdJsonFormatFactory) makes it. Make one yourself for the
/// [`ListingOptions`](datafusion::datasource::listing::ListingOptions) of a table that is inserted into:
///
/// ```
/// use std::sync::Arc;
///
/// use datafusion::datasource::file_format::json::JsonFormat;
/// use datafusion::datasource::listing::ListingOptions;
/// use json_rope::Encoder;
/// use json_rope_arrow::RowEncoder;
/// use json_rope_arrow::datafusion::NdJsonFormat;
///
/// let format = NdJsonFormat::new(RowEncoder::new(Encoder::new()), JsonFormat::default());
/// let options = ListingOptions::new(Arc::new(format)).with_file_extension(".ndjson");
/// ```
#[derive(Debug)]
pub struct NdJsonFormat {
    rows: RowEncoder,
    /// Reads, and has the options.
    json: JsonFormat,
    ext: String,
}

impl NdJsonFormat {
    /// Writes with `rows`, in files that end in `.ndjson`, and with the compression that `json` has, which reads them.
    ///
    /// ```
    /// use datafusion::datasource::file_format::FileFormat;
    /// use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
    /// use datafusion::datasource::file_format::json::JsonFormat;
    /// # use json_rope::Encoder;
    /// # use json_rope_arrow::{RowEncoder, datafusion::NdJsonFormat};
    ///
    /// let json = JsonFormat::default().with_file_compression_type(FileCompressionType::GZIP);
    /// let format = NdJsonFormat::new(RowEncoder::new(Encoder::new()), json);
    /// assert_eq!(format.compression_type(), Some(FileCompressionType::GZIP));
    /// ```
    pub fn new(rows: RowEncoder, json: JsonFormat) -> NdJsonFormat {
        NdJsonFormat { rows, json, ext: "ndjson".to_owned() }
    }

    pub(super) fn ext(self, ext: &str) -> NdJsonFormat {
        NdJsonFormat { ext: ext.to_owned(), ..self }
    }
}

#[async_trait]
impl FileFormat for NdJsonFormat {
    fn get_ext(&self) -> String {
        self.ext.clone()
    }

    fn get_ext_with_compression(&self, compression: &FileCompressionType) -> Result<String> {
        Ok(format!("{}{}", self.ext, compression.get_ext()))
    }

    fn compression_type(&self) -> Option<FileCompressionType> {
        self.json.compression_type()
    }

    async fn infer_schema(
        &self,
        state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        objects: &[ObjectMeta],
    ) -> Result<SchemaRef> {
        self.json.infer_schema(state, store, objects).await
    }

    async fn infer_stats(
        &self,
        state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        schema: SchemaRef,
        object: &ObjectMeta,
    ) -> Result<Statistics> {
        self.json.infer_stats(state, store, schema, object).await
    }

    async fn create_physical_plan(&self, state: &dyn Session, scan: FileScanConfig) -> Result<Arc<dyn ExecutionPlan>> {
        self.json.create_physical_plan(state, scan).await
    }

    async fn create_writer_physical_plan(
        &self,
        input: Arc<dyn ExecutionPlan>,
        _: &dyn Session,
        sink: FileSinkConfig,
        order: Option<LexRequirement>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if sink.insert_op != InsertOp::Append {
            return Err(DataFusionError::NotImplemented(format!("{} into NDJSON", sink.insert_op)));
        }
        if !self.json.is_newline_delimited() {
            return Err(DataFusionError::NotImplemented("writing JSON arrays; only lines can be written".to_owned()));
        }
        let options = JsonWriterOptions::try_from(self.json.options())?;
        let sink = Arc::new(NdJsonSink::new(sink, self.rows.clone(), options));
        Ok(Arc::new(DataSinkExec::new(input, sink, order)))
    }

    fn file_source(&self, schema: TableSchema) -> Arc<dyn FileSource> {
        self.json.file_source(schema)
    }
}
