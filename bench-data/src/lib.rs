//! Benchmark documents, typed models and seeded generators for `json-rope`.
//!
//! * [`documents`]: the texts of `canada.json`, `citm_catalog.json` and
//!   `twitter.json`, with their lengths and SHA-256 digests;
//! * [`canada`], [`citm`] and [`twitter`]: typed models of all fields of those
//!   three documents;
//! * [`generate`]: deterministic generators of everything else the tests and
//!   benchmarks encode.
//!
//! `README.md` next to this crate's manifest says where the documents come
//! from. The crate is never published.

#![warn(missing_docs)]

pub mod canada;
pub mod citm;
pub mod documents;
pub mod generate;
pub mod twitter;

pub use canada::Canada;
pub use citm::CitmCatalog;
pub use documents::{DOCUMENTS, Document};
pub use twitter::Twitter;
