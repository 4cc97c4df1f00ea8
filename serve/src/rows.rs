//! Sources that have something to wait for.

use std::time::Duration;

use futures_util::{Stream, StreamExt, stream};
use serde::Serialize;
use tokio::time::{Instant, interval_at, sleep};

/// Rows that a database would send at a time.
const PAGE: u64 = 500;

#[derive(Serialize)]
pub struct Row {
    id: u64,
    name: String,
    price: f64,
    tags: [&'static str; 2],
}

impl Row {
    fn new(id: u64) -> Row {
        Row { id, name: format!("Product {id}"), price: Row::cents_of(id) as f64 / 100.0, tags: ["new", "green"] }
    }

    fn cents_of(id: u64) -> u64 {
        id % 10_000 * 37 % 10_000
    }

    pub fn cents(&self) -> u64 {
        Row::cents_of(self.id)
    }
}

/// `count` rows, without waiting for anything.
pub fn all(count: u64) -> impl Iterator<Item = Row> + Send + 'static {
    (0..count).map(Row::new)
}

/// `count` rows, in pages that take a millisecond each to arrive.
pub fn from_database(count: u64) -> impl Stream<Item = Row> + Send + 'static {
    stream::iter((0..count).step_by(PAGE as usize))
        .then(async |start| {
            sleep(Duration::from_millis(1)).await;
            start
        })
        .flat_map(move |start| stream::iter((start..count.min(start + PAGE)).map(Row::new)))
}

#[derive(Serialize)]
pub struct Tick {
    number: usize,
    seconds: f64,
}

/// A tick every half second, without an end.
pub fn ticks() -> impl Stream<Item = Tick> + Send + 'static {
    let start = Instant::now();
    let mut interval = interval_at(start, Duration::from_millis(500));
    let times = stream::poll_fn(move |cx| interval.poll_tick(cx).map(Some));
    times.enumerate().map(move |(number, now)| Tick { number, seconds: (now - start).as_secs_f64() })
}
