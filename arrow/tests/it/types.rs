//! Golden texts of each type, and the differences to arrow-json, each of which is meant.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{IntervalDayTime, IntervalMonthDayNano};
use arrow_schema::{DataType, Field};
use json_rope::{BytesFormat, Encoder, Frame, NonFinite};
use json_rope_arrow::RowEncoder;

use crate::random::F16;
use crate::support::{lines, lines_with_nulls, one, their_lines};

#[track_caller]
fn golden(column: impl Array + 'static, cells: &[&str]) {
    let batch = one(column);
    let expected = cells.iter().map(|cell| format!("{{\"c\":{cell}}}\n")).collect::<String>();
    assert_eq!(lines_with_nulls(&batch), expected);
    assert_eq!(their_lines(&[batch], true), expected, "arrow-json");
}

#[test]
fn integers_and_booleans() {
    golden(Int8Array::from(vec![i8::MIN, 0, i8::MAX]), &["-128", "0", "127"]);
    golden(Int64Array::from(vec![i64::MIN, i64::MAX]), &["-9223372036854775808", "9223372036854775807"]);
    golden(UInt64Array::from(vec![Some(u64::MAX), None]), &["18446744073709551615", "null"]);
    golden(BooleanArray::from(vec![Some(true), Some(false), None]), &["true", "false", "null"]);
    golden(NullArray::new(2), &["null", "null"]);
}

#[test]
fn floats_that_both_write_alike() {
    golden(Float64Array::from(vec![0.0, -0.0, 1.5, 1e-5, f64::NAN]), &["0.0", "-0.0", "1.5", "0.00001", "null"]);
    golden(Float32Array::from(vec![0.1, f32::INFINITY]), &["0.1", "null"]);
    golden(Float16Array::from(vec![F16::from_f32(0.1), F16::NAN]), &["0.099975586", "null"]);
}

#[test]
fn strings_and_bytes() {
    golden(StringArray::from(vec!["", "a\"\n\u{1}é"]), &["\"\"", "\"a\\\"\\n\\u0001é\""]);
    golden(LargeStringArray::from(vec!["x"]), &["\"x\""]);
    golden(StringViewArray::from(vec!["x", "longer than twelve bytes"]), &["\"x\"", "\"longer than twelve bytes\""]);
    golden(BinaryArray::from(vec![&b"\x00\xff"[..], b""]), &["\"00ff\"", "\"\""]);
    let long = (0..=255).collect::<Vec<u8>>();
    let text = long.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    golden(BinaryViewArray::from(vec![&long[..]]), &[&format!("\"{text}\"")]);
}

#[test]
fn bytes_as_the_encoder_writes_them() {
    let batch = one(BinaryArray::from(vec![Some(&b"\x00\xffa"[..]), None]));
    let text = |format| {
        let encoder = Encoder::builder().bytes(format).build().unwrap();
        RowEncoder::new(encoder).records(Frame::NdJson, &batch).unwrap()
    };
    assert_eq!(text(BytesFormat::Base64), "{\"c\":\"AP9h\"}\n{}\n");
    assert_eq!(text(BytesFormat::Hex), "{\"c\":\"00ff61\"}\n{}\n");
    assert_eq!(text(BytesFormat::Array), "{\"c\":\"00ff61\"}\n{}\n"); // the default, and arrow-json's form
}

#[test]
fn decimals() {
    let with =
        |scale| Decimal128Array::from(vec![0, 5, -5, 1234, -123_456]).with_precision_and_scale(38, scale).unwrap();
    golden(with(0), &["0", "5", "-5", "1234", "-123456"]);
    golden(with(2), &["0.00", "0.05", "-0.05", "12.34", "-1234.56"]);
    golden(with(4), &["0.0000", "0.0005", "-0.0005", "0.1234", "-12.3456"]);
    let tens = Decimal128Array::from(vec![5, -5, 1234, -123_456]).with_precision_and_scale(38, -2).unwrap();
    golden(tens, &["500", "-500", "123400", "-12345600"]);
    let widest = Decimal128Array::from(vec![10_i128.pow(38) - 1, 1 - 10_i128.pow(38)]).with_precision_and_scale(38, 38);
    let digits = "0.99999999999999999999999999999999999999";
    golden(widest.unwrap(), &[digits, &format!("-{digits}")]);
}

#[test]
fn dates_and_times() {
    golden(Date32Array::from(vec![0, -719_529, 2_932_897]), &["\"1970-01-01\"", "\"-0001-12-31\"", "\"+10000-01-01\""]);
    golden(Date64Array::from(vec![1, -1]), &["\"1970-01-01T00:00:00.001\"", "\"1969-12-31T23:59:59.999\""]);
    golden(Time32SecondArray::from(vec![0, 86_399]), &["\"00:00:00\"", "\"23:59:59\""]);
    golden(
        Time64NanosecondArray::from(vec![1, 1_000, 1_000_000]),
        &["\"00:00:00.000000001\"", "\"00:00:00.000001\"", "\"00:00:00.001\""],
    );
    golden(TimestampMicrosecondArray::from(vec![1_542_129_070_011_375]), &["\"2018-11-13T17:11:10.011375\""]);
    let at = |zone: &str| TimestampSecondArray::from(vec![1_542_129_070]).with_timezone(zone);
    golden(at("UTC"), &["\"2018-11-13T17:11:10Z\""]);
    golden(at("-05:30"), &["\"2018-11-13T11:41:10-05:30\""]);
    golden(at("Europe/Paris"), &["\"2018-11-13T18:11:10+01:00\""]);
    let long_ago = TimestampSecondArray::from(vec![-4_000_000_000]).with_timezone("Africa/Monrovia");
    golden(long_ago, &["\"1843-03-31T16:10:12-00:43\""]); // it was 43 minutes and 8 seconds
}

#[test]
fn durations_and_intervals() {
    golden(DurationMillisecondArray::from(vec![120, 0, -1_500]), &["\"PT0.12S\"", "\"P0D\"", "\"-PT1.5S\""]);
    golden(IntervalYearMonthArray::from(vec![14, -1]), &["\"1 years 2 mons\"", "\"-1 years 11 mons\""]);
    golden(
        IntervalDayTimeArray::from(vec![IntervalDayTime::ZERO, IntervalDayTime::new(-3, 3_661_005)]),
        &["\"0 secs\"", "\"-3 days 1 hours 1 mins 1.005 secs\""],
    );
    golden(
        IntervalMonthDayNanoArray::from(vec![IntervalMonthDayNano::new(1, 0, -90_000_000_001)]),
        &["\"1 mons -1 mins -30.000000001 secs\""],
    );
}

#[test]
fn a_million_dates_of_all_zones_of_a_continent() {
    // Each zone has its own history of offsets.
    for zone in ["Europe/Amsterdam", "Europe/Dublin", "Europe/Istanbul", "Europe/Lisbon", "Europe/Moscow"] {
        let times = (0..20_000).map(|n| -5_000_000_000 + n * 400_001);
        let batch = one(TimestampSecondArray::from_iter_values(times).with_timezone(zone));
        assert_eq!(lines(&batch), their_lines(&[batch], false), "{zone}");
    }
}

/// The same number, in the text of serde_json.
#[test]
fn difference_floats_with_exponents() {
    let batch = one(Float64Array::from(vec![6e-6, 1e16, 1.5e300, 1e9, 123_456_789_012_345_680.0]));
    let texts = |lines: String| lines.lines().map(|line| line[5..line.len() - 1].to_owned()).collect::<Vec<_>>();
    assert_eq!(texts(lines(&batch)), ["6e-6", "1e+16", "1.5e+300", "1000000000.0", "1.2345678901234568e+17"]);
    assert_eq!(
        texts(their_lines(&[batch], false)),
        ["6.0e-6", "1.0e16", "1.5e300", "1000000000.0", "1.2345678901234568e17"]
    );
}

/// Of two shortest texts of an `f32` that are equally near, `zmij` takes the even one.
#[test]
fn difference_singles_in_the_middle() {
    let batch = one(Float32Array::from(vec![1.894_531_2]));
    assert_eq!(lines(&batch), "{\"c\":1.8945312}\n");
    assert_eq!(their_lines(&[batch], false), "{\"c\":1.8945313}\n");
}

/// A key of a dictionary that refers to a null is null. arrow-json writes what is in the memory behind the null.
#[test]
fn difference_nulls_among_the_values_of_a_dictionary() {
    let keys = Int32Array::from(vec![Some(0), None, Some(1)]);
    let batch = one(DictionaryArray::new(keys, Arc::new(StringArray::from(vec![Some("a"), None]))));
    assert_eq!(lines_with_nulls(&batch), "{\"c\":\"a\"}\n{\"c\":null}\n{\"c\":null}\n");
    assert_eq!(their_lines(&[batch], true), "{\"c\":\"a\"}\n{\"c\":null}\n{\"c\":\"\"}\n");
    // It panics for this one.
    let keys = Int32Array::from(vec![0, 0]);
    assert_eq!(lines(&one(DictionaryArray::new(keys, Arc::new(NullArray::new(1))))), "{}\n{}\n");
}

/// A zero is one digit, also in units of a hundred; and all digits are written, also if there are more than the type says.
#[test]
fn difference_decimals() {
    let decimals = |values, precision, scale| {
        one(Decimal128Array::from(values).with_precision_and_scale(precision, scale).unwrap())
    };
    let hundreds = decimals(vec![0], 38, -2);
    assert_eq!(lines(&hundreds), "{\"c\":0}\n");
    assert_eq!(their_lines(&[hundreds], false), "{\"c\":000}\n"); // not JSON
    let long = decimals(vec![123_456, -123_456], 4, 2);
    assert_eq!(lines(&long), "{\"c\":1234.56}\n{\"c\":-1234.56}\n");
    assert_eq!(their_lines(&[long], false), "{\"c\":12.34}\n{\"c\":-12.34}\n");
}

/// What has no date is an error. arrow-json writes a string that says so.
#[test]
fn difference_out_of_range() {
    let refused = |batch: RecordBatch| {
        let error = RowEncoder::new(Encoder::new()).records(Frame::NdJson, &batch).unwrap_err();
        assert_eq!((error.pointer(), error.record()), (Some("/c"), Some(1)), "{error}");
        assert!(error.is_data());
        let theirs = their_lines(&[batch], false);
        assert!(theirs.contains("ERROR") || theirs.contains("<invalid>"), "{theirs}");
        error.to_string()
    };
    assert_eq!(
        refused(one(TimestampSecondArray::from(vec![0, i64::MAX]))),
        "cannot encode /c: 9223372036854775807 is out of the range of its type"
    );
    refused(one(TimestampSecondArray::from(vec![0, i64::MIN]).with_timezone("+01:00")));
    refused(one(TimestampMicrosecondArray::from(vec![0, i64::MAX])));
    refused(one(Date32Array::from(vec![0, i32::MAX])));
    refused(one(Date64Array::from(vec![0, i64::MIN])));
    refused(one(Time32SecondArray::from(vec![0, 86_400])));
    refused(one(Time32MillisecondArray::from(vec![0, -1])));
    refused(one(Time64NanosecondArray::from(vec![0, 86_400_000_000_000])));
    refused(one(DurationSecondArray::from(vec![0, i64::MAX])));
    refused(one(DurationMillisecondArray::from(vec![0, i64::MIN])));
}

#[test]
fn floats_that_are_not_finite() {
    let batch = one(Float64Array::from(vec![f64::NAN, f64::NEG_INFINITY]));
    let with = |option| RowEncoder::new(Encoder::builder().non_finite(option).build().unwrap());
    let text = with(NonFinite::String).records(Frame::NdJson, &batch).unwrap();
    assert_eq!(text, "{\"c\":\"NaN\"}\n{\"c\":\"-Infinity\"}\n");
    let error = with(NonFinite::Error).array(&batch).unwrap_err();
    assert_eq!(error.to_string(), "cannot encode /0/c: float is not finite");
}

#[test]
fn runs_are_sliced_anywhere() {
    let ends = Int16Array::from(vec![2, 3, 7]);
    let runs = RunArray::<Int16Type>::try_new(&ends, &StringArray::from(vec![Some("a"), None, Some("b")])).unwrap();
    for from in 0..=7 {
        for len in 0..=7 - from {
            let batch = one(runs.slice(from, len));
            assert_eq!(lines(&batch), their_lines(&[batch], false), "{from} {len}");
        }
    }
}

#[test]
fn a_batch_without_columns_has_empty_rows() {
    let options = RecordBatchOptions::new().with_row_count(Some(2));
    let batch = RecordBatch::try_new_with_options(Arc::new(arrow_schema::Schema::empty()), vec![], &options).unwrap();
    assert_eq!(lines(&batch), "{}\n{}\n");
    assert_eq!(RowEncoder::new(Encoder::new()).array(&batch).unwrap(), "[{},{}]");
    assert_eq!(RowEncoder::new(Encoder::new()).array(&batch.slice(0, 0)).unwrap(), "[]");
}

#[test]
fn handles_may_be_moved_and_shared() {
    fn assert_send<T: Send + 'static>(_: &T) {}
    fn assert_sync<T: Send + Sync + Clone + 'static>(_: &T) {}
    let encoder = RowEncoder::new(Encoder::new());
    assert_sync(&encoder);
    assert_send(&encoder.chunks(Frame::NdJson, Vec::new()));
}

#[test]
fn names_of_columns_are_escaped() {
    let names = ["a\"b", "", "\n", "é", "a name of exactly 28 bytes..", "a name of more than 28 bytes.."];
    let column = || Arc::new(Int32Array::from(vec![1])) as ArrayRef;
    let fields = names.map(|name| Field::new(name, DataType::Int32, true)).to_vec();
    let schema = Arc::new(arrow_schema::Schema::new(fields));
    let batch = RecordBatch::try_new(schema, names.map(|_| column()).to_vec()).unwrap();
    assert_eq!(lines(&batch), their_lines(&[batch], false));
}
