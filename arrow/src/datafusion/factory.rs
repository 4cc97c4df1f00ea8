//! What a session knows the format by.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use datafusion::catalog::Session;
use datafusion::common::GetExt;
use datafusion::common::config::JsonOptions;
use datafusion::dataframe::DataFrame;
use datafusion::datasource::file_format::json::{JsonFormat, JsonFormatFactory};
use datafusion::datasource::file_format::{FileFormat, FileFormatFactory, format_as_file_type};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::LogicalPlanBuilder;

use super::NdJsonFormat;
use crate::RowEncoder;

/// Makes [`NdJsonFormat`]s for a session, by the options of a statement.
///
/// ```
/// use json_rope::Encoder;
/// use json_rope_arrow::RowEncoder;
/// use json_rope_arrow::datafusion::NdJsonFormatFactory;
///
/// let rows = RowEncoder::new(Encoder::builder().ascii(true).build()?).explicit_nulls(true);
/// let format = NdJsonFormatFactory::new(rows);
/// # Ok::<(), json_rope::Error>(())
/// ```
#[derive(Debug)]
pub struct NdJsonFormatFactory {
    rows: RowEncoder,
    name: String,
    /// Of the built-in format, which reads options.
    json: JsonFormatFactory,
}

impl NdJsonFormatFactory {
    /// A format that is named `NDJSON` in SQL, whose files end in `.ndjson`, and whose rows this encoder writes.
    /// (A pretty encoder cannot write lines; what is written with it fails.)
    ///
    /// ```
    /// use datafusion::common::GetExt;
    /// use json_rope::Encoder;
    /// use json_rope_arrow::{RowEncoder, datafusion::NdJsonFormatFactory};
    ///
    /// let format = NdJsonFormatFactory::new(RowEncoder::new(Encoder::new()));
    /// assert_eq!(format.get_ext(), "ndjson");
    /// ```
    pub fn new(rows: RowEncoder) -> NdJsonFormatFactory {
        NdJsonFormatFactory { rows, name: "ndjson".to_owned(), json: JsonFormatFactory::new() }
    }

    /// Another name, which is also how files end. With the name `json`, and when it is registered to overwrite, this format
    /// is used for everything that says `STORED AS JSON`.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use datafusion::execution::SessionStateBuilder;
    /// # use json_rope::Encoder;
    /// # use json_rope_arrow::{RowEncoder, datafusion::NdJsonFormatFactory};
    /// let format = NdJsonFormatFactory::new(RowEncoder::new(Encoder::new())).name("json");
    /// let mut state = SessionStateBuilder::new().with_default_features().build();
    /// state.register_file_format(Arc::new(format), true)?;
    /// # Ok::<(), datafusion::error::DataFusionError>(())
    /// ```
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> NdJsonFormatFactory {
        NdJsonFormatFactory { name: name.into(), ..self }
    }

    /// What holds where a statement does not say otherwise, such as the compression. If not set, that is what the session
    /// has for JSON.
    ///
    /// ```
    /// use datafusion::common::config::JsonOptions;
    /// use datafusion::common::parsers::CompressionTypeVariant;
    /// # use json_rope::Encoder;
    /// # use json_rope_arrow::{RowEncoder, datafusion::NdJsonFormatFactory};
    ///
    /// let options = JsonOptions { compression: CompressionTypeVariant::GZIP, ..JsonOptions::default() };
    /// let format = NdJsonFormatFactory::new(RowEncoder::new(Encoder::new())).json_options(options);
    /// ```
    #[must_use]
    pub fn json_options(self, options: JsonOptions) -> NdJsonFormatFactory {
        NdJsonFormatFactory { json: JsonFormatFactory::new_with_options(options), ..self }
    }

    /// Runs the query of a DataFrame, writes its rows, and returns how many there are: what
    /// [`DataFrame::write_json`] does with the built-in format. The format need not be registered.
    ///
    /// A `url` that ends in a file name with an extension becomes one file. Otherwise it is a folder for several, and with
    /// columns in `partition_by`, a folder for each of their values (`day=3/`).
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use datafusion::prelude::SessionContext;
    /// # use arrow_array::{ArrayRef, Int32Array, RecordBatch};
    /// # use json_rope::Encoder;
    /// # use json_rope_arrow::{RowEncoder, datafusion::NdJsonFormatFactory};
    ///
    /// # tokio::runtime::Runtime::new()?.block_on(async {
    /// # let column: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
    /// # let batch = RecordBatch::try_from_iter([("n", column)])?;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("rows.ndjson");
    /// # let path = path.to_str().unwrap();
    /// let rows = SessionContext::new().read_batch(batch)?;
    /// let format = NdJsonFormatFactory::new(RowEncoder::new(Encoder::new()));
    /// assert_eq!(format.write(rows, path, &[]).await?, 2);
    /// assert_eq!(std::fs::read_to_string(path)?, "{\"n\":1}\n{\"n\":2}\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Whatever fails in the query, the encoder ([`DataFusionError::External`] with a [`json_rope::Error`]) or the object
    /// store.
    pub async fn write(self, frame: DataFrame, url: &str, partition_by: &[&str]) -> Result<u64> {
        let (state, plan) = frame.into_parts();
        let partition_by = partition_by.iter().map(|&column| column.to_owned()).collect();
        let file_type = format_as_file_type(Arc::new(self));
        let plan =
            LogicalPlanBuilder::copy_to(plan, url.to_owned(), file_type, HashMap::new(), partition_by)?.build()?;
        Ok(DataFrame::new(state, plan).collect().await?.iter().map(count).sum())
    }

    fn of(&self, json: &Arc<dyn FileFormat>) -> Result<NdJsonFormat> {
        match json.downcast_ref::<JsonFormat>() {
            Some(json) => {
                let json = JsonFormat::default().with_options(json.options().clone());
                Ok(NdJsonFormat::new(self.rows.clone(), json).ext(&self.name))
            }
            None => Err(DataFusionError::Internal("the built-in JSON format is of another type".to_owned())),
        }
    }
}

/// The rows that a writing plan counted: its only result.
fn count(batch: &RecordBatch) -> u64 {
    batch.column(0).as_primitive::<UInt64Type>().values().iter().sum()
}

impl FileFormatFactory for NdJsonFormatFactory {
    fn create(&self, state: &dyn Session, options: &HashMap<String, String>) -> Result<Arc<dyn FileFormat>> {
        Ok(Arc::new(self.of(&self.json.create(state, options)?)?))
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        let json = JsonFormat::default().with_options(self.json.options.clone().unwrap_or_default());
        Arc::new(NdJsonFormat::new(self.rows.clone(), json).ext(&self.name))
    }
}

impl GetExt for NdJsonFormatFactory {
    fn get_ext(&self) -> String {
        self.name.clone()
    }
}
