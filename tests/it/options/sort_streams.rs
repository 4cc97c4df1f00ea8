//! Proves that nothing is lost, and nothing panics, where the output of an open object is held: with `sort_keys`, in
//! documents longer than a buffer, by every way out, with and without a pool.

use json_rope::{Encoder, EncoderBuilder, Frame, Pool};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// Its members are not in order.
#[derive(Serialize)]
struct Row {
    z: String,
    text: String,
    a: u8,
}

/// Rows of about these lengths.
fn rows(lens: impl IntoIterator<Item = usize>) -> Vec<Row> {
    lens.into_iter().map(|len| Row { z: "1".to_owned(), text: "é".repeat(len / 2), a: 3 }).collect()
}

/// Numbers that look random, the same in every run.
fn random(seed: u64) -> impl Iterator<Item = usize> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    })
}

fn assert_all_there(builder: &EncoderBuilder, value: &[Row], what: &str) {
    let encoder = builder.clone().sort_keys(true).build().unwrap();
    let ordered = |row: &Row| format!(r#"{{"a":3,"text":"{}","z":"1"}}"#, row.text);
    let want = format!("[{}]", value.iter().map(ordered).collect::<Vec<_>>().join(",")).into_bytes();
    let len = want.len() as u64;
    let mut out = Vec::new();
    assert_eq!(encoder.write(&mut out, value).unwrap(), len, "{what}");
    assert!(out == want, "{what}: the writer got {} of {len} bytes", out.len());
    for (frame, before, after) in
        [(Frame::NdJson, "", "\n"), (Frame::JsonSeq, "\x1e", "\n"), (Frame::ServerSentEvent, "data: ", "\n\n")]
    {
        let mut out = Vec::new();
        let written = encoder.write_framed(frame, &mut out, value).unwrap();
        assert_eq!(written, out.len() as u64, "{what}, {frame:?}");
        let body = &out[before.len()..out.len() - after.len()];
        assert!(body == want, "{what}, {frame:?}: {} of {len} bytes", body.len());
    }
    assert!(encoder.encode(value).unwrap() == want[..], "{what}, in memory");
}

/// Rows near half of a buffer made room for themselves by cutting a chunk that a writer never got.
#[test]
fn rows_of_every_size() {
    for buffer_size in [0, 4 << 10, 64 << 10, 1 << 20] {
        let pool = format!("buffers of {buffer_size}");
        let mut builder = Encoder::builder();
        if buffer_size > 0 {
            builder = builder.pool(Pool::builder().max_buffers(8).buffer_size(buffer_size).build());
        }
        for (len, count) in [(500, 500), (5_000, 50), (16_000, 50), (25_000, 20), (40_000, 10), (150_000, 3)] {
            assert_all_there(&builder, &rows(vec![len; count]), &format!("{pool}, {count} rows of {len}"));
        }
        for seed in 0..3 {
            let lens = random(seed).map(|n| n % 30_000).take(50);
            assert_all_there(&builder, &rows(lens), &format!("{pool}, seed {seed}"));
        }
        let small = builder.clone().first_chunk(16).max_chunk(1000);
        assert_all_there(&small, &rows(random(99).map(|n| n % 3_000).take(200)), &format!("{pool}, small chunks"));
    }
}

/// Members in this order, whose errors are swallowed.
struct Swallows(&'static [(&'static str, Value)]);

enum Value {
    Text(usize),
    Object(&'static [(&'static str, Value)]),
    Error,
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Text(len) => serializer.serialize_str(&"x".repeat(*len)),
            Value::Object(members) => Swallows(members).serialize(serializer),
            Value::Error => Err(serde::ser::Error::custom("refused")),
        }
    }
}

impl Serialize for Swallows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (index, (key, value)) in self.0.iter().enumerate() {
            let _ = match index % 2 {
                0 => map.serialize_entry(key, value),
                _ => map.serialize_key(key).and_then(|()| map.serialize_value(value)),
            };
        }
        map.end()
    }
}

/// An object that was begun after the failure, or at it, has members that were never written.
#[test]
fn swallowed_errors_are_errors() {
    use Value::{Error, Object, Text};
    let values: [&[(&str, Value)]; 5] = [
        &[("b", Text(1)), ("a", Object(&[("x", Text(1))]))],
        &[("b", Object(&[("y", Text(3)), ("x", Object(&[("q", Text(0)), ("p", Text(9))]))])), ("a", Text(2))],
        &[("c", Object(&[("x", Error)])), ("b", Object(&[("z", Text(1)), ("y", Text(1))])), ("a", Text(1))],
        &[("b", Error), ("a", Text(14_300)), ("", Object(&[("y", Text(70)), ("x", Text(70))]))],
        &[("c", Text(4_000)), ("b", Object(&[("y", Error), ("x", Text(20_000)), ("w", Object(&[("v", Text(1))]))]))],
    ];
    let (mut failed, mut passed) = (0, 0);
    for value in values.map(Swallows) {
        for limit in (0..100).chain((14_200..14_700).step_by(3)).chain([usize::MAX]) {
            for (pretty, max_chunk) in [(false, 65536), (true, 16)] {
                let builder = Encoder::builder().sort_keys(true).pretty(pretty).max_chunk(max_chunk);
                let encoder = builder.max_len(limit as u64).build().unwrap();
                let document = (&value, &value);
                let mut streamed = Vec::new();
                let outcomes = [
                    encoder.encode(&document).map(|rope| rope.to_vec()),
                    encoder.write(&mut streamed, &document).map(|_| std::mem::take(&mut streamed)),
                    encoder.encode_framed(Frame::Grpc, &document).map(|rope| rope.to_vec()[5..].to_vec()),
                    encoder.array([&value, &value]).collect::<Result<Vec<_>, _>>().map(|chunks| chunks.concat()),
                ];
                for outcome in outcomes {
                    match outcome {
                        Ok(bytes) => {
                            serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).unwrap();
                            passed += 1;
                        }
                        Err(error) => {
                            assert!(error.is_limit() || error.is_data());
                            failed += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(failed > 1000 && passed > 100, "{failed} failed, {passed} passed");
}
