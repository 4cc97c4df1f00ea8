//! Ropes written to a socket by tokio's `write_all_buf`, which needs no code of json-rope.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Buf;
use json_rope::Encoder;
use json_rope_http_tests::client::within;
use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// Counts the calls of a writer.
struct Counting<W> {
    writer: W,
    calls: usize,
}

impl<W: AsyncWrite + Unpin> AsyncWrite for Counting<W> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.calls += 1;
        Pin::new(&mut self.writer).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.calls += 1;
        Pin::new(&mut self.writer).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.writer.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_shutdown(cx)
    }
}

async fn connection() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (client, server) = tokio::join!(TcpStream::connect(address), listener.accept());
    (client.unwrap(), server.unwrap().0)
}

#[tokio::test]
async fn rope_is_written_with_few_calls() {
    let encoder = Encoder::builder().first_chunk(256).max_chunk(256).build().unwrap();
    let mut rope = encoder.encode(&(0..10_000).collect::<Vec<u32>>()).unwrap();
    let (expected, chunks) = (rope.to_vec(), rope.chunks().len());
    let (mut reader, writer) = connection().await;
    let reading = tokio::spawn(async move {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await.map(|_| bytes)
    });
    let mut writer = Counting { writer, calls: 0 };
    within(writer.write_all_buf(&mut rope)).await.unwrap();
    assert!(rope.is_empty());
    assert!(writer.calls <= chunks.div_ceil(64) + 3, "{} calls for {chunks} chunks", writer.calls);
    drop(writer);
    assert!(within(reading).await.unwrap().unwrap() == expected);
}

#[tokio::test]
async fn nothing_is_lost_if_a_write_is_cancelled() {
    let mut rope = json_rope::to_rope(&vec![0.25; 4_000_000]).unwrap();
    let (expected, mut received) = (rope.to_vec(), Vec::new());
    let (mut reader, mut writer) = connection().await;
    let mut cancelled = 0;
    // Nobody reads during a write, so it is cancelled when the buffers are full.
    while rope.has_remaining() {
        if timeout(Duration::from_millis(20), writer.write_all_buf(&mut rope)).await.is_err() {
            cancelled += 1;
        }
        let read = async {
            let mut buffer = vec![0; 1 << 20];
            while let Ok(len) = timeout(Duration::from_millis(20), reader.read(&mut buffer)).await {
                received.extend_from_slice(&buffer[..len.unwrap()]);
            }
        };
        within(read).await;
    }
    assert!(cancelled > 0, "the buffers took everything");
    assert!(received == expected);
}
