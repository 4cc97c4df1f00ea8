//! Compares with arrow-json, in one process and in turns: `cargo bench -p json-rope-arrow --bench ratios [filter]`.
//!
//! Each line is a table of one column of that type, or the mixed table of eight columns. Both write NDJSON to a writer that
//! counts bytes. Printed are the medians of the processor time of the thread, in nanoseconds for each row; then
//! arrow-json's time divided by ours, so that above 1 is faster: of the medians, and of the fastest rounds, which other
//! programs on the machine disturb least. `ROUNDS` sets how many there are.

mod tables;

use std::io::{self, Write};

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

/// Processor time, in seconds, so that other programs on the machine disturb less.
fn timed<T>(call: impl FnOnce() -> T) -> f64 {
    let start = cpu_time::ThreadTime::now();
    std::hint::black_box(call());
    start.elapsed().as_secs_f64()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    let rounds = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(15);
    let encoder = RowEncoder::new(Encoder::new());
    println!("{:<24} {:>7} {:>9} {:>9} {:>7} {:>8}", "table", "MB", "ours ns", "theirs ns", "ratio", "fastest");
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
        let (our, their) = (median(&mut our_times), median(&mut their_times));
        let fastest = their_times[0] / our_times[0];
        let rows = batches.iter().map(RecordBatch::num_rows).sum::<usize>() as f64 / 1e9;
        let note = if difference == 0 { String::new() } else { format!("  lengths differ by {difference}") };
        println!(
            "{name:<24} {:>7.1} {:>9.1} {:>9.1} {:>7.2} {fastest:>8.2}{note}",
            len as f64 / 1e6,
            our / rows,
            their / rows,
            their / our
        );
    }
}
