//! Compares with arrow-json, in one process and in turns: `cargo bench -p json-rope-arrow --bench ratios [filter]`.
//!
//! Each line is a table of one column of that type, or the mixed table of eight columns. Printed are the medians of the
//! times, and of arrow-json's time divided by ours in the same round: above 1 is faster. Both write NDJSON to a writer
//! that counts bytes.

mod tables;

use std::io::{self, Write};
use std::time::Instant;

use arrow_array::RecordBatch;
use arrow_json::LineDelimitedWriter;
use json_rope::{Encoder, Frame};
use json_rope_arrow::RowEncoder;

/// A writer that keeps nothing.
#[derive(Default)]
struct Count(u64);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += std::hint::black_box(bytes).len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn ours(encoder: &RowEncoder, batches: &[RecordBatch]) -> u64 {
    encoder.write_records(Frame::NdJson, batches.iter().cloned().map(Ok), Count::default()).unwrap()
}

fn theirs(batches: &[RecordBatch]) -> u64 {
    let mut writer = LineDelimitedWriter::new(Count::default());
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.finish().unwrap();
    writer.into_inner().0
}

fn timed<T>(call: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    std::hint::black_box(call());
    start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    let rounds = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(15);
    let encoder = RowEncoder::new(Encoder::new());
    println!("{:<24} {:>9} {:>9} {:>9} {:>7}", "table", "MB", "ours ms", "theirs", "ratio");
    for (name, table) in tables::all() {
        if !name.contains(&filter) {
            continue;
        }
        let batches = table();
        let len = ours(&encoder, &batches);
        let difference = theirs(&batches).abs_diff(len);
        let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
        for round in 0..rounds {
            let mut run = |ours_now: bool| match ours_now {
                true => our_times.push(timed(|| ours(&encoder, &batches))),
                false => their_times.push(timed(|| theirs(&batches))),
            };
            run(round % 2 == 0);
            run(round % 2 != 0);
        }
        let ratio = median(their_times.iter().zip(&our_times).map(|(their, our)| their / our).collect());
        let (our, their) = (median(our_times), median(their_times));
        let note = if difference == 0 { String::new() } else { format!("  lengths differ by {difference}") };
        let megabytes = len as f64 / 1e6;
        println!("{name:<24} {megabytes:>9.1} {:>9.2} {:>9.2} {ratio:>7.2}{note}", our * 1e3, their * 1e3);
    }
}
