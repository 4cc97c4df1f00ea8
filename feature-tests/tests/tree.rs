//! Trees with numbers of arbitrary precision, and members in their own order, by the direct walk and on demand.

use json_rope::{Encoder, Rope};
use serde_json::{Number, Value};

const TEXT: &str = r#"{"z":1.000,"a":[-0,-0.0,1e+400,0.1000000000000000055511151231257827,123456789012345678901234567890],"m":{"b":7,"a":18446744073709551616}}"#;

#[test]
fn numbers_come_out_verbatim() {
    let tree: Value = serde_json::from_str(TEXT).unwrap();
    for max in [16, 65536] {
        let encoder = Encoder::builder().first_chunk(16).max_chunk(max).build().unwrap();
        assert_eq!(encoder.encode(&tree).unwrap(), TEXT);
        assert_eq!(encoder.encode_tree(&tree).unwrap(), TEXT);
        assert_eq!(encoder.chunks(&tree).map(Result::unwrap).collect::<Rope>(), TEXT);
        assert_eq!(encoder.chunks(tree.clone()).map(Result::unwrap).collect::<Rope>(), TEXT);
    }
}

#[test]
fn a_number_longer_than_a_chunk() {
    let digits = "1234567890".repeat(1000);
    let tree = Value::Array(vec![Value::Number(Number::from_string_unchecked(digits.clone()))]);
    let encoder = Encoder::builder().first_chunk(16).max_chunk(16).build().unwrap();
    let chunks: Vec<_> = encoder.chunks(&tree).map(Result::unwrap).collect();
    assert!(chunks.iter().all(|chunk| chunk.len() <= 16));
    assert_eq!(chunks.into_iter().collect::<Rope>(), format!("[{digits}]"));
}
