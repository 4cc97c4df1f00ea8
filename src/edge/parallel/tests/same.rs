//! The same bytes as one thread's.

use std::collections::BTreeMap;

use super::*;

/// What is around the slice.
#[derive(Serialize)]
struct Around<S> {
    zebra: (u8, S),
    apple: &'static str,
}

fn plain(items: &[Item]) -> Around<&[Item]> {
    Around { zebra: (7, items), apple: "end" }
}

fn parallel(items: &[Item]) -> Around<Par<'_, Item>> {
    Around { zebra: (7, Par(items)), apple: "end" }
}

#[test]
fn random_documents_on_every_way_out() {
    let mut random = Random(1);
    for (set, builder) in builders().into_iter().enumerate() {
        let encoder = builder.build().unwrap();
        for count in [0, 1, 2, 500] {
            let items = items(&mut random, count);
            let expected = outcome(encoder.encode(&items));
            let around = outcome(encoder.encode(&plain(&items)));
            for pool in &*POOLS {
                let what = format!("set {set}, {count} items, {} threads", pool.current_num_threads());
                pool.install(|| {
                    assert_eq!(outcome(encoder.par_encode_slice(&items)), expected, "{what}");
                    if (count as usize + set) % 4 == pool.current_num_threads() % 4 || count < 2 {
                        every_way(&encoder, &items, &around, &what);
                    }
                });
                assert_eq!(outcome(encoder.encode(&parallel(&items))), around, "{what}, from outside");
            }
        }
    }
}

fn every_way(encoder: &Encoder, items: &[Item], around: &Result<String, String>, what: &str) {
    let value = parallel(items);
    assert_eq!(&outcome(encoder.encode(&value)), around, "{what}");
    let mut vec = b"before".to_vec();
    let result = encoder.encode_to_vec(&mut vec, &value);
    assert_eq!(&outcome(result.map(|()| vec.split_off(6).into())), around, "{what}, encode_to_vec");
    let mut written = Vec::new();
    let result = encoder.write(&mut written, &value);
    assert!(result.as_ref().map_or(true, |len| *len == written.len() as u64), "{what}, write");
    assert_eq!(&outcome(result.map(|_| written.into())), around, "{what}, write");
    let measured = encoder.measure(&value).map_err(|error| format!("{error:?}"));
    assert_eq!(measured, around.clone().map(|text| text.len() as u64), "{what}, measure");
    let chunks: crate::Result<crate::Rope> = encoder.array([&value, &value]).collect();
    let plainly: crate::Result<crate::Rope> = encoder.array([&plain(items), &plain(items)]).collect();
    assert_eq!(outcome(chunks), outcome(plainly), "{what}, array");
    for frame in FRAMES {
        let framed = outcome(encoder.encode_framed(frame, &plain(items)));
        assert_eq!(outcome(encoder.encode_framed(frame, &value)), framed, "{what}, {frame:?}");
        let records: crate::Result<crate::Rope> = encoder.records(frame, [&value, &value]).collect();
        let plainly: crate::Result<crate::Rope> = encoder.records(frame, [&plain(items), &plain(items)]).collect();
        assert_eq!(outcome(records), outcome(plainly), "{what}, records in {frame:?}");
    }
}

#[test]
fn chunks_are_in_their_bounds() {
    let mut random = Random(2);
    let items: Vec<Item> = (0..3000).map(|_| Item::Tree(random.tree(3))).collect();
    for (first, max) in [(16, 16), (64, 100), (2048, 65536)] {
        let encoder = Encoder::builder().first_chunk(first).max_chunk(max).build().unwrap();
        for pool in &*POOLS {
            let rope = pool.install(|| encoder.par_encode_slice(&items)).unwrap();
            assert!(rope.chunks().iter().all(|chunk| chunk.len() <= max && std::str::from_utf8(chunk).is_ok()));
            assert!(rope.chunks().last().unwrap().len() > 1, "the bracket is a chunk of its own");
        }
    }
}

#[test]
fn parts_are_made() {
    let items: Vec<u64> = (0..100_000).collect();
    let encoder = Encoder::new();
    let serial = encoder.encode(&items).unwrap();
    let rope = POOLS[2].install(|| encoder.par_encode_slice(&items)).unwrap();
    assert_eq!(rope, serial);
    assert!(rope.chunks().len() > 2 * serial.chunks().len(), "{} chunks", rope.chunks().len());
    let rope = POOLS[0].install(|| encoder.par_encode_slice(&items)).unwrap();
    assert_eq!(rope.chunks().len(), serial.chunks().len(), "one thread makes no parts");
}

#[test]
fn other_serializers_see_the_slice() {
    let items: Vec<u64> = (0..5000).collect();
    POOLS[1].install(|| {
        assert_eq!(serde_json::to_vec(&Par(&items)).unwrap(), serde_json::to_vec(&items).unwrap());
        assert_eq!(serde_json::to_value(Par(&items)).unwrap(), serde_json::to_value(&items).unwrap());
        let keys = BTreeMap::from([("a", Par(&items)), ("b", Par(&items))]);
        assert_eq!(crate::to_rope(&keys).unwrap(), serde_json::to_vec(&keys).unwrap());
    });
}

#[test]
fn every_item_is_serialized_once() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    struct Counts(AtomicUsize);
    impl Serialize for Counts {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.0.fetch_add(1, Ordering::Relaxed);
            serializer.serialize_str("twenty or more bytes")
        }
    }
    let items: Vec<Counts> = (0..5000).map(|_| Counts(AtomicUsize::new(0))).collect();
    POOLS[2].install(|| Encoder::new().par_encode_slice(&items)).unwrap();
    assert!(items.iter().all(|item| item.0.load(Ordering::Relaxed) == 1));
}

#[test]
fn within_tasks_of_the_pool() {
    let items: Vec<Item> = (0..400).map(|n| Item::Nested(vec![Item::Tree(json!(n)); 100])).collect();
    let encoder = Encoder::new();
    let expected = encoder.encode(&items).unwrap();
    for pool in &*POOLS {
        pool.scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|_| {
                    let (a, b) = rayon_core::join(|| encoder.par_encode_slice(&items), || encoder.encode(&Par(&items)));
                    assert_eq!(a.unwrap(), expected);
                    assert_eq!(b.unwrap(), expected);
                });
            }
        });
    }
}
