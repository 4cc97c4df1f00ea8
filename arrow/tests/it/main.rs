//! The tests of json-rope-arrow, one program.

mod cases;
mod differential;
mod errors;
mod options;
mod random;
mod support;
mod types;
