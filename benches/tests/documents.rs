//! Proves that the benchmarks measure what they say: every document of theirs is encoded to serde_json's bytes in every
//! way of ours. The documents themselves, and that the typed models hold all of them, are proved in `bench-data/tests`;
//! that the peers encode the same values, by the benchmarks in each run, as in `.ci/benches`.

#[allow(dead_code, reason = "the peers are for the benchmarks")]
#[path = "../support/mod.rs"]
mod support;

use json_rope::Encoder;
use serde::Serialize;
use serde_json::Value;
use support::documents::{self, Visitor};
use support::floors::{self, Floors};
use support::peers::{done, ours};

/// Name and number of bytes of every document, so that none is lost or changed without notice.
const DOCUMENTS: [(&str, usize); 23] = [
    ("canada", 2_063_561),
    ("citm_catalog", 500_299),
    ("twitter", 466_906),
    ("log records", 571_666),
    ("canada, Value", 2_063_469),
    ("citm_catalog, Value", 500_299),
    ("twitter, Value", 466_906),
    ("plain", 1_048_578),
    ("escape every 25 bytes", 1_094_305),
    ("CJK and emoji", 1_048_578),
    ("HTML", 1_115_889),
    ("150-byte message", 150),
    ("2 KB object", 2_030),
    ("true", 4),
    ("object of 8 bytes", 8),
    ("struct of 22 bytes", 22),
    ("struct of 93 bytes", 93),
    ("Base64, 1 MiB", 1_048_578),
    ("small integers", 458_654),
    ("floats", 738_814),
    ("wide object", 492_501),
    ("mixed tree", 603_065),
    ("deep tree", 12_498),
];

#[derive(Default)]
struct Checked {
    documents: Vec<(&'static str, usize)>,
    trees: usize,
}

impl Visitor for Checked {
    fn group(&mut self, _name: &'static str) {}

    /// Those of megabytes take too long here. They are rows of what other documents have, and the benchmark checks them.
    fn wants(&self, name: &str) -> bool {
        !name.contains(" rows")
    }

    fn visit<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) {
        let (ours, encoder) = (ours::<T>(), Encoder::new());
        let compact = done(serde_json::to_vec(value));
        assert!((ours.compact)(value) == compact, "{name}: to_rope");
        assert!(done(json_rope::to_vec(value)) == compact, "{name}: to_vec");
        for _ in 0..3 {
            assert!(done(encoder.encode(value)) == compact, "{name}: Encoder");
        }
        let mut written = Vec::new();
        done(json_rope::to_writer(&mut written, value));
        assert!(written == compact, "{name}: to_writer");
        let pretty = done(serde_json::to_vec_pretty(value));
        assert!((ours.pretty)(value) == pretty, "{name}: to_rope_pretty");
        self.documents.push((name, compact.len()));
    }

    fn visit_tree(&mut self, name: &'static str, tree: &Value) {
        let compact = done(serde_json::to_vec(tree));
        assert!(done(Encoder::new().encode_tree(tree)) == compact, "{name}: encode_tree");
        let chunks: Vec<_> = Encoder::new().chunks(tree).map(done).collect();
        assert!(chunks.concat() == compact, "{name}: chunks");
        self.trees += 1;
        self.visit(name, tree);
    }
}

#[test]
fn every_candidate_encodes_every_document_as_serde_json_does() {
    let mut checked = Checked::default();
    documents::visit_all(&mut checked);
    assert_eq!(checked.documents, DOCUMENTS);
    assert_eq!(checked.trees, 6);
}

#[test]
fn floors_do_the_work_they_are_named_for() {
    let Floors { values, canada, floats, plain } = Floors::new();
    assert_eq!(floats.len(), 111_126);
    let digits: usize = floats.iter().map(|&float| text_len(float)).sum();
    assert_eq!(floors::format_floats(&floats), digits);
    // The floats are those of the document, in its order.
    let text = done(serde_json::to_string(&canada));
    let mut rest = text.as_str();
    for float in floats.iter().map(|float| done(serde_json::to_string(float))) {
        let at = rest.find(&float).expect("the document has every float");
        rest = &rest[at + float.len()..];
    }
    assert_eq!(floors::copy(plain.as_bytes()), plain.as_bytes());
    assert_eq!(plain.len() + 2, done(serde_json::to_vec(&plain)).len());
    for (name, value) in &values {
        assert!(floors::walk(value) > 0, "{name}");
    }
}

/// Length of a float's text in JSON.
fn text_len(float: f64) -> usize {
    done(serde_json::to_string(&float)).len()
}
