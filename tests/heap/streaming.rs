//! What streaming costs in heap memory: a small fixed amount, whatever the length of the document.

use std::collections::BTreeMap;
use std::io::{self, Write};

use json_rope::Encoder;
use json_rope_bench_data::generate::{array_of_bytes, message, plain_text};
use serde::Serialize;

use crate::counting::{Heap, measured};
use crate::{KIB, MIB};

/// The promise for a document of any length.
pub const PEAK: usize = 256 * KIB;

/// A document of 256 MiB; a quarter of that in a debug build, where it would take half a minute.
const LARGE: usize = if cfg!(debug_assertions) { 16 * MIB } else { 256 * MIB };

/// Counts bytes and keeps nothing.
struct Count(u64);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn write_vectored(&mut self, slices: &[io::IoSlice<'_>]) -> io::Result<usize> {
        let bytes: usize = slices.iter().map(|slice| slice.len()).sum();
        self.0 += bytes as u64;
        Ok(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Streams `value`, which must be `length` bytes long.
pub fn stream(encoder: &Encoder, value: &(impl Serialize + ?Sized), length: usize) -> Heap {
    let mut writer = Count(0);
    let (written, heap) = measured(|| encoder.write(&mut writer, value).unwrap());
    assert_eq!((written, writer.0), (length as u64, length as u64));
    assert_eq!(heap.live, 0, "nothing is kept");
    heap
}

crate::tests!(streaming_takes_a_fixed_amount_of_memory, names_of_members_that_were_sent_are_forgotten);

fn streaming_takes_a_fixed_amount_of_memory() {
    let encoder = Encoder::new();

    // Small documents stay on the stack. The scratch there holds the first three hand-overs.
    for _ in 0..3 {
        assert_eq!(stream(&encoder, &message(), 150), Heap { blocks: 0, bytes: 0, live: 0, peak: 0 });
    }
    assert_eq!(stream(&encoder, &array_of_bytes(14 * KIB), 14 * KIB).blocks, 0);
    let small = Encoder::builder().first_chunk(1024).max_chunk(8 * KIB).build().unwrap();
    assert_eq!(stream(&small, &array_of_bytes(MIB), MIB).blocks, 0);

    // A long one, of any length, takes the same.
    let eight = stream(&encoder, &array_of_bytes(8 * MIB), 8 * MIB);
    let large = stream(&encoder, &array_of_bytes(LARGE), LARGE);
    assert!(large.peak <= PEAK, "{} bytes", large.peak);
    assert_eq!(eight, large);
    assert!(large.blocks <= 4, "{} blocks", large.blocks);
    println!("documents of 8 and {} MiB: {large:?}", LARGE / MIB);

    // The documentation of `Encoder::write` says so.
    assert!(large.peak <= 128 * KIB, "{} bytes", large.peak);

    // So does one long string, whether it goes by reference or not. The string itself is outside of the count.
    let mut text = plain_text(1, 50 * MIB);
    let plain = stream(&encoder, &text, text.len() + 2);
    println!("a string of 50 MiB: {plain:?}");
    assert!(plain.peak <= PEAK);
    text.push('\n');
    let escape_at_the_end = stream(&encoder, &text, text.len() + 3);
    text.insert(0, '"');
    let escapes_at_both_ends = stream(&encoder, &text, text.len() + 4);
    println!("with an escape at the end: {escape_at_the_end:?}, at both ends: {escapes_at_both_ends:?}");
    assert!(escape_at_the_end.peak <= PEAK && escapes_at_both_ends.peak <= PEAK);

    // A sum of everything in one document.
    let text = "\u{1f600}\n".repeat(100_000);
    let all = (&text, array_of_bytes(MIB), &text[..5 * 20_000], vec![(); 100_000]);
    let length = json_rope::to_rope(&all).unwrap().len();
    assert!(stream(&encoder, &all, length).peak <= PEAK);
}

/// For errors, the names of open members are copied from what is handed to the writer. They are those of the latest members
/// only, so that a map of any length takes no heap memory for them.
fn names_of_members_that_were_sent_are_forgotten() {
    let encoder = Encoder::builder().first_chunk(1024).max_chunk(4 * KIB).build().unwrap();
    let inner = BTreeMap::from([("a name inside", "x".repeat(900)), ("another name inside", "y".repeat(900))]);
    let members: BTreeMap<String, _> = (0..1000).map(|n| (format!("the name of member {n}"), &inner)).collect();
    let length = json_rope::to_rope(&members).unwrap().len();
    assert_eq!(stream(&encoder, &members, length).blocks, 0);
}
