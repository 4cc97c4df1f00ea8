//! An event log: one JSON array that stays open while events come in. Twice a second what there is goes to the file, so
//! that a reader sees events soon and the disk sees few writes.
//!
//! `cargo run --release --example event_log -- events.json`

use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};
use std::{env, thread};

use json_rope::{Encoder, Writer};
use serde::Serialize;

#[derive(Serialize)]
struct Event<'a> {
    millis: u128,
    kind: &'a str,
    number: u32,
}

/// Writes everything that is finished.
fn drain(log: &mut Writer, file: &mut File) -> std::io::Result<()> {
    while let Some(chunk) = log.pop() {
        file.write_all(&chunk)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).unwrap_or_else(|| "events.json".to_owned());
    let mut file = File::create(&path)?;
    let mut log = Encoder::new().writer();
    let start = Instant::now();
    let mut flushed = start;

    log.begin_array()?;
    for number in 0..200 {
        let kind = if number % 10 == 0 { "checkpoint" } else { "tick" };
        log.value(&Event { millis: start.elapsed().as_millis(), kind, number })?;
        if flushed.elapsed() >= Duration::from_millis(500) {
            log.flush();
            flushed = Instant::now();
        }
        // Chunks that are full leave at once.
        drain(&mut log, &mut file)?;
        thread::sleep(Duration::from_millis(10)); // the next event
    }
    log.end()?;
    log.finish()?;
    drain(&mut log, &mut file)?;
    println!("{path}: {} bytes", file.metadata()?.len());
    Ok(())
}
