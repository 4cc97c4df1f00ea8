//! Chunks as an iterator: nothing is encoded until the consumer asks for the next one, and then only until it is
//! finished.

use std::fmt;
use std::io;
use std::iter::FusedIterator;
use std::task::Poll;

use bytes::Bytes;

use super::ChunksReader;
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::out::Drain;
use crate::run::{self, Document};
use crate::sink::WriterDrain;
use crate::source::{Progress, Source};

/// A document, or a stream of records, that is encoded on demand: an iterator over its chunks.
///
/// Made by [`Encoder::chunks`], [`array`](Encoder::array), [`try_array`](Encoder::try_array),
/// [`records`](Encoder::records) and [`try_records`](Encoder::try_records), which describe what comes out; `S` says what
/// is encoded. It is `Send` and `'static` if that is.
///
/// * Each item is one chunk of valid UTF-8, at most [`max_chunk`](crate::EncoderBuilder::max_chunk) bytes long, and no
///   longer than a buffer of a [`pool`](crate::EncoderBuilder::pool) if there is one. The first ones grow as the chunks of
///   a rope do.
/// * An error is the last item. The chunks before it hold exactly the beginning of the document, and no bracket is
///   closed; of a stream of records they hold whole records.
/// * [`write_to`](Self::write_to) writes everything to an [`io::Write`], [`into_reader`](Self::into_reader) makes an
///   [`io::Read`].
///
/// ```
/// let encoder = json_rope::Encoder::new();
/// for chunk in encoder.chunks(serde_json::json!({"a": [1, 2]})) {
///     assert_eq!(chunk?, r#"{"a":[1,2]}"#);
/// }
/// # Ok::<(), json_rope::Error>(())
/// ```
#[must_use = "nothing is encoded until chunks are asked for"]
pub struct Chunks<S> {
    encoder: Encoder,
    /// Until the document is complete or has failed.
    source: Option<S>,
    /// From the first step on, until all chunks are taken.
    document: Option<Document>,
    /// What comes after the last chunk.
    error: Option<Error>,
}

impl<S: Source> Chunks<S> {
    pub(crate) fn new(encoder: Encoder, source: S) -> Chunks<S> {
        Chunks { encoder, source: Some(source), document: None, error: None }
    }

    /// Writes everything that is left to `writer`, and returns the number of bytes. A document of which no chunk was
    /// taken yet streams as with [`Encoder::write`]: in batches that grow to twice `max_chunk`, from one buffer.
    ///
    /// ```
    /// let rows = (0..3).map(|n| (n, n * n));
    /// let mut out = Vec::new();
    /// let len = json_rope::Encoder::new().array(rows).write_to(&mut out)?;
    /// assert_eq!(out, b"[[0,0],[1,1],[2,4]]");
    /// assert_eq!(len, 19);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Encoder::write`]. The writer has then received an exact prefix: of [`records`](Encoder::records) the whole ones
    /// before the failure, unless one is longer than `max_chunk`, or the writer itself failed.
    pub fn write_to(mut self, mut writer: impl io::Write) -> Result<u64> {
        let mut drain = WriterDrain::new(&mut writer);
        if self.document.is_none() {
            if let Some(source) = self.source.take() {
                return run::to_drain(self.encoder.options(), &mut drain, source);
            }
        }
        let mut written = 0;
        while let Some(chunk) = self.next() {
            let chunk = chunk?;
            drain.drain(&[&chunk]).map_err(|error| Error::io(error).conclude(None, self.produced()))?;
            written += chunk.len() as u64;
        }
        Ok(written)
    }

    /// The rest as an [`io::Read`] and [`io::BufRead`].
    ///
    /// ```
    /// use std::io::BufRead;
    ///
    /// let lines = json_rope::Encoder::new().records(json_rope::Frame::NdJson, ["a", "b"]).into_reader().lines();
    /// assert_eq!(lines.collect::<Result<Vec<_>, _>>()?, ["\"a\"", "\"b\""]);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn into_reader(self) -> ChunksReader<S> {
        ChunksReader::new(self)
    }

    /// Whether it is known that nothing comes any more.
    #[cfg(any(feature = "http-body", feature = "stream"))]
    pub(super) fn is_finished(&self) -> bool {
        self.source.is_none() && self.error.is_none() && self.document.as_ref().is_none_or(Document::is_empty)
    }

    /// The error that comes after the chunks that are ready, if the document has failed already. It then comes no more.
    #[cfg(any(feature = "http-body", feature = "stream"))]
    pub(super) fn take_error(&mut self) -> Option<Error> {
        self.error.take()
    }

    /// What is encoded, unless it is complete or has failed.
    #[cfg(feature = "stream")]
    pub(super) fn source_mut(&mut self) -> Option<&mut S> {
        self.source.as_mut()
    }

    /// Bytes that are encoded, and not yet taken.
    #[cfg(feature = "stream")]
    pub(super) fn begun(&mut self) -> usize {
        self.document.as_ref().map_or(0, Document::pending)
    }

    /// Makes chunks of what is begun: of whole items.
    #[cfg(feature = "stream")]
    pub(super) fn flush(&mut self) {
        if let Some(document) = &mut self.document {
            document.flush();
        }
    }

    /// The next item, if it is ready: a chunk, the error, or `None` at the end. If it is pending, a [step](Self::step) is
    /// needed.
    pub(super) fn take_ready(&mut self) -> Poll<Option<Result<Bytes>>> {
        if let Some(chunk) = self.document.as_mut().and_then(Document::pop) {
            return Poll::Ready(Some(Ok(chunk)));
        }
        if self.source.is_some() {
            return Poll::Pending;
        }
        self.document = None;
        Poll::Ready(self.error.take().map(Err))
    }

    /// Bytes of the whole document that are encoded, taken or not.
    fn produced(&self) -> u64 {
        self.document.as_ref().map_or(0, Document::produced)
    }

    /// Encodes until a chunk is finished, or to the end.
    pub(super) fn step(&mut self) {
        match self.try_step() {
            Ok(Progress::More) => {}
            Ok(Progress::Complete) => self.source = None,
            Err(error) => {
                self.error = Some(error);
                self.source = None;
            }
        }
    }

    fn try_step(&mut self) -> Result<Progress> {
        let Some(source) = &mut self.source else { return Ok(Progress::Complete) };
        let document = match &mut self.document {
            Some(document) => document,
            None => {
                let options = self.encoder.options();
                let setup = source.setup(options)?;
                self.document.insert(Document::new(options, setup))
            }
        };
        document.step(source)
    }
}

impl<S: Source> Iterator for Chunks<S> {
    type Item = Result<Bytes>;

    fn next(&mut self) -> Option<Result<Bytes>> {
        loop {
            if let Poll::Ready(item) = self.take_ready() {
                return item;
            }
            self.step();
        }
    }
}

impl<S: Source> FusedIterator for Chunks<S> {}

impl<S> fmt::Debug for Chunks<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunks").finish_non_exhaustive()
    }
}
