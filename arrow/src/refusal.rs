//! The error for columns that have no JSON form.

use std::fmt::{self, Display};

use arrow_schema::DataType;

/// Why a batch cannot be encoded at all, and because of which column.
#[derive(Debug)]
pub(crate) struct Refusal {
    reason: String,
    /// A JSON Pointer.
    pointer: String,
}

impl Refusal {
    #[cold]
    pub(crate) fn new(reason: String) -> Refusal {
        Refusal { reason, pointer: String::new() }
    }

    #[cold]
    pub(crate) fn unsupported(data_type: &DataType) -> Refusal {
        Refusal::new(format!("the type {data_type} has no JSON form"))
    }

    /// The same refusal, of a member with this name.
    #[cold]
    pub(crate) fn inside(mut self, name: &str) -> Refusal {
        let name = name.replace('~', "~0").replace('/', "~1");
        self.pointer = format!("/{name}{}", self.pointer);
        self
    }

    #[cold]
    pub(crate) fn pointer(&self) -> &str {
        &self.pointer
    }

    #[cold]
    pub(crate) fn reason(&self) -> &str {
        &self.reason
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.pointer, self.reason)
    }
}

impl std::error::Error for Refusal {}
