//! The documents are the files they are said to be.

use json_rope_bench_data::{DOCUMENTS, documents};
use sha2::{Digest, Sha256};

#[test]
fn lengths_and_digests_are_as_documented() {
    for document in DOCUMENTS {
        let text = document.text();
        assert_eq!(text.len(), document.bytes, "{document:?}");
        let digest = format!("{:x}", Sha256::digest(text));
        assert_eq!(digest, document.sha256, "{document:?}");
    }
}

#[test]
fn the_table_names_the_right_texts() {
    let texts = [
        ("canada.json", documents::canada()),
        ("citm_catalog.json", documents::citm_catalog()),
        ("twitter.json", documents::twitter()),
    ];
    assert_eq!(DOCUMENTS.map(|d| (d.name, d.text())), texts);
}

#[test]
fn the_readme_has_the_same_table() {
    let readme = include_str!("../README.md");
    for document in DOCUMENTS {
        let row = format!("| `{}` | {} | `{}` |", document.name, document.bytes, document.sha256);
        assert!(readme.contains(&row), "README.md has no row {row}");
    }
}
