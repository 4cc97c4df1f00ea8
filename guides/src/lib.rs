//! The examples of two pages, as tests: `cargo test -p json-rope-guides`. A package of its own, because they need crates
//! that the tests of the library do without.

#[cfg(doctest)]
#[doc = include_str!("../../docs/guides.md")]
struct Guides;

#[cfg(doctest)]
#[doc = include_str!("../../docs/coming-from-serde-json.md")]
struct ComingFromSerdeJson;
