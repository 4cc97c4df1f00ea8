//! Documents in frames: in memory, appended, streamed. Records on demand are in
//! `source/records.rs`.

use std::io;

use serde::Serialize;

use super::Encoder;
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::rope::Rope;
use crate::run;
use crate::sink::WriterDrain;
use crate::source::{Framed, Value};

impl Encoder {
    /// Encodes `value` into a rope, in a frame.
    ///
    /// Costs no more than [`encode`](Encoder::encode): the front of the frame is written into room that was kept for
    /// it. There are as many chunks; the first and the last one are longer by what the frame adds. There is one chunk
    /// more if one of them would exceed `max_chunk`, or if the body is one linked [`Fragment`](crate::Fragment), which
    /// gets the front of its frame as a chunk, and a heap block, of its own.
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
        self.to_rope(Framed::new(frame, self.options(), Value(value)))
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
    pub fn write_framed<T>(&self, frame: Frame, mut writer: impl io::Write, value: &T) -> Result<u64>
    where
        T: ?Sized + Serialize,
    {
        if frame.has_length() {
            let rope = self.encode_framed(frame, value)?;
            return match rope.write_to(&mut writer) {
                Ok(()) => Ok(rope.len() as u64),
                Err(error) => Err(Error::io(error).conclude(None, rope.len() as u64)),
            };
        }
        let source = Framed::new(frame, self.options(), Value(value));
        run::to_drain(self.options(), &mut WriterDrain::new(&mut writer), source)
    }
}
