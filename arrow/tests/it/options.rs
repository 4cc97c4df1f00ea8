//! Every option of the encoder and every frame: the bytes are those of the same rows as trees.

use json_rope::{BigIntegers, Encoder, EncoderBuilder, Frame};
use json_rope_arrow::RowEncoder;

use crate::random::{Random, Without};
use crate::support::{Json, lines, lines_with_nulls, parse};

type Setting = fn(EncoderBuilder) -> EncoderBuilder;

const SETTINGS: &[(&str, Setting)] = &[
    ("plain", |builder| builder),
    ("pretty", |builder| builder.pretty(true)),
    ("indent", |builder| builder.pretty(true).indent("\t")),
    ("inline_width", |builder| builder.pretty(true).inline_width(60)),
    ("ascii", |builder| builder.ascii(true)),
    ("html_safe", |builder| builder.html_safe(true)),
    ("escape_solidus", |builder| builder.escape_solidus(true)),
    ("sort_keys", |builder| builder.sort_keys(true)),
    ("canonical", |builder| builder.canonical(true)),
    ("big_integers", |builder| builder.big_integers(BigIntegers::String)),
    ("tiny chunks", |builder| builder.first_chunk(16).max_chunk(16)),
    ("pretty, sorted, ascii", |builder| builder.pretty(true).sort_keys(true).ascii(true)),
];

const FRAMES: [Frame; 6] =
    [Frame::Grpc, Frame::LengthDelimited, Frame::NdJson, Frame::JsonSeq, Frame::HttpChunk, Frame::ServerSentEvent];

#[test]
fn every_option_and_every_frame() {
    for seed in 0..150 {
        let random = &mut Random::new(seed);
        let explicit_nulls = seed % 2 == 0;
        let floats = seed % 4 > 1;
        let batch = random.batch(3, Without { floats: !floats, bytes: true });
        let text = if explicit_nulls { lines_with_nulls(&batch) } else { lines(&batch) };
        let rows = text.lines().map(parse).collect::<Vec<Json>>();
        for (name, setting) in SETTINGS {
            if *name == "canonical" && floats {
                continue; // the tree has null where canonical JSON refuses a float that is not finite
            }
            let encoder = setting(Encoder::builder()).build().unwrap();
            let arrow = RowEncoder::new(encoder.clone()).explicit_nulls(explicit_nulls);
            match (arrow.array(&batch), encoder.encode(&rows)) {
                (Ok(array), Ok(expected)) => assert_eq!(array, expected, "{name}, seed {seed}"),
                // Canonical JSON refuses a number that is too large for a double.
                (Err(error), Err(expected)) => assert_eq!(error.to_string(), expected.to_string(), "{name}"),
                (ours, expected) => panic!("{name}, seed {seed}: {ours:?}, {expected:?}"),
            }
            for frame in FRAMES {
                let expected = encoder.records(frame, &rows).collect::<Result<json_rope::Rope, _>>();
                let context = format!("{name}, {frame:?}, seed {seed}");
                match (arrow.records(frame, &batch), &expected) {
                    (Ok(records), Ok(expected)) => assert_eq!(records, *expected, "{context}"),
                    (Err(error), Err(expected)) => {
                        assert_eq!(error.to_string(), expected.to_string(), "{context}");
                        assert_eq!(error.record(), expected.record(), "{context}");
                    }
                    (ours, expected) => panic!("{context}: {ours:?}, {expected:?}"),
                }
                let mut written = Vec::new();
                let batches = [
                    batch.slice(0, batch.num_rows() / 2),
                    batch.slice(batch.num_rows() / 2, batch.num_rows().div_ceil(2)),
                ];
                let len = arrow.write_records(frame, batches.map(Ok), &mut written);
                match (len, &expected) {
                    (Ok(len), Ok(expected)) => {
                        assert_eq!(written, expected.to_vec(), "{context}");
                        assert_eq!(len, written.len() as u64, "{context}");
                    }
                    (Err(error), Err(expected)) => assert_eq!(error.record(), expected.record(), "{context}"),
                    (ours, expected) => panic!("{context}: {ours:?}, {expected:?}"),
                }
            }
        }
    }
}
