//! The texts of the three classic JSON benchmark documents.

use std::fmt;

/// One benchmark document, with what is needed to check it.
#[derive(Clone, Copy)]
pub struct Document {
    /// The file name it is known by.
    pub name: &'static str,
    /// Length of the text in bytes.
    pub bytes: usize,
    /// SHA-256 digest of the text, in lower-case hexadecimal.
    pub sha256: &'static str,
    source: fn() -> &'static str,
}

impl Document {
    /// The text, exactly as it was distributed (white space included).
    ///
    /// The first call of each document decompresses it.
    pub fn text(&self) -> &'static str {
        (self.source)()
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document")
            .field("name", &self.name)
            .field("bytes", &self.bytes)
            .field("sha256", &self.sha256)
            .finish_non_exhaustive()
    }
}

/// The three documents, largest first.
pub const DOCUMENTS: [Document; 3] = [
    Document {
        name: "canada.json",
        bytes: 2_251_051,
        sha256: "f83b3b354030d5dd58740c68ac4fecef64cb730a0d12a90362a7f23077f50d78",
        source: canada,
    },
    Document {
        name: "citm_catalog.json",
        bytes: 1_727_204,
        sha256: "a73e7a883f6ea8de113dff59702975e60119b4b58d451d518a929f31c92e2059",
        source: citm_catalog,
    },
    Document {
        name: "twitter.json",
        bytes: 631_515,
        sha256: "30721e496a8d73cfc50658923c34eb2c0fbe15ee6835005e43ee624d8dedf200",
        source: twitter,
    },
];

/// The text of `canada.json`: nearly nothing but floating-point numbers.
pub fn canada() -> &'static str {
    &facet_json_classics::CANADA
}

/// The text of `citm_catalog.json`: many small objects, integers and nulls.
pub fn citm_catalog() -> &'static str {
    &facet_json_classics::CITM_CATALOG
}

/// The text of `twitter.json`: strings, many of them Japanese, with escapes.
pub fn twitter() -> &'static str {
    &facet_json_classics::TWITTER
}
