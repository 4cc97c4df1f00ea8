//! What arrow-json's own tests check, by their inputs and expected values.

use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, Int32Builder, Int64Builder, MapBuilder, StringBuilder};
use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, i256};
use arrow_schema::{DataType, Field};
use json_rope::{Encoder, Frame};
use json_rope_arrow::RowEncoder;
use serde_json::{Value, json};

use crate::support::{lines, lines_with_nulls};

fn batch<const N: usize>(columns: [(&str, ArrayRef); N]) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).unwrap()
}

#[track_caller]
fn rows(batch: &RecordBatch, expected: Value) {
    let parsed = lines(batch).lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>();
    assert_eq!(Value::from(parsed), expected);
}

#[track_caller]
fn array_with_nulls(batch: &RecordBatch, expected: Value) {
    let array = RowEncoder::new(Encoder::new()).explicit_nulls(true).array(batch).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&array.into_bytes()).unwrap(), expected);
}

fn item(data_type: &DataType) -> Arc<Field> {
    Arc::new(Field::new("item", data_type.clone(), true))
}

fn structs<const N: usize>(columns: [(&str, ArrayRef); N], nulls: Option<NullBuffer>) -> StructArray {
    let fields = columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), true)).collect();
    StructArray::new(fields, columns.map(|(_, column)| column).to_vec(), nulls)
}

#[test]
fn simple_rows() {
    let numbers = Int32Array::from(vec![Some(1), Some(2), Some(3), None, Some(5)]);
    let texts = StringArray::from(vec![Some("a"), Some("b"), Some("c"), Some("d"), None]);
    rows(
        &batch([("c1", Arc::new(numbers)), ("c2", Arc::new(texts))]),
        json!([{"c1": 1, "c2": "a"}, {"c1": 2, "c2": "b"}, {"c1": 3, "c2": "c"}, {"c2": "d"}, {"c1": 5}]),
    );
}

#[test]
fn strings_of_each_kind() {
    let texts = [Some("a"), None, Some("c"), Some("d"), None];
    let others = [Some("a"), Some("b"), None, Some("d"), None];
    rows(
        &batch([
            ("c1", Arc::new(StringArray::from(texts.to_vec()))),
            ("c2", Arc::new(LargeStringArray::from(others.to_vec()))),
            ("c3", Arc::new(StringViewArray::from(others.to_vec()))),
        ]),
        json!([{"c1": "a", "c2": "a", "c3": "a"}, {"c2": "b", "c3": "b"}, {"c1": "c"},
            {"c1": "d", "c2": "d", "c3": "d"}, {}]),
    );
}

#[test]
fn dictionaries() {
    let cakes = [Some("cupcakes"), Some("foo"), Some("foo"), None, Some("cupcakes")];
    let others = [Some("sdsd"), Some("sdsd"), None, Some("sd"), Some("sdsd")];
    rows(
        &batch([
            ("c1", Arc::new(cakes.into_iter().collect::<DictionaryArray<Int32Type>>())),
            ("c2", Arc::new(others.into_iter().collect::<DictionaryArray<Int8Type>>())),
        ]),
        json!([{"c1": "cupcakes", "c2": "sdsd"}, {"c1": "foo", "c2": "sdsd"}, {"c1": "foo"}, {"c2": "sd"},
            {"c1": "cupcakes", "c2": "sdsd"}]),
    );
}

#[test]
fn lists_of_dictionaries() {
    let keys = Int32Array::from(vec![Some(0), Some(1), Some(2), Some(0), None, Some(2)]);
    let values: [ArrayRef; 2] =
        [Arc::new(StringArray::from(vec!["a", "b", "c"])), Arc::new(LargeStringArray::from(vec!["a", "b", "c"]))];
    for values in values {
        let words = DictionaryArray::new(keys.clone(), values);
        let lists = LargeListArray::new(
            item(words.data_type()),
            OffsetBuffer::from_lengths([3, 2, 0, 1]),
            Arc::new(words),
            Some(NullBuffer::from(vec![true, true, false, true])),
        );
        rows(&batch([("l", Arc::new(lists))]), json!([{"l": ["a", "b", "c"]}, {"l": ["a", null]}, {}, {"l": ["c"]}]));
    }
}

/// 2018-11-13T17:11:10.011375885.
const NANOS: i64 = 1_542_129_070_011_375_885;

#[test]
fn timestamps() {
    let columns = |zone: Option<&str>| {
        let zone = zone.map(Arc::from);
        let nanos = TimestampNanosecondArray::from(vec![Some(NANOS), None]).with_timezone_opt(zone.clone());
        let micros = TimestampMicrosecondArray::from(vec![Some(NANOS / 1_000), None]).with_timezone_opt(zone.clone());
        let millis =
            TimestampMillisecondArray::from(vec![Some(NANOS / 1_000_000), None]).with_timezone_opt(zone.clone());
        let secs = TimestampSecondArray::from(vec![Some(NANOS / 1_000_000_000), None]).with_timezone_opt(zone);
        batch([
            ("nanos", Arc::new(nanos)),
            ("micros", Arc::new(micros)),
            ("millis", Arc::new(millis)),
            ("secs", Arc::new(secs)),
            ("name", Arc::new(StringArray::from(vec!["a", "b"]))),
        ])
    };
    rows(
        &columns(None),
        json!([{"nanos": "2018-11-13T17:11:10.011375885", "micros": "2018-11-13T17:11:10.011375",
            "millis": "2018-11-13T17:11:10.011", "secs": "2018-11-13T17:11:10", "name": "a"}, {"name": "b"}]),
    );
    rows(
        &columns(Some("+00:00")),
        json!([{"nanos": "2018-11-13T17:11:10.011375885Z", "micros": "2018-11-13T17:11:10.011375Z",
            "millis": "2018-11-13T17:11:10.011Z", "secs": "2018-11-13T17:11:10Z", "name": "a"}, {"name": "b"}]),
    );
}

#[test]
fn dates() {
    let millis = NANOS / 1_000_000;
    rows(
        &batch([
            ("date32", Arc::new(Date32Array::from(vec![Some((millis / 86_400_000) as i32), None]))),
            ("date64", Arc::new(Date64Array::from(vec![Some(millis), None]))),
            ("name", Arc::new(StringArray::from(vec!["a", "b"]))),
        ]),
        json!([{"date32": "2018-11-13", "date64": "2018-11-13T17:11:10.011", "name": "a"}, {"name": "b"}]),
    );
}

#[test]
fn times_and_durations() {
    rows(
        &batch([
            ("time32sec", Arc::new(Time32SecondArray::from(vec![Some(120), None]))),
            ("time32msec", Arc::new(Time32MillisecondArray::from(vec![Some(120), None]))),
            ("time64usec", Arc::new(Time64MicrosecondArray::from(vec![Some(120), None]))),
            ("time64nsec", Arc::new(Time64NanosecondArray::from(vec![Some(120), None]))),
        ]),
        json!([{"time32sec": "00:02:00", "time32msec": "00:00:00.120", "time64usec": "00:00:00.000120",
            "time64nsec": "00:00:00.000000120"}, {}]),
    );
    rows(
        &batch([
            ("sec", Arc::new(DurationSecondArray::from(vec![Some(120), None]))),
            ("msec", Arc::new(DurationMillisecondArray::from(vec![Some(120), None]))),
            ("usec", Arc::new(DurationMicrosecondArray::from(vec![Some(120), None]))),
            ("nsec", Arc::new(DurationNanosecondArray::from(vec![Some(120), None]))),
        ]),
        json!([{"sec": "PT120S", "msec": "PT0.12S", "usec": "PT0.00012S", "nsec": "PT0.00000012S"}, {}]),
    );
}

/// Structs with a number that may be null and a struct with a text.
fn nested() -> StructArray {
    let inner = structs([("c121", Arc::new(StringArray::from(vec!["e", "f", "g"])))], None);
    structs([("c11", Arc::new(Int32Array::from(vec![Some(1), None, Some(5)]))), ("c12", Arc::new(inner))], None)
}

#[test]
fn structs_in_structs_and_in_lists() {
    rows(
        &batch([("c1", Arc::new(nested())), ("c2", Arc::new(StringArray::from(vec!["a", "b", "c"])))]),
        json!([{"c1": {"c11": 1, "c12": {"c121": "e"}}, "c2": "a"}, {"c1": {"c12": {"c121": "f"}}, "c2": "b"},
            {"c1": {"c11": 5, "c12": {"c121": "g"}}, "c2": "c"}]),
    );
    let nulls = NullBuffer::from(vec![true, false, true]);
    let nested = nested();
    let lists =
        ListArray::new(item(nested.data_type()), OffsetBuffer::from_lengths([2, 0, 1]), Arc::new(nested), Some(nulls));
    rows(
        &batch([("c1", Arc::new(lists)), ("c2", Arc::new(Int32Array::from(vec![1, 2, 3])))]),
        json!([{"c1": [{"c11": 1, "c12": {"c121": "e"}}, {"c12": {"c121": "f"}}], "c2": 1}, {"c2": 2},
            {"c1": [{"c11": 5, "c12": {"c121": "g"}}], "c2": 3}]),
    );
}

#[test]
fn lists_in_lists_and_views() {
    let numbers = Int32Array::from_iter_values(1..=6);
    let inner = ListArray::new(item(&DataType::Int32), OffsetBuffer::from_lengths([2, 1, 3]), Arc::new(numbers), None);
    let outer = ListArray::new(item(inner.data_type()), OffsetBuffer::from_lengths([2, 0, 1]), Arc::new(inner), None);
    rows(
        &batch([("c1", Arc::new(outer)), ("c2", Arc::new(StringArray::from(vec![Some("foo"), Some("bar"), None])))]),
        json!([{"c1": [[1, 2], [3]], "c2": "foo"}, {"c1": [], "c2": "bar"}, {"c1": [[4, 5, 6]]}]),
    );
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), Some(2), Some(3), Some(4), None, Some(6)]));
    let nulls = Some(NullBuffer::from(vec![true, true, false, true]));
    let expected = json!([{"lv": [1, 2, 3]}, {"lv": [4, null]}, {}, {"lv": [6]}]);
    let (starts, sizes) = (vec![0, 3, 0, 5], vec![3, 2, 0, 1]);
    let views = ListViewArray::new(item(&DataType::Int32), starts.into(), sizes.into(), numbers.clone(), nulls.clone());
    rows(&batch([("lv", Arc::new(views))]), expected.clone());
    let (starts, sizes) = (vec![0, 3, 0, 5], vec![3, 2, 0, 1]);
    let views = LargeListViewArray::new(item(&DataType::Int32), starts.into(), sizes.into(), numbers, nulls);
    rows(&batch([("lv", Arc::new(views))]), expected);
}

#[test]
fn nothing() {
    let empty = batch([("c", Arc::new(Int32Array::from(Vec::<i32>::new())))]);
    let encoder = RowEncoder::new(Encoder::new());
    assert_eq!(encoder.records(Frame::NdJson, &empty).unwrap(), "");
    assert_eq!(encoder.array(&empty).unwrap(), "[]");
    assert_eq!(encoder.chunks(Frame::NdJson, [Ok(empty)]).count(), 0);
    assert_eq!(encoder.write_records(Frame::NdJson, [], Vec::new()).unwrap(), 0);
}

#[test]
fn a_struct_that_is_null_hides_its_members() {
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([
        Some(vec![Some(1), Some(2)]),
        Some(vec![None]),
        Some(vec![]),
        Some(vec![Some(3), None]),
        Some(vec![Some(4), Some(5)]),
        None,
        None,
    ]);
    let lists: ArrayRef = Arc::new(lists);
    let valid = BooleanBuffer::from(vec![true, true, true, false, true, false, true]);
    let hidden = structs([("list", lists.clone())], Some(NullBuffer::new(valid)));
    let shown = structs([("list", lists)], None);
    rows(
        &batch([("a", Arc::new(hidden)), ("b", Arc::new(shown))]),
        json!([
            {"a": {"list": [1, 2]}, "b": {"list": [1, 2]}},
            {"a": {"list": [null]}, "b": {"list": [null]}},
            {"a": {"list": []}, "b": {"list": []}},
            {"b": {"list": [3, null]}},
            {"a": {"list": [4, 5]}, "b": {"list": [4, 5]}},
            {"b": {}},
            {"a": {}, "b": {}},
        ]),
    );
}

#[test]
fn maps_with_keys_of_each_kind() {
    let names = vec!["foo", "bar", "baz", "qux", "quux"];
    let keys: [ArrayRef; 3] = [
        Arc::new(StringArray::from(names.clone())),
        Arc::new(LargeStringArray::from(names.clone())),
        Arc::new(StringViewArray::from(names)),
    ];
    for keys in keys {
        let fields =
            vec![Field::new("keys", keys.data_type().clone(), false), Field::new("values", DataType::Int64, false)];
        let values: ArrayRef = Arc::new(Int64Array::from(vec![10, 20, 30, 40, 50]));
        let entries = StructArray::new(fields.into(), vec![keys, values], None);
        let map = MapArray::new(
            Arc::new(Field::new("entries", entries.data_type().clone(), false)),
            OffsetBuffer::from_lengths([1, 0, 0, 3, 1, 0]),
            entries,
            Some(NullBuffer::from(vec![true, false, true, true, true, true])),
            false,
        );
        rows(
            &batch([("map", Arc::new(map))]),
            json!([{"map": {"foo": 10}}, {}, {"map": {}}, {"map": {"bar": 20, "baz": 30, "qux": 40}},
                {"map": {"quux": 50}}, {"map": {}}]),
        );
    }
}

#[test]
fn nulls_that_are_explicit() {
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    let entries: [Option<&[(&str, i64)]>; 4] =
        [Some(&[("foo", 10)]), None, Some(&[]), Some(&[("bar", 20), ("baz", 30), ("qux", 40)])];
    for row in entries {
        for (key, value) in row.unwrap_or_default() {
            map.keys().append_value(key);
            map.values().append_value(*value);
        }
        map.append(row.is_some()).unwrap();
    }
    let words = [Some("cupcakes"), None, Some("bear"), Some("kuma")].into_iter();
    let lists =
        [Some(vec![None, None, None]), Some(vec![Some(1), Some(2), Some(3)]), None, Some(vec![None, None, None])];
    let inner = structs(
        [
            ("utf8", Arc::new(StringArray::from(vec![Some("a"), None, None, Some("b")]))),
            ("list", Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists))),
            ("dict", Arc::new(words.collect::<DictionaryArray<Int32Type>>())),
            ("map", Arc::new(map.finish())),
        ],
        None,
    );
    let pairs = structs(
        [
            ("utf8", Arc::new(StringArray::from(vec![Some("a"), Some("b"), None, None]))),
            ("int32", Arc::new(Int32Array::from(vec![Some(1), None, Some(5), None]))),
        ],
        None,
    );
    let list = ListArray::new(
        item(pairs.data_type()),
        OffsetBuffer::new(vec![0, 2, 2, 3, 3].into()),
        Arc::new(pairs),
        Some(NullBuffer::from(vec![true, false, true, false])),
    );
    array_with_nulls(
        &batch([
            ("date", Arc::new(Date32Array::from(vec![Some(0), None, Some(1), None]))),
            ("null", Arc::new(NullArray::new(4))),
            ("struct", Arc::new(inner)),
            ("list", Arc::new(list)),
        ]),
        json!([
            {"date": "1970-01-01", "null": null, "list": [{"int32": 1, "utf8": "a"}, {"int32": null, "utf8": "b"}],
                "struct": {"dict": "cupcakes", "list": [null, null, null], "map": {"foo": 10}, "utf8": "a"}},
            {"date": null, "null": null, "list": null,
                "struct": {"dict": null, "list": [1, 2, 3], "map": null, "utf8": null}},
            {"date": "1970-01-02", "null": null, "list": [{"int32": 5, "utf8": null}],
                "struct": {"dict": "bear", "list": null, "map": {}, "utf8": null}},
            {"date": null, "null": null, "list": null,
                "struct": {"dict": "kuma", "list": [null, null, null],
                    "map": {"bar": 20, "baz": 30, "qux": 40}, "utf8": "b"}},
        ]),
    );
}

#[test]
fn bytes_of_each_kind() {
    let names = vec![Some(&b"Bob Thompson"[..]), None, Some(b"Troy McClure")];
    let columns: [ArrayRef; 3] = [
        Arc::new(BinaryArray::from(names.clone())),
        Arc::new(LargeBinaryArray::from(names.clone())),
        Arc::new(BinaryViewArray::from(names)),
    ];
    let (bob, troy) = ("426f622054686f6d70736f6e", "54726f79204d63436c757265");
    for column in columns {
        let batch = batch([("bytes", column)]);
        array_with_nulls(&batch, json!([{"bytes": bob}, {"bytes": null}, {"bytes": troy}]));
        rows(&batch, json!([{"bytes": bob}, {}, {"bytes": troy}]));
    }
    let words = vec![Some(&b"hello world"[..]), None, Some(b"summer rain")];
    let batch = batch([(
        "bytes",
        Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(words.into_iter(), 11).unwrap()),
    )]);
    let (hello, rain) = ("68656c6c6f20776f726c64", "73756d6d6572207261696e");
    array_with_nulls(&batch, json!([{"bytes": hello}, {"bytes": null}, {"bytes": rain}]));
    rows(&batch, json!([{"bytes": hello}, {}, {"bytes": rain}]));
}

#[test]
fn lists_of_fixed_size() {
    let mut builder = FixedSizeListBuilder::new(Int32Builder::new(), 3);
    for row in [Some([Some(1), Some(2), None]), Some([Some(3), None, Some(4)]), Some([None, Some(5), Some(6)]), None] {
        row.unwrap_or_default().into_iter().for_each(|value| builder.values().append_option(value));
        builder.append(row.is_some());
    }
    let batch = batch([("list", Arc::new(builder.finish()))]);
    let lists = [json!({"list": [1, 2, null]}), json!({"list": [3, null, 4]}), json!({"list": [null, 5, 6]})];
    let with = |last| lists.iter().cloned().chain([last]).collect::<Value>();
    array_with_nulls(&batch, with(json!({"list": null})));
    rows(&batch, with(json!({})));
}

#[test]
fn decimals_of_each_width() {
    let expected = "{\"decimal\":12.34}\n{\"decimal\":56.78}\n{\"decimal\":90.12}\n";
    let values = [1234, 5678, 9012];
    let columns: [ArrayRef; 3] = [
        Arc::new(Decimal32Array::from_iter_values(values).with_precision_and_scale(8, 2).unwrap()),
        Arc::new(Decimal64Array::from_iter_values(values.map(i64::from)).with_precision_and_scale(10, 2).unwrap()),
        Arc::new(Decimal128Array::from_iter_values(values.map(i128::from)).with_precision_and_scale(10, 2).unwrap()),
    ];
    for column in columns {
        assert_eq!(lines(&batch([("decimal", column)])), expected);
    }
    let wide = values.map(|value| i256::from(value * 100));
    let wide = Decimal256Array::from_iter_values(wide).with_precision_and_scale(10, 4).unwrap();
    let expected = "{\"decimal\":12.3400}\n{\"decimal\":56.7800}\n{\"decimal\":90.1200}\n";
    assert_eq!(lines(&batch([("decimal", Arc::new(wide))])), expected);
    let with_nulls = Decimal128Array::from(vec![Some(1234), None, Some(5678)]).with_precision_and_scale(10, 2).unwrap();
    let expected = "{\"decimal\":12.34}\n{}\n{\"decimal\":56.78}\n";
    assert_eq!(lines(&batch([("decimal", Arc::new(with_nulls))])), expected);
    let rounded = Decimal128Array::from(vec![0, 12, -12]).with_precision_and_scale(10, -2).unwrap();
    let expected = "{\"decimal\":0}\n{\"decimal\":1200}\n{\"decimal\":-1200}\n";
    assert_eq!(lines(&batch([("decimal", Arc::new(rounded))])), expected);
}

#[test]
fn runs() {
    let texts = StringArray::from(vec![Some("a"), Some("b"), None]);
    let runs = RunArray::<Int32Type>::try_new(&Int32Array::from(vec![2, 5, 6]), &texts).unwrap();
    let batch_of_runs = batch([("c1", Arc::new(runs))]);
    rows(&batch_of_runs, json!([{"c1": "a"}, {"c1": "a"}, {"c1": "b"}, {"c1": "b"}, {"c1": "b"}, {}]));
    assert!(lines_with_nulls(&batch_of_runs).ends_with("{\"c1\":null}\n"));
    let numbers = Int32Array::from(vec![10, 20]);
    let runs = RunArray::<Int32Type>::try_new(&Int32Array::from(vec![3, 5]), &numbers).unwrap();
    rows(&batch([("n", Arc::new(runs))]), json!([{"n": 10}, {"n": 10}, {"n": 10}, {"n": 20}, {"n": 20}]));
}
