//! The envelopes that a message can be sent in: the bytes before and after it.

use crate::error::{Error, Result};
use crate::options::Options;

/// How one message of a stream is told apart from the next.
///
/// ```
/// use json_rope::{Encoder, Frame};
///
/// let lines: json_rope::Rope = Encoder::new().records(Frame::NdJson, [1, 2]).collect::<Result<_, _>>()?;
/// assert_eq!(lines, "1\n2\n");
/// # Ok::<(), json_rope::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Frame {
    /// A gRPC message, uncompressed: a zero byte, the length as 32 bits in big-endian order, the body. A body longer
    /// than `u32::MAX` bytes is a limit error.
    Grpc,
    /// Protocol Buffers' delimited form: the length as unsigned LEB128, the body.
    LengthDelimited,
    /// NDJSON: the body and a line feed. The body contains no line break: line feeds and carriage returns in fragments
    /// and raw values are left out, even in a string of text that is not JSON. A fragment without any is linked as in
    /// other frames. A pretty encoder is a configuration error.
    NdJson,
    /// JSON text sequences (RFC 7464): a record separator (0x1E), the body, a line feed. A record separator in a
    /// fragment or raw value, which is then not JSON, is left out.
    JsonSeq,
    /// A chunk of HTTP's chunked transfer coding (RFC 9112, section 7.1): the length in hexadecimal, CRLF, the body,
    /// CRLF. End the stream with [`HTTP_END`](Frame::HTTP_END).
    HttpChunk,
    /// A server-sent event (as the HTML standard defines them): `data: ` before every line of the body, and two line
    /// feeds after the last. Lines end with a line feed; a carriage return in a fragment or raw value is left out, and
    /// a line feed begins another line of the event.
    ServerSentEvent,
}

impl Frame {
    /// The end of a stream of [`HttpChunk`](Frame::HttpChunk)s. No encoder appends it, because only the caller knows
    /// that the stream is complete.
    ///
    /// ```
    /// assert_eq!(json_rope::Frame::HTTP_END, b"0\r\n\r\n");
    /// ```
    pub const HTTP_END: &'static [u8] = b"0\r\n\r\n";
}

/// How line breaks outside of strings are written: those of indentation, and those in JSON from elsewhere. Decided by the
/// frame, not by the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Newlines {
    #[default]
    Keep,
    /// Kept, in a JSON text sequence: there a record separator (0x1E) would begin the next text.
    KeepInSequence,
    /// Left out: a line is the frame.
    Strip,
    /// As line feeds, and each line of an event begins with [`SSE_DATA`].
    Sse,
}

/// What precedes every line of a server-sent event.
pub(crate) const SSE_DATA: &[u8] = b"data: ";

/// The longest prefix, in bytes: 16 hexadecimal digits and CRLF.
const MAX_PREFIX: usize = 18;

/// The bytes before a body, at the end of an array.
pub(crate) struct Prefix {
    bytes: [u8; MAX_PREFIX],
    start: usize,
}

impl Prefix {
    fn new() -> Prefix {
        Prefix { bytes: [0; MAX_PREFIX], start: MAX_PREFIX }
    }

    /// Puts `byte` in front.
    fn push(&mut self, byte: u8) {
        self.start -= 1;
        self.bytes[self.start] = byte;
    }

    fn of(bytes: &[u8]) -> Prefix {
        let mut prefix = Prefix::new();
        bytes.iter().rev().for_each(|&byte| prefix.push(byte));
        prefix
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

impl Frame {
    /// Whether the prefix depends on the length of the body.
    pub(crate) fn has_length(self) -> bool {
        matches!(self, Frame::Grpc | Frame::LengthDelimited | Frame::HttpChunk)
    }

    /// The length of the longest prefix.
    pub(crate) fn headroom(self) -> usize {
        match self {
            Frame::Grpc => 5,
            Frame::LengthDelimited => 10,
            Frame::HttpChunk => MAX_PREFIX,
            _ => self.opening().len(),
        }
    }

    /// The longest body, in bytes, that the frame can express.
    pub(crate) fn max_len(self) -> u64 {
        if self == Frame::Grpc { u64::from(u32::MAX) } else { u64::MAX }
    }

    /// The bytes before a body of any length, if the frame has no length.
    #[inline]
    pub(crate) fn opening(self) -> &'static [u8] {
        match self {
            Frame::JsonSeq => b"\x1e",
            Frame::ServerSentEvent => SSE_DATA,
            _ => b"",
        }
    }

    /// The bytes before a body of `len` bytes.
    ///
    /// # Errors
    /// A limit error if the frame cannot express the length.
    pub(crate) fn prefix(self, len: u64) -> Result<Prefix> {
        let mut prefix = Prefix::new();
        match self {
            Frame::Grpc => {
                let Ok(len) = u32::try_from(len) else {
                    return Err(Error::limit("the message is longer than a gRPC length can say, u32::MAX bytes"));
                };
                len.to_be_bytes().iter().rev().for_each(|&byte| prefix.push(byte));
                prefix.push(0);
            }
            Frame::LengthDelimited => {
                // Seven bits a byte, the lowest first; all but the last have the top bit set.
                let groups = (u64::BITS - (len | 1).leading_zeros()).div_ceil(7);
                for group in (0..groups).rev() {
                    let more = if group + 1 < groups { 0x80 } else { 0 };
                    prefix.push((len >> (7 * group)) as u8 & 0x7f | more);
                }
            }
            Frame::HttpChunk => {
                prefix = Prefix::of(b"\r\n");
                let digits = (u64::BITS - (len | 1).leading_zeros()).div_ceil(4);
                for digit in 0..digits {
                    prefix.push(b"0123456789abcdef"[(len >> (4 * digit)) as usize & 0xf]);
                }
            }
            _ => prefix = Prefix::of(self.opening()),
        }
        Ok(prefix)
    }

    /// The bytes after a body.
    #[inline]
    pub(crate) fn suffix(self) -> &'static [u8] {
        match self {
            Frame::Grpc | Frame::LengthDelimited => b"",
            Frame::NdJson | Frame::JsonSeq => b"\n",
            Frame::HttpChunk => b"\r\n",
            Frame::ServerSentEvent => b"\n\n",
        }
    }

    /// How line breaks in a body are written.
    ///
    /// # Errors
    /// A configuration error if the options do not go with the frame.
    pub(crate) fn newlines(self, options: &Options) -> Result<Newlines> {
        match self {
            Frame::NdJson if options.style.pretty => {
                Err(Error::config("a document in Frame::NdJson is one line, so the encoder cannot be pretty"))
            }
            Frame::NdJson => Ok(Newlines::Strip),
            Frame::ServerSentEvent => Ok(Newlines::Sse),
            Frame::JsonSeq => Ok(Newlines::KeepInSequence),
            _ => Ok(Newlines::Keep),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefix(frame: Frame, len: u64) -> Vec<u8> {
        let prefix = frame.prefix(len).unwrap();
        assert!(prefix.as_bytes().len() <= frame.headroom());
        prefix.as_bytes().to_vec()
    }

    #[test]
    fn varint_at_every_boundary_of_seven_bits() {
        assert_eq!(prefix(Frame::LengthDelimited, 300), [0xac, 0x02]);
        let edges = (0..=63).map(|bit| 1u64 << bit).chain([u64::MAX]);
        for len in edges.flat_map(|edge| [edge - 1, edge, edge.saturating_add(1)]) {
            let bytes = prefix(Frame::LengthDelimited, len);
            let (last, front) = bytes.split_last().unwrap();
            assert!(front.iter().all(|byte| byte & 0x80 != 0) && last & 0x80 == 0);
            assert!(front.is_empty() || *last != 0, "not the shortest form of {len}");
            let value = bytes.iter().rev().fold(0u128, |value, byte| value << 7 | u128::from(byte & 0x7f));
            assert_eq!(value, u128::from(len));
        }
    }

    #[test]
    fn http_length_is_hexadecimal() {
        let edges = (0..=63).map(|bit| 1u64 << bit).chain([u64::MAX]);
        for len in edges.flat_map(|edge| [edge - 1, edge, edge.saturating_add(1)]) {
            assert_eq!(prefix(Frame::HttpChunk, len), format!("{len:x}\r\n").as_bytes());
        }
    }

    #[test]
    fn grpc_length_is_compared_before_it_is_narrowed() {
        assert_eq!(prefix(Frame::Grpc, 0x0102_0304), [0, 1, 2, 3, 4]);
        assert_eq!(prefix(Frame::Grpc, u64::from(u32::MAX)), [0, 255, 255, 255, 255]);
        for len in [1 << 32, (1 << 32) + 5, u64::MAX] {
            assert!(Frame::Grpc.prefix(len).err().unwrap().is_limit());
        }
    }
}
