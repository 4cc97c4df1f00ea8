//! With feature `datafusion`: a file format for DataFusion 55, with which `COPY`, `INSERT` and DataFrames write NDJSON.
//!
//! Register a [`NdJsonFormatFactory`] with a session. Then SQL knows the format by name:
//!
//! ```
//! use std::sync::Arc;
//!
//! use datafusion::execution::SessionStateBuilder;
//! use datafusion::prelude::SessionContext;
//! use json_rope::Encoder;
//! use json_rope_arrow::RowEncoder;
//! use json_rope_arrow::datafusion::NdJsonFormatFactory;
//!
//! let format = NdJsonFormatFactory::new(RowEncoder::new(Encoder::new()));
//! let mut state = SessionStateBuilder::new().with_default_features().build();
//! state.register_file_format(Arc::new(format), false)?;
//! let session = SessionContext::new_with_state(state);
//! // With DataFusion's feature `sql`:
//! // session.sql("COPY (SELECT …) TO 'out/' STORED AS NDJSON PARTITIONED BY (day)").await?.collect().await?;
//! # Ok::<(), datafusion::error::DataFusionError>(())
//! ```
//!
//! # What it is
//!
//! The built-in JSON format with another encoder. Files, object stores, compression, partitions and the options of `COPY` are
//! those of DataFusion, and so are its tasks: it encodes the batches of a file in parallel, one task for each, and
//! writes them in order. Reading is left to the built-in [`JsonFormat`], whole.
//!
//! What is written is what the crate's documentation lists, with all options of the [`Encoder`](json_rope::Encoder). Two
//! differences to the built-in format, besides those to arrow-json: a format that was asked for JSON arrays
//! (`newline_delimited` is false) refuses to write, where the built-in one writes lines all the same; and unions are refused.
//!
//! # Errors
//!
//! When a query fails half-way, or a value cannot be encoded, the statement fails with that error. As with the built-in
//! format, files that were begun stay, with the whole rows that were written before. So write to a new folder, and
//! use it when the statement has succeeded.
//!
//! # Cost
//!
//! For each batch one buffer, about as long as its text. A `COPY` of mixed columns from memory has twice as many rows a second
//! as with the built-in format; DESIGN.md of json-rope has the figures.
//!
//! [`JsonFormat`]: datafusion::datasource::file_format::json::JsonFormat

mod factory;
mod format;
mod sink;

pub use factory::NdJsonFormatFactory;
pub use format::NdJsonFormat;
pub use sink::NdJsonSink;
