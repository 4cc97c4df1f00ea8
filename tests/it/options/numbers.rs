//! Proves `big_integers` and `NonFinite::String`: which numbers become strings, and which do not.

use std::collections::BTreeMap;

use json_rope::{BigIntegers, Encoder, Fragment, NonFinite};
use serde_json::json;
use serde_json::value::RawValue;

fn quoting() -> Encoder {
    Encoder::builder().big_integers(BigIntegers::String).build().unwrap()
}

const EDGE: u64 = 1 << 53;

#[test]
fn integers_beyond_the_edge_are_quoted() {
    let encoder = quoting();
    for size in [0, 1, EDGE - 2, EDGE - 1] {
        assert_eq!(encoder.encode(&size).unwrap(), size.to_string());
        assert_eq!(encoder.encode(&-(size as i64)).unwrap(), (-(size as i64)).to_string());
        assert_eq!(encoder.encode(&u128::from(size)).unwrap(), size.to_string());
        assert_eq!(encoder.encode(&-i128::from(size)).unwrap(), (-i128::from(size)).to_string());
    }
    for size in [EDGE, EDGE + 1, 1 << 60, i64::MAX as u64] {
        assert_eq!(encoder.encode(&size).unwrap(), format!("\"{size}\""));
        assert_eq!(encoder.encode(&-(size as i64)).unwrap(), format!("\"-{size}\""));
        assert_eq!(encoder.encode(&u128::from(size)).unwrap(), format!("\"{size}\""));
        assert_eq!(encoder.encode(&-i128::from(size)).unwrap(), format!("\"-{size}\""));
    }
    assert_eq!(encoder.encode(&i64::MIN).unwrap(), r#""-9223372036854775808""#);
    assert_eq!(encoder.encode(&u64::MAX).unwrap(), r#""18446744073709551615""#);
    assert_eq!(encoder.encode(&i128::MIN).unwrap(), format!("\"{}\"", i128::MIN));
    assert_eq!(encoder.encode(&u128::MAX).unwrap(), format!("\"{}\"", u128::MAX));
}

#[test]
fn floats_keys_and_text_from_elsewhere_stay() {
    let encoder = quoting();
    assert_eq!(encoder.encode(&[1e300, 9007199254740993.0]).unwrap(), "[1e+300,9007199254740992.0]");
    assert_eq!(
        encoder.encode(&BTreeMap::from([(u64::MAX, u64::MAX)])).unwrap(),
        r#"{"18446744073709551615":"18446744073709551615"}"#
    );
    let number = u64::MAX.to_string();
    let raw = RawValue::from_string(number.clone()).unwrap();
    assert_eq!(encoder.encode(&(&raw, Fragment::trusted(number.clone()))).unwrap(), format!("[{number},{number}]"));
    assert_eq!(encoder.encode(&"18446744073709551615").unwrap(), "\"18446744073709551615\"");
}

#[test]
fn in_trees_on_every_way() {
    let tree = json!({"id": u64::MAX, "low": i64::MIN, "near": EDGE - 1, "list": [EDGE, -1.5]});
    let text = r#"{"id":"18446744073709551615","list":["9007199254740992",-1.5],"low":"-9223372036854775808","near":9007199254740991}"#;
    let encoder = quoting();
    assert_eq!(encoder.encode(&tree).unwrap(), text);
    assert_eq!(encoder.encode_tree(&tree).unwrap(), text);
    let small = Encoder::builder().big_integers(BigIntegers::String).max_chunk(16).build().unwrap();
    assert_eq!(small.chunks(&tree).map(Result::unwrap).collect::<json_rope::Rope>(), text);
    let mut written = Vec::new();
    small.write(&mut written, &tree).unwrap();
    assert_eq!(written, text.as_bytes());
}

#[test]
fn the_default_quotes_nothing() {
    let explicit = Encoder::builder().big_integers(BigIntegers::Number).ascii(true).build().unwrap();
    for encoder in [Encoder::new(), explicit, Encoder::builder().pretty(true).build().unwrap()] {
        assert_eq!(encoder.encode(&u64::MAX).unwrap(), "18446744073709551615");
        assert_eq!(encoder.encode(&i128::MIN).unwrap(), i128::MIN.to_string());
    }
}

#[test]
fn floats_that_are_not_finite_have_names() {
    let encoder = Encoder::builder().non_finite(NonFinite::String).build().unwrap();
    let doubles = [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0];
    let text = r#"["NaN","NaN","Infinity","-Infinity",1.0]"#;
    assert_eq!(encoder.encode(&doubles).unwrap(), text);
    assert_eq!(encoder.encode(&doubles.map(|double| double as f32)).unwrap(), text);
    // As a key it is an error as before.
    struct Key;
    impl serde::Serialize for Key {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeMap;
            let mut map = serializer.serialize_map(None)?;
            map.serialize_entry(&f64::NAN, &())?;
            map.end()
        }
    }
    assert_eq!(encoder.encode(&Key).unwrap_err().message(), "float key must be finite");
}
