//! What the `encode` example needs besides the encoder itself.

pub mod args;
pub mod bars;
pub mod input;
pub mod measure;
pub mod output;
pub mod progress;
pub mod text;

use std::io;

/// Why the example ends early, for the user.
pub struct Failure(pub String);

impl Failure {
    /// An I/O error of our output, with what could not be done. Also if its reader has gone: output that is cut short
    /// must not look complete to whoever waits for the exit code.
    pub fn output(what: &str, error: &io::Error) -> Failure {
        Failure(format!("{what}: {error}"))
    }
}
