//! How much the tests that go through many cases try.

use std::env;
use std::sync::LazyLock;

/// `JSON_ROPE_SWEEPS` says which.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Sweeps {
    /// Unset: a sample, so that the tests take a minute.
    Sample,
    /// `full`: minutes, as in `.ci/test`.
    Full,
    /// `long`: an hour, as in `.ci/long`.
    Long,
}

pub fn sweeps() -> Sweeps {
    static SWEEPS: LazyLock<Sweeps> = LazyLock::new(|| match env::var("JSON_ROPE_SWEEPS").as_deref() {
        Err(_) => Sweeps::Sample,
        Ok("full") => Sweeps::Full,
        Ok("long") => Sweeps::Long,
        Ok(other) => panic!("JSON_ROPE_SWEEPS is {other:?}, not full or long"),
    });
    *SWEEPS
}

/// Whether the sweeps that take an hour are wanted.
pub fn long() -> bool {
    sweeps() == Sweeps::Long
}

/// So many, or a quarter of it in a sample.
pub fn or_a_quarter(count: usize) -> usize {
    if sweeps() == Sweeps::Sample { count.div_ceil(4) } else { count }
}
