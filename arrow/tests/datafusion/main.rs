//! The feature `datafusion`: real SQL over real Parquet files, written by our format and by the built-in one.

mod copy;
mod errors;
mod frames;
mod read;
mod support;
