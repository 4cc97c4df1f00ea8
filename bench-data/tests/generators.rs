//! The generators are deterministic, and make what they say.

use std::io;

use json_rope_bench_data::generate::{self as g, ArrayOfBytes, LogRecord, Message, Object2k};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("encodes")
}

/// What the seeded generators make of a seed, encoded.
fn all(seed: u64) -> [(&'static str, String); 11] {
    [
        ("log_records", json(&g::log_records(seed, 300))),
        ("base64_strings", json(&g::base64_strings(seed, 5, 4_000))),
        ("escaped_text", json(&g::escaped_text(seed, 20_000))),
        ("cjk_emoji_text", json(&g::cjk_emoji_text(seed, 20_000))),
        ("plain_text", json(&g::plain_text(seed, 20_000))),
        ("html_text", json(&g::html_text(seed, 20_000))),
        ("small_integers", json(&g::small_integers(seed, 2_000))),
        ("floats", json(&g::floats(seed, 2_000))),
        ("wide_object", json(&g::wide_object(seed, 500))),
        ("mixed_tree", json(&g::mixed_tree(seed, 2_000))),
        ("object_2kb", json(&g::object_2kb(seed))),
    ]
}

#[test]
fn equal_seeds_make_equal_bytes_and_others_do_not() {
    assert_eq!(all(1), all(1));
    for (one, other) in all(1).into_iter().zip(all(2)) {
        assert_ne!(one.1, other.1, "{}", one.0);
    }
}

/// Benchmarks of different days are comparable only as long as this holds.
///
/// Should only those with floats fail after an update of serde_json, see
/// whether it writes exponents in another way before suspecting a generator.
#[test]
fn the_bytes_are_those_that_were_always_made() {
    let digests = all(1).map(|(name, json)| {
        let digest = format!("{:x}", Sha256::digest(json));
        format!("{name} {}", &digest[..16])
    });
    let want = [
        "log_records 10ac17614b32a251",
        "base64_strings 2bd21cc10a6f8ac7",
        "escaped_text e2cb86a6d33b55ea",
        "cjk_emoji_text ebf7646e57c9ac5a",
        "plain_text 09d38863527da81f",
        "html_text bea24a51a57f253c",
        "small_integers 8176550545d98c0c",
        "floats aa8999857c04824d",
        "wide_object a5d75c590c812009",
        "mixed_tree 4ae949085d0bc4a7",
        "object_2kb 2e4f0f9e9ae961ac",
    ];
    assert_eq!(digests.as_slice(), want.as_slice());
}

#[test]
fn texts_have_the_length_asked_for() {
    for bytes in (0..400).chain([4_095, 65_536]) {
        assert_eq!(g::escaped_text(3, bytes).len(), bytes);
        assert_eq!(g::cjk_emoji_text(3, bytes).len(), bytes);
        assert_eq!(g::plain_text(3, bytes).len(), bytes);
        assert_eq!(g::html_text(3, bytes).len(), bytes);
        assert_eq!(g::base64_strings(3, 1, bytes)[0].len(), bytes);
    }
}

/// Whether JSON must write `byte` with an escape.
fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || matches!(byte, b'"' | b'\\')
}

/// How many bytes of the text need an escape, and the longest run without.
fn escapes(text: &str) -> (usize, usize) {
    let mut runs = text.as_bytes().split(|b| needs_escape(*b));
    let longest = runs.clone().map(<[u8]>::len).max().unwrap_or(0);
    (runs.by_ref().count() - 1, longest)
}

#[test]
fn escaped_text_has_an_escape_every_26_bytes_and_no_long_gaps() {
    let text = g::escaped_text(4, 100_000);
    assert!(text.is_ascii());
    let (count, longest) = escapes(&text);
    assert!((3_600..4_100).contains(&count), "{count}");
    assert!(longest <= 40, "{longest}");
    for kind in ['"', '\n', '\\', '\t', '\0', '\u{1f}'] {
        assert!(text.contains(kind), "{kind:?}");
    }
    let common = text.matches(['"', '\n']).count();
    assert!(common * 100 > count * 70, "{common} of {count}");
}

#[test]
fn other_texts_need_no_escape_but_html() {
    assert_eq!(escapes(&g::plain_text(4, 50_000)).0, 0);
    assert_eq!(escapes(&g::cjk_emoji_text(4, 50_000)).0, 0);
    for text in g::base64_strings(4, 3, 50_000) {
        assert_eq!(escapes(&text).0, 0);
        let of_alphabet = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
        assert!(text.bytes().all(of_alphabet));
    }
    assert!(g::plain_text(4, 50_000).is_ascii());

    let html = g::html_text(4, 50_000);
    assert!(html.is_ascii());
    for kind in ["\"", "\n", "<", ">", "&amp;", "&lt;", "<br/>", "<a href="] {
        assert!(html.contains(kind), "{kind}");
    }
    assert!(escapes(&html).0 > 1_000);
}

#[test]
fn cjk_emoji_text_is_mostly_not_ascii() {
    let text = g::cjk_emoji_text(5, 60_000);
    let of_length = |n| text.chars().filter(|c| c.len_utf8() == n).count();
    let total = text.chars().count();
    assert!(of_length(3) * 100 > total * 60);
    assert!(of_length(4) * 100 > total * 5);
    assert!((1..total / 4).contains(&of_length(1)));
    assert!(text.contains("👩‍💻"));
}

#[test]
fn integers_are_mostly_small_and_some_are_not() {
    let integers = g::small_integers(6, 10_000);
    let share = |of: fn(&i64) -> bool| integers.iter().filter(|n| of(n)).count();
    assert!((8_800..9_200).contains(&share(|n| (0..1_000).contains(n))));
    assert!((400..700).contains(&share(|n| *n < 0)));
    assert!((100..300).contains(&share(|n| n.unsigned_abs() > 1 << 44)));
    assert_eq!(integers.len(), 10_000);
}

#[test]
fn floats_are_finite_and_of_all_sizes() {
    let floats = g::floats(6, 10_000);
    assert_eq!(floats.len(), 10_000);
    assert!(floats.iter().all(|n| n.is_finite()));
    assert!(floats.iter().any(|n| n.abs() > 1e200));
    assert!(floats.iter().any(|n| n.abs() < 1e-200));
    assert!(floats.iter().any(|n| n.fract() == 0.0));
    assert!(floats.iter().any(|n| *n < 0.0));
}

#[test]
fn log_records_are_realistic() {
    let records = g::log_records(7, 2_000);
    let share = |of: fn(&LogRecord) -> bool| records.iter().filter(|r| of(r)).count();
    assert!(records.is_sorted_by_key(|r| r.timestamp));
    assert!((1_100..1_300).contains(&share(|r| r.user.is_some())));
    assert!((220..380).contains(&share(|r| r.message.contains('"'))));
    assert!((50..150).contains(&share(|r| r.message.contains('\n'))));
    assert!(share(|r| r.status >= 500) > 50);
    assert!(records.iter().all(|r| (1..=3).contains(&r.tags.len())));
    assert!(records.iter().all(|r| r.request_id.len() == 32));

    let again: Vec<LogRecord> = serde_json::from_str(&json(&records)).expect("parses");
    assert!(again == records);
}

#[test]
fn message_is_150_bytes() {
    let encoded = json(&g::message());
    assert_eq!(encoded.len(), 150, "{encoded}");
    let again: Message = serde_json::from_str(&encoded).expect("parses");
    assert_eq!(again, g::message());
}

#[test]
fn object_2kb_is_about_2_kilobytes() {
    for seed in 0..2_000 {
        let object = g::object_2kb(seed);
        let encoded = json(&object);
        assert!((1_900..=2_100).contains(&encoded.len()), "{seed}: {}", encoded.len());
        let again: Object2k = serde_json::from_str(&encoded).expect("parses");
        assert_eq!(again, object);
    }
}

/// The number of values in a tree, and its depth.
fn measure(value: &Value) -> (usize, usize) {
    let inner: Vec<(usize, usize)> = match value {
        Value::Array(items) => items.iter().map(measure).collect(),
        Value::Object(members) => members.values().map(measure).collect(),
        _ => Vec::new(),
    };
    let nodes = 1 + inner.iter().map(|m| m.0).sum::<usize>();
    (nodes, 1 + inner.iter().map(|m| m.1).max().unwrap_or(0))
}

#[test]
fn mixed_trees_have_the_size_asked_for_and_are_not_deep() {
    for nodes in (0..200).chain([1_000, 50_000]) {
        let (got, depth) = measure(&g::mixed_tree(nodes as u64, nodes));
        assert_eq!(got, nodes.max(1));
        assert!(depth <= 40, "{depth}");
    }
    let encoded = json(&g::mixed_tree(8, 5_000));
    for kind in ["null", "true", "[]", "{}", "\\n", "\\\"", "-"] {
        assert!(encoded.contains(kind), "{kind}");
    }
}

#[test]
fn wide_objects_have_as_many_members_as_asked_for() {
    for n in [0, 1, 7, 1_000, 20_000] {
        let object = g::wide_object(9, n);
        assert_eq!(object.as_object().map(serde_json::Map::len), Some(n));
    }
}

#[test]
fn deep_trees_alternate_arrays_and_objects() {
    assert_eq!(json(&g::deep_tree(0)), r#""bottom""#);
    let want = r#"[0,{"inner":[2,{"inner":"bottom","level":3}],"level":1}]"#;
    assert_eq!(json(&g::deep_tree(4)), want);
}

#[test]
fn deep_trees_of_ten_thousand_levels_can_be_encoded_and_dropped() {
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    let depth = thread.spawn(|| {
        let encoded = json(&g::deep_tree(10_000));
        encoded.matches(['[', '{']).count()
    });
    let depth = depth.expect("the thread starts").join();
    assert_eq!(depth.expect("the thread ends well"), 10_000);
}

#[test]
fn array_of_bytes_is_exactly_as_long_as_asked_for() {
    for bytes in (0..2_000).chain([4_096, 65_535, 65_536, 1_000_003]) {
        let array = g::array_of_bytes(bytes);
        let encoded = serde_json::to_vec(&array).expect("encodes");
        assert_eq!(encoded.len(), array.json_bytes());
        if bytes >= ArrayOfBytes::MIN_BYTES {
            assert_eq!(encoded.len(), bytes);
        } else {
            assert_eq!(encoded, b"[]");
        }
        let items: Vec<Value> = serde_json::from_slice(&encoded).expect("valid JSON");
        assert_eq!(items.len(), array.records());
    }
}

#[test]
fn array_of_bytes_is_documented_with_a_true_example() {
    let encoded = json(&g::array_of_bytes(ArrayOfBytes::MIN_BYTES));
    let example = r#"[{"id":1234567890,"name":"0123456789abcdef"}]"#;
    let skeleton = |text: &str| {
        let digit = |c: char| c.is_ascii_digit();
        let (head, name) = text.split_once(",\"name\":\"").expect("a name");
        (head.replace(digit, "#"), name.len())
    };
    assert_eq!(skeleton(&encoded), skeleton(example));
}

/// Counts bytes and throws them away.
struct Count(usize);

impl io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn array_of_bytes_makes_large_documents() {
    for mebibytes in [1, 8, 64] {
        let mut count = Count(0);
        let array = g::array_of_bytes(mebibytes << 20);
        serde_json::to_writer(&mut count, &array).expect("encodes");
        assert_eq!(count.0, mebibytes << 20);
    }
}
