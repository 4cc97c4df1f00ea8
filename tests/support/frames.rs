//! What each frame must look like, said independently of the encoder.

use json_rope::Frame;

pub const FRAMES: [Frame; 6] =
    [Frame::Grpc, Frame::LengthDelimited, Frame::NdJson, Frame::JsonSeq, Frame::HttpChunk, Frame::ServerSentEvent];

/// `body` in its frame.
pub fn frame(frame: Frame, body: &str) -> Vec<u8> {
    let text = match frame {
        Frame::NdJson => format!("{body}\n"),
        Frame::JsonSeq => format!("\u{1e}{body}\n"),
        Frame::HttpChunk => format!("{:x}\r\n{body}\r\n", body.len()),
        Frame::ServerSentEvent => body.lines().map(|line| format!("data: {line}\n")).collect::<String>() + "\n",
        Frame::Grpc => return [&[0], &(body.len() as u32).to_be_bytes()[..], body.as_bytes()].concat(),
        Frame::LengthDelimited => {
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

/// Takes a stream of frames apart, as a reader would: the body of each.
pub fn unframed(kind: Frame, mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut bodies = Vec::new();
    while !bytes.is_empty() {
        let (body, rest) = match kind {
            Frame::Grpc => {
                assert_eq!(bytes[0], 0);
                let len = u32::from_be_bytes(bytes[1..5].try_into().unwrap()) as usize;
                bytes[5..].split_at(len)
            }
            Frame::LengthDelimited => {
                let width = bytes.iter().position(|byte| byte & 0x80 == 0).unwrap() + 1;
                let len = bytes[..width].iter().rev().fold(0, |len, byte| len << 7 | usize::from(byte & 0x7f));
                bytes[width..].split_at(len)
            }
            Frame::HttpChunk => {
                let digits = bytes.windows(2).position(|pair| pair == b"\r\n").unwrap();
                let len = usize::from_str_radix(str::from_utf8(&bytes[..digits]).unwrap(), 16).unwrap();
                assert!(len > 0);
                let (body, rest) = bytes[digits + 2..].split_at(len);
                (body, rest.strip_prefix(b"\r\n").unwrap())
            }
            Frame::JsonSeq => {
                assert_eq!(bytes[0], 0x1e);
                let end = bytes[1..].iter().position(|&byte| byte == 0x1e).map_or(bytes.len(), |end| end + 1);
                (bytes[1..end].strip_suffix(b"\n").unwrap(), &bytes[end..])
            }
            Frame::NdJson => {
                let end = bytes.iter().position(|&byte| byte == b'\n').unwrap();
                (&bytes[..end], &bytes[end + 1..])
            }
            _ => {
                let end = bytes.windows(2).position(|pair| pair == b"\n\n").unwrap();
                let lines = bytes[..end].split(|&byte| byte == b'\n');
                bodies.push(lines.map(|line| line.strip_prefix(b"data: ").unwrap()).collect::<Vec<_>>().join(&b'\n'));
                bytes = &bytes[end + 2..];
                continue;
            }
        };
        bodies.push(body.to_vec());
        bytes = rest;
    }
    bodies
}
