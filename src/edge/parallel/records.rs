//! Streams of records, in batches that the threads of a rayon pool encode and the caller writes in order.

use std::collections::VecDeque;
use std::io;
use std::panic;
use std::sync::Arc;

use serde::Serialize;

use super::slot::Slot;
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::options::Options;
use crate::out::Drain;
use crate::parts;
use crate::rope::Rope;
use crate::run::{self, Document};
use crate::sink::WriterDrain;
use crate::source::{Infallible, Progress, Records, Source};

/// Bytes that the caller writes alone: below, waking the threads of a pool costs more than they save.
const ALONE: u64 = if cfg!(test) { 1000 } else { 1024 * 1024 };

/// Items of the first batch, of which nothing is known, and the most items of any.
const FIRST_BATCH: usize = 4;
const MAX_BATCH: usize = 64 * 1024;

/// For each thread, the batches that may be waiting or encoded.
const IN_FLIGHT: usize = 4;

/// The least number of bytes that a batch aims at.
const MIN_BATCH_LEN: usize = if cfg!(test) { 256 } else { 16 * 1024 };

impl Encoder {
    /// Encodes the items of an iterator as documents, each in its frame, by the threads of a rayon pool, and writes them to
    /// `writer` in order. Returns the number of bytes.
    ///
    /// The output is that of [`records`](Encoder::records) and its [`write_to`](crate::Chunks::write_to), to the byte, and
    /// so are its errors, except that one of the writer names no record. This thread takes the items from the iterator, in
    /// batches of about [`max_chunk`](crate::EncoderBuilder::max_chunk) of output, and writes what comes back. It also
    /// encodes a batch that nobody has begun when its turn comes, so a pool that is busy does not hold it up. It begins
    /// alone, and asks other threads after 1 MiB. The pool is the one that this thread is in, otherwise rayon's global one.
    ///
    /// It pays where encoding is most of the work: where the items are references to rows that are in memory, it can gain
    /// as much as there are cores. Where the iterator makes owned rows, moving them to another thread and freeing them
    /// there can cost as much as it gains, and making them bounds the whole.
    ///
    /// At most four batches for each thread, and their items, are in memory at a time. With a
    /// [pool](crate::EncoderBuilder::pool) their buffers are used again.
    ///
    /// ```
    /// use json_rope::{Encoder, Frame};
    ///
    /// let rows = vec![(1, "one"), (2, "two")];
    /// let mut out = Vec::new();
    /// let len = Encoder::new().par_write_records(Frame::NdJson, &rows, &mut out)?;
    /// assert_eq!(out, b"[1,\"one\"]\n[2,\"two\"]\n");
    /// assert_eq!(len, 20);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first error in the order of the records, as from `records`, or that of the writer, which has received an exact
    /// prefix in either case. Items after it may have been taken from the iterator, and serialized.
    ///
    /// # Panics
    /// If the `Serialize` of an item panics, on any thread, and no record before it fails.
    #[cfg_attr(docsrs, doc(cfg(feature = "rayon")))]
    pub fn par_write_records<I, W>(&self, frame: Frame, items: I, mut writer: W) -> Result<u64>
    where
        I: IntoIterator<Item: Serialize + Send>,
        W: io::Write,
    {
        let stream = Stream {
            frame,
            options: self.options(),
            items: items.into_iter(),
            writer: WriterDrain::new(&mut writer),
            count: 0,
            written: 0,
        };
        stream.run()
    }
}

/// A stream of records, and how far it has got.
struct Stream<'a, I> {
    frame: Frame,
    options: &'a Options,
    items: I,
    writer: WriterDrain<'a>,
    /// Records that were taken from the iterator.
    count: u64,
    written: u64,
}

/// Whether the iterator has more items.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Reached,
    Ahead,
}

/// The items of a batch, and the number of the first.
struct Batch<T> {
    first: u64,
    items: Vec<T>,
}

/// The whole records of a batch, and the error that comes after them.
struct Encoded {
    rope: Rope,
    error: Option<Error>,
    items: u64,
}

impl<I: Iterator<Item: Serialize + Send>> Stream<'_, I> {
    fn run(mut self) -> Result<u64> {
        let (mut batch, mut alone) = (FIRST_BATCH, ALONE);
        while self.alone(batch)? == End::Ahead {
            batch = self.batch(self.written, self.count);
            if self.written >= alone {
                if rayon_core::current_num_threads() == 1 {
                    batch = usize::MAX;
                } else if parts::may_have_idle_threads() {
                    return parts::within_part(|| self.together(batch));
                } else {
                    alone = self.written.saturating_mul(2);
                }
            }
        }
        Ok(self.written)
    }

    /// How many items the next batch has, if `bytes` is the length of `items` of them.
    fn batch(&self, bytes: u64, items: u64) -> usize {
        // A chunk, but a little less: the last items may be longer.
        let aim = (self.options.max_chunk.max(MIN_BATCH_LEN) as u64) / 8 * 7;
        let count = u128::from(aim) * u128::from(items) / u128::from(bytes.max(1));
        usize::try_from(count).unwrap_or(MAX_BATCH).clamp(1, MAX_BATCH)
    }

    /// Writes the next `batch` items on this thread.
    fn alone(&mut self, batch: usize) -> Result<End> {
        let mut count = 0;
        let items = Infallible(self.items.by_ref().take(batch).inspect(|_| count += 1));
        let records = Records::new(self.frame, self.options, items).counting_from(self.count);
        let written = run::to_drain(self.options, &mut self.writer, records);
        self.written += written.map_err(|error| error.after(0, self.written))?;
        self.count += count as u64;
        Ok(if count < batch { End::Reached } else { End::Ahead })
    }

    /// Writes the rest, in batches of about as many items at first.
    fn together(mut self, mut batch: usize) -> Result<u64> {
        let frame = self.frame;
        // The first chunk is as long as any: somebody else is ahead of it.
        let options = &Options { first_chunk: self.options.max_chunk, ..self.options.clone() };
        let encode = &|batch| parts::within_part(|| encode(frame, options, batch));
        let in_flight = IN_FLIGHT.saturating_mul(rayon_core::current_num_threads());
        rayon_core::in_place_scope(move |scope| {
            let mut queue = Queue(VecDeque::new());
            let mut end = End::Ahead;
            loop {
                if end == End::Ahead && queue.0.len() < in_flight && !queue.is_ready() {
                    let items: Vec<I::Item> = self.items.by_ref().take(batch).collect();
                    if items.len() < batch {
                        end = End::Reached;
                    }
                    if !items.is_empty() {
                        let len = items.len() as u64;
                        let slot = Arc::new(Slot::new(Batch { first: self.count, items }));
                        self.count += len;
                        queue.0.push_back(Arc::clone(&slot));
                        scope.spawn(move |_| _ = slot.run(encode));
                    }
                    continue;
                }
                // Rather than wait, this thread encodes the oldest batch that nobody has begun.
                if !queue.is_ready() && queue.0.iter().any(|slot| slot.run(encode)) {
                    continue;
                }
                let Some(slot) = queue.0.pop_front() else { return Ok(self.written) };
                match slot.finish() {
                    Some(Ok(encoded)) => {
                        batch = self.batch(encoded.rope.len() as u64, encoded.items);
                        self.write(encoded)?;
                    }
                    Some(Err(payload)) => {
                        drop(queue);
                        panic::resume_unwind(payload);
                    }
                    None => return Err(Error::data("a batch was encoded twice")),
                }
            }
        })
    }

    fn write(&mut self, encoded: Encoded) -> Result<()> {
        let chunks: Vec<&[u8]> = encoded.rope.chunks().iter().map(|chunk| &chunk[..]).collect();
        if !chunks.is_empty() {
            let produced = self.written + encoded.rope.len() as u64;
            self.writer.drain(&chunks).map_err(|error| Error::io(error).conclude(None, produced))?;
        }
        if let Some(error) = encoded.error {
            return Err(error.after(0, self.written));
        }
        self.written += encoded.rope.len() as u64;
        Ok(())
    }
}

/// The batches that are under way. What has not begun when it is dropped never will.
struct Queue<T, R>(VecDeque<Arc<Slot<T, R>>>);

impl<T, R> Queue<T, R> {
    /// Whether the oldest batch is encoded.
    fn is_ready(&self) -> bool {
        self.0.front().is_some_and(|slot| slot.is_done())
    }
}

impl<T, R> Drop for Queue<T, R> {
    fn drop(&mut self) {
        self.0.iter().for_each(|slot| slot.cancel());
    }
}

fn encode<T: Serialize>(frame: Frame, options: &Options, batch: Batch<T>) -> Encoded {
    let Batch { first, items } = batch;
    let len = items.len() as u64;
    let mut records = Records::new(frame, options, Infallible(items.into_iter())).counting_from(first);
    let mut rope = Rope::new();
    let error = match records.setup(options) {
        Err(error) => Some(error),
        Ok(setup) => {
            let mut document = Document::new(options, setup);
            loop {
                let progress = document.step(&mut records);
                while let Some(chunk) = document.pop() {
                    rope.push(chunk);
                }
                match progress {
                    Ok(Progress::More) => {}
                    Ok(Progress::Complete) => break None,
                    Err(error) => break Some(error),
                }
            }
        }
    };
    Encoded { rope, error, items: len }
}
