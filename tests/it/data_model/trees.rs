//! A `serde_json::Value` is written by its own walk wherever it is: alone, in structs, arrays, maps and options, by
//! reference or not. Text, errors and limits are those of any other value.

use std::collections::{BTreeMap, HashMap};

use json_rope::{Encoder, to_rope, to_string, to_string_pretty};
use serde::Serialize;
use serde_json::{Map, Value, json};

#[derive(Serialize)]
struct Row<'v> {
    plain: Value,
    reference: &'v Value,
    option: Option<Value>,
    nothing: Option<&'v Value>,
    list: Vec<Value>,
    slice: &'v [Value],
    references: Vec<&'v Value>,
    array: [Value; 2],
    map: BTreeMap<&'static str, Value>,
    by_reference: HashMap<u8, &'v Value>,
    object: Map<String, Value>,
    boxed: Box<Value>,
    tuple: (Value, &'v Value),
    #[serde(flatten)]
    rest: Map<String, Value>,
    variant: Variant<'v>,
}

#[derive(Serialize)]
enum Variant<'v> {
    Newtype(Value),
    Tuple(&'v Value, Value),
    Struct { tree: Value },
}

fn rows(tree: &Value) -> Vec<Row<'_>> {
    let list = || vec![tree.clone(), Value::Null, tree.clone()];
    let object = Map::from_iter([("x".to_owned(), tree.clone()), ("y".to_owned(), json!([]))]);
    let variants =
        [Variant::Newtype(tree.clone()), Variant::Tuple(tree, tree.clone()), Variant::Struct { tree: tree.clone() }];
    variants
        .into_iter()
        .map(|variant| Row {
            plain: tree.clone(),
            reference: tree,
            option: Some(tree.clone()),
            nothing: None,
            list: list(),
            slice: std::slice::from_ref(tree),
            references: vec![tree, tree],
            array: [tree.clone(), json!({})],
            map: BTreeMap::from([("a", tree.clone()), ("b", json!(1.5))]),
            by_reference: HashMap::from([(7, tree)]),
            object: object.clone(),
            boxed: Box::new(tree.clone()),
            tuple: (tree.clone(), tree),
            rest: Map::from_iter([("more".to_owned(), tree.clone())]),
            variant,
        })
        .collect()
}

/// Trees of all kinds, and arrays long enough for the walk to look ahead.
fn trees() -> Vec<Value> {
    let long = |element: &dyn Fn(usize) -> Value| (0..1100).map(element).collect::<Value>();
    vec![
        Value::Null,
        json!(true),
        json!(-12),
        json!(u64::MAX),
        json!(1e300),
        json!("a \"quoted\" text\u{1}é"),
        json!([]),
        json!({}),
        json!([[], {}, [[1]], {"a": {"b": [null, "c"]}}]),
        long(&|i| json!(i)),
        long(&|i| json!(format!("text {i}"))),
        long(&|i| json!([i, [i]])),
        long(&|i| json!({"id": i, "x": i as f64 / 7.0, "text": format!("{i}\n"), "list": [i], "map": {"a": i}})),
        long(&|i| [json!(i), json!("t"), json!([]), json!({}), json!({"a": null})][i % 5].clone()),
        (0..40).fold(
            json!("deep"),
            |inner, level| if level % 2 == 0 { json!([level, inner]) } else { json!({"k": inner}) },
        ),
    ]
}

#[test]
fn everywhere_as_serde_json_writes_it() {
    for tree in trees() {
        assert_eq!(to_string(&tree).unwrap(), serde_json::to_string(&tree).unwrap());
        let rows = rows(&tree);
        assert_eq!(to_string(&rows).unwrap(), serde_json::to_string(&rows).unwrap());
        assert_eq!(to_string_pretty(&rows).unwrap(), serde_json::to_string_pretty(&rows).unwrap());
        let encoder = Encoder::builder().sort_keys(true).max_chunk(64).build().unwrap();
        let mut sorted = serde_json::to_value(&rows).unwrap();
        sorted.sort_all_objects();
        assert_eq!(encoder.encode(&rows).unwrap(), sorted.to_string());
        let mut written = Vec::new();
        Encoder::new().write(&mut written, &rows).unwrap();
        assert_eq!(written, serde_json::to_vec(&rows).unwrap());
    }
}

/// As a value a tree has the depth limit of values, from where it is.
#[test]
fn levels_count_from_outside() {
    let deep = |levels: usize| (0..levels).fold(json!(0), |inner, _| json!([inner]));
    for limit in [1, 2, 11, 12, 13, 30] {
        let encoder = Encoder::builder().max_depth(limit).build().unwrap();
        for (levels, fits) in [(limit - 1, true), (limit, true), (limit + 1, false)] {
            let tree = deep(levels);
            for outcome in [encoder.encode(&tree), encoder.encode(&&tree), encoder.encode(&Some(&tree))] {
                assert_eq!(outcome.as_ref().is_ok(), fits, "{levels} of {limit}");
                if let Err(error) = outcome {
                    assert!(error.is_limit());
                    assert_eq!(error.pointer(), Some(&*"/0".repeat(limit)));
                }
            }
            for (outcome, start) in [
                (encoder.encode(&vec![tree.clone()]), "/0"),
                (encoder.encode(&[&tree]), "/0"),
                (encoder.encode(&BTreeMap::from([("k", &tree)])), "/k"),
                (encoder.encode(&json!({"k": tree})), "/k"),
            ] {
                let fits = levels < limit;
                assert_eq!(outcome.as_ref().is_ok(), fits, "{levels} of {limit} in {start}");
                if let Err(error) = outcome {
                    assert!(error.is_limit());
                    assert_eq!(error.pointer(), Some(&*format!("{start}{}", "/0".repeat(limit - 1))));
                }
            }
        }
    }
    let error = to_rope(&deep(1001)).unwrap_err();
    assert!(error.is_limit(), "{error}");
    assert_eq!(to_rope(&deep(1000)).unwrap().len(), 2001);
}

/// The length limit ends a tree inside of a value, with the place where it was reached.
#[test]
fn limits_have_a_place() {
    let value = BTreeMap::from([("rows", vec![json!({"a": [1, "x".repeat(100)], "b": 2})])]);
    let encoder = Encoder::builder().max_len(50).build().unwrap();
    let error = encoder.encode(&value).unwrap_err();
    assert!(error.is_limit());
    assert_eq!(error.pointer(), Some("/rows/0/a/1"));
}
