//! Any value as a stream: it is encoded on a thread of tokio's blocking pool, and its chunks come through a channel.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;
use serde::Serialize;
use tokio::sync::{Semaphore, mpsc};
use tokio::task;

use super::PollChunk;
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::out::{Drain, char_boundary_before_end};
use crate::run;
use crate::source::Value;

/// How many values are encoded at the same time with [`Encoder::blocking`]. tokio has 512 threads for this and for files;
/// once they all wait for slow readers, nothing would go on.
const DEFAULT_PERMITS: usize = 128;

static DEFAULT_SEMAPHORE: Semaphore = Semaphore::const_new(DEFAULT_PERMITS);

/// The chunks of a value that is encoded on another thread. Made by [`Encoder::blocking`] and
/// [`blocking_with`](Encoder::blocking_with). It is a [`Stream`], and with feature `http-body` becomes a body with
/// [`into_body`](Self::into_body).
///
/// Nothing happens before it is polled. When it is dropped, the encoding ends at its next chunk, with an error that nobody
/// sees.
///
/// # Panics
/// If it is polled outside of a tokio runtime.
#[must_use = "nothing is encoded until the stream is polled"]
pub struct BlockingStream {
    /// Waits for a permit and starts the encoding, until that is done.
    start: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    parts: mpsc::Receiver<Part>,
    is_finished: bool,
}

/// What comes through the channel.
enum Part {
    /// A chunk, after which there is more.
    Chunk(Bytes),
    /// The last chunk. Its absence tells that the encoding did not come to its end.
    Last(Bytes),
    Failed(Error),
}

impl Encoder {
    /// With feature `tokio`: encodes any value on a thread of the runtime's blocking pool, as a stream of chunks.
    ///
    /// For a large value in async code that is neither a tree nor an iterator, or whose `Serialize` blocks: the runtime's
    /// own threads stay free, and memory is bounded by about five batches of twice
    /// [`max_chunk`](crate::EncoderBuilder::max_chunk), 640 KiB. It costs a third more than [`write`](Encoder::write), and
    /// some 10 µs for a document of any length. So use [`encode`](Encoder::encode) for what is short enough to be kept
    /// in memory.
    ///
    /// At most 128 values are encoded at once in this way; the others wait for their turn. Since a stream that nobody
    /// reads keeps its turn, a server should drop those that make no progress. For another number see
    /// [`blocking_with`](Encoder::blocking_with).
    ///
    /// ```
    /// use futures_util::TryStreamExt;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let stream = json_rope::Encoder::new().blocking(vec![1, 2, 3]);
    /// let chunks: Vec<bytes::Bytes> = stream.try_collect().await?;
    /// assert_eq!(chunks, ["[1,2,3]"]);
    /// # Ok::<(), json_rope::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As [`encode`](Encoder::encode), as the last item; a data error if the value's `Serialize` panics.
    pub fn blocking<T: Serialize + Send + 'static>(&self, value: T) -> BlockingStream {
        self.start_with(DEFAULT_SEMAPHORE.acquire(), value)
    }

    /// Like [`blocking`](Encoder::blocking), with a permit of `semaphore` instead of one of the 128. The permit is given
    /// back when the encoding ends.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tokio::sync::Semaphore;
    ///
    /// let reports = Arc::new(Semaphore::new(4));
    /// let stream = json_rope::Encoder::new().blocking_with(&reports, "the first of at most four");
    /// ```
    ///
    /// # Errors
    /// As `blocking`; or a data error if the semaphore has been closed.
    pub fn blocking_with<T>(&self, semaphore: &Arc<Semaphore>, value: T) -> BlockingStream
    where
        T: Serialize + Send + 'static,
    {
        self.start_with(semaphore.clone().acquire_owned(), value)
    }

    fn start_with<P, E, T>(
        &self,
        permit: impl Future<Output = std::result::Result<P, E>> + Send + 'static,
        value: T,
    ) -> BlockingStream
    where
        P: Send + 'static,
        T: Serialize + Send + 'static,
    {
        let encoder = self.clone();
        // One chunk in the channel, so that both sides are busy.
        let (sender, parts) = mpsc::channel(1);
        let start = Box::pin(async move {
            if let Ok(permit) = permit.await {
                task::spawn_blocking(move || {
                    encode(&encoder, &value, sender);
                    // The value is freed first: that may take long.
                    drop((value, permit));
                });
            }
        });
        BlockingStream { start: Some(start), parts, is_finished: false }
    }
}

fn encode<T: Serialize>(encoder: &Encoder, value: &T, sender: mpsc::Sender<Part>) {
    let options = encoder.options();
    let mut drain = ChannelDrain { sender, last: Bytes::new(), max_len: 2 * options.max_chunk };
    let encoded = run::to_drain(options, &mut drain, Value(value));
    // If nobody receives any more, there is nothing to be told.
    _ = match encoded {
        Ok(_) => drain.sender.blocking_send(Part::Last(drain.last)),
        Err(error) => drain.send_last().and_then(|()| drain.sender.blocking_send(Part::Failed(error))),
    };
}

/// Sends chunks through the channel, one later than they come, so that the last one can be marked.
struct ChannelDrain {
    sender: mpsc::Sender<Part>,
    last: Bytes,
    max_len: usize,
}

impl ChannelDrain {
    fn send_last(&mut self) -> std::result::Result<(), mpsc::error::SendError<Part>> {
        match std::mem::take(&mut self.last) {
            last if last.is_empty() => Ok(()),
            last => self.sender.blocking_send(Part::Chunk(last)),
        }
    }
}

impl Drain for ChannelDrain {
    fn drain(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        for mut rest in parts.iter().copied() {
            // A long string comes in one part.
            while !rest.is_empty() {
                let front = &rest[..rest.len().min(self.max_len)];
                let len = if front.len() < rest.len() { char_boundary_before_end(front) } else { front.len() };
                if self.send_last().is_err() {
                    return Err(io::Error::new(io::ErrorKind::BrokenPipe, "the stream was dropped"));
                }
                self.last = Bytes::copy_from_slice(&rest[..len]);
                rest = &rest[len..];
            }
        }
        Ok(())
    }
}

impl PollChunk for BlockingStream {
    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes>>> {
        if self.is_finished {
            return Poll::Ready(None);
        }
        if let Some(start) = &mut self.start {
            ready!(start.as_mut().poll(cx));
            self.start = None;
        }
        let part = ready!(self.parts.poll_recv(cx));
        self.is_finished = !matches!(part, Some(Part::Chunk(_)));
        Poll::Ready(match part {
            Some(Part::Chunk(chunk) | Part::Last(chunk)) => Some(Ok(chunk)),
            Some(Part::Failed(error)) => Some(Err(error)),
            None => Some(Err(Error::data(
                "the encoding was broken off: a Serialize implementation panicked, or the runtime was shut down",
            )
            .conclude(None, 0))),
        })
    }

    fn is_finished(&self) -> bool {
        self.is_finished
    }
}

impl Stream for BlockingStream {
    type Item = Result<Bytes>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes>>> {
        self.get_mut().poll_chunk(cx)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        if self.is_finished { (0, Some(0)) } else { (0, None) }
    }
}

impl BlockingStream {
    /// With feature `http-body`: the rest as the body of an HTTP message. Nothing is encoded before the connection asks.
    #[cfg(feature = "http-body")]
    pub fn into_body(self) -> super::ChunksBody<BlockingStream> {
        super::ChunksBody::new(self)
    }
}

impl fmt::Debug for BlockingStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockingStream").finish_non_exhaustive()
    }
}
