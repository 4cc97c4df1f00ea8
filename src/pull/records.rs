//! A stream of documents from an iterator, each in its frame.

use std::fmt::{self, Debug};
use std::io::{self, Read, Write as _};
use std::iter::FusedIterator;

use bytes::Bytes;
use serde::Serialize;

use super::items::{Items, Sure, Trying};
use super::{Pull, Source, pull_traits};
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::fmt::{Formatter, Parked};
use crate::frame::Frame;
use crate::options::Options;
use crate::rope::Rope;
use crate::ser;

/// Records that are encoded on demand. Made by [`Encoder::records`].
#[must_use = "nothing is encoded until chunks are asked for"]
pub struct RecordChunks<I> {
    pull: Pull<Records<Sure<I>>>,
}

/// Records from results, encoded on demand. Made by [`Encoder::try_records`].
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
    /// For records that are encoded before their frame is known.
    encoder: Encoder,
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
        match self.frame {
            Frame::Line => self.body(formatter, item)?,
            Frame::RecordSeparator => {
                formatter.out.put_byte(0x1e)?;
                self.body(formatter, item)?;
            }
            Frame::ServerSentEvent if !self.encoder.options().pretty => {
                formatter.out.put(b"data: ")?;
                self.body(formatter, item)?;
                formatter.out.put_byte(b'\n')?;
            }
            _ => return self.known_length(formatter, item),
        }
        formatter.out.put_byte(b'\n')
    }

    /// A body of unknown length, straight into the output.
    #[inline]
    fn body<const PLAIN: bool>(&self, formatter: &mut Formatter<'_, PLAIN>, item: &impl Serialize) -> Result<()> {
        let max_len = self.encoder.options().max_len;
        if max_len == u64::MAX {
            ser::serialize(formatter, item)?;
        } else {
            formatter.out.limit_from_here(max_len);
            ser::serialize(formatter, item)?;
            // What the frame adds does not count.
            formatter.out.limit_from_here(u64::MAX);
        }
        // An error that the item's `Serialize` swallowed: this is the last record.
        formatter.out.check()
    }

    /// A body that is encoded first, because what stands before it depends on it.
    fn known_length<const PLAIN: bool>(
        &self,
        formatter: &mut Formatter<'_, PLAIN>,
        item: &impl Serialize,
    ) -> Result<()> {
        // Its error has the offset inside the body; the stream has an offset of its own.
        let body = match self.encoder.encode(item) {
            Ok(body) => body,
            Err(error) => return Err(formatter.fail(error.moved(formatter.out.offset()))),
        };
        let mut head = [0; 20];
        let mut rest = &mut head[..];
        let wrote = match self.frame {
            Frame::Grpc => {
                let Ok(len) = u32::try_from(body.len()) else {
                    return Err(formatter.fail(Error::limit("a gRPC message is longer than its length field allows")));
                };
                rest.write_all(&[0]).and_then(|()| rest.write_all(&len.to_be_bytes()))
            }
            Frame::HttpChunk => write!(rest, "{:x}\r\n", body.len()),
            Frame::ServerSentEvent => return event(formatter, body),
            _ => {
                let mut len = body.len();
                while len > 0x7f {
                    let _ = rest.write_all(&[len as u8 | 0x80]);
                    len >>= 7;
                }
                rest.write_all(&[len as u8])
            }
        };
        debug_assert!(wrote.is_ok());
        let unused = rest.len();
        formatter.out.put(&head[..head.len() - unused])?;
        formatter.verbatim(body)?;
        if self.frame == Frame::HttpChunk { formatter.out.put(b"\r\n") } else { Ok(()) }
    }
}

/// A server-sent event of a body that may have several lines.
fn event<const PLAIN: bool>(formatter: &mut Formatter<'_, PLAIN>, body: Rope) -> Result<()> {
    let body = body.into_bytes();
    // A carriage return ends a line there, too; one before a line feed ends it together with that.
    for line in body.split(|&byte| matches!(byte, b'\n' | b'\r')).filter(|line| !line.is_empty()) {
        formatter.out.put(b"data: ")?;
        formatter.out.put(line)?;
        formatter.out.put_byte(b'\n')?;
    }
    formatter.out.put_byte(b'\n')
}

impl Encoder {
    /// Encodes a stream of documents on demand, one record of the iterator at a time, each in its [`Frame`]: an
    /// iterator over chunks, and an [`io::Read`]. A chunk may hold many records or a part of one.
    ///
    /// A record is asked for when there is no finished chunk, and encoded at once, so a step does the work of one
    /// chunk and what is left of the last record in it. Heap memory: two chunks, or what one record needs. Frames that
    /// begin with a length (and events of a pretty encoder) take a record's text twice for a moment. The items are as
    /// [`chunks`](Encoder::chunks) describes them. Without records there are none.
    ///
    /// [`max_len`](crate::EncoderBuilder::max_len) is for the body of each record; the stream has no limit.
    ///
    /// ```
    /// use json_rope::{Encoder, Frame};
    ///
    /// let rows = [("a", 1), ("b", 2)];
    /// let mut lines = Encoder::new().records(Frame::Line, rows);
    /// std::io::copy(&mut lines, &mut std::io::stdout())?;
    ///
    /// let mut messages = Encoder::new().records(Frame::Grpc, rows);
    /// assert_eq!(messages.next().unwrap()?, "\0\0\0\0\u{7}[\"a\",1]\0\0\0\0\u{7}[\"b\",2]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`encode`](Encoder::encode), as the last item. The pointer is that inside the record; the offset counts from the
    /// start of the stream. [`Frame::Line`] with a pretty encoder is a configuration error, as the only item.
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
    /// let mut chunks = Encoder::new().try_records(Frame::Line, rows);
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
        if frame == Frame::Line && options.pretty {
            let error = Error::config("a record of Frame::Line is one line, so the encoder cannot be pretty");
            return Pull::failed(self.clone(), error);
        }
        let single_line = matches!(frame, Frame::Line | Frame::ServerSentEvent) && !options.pretty;
        let encoder =
            if single_line { Encoder::with_options(Options { single_line, ..options.clone() }) } else { self.clone() };
        let source = Records { items, frame, encoder: encoder.clone() };
        let parked = Parked::new(encoder.options(), encoder.options().max_depth_recursive(), u64::MAX);
        Pull::new(encoder, source, parked)
    }
}
