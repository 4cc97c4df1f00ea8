//! Proves that nothing is read or written outside of a string, a slab or a chunk: each ends at the last byte before an
//! unmapped page, or begins at the first one behind one. The same for each way of searching alone is in
//! `src/scan/tests.rs`.
#![cfg(all(unix, not(miri)))]

#[path = "support/guard.rs"]
mod guard;
#[allow(dead_code, reason = "shared with the other test programs, which use more of it")]
mod support;

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::io::{IoSlice, Read, Write};

use bytes::{Buf, Bytes};
use guard::{Fence, Guarded};
use json_rope::{BytesFormat, Encoder, Fragment, Frame, Rope, VectoredSink};
use serde::{Serialize, Serializer};
use support::reference::{Mode, quoted};

/// Every slab, too, and every other buffer of bytes, ends before an unmapped page.
#[global_allocator]
static FENCE: Fence = Fence;

const MOST: usize = 300;

/// Clean text, text of characters of two to four bytes, and an escape at either end or everywhere.
fn texts(len: usize) -> impl Iterator<Item = String> {
    let filled = |unit: &str| {
        let mut text = unit.repeat(len / unit.len());
        text.extend(std::iter::repeat_n('x', len % unit.len()));
        text
    };
    let ends = move |first: &str, last: &str| {
        (len >= first.len() + last.len())
            .then(|| format!("{first}{}{last}", "x".repeat(len - first.len() - last.len())))
    };
    ["x", "é", "€", "😀", "\"", "\u{1}", "/<"].map(filled).into_iter().chain(
        [("\\", ""), ("", "\\"), ("\u{1}", "\u{1}"), ("", "é"), ("", "\u{2028}"), ("", "/")]
            .map(|(a, b)| ends(a, b))
            .into_iter()
            .flatten(),
    )
}

/// Text that is displayed at once.
struct Shown<'a>(&'a str);

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[test]
fn a_string_before_an_unmapped_page() {
    let mut memory = Guarded::new(MOST);
    let modes: Vec<(Mode, Encoder, Encoder)> = [0, 7]
        .map(Mode::nth)
        .into_iter()
        .map(|mode| {
            let small = mode.builder().first_chunk(32).max_chunk(64).build().unwrap();
            (mode, mode.builder().build().unwrap(), small)
        })
        .collect();
    for len in 0..=MOST {
        for text in texts(len) {
            for at_end in [true, false] {
                let guarded = if at_end { memory.text_at_end(&text) } else { memory.text_at_start(&text) };
                for (mode, usual, small) in &modes {
                    let want = quoted(*mode, &text);
                    for encoder in [usual, small] {
                        assert_eq!(
                            encoder.encode(guarded).unwrap(),
                            want,
                            "{mode:?}, {len} bytes, at the end: {at_end}"
                        );
                    }
                    let value = (BTreeMap::from([(guarded, guarded)]), Shown(guarded), guarded);
                    assert_eq!(small.encode(&value).unwrap(), format!("[{{{want}:{want}}},{want},{want}]"));
                }
                let mut out = Vec::new();
                json_rope::to_writer(&mut out, guarded).unwrap();
                assert_eq!(out, quoted(Mode::default(), &text).as_bytes());
            }
        }
    }
}

/// Bytes that serialize as bytes.
struct Raw<'a>(&'a [u8]);

impl Serialize for Raw<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

#[test]
fn bytes_before_an_unmapped_page() {
    let mut memory = Guarded::new(MOST);
    let encoders = [BytesFormat::Array, BytesFormat::Base64, BytesFormat::Hex]
        .map(|format| (format, Encoder::builder().bytes(format).max_chunk(64).build().unwrap()));
    for len in 0..=MOST {
        let bytes: Vec<u8> = (0..len).map(|n| (n * 7) as u8).collect();
        for at_end in [true, false] {
            let guarded = if at_end { memory.tail(len) } else { memory.head(len) };
            guarded.copy_from_slice(&bytes);
            for (format, encoder) in &encoders {
                let want = match format {
                    BytesFormat::Base64 => format!("\"{}\"", support::reference::base64(&bytes)),
                    BytesFormat::Hex => format!("\"{}\"", support::reference::hex(&bytes)),
                    _ => serde_json::to_string(&bytes).unwrap(),
                };
                assert_eq!(encoder.encode(&Raw(guarded)).unwrap(), want);
            }
        }
    }
}

/// Guarded memory as the owner of a `Bytes`.
struct Owner(Guarded, usize);

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        self.0.shared_tail(self.1)
    }
}

/// A chunk that ends before an unmapped page.
fn chunk(text: &str) -> Bytes {
    let mut memory = Guarded::new(text.len());
    memory.text_at_end(text);
    Bytes::from_owner(Owner(memory, text.len()))
}

/// Takes bytes in uneven steps.
struct Slow(Vec<u8>);

impl Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let taken = bytes.len().min(1 + self.0.len() % 50);
        self.0.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> std::io::Result<usize> {
        let all: Vec<u8> = slices.iter().flat_map(|slice| slice.iter().copied()).collect();
        self.write(&all)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Every kind of token where a slab ends, in memory, on demand and while streaming.
#[test]
fn every_slab_before_an_unmapped_page() {
    for value in support::documents::tricky() {
        let plain = serde_json::to_vec(&value).unwrap();
        let pretty = serde_json::to_vec_pretty(&value).unwrap();
        for size in (16..=80).chain([100, 127, 1000, 2048]) {
            let encoder = support::check::encoder(size, size);
            support::check::assert_encodes(&encoder, (size, size), &value, &plain);
            let drained: Rope = encoder.chunks(&value).map(|chunk| chunk.unwrap()).collect();
            assert_eq!(drained, plain);
            assert_eq!(encoder.encode_tree(&value).unwrap(), plain);
            support::check::assert_encodes(
                &support::check::pretty_encoder(size, 2 * size),
                (size, 2 * size),
                &value,
                &pretty,
            );
        }
    }
    // Slabs behind the part of the stack that a document begins in, of the length that was expected, and larger ones.
    let encoder = Encoder::new();
    for len in (14_000..14_700).step_by(7).chain([70_000, 200_000, 3_000]) {
        for value in [serde_json::json!(["x".repeat(len), 1.5]), (0..len / 8).map(|n| n as f64 / 3.0).collect()] {
            support::check::assert_encodes(
                &encoder,
                support::check::DEFAULT_PLAN,
                &value,
                &serde_json::to_vec(&value).unwrap(),
            );
        }
    }
}

/// A chunk is read by everything that reads a rope, and by nothing beyond its end.
#[test]
fn an_output_chunk_before_an_unmapped_page() {
    for len in 1..=MOST {
        let text = "x".repeat(len - 1) + "é";
        let want = format!("\"{text}\"");
        let whole = chunk(&want);
        let rope: Rope = [whole.clone(), chunk(" "), whole.clone()].into_iter().collect();
        let all = format!("{want} {want}");
        assert_eq!(rope, all);
        assert_eq!(rope.to_string(), all);
        assert_eq!(rope.to_vec(), all.as_bytes());
        assert_eq!(rope.clone().into_string().unwrap(), all);
        assert_eq!(rope.clone().copy_to_bytes(all.len()), all);
        let mut out = Slow(Vec::new());
        rope.write_to(&mut out).unwrap();
        assert_eq!(out.0, all.as_bytes());
        let mut sink = VectoredSink::new(Slow(Vec::new()));
        sink.push(rope.clone());
        sink.flush().unwrap();
        assert_eq!(sink.get_ref().0, all.as_bytes());
        let mut compacted = rope.clone();
        compacted.compact();
        assert_eq!(compacted, all);

        // As a fragment: checked, copied, rewritten, as a key, and in a record.
        let fragment = Fragment::checked(chunk(&want)).unwrap();
        for mode in Mode::all() {
            let encoder = mode.builder().max_chunk(64).build().unwrap();
            let text = quoted(mode, &text);
            let value = BTreeMap::from([("k", &fragment)]);
            assert_eq!(encoder.encode(&value).unwrap(), format!("{{\"k\":{text}}}"));
            let mut read = String::new();
            encoder.records(Frame::NdJson, [&fragment]).into_reader().read_to_string(&mut read).unwrap();
            assert_eq!(read, text + "\n");
        }
    }
}

/// What the encoder writes to directly: a slice that ends before an unmapped page takes a document of exactly its
/// length.
#[test]
fn a_writer_before_an_unmapped_page() {
    let mut memory = Guarded::new(MOST + 2);
    for len in 0..=MOST {
        let text = "z".repeat(len);
        let room = memory.tail(len + 2);
        json_rope::to_writer(&mut room[..], &text).unwrap();
        assert_eq!(room, format!("\"{text}\"").as_bytes());
        let encoder = Encoder::builder().max_chunk(16).build().unwrap();
        let mut reader = encoder.chunks(serde_json::Value::from(text.as_str())).into_reader();
        reader.read_exact(room).unwrap();
        assert_eq!(room, format!("\"{text}\"").as_bytes());
        assert_eq!(reader.read(room).unwrap(), 0);
    }
}
