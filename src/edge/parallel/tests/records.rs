//! Streams of records: the same bytes, errors and panics as those of one thread.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// What was written, and all that the result says.
type Written = (Result<u64, String>, String);

fn serial(encoder: &Encoder, frame: Frame, items: &[Item]) -> Written {
    let mut out = Vec::new();
    let result = encoder.records(frame, items).write_to(&mut out);
    (result.map_err(|error| format!("{error:?}")), String::from_utf8_lossy(&out).into_owned())
}

fn parallel(encoder: &Encoder, frame: Frame, items: &[Item]) -> Written {
    let mut out = Vec::new();
    let result = encoder.par_write_records(frame, items, &mut out);
    (result.map_err(|error| format!("{error:?}")), String::from_utf8_lossy(&out).into_owned())
}

/// Of what fails, both have written a part.
fn assert_same(found: Written, expected: &Written, what: &str) {
    assert_eq!(found.0, expected.0, "{what}");
    let all = found.1.len().min(expected.1.len());
    assert!(found.0.is_err() || all == found.1.len().max(expected.1.len()), "{what}");
    assert!(found.1.as_bytes()[..all] == expected.1.as_bytes()[..all], "{what}");
}

#[test]
fn random_records_in_every_frame() {
    let mut random = Random(5);
    for (set, builder) in builders().into_iter().enumerate() {
        let encoder = builder.build().unwrap();
        for frame in FRAMES {
            for count in [0, 1, 16, 17, 400] {
                let items = items(&mut random, count);
                let expected = serial(&encoder, frame, &items);
                for pool in &*POOLS {
                    let found = pool.install(|| parallel(&encoder, frame, &items));
                    assert_same(found, &expected, &format!("set {set}, {count} items in {frame:?}"));
                }
            }
        }
    }
}

#[test]
fn the_first_failure_and_its_place() {
    let mut random = Random(6);
    for builder in [Encoder::builder(), Encoder::builder().sort_keys(true), Encoder::builder().max_len(300)] {
        let encoder = builder.build().unwrap();
        for round in 0..20 {
            let mut items = items(&mut random, 700);
            for _ in 0..2 {
                let at = random.below(700) as usize;
                items[at] = if round % 4 == 0 { Item::Swallows } else { Item::Fails(at) };
            }
            for frame in [Frame::NdJson, Frame::Grpc] {
                let expected = serial(&encoder, frame, &items);
                for pool in &*POOLS {
                    assert_same(pool.install(|| parallel(&encoder, frame, &items)), &expected, "failures");
                }
                assert_same(parallel(&encoder, frame, &items), &expected, "from outside");
            }
        }
    }
    let pretty = Encoder::builder().pretty(true).build().unwrap();
    assert!(pretty.par_write_records(Frame::NdJson, [0; 0], Vec::new()).unwrap_err().is_config());
}

#[test]
fn panics_reach_the_caller() {
    for at in [0, 20, 500, 1999] {
        let mut items: Vec<Item> = (0..2000).map(|n| Item::Tree(json!([n, "some text"]))).collect();
        items[at] = Item::Panics(at);
        items.push(Item::Panics(9999));
        items.push(Item::Fails(0));
        for pool in &*POOLS {
            let call = || parallel(&Encoder::new(), Frame::NdJson, &items);
            let payload = catch_unwind(AssertUnwindSafe(|| pool.install(call))).unwrap_err();
            assert_eq!(payload.downcast_ref::<String>(), Some(&format!("item {at}")));
        }
    }
    // Of the iterator, in the middle of everything.
    for pool in &*POOLS {
        let numbers = (0..5000).inspect(|n| assert!(*n < 3000, "the iterator"));
        let call = || Encoder::new().par_write_records(Frame::NdJson, numbers, Vec::new());
        assert!(catch_unwind(AssertUnwindSafe(|| pool.install(call))).is_err());
    }
}

/// Fails, or panics, when it has taken so many bytes.
struct Full {
    left: usize,
    panics: bool,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left == 0 {
            assert!(!self.panics, "the writer");
            return Err(io::Error::other("full"));
        }
        let taken = bytes.len().min(self.left).min(100);
        self.left -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Counts how often it is serialized, and how often it is dropped.
struct Counted<'a>(&'a AtomicUsize, &'a AtomicUsize);

impl Serialize for Counted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.fetch_add(1, Ordering::Relaxed);
        serializer.serialize_str("twenty or more bytes")
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.1.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn what_has_not_begun_never_does() {
    for pool in &*POOLS {
        for (left, panics) in [(0, false), (500, false), (5000, false), (5000, true)] {
            let (made, encoded, dropped) = Default::default();
            let items = (0..100_000).map(|_| {
                AtomicUsize::fetch_add(&made, 1, Ordering::Relaxed);
                Counted(&encoded, &dropped)
            });
            let writer = Full { left, panics };
            let call = || Encoder::new().par_write_records(Frame::NdJson, items, writer);
            match catch_unwind(AssertUnwindSafe(|| pool.install(call))) {
                Ok(result) => {
                    let error = result.unwrap_err();
                    assert_eq!(error.io_error_kind(), Some(io::ErrorKind::Other));
                    assert!(error.offset() >= left as u64, "{left} bytes of {} were written", error.offset());
                }
                Err(_) => assert!(panics),
            }
            let (made, dropped) = (made.into_inner(), dropped.into_inner());
            assert_eq!(made, dropped, "items are lost");
            assert!(pool.current_num_threads() == 1 || made < 50_000, "{made} items");
        }
    }
}

#[test]
fn few_items_are_taken_ahead() {
    let (made, written) = (AtomicUsize::new(0), AtomicUsize::new(0));
    struct Sees<'a>(&'a AtomicUsize);
    impl Write for Sees<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.fetch_add(bytes.iter().filter(|&&byte| byte == b'\n').count(), Ordering::Relaxed);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let items = (0..50_000).inspect(|_| {
        let ahead = made.fetch_add(1, Ordering::Relaxed) - written.load(Ordering::Relaxed);
        // Twelve batches of about 40 items.
        assert!(ahead < 1000, "{ahead} items ahead");
    });
    let encoder = Encoder::builder().first_chunk(256).max_chunk(256).build().unwrap();
    let len = POOLS[2].install(|| encoder.par_write_records(Frame::NdJson, items, Sees(&written)));
    assert!(len.is_ok());
    assert_eq!(written.into_inner(), 50_000);
}

#[test]
fn in_tasks_of_the_pool_and_with_a_pool_of_buffers() {
    let items: Vec<Item> = (0..1000).map(|n| Item::Nested(vec![Item::Tree(json!(n)); 50])).collect();
    let encoder = Encoder::builder().pool(Pool::default()).build().unwrap();
    let expected = serial(&encoder, Frame::JsonSeq, &items);
    for pool in &*POOLS {
        pool.scope(|scope| {
            for _ in 0..10 {
                scope.spawn(|_| assert_same(parallel(&encoder, Frame::JsonSeq, &items), &expected, "in a task"));
            }
        });
    }
}
