//! The chunks of a rope as bars.

use std::fmt::Write;

use bytes::Bytes;

use json_rope_examples::text::grouped;

/// Columns of the longest bar, if there is room.
const MAX_BAR: usize = 40;
/// Columns of all the rest of a line.
const BESIDE_BAR: usize = 38;
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

/// How many slabs the chunks are cut from: a chunk of the same slab begins where the one before it ends. (Two
/// allocations never touch each other, since the allocator keeps its notes between them.)
pub fn slabs(chunks: &[Bytes]) -> usize {
    runs(chunks, Scale::new(chunks, 0)).last().map_or(0, |run| run.slab)
}

/// One line a chunk, in order; equal neighbours in one slab share a line. With `colour`, slabs alternate between two.
pub fn draw(chunks: &[Bytes], width: usize, colour: bool) -> String {
    let scale = Scale::new(chunks, width);
    let runs = runs(chunks, scale);
    let mut text = String::from("slab    chunks      bytes each\n");
    let hidden = if runs.len() > MAX_LINES { MAX_LINES / 2..runs.len() - MAX_LINES / 2 } else { 0..0 };
    let mut last_slab = 0;
    for (i, run) in runs.iter().enumerate() {
        if hidden.contains(&i) {
            if i == hidden.start {
                writeln!(text, "          … {} lines left out …", hidden.len()).expect("strings take all");
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
        let bar = scale.bar(run.most);
        writeln!(text, "{slab:>4} {chunks:>9} {bytes:>15}  {on}{bar}{off}{times}").expect("strings take all");
    }
    text
}

fn runs(chunks: &[Bytes], scale: Scale) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut end = 0;
    for (i, chunk) in chunks.iter().enumerate() {
        let (begin, len) = (chunk.as_ptr().addr(), chunk.len());
        let continues = begin == end;
        end = begin + len;
        let slab = runs.last().map_or(1, |run| run.slab + usize::from(!continues));
        match runs.last_mut() {
            Some(run) if run.slab == slab && scale.eighths(run.most) == scale.eighths(len) => {
                run.count += 1;
                run.least = run.least.min(len);
                run.most = run.most.max(len);
            }
            _ => runs.push(Run { slab, first: i + 1, count: 1, least: len, most: len }),
        }
    }
    runs
}

/// How long bars are.
#[derive(Clone, Copy)]
struct Scale {
    /// Bytes of the longest chunk, and columns of its bar.
    longest: usize,
    columns: usize,
}

impl Scale {
    fn new(chunks: &[Bytes], width: usize) -> Scale {
        let longest = chunks.iter().map(Bytes::len).max().unwrap_or(1);
        Scale { longest, columns: width.saturating_sub(BESIDE_BAR).clamp(8, MAX_BAR) }
    }

    /// Length of a bar in eighths of a column; at least one, so that every chunk can be seen.
    fn eighths(self, len: usize) -> usize {
        (len as u128 * 8 * self.columns as u128 / self.longest as u128).max(1) as usize
    }

    fn bar(self, len: usize) -> String {
        let eighths = self.eighths(len);
        let mut bar = "█".repeat(eighths / 8);
        if !eighths.is_multiple_of(8) {
            bar.extend(['▏', '▎', '▍', '▌', '▋', '▊', '▉'].get(eighths % 8 - 1));
        }
        bar
    }
}
