//! What the examples share. The examples themselves are in `src/bin`.

pub mod args;
pub mod heap;
pub mod input;
pub mod measure;
pub mod output;
pub mod program;
pub mod terminal;
pub mod text;
