//! Documents that are encoded by several threads.
//!
//! * `slice`: arrays in parts
//! * `claims`: which thread encodes which items
//! * `records`: streams of records, in batches
//! * `tree`: trees, whose walks are divided
//! * `slot`: a batch on its way to another thread and back

mod claims;
mod records;
mod slice;
mod slot;
#[cfg(test)]
mod tests;
mod tree;

pub use slice::Par;
