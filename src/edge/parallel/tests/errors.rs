//! The same errors and panics as one thread's.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;

#[test]
fn the_first_of_two_failures() {
    let mut random = Random(3);
    for builder in builders() {
        let encoder = builder.build().unwrap();
        for _ in 0..3 {
            let mut items = items(&mut random, 800);
            for _ in 0..2 {
                let at = random.below(items.len() as u64) as usize;
                items[at] = if random.below(4) == 0 { Item::Swallows } else { Item::Fails(at) };
            }
            let expected = outcome(encoder.encode(&json!(1)).and_then(|_| encoder.encode(&(1, &items))));
            for pool in &*POOLS {
                let found = pool.install(|| outcome(encoder.encode(&(1, Par(&items)))));
                assert_eq!(found, expected, "{} threads", pool.current_num_threads());
                let mut written = Vec::new();
                let found = pool.install(|| encoder.write(&mut written, &(1, Par(&items))));
                assert_eq!(outcome(found.map(|_| crate::Rope::new())), expected);
            }
        }
    }
}

#[test]
fn always_the_first() {
    let mut items: Vec<Item> = (0..3000).map(|n| Item::Tree(json!([n, "some text"]))).collect();
    items[1500] = Item::Fails(1500);
    items[1600] = Item::Fails(1600);
    items[700] = Item::Sleeps;
    let encoder = Encoder::new();
    let expected = outcome(encoder.encode(&items));
    for pool in &*POOLS {
        for _ in 0..50 {
            assert_eq!(pool.install(|| outcome(encoder.par_encode_slice(&items))), expected);
        }
    }
    let error = POOLS[2].install(|| encoder.encode(&("a", Par(&items)))).unwrap_err();
    assert_eq!(error.pointer(), Some("/1/1500/1"));
}

#[test]
fn limits_of_length() {
    let mut random = Random(4);
    let items = items(&mut random, 200);
    for options in [Encoder::builder(), Encoder::builder().pretty(true), Encoder::builder().ascii(true)] {
        let len = options.clone().build().unwrap().encode(&items).unwrap().len() as u64;
        for max_len in (0..len + 3).step_by(len as usize / 60).chain(len - 3..len + 3) {
            let encoder = options.clone().max_len(max_len).build().unwrap();
            let expected = outcome(encoder.encode(&items));
            assert_eq!(expected.is_ok(), max_len >= len);
            for pool in &*POOLS {
                assert_eq!(pool.install(|| outcome(encoder.par_encode_slice(&items))), expected, "{max_len} of {len}");
            }
        }
    }
}

#[test]
fn limits_of_length_and_failures() {
    let mut items: Vec<Item> = (0..500).map(|n| Item::Tree(json!([n, "some text"]))).collect();
    items[300] = Item::Fails(300);
    let failure = Encoder::new().encode(&items).unwrap_err();
    for max_len in failure.offset() - 40..failure.offset() + 40 {
        let encoder = Encoder::builder().max_len(max_len).build().unwrap();
        let expected = outcome(encoder.encode(&items));
        for pool in &*POOLS {
            assert_eq!(pool.install(|| outcome(encoder.par_encode_slice(&items))), expected, "{max_len}");
        }
    }
}

#[test]
fn limits_of_depth() {
    let mut items: Vec<Item> = (0..500).map(|n| Item::Tree(json!([n, "some text"]))).collect();
    items.push(Item::Tree(json!([[[["deep"]]]])));
    items.push(Item::Wrapped(40));
    for max_depth in 0..8 {
        let encoder = Encoder::builder().max_depth(max_depth).build().unwrap();
        let expected = outcome(encoder.encode(&[&items]));
        for pool in &*POOLS {
            assert_eq!(pool.install(|| outcome(encoder.encode(&[Par(&items)]))), expected, "{max_depth}");
        }
    }
}

/// The text of a panic, or what came out.
fn catch(encode: impl FnOnce() -> crate::Result<crate::Rope>) -> Result<Result<String, String>, String> {
    catch_unwind(AssertUnwindSafe(encode)).map(outcome).map_err(|payload| match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload.downcast::<&str>().map(|text| (*text).to_owned()).unwrap_or_default(),
    })
}

#[test]
fn panics_reach_the_caller() {
    let encoder = Encoder::new();
    for (panics, fails) in [(1500, 3000), (1500, 1400), (0, 1400), (2999, 3000), (20, 10), (1500, 1501)] {
        let mut items: Vec<Item> = (0..3000).map(|n| Item::Tree(json!([n, "some text"]))).collect();
        items[panics] = Item::Panics(panics);
        items.push(Item::Panics(9999));
        items[fails] = Item::Fails(fails);
        let expected = catch(|| encoder.encode(&items));
        assert_eq!(expected.is_err(), panics < fails);
        for pool in &*POOLS {
            assert_eq!(catch(|| pool.install(|| encoder.par_encode_slice(&items))), expected);
            assert_eq!(catch(|| pool.install(|| encoder.encode(&Par(&items)))), expected);
        }
        // Nothing is left behind in the threads.
        let good = vec![7; 3000];
        for pool in &*POOLS {
            assert_eq!(pool.install(|| encoder.par_encode_slice(&good)).unwrap(), encoder.encode(&good).unwrap());
        }
    }
}

#[test]
fn no_part_begins_after_a_failure() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    struct Counted<'a>(&'a AtomicUsize, bool);
    impl Serialize for Counted<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.0.fetch_add(1, Ordering::Relaxed);
            if self.1 { Refuses.serialize(serializer) } else { serializer.serialize_str("twenty or more bytes") }
        }
    }
    let count = AtomicUsize::new(0);
    let items: Vec<Counted<'_>> = (0..100_000).map(|n| Counted(&count, n == 1000)).collect();
    POOLS[1].install(|| Encoder::new().par_encode_slice(&items)).unwrap_err();
    assert!(count.load(Ordering::Relaxed) < 50_000, "{count:?} items");
    count.store(0, Ordering::Relaxed);
    let items: Vec<Counted<'_>> = (0..100_000).map(|_| Counted(&count, false)).collect();
    let encoder = Encoder::builder().max_len(20_000).build().unwrap();
    assert!(POOLS[1].install(|| encoder.par_encode_slice(&items)).unwrap_err().is_limit());
    assert!(count.load(Ordering::Relaxed) < 50_000, "{count:?} items");
}
