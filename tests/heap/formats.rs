//! What byte strings and sorting take from the heap: byte strings of any length a fixed amount, an object
//! that is sorted a small multiple of its length, and nothing of that once it has left.

use std::io::{self, Write};

use json_rope::{BytesFormat, Encoder};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::MIB;
use crate::counting::{live, measured};

/// Counts bytes, and notes what is allocated when the last of them come.
#[derive(Default)]
struct Count {
    bytes: u64,
    live: usize,
}

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        self.live = live().1;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The length, the peak, and what was allocated when the end was written.
fn stream(encoder: &Encoder, value: &impl Serialize) -> (u64, usize, usize) {
    let before = live().1;
    let mut count = Count::default();
    let (written, heap) = measured(|| encoder.write(&mut count, value).unwrap());
    assert_eq!(written, count.bytes);
    assert_eq!(heap.live, 0, "nothing is kept");
    (written, heap.peak, count.live.saturating_sub(before))
}

struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

fn byte_strings() {
    let len = if cfg!(debug_assertions) { 2 * MIB } else { 100 * MIB };
    let bytes = Bytes((0..len).map(|n| (n % 251) as u8).collect());
    for format in [BytesFormat::Array, BytesFormat::Base64, BytesFormat::Hex] {
        for escape_solidus in [false, true] {
            let builder = Encoder::builder().bytes(format).escape_solidus(escape_solidus);
            let (written, peak, _) = stream(&builder.clone().build().unwrap(), &bytes);
            assert!(peak <= 256 << 10, "{format:?}: {peak} bytes");
            let exact = builder.clone().max_len(written).build().unwrap();
            assert_eq!(exact.write(&mut io::sink(), &bytes).unwrap(), written);
            let mut count = Count::default();
            let short = builder.max_len(written - 1).build().unwrap();
            let (error, heap) = measured(|| short.write(&mut count, &bytes).unwrap_err());
            assert!(error.is_limit() && count.bytes < written && heap.peak <= 256 << 10, "{format:?}: {heap:?}");
        }
    }
}

/// A text in objects that are out of order.
struct Deep<'a>(usize, &'a str);

impl Serialize for Deep<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 == 0 {
            return serializer.serialize_str(self.1);
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("b", &Deep(self.0 - 1, self.1))?;
        map.serialize_entry("a", &1)?;
        map.end()
    }
}

/// One large object, and then small ones until the buffers have been through.
struct LargeAndSmall<T>(T);

impl<T: Serialize> Serialize for LargeAndSmall<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        seq.serialize_element(&self.0)?;
        for n in 0..20_000 {
            seq.serialize_element(&std::collections::BTreeMap::from([("b", n), ("c", n)]))?;
        }
        seq.end()
    }
}

/// Many members in descending order.
struct Wide(u32);

impl Serialize for Wide {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map((0..self.0).rev().map(|n| (format!("member number {n:9}"), "a value of some length")))
    }
}

fn sorting() {
    let encoder = Encoder::builder().sort_keys(true).build().unwrap();
    let len = 4 * MIB;
    let (_, peak, live) = stream(&encoder, &LargeAndSmall(Deep(300, &"x".repeat(len))));
    // The buffer grows by doubling, so for a moment there are an old one and one twice as long. Then there are the held
    // object and one copy.
    assert!(peak <= 3 * len + 256 * 1024, "deep: {peak} for {len}");
    assert!(live <= 256 << 10, "deep: {live} bytes are kept after it");

    let wide = Wide(50_000);
    let len = serde_json::to_vec(&wide).unwrap().len();
    let (_, peak, live) = stream(&encoder, &LargeAndSmall(wide));
    assert!(peak <= 6 * len, "wide: {peak} for {len}");
    assert!(live <= 256 << 10, "wide: {live} bytes are kept after it");
}

crate::tests!(byte_strings, sorting);
