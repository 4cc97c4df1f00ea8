//! What a body or a stream is made from: chunks that come at once, or later.

use std::task::{Context, Poll};

use bytes::Bytes;

use super::Chunks;
use crate::error::{Error, Result};
use crate::source::Source;

/// Chunks that are asked for one by one, and may not be there yet: what a [`ChunksBody`](crate::ChunksBody) gives out.
///
/// It can be named in a bound. Nothing outside of this crate implements it.
pub trait PollChunk {
    /// The next chunk. An error is the last item.
    #[doc(hidden)]
    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes>>>;

    /// Whether it is known that nothing comes any more.
    #[doc(hidden)]
    fn is_finished(&self) -> bool;

    /// The first chunk, if it can be had without waiting.
    #[doc(hidden)]
    fn first_chunk(&mut self) -> Option<Result<Bytes>> {
        None
    }

    /// The error that comes after the chunks that are ready, if there is one already. It then comes no more.
    #[doc(hidden)]
    fn take_error(&mut self) -> Option<Error> {
        None
    }
}

impl<S: Source> PollChunk for Chunks<S> {
    fn poll_chunk(&mut self, _: &mut Context<'_>) -> Poll<Option<Result<Bytes>>> {
        Poll::Ready(self.next())
    }

    fn is_finished(&self) -> bool {
        self.is_finished()
    }

    fn first_chunk(&mut self) -> Option<Result<Bytes>> {
        self.next()
    }

    fn take_error(&mut self) -> Option<Error> {
        self.take_error()
    }
}
