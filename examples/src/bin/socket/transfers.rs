//! What sending a document in each of four ways costs.

use std::io;

use json_rope::Encoder;
use serde_json::Value;

use crate::heap;
use crate::link::{Link, Transfer, Way};

/// What was found about one document. Lists are in the order of [`Way::ALL`].
pub struct Transfers {
    /// Bytes of the document.
    pub bytes: usize,
    /// For each round the first byte and the total of each way, in seconds.
    pub rounds: Vec<[(f64, f64); 4]>,
    /// System calls of the sender, at most.
    pub calls: [usize; 4],
    /// Bytes of heap at the peak.
    pub heap: [usize; 4],
}

impl Transfers {
    /// The first byte and the total of one way in one round after another.
    pub fn of(&self, way: Way) -> impl Iterator<Item = (f64, f64)> {
        self.rounds.iter().map(move |round| round[way as usize])
    }
}

/// Sends `value` in turns, each round in another order, over one connection. The first `warm_up` rounds do not count.
/// The heap is counted afterwards, for programs whose allocator is [`heap::Counting`].
pub fn measure(value: &Value, warm_up: usize, rounds: usize, mut progress: impl FnMut(usize)) -> io::Result<Transfers> {
    let expected = serde_json::to_vec(value)?;
    let bytes = expected.len();
    let encoder = Encoder::new();
    let mut link = Link::open()?;
    let mut send = |way: Way, keep| link.transfer(bytes, keep, |socket| way.send(&encoder, value, socket));

    for way in Way::ALL {
        if send(way, true)?.received != expected {
            return Err(io::Error::other(format!("{} arrived differently", way.name())));
        }
    }
    drop(expected);
    let mut transfers = Transfers { bytes, rounds: Vec::new(), calls: [0; 4], heap: [0; 4] };
    for round in 0..warm_up + rounds {
        progress(round);
        let mut times = [(0.0, 0.0); 4];
        for turn in 0..4 {
            let way = (round + turn) % 4;
            let Transfer { first_byte, total, calls, .. } = send(Way::ALL[way], false)?;
            times[way] = (first_byte.as_secs_f64().max(1e-9), total.as_secs_f64().max(1e-9));
            transfers.calls[way] = transfers.calls[way].max(calls);
        }
        if round >= warm_up {
            transfers.rounds.push(times);
        }
    }
    for way in Way::ALL {
        let (sent, heap) = heap::count(|| send(way, false));
        sent?;
        transfers.heap[way as usize] = heap.peak;
    }
    Ok(transfers)
}
