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
pub mod values;
pub mod writer;

/// Whether the sweeps that take minutes are wanted: `JSON_ROPE_LONG` is set, as in `.ci/long`.
pub fn long() -> bool {
    static LONG: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| std::env::var_os("JSON_ROPE_LONG").is_some());
    *LONG
}
