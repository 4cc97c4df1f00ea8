//! Documents as bodies and streams: what a poll returns, whom it wakes, and how the end is told. Over real connections
//! they are tested in `http-tests`. A program of its own, because it needs the features.

mod axum;
mod blocking;
mod body;
mod items;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use json_rope::{Encoder, EncoderBuilder};

/// Counts how often it is woken.
#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A task that is polled by hand.
struct Task {
    wakes: Arc<Wakes>,
    waker: Waker,
}

impl Task {
    fn new() -> Task {
        let wakes = Arc::new(Wakes::default());
        Task { waker: Waker::from(wakes.clone()), wakes }
    }

    fn poll<T>(&self, poll: impl FnOnce(&mut Context<'_>) -> Poll<T>) -> Poll<T> {
        poll(&mut Context::from_waker(&self.waker))
    }

    /// How often it was woken since the last call.
    fn wakes(&self) -> usize {
        self.wakes.0.swap(0, Ordering::Relaxed)
    }
}

/// An encoder whose chunks have `len` bytes.
fn chunks_of(len: usize) -> Encoder {
    builder_of(len).build().unwrap()
}

fn builder_of(len: usize) -> EncoderBuilder {
    Encoder::builder().first_chunk(len).max_chunk(len)
}
