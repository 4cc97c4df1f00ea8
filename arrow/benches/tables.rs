//! Tables of one column each, and the mixed one.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder, StringBuilder};
use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{IntervalMonthDayNano, NullBuffer, OffsetBuffer, i256};
use arrow_schema::{DataType, Field, Fields};

const ROWS: usize = 8_192;

/// Numbers that look random, the same in each run.
pub struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = self.0 ^ (self.0 >> 33);
        x.wrapping_mul(0xff51_afd7_ed55_8ccd) >> 11
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn some(&mut self) -> bool {
        self.below(10) != 0
    }

    fn float(&mut self) -> f64 {
        self.below(100_000_000) as f64 / 1e4 + self.below(1 << 20) as f64 / (1 << 30) as f64
    }
}

type Make = fn(&mut Random) -> ArrayRef;
type Table = Box<dyn Fn() -> Vec<RecordBatch>>;

const WORDS: [&str; 12] = [
    "tea",
    "Berlin",
    "order received",
    "GET /api/v1/items",
    "x",
    "a somewhat longer text of a few words",
    "Zürich",
    "ok",
    "customer 4711",
    "2 pieces",
    "\"quoted\"",
    "in transit",
];

fn words(random: &mut Random) -> Vec<Option<&'static str>> {
    (0..ROWS).map(|_| random.some().then(|| WORDS[random.below(12) as usize])).collect()
}

fn ints<T: ArrowPrimitiveType>(random: &mut Random, make: impl Fn(u64) -> T::Native) -> PrimitiveArray<T> {
    PrimitiveArray::from_iter_values((0..ROWS).map(|_| make(random.next())))
}

fn int32_list(random: &mut Random) -> ArrayRef {
    let mut list = ListBuilder::new(Int32Builder::new());
    for _ in 0..ROWS {
        for _ in 0..random.below(5) {
            list.values().append_value(random.below(100_000) as i32);
        }
        list.append(true);
    }
    Arc::new(list.finish())
}

fn point(random: &mut Random) -> ArrayRef {
    let x: ArrayRef = Arc::new(Float64Array::from_iter_values((0..ROWS).map(|_| random.float())));
    let label: ArrayRef = Arc::new(StringArray::from(words(random)));
    let fields =
        Fields::from(vec![Field::new("x", DataType::Float64, true), Field::new("label", DataType::Utf8, true)]);
    Arc::new(StructArray::new(fields, vec![x, label], None))
}

/// One column of each type.
const COLUMNS: &[(&str, Make)] = &[
    ("int8", |r| Arc::new(ints::<Int8Type>(r, |n| n as i8))),
    ("int16", |r| Arc::new(ints::<Int16Type>(r, |n| n as i16))),
    ("int32", |r| Arc::new(ints::<Int32Type>(r, |n| n as i32 >> 8))),
    ("int32 nulls", |r| Arc::new((0..ROWS).map(|_| r.some().then(|| r.below(100_000) as i32)).collect::<Int32Array>())),
    ("int64", |r| Arc::new(ints::<Int64Type>(r, |n| (n % 10_000_000) as i64))),
    ("int64 wide", |r| Arc::new(ints::<Int64Type>(r, |n| (n << 11) as i64))),
    ("uint8", |r| Arc::new(ints::<UInt8Type>(r, |n| n as u8))),
    ("uint16", |r| Arc::new(ints::<UInt16Type>(r, |n| n as u16))),
    ("uint32", |r| Arc::new(ints::<UInt32Type>(r, |n| n as u32))),
    ("uint64", |r| Arc::new(ints::<UInt64Type>(r, |n| n))),
    ("float16", |r| {
        let to = |n: u64| <Float16Type as ArrowPrimitiveType>::Native::from_f32((n % 1000) as f32 / 8.0);
        Arc::new(ints::<Float16Type>(r, to))
    }),
    ("float32", |r| Arc::new(Float32Array::from_iter_values((0..ROWS).map(|_| r.float() as f32)))),
    ("float64", |r| Arc::new(Float64Array::from_iter_values((0..ROWS).map(|_| r.float())))),
    ("float64 prices", |r| {
        Arc::new(Float64Array::from_iter_values((0..ROWS).map(|_| r.below(100_000) as f64 / 100.0)))
    }),
    ("float64 nulls", |r| Arc::new((0..ROWS).map(|_| r.some().then(|| r.float())).collect::<Float64Array>())),
    ("bool", |r| Arc::new(BooleanArray::from((0..ROWS).map(|_| r.below(2) == 0).collect::<Vec<_>>()))),
    ("null", |_| Arc::new(NullArray::new(ROWS))),
    ("utf8", |r| Arc::new(StringArray::from(words(r)))),
    ("large utf8", |r| Arc::new(LargeStringArray::from(words(r)))),
    ("utf8 view", |r| Arc::new(StringViewArray::from(words(r)))),
    ("binary", |r| Arc::new(BinaryArray::from_iter(words(r)))),
    ("fixed binary", |r| {
        let values = (0..ROWS).map(|_| r.next().to_le_bytes().repeat(2));
        Arc::new(FixedSizeBinaryArray::try_from_iter(values).unwrap())
    }),
    ("decimal32", |r| {
        Arc::new(ints::<Decimal32Type>(r, |n| (n % 1_000_000) as i32).with_precision_and_scale(9, 2).unwrap())
    }),
    ("decimal64", |r| {
        Arc::new(ints::<Decimal64Type>(r, |n| (n % 100_000_000) as i64).with_precision_and_scale(18, 2).unwrap())
    }),
    ("decimal128", |r| {
        Arc::new(ints::<Decimal128Type>(r, |n| (n % 100_000_000) as i128).with_precision_and_scale(38, 2).unwrap())
    }),
    ("decimal128 integers", |r| {
        Arc::new(ints::<Decimal128Type>(r, |n| (n % 100_000_000) as i128).with_precision_and_scale(38, 0).unwrap())
    }),
    ("decimal256", |r| {
        let wide = |n| i256::from_i128(i128::from(n) * 1_000_000_007);
        Arc::new(ints::<Decimal256Type>(r, wide).with_precision_and_scale(76, 6).unwrap())
    }),
    ("date32", |r| Arc::new(ints::<Date32Type>(r, |n| (n % 40_000) as i32))),
    ("date64", |r| Arc::new(ints::<Date64Type>(r, |n| (n % 4_000_000_000_000) as i64))),
    ("time32 s", |r| Arc::new(ints::<Time32SecondType>(r, |n| (n % 86_400) as i32))),
    ("time64 us", |r| Arc::new(ints::<Time64MicrosecondType>(r, |n| (n % 86_400_000_000) as i64))),
    ("timestamp s", |r| Arc::new(ints::<TimestampSecondType>(r, |n| (n % 4_000_000_000) as i64))),
    ("timestamp ms", |r| Arc::new(ints::<TimestampMillisecondType>(r, |n| (n % 4_000_000_000_000) as i64))),
    ("timestamp ns", |r| Arc::new(ints::<TimestampNanosecondType>(r, |n| (n % 4_000_000_000_000_000_000) as i64))),
    ("timestamp ms UTC", |r| {
        Arc::new(ints::<TimestampMillisecondType>(r, |n| (n % 4_000_000_000_000) as i64).with_timezone("UTC"))
    }),
    ("timestamp ms +02:00", |r| {
        Arc::new(ints::<TimestampMillisecondType>(r, |n| (n % 4_000_000_000_000) as i64).with_timezone("+02:00"))
    }),
    ("timestamp ms Paris", |r| {
        Arc::new(ints::<TimestampMillisecondType>(r, |n| (n % 4_000_000_000_000) as i64).with_timezone("Europe/Paris"))
    }),
    ("duration ms", |r| Arc::new(ints::<DurationMillisecondType>(r, |n| (n % 4_000_000_000) as i64))),
    ("interval months", |r| Arc::new(ints::<IntervalYearMonthType>(r, |n| (n % 400) as i32))),
    ("interval", |r| {
        let make =
            |n: u64| IntervalMonthDayNano::new((n % 12) as i32, (n % 31) as i32, (n % 86_400_000_000_000) as i64);
        Arc::new(ints::<IntervalMonthDayNanoType>(r, make))
    }),
    ("list of int32", int32_list),
    ("list of utf8", |r| {
        let mut list = ListBuilder::new(StringBuilder::new());
        for _ in 0..ROWS {
            for _ in 0..r.below(5) {
                list.values().append_value(WORDS[r.below(12) as usize]);
            }
            list.append(true);
        }
        Arc::new(list.finish())
    }),
    ("list view of int32", |r| {
        let list = int32_list(r);
        let list = cast::AsArray::as_list::<i32>(&list).clone();
        Arc::new(ListViewArray::from(list))
    }),
    ("fixed list of float64", |r| {
        let items = Float64Array::from_iter_values((0..3 * ROWS).map(|_| r.float()));
        let field = Arc::new(Field::new_list_field(DataType::Float64, true));
        Arc::new(FixedSizeListArray::new(field, 3, Arc::new(items), None))
    }),
    ("struct", point),
    ("map", |r| {
        let keys: ArrayRef = Arc::new(StringArray::from_iter_values((0..2 * ROWS).map(|n| ["from", "to"][n % 2])));
        let values: ArrayRef = Arc::new(ints::<Int32Type>(r, |n| n as i32 >> 8));
        let nulls = Some(NullBuffer::new_valid(ROWS));
        let values = cast::AsArray::as_primitive::<Int32Type>(&values).values();
        let values: ArrayRef = Arc::new(Int32Array::from_iter_values(values.iter().chain(values).copied()));
        let fields =
            Fields::from(vec![Field::new("keys", DataType::Utf8, false), Field::new("values", DataType::Int32, true)]);
        let entries = StructArray::new(fields.clone(), vec![keys, values], None);
        let field = Arc::new(Field::new("entries", DataType::Struct(fields), false));
        let offsets = OffsetBuffer::from_lengths(std::iter::repeat_n(2, ROWS));
        Arc::new(MapArray::new(field, offsets, entries, nulls, false))
    }),
    ("dictionary of utf8", |r| Arc::new(words(r).into_iter().collect::<DictionaryArray<Int32Type>>())),
    ("runs of utf8", |r| {
        let mut word = None;
        let words = words(r).into_iter().enumerate().map(|(row, next)| {
            if row % 7 == 0 {
                word = next;
            }
            word
        });
        Arc::new(words.collect::<Vec<_>>().into_iter().collect::<Int32RunArray>())
    }),
];

fn mixed(random: &mut Random) -> RecordBatch {
    let column = |name: &str, random: &mut Random| {
        let (_, make) = COLUMNS.iter().find(|(of, _)| *of == name).unwrap();
        make(random)
    };
    RecordBatch::try_from_iter([
        ("id", column("int64", random)),
        ("score", column("float64 nulls", random)),
        ("name", column("utf8", random)),
        ("active", column("bool", random)),
        ("count", column("int32 nulls", random)),
        ("created_at", column("timestamp ms", random)),
        ("tags", column("list of int32", random)),
        ("location", column("struct", random)),
    ])
    .unwrap()
}

/// All tables, by their names. The mixed one has a million rows, the others an eighth of that.
pub fn all() -> Vec<(&'static str, Table)> {
    let mut tables: Vec<(&'static str, Table)> = Vec::new();
    tables.push(("mixed", Box::new(|| (0..122).map(|seed| mixed(&mut Random(seed))).collect())));
    for &(name, make) in COLUMNS {
        let table = move || {
            let batch = |seed| RecordBatch::try_from_iter([(name, make(&mut Random(seed)))]).unwrap();
            (0..16).map(batch).collect()
        };
        tables.push((name, Box::new(table)));
    }
    tables
}
