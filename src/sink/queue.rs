//! [`VectoredSink`]: a queue of chunks that outlives `WouldBlock`.

use std::fmt;
use std::io::{self, Write};

use bytes::{Buf, Bytes, BytesMut};

use super::vectored::VectoredLoop;
use crate::rope::Rope;

/// A pushed chunk shorter than this is copied after its neighbour; a longer one is shared.
const MIN_SHARED_LEN: usize = 2 * 1024;

/// Copied chunks are merged up to this length.
const MAX_MERGED_LEN: usize = 16 * 1024;

/// A queue of chunks for a writer that may not take all bytes at once, such as a non-blocking socket.
///
/// [`push`](Self::push) ropes, then [`flush`](Self::flush). On `WouldBlock`, or any other error, everything unsent
/// stays in the queue, and the next `flush` carries on exactly there. Chunks are dropped as they are sent, so memory
/// falls while a slow reader drains. Nothing is written when the sink is dropped.
///
/// Chunks of less than 2 KiB that are pushed one after another are copied together, up to 16 KiB, so that many small
/// documents do not make many small slices.
///
/// # What is left to the caller
/// * **A bound.** The queue takes whatever is pushed. With slow readers, look at [`pending`](Self::pending) and push
///   only while it is below a limit of your own; with [`Encoder::chunks`](crate::Encoder::chunks), `array` or `records`
///   the rest of a document need not be encoded until then.
/// * **Fairness.** `flush` writes until the queue is empty or the writer returns `WouldBlock`. Edge-triggered polling
///   needs that, since it reports a socket as writable only after a write that blocked. A reader as fast as this
///   encoder can therefore keep one `flush` busy until the whole queue is sent: a smaller `pending` is a shorter turn.
///
/// ```
/// use json_rope::{VectoredSink, to_rope};
///
/// let mut sink = VectoredSink::new(Vec::new());
/// sink.push(to_rope(&[1, 2])?);
/// sink.push(to_rope("x")?);
/// assert_eq!(sink.pending(), 8);
/// sink.flush()?;
/// assert_eq!(sink.get_ref(), b"[1,2]\"x\"");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "what was pushed is only sent by `flush`"]
pub struct VectoredSink<W> {
    writer: W,
    queue: Rope,
    /// The small chunks that were pushed last, copied together. They come after the queue, and more may be added.
    open: BytesMut,
    vectored: VectoredLoop,
}

impl<W> VectoredSink<W> {
    /// A sink with nothing in its queue. Allocates nothing.
    ///
    /// ```
    /// let sink = json_rope::VectoredSink::new(std::io::sink());
    /// assert_eq!(sink.pending(), 0);
    /// ```
    pub fn new(writer: W) -> VectoredSink<W> {
        VectoredSink { writer, queue: Rope::new(), open: BytesMut::new(), vectored: VectoredLoop::new() }
    }

    /// Adds a rope at the end of the queue. Copies only chunks of less than 2 KiB. Writes nothing.
    ///
    /// ```
    /// let mut sink = json_rope::VectoredSink::new(std::io::sink());
    /// sink.push(json_rope::to_rope("a")?);
    /// assert_eq!(sink.pending(), 3);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn push(&mut self, rope: Rope) {
        for chunk in rope {
            if chunk.len() >= MIN_SHARED_LEN {
                self.close_open();
                self.queue.push(chunk);
            } else {
                self.merge(&chunk);
            }
        }
    }

    /// Bytes that were pushed and not yet taken by the writer. O(1).
    ///
    /// ```
    /// let mut room = [0; 2];
    /// let mut sink = json_rope::VectoredSink::new(&mut room[..]);
    /// sink.push("abc".into());
    /// assert!(sink.flush().is_err()); // there is room for two bytes only
    /// assert_eq!(sink.pending(), 1);
    /// ```
    pub fn pending(&self) -> usize {
        self.queue.len() + self.open.len()
    }

    /// The writer.
    ///
    /// ```
    /// let sink = json_rope::VectoredSink::new(vec![1, 2]);
    /// assert_eq!(sink.get_ref().len(), 2);
    /// ```
    pub fn get_ref(&self) -> &W {
        &self.writer
    }

    /// The writer, to change it. Bytes written to it directly overtake the queue.
    ///
    /// ```
    /// let mut sink = json_rope::VectoredSink::new(vec![1, 2]);
    /// sink.get_mut().clear();
    /// ```
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.writer
    }

    /// Returns the writer and the bytes that it has not taken.
    ///
    /// ```
    /// let mut sink = json_rope::VectoredSink::new(Vec::<u8>::new());
    /// sink.push("abc".into());
    /// let (writer, unsent) = sink.into_parts();
    /// assert!(writer.is_empty());
    /// assert_eq!(unsent, "abc");
    /// ```
    pub fn into_parts(mut self) -> (W, Rope) {
        self.close_open();
        (self.writer, self.queue)
    }

    /// Appends a copy of a small chunk to the open ones, which are closed first if they are full.
    fn merge(&mut self, chunk: &Bytes) {
        if self.open.len() + chunk.len() > MAX_MERGED_LEN {
            self.close_open();
        }
        // `try_reclaim` makes the room of bytes that were sent available again.
        if self.open.capacity() - self.open.len() < chunk.len() && !self.open.try_reclaim(chunk.len()) {
            // Starts small and doubles, so that a sink with one small message stays small.
            let capacity = (2 * (self.open.len() + chunk.len())).min(MAX_MERGED_LEN);
            let mut larger = BytesMut::with_capacity(capacity);
            larger.extend_from_slice(&self.open);
            self.open = larger;
        }
        self.open.extend_from_slice(chunk);
    }

    fn close_open(&mut self) {
        if self.open.is_empty() {
            return;
        }
        // The rest of the capacity serves the next small chunks.
        self.queue.push(self.open.split().freeze());
    }
}

impl<W: Write> VectoredSink<W> {
    /// Writes the queue until it is empty or the writer fails, then flushes the writer. Uses as few calls as
    /// [`Rope::write_to`]. Returns `Ok` only if everything is sent.
    ///
    /// ```
    /// let mut sink = json_rope::VectoredSink::new(Vec::new());
    /// sink.push("[]".into());
    /// sink.flush()?;
    /// assert_eq!(sink.pending(), 0);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first error of the writer other than `Interrupted`. The bytes it did not take stay in the queue. After
    /// `WouldBlock`, call `flush` again when the writer is writable. `WriteZero` if it takes nothing; `InvalidData` if it
    /// claims to have taken more than it was given.
    pub fn flush(&mut self) -> io::Result<()> {
        // The open chunk stays open: small chunks still merge while the writer takes nothing.
        let result = self.vectored.write_all(&mut self.writer, &mut (&mut self.queue).chain(&mut self.open));
        if self.pending() == 0 {
            // An idle connection keeps no buffer.
            self.vectored.shrink();
        }
        result?;
        loop {
            match self.writer.flush() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}

impl<W: fmt::Debug> fmt::Debug for VectoredSink<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VectoredSink").field("writer", &self.writer).field("pending", &self.pending()).finish()
    }
}
