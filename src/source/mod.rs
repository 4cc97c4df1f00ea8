//! What is encoded.

pub(crate) mod tree;
