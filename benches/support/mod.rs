//! What the benchmarks share: the documents, the peers and the floors.

pub mod documents;
pub mod floors;
pub mod peers;
