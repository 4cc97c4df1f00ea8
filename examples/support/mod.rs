//! What the `encode` example needs besides the encoder itself.

pub mod args;
pub mod bars;
pub mod input;
pub mod measure;
pub mod output;
pub mod progress;
pub mod text;

use std::io;

/// Why the example ends early.
pub enum Failure {
    /// The reader of our output has gone: nothing is wrong, and nobody is there to be told.
    BrokenPipe,
    /// Something to tell the user.
    Message(String),
}

impl Failure {
    /// An I/O error of our output, with what could not be done.
    pub fn output(what: &str, error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::Message(format!("{what}: {error}")),
        }
    }
}
