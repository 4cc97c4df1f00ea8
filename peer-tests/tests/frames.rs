//! Each frame, read back by a library that people read it with.

use std::io;

use bytes::{Buf, Bytes};
use http_body_util::{BodyExt, Empty, Full};
use hyper_util::rt::TokioIo;
use json_rope::{Encoder, Error, Frame, Rope};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tonic::codec::{DecodeBuf, Decoder, Streaming};

/// Bodies of lengths around those where a prefix grows, and one of several chunks.
fn rows() -> Vec<Value> {
    let lengths = [1, 2, 13, 14, 15, 125, 126, 127, 128, 253, 254, 4093, 4094, 16_381, 16_382, 16_383, 200_000];
    lengths.into_iter().map(|len| json!("é".repeat(len / 2))).chain([json!({}), json!([1, 2.5])]).collect()
}

/// The rows in frames, in memory, streamed and on demand, which are the same.
fn framed(frame: Frame) -> Rope {
    let encoder = Encoder::new();
    let (mut rope, mut written) = (Rope::new(), Vec::new());
    for row in rows() {
        encoder.encode_framed_into(frame, &mut rope, &row).unwrap();
        encoder.write_framed(frame, &mut written, &row).unwrap();
    }
    assert_eq!(rope, written);
    assert_eq!(encoder.records(frame, rows()).collect::<Result<Rope, Error>>().unwrap(), rope);
    rope
}

#[test]
fn varint_by_prost() {
    let mut rope = framed(Frame::LengthDelimited);
    for row in rows() {
        let len = prost::decode_length_delimiter(&mut rope).unwrap();
        let body = rope.copy_to_bytes(len);
        assert_eq!(serde_json::from_slice::<Value>(&body).unwrap(), row);
    }
    assert!(!rope.has_remaining());
}

/// A gRPC codec whose messages are JSON.
struct Json;

impl Decoder for Json {
    type Item = Value;
    type Error = tonic::Status;

    fn decode(&mut self, source: &mut DecodeBuf<'_>) -> Result<Option<Value>, tonic::Status> {
        serde_json::from_reader(source.reader()).map(Some).map_err(|error| tonic::Status::internal(error.to_string()))
    }
}

#[tokio::test]
async fn grpc_by_tonic() {
    let body = Full::new(framed(Frame::Grpc).into_bytes());
    let mut messages = Streaming::new_request(Json, body, None, None);
    for row in rows() {
        assert_eq!(messages.message().await.unwrap().unwrap(), row);
    }
    assert!(messages.message().await.unwrap().is_none());
}

#[test]
fn grpc_by_hand() {
    let rope = Encoder::new().encode_framed(Frame::Grpc, &"x".repeat(300)).unwrap();
    assert_eq!(rope.to_vec()[..8], [0, 0, 0, 0x01, 0x2e, b'"', b'x', b'x']);
}

#[tokio::test]
async fn http_chunks_by_hyper() {
    let (client, mut server) = tokio::io::duplex(1000);
    let mut response = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    response.extend(framed(Frame::HttpChunk).to_vec());
    response.extend(Frame::HTTP_END);
    tokio::spawn(async move {
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            assert_ne!(server.read_buf(&mut request).await.unwrap(), 0);
        }
        server.write_all(&response).await.unwrap();
    });
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(client)).await.unwrap();
    tokio::spawn(connection);
    let request = hyper::Request::new(Empty::<Bytes>::new());
    let body = sender.send_request(request).await.unwrap().into_body().collect().await.unwrap().to_bytes();
    let read: Vec<Value> = serde_json::Deserializer::from_slice(&body).into_iter().map(Result::unwrap).collect();
    assert_eq!(read, rows());
}

#[test]
fn lines_by_serde_json() {
    let rope = framed(Frame::NdJson);
    let read: Vec<Value> =
        serde_json::Deserializer::from_reader(rope.clone().reader()).into_iter().map(Result::unwrap).collect();
    assert_eq!(read, rows());
    let lines = io::BufRead::lines(rope.reader()).map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    assert!(lines.eq(rows()), "one document a line");
}

/// RFC 7464, section 2.1: every text begins behind a record separator, and ends with a line feed.
#[test]
fn records_by_the_rule() {
    let text = framed(Frame::JsonSeq).into_string().unwrap();
    let mut texts = text.split('\u{1e}');
    assert_eq!(texts.next(), Some(""));
    let read = texts.map(|text| serde_json::from_str::<Value>(text.strip_suffix('\n').unwrap()).unwrap());
    assert!(read.eq(rows()));
}

/// The HTML standard's rules for event streams: fields line by line, data lines joined, an empty line ends an event.
#[test]
fn events_by_the_rules() {
    for pretty in [false, true] {
        let encoder = Encoder::builder().pretty(pretty).build().unwrap();
        let stream = encoder.records(Frame::ServerSentEvent, rows()).collect::<Result<Rope, Error>>().unwrap();
        let (mut data, mut read) = (String::new(), Vec::new());
        for line in stream.into_string().unwrap().lines() {
            match line.strip_prefix("data:") {
                Some(rest) => {
                    data.push_str(rest.strip_prefix(' ').unwrap_or(rest));
                    data.push('\n');
                }
                None => {
                    assert_eq!(line, "", "no other field");
                    read.push(serde_json::from_str::<Value>(&std::mem::take(&mut data)).unwrap());
                }
            }
        }
        assert_eq!(data, "");
        assert_eq!(read, rows());
    }
}
