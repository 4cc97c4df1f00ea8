//! Seeded, deterministic generators.
//!
//! Every generator that takes a seed makes the same value for the same seed on
//! every platform and in every build; a change of what one makes is a change
//! of the benchmark. Another seed makes another value of the same shape.

mod numbers;
mod records;
mod rng;
mod stream;
mod text;
mod tree;

pub use numbers::{floats, small_integers};
pub use records::{Address, Level, LogRecord, Message, Object2k, OrderLine, log_records, message, object_2kb};
pub use rng::SplitMix64;
pub use stream::{ArrayOfBytes, array_of_bytes};
pub use text::{base64_strings, cjk_emoji_text, escaped_text, html_text, plain_text};
pub use tree::{deep_tree, mixed_tree, wide_object};
