//! Documents that are encoded by several threads.
//!
//! * `slice`: arrays in parts
//! * `claims`: which thread encodes which items

mod claims;
mod slice;
#[cfg(test)]
mod tests;

pub use slice::Par;
