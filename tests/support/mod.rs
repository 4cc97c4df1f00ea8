//! What several test programs share: values, writers, and references that are written the slow and obvious way.
//!
//! `guard.rs` is not a part of it: only `guard_page.rs` and the unit tests of `escape` use it.

pub mod check;
pub mod differential;
pub mod documents;
pub mod failing;
pub mod frames;
pub mod generated_numbers;
pub mod outputs;
pub mod reference;
pub mod strategy;
pub mod sweeps;
pub mod values;
pub mod writer;
