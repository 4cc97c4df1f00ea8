//! Fragments in a build where nothing has turned on serde_json's feature `raw_value`: its serializers get the value that
//! a fragment stands for, and a fragment that is read is what they give. (This package depends on nothing that does.)

use json_rope::{Fragment, to_rope};
use serde_json::{Value, json};

/// JSON that comes out of serde_json as it was.
const TEXTS: [&str; 8] = [
    "null",
    "true",
    "-1",
    "1.5",
    "18446744073709551615",
    r#""a\"b\n\u0001é""#,
    r#"[[],{},[1,{"a":[null]}]]"#,
    r#"{"b":1,"a":{"$serde_json::private::Number":"1","$serde_json::private::RawValue":"[]"},"b":2}"#,
];

#[test]
fn the_feature_is_off() {
    // With it, this text is not taken for an object.
    let text = r#"{"$serde_json::private::RawValue":"[1]"}"#;
    assert_eq!(serde_json::from_str::<Value>(text).unwrap().to_string(), text);
}

#[test]
fn serialized() {
    for text in TEXTS {
        let fragment = Fragment::trusted(format!(" {text} "));
        assert_eq!(serde_json::to_string(&[&fragment]).unwrap(), format!("[{text}]"));
        assert_eq!(serde_json::to_value(&fragment).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(to_rope(&[fragment]).unwrap(), format!("[ {text} ]"));
    }
    for text in ["", "[1", "[1] 2", "\u{7f}"] {
        let error = serde_json::to_string(&Fragment::trusted(text)).unwrap_err();
        assert!(error.to_string().contains("not JSON at byte"), "{error}");
    }
    assert!(serde_json::to_string(&Fragment::trusted(b"\xff".to_vec())).is_err());
    let deep = "[".repeat(200) + &"]".repeat(200);
    assert!(serde_json::to_string(&Fragment::trusted(deep)).unwrap_err().to_string().contains("recursion limit"));
}

#[test]
fn deserialized() {
    for text in TEXTS {
        assert_eq!(serde_json::from_str::<Fragment>(&format!(" {text} ")).unwrap().as_rope(), text);
        assert_eq!(
            serde_json::from_reader::<_, Vec<Fragment>>(format!("[{text}]").as_bytes()).unwrap()[0].as_rope(),
            text
        );
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::from_value::<Fragment>(value.clone()).unwrap().as_rope(), &*value.to_string());
    }
    assert_eq!(serde_json::from_str::<Fragment>(r#"{ "n": 1.50 }"#).unwrap().as_rope(), r#"{"n":1.5}"#);
    assert!(serde_json::from_str::<Fragment>("[1,").unwrap_err().to_string().contains("EOF while parsing"));
    assert_eq!(serde_json::from_value::<Vec<Fragment>>(json!([1, "a"])).unwrap().len(), 2);
}
