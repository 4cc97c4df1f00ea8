//! Chunks as an `io::Read`.

use std::fmt;
use std::io::{self, BufRead, Read};

use bytes::{Buf, Bytes};

use super::Chunks;
use crate::source::Source;

/// Reads a document while it is encoded on demand. Made by [`Chunks::into_reader`].
///
/// Use it where an [`io::Read`] or [`BufRead`] is asked for: an HTTP client's request body, a compressor, an archive.
/// Nothing is copied by `fill_buf`, which gives out one chunk after the other; `read` copies.
///
/// A read fails only if the encoding does, with the error as `From<Error> for io::Error` makes it. The error comes once;
/// then the reader is at its end.
///
/// ```
/// use std::io::Read;
///
/// let mut text = String::new();
/// json_rope::Encoder::new().array(0..4).into_reader().read_to_string(&mut text)?;
/// assert_eq!(text, "[0,1,2,3]");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct ChunksReader<S> {
    chunks: Chunks<S>,
    /// What is left of the chunk that was begun.
    rest: Bytes,
}

impl<S> ChunksReader<S> {
    pub(super) fn new(chunks: Chunks<S>) -> ChunksReader<S> {
        ChunksReader { chunks, rest: Bytes::new() }
    }
}

impl<S: Source> Read for ChunksReader<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let available = self.fill_buf()?;
        let len = buffer.len().min(available.len());
        buffer[..len].copy_from_slice(&available[..len]);
        self.consume(len);
        Ok(len)
    }
}

impl<S: Source> BufRead for ChunksReader<S> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.rest.is_empty() {
            self.rest = self.chunks.next().transpose()?.unwrap_or_default();
        }
        Ok(&self.rest)
    }

    fn consume(&mut self, amount: usize) {
        self.rest.advance(amount);
        if self.rest.is_empty() {
            // Frees the chunk now, and not at the next call.
            self.rest = Bytes::new();
        }
    }
}

impl<S> fmt::Debug for ChunksReader<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunksReader").finish_non_exhaustive()
    }
}
