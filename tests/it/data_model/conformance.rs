//! Proves the text of serde's whole data model, compact and pretty, against literals and against serde_json.

use std::collections::BTreeMap;
use std::fmt;

use json_rope::{to_rope, to_string, to_string_pretty};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::support::outputs::{compact, golden, golden_pretty, pretty};
use crate::support::values::{Calls, Hint, Key, Pieces, Shape};

#[derive(Serialize)]
struct Unit;

#[derive(Serialize)]
struct Newtype(u8);

#[derive(Serialize)]
struct Pair(u8, &'static str);

#[derive(Serialize)]
struct Point {
    x: i32,
    y: i32,
}

#[derive(Serialize)]
enum External {
    Unit,
    Newtype(u8),
    Tuple(u8, u8),
    EmptyTuple(),
    Struct { a: u8, b: Option<u8> },
    EmptyStruct {},
}

#[derive(Serialize)]
#[serde(tag = "type")]
enum Internal {
    Unit,
    Newtype(Point),
    Struct { a: u8 },
}

#[derive(Serialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Unit,
    Newtype(u8),
    Tuple(u8, u8),
    Struct { a: u8 },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Untagged {
    Unit,
    Newtype(u8),
    Tuple(u8, u8),
    Struct { a: u8 },
}

#[test]
fn scalars() {
    golden(&true, "true");
    golden(&false, "false");
    golden(&(), "null");
    golden(&'a', r#""a""#);
    golden(&'"', r#""\"""#);
    golden(&'\u{10ffff}', "\"\u{10ffff}\"");
    golden("text", r#""text""#);
    golden("", r#""""#);
    golden(&None::<u8>, "null");
    golden(&Some(1), "1");
    golden(&Some(Some(())), "null");
    golden(&Unit, "null");
    golden(&Newtype(7), "7");
}

#[test]
fn br_063_scalars_by_every_way_out() {
    for (value, text) in
        [(json!(10), "10"), (json!("s"), r#""s""#), (json!(null), "null"), (json!(true), "true"), (json!(1.5), "1.5")]
    {
        golden_pretty(&value, text, text);
    }
}

#[test]
fn sequences_and_tuples() {
    golden_pretty(&[1, 2], "[1,2]", "[\n  1,\n  2\n]");
    golden_pretty(&(1, "a", [(); 0]), r#"[1,"a",[]]"#, "[\n  1,\n  \"a\",\n  []\n]");
    golden(&Pair(1, "b"), r#"[1,"b"]"#);
    golden(&vec![vec![1], vec![], vec![2, 3]], "[[1],[],[2,3]]");
    golden(&Vec::<u8>::new(), "[]");
    golden(&[(), ()], "[null,null]");
    golden(&[Some(1), None], "[1,null]");
}

#[test]
fn maps_and_structs() {
    let point = Point { x: -1, y: 2 };
    golden_pretty(&point, r#"{"x":-1,"y":2}"#, "{\n  \"x\": -1,\n  \"y\": 2\n}");
    golden(&BTreeMap::from([("k", point)]), r#"{"k":{"x":-1,"y":2}}"#);
}

#[test]
fn enums_with_the_variant_outside() {
    golden(&External::Unit, r#""Unit""#);
    golden_pretty(&External::Newtype(1), r#"{"Newtype":1}"#, "{\n  \"Newtype\": 1\n}");
    golden_pretty(&External::Tuple(1, 2), r#"{"Tuple":[1,2]}"#, "{\n  \"Tuple\": [\n    1,\n    2\n  ]\n}");
    golden_pretty(&External::EmptyTuple(), r#"{"EmptyTuple":[]}"#, "{\n  \"EmptyTuple\": []\n}");
    golden_pretty(
        &External::Struct { a: 1, b: None },
        r#"{"Struct":{"a":1,"b":null}}"#,
        "{\n  \"Struct\": {\n    \"a\": 1,\n    \"b\": null\n  }\n}",
    );
    golden_pretty(&External::EmptyStruct {}, r#"{"EmptyStruct":{}}"#, "{\n  \"EmptyStruct\": {}\n}");
    golden(&[External::Unit, External::Tuple(1, 2), External::Newtype(3)], r#"["Unit",{"Tuple":[1,2]},{"Newtype":3}]"#);
}

#[test]
fn enums_with_the_variant_elsewhere() {
    golden(&Internal::Unit, r#"{"type":"Unit"}"#);
    golden(&Internal::Newtype(Point { x: 1, y: 2 }), r#"{"type":"Newtype","x":1,"y":2}"#);
    golden(&Internal::Struct { a: 1 }, r#"{"type":"Struct","a":1}"#);
    golden(&Adjacent::Unit, r#"{"t":"Unit"}"#);
    golden(&Adjacent::Newtype(1), r#"{"t":"Newtype","c":1}"#);
    golden(&Adjacent::Tuple(1, 2), r#"{"t":"Tuple","c":[1,2]}"#);
    golden(&Adjacent::Struct { a: 1 }, r#"{"t":"Struct","c":{"a":1}}"#);
    golden(&Untagged::Unit, "null");
    golden(&Untagged::Newtype(1), "1");
    golden(&Untagged::Tuple(1, 2), "[1,2]");
    golden(&Untagged::Struct { a: 1 }, r#"{"a":1}"#);
}

#[test]
fn skipped_and_renamed_fields() {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Skipping {
        #[serde(skip_serializing_if = "Option::is_none")]
        first_one: Option<u8>,
        #[serde(rename = "q\"q")]
        renamed: u8,
        #[serde(skip)]
        _never: u8,
        #[serde(skip_serializing_if = "Option::is_none")]
        last_one: Option<u8>,
    }
    let value = |first_one, last_one| Skipping { first_one, renamed: 0, _never: 1, last_one };
    golden(&value(None, None), r#"{"q\"q":0}"#);
    golden(&value(Some(1), None), r#"{"firstOne":1,"q\"q":0}"#);
    golden(&value(None, Some(2)), r#"{"q\"q":0,"lastOne":2}"#);
    #[derive(Serialize)]
    struct AllSkipped {
        #[serde(skip_serializing_if = "Option::is_none")]
        a: Option<u8>,
    }
    golden_pretty(&[AllSkipped { a: None }], "[{}]", "[\n  {}\n]");
}

#[test]
fn br_064_flattened_fields_may_repeat_a_key() {
    #[derive(Serialize)]
    struct Outer {
        limit: u8,
        #[serde(flatten)]
        rest: BTreeMap<&'static str, u8>,
        #[serde(flatten)]
        point: Option<Point>,
    }
    let outer = Outer { limit: 1, rest: BTreeMap::from([("limit", 2)]), point: None };
    golden_pretty(&outer, r#"{"limit":1,"limit":2}"#, "{\n  \"limit\": 1,\n  \"limit\": 2\n}");
    let outer = Outer { limit: 1, rest: BTreeMap::new(), point: Some(Point { x: 1, y: 2 }) };
    golden(&outer, r#"{"limit":1,"x":1,"y":2}"#);
    #[derive(Serialize)]
    struct Tagged {
        #[serde(flatten)]
        kind: External,
        z: u8,
    }
    golden(&Tagged { kind: External::Tuple(1, 2), z: 3 }, r#"{"Tuple":[1,2],"z":3}"#);
    golden(&Tagged { kind: External::Struct { a: 1, b: None }, z: 3 }, r#"{"Struct":{"a":1,"b":null},"z":3}"#);
    golden(&Tagged { kind: External::Newtype(1), z: 3 }, r#"{"Newtype":1,"z":3}"#);
}

#[test]
fn br_080_bytes_are_arrays_of_numbers() {
    golden_pretty(&Shape::Bytes(vec![0, 255]), "[0,255]", "[\n  0,\n  255\n]");
    golden_pretty(&Shape::Bytes(vec![]), "[]", "[]");
    golden(&Shape::Seq(Hint::True, vec![Shape::Bytes(vec![7]), Shape::Bytes(vec![])]), "[[7],[]]");
    let all: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    assert_eq!(to_string(&Shape::Bytes(all.clone())).unwrap(), serde_json::to_string(&all).unwrap());
    assert_eq!(to_string_pretty(&Shape::Bytes(all.clone())).unwrap(), serde_json::to_string_pretty(&all).unwrap());
}

#[test]
fn br_082_empty_containers_are_two_bytes() {
    golden_pretty(
        &json!({"a": {}, "b": [], "c": [[]]}),
        r#"{"a":{},"b":[],"c":[[]]}"#,
        "{\n  \"a\": {},\n  \"b\": [],\n  \"c\": [\n    []\n  ]\n}",
    );
    golden_pretty(&json!([]), "[]", "[]");
    golden_pretty(&json!({}), "{}", "{}");
    golden_pretty(&json!([{}, [], {}]), "[{},[],{}]", "[\n  {},\n  [],\n  {}\n]");
}

#[test]
fn br_014_every_control_character() {
    let all: String = (0..0x20u8).map(char::from).collect();
    let text = concat!(
        r#""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f"#,
        r#"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f""#
    );
    golden(&all, text);
    golden(&BTreeMap::from([(&all, &all)]), &format!("{{{text}:{text}}}"));
    golden(&Shape::Display(Pieces(vec![all.clone()])), text);
    // Each alone, and each at each place in a text of every short length, which is copied in a way of its own.
    for c in (0..0x24u8).map(char::from).chain("<[\\]`\u{7f}".chars()) {
        golden(&c, &serde_json::to_string(&c).unwrap());
        for len in 1..=70 {
            for at in 0..len {
                let text = "-".repeat(at) + &c.to_string() + &"-".repeat(len - at - 1);
                assert_eq!(to_string(&text).unwrap(), serde_json::to_string(&text).unwrap());
            }
        }
    }
}

#[test]
fn br_087_delete_is_left_alone() {
    golden("\u{1}\u{7f}", "\"\\u0001\u{7f}\"");
}

#[test]
fn br_084_nothing_else_is_escaped() {
    let text = "</script><!-- & ' \u{2028}\u{2029} föö \u{fffd}\u{feff}\u{80}\u{9f}";
    golden(text, &format!("\"{text}\""));
    golden("\\\"/\u{8}", r#""\\\"/\b""#);
}

/// Bytes of characters must not be mistaken for characters to be escaped: every character of two bytes, and many more.
#[test]
fn every_kind_of_character_is_left_alone() {
    let characters = ('\u{80}'..='\u{7ff}').chain(('\u{800}'..='\u{10ffff}').step_by(97));
    let text: String = characters.collect();
    golden(&text, &format!("\"{text}\""));
}

#[test]
fn length_hints_never_decide_structure() {
    for hint in [Hint::True, Hint::Unknown, Hint::TooFew, Hint::TooMany, Hint::Zero] {
        let seq = |items: &[u8]| Shape::Seq(hint, items.iter().map(|n| Shape::U8(*n)).collect());
        assert_eq!(compact(&seq(&[])), "[]");
        assert_eq!(pretty(&seq(&[])), "[]");
        assert_eq!(compact(&seq(&[0, 1])), "[0,1]");
        assert_eq!(pretty(&seq(&[0, 1])), "[\n  0,\n  1\n]");
        let member = |n| (Key::U8(n), Shape::U8(n));
        for calls in [Calls::Entries, Calls::KeysAndValues, Calls::Alternating] {
            assert_eq!(compact(&Shape::Map(hint, calls, vec![])), "{}");
            assert_eq!(pretty(&Shape::Map(hint, calls, vec![])), "{}");
            let map = Shape::Map(hint, calls, vec![member(0), member(1)]);
            assert_eq!(compact(&map), r#"{"0":0,"1":1}"#);
            assert_eq!(pretty(&map), "{\n  \"0\": 0,\n  \"1\": 1\n}");
        }
    }
    struct Five(Option<usize>);
    impl Serialize for Five {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_seq(self.0)?.end()
        }
    }
    for hint in [Some(5), Some(usize::MAX), Some(0), None] {
        assert_eq!(compact(&Five(hint)), "[]");
        assert_eq!(pretty(&Five(hint)), "[]");
    }
}

#[test]
fn displayed_strings() {
    golden(&format_args!("{}-{:?}", 1, "two"), r#""1-\"two\"""#);
    golden(
        &Shape::Display(Pieces(["a", "", "\"", "é", "\n", "😀", "\\"].map(String::from).to_vec())),
        r#""a\"é\n😀\\""#,
    );
    golden(&Shape::Display(Pieces(vec![])), r#""""#);
    golden(&std::net::Ipv6Addr::LOCALHOST, r#""::1""#);
    // Pieces that together are longer than the first chunks.
    let pieces = vec!["piece \"€\" ".to_owned(); 5_000];
    let whole = pieces.concat();
    assert_eq!(compact(&Shape::Display(Pieces(pieces))), serde_json::to_string(&whole).unwrap());
}

#[test]
fn a_display_that_fails_is_an_error() {
    struct Failing(bool);
    impl fmt::Display for Failing {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("half")?;
            if self.0 { Err(fmt::Error) } else { Ok(()) }
        }
    }
    impl Serialize for Failing {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(self)
        }
    }
    assert_eq!(compact(&Failing(false)), r#""half""#);
    let error = to_rope(&[Failing(false), Failing(true)]).unwrap_err();
    assert!(error.is_data());
    assert_eq!(error.pointer(), Some("/1"));
    assert!(json_rope::to_writer(Vec::new(), &Failing(true)).unwrap_err().is_data());
}

#[cfg(unix)]
#[test]
fn br_081_a_path_that_is_not_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;
    let error = to_rope(Path::new(OsStr::from_bytes(b"/files/\xff"))).unwrap_err();
    assert!(error.is_data());
    assert_eq!(error.to_string(), "cannot encode the document: path contains invalid UTF-8 characters");
    golden(Path::new("/files/é"), r#""/files/é""#);
}

#[test]
fn br_114_members_keep_their_order() {
    #[derive(Serialize)]
    struct Order {
        z: u8,
        a: u8,
    }
    golden(&Order { z: 1, a: 2 }, r#"{"z":1,"a":2}"#);
    let value: Value = serde_json::from_str(r#"{"z":1,"a":2}"#).unwrap();
    golden(&value, &serde_json::to_string(&value).unwrap());
    let members = vec![(Key::Str("z".into()), Shape::U8(1)), (Key::Str("a".into()), Shape::U8(2))];
    assert_eq!(compact(&Shape::Map(Hint::True, Calls::Entries, members)), r#"{"z":1,"a":2}"#);
}

#[test]
fn unsized_and_shared_values() {
    golden(&Box::<str>::from("text"), r#""text""#);
    golden(&[1u8, 2][..], "[1,2]");
    golden(&Box::new(std::borrow::Cow::from("c")), r#""c""#);
    golden(&std::rc::Rc::new(1).to_string(), r#""1""#);
    golden(&(1..4).collect::<Vec<_>>().as_slice(), "[1,2,3]");
    golden(&Ok::<u8, ()>(1), r#"{"Ok":1}"#);
    golden(&(0..3), r#"{"start":0,"end":3}"#);
    golden(&std::time::Duration::new(1, 2), r#"{"secs":1,"nanos":2}"#);
}
