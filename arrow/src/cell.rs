//! Rows and their cells as values that serialize themselves.

use std::fmt;

use json_rope::BytesFormat;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::column::{Column, MapValues, Members, Values};
use crate::number;
use crate::text::Text;
use crate::texts::{self, Room};

/// One row of a batch, or one value of a struct.
pub(crate) struct Row<'c> {
    pub(crate) members: &'c Members,
    pub(crate) row: usize,
}

impl Serialize for Row<'_> {
    #[cfg_attr(not(debug_assertions), inline(always))] // in debug builds a row in a row would need much stack
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Row { members, row } = *self;
        let mut map = serializer.serialize_map(None)?;
        for member in &members.list {
            if member.column.is_null(row) {
                if members.explicit_nulls {
                    map.serialize_entry(&member.key, &())?;
                }
                continue;
            }
            map.serialize_entry(&member.key, &Cell { values: &member.column.values, row })?;
        }
        map.end()
    }
}

/// A value that may be null.
struct Slot<'c> {
    column: &'c Column,
    row: usize,
}

impl Serialize for Slot<'_> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Slot { column, row } = *self;
        if column.is_null(row) {
            return serializer.serialize_unit();
        }
        Cell { values: &column.values, row }.serialize(serializer)
    }
}

/// A value that is not null.
struct Cell<'c> {
    values: &'c Values,
    row: usize,
}

impl Serialize for Cell<'_> {
    #[cfg_attr(not(debug_assertions), inline(always))] // see `Row`
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = self.row;
        match self.values {
            Values::Bool(values) => serializer.serialize_bool(values.value(row)),
            Values::I8(values) => serializer.serialize_i64(values[row].into()),
            Values::I16(values) => serializer.serialize_i64(values[row].into()),
            Values::I32(values) => serializer.serialize_i64(values[row].into()),
            Values::I64(values) => serializer.serialize_i64(values[row]),
            Values::U8(values) => serializer.serialize_u64(values[row].into()),
            Values::U16(values) => serializer.serialize_u64(values[row].into()),
            Values::U32(values) => serializer.serialize_u64(values[row].into()),
            Values::U64(values) => serializer.serialize_u64(values[row]),
            Values::F16(values) => serializer.serialize_f32(values[row].to_f32()),
            Values::F32(values) => serializer.serialize_f32(values[row]),
            Values::F64(values) => serializer.serialize_f64(values[row]),
            Values::Utf8(values) => serializer.serialize_str(values.value(row)),
            Values::LargeUtf8(values) => serializer.serialize_str(values.value(row)),
            Values::Utf8View(values) => serializer.serialize_str(values.value(row)),
            Values::Prepared(prepared) => match prepared.1.get(row) {
                Some(text) => serializer.serialize_str(text),
                None => text(&prepared.0, row, serializer),
            },
            Values::List(ranges, items) => list(items, ranges.get(row), serializer),
            Values::Struct(members) => object(members, row, serializer),
            other => rare(other, row, serializer),
        }
    }
}

/// What is seldom, or costs much more than a call. Out of line, so that the common types stay close to the loop over
/// the columns.
#[inline(never)]
fn rare<S: Serializer>(values: &Values, row: usize, serializer: S) -> Result<S::Ok, S::Error> {
    match values {
        Values::Null => serializer.serialize_unit(),
        Values::Binary(values, BytesFormat::Array) => hex(values.get(row), serializer),
        Values::Binary(values, _) => serializer.serialize_bytes(values.get(row)),
        Values::Decimal32(values, scale) => number::decimal(values[row].into(), *scale, serializer),
        Values::Decimal64(values, scale) => number::decimal(values[row].into(), *scale, serializer),
        Values::Decimal128(values, scale) => number::decimal(values[row], *scale, serializer),
        Values::Decimal256(values, scale) => match values[row].to_i128() {
            Some(value) => number::decimal(value, *scale, serializer),
            None => number::digits(&values[row].to_string(), *scale, serializer),
        },
        Values::Map(map) => entries(map, row, serializer),
        Values::Indexed(indices, values) => Cell { values, row: indices.get(row) }.serialize(serializer),
        other => text(other, row, serializer),
    }
}

/// A value that becomes a text.
#[inline(never)]
fn text<S: Serializer>(values: &Values, row: usize, serializer: S) -> Result<S::Ok, S::Error> {
    let mut room = [0; size_of::<Room>()];
    match texts::put_text(values, row, &mut room).and_then(|len| str::from_utf8(&room[..len]).ok()) {
        Some(text) => serializer.serialize_str(text),
        None => Err(out_of_range(values, row)),
    }
}

/// A struct. Out of line: it is a loop over columns of its own.
#[inline(never)]
fn object<S: Serializer>(members: &Members, row: usize, serializer: S) -> Result<S::Ok, S::Error> {
    Row { members, row }.serialize(serializer)
}

#[inline(never)]
fn list<S: Serializer>(items: &Column, range: std::ops::Range<usize>, serializer: S) -> Result<S::Ok, S::Error> {
    if items.has_no_nulls() {
        // The type of the items is looked at once.
        match &items.values {
            Values::I8(values) => return serializer.collect_seq(&values[range]),
            Values::I16(values) => return serializer.collect_seq(&values[range]),
            Values::I32(values) => return serializer.collect_seq(&values[range]),
            Values::I64(values) => return serializer.collect_seq(&values[range]),
            Values::U8(values) => return serializer.collect_seq(&values[range]),
            Values::U16(values) => return serializer.collect_seq(&values[range]),
            Values::U32(values) => return serializer.collect_seq(&values[range]),
            Values::U64(values) => return serializer.collect_seq(&values[range]),
            Values::F32(values) => return serializer.collect_seq(&values[range]),
            Values::F64(values) => return serializer.collect_seq(&values[range]),
            _ => {}
        }
    }
    let mut list = serializer.serialize_seq(Some(range.len()))?;
    for row in range {
        list.serialize_element(&Slot { column: items, row })?;
    }
    list.end()
}

fn entries<S: Serializer>(map: &MapValues, row: usize, serializer: S) -> Result<S::Ok, S::Error> {
    let range = map.ranges[row] as usize..map.ranges[row + 1] as usize;
    let mut entries = serializer.serialize_map(None)?;
    for row in range {
        if map.explicit_nulls || !map.values.is_null(row) {
            entries.serialize_entry(&Cell { values: &map.keys, row }, &Slot { column: &map.values, row })?;
        }
    }
    entries.end()
}

#[cold]
#[inline(never)]
fn out_of_range<E: serde::ser::Error>(values: &Values, row: usize) -> E {
    let value = match values {
        Values::Date32(values) | Values::Time32(values, _) => values[row].into(),
        Values::Date64(values)
        | Values::Time64(values, _)
        | Values::Timestamp(values, ..)
        | Values::Duration(values, _) => values[row],
        _ => return E::custom("a value is out of the range of its type"),
    };
    E::custom(format_args!("{value} is out of the range of its type"))
}

fn hex<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    if bytes.len() <= HEX_STEP {
        return serializer.serialize_str(hex_text(bytes).as_str());
    }
    serializer.collect_str(&fmt::from_fn(|f| {
        bytes.chunks(HEX_STEP).try_for_each(|bytes| f.write_str(hex_text(bytes).as_str()))
    }))
}

/// Bytes that are written in hexadecimal at a time.
const HEX_STEP: usize = 128;

fn hex_text(bytes: &[u8]) -> Text {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = Text::new();
    for byte in bytes {
        text.push(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
    text
}
