//! What holds for every rope that an encoder makes, and comparison with a message that can be read.

use bytes::Bytes;
use json_rope::{Encoder, Error, Rope};
use serde::Serialize;

/// Sizes of the chunks of an encoder with the default options.
pub const DEFAULT_PLAN: (usize, usize) = (2 * 1024, 64 * 1024);

pub fn encoder(first: usize, max: usize) -> Encoder {
    Encoder::builder().first_chunk(first).max_chunk(max).build().expect("sizes in bounds")
}

pub fn pretty_encoder(first: usize, max: usize) -> Encoder {
    Encoder::builder().pretty(true).first_chunk(first).max_chunk(max).build().expect("sizes in bounds")
}

/// The invariants of an encoder's rope, and that its chunks have exactly the sizes that were planned: each is full, or
/// ends before a character that does not fit.
pub fn assert_well_cut(rope: &Rope, (first, max): (usize, usize)) {
    let chunks = rope.chunks();
    let mut planned = first;
    for (index, chunk) in chunks.iter().enumerate() {
        assert!(!chunk.is_empty(), "chunk {index} is empty");
        let len = chunk.len();
        assert!(len <= planned && len <= max, "chunk {index} has {len} bytes, {planned} were planned, at most {max}");
        let text = str::from_utf8(chunk).unwrap_or_else(|error| panic!("chunk {index} is not text: {error}"));
        assert!(!text.is_empty());
        if let Some(next) = chunks.get(index + 1) {
            let next = str::from_utf8(next).expect("the next chunk is text").chars().next().map_or(0, char::len_utf8);
            assert!(
                len + next > planned,
                "chunk {index} has {len} bytes and the next starts with a character of {next}, {planned} were planned"
            );
        }
        planned = (2 * planned).min(max);
    }
    assert_eq!(rope.len(), chunks.iter().map(|chunk| chunk.len()).sum::<usize>(), "cached length");
    assert_eq!(rope.is_empty(), chunks.is_empty());
}

/// What holds for output on demand where parts are held back: chunks are text, and at least half of what was planned,
/// but for the first few, which grow, and the last.
pub fn assert_cut_by_halves(rope: &Rope, (first, max): (usize, usize)) {
    let chunks = rope.chunks();
    assert!(chunks.iter().all(|chunk| !chunk.is_empty() && chunk.len() <= max && str::from_utf8(chunk).is_ok()));
    let growing = 2 * ((max / first).ilog2() as usize + 1);
    for chunk in chunks.iter().skip(growing).rev().skip(1) {
        assert!(chunk.len() + 3 >= max / 2, "a chunk of {} bytes, {max} were planned", chunk.len());
    }
}

/// Equality that shows the first difference and what is around it.
pub fn assert_same(got: &[u8], want: &[u8], what: impl std::fmt::Display) {
    if got == want {
        return;
    }
    let at = got.iter().zip(want).position(|(a, b)| a != b).unwrap_or(got.len().min(want.len()));
    let around = |bytes: &[u8]| {
        let bytes = &bytes[at.saturating_sub(40).min(bytes.len())..bytes.len().min(at + 40)];
        String::from_utf8_lossy(bytes).into_owned()
    };
    panic!(
        "{what}: {} bytes instead of {}, different from byte {at} on:\n got …{:?}…\nwant …{:?}…",
        got.len(),
        want.len(),
        around(got),
        around(want)
    );
}

/// Encodes into a rope and into a writer, and compares both with `want`.
pub fn assert_encodes(encoder: &Encoder, plan: (usize, usize), value: &(impl Serialize + ?Sized), want: &[u8]) {
    let rope = encoder.encode(value).expect("encodes");
    assert_same(&rope.to_vec(), want, format_args!("rope, chunks {plan:?}"));
    assert_well_cut(&rope, plan);
    let mut out = Vec::new();
    let written = encoder.write(&mut out, value).expect("streams");
    assert_same(&out, want, format_args!("stream, chunks {plan:?}"));
    assert_eq!(written, want.len() as u64);
}

/// Collects the chunks of a document that does not fail.
pub fn drain(chunks: impl Iterator<Item = Result<Bytes, Error>>) -> Rope {
    chunks.map(|chunk| chunk.expect("encodes")).collect()
}

/// The chunks before the error, and the error, which must be the last item.
pub fn drain_to_error(mut chunks: impl Iterator<Item = Result<Bytes, Error>>) -> (Rope, Error) {
    let mut rope = Rope::new();
    loop {
        match chunks.next().expect("there is an error") {
            Ok(chunk) => rope.push(chunk),
            Err(error) => {
                assert!(chunks.next().is_none() && chunks.next().is_none(), "nothing follows an error");
                return (rope, error);
            }
        }
    }
}
