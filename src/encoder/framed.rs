//! Documents in frames: in memory, appended, streamed. Frames on demand are `pull/records.rs`.

use std::io;
use std::sync::atomic::Ordering;

use serde::Serialize;

use super::{Encoder, Write};
use crate::error::{Error, Result};
use crate::fmt::Formatter;
use crate::frame::Frame;
use crate::options::Options;
use crate::out::{CopiedNames, Out};
use crate::rope::Rope;
use crate::sink::WriterEdge;
use crate::{out, ser};

impl Encoder {
    /// Encodes `value` into a rope, in a frame.
    ///
    /// Costs no more than [`encode`](Encoder::encode): what stands before the body is written into room that was kept
    /// free for it, and there are the same chunks, the first and the last one longer by what the frame adds.
    /// (Should that make one longer than `max_chunk`, there is one more. And a body that is one linked
    /// [`Fragment`](crate::Fragment) gets the front of its frame as a chunk of its own, in a block of its own.)
    ///
    /// [`max_len`](crate::EncoderBuilder::max_len) is for the body, and an error's offset counts from its start.
    ///
    /// ```
    /// use json_rope::{Encoder, Frame};
    ///
    /// let encoder = Encoder::new();
    /// assert_eq!(encoder.encode_framed(Frame::Grpc, &[1, 2])?, "\0\0\0\0\u{5}[1,2]");
    /// assert_eq!(encoder.encode_framed(Frame::LengthDelimited, &[1, 2])?, "\u{5}[1,2]");
    /// assert_eq!(encoder.encode_framed(Frame::NdJson, &[1, 2])?, "[1,2]\n");
    /// assert_eq!(encoder.encode_framed(Frame::JsonSeq, &[1, 2])?, "\u{1e}[1,2]\n");
    /// assert_eq!(encoder.encode_framed(Frame::HttpChunk, &[1, 2])?, "5\r\n[1,2]\r\n");
    /// assert_eq!(encoder.encode_framed(Frame::ServerSentEvent, &[1, 2])?, "data: [1,2]\n\n");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As `encode`; a limit error if the body is longer than the frame can say (gRPC: `u32::MAX` bytes); a
    /// configuration error for [`Frame::NdJson`] with a pretty encoder.
    pub fn encode_framed<T: ?Sized + Serialize>(&self, frame: Frame, value: &T) -> Result<Rope> {
        let (options, expected) = (self.options(), self.shared.expected.load(Ordering::Relaxed));
        let rope = if options.is_plain() {
            encode_framed::<true>(options, frame, expected, &mut |formatter| ser::serialize(formatter, value))?
        } else {
            encode_framed::<false>(options, frame, expected, &mut |formatter| ser::serialize(formatter, value))?
        };
        self.remember(expected, rope.len());
        Ok(rope)
    }

    /// Encodes `value` in a frame and appends it to `rope`.
    ///
    /// ```
    /// use json_rope::{Encoder, Frame, Rope};
    ///
    /// let encoder = Encoder::new();
    /// let mut lines = Rope::new();
    /// for row in 1..=3 {
    ///     encoder.encode_framed_into(Frame::NdJson, &mut lines, &row)?;
    /// }
    /// assert_eq!(lines, "1\n2\n3\n");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`encode_framed`](Encoder::encode_framed); `rope` is then as it was before.
    pub fn encode_framed_into<T>(&self, frame: Frame, rope: &mut Rope, value: &T) -> Result<()>
    where
        T: ?Sized + Serialize,
    {
        rope.append(self.encode_framed(frame, value)?);
        Ok(())
    }

    /// Encodes `value` in a frame into `writer`. Returns the number of bytes written, those of the frame included.
    ///
    /// [`Frame::NdJson`], [`JsonSeq`](Frame::JsonSeq) and [`ServerSentEvent`](Frame::ServerSentEvent)
    /// stream, as [`write`](Encoder::write) does. [`Grpc`](Frame::Grpc), [`LengthDelimited`](Frame::LengthDelimited) and
    /// [`HttpChunk`](Frame::HttpChunk) begin with the length of the body, so the whole document is encoded in memory
    /// first, and then written with as few calls as the writer allows.
    ///
    /// ```
    /// use json_rope::{Encoder, Frame};
    ///
    /// let mut out = Vec::new();
    /// assert_eq!(Encoder::new().write_framed(Frame::LengthDelimited, &mut out, "abc")?, 6);
    /// assert_eq!(out, b"\x05\"abc\"");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`encode_framed`](Encoder::encode_framed), or an I/O error as from `write`. If a document in a frame with a
    /// length cannot be encoded, nothing has been written.
    pub fn write_framed<W, T>(&self, frame: Frame, writer: &mut W, value: &T) -> Result<u64>
    where
        W: io::Write + ?Sized,
        T: ?Sized + Serialize,
    {
        let mut writer = writer;
        if frame.has_length() {
            let rope = self.encode_framed(frame, value)?;
            return match rope.write_to(&mut writer) {
                Ok(()) => Ok(rope.len() as u64),
                Err(error) => Err(Error::io(error).conclude(None, rope.len() as u64)),
            };
        }
        let options = self.options();
        if options.is_plain() {
            write_framed::<true>(options, frame, &mut writer, &mut |formatter| ser::serialize(formatter, value))
        } else {
            write_framed::<false>(options, frame, &mut writer, &mut |formatter| ser::serialize(formatter, value))
        }
    }
}

fn encode_framed<const PLAIN: bool>(
    options: &Options,
    frame: Frame,
    expected: usize,
    write: Write<'_, PLAIN>,
) -> Result<Rope> {
    let line_breaks = frame.line_breaks(options)?;
    let mut scratch = out::scratch();
    let mut formatter = Formatter::<PLAIN>::new(Out::in_memory(&mut scratch, options, expected), options);
    formatter.set_line_breaks(line_breaks);
    formatter.out.reserve_frame(frame.headroom(), frame.suffix().len());
    formatter.out.limit_from_here(options.max_len.min(frame.max_len()));
    let framed = write(&mut formatter).and_then(|()| {
        formatter.out.check()?;
        let prefix = frame.prefix(formatter.out.offset())?;
        formatter.out.finish_framed(prefix.as_bytes(), frame.suffix())
    });
    framed.map_err(|error| formatter.out.conclude(error, 0))
}

/// For a frame without a length.
fn write_framed<const PLAIN: bool>(
    options: &Options,
    frame: Frame,
    writer: &mut dyn io::Write,
    write: Write<'_, PLAIN>,
) -> Result<u64> {
    let line_breaks = frame.line_breaks(options)?;
    let mut edge = WriterEdge::new(writer);
    let (mut scratch, mut names) = (out::scratch(), CopiedNames::default());
    let out = Out::streaming(&mut scratch, options, &mut edge, &mut names);
    let mut formatter = Formatter::<PLAIN>::new(out, options);
    formatter.set_line_breaks(line_breaks);
    // What the frame adds does not count for `max_len`.
    formatter.out.limit_from_here(u64::MAX);
    let written = formatter.out.put(frame.opening()).and_then(|()| {
        formatter.out.limit_from_here(options.max_len);
        write(&mut formatter)?;
        formatter.out.check()?;
        formatter.out.limit_from_here(u64::MAX);
        formatter.out.put(frame.suffix())?;
        formatter.out.finish_streaming()
    });
    // Of the body, as in memory.
    written.map_err(|error| formatter.out.conclude(error, frame.opening().len() as u64))
}
