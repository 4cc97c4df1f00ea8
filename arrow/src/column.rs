//! The columns of a record batch, made ready to be read row by row: of concrete types, with the keys of their members
//! encoded.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{
    Array, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, LargeBinaryArray, LargeStringArray, RecordBatch,
    StringArray, StringViewArray, downcast_run_array,
};
use arrow_buffer::{
    ArrowNativeType, BooleanBuffer, IntervalDayTime, IntervalMonthDayNano, NullBuffer, OffsetBuffer, ScalarBuffer, i256,
};
use arrow_schema::{DataType, Fields, IntervalUnit, TimeUnit};
use json_rope::{BytesFormat, Key};

use crate::refusal::Refusal;
use crate::time::Zone;

/// Types that are nested deeper are refused. They would not be encoded either, with the default limit.
const MAX_DEPTH: usize = 1_000;

/// What an encoder wants to know about all columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) explicit_nulls: bool,
    pub(crate) bytes: BytesFormat,
}

/// Values with a null mask.
pub(crate) struct Column {
    pub(crate) values: Values,
    /// None if no value is null.
    nulls: Option<NullBuffer>,
}

/// A member of a struct, or a column of a batch.
pub(crate) struct Member {
    pub(crate) key: Key,
    pub(crate) column: Column,
}

/// The members of a struct, or of all rows of a batch.
pub(crate) struct Members {
    pub(crate) list: Box<[Member]>,
    pub(crate) explicit_nulls: bool,
}

/// The values of one column.
pub(crate) enum Values {
    Null,
    Bool(BooleanBuffer),
    I8(ScalarBuffer<i8>),
    I16(ScalarBuffer<i16>),
    I32(ScalarBuffer<i32>),
    I64(ScalarBuffer<i64>),
    U8(ScalarBuffer<u8>),
    U16(ScalarBuffer<u16>),
    U32(ScalarBuffer<u32>),
    U64(ScalarBuffer<u64>),
    F16(ScalarBuffer<<Float16Type as ArrowPrimitiveType>::Native>),
    F32(ScalarBuffer<f32>),
    F64(ScalarBuffer<f64>),
    Utf8(StringArray),
    LargeUtf8(LargeStringArray),
    Utf8View(StringViewArray),
    Binary(BinaryValues, BytesFormat),
    Decimal32(ScalarBuffer<i32>, i8),
    Decimal64(ScalarBuffer<i64>, i8),
    Decimal128(ScalarBuffer<i128>, i8),
    Decimal256(ScalarBuffer<i256>, i8),
    Date32(ScalarBuffer<i32>),
    Date64(ScalarBuffer<i64>),
    Time32(ScalarBuffer<i32>, TimeUnit),
    Time64(ScalarBuffer<i64>, TimeUnit),
    Timestamp(ScalarBuffer<i64>, TimeUnit, Zone),
    Duration(ScalarBuffer<i64>, TimeUnit),
    Months(ScalarBuffer<i32>),
    DayTime(ScalarBuffer<IntervalDayTime>),
    MonthDayNano(ScalarBuffer<IntervalMonthDayNano>),
    List(Ranges, Box<Column>),
    Struct(Members),
    Map(Box<MapValues>),
    /// The values of a dictionary, or of runs. Which of them are null is known outside.
    Indexed(Indices, Box<Values>),
}

/// Byte strings.
pub(crate) enum BinaryValues {
    Binary(BinaryArray),
    Large(LargeBinaryArray),
    View(BinaryViewArray),
    Fixed(FixedSizeBinaryArray),
}

pub(crate) struct MapValues {
    pub(crate) ranges: OffsetBuffer<i32>,
    pub(crate) keys: Values,
    pub(crate) values: Column,
    pub(crate) explicit_nulls: bool,
}

/// Where in the values of a list each list is.
pub(crate) enum Ranges {
    I32(OffsetBuffer<i32>),
    I64(OffsetBuffer<i64>),
    View32(ScalarBuffer<i32>, ScalarBuffer<i32>),
    View64(ScalarBuffer<i64>, ScalarBuffer<i64>),
    Fixed(usize),
}

/// Which value each row has.
pub(crate) enum Indices {
    I8(ScalarBuffer<i8>),
    I16(ScalarBuffer<i16>),
    I32(ScalarBuffer<i32>),
    I64(ScalarBuffer<i64>),
    U8(ScalarBuffer<u8>),
    U16(ScalarBuffer<u16>),
    U32(ScalarBuffer<u32>),
    U64(ScalarBuffer<u64>),
    /// For each row the index of its run.
    Runs(Box<[u32]>),
}

impl BinaryValues {
    #[inline]
    pub(crate) fn get(&self, row: usize) -> &[u8] {
        match self {
            BinaryValues::Binary(array) => array.value(row),
            BinaryValues::Large(array) => array.value(row),
            BinaryValues::View(array) => array.value(row),
            BinaryValues::Fixed(array) => array.value(row),
        }
    }
}

impl Ranges {
    #[inline]
    pub(crate) fn get(&self, row: usize) -> std::ops::Range<usize> {
        fn view<T: ArrowNativeType>(start: T, len: T) -> std::ops::Range<usize> {
            start.as_usize()..start.as_usize() + len.as_usize()
        }
        match self {
            Ranges::I32(offsets) => offsets[row].as_usize()..offsets[row + 1].as_usize(),
            Ranges::I64(offsets) => offsets[row].as_usize()..offsets[row + 1].as_usize(),
            Ranges::View32(starts, lens) => view(starts[row], lens[row]),
            Ranges::View64(starts, lens) => view(starts[row], lens[row]),
            Ranges::Fixed(len) => row * len..(row + 1) * len,
        }
    }
}

impl Indices {
    #[inline]
    pub(crate) fn get(&self, row: usize) -> usize {
        match self {
            Indices::I8(keys) => keys[row].as_usize(),
            Indices::I16(keys) => keys[row].as_usize(),
            Indices::I32(keys) => keys[row].as_usize(),
            Indices::I64(keys) => keys[row].as_usize(),
            Indices::U8(keys) => keys[row].as_usize(),
            Indices::U16(keys) => keys[row].as_usize(),
            Indices::U32(keys) => keys[row].as_usize(),
            Indices::U64(keys) => keys[row].as_usize(),
            Indices::Runs(runs) => runs[row] as usize,
        }
    }
}

impl Members {
    /// The columns of a batch.
    pub(crate) fn of_batch(batch: &RecordBatch, settings: Settings) -> Result<Members, Refusal> {
        Members::new(batch.schema_ref().fields(), batch.columns(), settings, 0)
    }

    fn new(
        fields: &Fields,
        columns: &[arrow_array::ArrayRef],
        settings: Settings,
        depth: usize,
    ) -> Result<Members, Refusal> {
        let member = |(field, array): (&arrow_schema::FieldRef, &arrow_array::ArrayRef)| {
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

    #[inline]
    pub(crate) fn is_null(&self, row: usize) -> bool {
        match &self.nulls {
            None => false,
            Some(nulls) => nulls.is_null(row),
        }
    }

    /// Whether no value is null.
    pub(crate) fn has_no_nulls(&self) -> bool {
        self.nulls.is_none()
    }
}

impl Values {
    fn new(array: &dyn Array, settings: Settings, depth: usize) -> Result<Values, Refusal> {
        macro_rules! primitive {
            ($type:ty) => {
                array.as_primitive::<$type>().values().clone()
            };
        }
        if depth > MAX_DEPTH {
            return Err(Refusal::new(format!("types are nested deeper than {MAX_DEPTH} levels")));
        }
        let list = |values: &dyn Array| Ok(Box::new(Column::new(values, settings, depth + 1)?));
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
            DataType::List(_) => {
                let array = array.as_list::<i32>();
                Values::List(Ranges::I32(array.offsets().clone()), list(array.values())?)
            }
            DataType::LargeList(_) => {
                let array = array.as_list::<i64>();
                Values::List(Ranges::I64(array.offsets().clone()), list(array.values())?)
            }
            DataType::ListView(_) => {
                let array = array.as_list_view::<i32>();
                let ranges = Ranges::View32(array.offsets().clone(), array.sizes().clone());
                Values::List(ranges, list(array.values())?)
            }
            DataType::LargeListView(_) => {
                let array = array.as_list_view::<i64>();
                let ranges = Ranges::View64(array.offsets().clone(), array.sizes().clone());
                Values::List(ranges, list(array.values())?)
            }
            DataType::FixedSizeList(_, len) => {
                let array = array.as_fixed_size_list();
                Values::List(Ranges::Fixed(len.as_usize()), list(array.values())?)
            }
            DataType::Struct(fields) => {
                Values::Struct(Members::new(fields, array.as_struct().columns(), settings, depth)?)
            }
            DataType::Map(_, _) => Values::Map(Box::new(MapValues::new(array, settings, depth)?)),
            DataType::Dictionary(_, _) => {
                let dictionary = array.as_any_dictionary();
                let indices = Indices::of_keys(dictionary.keys())?;
                Values::Indexed(indices, Box::new(Values::new(dictionary.values(), settings, depth + 1)?))
            }
            DataType::RunEndEncoded(_, _) => downcast_run_array! {
                array => {
                    let indices = Indices::of_runs(array.run_ends().values(), array.offset(), array.len())?;
                    Values::Indexed(indices, Box::new(Values::new(array.values(), settings, depth + 1)?))
                },
                other => return Err(Refusal::unsupported(other)),
            },
            other => return Err(Refusal::unsupported(other)),
        })
    }
}

impl MapValues {
    fn new(array: &dyn Array, settings: Settings, depth: usize) -> Result<MapValues, Refusal> {
        let array = array.as_map();
        let keys = array.keys();
        if !matches!(keys.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) {
            return Err(Refusal::new(format!("keys of maps must be strings, not {}", keys.data_type())));
        }
        if keys.null_count() > 0 || array.entries().null_count() > 0 {
            return Err(Refusal::new("a map has null as a key".to_owned()));
        }
        Ok(MapValues {
            ranges: array.offsets().clone(),
            keys: Values::new(keys, settings, depth + 1)?,
            values: Column::new(array.values(), settings, depth + 1)?,
            explicit_nulls: settings.explicit_nulls,
        })
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
