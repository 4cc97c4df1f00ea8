//! Rows on several threads: the bytes and the errors of one thread, under pools of several sizes.

use std::cell::Cell;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, Date64Array, Float64Array, Int64Array, RecordBatch, StringArray, UnionArray};
use arrow_schema::{ArrowError, DataType, Field, UnionFields};
use json_rope::{Encoder, EncoderBuilder, Error, Frame, Pool};
use json_rope_arrow::RowEncoder;
use rayon::ThreadPoolBuilder;

const FRAMES: [Frame; 6] =
    [Frame::NdJson, Frame::JsonSeq, Frame::ServerSentEvent, Frame::LengthDelimited, Frame::Grpc, Frame::HttpChunk];

/// A batch of so many rows, of which those in `bad` have a date that is out of range.
fn batch(rows: usize, bad: &[usize]) -> RecordBatch {
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values((0..rows as i64).map(|n| n * n)));
    let names: ArrayRef = Arc::new(StringArray::from_iter(
        (0..rows).map(|n| (n % 3 > 0).then(|| format!("name {n} ü \"{}\"", "x".repeat(n % 50)))),
    ));
    let floats: ArrayRef = Arc::new(Float64Array::from_iter((0..rows).map(|n| (n % 5 > 0).then_some(n as f64 / 7.0))));
    let date = |n| if bad.contains(&n) { i64::MAX } else { n as i64 * 86_400_000 };
    let dates: ArrayRef = Arc::new(Date64Array::from_iter_values((0..rows).map(date)));
    RecordBatch::try_from_iter([("n", numbers), ("name", names), ("x", floats), ("day", dates)]).unwrap()
}

/// A batch with a column that has no JSON form.
fn refused(rows: usize) -> RecordBatch {
    let fields = UnionFields::from_fields([Field::new("a", DataType::Int64, true)]);
    let child: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows as i64));
    let union = UnionArray::try_new(fields, vec![0; rows].into(), None, vec![child]).unwrap();
    RecordBatch::try_from_iter([("u", Arc::new(union) as ArrayRef)]).unwrap()
}

fn in_pools(test: impl Fn() + Sync) {
    for threads in [1, 2, 3, 8] {
        ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&test);
    }
    test();
}

fn parts(error: Error) -> (String, Option<String>, Option<u64>, u64) {
    (error.message(), error.pointer().map(str::to_owned), error.record(), error.offset())
}

type Input = Result<RecordBatch, ArrowError>;

/// Writes by several threads and by one.
fn compare(encoder: &RowEncoder, frame: Frame, input: impl Fn() -> Vec<Input>) -> Result<u64, Error> {
    let (mut expected, mut found) = (Vec::new(), Vec::new());
    let serial = encoder.write_records(frame, input(), &mut expected);
    let parallel = encoder.par_write_records(frame, input(), &mut found);
    assert_eq!(found.len(), expected.len(), "{frame:?}");
    assert!(found == expected, "{frame:?}");
    match (serial, parallel) {
        (Ok(serial), Ok(parallel)) => {
            assert_eq!((serial, parallel), (found.len() as u64, found.len() as u64));
            Ok(serial)
        }
        (Err(serial), Err(parallel)) => {
            assert_eq!(parts(parallel), parts(serial));
            Err(encoder.par_write_records(frame, input(), io::sink()).unwrap_err())
        }
        (serial, parallel) => panic!("one thread: {serial:?}, several: {parallel:?}"),
    }
}

fn builders() -> [EncoderBuilder; 4] {
    [
        Encoder::builder(),
        Encoder::builder().ascii(true).sort_keys(true),
        Encoder::builder().first_chunk(16).max_chunk(64),
        Encoder::builder().pool(Pool::builder().max_buffers(3).build()),
    ]
}

#[test]
fn the_same_bytes_in_every_frame() {
    let sizes = [0, 1, 8191, 8192, 12_289].map(|rows| batch(rows, &[]));
    in_pools(|| {
        for (number, builder) in builders().into_iter().enumerate() {
            let encoder = RowEncoder::new(builder.build().unwrap());
            let frames = if number == 0 { &FRAMES[..] } else { &FRAMES[number..=number] };
            for &frame in frames {
                for batch in &sizes {
                    assert_eq!(encoder.par_records(frame, batch).unwrap(), encoder.records(frame, batch).unwrap());
                }
                compare(&encoder, frame, || sizes.iter().rev().cloned().map(Ok).collect()).unwrap();
            }
        }
    });
}

#[test]
fn the_first_error_with_all_rows_before_it() {
    let encoder = RowEncoder::new(Encoder::new());
    in_pools(|| {
        // Of two, in the same part and in others.
        for bad in [&[0][..], &[20_000, 20_001], &[4095, 29_999], &[9000, 100]] {
            let first = *bad.iter().min().unwrap();
            let broken = batch(30_000, bad);
            let error = encoder.par_records(Frame::NdJson, &broken).unwrap_err();
            assert_eq!(parts(error), parts(encoder.records(Frame::NdJson, &broken).unwrap_err()));
            let error = compare(&encoder, Frame::NdJson, || vec![Ok(batch(10_000, &[])), Ok(broken.clone())]);
            assert_eq!(error.unwrap_err().record(), Some(10_000 + first as u64));
        }
        let error = compare(&encoder, Frame::NdJson, || {
            vec![Ok(batch(10_000, &[])), Err(ArrowError::ComputeError("no".to_owned())), Ok(batch(10_000, &[3]))]
        });
        assert_eq!(error.unwrap_err().record(), Some(10_000));
        for rows in [0, 9000] {
            let error = compare(&encoder, Frame::NdJson, || vec![Ok(batch(9_000, &[])), Ok(refused(rows))]);
            assert!(error.unwrap_err().message().contains('u'));
        }
        let limited = RowEncoder::new(Encoder::builder().max_len(100).build().unwrap());
        assert!(compare(&limited, Frame::NdJson, || vec![Ok(batch(20_000, &[]))]).unwrap_err().is_limit());
        let pretty = RowEncoder::new(Encoder::builder().pretty(true).build().unwrap());
        assert!(compare(&pretty, Frame::NdJson, || vec![Ok(batch(20_000, &[]))]).unwrap_err().is_config());
    });
}

/// Fails after so many bytes.
struct Failing {
    bytes: Vec<u8>,
    most: usize,
}

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() == self.most {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let len = bytes.len().min(self.most - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_that_fails_has_a_prefix_and_is_left_alone() {
    let encoder = RowEncoder::new(Encoder::new());
    let batch = batch(30_000, &[]);
    let whole = encoder.records(Frame::NdJson, &batch).unwrap().to_vec();
    for most in [0, 1, 1000, 500_000, whole.len() - 1] {
        let mut writer = Failing { bytes: Vec::new(), most };
        let error = encoder.par_write_records(Frame::NdJson, [Ok(batch.clone())], &mut writer).unwrap_err();
        assert_eq!(error.io_error_kind(), Some(io::ErrorKind::BrokenPipe));
        assert!(error.offset() <= most as u64);
        assert!(writer.bytes == whole[..most], "{most}");
    }
}

/// Counts lines, and fails if too many rows have been read before they were written.
struct Lines<'r> {
    read: &'r Cell<usize>,
    written: usize,
}

impl Write for Lines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.written += bytes.iter().filter(|&&byte| byte == b'\n').count();
        // Two windows of four parts: the one that is written, and the one that is encoded.
        assert!(self.read.get() <= self.written + 8 * 4096, "{} read, {} written", self.read.get(), self.written);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn no_more_is_read_ahead_than_promised() {
    ThreadPoolBuilder::new().num_threads(2).build().unwrap().install(|| {
        let (read, one) = (Cell::new(0), batch(4096, &[]));
        let input = (0..40).map(|_| {
            read.set(read.get() + one.num_rows());
            Ok(one.clone())
        });
        let lines = Lines { read: &read, written: 0 };
        RowEncoder::new(Encoder::new()).par_write_records(Frame::NdJson, input, lines).unwrap();
    });
}
