//! Random types, and arrays of them: with nulls, and sliced at every level.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{
    BooleanBuffer, IntervalDayTime, IntervalMonthDayNano, NullBuffer, OffsetBuffer, ScalarBuffer, i256,
};
use arrow_schema::{DataType, Field, Fields, IntervalUnit, Schema, TimeUnit};

/// Numbers that look random, the same for the same seed.
pub struct Random(u64);

/// What is left out of random types, because it is compared in another way.
#[derive(Clone, Copy, Default)]
pub struct Without {
    pub floats: bool,
    pub bytes: bool,
}

pub type F16 = <Float16Type as ArrowPrimitiveType>::Native;

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        x ^ (x >> 29)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end.max(1) as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// An integer of any magnitude: small ones are as frequent as large ones.
    fn int(&mut self) -> i64 {
        let bits = self.bits() as i64;
        bits >> self.below(64)
    }

    fn wide(&mut self) -> i128 {
        let shift = self.below(128);
        ((i128::from(self.bits() as i64) << 64) | i128::from(self.bits())) >> shift
    }

    /// An integer in a range around 0.
    fn within(&mut self, limit: i64) -> i64 {
        self.int() % limit
    }

    fn float(&mut self) -> f64 {
        match self.below(6) {
            0 => f64::from_bits(self.bits()),
            1 => self.int() as f64,
            2 => self.below(100_000) as f64 / 100.0,
            3 => 10f64.powi(self.below(40) as i32 - 20),
            4 => {
                [0.0, -0.0, 1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, f64::MAX][self.below(8)]
            }
            _ => self.below(1 << 20) as f64 / 7.0,
        }
    }

    pub fn text(&mut self) -> String {
        const PARTS: [&str; 14] =
            ["tea", " ", "Zürich", "\"", "\\", "\n", "/", "日本", "😀", "\u{1}", "\u{7f}", "</a>", "0", "long text "];
        let parts = if self.one_in(20) { 40 } else { self.below(5) };
        (0..parts).map(|_| PARTS[self.below(14)]).collect()
    }

    fn bytes(&mut self) -> Vec<u8> {
        let len = if self.one_in(20) { 300 } else { self.below(12) };
        (0..len).map(|_| self.bits() as u8).collect()
    }

    fn nulls(&mut self, len: usize, may: bool) -> Option<NullBuffer> {
        match self.below(4) {
            0 | 1 if may => Some((0..len).map(|_| !self.one_in(4)).collect()),
            2 => Some(NullBuffer::new_valid(len)),
            _ => None,
        }
    }

    fn unit(&mut self) -> TimeUnit {
        [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond][self.below(4)]
    }

    fn field(&mut self, name: &str, depth: usize, without: Without) -> Arc<Field> {
        Arc::new(Field::new(name, self.data_type(depth, without), true))
    }

    fn fields(&mut self, depth: usize, without: Without) -> Fields {
        // Some need escapes, and some are longer than a block of an encoded key.
        const NAMES: [&str; 8] = ["id", "a", "naïve", "a\"b", "c/d~", "", "a name that is longer than most names", "z"];
        let first = self.below(8);
        (0..self.below(5)).map(|n| self.field(NAMES[(first + n) % 8], depth, without)).collect()
    }

    /// A type that is nested at most `depth` levels deep.
    pub fn data_type(&mut self, depth: usize, without: Without) -> DataType {
        use DataType::*;
        let simple = if depth == 0 { 37 } else { 48 };
        match self.below(simple) {
            0 => Null,
            1 | 2 => Boolean,
            3 => Int8,
            4 => Int16,
            5 => Int32,
            6 => Int64,
            7 => UInt8,
            8 => UInt16,
            9 => UInt32,
            10 => UInt64,
            11 if !without.floats => Float16,
            12 if !without.floats => Float32,
            13 if !without.floats => Float64,
            14 => LargeUtf8,
            15 => Utf8View,
            16 if !without.bytes => Binary,
            17 if !without.bytes => LargeBinary,
            18 if !without.bytes => BinaryView,
            19 if !without.bytes => FixedSizeBinary(self.below(20) as i32),
            20 => Decimal32(9, (self.below(19) as i32 - 9) as i8),
            21 => Decimal64(18, (self.below(37) as i32 - 18) as i8),
            22 => Decimal128(38, (self.below(77) as i32 - 38) as i8),
            23 => Decimal256(76, (self.below(153) as i32 - 76) as i8),
            24 => Date32,
            25 => Date64,
            26 => Time32(TimeUnit::Second),
            27 => Time32(TimeUnit::Millisecond),
            28 => Time64(TimeUnit::Microsecond),
            29 => Time64(TimeUnit::Nanosecond),
            30 | 31 => {
                const ZONES: [&str; 9] = [
                    "UTC",
                    "+00:00",
                    "-05:30",
                    "+0545",
                    "+14",
                    "Europe/Paris",
                    "America/New_York",
                    "Africa/Monrovia",
                    "Asia/Kathmandu",
                ];
                let zone = (!self.one_in(3)).then(|| ZONES[self.below(9)].into());
                Timestamp(self.unit(), zone)
            }
            32 => Duration(self.unit()),
            33 => Interval(IntervalUnit::YearMonth),
            34 => Interval(IntervalUnit::DayTime),
            35 => Interval(IntervalUnit::MonthDayNano),
            37 => List(self.field("item", depth - 1, without)),
            38 => LargeList(self.field("item", depth - 1, without)),
            39 => ListView(self.field("item", depth - 1, without)),
            40 => LargeListView(self.field("item", depth - 1, without)),
            41 => FixedSizeList(self.field("item", depth - 1, without), self.below(4) as i32),
            42..=44 => Struct(self.fields(depth - 1, without)),
            45 => {
                let keys = Field::new("keys", [Utf8, LargeUtf8, Utf8View][self.below(3)].clone(), false);
                let entries = Struct(vec![Arc::new(keys), self.field("values", depth - 1, without)].into());
                Map(Arc::new(Field::new("entries", entries, false)), false)
            }
            46 => {
                let keys = [Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64][self.below(8)].clone();
                // arrow-json panics for a dictionary of nulls.
                let values = std::iter::repeat_with(|| self.data_type(depth - 1, without));
                Dictionary(Box::new(keys), Box::new({ values }.find(|values| !has_only_nulls(values)).unwrap()))
            }
            47 => {
                let ends = [Int16, Int32, Int64][self.below(3)].clone();
                RunEndEncoded(Arc::new(Field::new("run_ends", ends, false)), self.field("values", depth - 1, without))
            }
            _ => Utf8,
        }
    }

    /// A batch of up to eight columns.
    pub fn batch(&mut self, depth: usize, without: Without) -> RecordBatch {
        let fields =
            self.fields(depth, without).iter().chain(&self.fields(depth, without)).cloned().collect::<Fields>();
        let rows = if self.one_in(10) { 0 } else { self.below(60) };
        let columns = fields.iter().map(|field| self.array(field.data_type(), rows, true)).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options).unwrap();
        if self.one_in(3) && rows > 0 {
            let from = self.below(rows);
            return batch.slice(from, self.below(rows - from + 1));
        }
        batch
    }

    /// An array, which may be a slice of a longer one.
    pub fn array(&mut self, data_type: &DataType, len: usize, may_be_null: bool) -> ArrayRef {
        if self.one_in(3) {
            let (before, after) = (self.below(10), self.below(10));
            return self.whole_array(data_type, before + len + after, may_be_null).slice(before, len);
        }
        self.whole_array(data_type, len, may_be_null)
    }

    fn whole_array(&mut self, data_type: &DataType, len: usize, may: bool) -> ArrayRef {
        macro_rules! primitive {
            ($type:ty, $value:expr) => {{
                let values = (0..len).map(|_| $value).collect::<Vec<<$type as ArrowPrimitiveType>::Native>>();
                let array = PrimitiveArray::<$type>::new(values.into(), self.nulls(len, may));
                Arc::new(array.with_data_type(data_type.clone()))
            }};
        }
        // Years of 365 days that all dates have.
        const YEARS: i64 = 260_000;
        const DAY: i64 = 86_400;
        match data_type {
            DataType::Null => Arc::new(NullArray::new(len)),
            DataType::Boolean => {
                let values = (0..len).map(|_| self.one_in(2)).collect::<BooleanBuffer>();
                Arc::new(BooleanArray::new(values, self.nulls(len, may)))
            }
            DataType::Int8 => primitive!(Int8Type, self.bits() as i8),
            DataType::Int16 => primitive!(Int16Type, self.int() as i16),
            DataType::Int32 => primitive!(Int32Type, self.int() as i32),
            DataType::Int64 => primitive!(Int64Type, self.int()),
            DataType::UInt8 => primitive!(UInt8Type, self.bits() as u8),
            DataType::UInt16 => primitive!(UInt16Type, self.int() as u16),
            DataType::UInt32 => primitive!(UInt32Type, self.int() as u32),
            DataType::UInt64 => primitive!(UInt64Type, self.int() as u64),
            DataType::Float16 => primitive!(Float16Type, F16::from_bits(self.bits() as u16)),
            DataType::Float32 => primitive!(Float32Type, self.float() as f32),
            DataType::Float64 => primitive!(Float64Type, self.float()),
            // At most as many digits as the type has, and no zero of tens: see the differences in `types`.
            DataType::Decimal32(_, scale) => {
                primitive!(Decimal32Type, not_zero_of_tens(*scale, (self.int() % 10_i64.pow(9)) as i32))
            }
            DataType::Decimal64(_, scale) => {
                primitive!(Decimal64Type, not_zero_of_tens(*scale, self.int() % 10_i64.pow(18)))
            }
            DataType::Decimal128(_, scale) => {
                primitive!(Decimal128Type, not_zero_of_tens(*scale, self.wide() % 10_i128.pow(38)))
            }
            DataType::Decimal256(_, scale) => primitive!(Decimal256Type, {
                let shift = self.below(256) as u8;
                let wide = i256::from_parts(self.wide() as u128, self.wide()) >> shift;
                not_zero_of_tens(*scale, wide % i256::from_i128(10).wrapping_pow(76))
            }),
            DataType::Date32 => primitive!(Date32Type, self.within(YEARS * 365) as i32),
            DataType::Date64 => primitive!(Date64Type, self.within(YEARS * 365 * DAY * 1_000)),
            DataType::Time32(TimeUnit::Second) => primitive!(Time32SecondType, self.below(86_400) as i32),
            DataType::Time32(_) => primitive!(Time32MillisecondType, self.below(86_400_000) as i32),
            DataType::Time64(TimeUnit::Microsecond) => {
                primitive!(Time64MicrosecondType, self.below(86_400_000_000) as i64)
            }
            DataType::Time64(_) => primitive!(Time64NanosecondType, self.below(86_400_000_000_000) as i64),
            DataType::Timestamp(unit, _) => match unit {
                TimeUnit::Second => primitive!(TimestampSecondType, self.within(YEARS * 365 * DAY)),
                TimeUnit::Millisecond => primitive!(TimestampMillisecondType, self.within(YEARS * 365 * DAY * 1_000)),
                TimeUnit::Microsecond => {
                    primitive!(TimestampMicrosecondType, self.within(YEARS * 365 * DAY * 1_000_000))
                }
                TimeUnit::Nanosecond => primitive!(TimestampNanosecondType, self.int()),
            },
            DataType::Duration(unit) => match unit {
                TimeUnit::Second => primitive!(DurationSecondType, self.within(i64::MAX / 1_000)),
                TimeUnit::Millisecond => primitive!(DurationMillisecondType, self.within(i64::MAX)),
                TimeUnit::Microsecond => primitive!(DurationMicrosecondType, self.int()),
                TimeUnit::Nanosecond => primitive!(DurationNanosecondType, self.int()),
            },
            DataType::Interval(IntervalUnit::YearMonth) => primitive!(IntervalYearMonthType, self.int() as i32),
            DataType::Interval(IntervalUnit::DayTime) => {
                primitive!(IntervalDayTimeType, IntervalDayTime::new(self.int() as i32, self.int() as i32))
            }
            DataType::Interval(IntervalUnit::MonthDayNano) => primitive!(
                IntervalMonthDayNanoType,
                IntervalMonthDayNano::new(self.int() as i32, self.int() as i32, self.int())
            ),
            DataType::Utf8 => Arc::new((0..len).map(|_| self.some(may, Random::text)).collect::<StringArray>()),
            DataType::LargeUtf8 => {
                Arc::new((0..len).map(|_| self.some(may, Random::text)).collect::<LargeStringArray>())
            }
            DataType::Utf8View => Arc::new((0..len).map(|_| self.some(may, Random::text)).collect::<StringViewArray>()),
            DataType::Binary => Arc::new((0..len).map(|_| self.some(may, Random::bytes)).collect::<BinaryArray>()),
            DataType::LargeBinary => {
                Arc::new((0..len).map(|_| self.some(may, Random::bytes)).collect::<LargeBinaryArray>())
            }
            DataType::BinaryView => {
                Arc::new((0..len).map(|_| self.some(may, Random::bytes)).collect::<BinaryViewArray>())
            }
            DataType::FixedSizeBinary(size) => {
                let bytes = (0..len * *size as usize).map(|_| self.bits() as u8).collect::<Vec<_>>();
                let nulls = self.nulls(len, may);
                Arc::new(FixedSizeBinaryArray::try_new_with_len(*size, bytes.into(), nulls, len).unwrap())
            }
            DataType::List(field) => self.list::<i32>(field, len, may),
            DataType::LargeList(field) => self.list::<i64>(field, len, may),
            DataType::ListView(field) => self.list_view::<i32>(field, len, may),
            DataType::LargeListView(field) => self.list_view::<i64>(field, len, may),
            DataType::FixedSizeList(field, size) => {
                let items = self.array(field.data_type(), len * *size as usize, true);
                let nulls = self.nulls(len, may);
                Arc::new(FixedSizeListArray::try_new_with_length(field.clone(), *size, items, nulls, len).unwrap())
            }
            DataType::Struct(fields) => {
                let columns = fields.iter().map(|field| self.array(field.data_type(), len, true)).collect();
                let nulls = self.nulls(len, may);
                Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, len).unwrap())
            }
            DataType::Map(field, _) => {
                let DataType::Struct(fields) = field.data_type() else { unreachable!() };
                let offsets = self.offsets::<i32>(len);
                let entries = offsets[len] as usize;
                let keys = self.array(fields[0].data_type(), entries, false);
                let values = self.array(fields[1].data_type(), entries, true);
                let entries = StructArray::new(fields.clone(), vec![keys, values], None);
                Arc::new(MapArray::new(field.clone(), offsets, entries, self.nulls(len, may), false))
            }
            DataType::Dictionary(keys, values) => {
                let distinct = 1 + self.below(9);
                let values = self.array(values, distinct, false);
                macro_rules! dictionary {
                    ($($pattern:ident => $type:ty),*) => {
                        match &**keys {
                            $(DataType::$pattern => {
                                let keys = (0..len).map(|_| self.below(distinct) as _).collect::<Vec<_>>();
                                let keys = PrimitiveArray::<$type>::new(keys.into(), self.nulls(len, may));
                                Arc::new(DictionaryArray::new(keys, values)) as ArrayRef
                            })*
                            _ => unreachable!(),
                        }
                    };
                }
                dictionary!(
                    Int8 => Int8Type, Int16 => Int16Type, Int32 => Int32Type, Int64 => Int64Type,
                    UInt8 => UInt8Type, UInt16 => UInt16Type, UInt32 => UInt32Type, UInt64 => UInt64Type
                )
            }
            DataType::RunEndEncoded(ends, values) => {
                let mut at = 0;
                let mut run_ends = Vec::new();
                while at < len {
                    at = (at + 1 + self.below(4)).min(len);
                    run_ends.push(at);
                }
                let values = self.array(values.data_type(), run_ends.len(), may);
                macro_rules! runs {
                    ($($pattern:ident => $type:ty),*) => {
                        match ends.data_type() {
                            $(DataType::$pattern => {
                                let ends = run_ends.iter().map(|end| *end as _);
                                let ends = PrimitiveArray::<$type>::from_iter_values(ends);
                                Arc::new(RunArray::try_new(&ends, &values).unwrap()) as ArrayRef
                            })*
                            _ => unreachable!(),
                        }
                    };
                }
                runs!(Int16 => Int16Type, Int32 => Int32Type, Int64 => Int64Type)
            }
            other => unreachable!("{other}"),
        }
    }

    fn some<T>(&mut self, may_be_null: bool, make: impl FnOnce(&mut Random) -> T) -> Option<T> {
        (!may_be_null || !self.one_in(5)).then(|| make(self))
    }

    fn offsets<O: OffsetSizeTrait>(&mut self, len: usize) -> OffsetBuffer<O> {
        OffsetBuffer::from_lengths((0..len).map(|_| self.below(4)).collect::<Vec<_>>())
    }

    fn list<O: OffsetSizeTrait>(&mut self, field: &Arc<Field>, len: usize, may: bool) -> ArrayRef {
        let offsets = self.offsets::<O>(len);
        let items = self.array(field.data_type(), offsets[len].as_usize(), true);
        Arc::new(GenericListArray::new(field.clone(), offsets, items, self.nulls(len, may)))
    }

    fn list_view<O: OffsetSizeTrait>(&mut self, field: &Arc<Field>, len: usize, may: bool) -> ArrayRef {
        let total = self.below(30);
        let items = self.array(field.data_type(), total, true);
        let ranges = (0..len).map(|_| {
            let start = self.below(total + 1);
            start..start + self.below(4).min(total - start)
        });
        let ranges = ranges.collect::<Vec<Range<usize>>>();
        let starts = ranges.iter().map(|range| O::usize_as(range.start)).collect::<ScalarBuffer<O>>();
        let sizes = ranges.iter().map(|range| O::usize_as(range.len())).collect::<ScalarBuffer<O>>();
        Arc::new(GenericListViewArray::new(field.clone(), starts, sizes, items, self.nulls(len, may)))
    }
}

fn has_only_nulls(data_type: &DataType) -> bool {
    match data_type {
        DataType::Null => true,
        DataType::Dictionary(_, values) => has_only_nulls(values),
        DataType::RunEndEncoded(_, values) => has_only_nulls(values.data_type()),
        _ => false,
    }
}

/// One instead of zero, if the scale is negative.
fn not_zero_of_tens<T: PartialEq + From<i8>>(scale: i8, value: T) -> T {
    if scale < 0 && value == T::from(0) { T::from(1) } else { value }
}
