//! Chunks as readers: any read size, items before reads, buffered reads, and errors.

use std::io::{self, BufRead, Read};

use json_rope::{Encoder, Frame};
use serde_json::{Value, json};

fn tree() -> Value {
    json!({"text": "é€😀\"\n".repeat(40), "rows": (0..60).map(|n| json!({"n": n, "half": n as f64 / 2.0})).collect::<Vec<_>>()})
}

fn rows() -> Vec<Value> {
    (0..40).map(|n| json!({"n": n, "text": "é".repeat(n)})).collect()
}

fn encoder(max: usize) -> Encoder {
    Encoder::builder().first_chunk(16).max_chunk(max).build().unwrap()
}

/// Reads to the end, `size` bytes at a time.
fn read_all(mut reader: impl Read, size: usize) -> Vec<u8> {
    let (mut out, mut buffer) = (Vec::new(), vec![0; size]);
    loop {
        assert_eq!(reader.read(&mut []).unwrap(), 0, "nothing was asked for");
        match reader.read(&mut buffer).unwrap() {
            0 => break,
            n => out.extend_from_slice(&buffer[..n]),
        }
    }
    assert_eq!(reader.read(&mut buffer).unwrap(), 0, "the end stays");
    out
}

#[test]
fn every_read_size() {
    let want_tree = serde_json::to_vec(&tree()).unwrap();
    let want_array = serde_json::to_vec(&rows()).unwrap();
    let want_lines: String = rows().iter().map(|row| format!("{row}\n")).collect();
    for max in [16, 33, 65536] {
        let encoder = encoder(max);
        for size in 1..=64 {
            assert_eq!(read_all(encoder.chunks(&tree()).into_reader(), size), want_tree);
            assert_eq!(read_all(encoder.chunks(tree()).into_reader(), size), want_tree);
            assert_eq!(read_all(encoder.array(rows()).into_reader(), size), want_array);
            assert_eq!(read_all(encoder.records(Frame::NdJson, rows()).into_reader(), size), want_lines.as_bytes());
        }
        assert_eq!(read_all(encoder.chunks(&tree()).into_reader(), 1 << 20), want_tree);
    }
}

#[test]
fn reads_and_buffered_reads_in_any_order_after_some_items() {
    let want = serde_json::to_vec(&tree()).unwrap();
    let mut state = 1u32;
    for round in 0..200 {
        let mut chunks = encoder(48).chunks(tree());
        let mut out = Vec::new();
        for chunk in chunks.by_ref().take(round % 5) {
            out.extend(chunk.unwrap());
        }
        let mut reader = chunks.into_reader();
        loop {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let before = out.len();
            let most = 1 + (state >> 16) as usize % 70;
            if state >> 31 == 0 {
                let available = reader.fill_buf().unwrap();
                let used = most.min(available.len());
                out.extend_from_slice(&available[..used]);
                reader.consume(used);
            } else {
                let mut buffer = vec![0; most];
                let n = reader.read(&mut buffer).unwrap();
                out.extend_from_slice(&buffer[..n]);
            }
            if out.len() == before {
                break;
            }
        }
        assert_eq!(out, want);
    }
}

#[test]
fn io_copy_and_read_to_end() {
    let mut out = Vec::new();
    io::copy(&mut Encoder::new().array(0..100_000).into_reader(), &mut out).unwrap();
    assert_eq!(out, serde_json::to_vec(&(0..100_000).collect::<Vec<_>>()).unwrap());
    assert_eq!(io::read_to_string(Encoder::new().records(Frame::NdJson, [0; 0]).into_reader()).unwrap(), "");
}

#[test]
fn an_error_comes_once_after_what_could_be_read() {
    let results = [Ok(1), Err("lost"), Ok(2)];
    let mut reader = Encoder::new().try_array(results).into_reader();
    let mut out = Vec::new();
    let error = reader.read_to_end(&mut out).unwrap_err();
    assert_eq!(out, b"[1");
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    let source = error.get_ref().unwrap().downcast_ref::<json_rope::Error>().unwrap();
    assert_eq!(source.pointer(), Some("/1"));
    assert_eq!(reader.read(&mut [0; 8]).unwrap(), 0);

    let pretty = Encoder::builder().pretty(true).build().unwrap();
    let error = pretty.records(Frame::NdJson, [1]).into_reader().read(&mut [0; 8]).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
}
