//! What each frame must look like, said independently of the encoder.

#![allow(dead_code, reason = "each test file uses its own part")]

use json_rope::Frame;

pub const FRAMES: [Frame; 6] =
    [Frame::Grpc, Frame::Varint, Frame::Line, Frame::RecordSeparator, Frame::HttpChunk, Frame::ServerSentEvent];

/// `body` in its frame.
pub fn frame(frame: Frame, body: &str) -> Vec<u8> {
    let text = match frame {
        Frame::Line => format!("{body}\n"),
        Frame::RecordSeparator => format!("\u{1e}{body}\n"),
        Frame::HttpChunk => format!("{:x}\r\n{body}\r\n", body.len()),
        Frame::ServerSentEvent => body.lines().map(|line| format!("data: {line}\n")).collect::<String>() + "\n",
        Frame::Grpc => return [&[0], &(body.len() as u32).to_be_bytes()[..], body.as_bytes()].concat(),
        Frame::Varint => {
            let (mut len, mut out) = (body.len(), Vec::new());
            while len > 0x7f {
                out.push(len as u8 | 0x80);
                len >>= 7;
            }
            out.push(len as u8);
            out.extend_from_slice(body.as_bytes());
            return out;
        }
        _ => unreachable!("no other frame"),
    };
    text.into_bytes()
}
