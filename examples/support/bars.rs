//! The chunks of a rope as bars.

use std::fmt::Write;

use bytes::Bytes;

use super::text::grouped;

/// Columns of the longest bar.
const WIDTH: usize = 40;
/// With more lines than this, those in the middle are left out.
const MAX_LINES: usize = 36;

/// Neighbours of (nearly) one size in one slab: a line of the picture.
struct Run {
    slab: usize,
    first: usize,
    count: usize,
    least: usize,
    most: usize,
}

/// How many slabs the chunks are cut from: pieces of memory in which one chunk begins where the one before it ends.
/// (Two allocations never touch each other, as the allocator keeps its notes between them.)
pub fn slabs(chunks: &[Bytes]) -> usize {
    runs(chunks).last().map_or(0, |run| run.slab)
}

/// One line a chunk, in order; equal neighbours in one slab share a line. With `colour`, slabs alternate between two.
pub fn draw(chunks: &[Bytes], colour: bool) -> String {
    let runs = runs(chunks);
    let longest = chunks.iter().map(Bytes::len).max().unwrap_or(0);
    let mut text = String::from("slab      chunks           bytes\n");
    let hidden = if runs.len() > MAX_LINES { MAX_LINES / 2..runs.len() - MAX_LINES / 2 } else { 0..0 };
    let mut last_slab = 0;
    for (i, run) in runs.iter().enumerate() {
        if hidden.contains(&i) {
            if i == hidden.start {
                writeln!(text, "             … {} lines left out …", hidden.len()).expect("strings take all");
            }
            continue;
        }
        let slab = if run.slab == last_slab { String::new() } else { run.slab.to_string() };
        last_slab = run.slab;
        let chunks = match run.count {
            1 => run.first.to_string(),
            count => format!("{}–{}", run.first, run.first + count - 1),
        };
        let bytes = if run.least == run.most {
            grouped(run.most as u64)
        } else {
            format!("{}–{}", grouped(run.least as u64), grouped(run.most as u64))
        };
        let times = if run.count > 1 { format!(" × {}", run.count) } else { String::new() };
        let (on, off) = match (colour, run.slab % 2) {
            (false, _) => ("", ""),
            (true, 0) => ("\x1b[36m", "\x1b[0m"),
            (true, _) => ("\x1b[32m", "\x1b[0m"),
        };
        let bar = bar(run.most, longest);
        writeln!(text, "{slab:>4} {chunks:>11} {bytes:>15}  {on}{bar}{off}{times}").expect("strings take all");
    }
    text
}

fn runs(chunks: &[Bytes]) -> Vec<Run> {
    let longest = chunks.iter().map(Bytes::len).max().unwrap_or(0);
    let mut runs: Vec<Run> = Vec::new();
    let mut end = 0;
    for (i, chunk) in chunks.iter().enumerate() {
        let (begin, len) = (chunk.as_ptr().addr(), chunk.len());
        let continues = begin == end;
        end = begin + len;
        let slab = runs.last().map_or(1, |run| run.slab + usize::from(!continues));
        match runs.last_mut() {
            Some(run) if run.slab == slab && eighths(run.most, longest) == eighths(len, longest) => {
                run.count += 1;
                run.least = run.least.min(len);
                run.most = run.most.max(len);
            }
            _ => runs.push(Run { slab, first: i + 1, count: 1, least: len, most: len }),
        }
    }
    runs
}

/// Length of a bar in eighths of a column; at least one, so that every chunk can be seen.
fn eighths(len: usize, longest: usize) -> usize {
    (len as u128 * 8 * WIDTH as u128 / longest.max(1) as u128).max(1) as usize
}

fn bar(len: usize, longest: usize) -> String {
    let eighths = eighths(len, longest);
    let mut bar = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.extend(['▏', '▎', '▍', '▌', '▋', '▊', '▉'].get(eighths % 8 - 1));
    }
    bar
}
