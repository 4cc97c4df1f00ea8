//! Proves that no document is damaged where a chunk, a slab or a batch ends, whatever stands there.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use json_rope::{Encoder, to_rope};
use serde_json::{Value, json};

use crate::support::check::{DEFAULT_PLAN, assert_encodes, assert_same, assert_well_cut, encoder, pretty_encoder};
use crate::support::documents::{MARKS, dense_text, tricky};
use crate::support::values::{Pieces, Shape};

/// Sizes of the first and of the largest chunk: all equal ones, and all that grow from the smallest.
fn plans() -> impl Iterator<Item = (usize, usize)> {
    (16..=200).map(|size| (size, size)).chain((17..=200).map(|max| (16, max)))
}

/// Where the memory that is written to ends, with the default options. A chunk ends at each, too.
const SLAB_ENDS: [usize; 5] = [14 << 10, 30 << 10, 62 << 10, 126 << 10, 254 << 10];

#[test]
fn every_small_chunk_size() {
    let documents: Vec<_> = tricky()
        .into_iter()
        .map(|value| {
            let (compact, pretty) = (serde_json::to_vec(&value).unwrap(), serde_json::to_vec_pretty(&value).unwrap());
            (value, compact, pretty)
        })
        .collect();
    for plan in plans() {
        let (compact_encoder, pretty_encoder) = (encoder(plan.0, plan.1), pretty_encoder(plan.0, plan.1));
        for (value, compact, pretty) in &documents {
            assert_encodes(&compact_encoder, plan, value, compact);
            assert_encodes(&pretty_encoder, plan, value, pretty);
        }
    }
}

/// Long enough for several slabs: in memory, small chunks are only cut out of them.
#[test]
fn every_small_chunk_size_in_long_documents() {
    let all = json!(tricky());
    let text = serde_json::to_vec(&all).unwrap();
    let long = Value::Array(vec![all; 40_000 / text.len() + 1]);
    let want = serde_json::to_vec(&long).unwrap();
    assert!(want.len() > 30 << 10);
    for plan in plans().step_by(3) {
        assert_encodes(&encoder(plan.0, plan.1), plan, &long, &want);
    }
}

/// Every mark begins at every distance from every chunk end, as the first thing in a string and with text after it.
#[test]
fn every_mark_at_every_offset() {
    for size in [16, 17, 19, 31, 64] {
        let encoder = encoder(size, size);
        for mark in MARKS {
            for offset in 0..=2 * size {
                let text = "x".repeat(offset) + mark + mark;
                assert_encodes(&encoder, (size, size), &text, &serde_json::to_vec(&text).unwrap());
                let text = text + &"y".repeat(80);
                assert_encodes(&encoder, (size, size), &text, &serde_json::to_vec(&text).unwrap());
            }
        }
    }
}

/// The same in memory: each kind of token at each distance from the ends of the first slabs.
#[test]
fn every_token_at_every_slab_end() {
    let tokens: Vec<Value> = MARKS
        .iter()
        .map(|mark| json!(mark.repeat(12)))
        .chain([
            json!(null),
            json!(false),
            json!(i64::MIN),
            json!(-1.797_693_134_862_315_7e308),
            json!([[], {}]),
            json!({ dense_text(): { "a key of some length, without escapes": 0 } }),
            json!("a run of sixty-four bytes and a few more of them, none to be escaped; then \" one\n\u{1}"),
        ])
        .collect();
    for end in &SLAB_ENDS[..2] {
        for token in &tokens {
            let len = serde_json::to_vec(token).unwrap().len();
            for before in end - len - 8..=end + 1 {
                let value = json!(["p".repeat(before - 4), token, token]);
                let rope = to_rope(&value).unwrap();
                let want = serde_json::to_vec(&value).unwrap();
                assert_same(&rope.to_vec(), &want, format_args!("{token} at {before} of {end}"));
                assert_well_cut(&rope, DEFAULT_PLAN);
            }
        }
    }
}

/// Documents that end a few bytes before, at, and after each chunk end, with all kinds of characters across it.
#[test]
fn every_doubling_up_to_and_past_the_largest_chunk() {
    let chunk_ends = [2, 6, 14, 30, 62, 126, 190, 254].map(|kib| kib << 10);
    let tails = ["", "x", "éé", "€€", "😀😀", "\"\"", "\u{1}\u{2}", "\\\n\\", "é€😀"];
    for end in chunk_ends {
        for tail in tails {
            let tail_len = serde_json::to_vec(tail).unwrap().len() - 2;
            // The document ends within four bytes of the chunk end, or the tail lies across it.
            for len in end - 4..=end + 4 + tail_len {
                let text = "x".repeat(len - tail_len - 2) + tail;
                let want = serde_json::to_vec(&text).unwrap();
                assert_eq!(want.len(), len);
                let rope = to_rope(&text).unwrap();
                assert_same(&rope.to_vec(), &want, format_args!("{len} bytes, ending in {tail:?}"));
                assert_well_cut(&rope, DEFAULT_PLAN);
            }
        }
    }
}

#[test]
fn doublings_with_other_sizes() {
    let text: String = (0..3000).map(|n| MARKS[n % 12]).collect::<String>() + &"tail".repeat(20_000);
    let want = serde_json::to_vec(&text).unwrap();
    for plan in [(16, 1 << 20), (1000, 3000), (1 << 20, 1 << 20), (2048, 2048), (4096, 1 << 16), (16, 17), (333, 1000)]
    {
        assert_encodes(&encoder(plan.0, plan.1), plan, &text, &want);
        assert_encodes(&encoder(plan.0, plan.1), plan, &[&text, &text], format!("[{0},{0}]", to_str(&want)).as_bytes());
    }
}

fn to_str(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).expect("text")
}

#[test]
fn chunk_sizes_of_the_default_options() {
    let rope = to_rope(&"x".repeat(400 << 10)).unwrap();
    let kib: Vec<_> = rope.chunks().iter().map(|chunk| chunk.len() as f64 / 1024.0).collect();
    assert_eq!(kib[..9], [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 64.0, 64.0, 64.0]);
    assert_eq!(rope.chunks().last().unwrap().len(), (400 << 10) + 2 - ((62 + 5 * 64) << 10));
    for len in 2..=2048 {
        assert_eq!(to_rope(&"x".repeat(len - 2)).unwrap().chunks().len(), 1, "a document of {len} bytes");
    }
    assert_eq!(to_rope(&"x".repeat(2047)).unwrap().chunks().len(), 2);
}

#[test]
fn displays_in_pieces_of_every_length() {
    for (size, piece) in [(16, 5), (16, 17), (33, 16), (64, 100), (200, 3)] {
        let text = dense_text() + &"plain text ".repeat(12) + &dense_text();
        let chars: Vec<char> = text.chars().collect();
        let pieces = chars.chunks(piece).map(String::from_iter).collect();
        let value = Shape::Display(Pieces(pieces));
        assert_encodes(&encoder(size, size), (size, size), &value, &serde_json::to_vec(&text).unwrap());
    }
}

#[test]
fn all_benchmark_documents() {
    use json_rope_bench_data::{Canada, CitmCatalog, DOCUMENTS, Twitter, documents};
    for document in DOCUMENTS {
        let value: Value = serde_json::from_str(document.text()).unwrap();
        let want = serde_json::to_vec(&value).unwrap();
        assert_encodes(&Encoder::new(), DEFAULT_PLAN, &value, &want);
        let pretty = json_rope::to_rope_pretty(&value).unwrap();
        assert_same(&pretty.to_vec(), &serde_json::to_vec_pretty(&value).unwrap(), document.name);
        assert_well_cut(&pretty, DEFAULT_PLAN);
    }
    let canada: Canada = serde_json::from_str(documents::canada()).unwrap();
    let citm: CitmCatalog = serde_json::from_str(documents::citm_catalog()).unwrap();
    let twitter: Twitter = serde_json::from_str(documents::twitter()).unwrap();
    assert_encodes(&Encoder::new(), DEFAULT_PLAN, &canada, &serde_json::to_vec(&canada).unwrap());
    assert_encodes(&Encoder::new(), DEFAULT_PLAN, &citm, &serde_json::to_vec(&citm).unwrap());
    assert_encodes(&Encoder::new(), DEFAULT_PLAN, &twitter, &serde_json::to_vec(&twitter).unwrap());
}

#[test]
fn all_generated_documents() {
    use json_rope_bench_data::generate::*;
    fn check(value: &impl serde::Serialize) {
        assert_encodes(&Encoder::new(), DEFAULT_PLAN, value, &serde_json::to_vec(value).unwrap());
    }
    check(&log_records(1, 1500));
    check(&base64_strings(2, 20, 10_000));
    check(&plain_text(3, 200_000));
    check(&escaped_text(4, 300_000));
    check(&cjk_emoji_text(5, 300_000));
    check(&html_text(6, 300_000));
    check(&small_integers(7, 50_000));
    check(&floats(8, 20_000));
    check(&wide_object(9, 8_000));
    check(&deep_tree(900));
    check(&mixed_tree(10, 20_000));
    check(&message());
    check(&object_2kb(11));
    for len in [45, 2047, 2048, 2049, 14_335, 14_336, 14_337, 500_000] {
        check(&array_of_bytes(len));
        assert_eq!(to_rope(&array_of_bytes(len)).unwrap().len(), len);
    }
}

#[test]
fn br_002_a_string_that_just_fits_the_first_chunk() {
    for len in 2030..=2060 {
        let text = "x".repeat(len);
        assert_encodes(&Encoder::new(), DEFAULT_PLAN, &text, format!("\"{text}\"").as_bytes());
    }
}

#[test]
fn br_004_a_supplementary_character_after_any_length() {
    for size in [16, 50, 2048] {
        for k in 0..=3 * size {
            let text = "x".repeat(k) + "\u{1f600}";
            assert_encodes(&encoder(size, size), (size, size), &text, format!("\"{text}\"").as_bytes());
        }
    }
}

#[test]
fn br_010_keys_of_every_length_are_reserved_for() {
    let plain: BTreeMap<String, u8> = (1..=200).map(|len| ("k".repeat(len), 0)).collect();
    let escaped: BTreeMap<String, u8> = (1..=200).map(|len| ("\u{1}".repeat(len), 0)).collect();
    let wide: BTreeMap<String, u8> = (1..=200).map(|len| ("😀".repeat(len), 0)).collect();
    for object in [plain, escaped, wide] {
        for max in [16, 100, 65_536] {
            let want = serde_json::to_vec(&object).unwrap();
            assert_encodes(&encoder(16, max), (16, max), &object, &want);
            let want = serde_json::to_vec_pretty(&object).unwrap();
            assert_encodes(&pretty_encoder(16, max), (16, max), &object, &want);
        }
    }
}

#[test]
fn br_011_tiny_sizes_work_or_are_refused() {
    for size in [0, 1, 2, 15] {
        assert!(Encoder::builder().first_chunk(size).build().unwrap_err().is_config());
        assert!(Encoder::builder().max_chunk(size).build().unwrap_err().is_config());
    }
    assert_encodes(&encoder(16, 16), (16, 16), &[1, 2, 3], b"[1,2,3]");
}

#[test]
fn br_012_a_slice_at_the_end_of_its_allocation() {
    for len in 0..=200 {
        let exact = "a".repeat(len).into_boxed_str();
        assert_eq!(to_rope(&exact).unwrap(), format!("\"{exact}\""));
        let allocation = ("b".repeat(200 - len) + &exact).into_boxed_str();
        assert_eq!(to_rope(&allocation[200 - len..]).unwrap(), format!("\"{exact}\""));
    }
}

#[test]
fn br_016_indentation_longer_than_a_chunk() {
    let mut value = json!(1);
    for _ in 0..500 {
        value = json!([value]);
    }
    let mut want = String::new();
    for depth in 0..500 {
        write!(want, "[\n{}", " ".repeat(8 * (depth + 1))).unwrap();
    }
    want.push('1');
    for depth in (0..500).rev() {
        write!(want, "\n{}]", " ".repeat(8 * depth)).unwrap();
    }
    for max in [64, 1000, 65_536] {
        let builder = Encoder::builder().pretty(true).indent("        ").first_chunk(64).max_chunk(max);
        assert_encodes(&builder.build().unwrap(), (64, max), &value, want.as_bytes());
    }
}

#[test]
fn br_018_punctuation_needs_no_slack() {
    let value = vec![Vec::<u8>::new(); 10_000];
    let want = serde_json::to_vec_pretty(&value).unwrap();
    assert_encodes(&pretty_encoder(16, 16), (16, 16), &value, &want);
    assert_encodes(&encoder(16, 16), (16, 16), &value, &serde_json::to_vec(&value).unwrap());
    let objects = vec![BTreeMap::from([("", BTreeMap::<u8, u8>::new())]); 2_000];
    let want = serde_json::to_vec_pretty(&objects).unwrap();
    assert_encodes(&pretty_encoder(16, 200), (16, 200), &objects, &want);
}

#[test]
fn br_028_growth_stops_at_the_largest_chunk() {
    let zeros = vec![0u8; 1_000_000];
    let rope = to_rope(&zeros).unwrap();
    assert_eq!(rope.len(), 2_000_001);
    assert_well_cut(&rope, DEFAULT_PLAN);
    assert_eq!(rope.chunks().iter().map(|chunk| chunk.len()).max(), Some(64 << 10));
    assert_eq!(rope.chunks().len(), 5 + (2_000_001 - (62usize << 10)).div_ceil(64 << 10));
}

#[test]
fn br_030_every_chunk_is_text_by_itself() {
    let text = "é".repeat(100_000);
    for plan in [(2048, 65_536), (17, 17), (16, 199), (2047, 65_535)] {
        assert_encodes(&encoder(plan.0, plan.1), plan, &text, format!("\"{text}\"").as_bytes());
    }
}

#[test]
fn br_031_one_chunk_or_many_behave_alike() {
    for last in [50, 5000] {
        let numbers: Vec<u32> = (1..=last).collect();
        let rope = to_rope(&numbers).unwrap();
        let want = serde_json::to_string(&numbers).unwrap();
        assert_eq!(rope.chunks().len() > 1, last == 5000);
        assert_eq!(rope.len(), want.len());
        assert_eq!(rope, want);
        assert_eq!(rope.to_string(), want);
        assert_eq!(rope.to_vec(), want.as_bytes());
        assert_eq!(rope.clone().into_bytes(), want.as_bytes());
        assert_eq!(rope.clone().into_string().unwrap(), want);
        assert_eq!(rope, json_rope::Rope::from(want));
    }
}
