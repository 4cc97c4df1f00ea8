//! Proves by trying everything: every distance between the end of a string and the end of a chunk, every control
//! character in every place of a block, and every `f32`. What takes minutes is sampled, but for `.ci/long`.
//!
//! Every character in every mode of escaping is in `options_escapes.rs`.

use std::thread;

use json_rope::Encoder;

use crate::support::check::{assert_same, assert_well_cut, encoder};
use crate::support::reference::{Mode, quoted};
use crate::support::sweeps::long;

/// First chunks and strings up to this length.
const MOST: usize = 4096;

/// A text whose last bytes are what the edge of a chunk may fall into. Its length in bytes is `len`.
fn ending(last: &str, len: usize) -> String {
    format!("{}{last}", "x".repeat(len - last.len()))
}

/// Encodes the text with chunks that begin at `first`, in memory and streaming.
fn check(encoder: &Encoder, first: usize, text: &str) {
    let want = quoted(Mode::default(), text);
    let rope = encoder.encode(text).unwrap();
    assert!(rope == want, "first_chunk {first}, {} bytes", text.len());
    assert_well_cut(&rope, (first, 64 << 10));
    let mut out = Vec::new();
    encoder.write(&mut out, text).unwrap();
    assert_same(&out, want.as_bytes(), format_args!("first_chunk {first}, {} bytes", text.len()));
}

/// Every `first_chunk`, or one of seven, and every length within four bytes of an edge between chunks.
#[test]
fn every_first_chunk_around_every_edge() {
    let lasts = ["", "é", "\"", "😀", "\u{1}"];
    // Not a multiple of a block, nor of the number of endings.
    let step = if long() { 1 } else { 7 };
    for first in (16..=MOST).step_by(step) {
        let encoder = encoder(first, 64 << 10);
        // Chunks of `first`, twice that, four times that, and so on end at `edge`.
        let mut edge = first;
        while edge <= MOST + 4 {
            // The quotes take two bytes.
            for len in edge.saturating_sub(6)..=edge + 2 {
                // Another ending at every pair, and each of them around every edge.
                let last = lasts[(first + len) % lasts.len()];
                check(&encoder, first, &ending(last, len));
            }
            edge = 2 * edge + first;
        }
    }
}

/// Every pair of a first chunk and a length, plain: 17 million in a long run, and one of 251 lengths for each first chunk
/// else.
#[test]
fn every_first_chunk_and_every_length() {
    let step = if long() { 1 } else { 251 };
    let text = "x".repeat(MOST);
    let quoted = format!("\"{text}\"");
    on_all_cores(MOST - 15, |n| {
        let first = n + 16;
        let encoder = encoder(first, 64 << 10);
        for len in (first % step..=MOST).step_by(step) {
            let rope = encoder.encode(&text[..len]).unwrap();
            assert_eq!(rope.len(), len + 2);
            let mut at = 0;
            let mut planned = first;
            for chunk in rope.chunks() {
                let end = at + chunk.len();
                assert_eq!(chunk.len(), planned.min(len + 2 - at), "first_chunk {first}, {len} bytes");
                // The last byte of the whole is the other quote.
                let body = end.min(len + 1);
                assert!(chunk[..body - at] == quoted.as_bytes()[at..body], "first_chunk {first}, {len} bytes");
                assert!(body == end || chunk.ends_with(b"\""));
                at = end;
                planned *= 2;
            }
        }
    });
}

/// Every control character, and the others that are always escaped, at every place of two blocks of the widest search,
/// in every mode, alone and next to another one.
#[test]
fn every_escape_at_every_place() {
    let escaped = ('\0'..=' ').chain(['"', '\\', '\u{7f}', '!', '#', '[', ']']);
    let encoders: Vec<(Mode, Encoder)> = Mode::all().map(|mode| (mode, mode.builder().build().unwrap())).collect();
    for c in escaped {
        for at in 0..=130 {
            for (mode, encoder) in &encoders {
                let before = "y".repeat(at);
                for text in
                    [format!("{before}{c}"), format!("{before}{c}{c}zzz"), format!("{c}{before}{c}{before}{before}")]
                {
                    assert_eq!(encoder.encode(&text).unwrap(), quoted(*mode, &text), "{mode:?}, {c:?} at {at}");
                }
            }
        }
    }
}

/// Every `f32`, 4,294,967,296 of them in a long run, else every 8191st block of them: the text reads back as the same bits, with the standard library's parser, or is
/// `null`.
#[test]
fn every_f32_reads_back() {
    const STEP: usize = 1 << 12;
    let every = if long() { 1 } else { 8191 };
    on_all_cores((1 << 20) / every, |n| {
        let n = n * every;
        let first = (n * STEP) as u32;
        let values: Vec<f32> = (first..=first + (STEP as u32 - 1)).map(f32::from_bits).collect();
        let text = json_rope::to_string(&values).unwrap();
        let mut texts = text[1..text.len() - 1].split(',');
        for &value in &values {
            let text = texts.next().unwrap();
            if value.is_finite() {
                let back: f32 = text.parse().unwrap();
                assert_eq!(back.to_bits(), value.to_bits(), "{text}");
                // A number of JSON that is not an integer: serde_json writes `1.0`, and never `1` or `.5`.
                assert!(text.contains(['.', 'e']) && !text.starts_with('.') && !text.starts_with("-."), "{text}");
            } else {
                assert_eq!(text, "null");
            }
        }
        assert_eq!(texts.next(), None);
    });
}

/// Does `work` for all numbers below `count`, on every core.
fn on_all_cores(count: usize, work: impl Fn(usize) + Sync) {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for thread in 0..threads {
            let work = &work;
            scope.spawn(move || (thread..count).step_by(threads).for_each(work));
        }
    });
}
