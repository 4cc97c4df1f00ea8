//! Documents in frames: in memory, streamed and on demand they are the same, with and without a pool, and a reader
//! takes them apart again.

#![no_main]

#[allow(dead_code, reason = "shared with the other targets")]
mod support;

use arbitrary::{Arbitrary, Unstructured};
use json_rope::{Encoder, Error, Fragment, Frame, Pool, Rope};
use libfuzzer_sys::fuzz_target;
use serde::Serialize;
use support::frames::{FRAMES, unframed};

#[derive(Arbitrary, Debug)]
enum Body {
    Text(String),
    Repeated(char, u16),
    Numbers(Vec<i64>),
    Linked(u16),
}

impl Serialize for Body {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Body::Text(text) => text.serialize(serializer),
            Body::Repeated(character, count) => {
                character.to_string().repeat(usize::from(*count % 5000)).serialize(serializer)
            }
            Body::Numbers(numbers) => numbers.serialize(serializer),
            Body::Linked(count) => {
                let json = format!("[{}\n0]", "1,".repeat(usize::from(*count % 3000)));
                ("before", Fragment::trusted(json), "behind").serialize(serializer)
            }
        }
    }
}

#[derive(Arbitrary, Debug)]
struct Input {
    bodies: Vec<Body>,
    frame: u8,
    pretty: bool,
    sort_keys: bool,
    first: u16,
    more: u16,
    buffer_size: Option<u32>,
}

fn encoder(input: &Input, pool: Option<Pool>) -> Encoder {
    let first = 16 + usize::from(input.first);
    let builder = Encoder::builder().first_chunk(first).max_chunk(first + usize::from(input.more));
    let builder = builder.pretty(input.pretty).sort_keys(input.sort_keys);
    match pool {
        Some(pool) => builder.pool(pool),
        None => builder,
    }
    .build()
    .expect("good settings")
}

fuzz_target!(|data: &[u8]| {
    let Ok(input) = Input::arbitrary(&mut Unstructured::new(data)) else { return };
    let kind = FRAMES[usize::from(input.frame) % FRAMES.len()];
    let plain = encoder(&input, None);
    if kind == Frame::NdJson && input.pretty {
        assert!(plain.encode_framed(kind, &1).unwrap_err().is_config());
        return;
    }
    let pool = input
        .buffer_size
        .map(|size| size % (1 << 18))
        .map(|size| Pool::builder().max_buffers(3).buffer_size(size as usize).build());
    let mut first: Option<Rope> = None;
    for encoder in [Some(plain.clone()), pool.clone().map(|pool| encoder(&input, Some(pool)))].into_iter().flatten() {
        let (mut rope, mut written) = (Rope::new(), Vec::new());
        for body in &input.bodies {
            encoder.encode_framed_into(kind, &mut rope, body).unwrap();
            encoder.write_framed(kind, &mut written, body).unwrap();
        }
        assert_eq!(rope, written);
        assert_eq!(encoder.records(kind, &input.bodies).collect::<Result<Rope, Error>>().unwrap(), rope);
        assert_eq!(*first.get_or_insert_with(|| rope.clone()), rope);
        // Records without end, so that many begin near the end of a buffer.
        if !rope.is_empty() {
            let rounds = (200_000 / rope.len()).clamp(1, 500);
            let many = || (0..rounds).flat_map(|_| &input.bodies);
            let want = rope.to_vec().repeat(rounds);
            let (mut sent, mut pushed) = (Vec::new(), Vec::new());
            encoder.records(kind, many()).write_to(&mut sent).unwrap();
            assert!(sent == want);
            assert!(encoder.records(kind, many()).collect::<Result<Rope, Error>>().unwrap() == want);
            let mut writer = encoder.record_writer(kind);
            for (number, body) in many().enumerate() {
                writer.value(body).unwrap();
                while let Some(chunk) = (number % 3 == 0).then(|| writer.pop()).flatten() {
                    pushed.extend_from_slice(&chunk);
                }
            }
            writer.finish().unwrap();
            while let Some(chunk) = writer.pop() {
                pushed.extend_from_slice(&chunk);
            }
            assert!(pushed == want);
        }
    }
    let bodies = unframed(kind, &first.unwrap_or_default().to_vec());
    assert_eq!(bodies.len(), input.bodies.len());
    for (text, body) in bodies.iter().zip(&input.bodies) {
        let mut want = plain.encode(body).unwrap().to_vec();
        if kind == Frame::NdJson {
            want.retain(|&byte| byte != b'\n');
        }
        assert_eq!(*text, want);
    }
    if let Some(pool) = pool {
        assert!(pool.retained_bytes() <= 3 << 18);
    }
});
