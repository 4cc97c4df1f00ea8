//! Encoding on demand: nothing happens until the consumer asks for the next chunk, and then only until it is finished.
//!
//! [`Pull`] is what all of them share: it keeps the document between steps, hands chunks out one by one, and makes
//! sure that an error comes once and last. What is encoded comes from a [`Source`]: a tree here, elements and records
//! in `pull/array.rs` and `pull/records.rs`.

mod array;
mod items;
mod records;

use std::fmt::{self, Debug};
use std::io::{self, Read};
use std::iter::FusedIterator;
use std::mem;

use bytes::{Buf, Bytes};

use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::fmt::{Formatter, Parked};
use crate::options::LineBreaks;
use crate::source::tree::{Tree, Walker};

pub use array::{ArrayChunks, TryArrayChunks};
pub use records::{RecordChunks, TryRecordChunks};

/// What is encoded, a step at a time.
trait Source {
    /// Writes until there is a chunk, and says whether the document is complete.
    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<bool>;
}

/// A document that is encoded on demand.
struct Pull<S> {
    encoder: Encoder,
    /// Until the document is complete or has failed.
    source: Option<S>,
    /// Until all chunks are taken. Not there during a step: if it is missing while there is a source, a step panicked.
    parked: Option<Parked>,
    /// What comes behind the last chunk.
    error: Option<Error>,
    /// What a reader has left of a chunk.
    rest: Bytes,
}

impl<S> Pull<S> {
    fn new(encoder: Encoder, source: S, parked: Parked) -> Pull<S> {
        Pull { encoder, source: Some(source), parked: Some(parked), error: None, rest: Bytes::new() }
    }

    /// Nothing but an error.
    fn failed(encoder: Encoder, error: Error) -> Pull<S> {
        Pull { encoder, source: None, parked: None, error: Some(error), rest: Bytes::new() }
    }

    fn next(&mut self) -> Option<Result<Bytes>>
    where
        S: Source,
    {
        if !self.rest.is_empty() {
            return Some(Ok(mem::take(&mut self.rest)));
        }
        loop {
            if let Some(chunk) = self.parked.as_mut().and_then(|parked| parked.out.pop()) {
                return Some(Ok(chunk));
            }
            let Some(source) = &mut self.source else {
                self.parked = None;
                return self.error.take().map(Err);
            };
            let Some(parked) = self.parked.take() else {
                self.source = None;
                return Some(Err(Error::data("an earlier step panicked, so the document is incomplete")));
            };
            let (parked, outcome) = if self.encoder.options().is_plain() {
                step::<S, true>(&self.encoder, source, parked)
            } else {
                step::<S, false>(&self.encoder, source, parked)
            };
            self.parked = Some(parked);
            match outcome {
                Ok(false) => {}
                Ok(true) => self.source = None,
                Err(error) => {
                    self.error = Some(error);
                    self.source = None;
                }
            }
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize>
    where
        S: Source,
    {
        if buffer.is_empty() {
            return Ok(0);
        }
        if self.rest.is_empty() {
            match self.next() {
                Some(chunk) => self.rest = chunk?,
                None => return Ok(0),
            }
        }
        let len = buffer.len().min(self.rest.len());
        buffer[..len].copy_from_slice(&self.rest[..len]);
        self.rest.advance(len);
        if self.rest.is_empty() {
            // Frees the chunk now, and not at the next call.
            self.rest = Bytes::new();
        }
        Ok(len)
    }
}

fn step<S: Source, const PLAIN: bool>(encoder: &Encoder, source: &mut S, parked: Parked) -> (Parked, Result<bool>) {
    let mut formatter = Formatter::<PLAIN>::resume(parked, encoder.options());
    let mut outcome = source.step(&mut formatter);
    if let Ok(true) = outcome {
        outcome = formatter.out.finish_on_demand().map(|()| true);
    }
    if let Err(error) = outcome {
        outcome = Err(formatter.out.conclude(error, 0));
        formatter.abandon();
    }
    (formatter.park(), outcome)
}

/// `Iterator`, `FusedIterator`, `Read` and `Debug` of a type with a field `pull`.
macro_rules! pull_traits {
    (<$($parameter:ident),*> $name:ident<$own:ident> where $($bounds:tt)*) => {
        impl<$($parameter),*> Iterator for $name<$own> where $($bounds)* {
            type Item = Result<Bytes>;

            fn next(&mut self) -> Option<Result<Bytes>> {
                self.pull.next()
            }
        }

        impl<$($parameter),*> FusedIterator for $name<$own> where $($bounds)* {}

        /// A read fails only if the encoding does, with the error as an I/O error, as `From<Error>` says. That comes
        /// once; then the reader is at its end. After a read into the middle of a chunk the iterator goes on with the
        /// rest of it, which may begin within a character.
        impl<$($parameter),*> Read for $name<$own> where $($bounds)* {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.pull.read(buffer)
            }
        }

        impl<$($parameter),*> Debug for $name<$own> where $($bounds)* {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}
use pull_traits;

/// A tree that is encoded on demand. Made by [`Encoder::chunks`].
///
/// Both an iterator and an [`io::Read`], as all types of this kind: where `Read` is imported, methods that both have,
/// such as `take`, need to be told apart (`Iterator::take(chunks, 3)`).
///
/// ```
/// use json_rope::{Chunks, Encoder};
/// use serde_json::{Value, json};
///
/// /// A response whose body is still to be encoded.
/// struct Response {
///     body: Chunks<Value>,
/// }
/// let mut response = Response { body: Encoder::new().chunks(json!([1])) };
/// assert_eq!(response.body.next().unwrap()?, "[1]");
/// # Ok::<(), json_rope::Error>(())
/// ```
#[must_use = "nothing is encoded until chunks are asked for"]
pub struct Chunks<V: Tree> {
    pull: Pull<TreeSource<V>>,
}

pull_traits!(<V> Chunks<V> where V: Tree);

struct TreeSource<V: Tree> {
    walker: Walker<V>,
    piece: usize,
}

impl<V: Tree> Source for TreeSource<V> {
    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<bool> {
        self.walker.step(formatter, self.piece)
    }
}

/// The longest output that one byte of a string can have.
const LONGEST_ESCAPE: usize = 6;

impl Encoder {
    /// Encodes a tree on demand: an iterator over chunks, and an [`io::Read`].
    ///
    /// The tree is a `&serde_json::Value`, or an owned `serde_json::Value`, of which each part is freed when it has
    /// been encoded; the iterator is then `Send + 'static`. The bytes are those of [`encode`](Encoder::encode)
    /// under every option.
    ///
    /// * Each item is one chunk of valid UTF-8, at most [`max_chunk`](crate::EncoderBuilder::max_chunk) bytes long, and
    ///   no longer than a buffer of a [`pool`](crate::EncoderBuilder::pool) if there is one. The first ones grow as the
    ///   chunks of a rope do; from then on all but the last have at least half of `max_chunk`.
    /// * Each step encodes about one chunk, wherever that ends, also inside a long string. (With
    ///   [`sort_keys`](crate::EncoderBuilder::sort_keys) no member can leave before its object is complete.)
    /// * Heap memory: the chunk being filled, the one being taken, and the list of open containers, if there are more
    ///   than 16. Nothing recurses, neither encoding nor freeing the tree, so any depth is fine.
    /// * [`max_len`](crate::EncoderBuilder::max_len) is for the whole output.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::new();
    /// for chunk in encoder.chunks(serde_json::json!({"a": [1, 2]})) {
    ///     assert_eq!(chunk?, r#"{"a":[1,2]}"#);
    /// }
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// A limit error if the tree is nested deeper than a `max_depth` that was set, or its text is longer than
    /// `max_len`. The chunks before it hold exactly the beginning of the document, and no bracket is closed; the
    /// error is the last item.
    pub fn chunks<V: Tree>(&self, tree: V) -> Chunks<V> {
        let piece = (self.options().max_chunk / LONGEST_ESCAPE).max(char::MAX.len_utf8());
        let source = TreeSource { walker: Walker::new(tree), piece };
        let options = self.options();
        let parked = Parked::new(options, options.max_depth_walking(), options.max_len, LineBreaks::Kept);
        Chunks { pull: Pull::new(self.clone(), source, parked) }
    }
}
