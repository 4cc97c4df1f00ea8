//! A loopback TCP connection with a reader at its other end, and four ways to send a document over it.
//!
//! Used by `transfers`, which the example `socket` and the benchmark of the same name share.

use std::io::{self, BufWriter, IoSlice, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use json_rope::Encoder;
use serde_json::Value;

/// A reader that got fewer bytes than it was told to expect would wait for ever.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes that the reader asks for at a time.
const READ_BYTES: usize = 64 * 1024;

/// The buffer of [`Way::BufWriter`]: what `BufWriter::new` gives.
const BUFFER_BYTES: usize = 8 * 1024;

/// How a document is encoded and sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// json-rope: the whole document as a rope, then `write_to`.
    Rope,
    /// json-rope: bytes leave while the document is being encoded.
    Streaming,
    /// serde_json: the whole document as a vector, then `write_all`.
    Vec,
    /// serde_json: into a `BufWriter`.
    BufWriter,
}

impl Way {
    pub const ALL: [Way; 4] = [Way::Rope, Way::Streaming, Way::Vec, Way::BufWriter];

    pub fn name(self) -> &'static str {
        match self {
            Way::Rope => "rope + write_to",
            Way::Streaming => "streaming write",
            Way::Vec => "serde_json to_vec + write_all",
            Way::BufWriter => "serde_json into BufWriter",
        }
    }

    /// Encodes and sends `value`.
    pub fn send(self, encoder: &Encoder, value: &Value, socket: &mut Counted<'_>) -> io::Result<()> {
        match self {
            Way::Rope => encoder.encode_tree(value)?.write_to(socket),
            Way::Streaming => encoder.write(socket, value).map(drop).map_err(io::Error::from),
            Way::Vec => socket.write_all(&serde_json::to_vec(value)?),
            Way::BufWriter => {
                let mut writer = BufWriter::with_capacity(BUFFER_BYTES, socket);
                serde_json::to_writer(&mut writer, value)?;
                writer.flush()
            }
        }
    }
}

/// The sender's socket, and how often it was written to: each call is one system call.
pub struct Counted<'a> {
    socket: &'a TcpStream,
    calls: usize,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.calls += 1;
        self.socket.write(bytes)
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.calls += 1;
        self.socket.write_vectored(slices)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

/// What was measured of one transfer.
pub struct Transfer {
    /// From the start of the encoding until the reader's first `read` returned.
    pub first_byte: Duration,
    /// From the start of the encoding until the reader's acknowledgement of the last byte was back.
    pub total: Duration,
    /// Calls of the socket's `write` and `write_vectored`.
    pub calls: usize,
    /// What the reader received, if it was to be kept.
    pub received: Vec<u8>,
}

/// What the reader is told before a transfer.
#[derive(Default)]
struct Order {
    length: AtomicUsize,
    keep: AtomicBool,
}

/// One long-lived connection, with a thread that reads at its other end and acknowledges every document by one byte.
pub struct Link {
    socket: TcpStream,
    order: Arc<Order>,
    reports: Receiver<(Instant, Vec<u8>)>,
    reader: Option<JoinHandle<()>>,
}

impl Link {
    /// Connects, on a port that the system chooses.
    pub fn open() -> io::Result<Link> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let client = TcpStream::connect(listener.local_addr()?)?;
        let (socket, _) = listener.accept()?;
        for end in [&socket, &client] {
            end.set_nodelay(true)?;
        }
        socket.set_read_timeout(Some(TIMEOUT))?;
        socket.set_write_timeout(Some(TIMEOUT))?;
        let order = Arc::new(Order::default());
        let (sender, reports) = channel();
        let for_reader = Arc::clone(&order);
        // The reader ends when the connection does. Its errors show as a missing report or acknowledgement.
        let reader = thread::spawn(move || drop(read(client, &for_reader, &sender)));
        Ok(Link { socket, order, reports, reader: Some(reader) })
    }

    /// Sends a document of `length` bytes and waits for the acknowledgement.
    pub fn transfer(
        &mut self,
        length: usize,
        keep: bool,
        send: impl FnOnce(&mut Counted<'_>) -> io::Result<()>,
    ) -> io::Result<Transfer> {
        self.order.length.store(length, Ordering::SeqCst);
        self.order.keep.store(keep, Ordering::SeqCst);
        let mut counted = Counted { socket: &self.socket, calls: 0 };
        let start = Instant::now();
        send(&mut counted)?;
        let calls = counted.calls;
        self.socket.read_exact(&mut [0])?;
        let total = start.elapsed();
        let (first, received) = self.reports.recv().map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(Transfer { first_byte: first.saturating_duration_since(start), total, calls, received })
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // Wakes the reader, which then ends.
        let _ = self.socket.shutdown(Shutdown::Both);
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

/// Reads documents until the connection ends.
fn read(mut client: TcpStream, order: &Order, reports: &Sender<(Instant, Vec<u8>)>) -> io::Result<()> {
    let mut buffer = vec![1; READ_BYTES];
    loop {
        let mut length = client.read(&mut buffer)?;
        let first = Instant::now();
        let (expected, keep) = (order.length.load(Ordering::SeqCst), order.keep.load(Ordering::SeqCst));
        let mut received = Vec::new();
        let mut missing = expected;
        loop {
            if length == 0 || length > missing {
                return Ok(());
            }
            if keep {
                received.extend_from_slice(&buffer[..length]);
            }
            missing -= length;
            if missing == 0 {
                break;
            }
            length = client.read(&mut buffer)?;
        }
        if reports.send((first, received)).is_err() {
            return Ok(());
        }
        client.write_all(&[1])?;
    }
}
