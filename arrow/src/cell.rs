//! Rows and their cells as values that serialize themselves.

use std::fmt::{self, Display};

use arrow_schema::TimeUnit;
use json_rope::BytesFormat;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::column::{Column, MapValues, Members, Values};
use crate::text::Text;
use crate::time::Zone;
use crate::{number, span, time};

/// One row of a batch, or one value of a struct.
pub(crate) struct Row<'c> {
    pub(crate) members: &'c Members,
    pub(crate) row: usize,
}

impl Serialize for Row<'_> {
    #[inline]
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
    #[inline]
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
            Values::Timestamp(values, unit, zone) => {
                let text = time::timestamp(values[row], *unit, *zone, |text| serializer.serialize_str(text));
                text.unwrap_or_else(|| Err(out_of_range(&values[row])))
            }
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
        Values::Date32(values) => time::date(values[row].into(), |text| serializer.serialize_str(text))
            .unwrap_or_else(|| Err(out_of_range(&values[row]))),
        Values::Date64(values) => {
            time::timestamp(values[row], TimeUnit::Millisecond, Zone::None, |text| serializer.serialize_str(text))
                .unwrap_or_else(|| Err(out_of_range(&values[row])))
        }
        Values::Time32(values, unit) => time::time(values[row].into(), *unit, |text| serializer.serialize_str(text))
            .unwrap_or_else(|| Err(out_of_range(&values[row]))),
        Values::Time64(values, unit) => time::time(values[row], *unit, |text| serializer.serialize_str(text))
            .unwrap_or_else(|| Err(out_of_range(&values[row]))),
        Values::Duration(values, unit) => match span::duration(values[row], *unit) {
            Some(duration) => serializer.collect_str(&duration),
            None => Err(out_of_range(&values[row])),
        },
        Values::Months(values) => serializer.collect_str(&span::months(values[row])),
        Values::DayTime(values) => serializer.collect_str(&span::days_and_time(values[row])),
        Values::MonthDayNano(values) => serializer.collect_str(&span::months_days_and_time(values[row])),
        Values::List(ranges, items) => list(items, ranges.get(row), serializer),
        Values::Struct(members) => Row { members, row }.serialize(serializer),
        Values::Map(map) => entries(map, row, serializer),
        Values::Indexed(indices, values) => Cell { values, row: indices.get(row) }.serialize(serializer),
        other => Cell { values: other, row }.serialize(serializer),
    }
}

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
fn out_of_range<E: serde::ser::Error>(value: &dyn Display) -> E {
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
