//! Makes columns of arrays: downcasts them, once for each batch.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, RecordBatch, downcast_run_array};
use arrow_buffer::ArrowNativeType;
use arrow_schema::{DataType, FieldRef, Fields, IntervalUnit, TimeUnit};
use json_rope::Key;

use super::{BinaryValues, Column, Indices, MapValues, Member, Members, Ranges, Settings, Values};
use crate::refusal::Refusal;
use crate::time::Zone;

/// Types that are nested deeper are refused: they recurse here, and in every row.
const MAX_DEPTH: usize = 128;

impl Members {
    /// The columns of a batch.
    pub(crate) fn of_batch(batch: &RecordBatch, settings: Settings) -> Result<Members, Refusal> {
        Members::new(batch.schema_ref().fields(), batch.columns(), settings, 0)
    }

    fn new(fields: &Fields, columns: &[ArrayRef], settings: Settings, depth: usize) -> Result<Members, Refusal> {
        let member = |(field, array): (&FieldRef, &ArrayRef)| {
            let column = Column::new(array, settings, depth + 1).map_err(|refusal| refusal.inside(field.name()))?;
            Ok(Member { key: Key::new(field.name()), column })
        };
        let list = fields.iter().zip(columns).map(member).collect::<Result<_, _>>()?;
        Ok(Members { list, explicit_nulls: settings.explicit_nulls })
    }
}

impl Column {
    fn new(array: &dyn Array, settings: Settings, depth: usize) -> Result<Column, Refusal> {
        let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        Ok(Column { values: Values::new(array, settings, depth)?, nulls })
    }
}

impl Values {
    /// Recurses for types that are nested, so what needs a large frame is in functions of its own.
    fn new(array: &dyn Array, settings: Settings, depth: usize) -> Result<Values, Refusal> {
        if depth > MAX_DEPTH {
            return Err(Refusal::new(format!("types are nested deeper than {MAX_DEPTH} levels")));
        }
        match array.data_type() {
            DataType::List(_)
            | DataType::LargeList(_)
            | DataType::ListView(_)
            | DataType::LargeListView(_)
            | DataType::FixedSizeList(_, _) => {
                let (ranges, items) = ranges(array)?;
                Ok(Values::List(ranges, Box::new(Column::new(&items, settings, depth + 1)?)))
            }
            DataType::Struct(fields) => {
                Ok(Values::Struct(Members::new(fields, array.as_struct().columns(), settings, depth)?))
            }
            DataType::Map(_, _) => Ok(Values::Map(MapValues::new(array, settings, depth)?)),
            DataType::Dictionary(_, _) | DataType::RunEndEncoded(_, _) => {
                let (indices, values) = indices(array)?;
                Ok(Values::Indexed(indices, Box::new(Values::new(&values, settings, depth + 1)?)))
            }
            _ => Values::flat(array, settings),
        }
    }

    /// The values of a type that has no other types in it.
    #[inline(never)]
    fn flat(array: &dyn Array, settings: Settings) -> Result<Values, Refusal> {
        macro_rules! primitive {
            ($type:ty) => {
                array.as_primitive::<$type>().values().clone()
            };
        }
        Ok(match array.data_type() {
            DataType::Null => Values::Null,
            DataType::Boolean => Values::Bool(array.as_boolean().values().clone()),
            DataType::Int8 => Values::I8(primitive!(Int8Type)),
            DataType::Int16 => Values::I16(primitive!(Int16Type)),
            DataType::Int32 => Values::I32(primitive!(Int32Type)),
            DataType::Int64 => Values::I64(primitive!(Int64Type)),
            DataType::UInt8 => Values::U8(primitive!(UInt8Type)),
            DataType::UInt16 => Values::U16(primitive!(UInt16Type)),
            DataType::UInt32 => Values::U32(primitive!(UInt32Type)),
            DataType::UInt64 => Values::U64(primitive!(UInt64Type)),
            DataType::Float16 => Values::F16(primitive!(Float16Type)),
            DataType::Float32 => Values::F32(primitive!(Float32Type)),
            DataType::Float64 => Values::F64(primitive!(Float64Type)),
            DataType::Utf8 => Values::Utf8(array.as_string::<i32>().clone()),
            DataType::LargeUtf8 => Values::LargeUtf8(array.as_string::<i64>().clone()),
            DataType::Utf8View => Values::Utf8View(array.as_string_view().clone()),
            DataType::Binary => Values::Binary(BinaryValues::Binary(array.as_binary::<i32>().clone()), settings.bytes),
            DataType::LargeBinary => {
                Values::Binary(BinaryValues::Large(array.as_binary::<i64>().clone()), settings.bytes)
            }
            DataType::BinaryView => Values::Binary(BinaryValues::View(array.as_binary_view().clone()), settings.bytes),
            DataType::FixedSizeBinary(_) => {
                Values::Binary(BinaryValues::Fixed(array.as_fixed_size_binary().clone()), settings.bytes)
            }
            DataType::Decimal32(_, scale) => Values::Decimal32(primitive!(Decimal32Type), *scale),
            DataType::Decimal64(_, scale) => Values::Decimal64(primitive!(Decimal64Type), *scale),
            DataType::Decimal128(_, scale) => Values::Decimal128(primitive!(Decimal128Type), *scale),
            DataType::Decimal256(_, scale) => Values::Decimal256(primitive!(Decimal256Type), *scale),
            DataType::Date32 => Values::Date32(primitive!(Date32Type)),
            DataType::Date64 => Values::Date64(primitive!(Date64Type)),
            DataType::Time32(unit @ TimeUnit::Second) => Values::Time32(primitive!(Time32SecondType), *unit),
            DataType::Time32(unit @ TimeUnit::Millisecond) => Values::Time32(primitive!(Time32MillisecondType), *unit),
            DataType::Time64(unit @ TimeUnit::Microsecond) => Values::Time64(primitive!(Time64MicrosecondType), *unit),
            DataType::Time64(unit @ TimeUnit::Nanosecond) => Values::Time64(primitive!(Time64NanosecondType), *unit),
            DataType::Timestamp(unit, zone) => {
                let values = match unit {
                    TimeUnit::Second => primitive!(TimestampSecondType),
                    TimeUnit::Millisecond => primitive!(TimestampMillisecondType),
                    TimeUnit::Microsecond => primitive!(TimestampMicrosecondType),
                    TimeUnit::Nanosecond => primitive!(TimestampNanosecondType),
                };
                Values::Timestamp(values, *unit, Zone::parse(zone.as_deref()).map_err(Refusal::new)?)
            }
            DataType::Duration(unit) => {
                let values = match unit {
                    TimeUnit::Second => primitive!(DurationSecondType),
                    TimeUnit::Millisecond => primitive!(DurationMillisecondType),
                    TimeUnit::Microsecond => primitive!(DurationMicrosecondType),
                    TimeUnit::Nanosecond => primitive!(DurationNanosecondType),
                };
                Values::Duration(values, *unit)
            }
            DataType::Interval(IntervalUnit::YearMonth) => Values::Months(primitive!(IntervalYearMonthType)),
            DataType::Interval(IntervalUnit::DayTime) => Values::DayTime(primitive!(IntervalDayTimeType)),
            DataType::Interval(IntervalUnit::MonthDayNano) => {
                Values::MonthDayNano(primitive!(IntervalMonthDayNanoType))
            }
            other => return Err(Refusal::unsupported(other)),
        })
    }
}

/// Where the lists of an array are among their items, and the items.
#[inline(never)]
fn ranges(array: &dyn Array) -> Result<(Ranges, ArrayRef), Refusal> {
    Ok(match array.data_type() {
        DataType::List(_) => {
            let array = array.as_list::<i32>();
            (Ranges::I32(array.offsets().clone()), array.values().clone())
        }
        DataType::LargeList(_) => {
            let array = array.as_list::<i64>();
            (Ranges::I64(array.offsets().clone()), array.values().clone())
        }
        DataType::ListView(_) => {
            let array = array.as_list_view::<i32>();
            (Ranges::View32(array.offsets().clone(), array.sizes().clone()), array.values().clone())
        }
        DataType::LargeListView(_) => {
            let array = array.as_list_view::<i64>();
            (Ranges::View64(array.offsets().clone(), array.sizes().clone()), array.values().clone())
        }
        DataType::FixedSizeList(_, len) => (Ranges::Fixed(len.as_usize()), array.as_fixed_size_list().values().clone()),
        other => return Err(Refusal::unsupported(other)),
    })
}

/// Which value each row of a dictionary or of runs has, and the values.
#[inline(never)]
fn indices(array: &dyn Array) -> Result<(Indices, ArrayRef), Refusal> {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        return Ok((Indices::of_keys(dictionary.keys())?, dictionary.values().clone()));
    }
    downcast_run_array! {
        array => {
            let indices = Indices::of_runs(array.run_ends().values(), array.offset(), array.len())?;
            Ok((indices, array.values().clone()))
        },
        other => Err(Refusal::unsupported(other)),
    }
}

impl MapValues {
    fn new(array: &dyn Array, settings: Settings, depth: usize) -> Result<Box<MapValues>, Refusal> {
        let array = array.as_map();
        let keys = array.keys();
        if !matches!(keys.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) {
            return Err(Refusal::new(format!("keys of maps must be strings, not {}", keys.data_type())));
        }
        if keys.null_count() > 0 || array.entries().null_count() > 0 {
            return Err(Refusal::new("a map has null as a key".to_owned()));
        }
        Ok(Box::new(MapValues {
            ranges: array.offsets().clone(),
            keys: Values::new(keys, settings, depth + 1)?,
            values: Column::new(array.values(), settings, depth + 1)?,
            explicit_nulls: settings.explicit_nulls,
        }))
    }
}

impl Indices {
    fn of_keys(keys: &dyn Array) -> Result<Indices, Refusal> {
        macro_rules! primitive {
            ($type:ty) => {
                keys.as_primitive::<$type>().values().clone()
            };
        }
        Ok(match keys.data_type() {
            DataType::Int8 => Indices::I8(primitive!(Int8Type)),
            DataType::Int16 => Indices::I16(primitive!(Int16Type)),
            DataType::Int32 => Indices::I32(primitive!(Int32Type)),
            DataType::Int64 => Indices::I64(primitive!(Int64Type)),
            DataType::UInt8 => Indices::U8(primitive!(UInt8Type)),
            DataType::UInt16 => Indices::U16(primitive!(UInt16Type)),
            DataType::UInt32 => Indices::U32(primitive!(UInt32Type)),
            DataType::UInt64 => Indices::U64(primitive!(UInt64Type)),
            other => return Err(Refusal::unsupported(other)),
        })
    }

    /// Looked up once: a search for each row would cost the logarithm of the number of runs.
    fn of_runs<E: ArrowNativeType>(ends: &[E], offset: usize, len: usize) -> Result<Indices, Refusal> {
        let mut runs = Vec::with_capacity(len);
        for (run, end) in (0u32..).zip(ends) {
            let end = end.as_usize().saturating_sub(offset).min(len);
            runs.resize(end.max(runs.len()), run);
        }
        if runs.len() < len || u32::try_from(ends.len()).is_err() {
            return Err(Refusal::new(format!("{} runs do not make {len} values", ends.len())));
        }
        Ok(Indices::Runs(runs.into()))
    }
}
