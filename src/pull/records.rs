//! A stream of documents from an iterator, each in its frame.

use std::fmt::{self, Debug};
use std::io::{self, Read};
use std::iter::FusedIterator;

use bytes::Bytes;
use serde::Serialize;

use super::items::{Items, Sure, Trying};
use super::{Pull, Source, pull_traits};
use crate::encoder::Encoder;
use crate::error::Result;
use crate::fmt::{Formatter, Parked};
use crate::frame::Frame;
use crate::ser;

/// Records that are encoded on demand. Made by [`Encoder::records`].
///
/// ```
/// use json_rope::{Encoder, Frame, RecordChunks};
///
/// let mut chunks: RecordChunks<std::ops::Range<u8>> = Encoder::new().records(Frame::NdJson, 0..3);
/// assert_eq!(chunks.next().unwrap()?, "0\n1\n2\n");
/// # Ok::<(), json_rope::Error>(())
/// ```
#[must_use = "nothing is encoded until chunks are asked for"]
pub struct RecordChunks<I> {
    pull: Pull<Records<Sure<I>>>,
}

/// Records from results, encoded on demand. Made by [`Encoder::try_records`].
///
/// ```
/// use json_rope::{Encoder, Frame, TryRecordChunks};
///
/// let rows = vec![Ok::<_, std::io::Error>(1)];
/// let mut chunks: TryRecordChunks<std::vec::IntoIter<_>> = Encoder::new().try_records(Frame::NdJson, rows);
/// assert_eq!(chunks.next().unwrap()?, "1\n");
/// # Ok::<(), json_rope::Error>(())
/// ```
#[must_use = "nothing is encoded until chunks are asked for"]
pub struct TryRecordChunks<I> {
    pull: Pull<Records<Trying<I>>>,
}

pull_traits!(<I> RecordChunks<I> where I: Iterator<Item: Serialize>);
pull_traits!(
    <I, T, E> TryRecordChunks<I>
    where
        I: Iterator<Item = std::result::Result<T, E>>,
        T: Serialize,
        E: Into<Box<dyn std::error::Error + Send + Sync>>
);

struct Records<I> {
    items: I,
    frame: Frame,
    max_len: u64,
}

impl<I: Items<Value: Serialize>> Source for Records<I> {
    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<bool> {
        while !formatter.should_stop() {
            match self.items.next() {
                None => return Ok(true),
                Some(Err(error)) => return Err(formatter.fail(error)),
                Some(Ok(item)) => self.record(formatter, &item)?,
            }
        }
        Ok(false)
    }
}

impl<I> Records<I> {
    fn record<const PLAIN: bool>(&self, formatter: &mut Formatter<'_, PLAIN>, item: &impl Serialize) -> Result<()> {
        if self.frame.has_length() {
            self.known_length(formatter, item)?;
        } else {
            put_mark(formatter, self.frame.opening())?;
            self.body(formatter, item)?;
        }
        put_mark(formatter, self.frame.suffix())
    }

    #[inline]
    fn body<const PLAIN: bool>(&self, formatter: &mut Formatter<'_, PLAIN>, item: &impl Serialize) -> Result<()> {
        if self.max_len == u64::MAX {
            ser::serialize(formatter, item)?;
        } else {
            formatter.out.limit_from_here(self.max_len);
            ser::serialize(formatter, item)?;
            // What the frame adds does not count.
            formatter.out.limit_from_here(u64::MAX);
        }
        // An error that the item's `Serialize` swallowed, or a panic that it caught: this is the last record.
        formatter.out.check()
    }

    /// A body whose length stands before it.
    fn known_length<const PLAIN: bool>(
        &self,
        formatter: &mut Formatter<'_, PLAIN>,
        item: &impl Serialize,
    ) -> Result<()> {
        formatter.out.begin_message(self.frame.headroom())?;
        let framed = self
            .body(formatter, item)
            .and_then(|()| self.frame.prefix(formatter.out.message_len()).map_err(|error| formatter.fail(error)));
        match framed {
            Ok(prefix) => {
                formatter.out.end_message(prefix.as_bytes());
                Ok(())
            }
            Err(error) => {
                // The offset is that of the failure, also though a record without its length cannot come out.
                let error = formatter.out.conclude(error, self.frame.headroom() as u64);
                formatter.out.cancel_message();
                Err(error)
            }
        }
    }
}

/// Puts what stands before or behind a body, which mostly is no byte or one.
#[inline(always)]
fn put_mark<const PLAIN: bool>(formatter: &mut Formatter<'_, PLAIN>, mark: &'static [u8]) -> Result<()> {
    match mark {
        [] => Ok(()),
        &[byte] => formatter.out.put_byte(byte),
        _ => formatter.out.put(mark),
    }
}

impl Encoder {
    /// Encodes a stream of documents on demand, one record of the iterator at a time, each in its [`Frame`]: an
    /// iterator over chunks, and an [`io::Read`]. A chunk may hold many records or a part of one.
    ///
    /// A record is asked for when there is no finished chunk, and encoded at once, so a step does the work of one
    /// chunk and what is left of the last record in it. Heap memory: two chunks, or what one record needs; a record
    /// whose length stands before it cannot leave before it is complete. The items are as [`chunks`](Encoder::chunks)
    /// describes them. Without records there are none.
    ///
    /// [`max_len`](crate::EncoderBuilder::max_len) is for the body of each record; the stream has no limit.
    ///
    /// ```
    /// use json_rope::{Encoder, Frame};
    ///
    /// let rows = [("a", 1), ("b", 2)];
    /// let mut lines = Encoder::new().records(Frame::NdJson, rows);
    /// std::io::copy(&mut lines, &mut std::io::stdout())?;
    ///
    /// let mut messages = Encoder::new().records(Frame::Grpc, rows);
    /// assert_eq!(messages.next().unwrap()?, "\0\0\0\0\u{7}[\"a\",1]\0\0\0\0\u{7}[\"b\",2]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`encode`](Encoder::encode), as the last item. The pointer is that inside the record; the offset counts from
    /// the start of the stream. [`Frame::NdJson`] with a pretty encoder is a configuration error, as the only item.
    pub fn records<I>(&self, frame: Frame, items: I) -> RecordChunks<I::IntoIter>
    where
        I: IntoIterator<Item: Serialize>,
    {
        RecordChunks { pull: self.pull_records(frame, Sure(items.into_iter())) }
    }

    /// The same as [`records`](Encoder::records) for an iterator of results. The first `Err` ends the output: the
    /// records before it come out, then the error.
    ///
    /// ```
    /// use json_rope::{Encoder, Frame};
    ///
    /// let rows = ["1", "2", "x"].into_iter().map(str::parse::<i32>);
    /// let mut chunks = Encoder::new().try_records(Frame::NdJson, rows);
    /// assert_eq!(chunks.next().unwrap()?, "1\n2\n");
    /// assert!(chunks.next().unwrap().unwrap_err().is_data());
    /// assert!(chunks.next().is_none());
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`records`](Encoder::records); or a data error whose [`source`](std::error::Error::source) is the iterator's
    /// error.
    pub fn try_records<I, T, E>(&self, frame: Frame, items: I) -> TryRecordChunks<I::IntoIter>
    where
        I: IntoIterator<Item = std::result::Result<T, E>>,
        T: Serialize,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        TryRecordChunks { pull: self.pull_records(frame, Trying(items.into_iter())) }
    }

    fn pull_records<I>(&self, frame: Frame, items: I) -> Pull<Records<I>> {
        let options = self.options();
        let line_breaks = match frame.line_breaks(options) {
            Ok(line_breaks) => line_breaks,
            Err(error) => return Pull::failed(self.clone(), error),
        };
        let source = Records { items, frame, max_len: options.max_len.min(frame.max_len()) };
        let parked = Parked::new(options, options.max_depth_recursive(), u64::MAX, line_breaks);
        Pull::new(self.clone(), source, parked)
    }
}
