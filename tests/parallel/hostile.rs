//! Values that fail, panic, sleep, swallow errors, or hold locks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::ser::{Error as _, SerializeSeq};

use super::*;
use crate::sweeps::or_a_quarter;

#[derive(Clone)]
enum Item {
    Text(&'static str),
    Sleeps,
    Fails,
    Swallows,
    Panics,
}

impl Serialize for Item {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Item::Text(text) => serializer.serialize_str(text),
            Item::Sleeps => {
                std::thread::sleep(Duration::from_millis(2));
                serializer.serialize_none()
            }
            Item::Fails => Err(S::Error::custom("refused")),
            Item::Swallows => {
                let mut array = serializer.serialize_seq(None)?;
                _ = array.serialize_element(&Item::Fails);
                array.end()
            }
            Item::Panics => panic!("an item"),
        }
    }
}

/// 4.3 MB of texts.
fn texts() -> Vec<Item> {
    vec![Item::Text("forty bytes of text, more or less, éééé"); 100_000]
}

/// All that an error says.
fn error(result: json_rope::Result<Rope>) -> String {
    format!("{:?}", result.unwrap_err())
}

#[test]
fn two_failing_items_always_give_the_first() {
    let mut items = texts();
    (items[61_000], items[62_000], items[40_000]) = (Item::Fails, Item::Fails, Item::Sleeps);
    let encoder = Encoder::new();
    let expected = error(encoder.encode(&items));
    assert!(expected.contains("/61000"));
    for pool in &*POOLS {
        for _ in 0..or_a_quarter(50) {
            assert_eq!(pool.install(|| error(encoder.par_encode_slice(&items))), expected);
        }
    }
    items[50_000] = Item::Swallows;
    let expected = error(encoder.encode(&items));
    for pool in &*POOLS {
        assert_eq!(pool.install(|| error(encoder.par_encode_slice(&items))), expected);
        let mut out = Vec::new();
        let found = pool.install(|| encoder.par_write_records(Frame::NdJson, &items, &mut out)).unwrap_err();
        assert_eq!(found.record(), Some(50_000));
        assert!(out.iter().filter(|&&byte| byte == b'\n').count() <= 50_000);
    }
}

#[test]
fn a_panic_reaches_the_caller() {
    let mut items = texts();
    (items[61_000], items[62_000]) = (Item::Panics, Item::Fails);
    let encoder = Encoder::new();
    for pool in &*POOLS {
        let slice = || pool.install(|| drop(encoder.par_encode_slice(&items)));
        let records = || pool.install(|| drop(encoder.par_write_records(Frame::NdJson, &items, Vec::new())));
        for call in [&slice as &dyn Fn(), &records] {
            let payload = catch_unwind(AssertUnwindSafe(call)).unwrap_err();
            assert_eq!(payload.downcast_ref::<&str>(), Some(&"an item"));
        }
        // The pool and the encoder are as before.
        let good = texts();
        assert!(pool.install(|| encoder.par_encode_slice(&good)).unwrap() == encoder.encode(&good).unwrap());
    }
}

#[test]
fn tasks_in_tasks_in_a_small_pool() {
    let items = texts();
    let encoder = Encoder::new();
    let expected = encoder.encode(&items).unwrap();
    for pool in &*POOLS {
        pool.scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|_| {
                    rayon_core::join(
                        || assert!(encoder.par_encode_slice(&items).unwrap() == expected),
                        || assert!(encoder.par_write_records(Frame::NdJson, &items, Vec::new()).is_ok()),
                    );
                });
            }
        });
    }
}

/// Elements of one array that share a lock, each with a long array inside it.
#[test]
fn a_lock_around_an_array_in_an_array() {
    struct Long(Vec<Item>);
    impl Serialize for Long {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            Par(&self.0).serialize(serializer)
        }
    }
    let shared = Arc::new(Mutex::new(Long(texts())));
    let items = vec![shared; 4];
    let encoder = Encoder::new();
    let expected = POOLS[0].install(|| encoder.encode(&items)).unwrap();
    for pool in &*POOLS {
        assert!(pool.install(|| encoder.par_encode_slice(&items)).unwrap() == expected);
    }
}
