//! Numbers of serde_json's feature `arbitrary_precision`, which are text, under the options for numbers.

use json_rope::{BigIntegers, Encoder};
use serde_json::Value;

fn number(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// What becomes of the number, as a value that is serialized and as a tree.
fn encoded(encoder: &Encoder, text: &str) -> Result<String, json_rope::Error> {
    let value = Value::Array(vec![number(text)]);
    let tree = encoder.encode_tree(&value);
    let rope = encoder.encode(&value);
    assert_eq!(tree.is_ok(), rope.is_ok(), "{text}");
    if let Ok(tree) = tree {
        assert_eq!(tree, *rope.as_ref().unwrap());
    }
    let array = rope?.into_string()?;
    Ok(array[1..array.len() - 1].to_owned())
}

#[test]
fn big_integers_are_quoted() {
    let encoder = Encoder::builder().big_integers(BigIntegers::String).build().unwrap();
    for small in ["0", "-1", "9007199254740991", "-9007199254740991", "1.5", "1e400", "9007199254740993.0", "12E+30"] {
        assert_eq!(encoded(&encoder, small).unwrap(), number(small).to_string());
    }
    let long = "9".repeat(400);
    for big in ["9007199254740992", "-9007199254740992", "18446744073709551616", &long] {
        assert_eq!(encoded(&encoder, big).unwrap(), format!("\"{big}\""));
    }
    assert_eq!(encoded(&Encoder::new(), &long).unwrap(), long);
}

#[test]
fn canonical_numbers_are_doubles() {
    let encoder = Encoder::builder().canonical(true).build().unwrap();
    for (text, canonical) in [
        ("-0", "0"),
        ("1.50", "1.5"),
        ("1E30", "1e+30"),
        ("0.000001", "0.000001"),
        ("1e-7", "1e-7"),
        ("9007199254740992", "9007199254740992"),
        ("1152921504606846976", "1152921504606847000"),
        ("100000000000000000000000", "1e+23"),
        ("0.1000000000000000055511151231257827", "0.1"),
    ] {
        assert_eq!(encoded(&encoder, text).unwrap(), canonical, "{text}");
    }
    for text in ["9007199254740993", "-18446744073709551615", "1e400", "100000000000000000000001"] {
        assert!(encoded(&encoder, text).unwrap_err().is_data(), "{text}");
    }
}
