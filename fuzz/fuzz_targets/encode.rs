//! Any value of serde's data model, any options, any chunk sizes, by every way out: the bytes of serde_json where the
//! options do not say otherwise, and those of a slow and obvious reference where they do.
#![no_main]

#[allow(dead_code, reason = "shared with the other targets")]
mod support;

use std::io::Read;

use arbitrary::{Arbitrary, Unstructured};
use json_rope::{BytesFormat, Encoder, EncoderBuilder, Error, Fragment, Frame, NonFinite, Rope, VectoredSink};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use support::reference::{Mode, Node, Style};
use support::shape;
use support::values::{Hint, Honest, Marked, Shape};

#[derive(Arbitrary, Debug)]
struct Options {
    first: u16,
    max: u16,
    usual_chunks: bool,
    /// Bits for `ascii`, `html_safe` and `escape_solidus`.
    mode: u8,
    indent: Option<u8>,
    sort: bool,
    strict: bool,
    bytes: u8,
    max_len: Option<u16>,
}

impl Options {
    fn max_chunk(&self) -> usize {
        if self.usual_chunks { 64 * 1024 } else { 16 + usize::from(self.max % 3000) }
    }

    fn style(&self) -> Style {
        let mode = Mode::nth(usize::from(self.mode % 8));
        let indent = self.indent.map(|n| " \t".repeat(usize::from(n % 12)));
        let non_finite = if self.strict { NonFinite::Error } else { NonFinite::Null };
        Style { mode, indent, sorted: self.sort, bytes: self.bytes_format(), non_finite, ..Style::default() }
    }

    fn builder(&self) -> EncoderBuilder {
        let style = self.style();
        let mut builder = style.mode.builder().sort_keys(self.sort).bytes(style.bytes).non_finite(style.non_finite);
        if let Some(indent) = &style.indent {
            builder = builder.pretty(true).indent(indent);
        }
        if !self.usual_chunks {
            let first = 16 + usize::from(self.first % 2000);
            builder = builder.first_chunk(first.min(self.max_chunk())).max_chunk(self.max_chunk());
        }
        builder
    }

    fn bytes_format(&self) -> BytesFormat {
        [BytesFormat::Array, BytesFormat::Base64, BytesFormat::Hex][usize::from(self.bytes % 3)]
    }
}

fuzz_target!(|data: &[u8]| {
    let mut u = Unstructured::new(data);
    let Ok(options) = u.arbitrary::<Options>() else { return };
    let Ok(value) = shape::shape(&mut u, 8) else { return };
    let encoder = options.builder().build().unwrap();

    match serde_json::to_string(&Marked(&value)) {
        // What a flattened raw value looks like is refused as a key.
        Ok(text) if text.contains("$serde_json::private") => return,
        Ok(_) => {}
        Err(_) => return refused(&encoder, &value),
    }
    let node = Node::of_shape(&value);
    let Ok(expected) = node.render_until_failure(&options.style()) else { return refused(&encoder, &value) };
    let plain = node.render(&Style { bytes: options.bytes_format(), ..Style::default() });

    in_memory(&encoder, &value, &expected, options.max_chunk());
    everyday_functions(&value);
    limited(&options, &value, &expected);
    on_demand(&encoder, &value, &plain, &expected);
    if options.indent.is_none() {
        as_fragment(&encoder, plain, &expected, &options);
    }
});

/// A value that cannot be JSON: a data error everywhere, and what has left is no document.
fn refused(encoder: &Encoder, value: &Shape) {
    let error = encoder.encode(value).unwrap_err();
    assert!(error.is_data(), "{error}");
    let mut out = Vec::new();
    let streamed = encoder.write(&mut out, value).unwrap_err();
    assert_eq!(streamed.to_string(), error.to_string());
    assert!(out.len() as u64 <= streamed.offset());
    assert_eq!(streamed.offset(), error.offset());
    let mut rope = Rope::from("before");
    assert!(encoder.encode_into(&mut rope, value).is_err());
    assert_eq!(rope, "before");
    assert!(encoder.array([value]).any(|chunk| chunk.is_err()));
}

fn in_memory(encoder: &Encoder, value: &Shape, expected: &str, max_chunk: usize) {
    let rope = encoder.encode(value).unwrap();
    assert_eq!(rope, expected);
    for chunk in rope.chunks() {
        assert!(!chunk.is_empty() && chunk.len() <= max_chunk);
        assert!(std::str::from_utf8(chunk).is_ok());
    }
    let mut out = Vec::new();
    assert_eq!(encoder.write(&mut out, value).unwrap(), rope.len() as u64);
    assert_eq!(rope, out);
    out.clear();
    rope.write_to(&mut out).unwrap();
    assert_eq!(rope, out);
    let mut sink = VectoredSink::new(Vec::new());
    sink.push(rope);
    sink.flush().unwrap();
    assert_eq!(sink.get_ref(), expected.as_bytes());
    let mut rope = Rope::from("before");
    encoder.encode_into(&mut rope, value).unwrap();
    assert_eq!(rope, format!("before{expected}"));
    out.clear();
    encoder.encode_to_vec(&mut out, value).unwrap();
    assert_eq!(out, expected.as_bytes());
    assert_eq!(encoder.measure(value).unwrap(), expected.len() as u64);
    // The encoder knows by now how long the document will be.
    assert_eq!(encoder.encode(value).unwrap(), expected);
}

fn everyday_functions(value: &Shape) {
    if let Ok(expected) = serde_json::to_string(&Honest(value)) {
        assert_eq!(json_rope::to_string(value).unwrap(), expected);
        let mut out = Vec::new();
        json_rope::to_writer_pretty(&mut out, value).unwrap();
        assert_eq!(out, serde_json::to_vec_pretty(&Honest(value)).unwrap());
    }
}

/// With a limit the document comes out whole, or is a limit error behind an exact prefix.
fn limited(options: &Options, value: &Shape, expected: &str) {
    let Some(max_len) = options.max_len.map(u64::from) else { return };
    let encoder = options.builder().max_len(max_len).build().unwrap();
    let mut out = Vec::new();
    let results = [
        encoder.encode(value).map(drop),
        encoder.write(&mut out, value).map(drop),
        encoder.encode_to_vec(&mut Vec::new(), value),
        encoder.measure(value).map(drop),
    ];
    assert!(out.len() as u64 <= max_len && expected.as_bytes().starts_with(&out));
    for result in results {
        match result {
            Ok(()) => assert!(expected.len() as u64 <= max_len),
            Err(error) => assert!(error.is_limit() && expected.len() as u64 > max_len, "{error}"),
        }
    }
}

fn drained(chunks: impl Iterator<Item = Result<bytes::Bytes, Error>>) -> Rope {
    chunks.map(|chunk| chunk.unwrap()).inspect(|chunk| assert!(!chunk.is_empty())).collect()
}

/// Trees, arrays and records.
fn on_demand(encoder: &Encoder, value: &Shape, plain: &str, expected: &str) {
    let tree: Value = serde_json::from_str(plain).unwrap();
    let text = encoder.encode(&tree).unwrap();
    assert_eq!(encoder.encode_tree(&tree).unwrap(), text);
    assert_eq!(drained(encoder.chunks(&tree)), text);
    let mut read = Vec::new();
    encoder.chunks(tree).into_reader().read_to_end(&mut read).unwrap();
    assert_eq!(text, read);
    let twice = Shape::Seq(Hint::True, vec![value.clone(), value.clone()]);
    assert_eq!(drained(encoder.array([value, value])), encoder.encode(&twice).unwrap());
    assert_eq!(drained(encoder.records(Frame::JsonSeq, [value, value])), {
        format!("\x1e{expected}\n\x1e{expected}\n")
    });
}

/// The text as a fragment, rewritten by the options, is the text that the options make.
fn as_fragment(encoder: &Encoder, plain: String, expected: &str, options: &Options) {
    if options.sort {
        return; // Members of a fragment keep their order.
    }
    let fragment = Fragment::checked(plain).unwrap();
    assert_eq!(encoder.encode(&(&fragment, 1, &fragment)).unwrap(), format!("[{expected},1,{expected}]"));
}
