//! The envelopes that a message can be sent in.

/// How one message of a stream is told apart from the next.
///
/// ```
/// use json_rope::{Encoder, Frame};
///
/// let mut lines = Encoder::new().records(Frame::Line, [1, 2]);
/// assert_eq!(std::io::read_to_string(&mut lines).unwrap(), "1\n2\n");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Frame {
    /// gRPC, uncompressed: a zero byte, the length as 32 bits in big-endian order, the body. A body longer than
    /// `u32::MAX` bytes is a limit error.
    Grpc,
    /// Protocol Buffers' delimited form: the length as unsigned LEB128, the body.
    Varint,
    /// NDJSON: the body, and a line feed. There is no line break in the body: fragments and raw values are freed of
    /// those they have. With a pretty encoder it is a configuration error.
    Line,
    /// JSON text sequences (RFC 7464): a record separator (0x1E), the body, a line feed.
    RecordSeparator,
    /// A chunk of HTTP's chunked transfer coding (RFC 9112, section 7.1): the length in hexadecimal, CRLF, the body,
    /// CRLF. The stream is to be ended by [`HTTP_END`](Frame::HTTP_END).
    HttpChunk,
    /// A server-sent event: `data: ` before every line of the body, and two line feeds behind the last.
    ServerSentEvent,
}

impl Frame {
    /// What ends a stream of [`HttpChunk`](Frame::HttpChunk)s. No encoder appends it: only the caller knows that the
    /// stream is complete.
    ///
    /// ```
    /// assert_eq!(json_rope::Frame::HTTP_END, b"0\r\n\r\n");
    /// ```
    pub const HTTP_END: &'static [u8] = b"0\r\n\r\n";
}
