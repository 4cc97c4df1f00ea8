//! A long run: small and large documents through an encoder, a pool and a sink on two threads. Every byte is verified
//! by a checksum, and resident memory does not grow.
//!
//! ```sh
//! cargo test --release --test load -- --nocapture     # 2 million small documents and 200 large ones
//! ```
//!
//! A debug build runs a fiftieth of that.

use std::fs;
use std::hash::Hasher;
use std::io::{self, IoSlice, Write};
use std::sync::Barrier;
use std::thread;

use json_rope::{Encoder, Frame, Pool, VectoredSink};
use json_rope_bench_data::generate;
use serde::Serialize;

const SMALL: usize = if cfg!(debug_assertions) { 40_000 } else { 2_000_000 };
const LARGE: usize = if cfg!(debug_assertions) { 4 } else { 200 };
const THREADS: usize = 2;
/// The run is cut into so many parts. The first ones are the warm-up, in which the pool fills.
const PARTS: usize = 10;
const WARM: usize = 4;

/// FNV-1a, a checksum that needs no table and depends on every byte and its place.
#[derive(Clone, PartialEq, Debug)]
struct Checksum {
    state: u64,
    bytes: u64,
}

impl Checksum {
    fn new() -> Checksum {
        Checksum { state: 0xcbf2_9ce4_8422_2325, bytes: 0 }
    }
}

impl Hasher for Checksum {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.state = (self.state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        self.bytes += bytes.len() as u64;
    }

    fn finish(&self) -> u64 {
        self.state
    }
}

/// A socket that takes some bytes of each call, and sometimes none. It forgets them but for their checksum.
struct Peer {
    checksum: Checksum,
    calls: usize,
}

impl Write for Peer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls.is_multiple_of(7) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let mut room = 200_000 - self.calls * 7919 % 190_000;
        let mut taken = 0;
        for slice in slices {
            let now = &slice[..slice.len().min(room)];
            Hasher::write(&mut self.checksum, now);
            taken += now.len();
            room -= now.len();
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Resident memory in bytes, where the system tells.
fn resident() -> Option<usize> {
    let pages = fs::read_to_string("/proc/self/statm").ok()?.split_whitespace().nth(1)?.parse::<usize>().ok()?;
    Some(pages * 4096)
}

/// One thread's sending, and what must have arrived.
struct Line {
    encoder: Encoder,
    sink: VectoredSink<Peer>,
    want: Checksum,
}

impl Line {
    fn send(&mut self, frame: Frame, value: &impl Serialize, text: &[u8]) {
        self.sink.push(self.encoder.encode_framed(frame, value).unwrap());
        Hasher::write(&mut self.want, text);
        if self.sink.pending() > 100_000 {
            let _ = self.sink.flush();
        }
    }
}

#[test]
fn memory_stays_and_every_byte_arrives() {
    let message = generate::message();
    let order = generate::object_2kb(1);
    let records = generate::log_records(1, 9000);
    let line = |value: &[u8]| [value, b"\n"].concat();
    let texts = [
        line(&serde_json::to_vec(&message).unwrap()),
        line(&serde_json::to_vec(&order).unwrap()),
        line(&serde_json::to_vec(&records).unwrap()),
    ];
    let pool = Pool::default();
    let encoder = Encoder::builder().pool(pool.clone()).build().unwrap();
    let at_rest = Barrier::new(THREADS + 1);
    let mut sizes = Vec::new();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let peer = Peer { checksum: Checksum::new(), calls: 0 };
                let mut line = Line { encoder: encoder.clone(), sink: VectoredSink::new(peer), want: Checksum::new() };
                for _ in 0..PARTS {
                    let small = SMALL / THREADS / PARTS;
                    let every = small / (LARGE / THREADS).div_ceil(PARTS);
                    for n in 0..small {
                        match n {
                            _ if n % every == 0 => line.send(Frame::NdJson, &records, &texts[2]),
                            _ if n % 10 == 0 => line.send(Frame::NdJson, &order, &texts[1]),
                            _ => line.send(Frame::NdJson, &message, &texts[0]),
                        }
                    }
                    while line.sink.flush().is_err() {}
                    at_rest.wait();
                    at_rest.wait();
                }
                assert_eq!(line.sink.get_ref().checksum, line.want);
                assert_eq!(line.sink.pending(), 0);
            });
        }
        for _ in 0..PARTS {
            at_rest.wait();
            sizes.push(resident());
            at_rest.wait();
        }
    });
    println!("resident after each part: {sizes:?}; {:?}", pool.stats());
    assert!(pool.retained_bytes() <= 64 * 64 * 1024);
    if let (Some(Some(warm)), Some(Some(end))) = (sizes.get(WARM), sizes.last()) {
        // The allocator's arenas still grow a little, in steps, with two threads. More than a million documents follow the
        // warm-up (in a release build), so this is less than four bytes for each.
        assert!(*end <= warm + (4 << 20), "{sizes:?}");
    }
}
