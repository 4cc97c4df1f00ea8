//! Trees: the same bytes and errors as those of one thread, whatever their shape is.

use super::*;

#[test]
fn random_trees() {
    let mut random = Random(7);
    for (set, builder) in builders().into_iter().enumerate() {
        let encoder = builder.build().unwrap();
        for _ in 0..4 {
            let tree: Value = (0..300).map(|_| random.tree(4)).collect();
            let tree = json!({"first": [], "all": {"in": tree}, "again": tree, "last": {}});
            let expected = outcome(encoder.encode_tree(&tree));
            for pool in &*POOLS {
                let found = pool.install(|| outcome(encoder.par_encode_tree(&tree)));
                assert_eq!(found, expected, "set {set}, {} threads", pool.current_num_threads());
            }
            assert_eq!(outcome(encoder.par_encode_tree(&tree)), expected, "set {set}, from outside");
        }
    }
}

/// Everything is in one of many members, some levels down, and there again.
fn skewed(levels: usize) -> Value {
    let mut tree: Value = (0..2000).map(|n| json!([n, "text"])).collect();
    for level in 0..levels {
        let before: Vec<Value> = (0..level % 4).map(|n| json!(n)).collect();
        let after: Vec<Value> = (0..level % 3).map(|n| json!({"k": n})).collect();
        tree = match level % 2 {
            0 => json!([before, tree, after, {}, []]),
            _ => json!({"a": before, "heavy": tree, "z": after}),
        };
    }
    tree
}

#[test]
fn skewed_and_deep_trees() {
    for levels in [0, 1, 2, 3, 5, 11, 12, 13, 14, 40, 200] {
        let tree = skewed(levels);
        for builder in
            [Encoder::builder(), Encoder::builder().pretty(true), Encoder::builder().first_chunk(16).max_chunk(16)]
        {
            let encoder = builder.build().unwrap();
            let expected = encoder.encode_tree(&tree).unwrap();
            for pool in &*POOLS {
                for _ in 0..3 {
                    assert_eq!(pool.install(|| encoder.par_encode_tree(&tree)).unwrap(), expected, "{levels} levels");
                }
            }
        }
    }
}

/// A chain of arrays, with something after each.
#[test]
fn a_deep_tree() {
    let mut tree: Value = (0..2000).map(|n| json!([n, "text"])).collect();
    for level in 0..1000 {
        let mut array = vec![tree];
        if level % 2 == 0 {
            array.push(json!(level));
        }
        tree = Value::Array(array);
    }
    let expected = Encoder::new().encode_tree(&tree).unwrap();
    for pool in &*POOLS {
        assert_eq!(pool.install(|| Encoder::new().par_encode_tree(&tree)).unwrap(), expected);
    }
}

#[test]
fn long_strings_and_keys() {
    let long = "é\n".repeat(5000);
    let mut object = serde_json::Map::new();
    for n in 0..30 {
        object.insert(format!("{n}{long}"), json!([long, n, {"x": long}]));
    }
    let tree = json!([object, long, object]);
    for max in [16, 1000, 65536] {
        let encoder = Encoder::builder().first_chunk(16).max_chunk(max).build().unwrap();
        let expected = encoder.encode_tree(&tree).unwrap();
        for pool in &*POOLS {
            let rope = pool.install(|| encoder.par_encode_tree(&tree)).unwrap();
            assert_eq!(rope, expected);
            assert!(rope.chunks().iter().all(|chunk| chunk.len() <= max && std::str::from_utf8(chunk).is_ok()));
        }
    }
}

#[test]
fn limits() {
    let tree = skewed(7);
    let len = Encoder::new().encode_tree(&tree).unwrap().len() as u64;
    for max_len in (0..len + 2).step_by(997).chain(len - 2..len + 2) {
        let encoder = Encoder::builder().max_len(max_len).build().unwrap();
        let expected = outcome(encoder.encode_tree(&tree));
        for pool in &*POOLS {
            assert_eq!(pool.install(|| outcome(encoder.par_encode_tree(&tree))), expected, "{max_len} of {len}");
        }
    }
    for max_depth in 0..12 {
        let encoder = Encoder::builder().max_depth(max_depth).build().unwrap();
        let expected = outcome(encoder.encode_tree(&tree));
        for pool in &*POOLS {
            assert_eq!(pool.install(|| outcome(encoder.par_encode_tree(&tree))), expected, "{max_depth} levels");
        }
    }
}

#[test]
fn trees_are_divided() {
    let tree: Value = (0..50_000).map(|n| json!({"number": n})).collect();
    let encoder = Encoder::new();
    let serial = encoder.encode_tree(&tree).unwrap();
    // Whether somebody is idle is a matter of time, but not for this long.
    let divided = (0..50).any(|_| {
        let rope = POOLS[2].install(|| encoder.par_encode_tree(&tree)).unwrap();
        assert_eq!(rope, serial);
        rope.chunks().len() > serial.chunks().len() + 3
    });
    assert!(divided);
}
