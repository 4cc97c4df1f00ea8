//! What the targets share, with each other and with the integration tests.

pub mod shape;

#[path = "../../../tests/support/check.rs"]
pub mod check;
#[path = "../../../tests/support/differential/mod.rs"]
pub mod differential;
#[path = "../../../tests/support/frames.rs"]
pub mod frames;
#[path = "../../../tests/support/reference.rs"]
pub mod reference;
#[path = "../../../tests/support/values.rs"]
pub mod values;
