//! The columns of a record batch, made ready to be read row by row: of concrete types, with the keys of their members
//! encoded.
//!
//! * `build`: makes them

mod build;

use std::ops::Range;

use arrow_array::types::{ArrowPrimitiveType, Float16Type};
use arrow_array::{
    BinaryArray, BinaryViewArray, FixedSizeBinaryArray, LargeBinaryArray, LargeStringArray, StringArray,
    StringViewArray,
};
use arrow_buffer::{
    ArrowNativeType, BooleanBuffer, IntervalDayTime, IntervalMonthDayNano, NullBuffer, OffsetBuffer, ScalarBuffer, i256,
};
use arrow_schema::TimeUnit;
use json_rope::{BytesFormat, Key};

use crate::time::Zone;

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
    pub(crate) fn get(&self, row: usize) -> Range<usize> {
        fn view<T: ArrowNativeType>(start: T, len: T) -> Range<usize> {
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

impl Column {
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
