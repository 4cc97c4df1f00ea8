//! What comes out before an error, and what the error says.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::*;
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields, UnionFields, UnionMode};
use json_rope::{Encoder, Error, Frame};
use json_rope_arrow::RowEncoder;

use crate::support::one;

fn encoder() -> RowEncoder {
    RowEncoder::new(Encoder::new())
}

fn numbers(from: i32) -> RecordBatch {
    one(Int32Array::from_iter_values(from..from + 3))
}

/// All chunks, and the error after them.
fn until_error(chunks: impl Iterator<Item = Result<bytes::Bytes, Error>>) -> (String, Error) {
    let mut text = Vec::new();
    for chunk in chunks {
        match chunk {
            Ok(chunk) => text.extend_from_slice(&chunk),
            Err(error) => return (String::from_utf8(text).unwrap(), error),
        }
    }
    panic!("no error");
}

#[test]
fn an_error_of_the_input_comes_after_the_rows_before_it() {
    let batches = || [Ok(numbers(0)), Err(ArrowError::ComputeError("gone".to_owned())), Ok(numbers(3))];
    let (text, error) = until_error(encoder().chunks(Frame::NdJson, batches()));
    assert_eq!(text, "{\"c\":0}\n{\"c\":1}\n{\"c\":2}\n");
    assert_eq!(error.to_string(), "cannot encode the document: Compute error: gone");
    assert_eq!(error.record(), Some(3));
    let source = std::error::Error::source(&error).and_then(|source| source.downcast_ref::<ArrowError>());
    assert!(matches!(source, Some(ArrowError::ComputeError(_))));
    let mut written = Vec::new();
    let error = encoder().write_records(Frame::NdJson, batches(), &mut written).unwrap_err();
    assert_eq!(error.record(), Some(3));
    assert!(text.as_bytes().starts_with(&written));
}

#[test]
fn a_row_that_fails_leaves_no_part() {
    // Its first column is fine.
    let columns: [(&str, ArrayRef); 2] =
        [("id", Arc::new(Int64Array::from(vec![1, 2, 3]))), ("at", Arc::new(Date32Array::from(vec![0, i32::MAX, 0])))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let batches = [Ok(numbers(0)), Ok(batch.clone())];
    let (text, error) = until_error(encoder().chunks(Frame::NdJson, batches));
    assert_eq!(text, "{\"c\":0}\n{\"c\":1}\n{\"c\":2}\n{\"id\":1,\"at\":\"1970-01-01\"}\n");
    assert_eq!((error.pointer(), error.record()), (Some("/at"), Some(4)));
    assert_eq!(encoder().array(&batch).unwrap_err().pointer(), Some("/1/at"));
}

#[test]
fn a_pointer_leads_into_lists_structs_and_maps() {
    let dates: ArrayRef = Arc::new(Date32Array::from(vec![0, i32::MAX]));
    let field = Arc::new(Field::new("a/b", DataType::Date32, true));
    let inner: ArrayRef = Arc::new(StructArray::from(vec![(field, dates)]));
    let item = Arc::new(Field::new("item", inner.data_type().clone(), true));
    let list = ListArray::new(item, OffsetBuffer::from_lengths([2]), inner, None);
    let error = encoder().records(Frame::NdJson, &one(list)).unwrap_err();
    assert_eq!((error.pointer(), error.record()), (Some("/c/1/a~1b"), Some(0)));
}

fn union() -> UnionArray {
    let fields = UnionFields::try_new([0], [Field::new("n", DataType::Int32, true)]).unwrap();
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    UnionArray::try_new(fields, vec![0].into(), None, vec![numbers]).unwrap()
}

#[test]
fn what_has_no_json_form_is_refused_before_the_first_byte() {
    let union = union();
    assert!(matches!(union.data_type(), DataType::Union(_, UnionMode::Sparse)));
    let field = Arc::new(Field::new("in/side", union.data_type().clone(), true));
    let batch = one(StructArray::from(vec![(field, Arc::new(union) as ArrayRef)]));
    let error = encoder().array(&batch).unwrap_err();
    assert!(error.is_data());
    assert_eq!(error.pointer(), Some("/c/in~1side"));
    assert!(error.message().contains("Union") && error.message().ends_with("has no JSON form"), "{error}");
    assert_eq!(encoder().records(Frame::Grpc, &batch).unwrap_err().to_string(), error.to_string());
    // Among the columns of a stream: before the first row of its batch.
    let (text, error) = until_error(encoder().chunks(Frame::NdJson, [Ok(numbers(0)), Ok(batch.clone())]));
    assert_eq!(text, "{\"c\":0}\n{\"c\":1}\n{\"c\":2}\n");
    assert!(error.message().starts_with("column /c/in~1side: the type Union"), "{error}");
    assert_eq!(error.record(), Some(3));
    let mut written = Vec::new();
    assert!(encoder().write_records(Frame::NdJson, [Ok(batch)], &mut written).unwrap_err().is_data());
    assert!(written.is_empty());
}

fn map(keys: ArrayRef, nulls: Option<NullBuffer>) -> MapArray {
    let values: ArrayRef = Arc::new(Int32Array::from_iter_values(0..keys.len() as i32));
    let may_be_null = keys.null_count() > 0;
    let fields = Fields::from(vec![
        Field::new("keys", keys.data_type().clone(), may_be_null),
        Field::new("values", DataType::Int32, true),
    ]);
    let entries = StructArray::new(fields.clone(), vec![keys, values], nulls);
    let field = Arc::new(Field::new("entries", DataType::Struct(fields), false));
    let lengths = [entries.len()];
    MapArray::new(field, OffsetBuffer::from_lengths(lengths), entries, None, false)
}

#[test]
fn keys_of_maps_are_strings() {
    let error = encoder().array(&one(map(Arc::new(Int32Array::from(vec![1])), None))).unwrap_err();
    assert_eq!(error.to_string(), "cannot encode /c: keys of maps must be strings, not Int32");
}

#[test]
fn an_unknown_time_zone_is_refused() {
    let batch = one(TimestampSecondArray::from(vec![0]).with_timezone("Middle/Earth"));
    let error = encoder().array(&batch).unwrap_err();
    assert!(error.is_data() && error.message().contains("Middle/Earth"), "{error}");
}

#[test]
fn limits_and_settings() {
    let limited = RowEncoder::new(Encoder::builder().max_len(10).build().unwrap());
    let batch = one(StringArray::from(vec!["ok", "longer than that"]));
    let error = limited.records(Frame::NdJson, &batch).unwrap_err();
    assert!(error.is_limit());
    assert_eq!(error.record(), Some(1));
    let flat = RowEncoder::new(Encoder::builder().max_depth(1).build().unwrap());
    let list = ListArray::from_iter_primitive::<types::Int32Type, _, _>([Some([Some(1)])]);
    assert!(flat.array(&numbers(0)).is_err()); // the array is one level
    assert!(flat.records(Frame::NdJson, &numbers(0)).is_ok());
    assert!(flat.records(Frame::NdJson, &one(list)).unwrap_err().is_limit());
    let pretty = RowEncoder::new(Encoder::builder().pretty(true).build().unwrap());
    assert!(pretty.records(Frame::NdJson, &numbers(0)).unwrap_err().is_config());
    assert!(pretty.records(Frame::JsonSeq, &numbers(0)).is_ok());
}

#[test]
fn a_type_that_is_nested_too_deeply_is_refused() {
    let nested = |levels| {
        let mut array: ArrayRef = Arc::new(Int32Array::from(vec![1]));
        for _ in 0..levels {
            let field = Arc::new(Field::new("s", array.data_type().clone(), true));
            array = Arc::new(StructArray::from(vec![(field, array)]));
        }
        one(array)
    };
    let text = format!("{{\"c\":{}1{}\n", "{\"s\":".repeat(127), "}".repeat(128));
    assert_eq!(encoder().records(Frame::NdJson, &nested(127)).unwrap(), *text);
    let error = encoder().array(&nested(128)).unwrap_err();
    assert_eq!(error.message(), "types are nested deeper than 128 levels");
}

/// A writer that fails after some bytes.
struct Full(usize, Vec<u8>);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = bytes.len().min(self.0 - self.1.len());
        if len == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.1.extend_from_slice(&bytes[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_that_fails_has_a_prefix() {
    let batches = || (0..500).map(|n| Ok(numbers(n)));
    let mut whole = Vec::new();
    encoder().write_records(Frame::NdJson, batches(), &mut whole).unwrap();
    for capacity in [0, 1, 100, 3_000, whole.len() - 1] {
        let mut full = Full(capacity, Vec::new());
        let error = encoder().write_records(Frame::NdJson, batches(), &mut full).unwrap_err();
        assert_eq!(error.io_error_kind(), Some(io::ErrorKind::StorageFull));
        assert_eq!(full.1, whole[..capacity]);
    }
}
