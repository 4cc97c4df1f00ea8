//! How many calls a writer gets, and how large they are, when it is a special one: a system that refuses large calls,
//! a socket whose short writes end in awkward places.

use std::io::{self, ErrorKind, IoSlice, Write};

use bytes::Bytes;
use json_rope::{Rope, VectoredSink};

/// Counts what it takes.
#[derive(Default)]
struct Counter {
    bytes: u64,
    calls: usize,
}

impl Counter {
    fn take(&mut self, taken: usize) -> io::Result<usize> {
        self.bytes += taken as u64;
        self.calls += 1;
        Ok(taken)
    }
}

/// Fails as macOS and the BSDs do when one call offers more than `i32::MAX` bytes.
#[cfg(target_pointer_width = "64")]
#[derive(Default)]
struct Refusing(Counter);

#[cfg(target_pointer_width = "64")]
impl Write for Refusing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let offered: u64 = slices.iter().map(|slice| slice.len() as u64).sum();
        if offered > i32::MAX as u64 {
            return Err(ErrorKind::InvalidInput.into());
        }
        self.0.take(offered as usize)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// 3 GiB that share one chunk, of pages that are never touched.
#[cfg(target_pointer_width = "64")]
fn three_gib() -> Rope {
    let chunk = Bytes::from(vec![0; 64 << 20]);
    (0..48).map(|_| chunk.clone()).collect()
}

#[test]
#[cfg(target_pointer_width = "64")]
fn no_call_offers_more_than_systems_take() {
    let rope = three_gib();
    let mut writer = Refusing::default();
    rope.write_to(&mut writer).unwrap();
    assert_eq!((writer.0.bytes, writer.0.calls), (3 << 30, 2));

    let mut sink = VectoredSink::new(Refusing::default());
    sink.push(rope.clone());
    sink.flush().unwrap();
    assert_eq!((sink.get_ref().0.bytes, sink.get_ref().0.calls), (3 << 30, 2));

    let mut writer = Refusing::default();
    let written = json_rope::Encoder::new().write(&mut writer, &[json_rope::Fragment::trusted(rope)]).unwrap();
    assert_eq!(written, (3 << 30) + 2);
    assert_eq!(writer.0.bytes, written);
    assert!(writer.0.calls <= 4, "{} calls", writer.0.calls);
}

/// Vectored, but some calls take exactly their first slice.
#[derive(Default)]
struct Coincidental {
    counter: Counter,
    /// The calls that do.
    short: &'static [usize],
}

impl Write for Coincidental {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.counter.take(bytes.len())
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let slices = if self.short.contains(&self.counter.calls) { &slices[..1] } else { slices };
        self.counter.take(slices.iter().map(|slice| slice.len()).sum())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_short_write_that_ends_with_a_slice_is_soon_forgotten() {
    let chunk = Bytes::from(vec![b'x'; 4096]);
    let rope: Rope = (0..6400).map(|_| chunk.clone()).collect();
    let calls = |short| {
        let mut writer = Coincidental { short, ..Coincidental::default() };
        rope.write_to(&mut writer).unwrap();
        assert_eq!(writer.counter.bytes, rope.len() as u64);

        // A sink lives for as long as its connection.
        let mut sink = VectoredSink::new(Coincidental { short, ..Coincidental::default() });
        for _ in 0..10 {
            sink.push((0..640).map(|_| chunk.clone()).collect());
            sink.flush().unwrap();
        }
        assert_eq!(sink.get_ref().counter.bytes, rope.len() as u64);
        [writer.counter.calls, sink.get_ref().counter.calls]
    };
    let usual = calls(&[]);
    assert_eq!(usual, [100, 100]);
    let cases: [&[usize]; 5] = [&[0], &[3], &[0, 1], &[0, 2, 4, 6], &[0, 1, 2, 3, 50]];
    for short in cases {
        for (calls, usual) in calls(short).into_iter().zip(usual) {
            assert!(calls <= usual + short.len() + 1, "{calls} calls instead of {usual}, after short writes {short:?}");
        }
    }
}

/// Takes one slice a call, as the default of `write_vectored` does.
#[derive(Default)]
struct OneSlice(Counter);

impl Write for OneSlice {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.take(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_that_takes_one_slice_a_call_gets_large_ones() {
    for len in [1, 100, 1000, 4096, 15_000, 16_383] {
        let chunk = Bytes::from(vec![b'x'; len]);
        let rope: Rope = (0..6400).map(|_| chunk.clone()).collect();
        let mut writer = OneSlice::default();
        rope.write_to(&mut writer).unwrap();
        assert_eq!(writer.0.bytes, rope.len() as u64);
        let least = (rope.len() / (64 << 10)).max(6400 / 1024);
        assert!(writer.0.calls <= least + 2, "{} calls for chunks of {len}", writer.0.calls);
    }
}
