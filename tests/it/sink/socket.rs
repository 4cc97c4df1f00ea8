//! Real sockets: loopback TCP and Unix socket pairs, blocking and non-blocking, with slow and with vanishing readers.
//!
//! Every test ends: reads and writes have a timeout, and loops a bound.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use json_rope::{Encoder, Rope, VectoredSink};
use json_rope_bench_data::documents;
use mio::event::Source;
use mio::{Events, Interest, Poll, Token};
use serde_json::Value;

/// Longer than any step takes, even on a busy machine; without it, a fault would hang the test.
const TIMEOUT: Duration = Duration::from_secs(20);

/// canada.json three times in an array: more than six megabytes, far more than sockets hold in their buffers.
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let canada: Value = serde_json::from_str(documents::canada()).unwrap();
    Value::Array(vec![canada.clone(), canada.clone(), canada])
});

static EXPECTED: LazyLock<Vec<u8>> = LazyLock::new(|| serde_json::to_vec(&*DOCUMENT).unwrap());

static ROPE: LazyLock<Rope> = LazyLock::new(|| json_rope::to_rope(&*DOCUMENT).unwrap());

fn tcp_pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (server, _) = listener.accept().unwrap();
    for socket in [&server, &client] {
        socket.set_read_timeout(Some(TIMEOUT)).unwrap();
        socket.set_write_timeout(Some(TIMEOUT)).unwrap();
    }
    (server, client)
}

#[cfg(unix)]
fn unix_pair() -> (std::os::unix::net::UnixStream, std::os::unix::net::UnixStream) {
    let (server, client) = std::os::unix::net::UnixStream::pair().unwrap();
    for socket in [&server, &client] {
        socket.set_read_timeout(Some(TIMEOUT)).unwrap();
        socket.set_write_timeout(Some(TIMEOUT)).unwrap();
    }
    (server, client)
}

/// How a test reader reads.
#[derive(Clone, Copy)]
enum Reader {
    /// Everything, at once.
    Quick,
    /// In small pieces, with pauses at first.
    Slow,
    /// So many bytes, and then it closes the connection with the rest unread.
    Closes(usize),
}

impl Reader {
    fn read(self, mut from: impl Read) -> Vec<u8> {
        let mut received = Vec::new();
        match self {
            Reader::Quick => _ = from.read_to_end(&mut received).unwrap(),
            Reader::Slow => {
                let mut piece = [0; 10_007];
                for round in 0.. {
                    if round < 40 {
                        thread::sleep(Duration::from_millis(3));
                    }
                    let length = from.read(&mut piece).unwrap();
                    if length == 0 {
                        break;
                    }
                    received.extend_from_slice(&piece[..length]);
                }
            }
            Reader::Closes(after) => _ = from.take(after as u64).read_to_end(&mut received).unwrap(),
        }
        received
    }
}

/// A way to send the document over a blocking socket.
type Way = fn(&mut dyn Write) -> io::Result<()>;

const WAYS: [(&str, Way); 5] = [
    ("write_to", |socket| ROPE.write_to(socket)),
    ("to_writer", |socket| Ok(json_rope::to_writer(socket, &*DOCUMENT)?)),
    ("BufWriter", |socket| {
        let mut writer = io::BufWriter::new(socket);
        json_rope::to_writer(&mut writer, &*DOCUMENT)?;
        writer.flush()
    }),
    ("small chunks", |socket| {
        let encoder = Encoder::builder().first_chunk(64).max_chunk(4096).build()?;
        assert_eq!(encoder.write(socket, &*DOCUMENT)?, EXPECTED.len() as u64);
        Ok(())
    }),
    ("sink", |socket| {
        let mut sink = VectoredSink::new(socket);
        sink.push(ROPE.clone());
        sink.flush()?;
        assert_eq!(sink.pending(), 0);
        Ok(())
    }),
];

/// Sends on this thread while another one reads, so many times or until there is an error, and gives what came of both.
fn transfer<S>((mut server, client): (S, S), reader: Reader, send: Way, times: usize) -> (io::Result<()>, Vec<u8>)
where
    S: Read + Write + Send,
{
    thread::scope(|scope| {
        let received = scope.spawn(move || reader.read(client));
        let sent = (0..times).try_for_each(|_| send(&mut server));
        drop(server);
        (sent, received.join().unwrap())
    })
}

fn check_transfer<S: Read + Write + Send>(pair: fn() -> (S, S), reader: Reader) {
    for (name, send) in WAYS {
        let (sent, received) = transfer(pair(), reader, send, 1);
        sent.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(received == *EXPECTED, "{name}");
    }
}

#[test]
fn tcp() {
    check_transfer(tcp_pair, Reader::Quick);
}

#[test]
fn tcp_with_a_slow_reader() {
    check_transfer(tcp_pair, Reader::Slow);
}

#[cfg(unix)]
#[test]
fn unix() {
    check_transfer(unix_pair, Reader::Quick);
}

#[cfg(unix)]
#[test]
fn unix_with_a_slow_reader() {
    check_transfer(unix_pair, Reader::Slow);
}

/// The error arrives with its kind, and no signal ends the process.
///
/// The kernel may take several documents before it learns that the reader is gone, so they are sent until it has.
fn check_closed_half_way<S: Read + Write + Send>(pair: fn() -> (S, S)) {
    for after in [0, 1, 1_000_000] {
        for (name, send) in WAYS {
            let (sent, received) = transfer(pair(), Reader::Closes(after), send, 50);
            let kind = sent.expect_err(name).kind();
            let expected = [ErrorKind::BrokenPipe, ErrorKind::ConnectionReset, ErrorKind::ConnectionAborted];
            assert!(expected.contains(&kind), "{name}: {kind:?}");
            assert!(received == EXPECTED[..after], "{name}");
        }
    }
}

#[test]
fn tcp_reader_closes_half_way() {
    check_closed_half_way(tcp_pair);
}

#[cfg(unix)]
#[test]
fn unix_reader_closes_half_way() {
    check_closed_half_way(unix_pair);
}

/// Flushes the sink whenever the socket is ready, and returns what `pending` was each time it had to wait.
fn flush_when_ready<S: Write + Source>(sink: &mut VectoredSink<S>) -> io::Result<Vec<usize>> {
    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(4);
    poll.registry().register(sink.get_mut(), Token(0), Interest::WRITABLE)?;
    let mut waits = Vec::new();
    for _ in 0..1_000_000 {
        match sink.flush() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                waits.push(sink.pending());
                poll.poll(&mut events, Some(TIMEOUT))?;
                if events.is_empty() {
                    return Err(ErrorKind::TimedOut.into());
                }
            }
            flushed => return flushed.map(|()| waits),
        }
    }
    Err(io::Error::other("too many rounds"))
}

/// The same with a non-blocking socket.
fn transfer_when_ready<S, C>(server: S, client: C, reader: Reader, ropes: &[Rope]) -> (io::Result<Vec<usize>>, Vec<u8>)
where
    S: Write + Source,
    C: Read + Send,
{
    thread::scope(|scope| {
        let received = scope.spawn(move || reader.read(client));
        let mut sink = VectoredSink::new(server);
        for rope in ropes {
            sink.push(rope.clone());
        }
        let sent = flush_when_ready(&mut sink);
        drop(sink);
        (sent, received.join().unwrap())
    })
}

fn mio_tcp_pair() -> (mio::net::TcpStream, TcpStream) {
    let (server, client) = tcp_pair();
    server.set_nonblocking(true).unwrap();
    (mio::net::TcpStream::from_std(server), client)
}

#[cfg(unix)]
fn mio_unix_pair() -> (mio::net::UnixStream, std::os::unix::net::UnixStream) {
    let (server, client) = unix_pair();
    server.set_nonblocking(true).unwrap();
    (mio::net::UnixStream::from_std(server), client)
}

fn check_non_blocking<S: Write + Source, C: Read + Send>(pair: fn() -> (S, C)) {
    let (server, client) = pair();
    let (waits, received) = transfer_when_ready(server, client, Reader::Quick, std::slice::from_ref(&*ROPE));
    waits.unwrap();
    assert!(received == *EXPECTED);

    // Far more than the buffers of the system hold, so that the sink has to wait.
    const DOCUMENTS: usize = 6;
    let (server, client) = pair();
    let (waits, received) = transfer_when_ready(server, client, Reader::Slow, &vec![ROPE.clone(); DOCUMENTS]);
    let waits = waits.unwrap();
    assert_eq!(received.len(), DOCUMENTS * EXPECTED.len());
    assert!(received.chunks(EXPECTED.len()).all(|document| document == *EXPECTED));
    // What is pending, and so the memory, falls from wait to wait.
    assert!(waits.len() > 1 && waits.is_sorted_by(|before, after| before >= after));
    assert!(waits[0] > waits[waits.len() - 1], "from {} to {}", waits[0], waits[waits.len() - 1]);

    // Many small documents: too many for a slice each.
    let messages: Vec<Rope> = (0..50_000).map(|i| json_rope::to_rope(&("message", i)).unwrap()).collect();
    let expected: Vec<u8> = messages.iter().flat_map(Rope::to_vec).collect();
    let (server, client) = pair();
    let (waits, received) = transfer_when_ready(server, client, Reader::Slow, &messages);
    waits.unwrap();
    assert!(received == expected);

    for after in [0, 1_000_000] {
        let (server, client) = pair();
        let (sent, received) = transfer_when_ready(server, client, Reader::Closes(after), &vec![ROPE.clone(); 20]);
        let kind = sent.unwrap_err().kind();
        assert!(matches!(kind, ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted));
        assert!(received == EXPECTED[..after]);
    }
}

#[test]
fn tcp_non_blocking() {
    check_non_blocking(mio_tcp_pair);
}

#[cfg(unix)]
#[test]
fn unix_non_blocking() {
    check_non_blocking(mio_unix_pair);
}

/// Without readiness, `write_to` on a full non-blocking socket is an error, and what had arrived is a prefix.
#[test]
fn a_blocked_socket_ends_write_to_and_to_writer() {
    for (name, send) in WAYS {
        let (mut server, client) = tcp_pair();
        server.set_nonblocking(true).unwrap();
        let sent = send(&mut server);
        assert_eq!(sent.expect_err(name).kind(), ErrorKind::WouldBlock, "{name}");
        drop(server);
        let received = Reader::Quick.read(client);
        assert!(received.len() < EXPECTED.len() && EXPECTED.starts_with(&received), "{name}");
    }
}
