//! Ropes and chunks as the bodies of HTTP messages: frames of data that are never empty.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::Chunks;
use super::poll::PollChunk;
use crate::error::{Error, Result};
use crate::rope::Rope;
use crate::source::Source;

type FrameResult<E> = std::result::Result<Frame<Bytes>, E>;

/// With feature `http-body`: a rope is a body of known length. Each chunk is a frame, which is not copied.
///
/// A server sends a `Content-Length`, and a rope that was given out can be sent again by a clone of it, which shares its
/// chunks.
///
/// ```
/// use http_body::Body;
///
/// let rope = json_rope::to_rope(&[1, 2])?;
/// assert_eq!(rope.size_hint().exact(), Some(5));
/// # Ok::<(), json_rope::Error>(())
/// ```
impl Body for Rope {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<FrameResult<Infallible>>> {
        let rope = self.get_mut();
        Poll::Ready((!rope.is_empty()).then(|| Ok(Frame::data(rope.pop_front()))))
    }

    fn is_end_stream(&self) -> bool {
        self.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.len() as u64)
    }
}

/// The body of an HTTP message that is encoded while it is sent: nothing is encoded before the connection asks for it,
/// but the first chunk. Made by [`Chunks::into_body`] and by the streams of items.
///
/// * Each chunk is a frame; none is empty. A server sends them with chunked transfer coding, or as HTTP/2 data.
/// * The body is one chunk ahead of the connection, so that the end is known with the last frame. A document that fits
///   [`first_chunk`](crate::EncoderBuilder::first_chunk) has its exact length in the size hint, and so a
///   `Content-Length`.
/// * It gives way once, after the first frame if another one is known, so that the first bytes leave before the second
///   part of the document is encoded. (A server that is never told to wait collects some hundreds of kilobytes first.)
/// * An error of the encoding is the last item. The server then breaks off: the client sees that the response is
///   incomplete, because the end of the chunked coding is missing, or the stream is reset.
///
/// **Turn on `TCP_NODELAY`** where you accept connections. Without it the kernel holds back the small last packet of a
/// response until the client has acknowledged the one before, which can take 40 ms. In axum that is
/// `listener.tap_io(|tcp| _ = tcp.set_nodelay(true))`, with `axum::serve::ListenerExt`.
///
/// To answer an error with a status of its own, the feature `axum` has [`JsonChunks`](crate::axum::JsonChunks).
#[must_use = "nothing is sent until the body is part of a message"]
pub struct ChunksBody<C> {
    chunks: C,
    /// The chunk that was encoded ahead.
    next: Option<Result<Bytes>>,
    /// Whether no frame was taken yet.
    is_new: bool,
    /// Whether the next poll only gives way.
    gives_way: bool,
}

impl<C: PollChunk> ChunksBody<C> {
    pub(super) fn new(mut chunks: C) -> ChunksBody<C> {
        let next = chunks.first_chunk();
        ChunksBody { chunks, next, is_new: true, gives_way: false }
    }

    /// The error that comes after the first chunk, or instead of it, if the document has failed already.
    #[cfg(feature = "axum")]
    pub(super) fn take_failure(&mut self) -> Option<Error> {
        match self.next.take() {
            Some(Err(error)) => Some(error),
            first => {
                self.next = first;
                self.chunks.take_error()
            }
        }
    }
}

/// A body does not pin what is encoded: sources are iterators and trees.
impl<C> Unpin for ChunksBody<C> {}

impl<S: Source> Chunks<S> {
    /// With feature `http-body`: the rest as the body of an HTTP message. Encodes the first chunk at once; the connection
    /// asks for the others.
    ///
    /// A server calls it from its own task, so an iterator that waits for a disk or a database holds up other
    /// connections. For one that does, use [`Encoder::blocking`](crate::Encoder::blocking).
    ///
    /// ```
    /// use http_body::Body;
    ///
    /// let body = json_rope::Encoder::new().array(0..4).into_body();
    /// assert_eq!(body.size_hint().exact(), Some(9));
    ///
    /// // A longer document is encoded while it is sent.
    /// let body = json_rope::Encoder::new().array(0..4_000_000).into_body();
    /// assert_eq!(body.size_hint().exact(), None);
    /// ```
    pub fn into_body(self) -> ChunksBody<Chunks<S>> {
        ChunksBody::new(self)
    }
}

impl<C: PollChunk> Body for ChunksBody<C> {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<FrameResult<Error>>> {
        let body = self.get_mut();
        if body.gives_way {
            body.gives_way = false;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let item = match body.next.take() {
            Some(item) => Some(item),
            None => ready!(body.chunks.poll_chunk(cx)),
        };
        let Some(chunk) = item.transpose()? else { return Poll::Ready(None) };
        // Encoded ahead, so that the end is known. If this panics, the document is not finished and never will be.
        if !body.chunks.is_finished() {
            if let Poll::Ready(next) = body.chunks.poll_chunk(cx) {
                body.next = next;
            }
        }
        body.gives_way = body.is_new && matches!(body.next, Some(Ok(_)));
        body.is_new = false;
        Poll::Ready(Some(Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.next.is_none() && self.chunks.is_finished()
    }

    fn size_hint(&self) -> SizeHint {
        match &self.next {
            None if self.chunks.is_finished() => SizeHint::with_exact(0),
            None | Some(Err(_)) => SizeHint::default(),
            Some(Ok(chunk)) if self.chunks.is_finished() => SizeHint::with_exact(chunk.len() as u64),
            Some(Ok(chunk)) => {
                let mut hint = SizeHint::new();
                hint.set_lower(chunk.len() as u64);
                hint
            }
        }
    }
}

impl<C> fmt::Debug for ChunksBody<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunksBody").finish_non_exhaustive()
    }
}
