//! Async streams of items: the elements of an array, or records, which are encoded as they come.

use std::fmt;
#[cfg(feature = "tokio")]
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
#[cfg(feature = "tokio")]
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use serde::Serialize;
#[cfg(feature = "tokio")]
use tokio::time::Sleep;

use super::{Chunks, PollChunk};
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::fmt::Formatter;
use crate::frame::Frame;
use crate::options::Options;
use crate::setup::Setup;
use crate::source::{self, Fallible, Infallible, Progress, Source, Value};

/// An async stream whose items may be errors. Implemented by [`Infallible`] and [`Fallible`].
pub trait TryPollNext {
    /// What is encoded.
    type Value;

    /// The next value, or the error in its place.
    fn try_poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Self::Value>>>;
}

impl<S: Stream + Unpin> TryPollNext for Infallible<S> {
    type Value = S::Item;

    fn try_poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<S::Item>>> {
        Pin::new(&mut self.0).poll_next(cx).map(|item| item.map(Ok))
    }
}

impl<T, E, S> TryPollNext for Fallible<S>
where
    S: Stream<Item = std::result::Result<T, E>> + Unpin,
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Value = T;

    fn try_poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        Pin::new(&mut self.0).poll_next(cx).map(|item| item.map(|item| item.map_err(|error| Error::from_source(error))))
    }
}

/// An array, or a stream of records, whose items come from an async stream. Made by [`Encoder::array_stream`],
/// [`try_array_stream`](Encoder::try_array_stream), [`record_stream`](Encoder::record_stream) and
/// [`try_record_stream`](Encoder::try_record_stream). It is a [`Stream`] of chunks, and with feature `http-body`
/// becomes a body with [`into_body`](Self::into_body). It is `Send` and `'static` if the items' stream is.
///
/// An item is asked for when there is no finished chunk, and encoded at once. As long as items are there, chunks are those
/// of [`Encoder::array`] or [`Encoder::records`]. When none is there, what has been encoded does not wait for the next
/// one: the source is asked once more, after other tasks have had their turn, and if there still is nothing, all whole
/// elements or records leave as a shorter chunk. (The second question is for runtimes: tokio makes a channel that has
/// items say that it has none, once in 128 times.)
///
/// An error is the last item. Every chunk before it ends between two items, but for those of an item that is longer than
/// a chunk.
#[must_use = "nothing is encoded until chunks are asked for"]
pub struct ItemStream<I> {
    chunks: Chunks<Items<I>>,
    min_chunk: usize,
    #[cfg(feature = "tokio")]
    max_delay: Option<MaxDelay>,
    /// Whether the source had nothing when it was asked last, and is being asked once more.
    asks_again: bool,
}

/// How long a short chunk waits at most, and the timer of the one that waits.
#[cfg(feature = "tokio")]
struct MaxDelay {
    delay: Duration,
    timer: Option<Pin<Box<Sleep>>>,
}

impl<I: TryPollNext<Value: Serialize>> ItemStream<I> {
    fn new(encoder: &Encoder, items: I, layout: Layout) -> ItemStream<I> {
        let source = Items { items, layout, waker: Waker::noop().clone(), is_pending: false };
        ItemStream {
            chunks: Chunks::new(encoder.clone(), source),
            min_chunk: 1,
            #[cfg(feature = "tokio")]
            max_delay: None,
            asks_again: false,
        }
    }

    /// While the source has no item, lets nothing leave before there are `bytes` of it: for many small items that come one
    /// by one, and consumers that do not wait for the single item, such as a file or an upload. A chunk that is full leaves
    /// in any case, and the first ones are shorter than later ones: set
    /// [`first_chunk`](crate::EncoderBuilder::first_chunk) too. The last chunk may be shorter.
    ///
    /// What is encoded waits for as long as the source does, unless feature `tokio` sets a `max_delay`. More than
    /// [`max_chunk`](crate::EncoderBuilder::max_chunk) has no further effect.
    ///
    /// ```
    /// use futures_util::{StreamExt, stream};
    /// use json_rope::{Encoder, Frame};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// // The source has nothing more just now.
    /// let events = stream::iter(["tick", "tock"]).chain(stream::pending());
    /// let mut chunks = Encoder::new().record_stream(Frame::NdJson, events).min_chunk(10);
    /// assert_eq!(chunks.next().await.unwrap()?, "\"tick\"\n\"tock\"\n");
    /// # Ok::<(), json_rope::Error>(()) }).unwrap();
    /// ```
    pub fn min_chunk(mut self, bytes: usize) -> ItemStream<I> {
        self.min_chunk = bytes.max(1);
        self
    }

    /// With feature `tokio`: what waits for [`min_chunk`](Self::min_chunk) leaves after this time all the same, if it has
    /// any whole element or record. The time begins when the source has no item for the first time after the latest chunk.
    /// Without a `min_chunk` nothing ever waits, and this has no effect.
    ///
    /// Has to be polled inside a tokio runtime whose timer is enabled, otherwise tokio panics.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use futures_util::{StreamExt, stream};
    /// use json_rope::{Encoder, Frame};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let events = stream::iter(["tick"]).chain(stream::pending());
    /// let chunks = Encoder::new().record_stream(Frame::NdJson, events);
    /// let mut chunks = chunks.min_chunk(16 * 1024).max_delay(Duration::from_millis(20));
    /// assert_eq!(chunks.next().await.unwrap()?, "\"tick\"\n");
    /// # Ok::<(), json_rope::Error>(()) }).unwrap();
    /// ```
    #[cfg(feature = "tokio")]
    pub fn max_delay(mut self, delay: Duration) -> ItemStream<I> {
        self.max_delay = Some(MaxDelay { delay, timer: None });
        self
    }

    /// Whether the chunk that has been begun has waited long enough. If not, the task is woken when it has.
    fn is_overdue(&mut self, cx: &mut Context<'_>) -> bool {
        #[cfg(feature = "tokio")]
        if let Some(MaxDelay { delay, timer }) = &mut self.max_delay {
            let timer = timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(*delay)));
            return timer.as_mut().poll(cx).is_ready();
        }
        _ = cx;
        false
    }

    /// Ends the wait: a chunk leaves.
    fn stop_timer(&mut self) {
        #[cfg(feature = "tokio")]
        if let Some(max_delay) = &mut self.max_delay {
            max_delay.timer = None;
        }
    }

    /// With feature `http-body`: the rest as the body of an HTTP message. Nothing is asked for before the connection asks.
    #[cfg(feature = "http-body")]
    pub fn into_body(self) -> super::ChunksBody<ItemStream<I>> {
        super::ChunksBody::new(self)
    }
}

impl Encoder {
    /// With feature `stream`: encodes an array on demand from an async stream of its elements. The bytes are those of the
    /// same elements in a `Vec`.
    ///
    /// For rows of a database, or results that arrive one by one: what is there leaves while the next one is awaited.
    /// The stream is pinned on the heap. Otherwise like [`array`](Encoder::array).
    ///
    /// ```
    /// use futures_util::{StreamExt, TryStreamExt, stream};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let rows = stream::iter(0..3).then(async |n| n * n);
    /// let chunks: Vec<bytes::Bytes> = json_rope::Encoder::new().array_stream(rows).try_collect().await?;
    /// assert_eq!(chunks, ["[0,1,4]"]);
    /// # Ok::<(), json_rope::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As [`array`](Encoder::array).
    pub fn array_stream<S>(&self, items: S) -> ItemStream<Infallible<Pin<Box<S>>>>
    where
        S: Stream<Item: Serialize>,
    {
        ItemStream::new(self, Infallible(Box::pin(items)), Layout::ARRAY)
    }

    /// With feature `stream`: encodes an array on demand from an async stream of results. The first `Err` ends the output:
    /// what was encoded before it comes out, then the error, and no closing bracket. Otherwise like
    /// [`array_stream`](Encoder::array_stream).
    ///
    /// ```
    /// use futures_util::{StreamExt, stream};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let rows = stream::iter(["1", "2", "x"].map(str::parse::<i32>));
    /// let mut chunks = json_rope::Encoder::new().try_array_stream(rows);
    /// assert_eq!(chunks.next().await.unwrap()?, "[1,2");
    /// assert_eq!(chunks.next().await.unwrap().unwrap_err().pointer(), Some("/2"));
    /// # Ok::<(), json_rope::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As [`try_array`](Encoder::try_array).
    pub fn try_array_stream<S, T, E>(&self, items: S) -> ItemStream<Fallible<Pin<Box<S>>>>
    where
        S: Stream<Item = std::result::Result<T, E>>,
        T: Serialize,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        ItemStream::new(self, Fallible(Box::pin(items)), Layout::ARRAY)
    }

    /// With feature `stream`: encodes a stream of documents on demand from an async stream, each in its [`Frame`].
    ///
    /// For events, logs and exports. A chunk holds whole records, unless one is longer than a chunk; they leave as soon
    /// as the next one has to be awaited. The stream is pinned on the heap. Otherwise like
    /// [`records`](Encoder::records).
    ///
    /// ```
    /// use futures_util::{StreamExt, stream};
    /// use json_rope::{Encoder, Frame};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let events = stream::iter(["tick", "tock"]);
    /// let mut chunks = Encoder::new().record_stream(Frame::ServerSentEvent, events);
    /// assert_eq!(chunks.next().await.unwrap()?, "data: \"tick\"\n\ndata: \"tock\"\n\n");
    /// # Ok::<(), json_rope::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As [`records`](Encoder::records).
    pub fn record_stream<S>(&self, frame: Frame, items: S) -> ItemStream<Infallible<Pin<Box<S>>>>
    where
        S: Stream<Item: Serialize>,
    {
        ItemStream::new(self, Infallible(Box::pin(items)), Layout::records(frame, self.options()))
    }

    /// With feature `stream`: encodes a stream of documents on demand from an async stream of results. The first `Err` ends
    /// the output: the records before it come out, then the error. Otherwise like
    /// [`record_stream`](Encoder::record_stream).
    ///
    /// # Errors
    /// As [`try_records`](Encoder::try_records).
    pub fn try_record_stream<S, T, E>(&self, frame: Frame, items: S) -> ItemStream<Fallible<Pin<Box<S>>>>
    where
        S: Stream<Item = std::result::Result<T, E>>,
        T: Serialize,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        ItemStream::new(self, Fallible(Box::pin(items)), Layout::records(frame, self.options()))
    }
}

impl<I: TryPollNext<Value: Serialize>> PollChunk for ItemStream<I> {
    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes>>> {
        loop {
            if let Poll::Ready(item) = self.chunks.take_ready() {
                self.asks_again = false;
                self.stop_timer();
                return Poll::Ready(item);
            }
            if let Some(source) = self.chunks.source_mut() {
                source.waker.clone_from(cx.waker());
            }
            self.chunks.step();
            if !self.chunks.source_mut().is_some_and(|source| source.is_pending) {
                continue;
            }
            let begun = self.chunks.begun();
            let is_overdue = 0 < begun && begun < self.min_chunk && self.is_overdue(cx);
            if begun < self.min_chunk && !is_overdue {
                self.asks_again = false;
                return Poll::Pending;
            }
            if !self.asks_again && !is_overdue {
                self.asks_again = true;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            self.asks_again = false;
            self.stop_timer();
            self.chunks.flush();
            return self.chunks.take_ready();
        }
    }

    fn is_finished(&self) -> bool {
        self.chunks.is_finished()
    }
}

impl<I: TryPollNext<Value: Serialize> + Unpin> Stream for ItemStream<I> {
    type Item = Result<Bytes>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes>>> {
        self.get_mut().poll_chunk(cx)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        if self.is_finished() { (0, Some(0)) } else { (0, None) }
    }
}

impl<I> fmt::Debug for ItemStream<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ItemStream").finish_non_exhaustive()
    }
}

/// The items of an async stream as a source whose step also ends when none is there.
struct Items<I> {
    items: I,
    layout: Layout,
    /// Whom the stream wakes.
    waker: Waker,
    /// Whether the last step ended because no item was there.
    is_pending: bool,
}

/// What the items are parts of.
enum Layout {
    Array { is_open: bool, count: usize },
    Records { frame: Frame, max_len: u64, count: u64 },
}

impl Layout {
    const ARRAY: Layout = Layout::Array { is_open: false, count: 0 };

    fn records(frame: Frame, options: &Options) -> Layout {
        Layout::Records { frame, max_len: options.max_len.min(frame.max_len()), count: 0 }
    }

    fn begin<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<()> {
        match self {
            Layout::Array { is_open: true, .. } => {}
            Layout::Array { is_open, .. } => {
                formatter.open()?;
                *is_open = true;
            }
            Layout::Records { .. } => formatter.out.begin_record(),
        }
        Ok(())
    }

    fn write<const PLAIN: bool>(
        &mut self,
        formatter: &mut Formatter<'_, PLAIN>,
        item: Result<impl Serialize>,
    ) -> Result<()> {
        match self {
            Layout::Array { count, .. } => {
                source::element(formatter, *count, item)?;
                *count += 1;
            }
            Layout::Records { frame, max_len, count } => {
                let written = item.and_then(|item| source::record(formatter, *frame, *max_len, &mut Value(&item)));
                if let Err(error) = written {
                    return Err(formatter.out.fail_in_record(error, *count));
                }
                *count += 1;
                formatter.out.begin_record();
            }
        }
        Ok(())
    }

    fn end<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<()> {
        match self {
            Layout::Array { count, .. } => formatter.close_array(*count),
            Layout::Records { .. } => Ok(()),
        }
    }
}

impl<I: TryPollNext<Value: Serialize>> Source for Items<I> {
    fn setup(&self, options: &Options) -> Result<Setup> {
        match self.layout {
            Layout::Array { .. } => Ok(Setup::recursive(options)),
            Layout::Records { frame, .. } => source::records_setup(frame, options),
        }
    }

    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress> {
        self.is_pending = false;
        self.layout.begin(formatter)?;
        while !formatter.should_stop() {
            match self.items.try_poll_next(&mut Context::from_waker(&self.waker)) {
                Poll::Pending => {
                    self.is_pending = true;
                    break;
                }
                Poll::Ready(Some(item)) => self.layout.write(formatter, item)?,
                Poll::Ready(None) => {
                    self.layout.end(formatter)?;
                    return Ok(Progress::Complete);
                }
            }
        }
        Ok(Progress::More)
    }
}
