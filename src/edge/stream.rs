//! Chunks as a `futures_core::Stream`.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;

use super::Chunks;
use crate::error::Result;
use crate::source::Source;

/// A document that is encoded on demand, as a stream of its chunks. Made by [`Chunks::into_stream`].
///
/// It is always ready, and each poll encodes one chunk, which takes some tens of microseconds. A consumer that takes all
/// chunks without ever waiting for something else keeps its thread busy for the whole document.
///
/// ```
/// use futures_util::TryStreamExt;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let stream = json_rope::Encoder::new().array(0..4).into_stream();
/// let chunks: Vec<bytes::Bytes> = stream.try_collect().await?;
/// assert_eq!(chunks, ["[0,1,2,3]"]);
/// # Ok::<(), json_rope::Error>(()) }).unwrap();
/// ```
#[must_use = "nothing is encoded until chunks are asked for"]
pub struct ChunksStream<S> {
    chunks: Chunks<S>,
}

/// A stream does not pin what is encoded: sources are iterators and trees.
impl<S> Unpin for ChunksStream<S> {}

impl<S: Source> Chunks<S> {
    /// With feature `stream`: the rest as a [`Stream`], for consumers that do not take an iterator.
    pub fn into_stream(self) -> ChunksStream<S> {
        ChunksStream { chunks: self }
    }
}

impl<S: Source> Stream for ChunksStream<S> {
    type Item = Result<Bytes>;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes>>> {
        Poll::Ready(self.get_mut().chunks.next())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        if self.chunks.is_finished() { (0, Some(0)) } else { (0, None) }
    }
}

impl<S> fmt::Debug for ChunksStream<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunksStream").finish_non_exhaustive()
    }
}
