//! Every way out of the crate. A new one is one entry of [`ways`].

use std::io::{self, IoSlice, Read, Write};

use bytes::{Bytes, BytesMut};
use json_rope::{Encoder, Error, Frame, Rope, VectoredSink, Writer};

use super::document::{Document, Random};
use super::pieces::Pusher;
use crate::support::frames::FRAMES;
use crate::support::values::Shape;

/// What comes out of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The document, by a function without settings: compact, or pretty.
    Everyday { pretty: bool },
    /// The document, perhaps in a frame.
    Document,
    /// The tree.
    Tree,
    /// The items as an array.
    Array,
    /// An object with the document, the items, how many there are, and the tree.
    Object,
    /// The items, each in its frame.
    Records,
}

pub struct Way {
    pub name: &'static str,
    pub source: Source,
    pub frame: Option<Frame>,
    run: Run,
}

type Run = fn(&Case<'_>) -> Output;

/// One document on one way.
pub struct Case<'a> {
    pub document: &'a Document,
    /// Whether it is to be the document that fails.
    pub fails: bool,
    pub encoder: &'a Encoder,
    pub way: &'a Way,
    pub seed: u64,
}

/// What was produced, or written, before the end or an error.
#[derive(Debug, Default)]
pub struct Output {
    pub bytes: Vec<u8>,
    /// The chunks, if there were any to be seen.
    pub chunks: Option<Vec<Bytes>>,
    /// How many bytes the call said it had written.
    pub counted: Option<u64>,
    /// Whether bytes of a document that failed are expected, up to the failure.
    pub is_partial: bool,
    pub error: Option<Error>,
}

impl Way {
    pub fn run(&self, case: &Case<'_>) -> Output {
        (self.run)(case)
    }
}

/// All of them.
pub fn ways() -> Vec<Way> {
    let mut ways = vec![
        way("to_rope", Source::Everyday { pretty: false }, |case| rope(json_rope::to_rope(case.root()))),
        way("to_rope_pretty", Source::Everyday { pretty: true }, |case| rope(json_rope::to_rope_pretty(case.root()))),
        way("to_chunks", Source::Everyday { pretty: false }, |case| {
            rope(json_rope::to_chunks(case.root()).map(Rope::from_iter))
        }),
        way("to_vec", Source::Everyday { pretty: false }, |case| vec(json_rope::to_vec(case.root()))),
        way("to_vec_pretty", Source::Everyday { pretty: true }, |case| vec(json_rope::to_vec_pretty(case.root()))),
        way("to_string", Source::Everyday { pretty: false }, |case| {
            vec(json_rope::to_string(case.root()).map(String::into_bytes))
        }),
        way("to_writer", Source::Everyday { pretty: false }, |case| {
            written(Vec::new(), |writer| json_rope::to_writer(writer, case.root()).map(|()| None), |writer| writer)
        }),
        way("to_writer_pretty", Source::Everyday { pretty: true }, |case| {
            let writer = case.short_writer().without_blocking();
            written(
                writer,
                |writer| json_rope::to_writer_pretty(writer, case.root()).map(|()| None),
                |writer| writer.bytes,
            )
        }),
        way("encode", Source::Document, |case| rope(case.encoder.encode(case.root()))),
        way("encode, the size is known", Source::Document, |case| {
            drop(case.encoder.encode(case.root()));
            rope(case.encoder.encode(case.root()))
        }),
        way("encode_into", Source::Document, |case| appended(|rope| case.encoder.encode_into(rope, case.root()))),
        way("encode, Rope::write_to", Source::Document, |case| {
            sent(case, |rope| {
                let mut writer = case.short_writer().without_blocking();
                rope.write_to(&mut writer).expect("writes");
                writer.bytes
            })
        }),
        way("encode, VectoredSink", Source::Document, |case| {
            sent(case, |rope| {
                let mut sink = VectoredSink::new(case.short_writer());
                let mut rope = rope;
                let first = rope.split_to(rope.len() / 3);
                sink.push(first);
                sink.push(rope);
                while sink.flush().is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock) {}
                assert_eq!(sink.pending(), 0);
                sink.into_parts().0.bytes
            })
        }),
        way("write", Source::Document, |case| {
            written(Vec::new(), |writer| case.encoder.write(writer, case.root()).map(Some), |writer| writer)
        }),
        way("write, short writes", Source::Document, |case| {
            let writer = case.short_writer().without_blocking();
            written(writer, |writer| case.encoder.write(writer, case.root()).map(Some), |writer| writer.bytes)
        }),
        way("write, not vectored", Source::Document, |case| {
            let writer = NotVectored(Vec::new());
            written(writer, |writer| case.encoder.write(writer, case.root()).map(Some), |writer| writer.0)
        }),
        way("encode_to_vec", Source::Document, |case| {
            let mut random = Random(case.seed);
            let mut all = Vec::with_capacity(6 + random.scaled(1_000_000));
            all.extend_from_slice(b"before");
            let result = case.encoder.encode_to_vec(&mut all, case.root());
            after("before", &all, result)
        }),
        way("encode_to_vec, no capacity", Source::Document, |case| {
            let mut all = Vec::new();
            let result = case.encoder.encode_to_vec(&mut all, case.root());
            after("", &all, result)
        }),
        way("encode_to_bytes_mut", Source::Document, |case| {
            let mut random = Random(case.seed);
            let mut all = BytesMut::with_capacity(6 + random.scaled(1_000_000));
            all.extend_from_slice(b"before");
            let result = case.encoder.encode_to_bytes_mut(&mut all, case.root());
            after("before", &all, result)
        }),
        way("measure", Source::Document, |case| match case.encoder.measure(case.root()) {
            Ok(len) => Output { counted: Some(len), ..rope(case.encoder.encode(case.root())) },
            Err(error) => Output { error: Some(error), ..Output::default() },
        }),
        way("Writer, in pieces", Source::Document, |case| {
            pushed(case, case.encoder.writer(), |pusher| pusher.push(case.root()))
        }),
        way("object", Source::Object, |case| {
            let count = std::cell::Cell::new(0);
            let items = case.items().iter().inspect(|_| count.set(count.get() + 1));
            let object = case.encoder.object().field("root", case.root()).array("items", items);
            drained(object.field_with("count", || count.get()).tree("a tree", &case.document.tree).chunks())
        }),
        way("object, write_to", Source::Object, |case| {
            let items = case.items().iter().map(Ok::<_, Error>);
            let object = case.encoder.object().field("root".to_owned(), case.root()).try_array("items", items);
            let object = object.field_with("count", || case.items().len()).tree("a tree", case.document.tree.clone());
            let write = |writer: &mut Vec<u8>| object.chunks().write_to(writer).map(Some);
            written(Vec::new(), write, |writer| writer)
        }),
        way("encode_tree", Source::Tree, |case| rope(case.encoder.encode_tree(&case.document.tree))),
        way("encode a tree", Source::Tree, |case| rope(case.encoder.encode(&case.document.tree))),
        way("chunks(&tree)", Source::Tree, |case| drained(case.encoder.chunks(&case.document.tree))),
        way("chunks(tree)", Source::Tree, |case| drained(case.encoder.chunks(case.document.tree.clone()))),
        way("chunks(Arc<tree>)", Source::Tree, |case| {
            drained(case.encoder.chunks(std::sync::Arc::new(case.document.tree.clone())))
        }),
        way("chunks(&tree), read", Source::Tree, |case| {
            read(case, case.encoder.chunks(&case.document.tree).into_reader())
        }),
        way("array", Source::Array, |case| drained(case.encoder.array(case.items()))),
        way("array, read", Source::Array, |case| read(case, case.encoder.array(case.items()).into_reader())),
        way("try_array", Source::Array, |case| {
            drained(case.encoder.try_array(case.items().iter().map(Ok::<_, Error>)))
        }),
        way("chunks(&tree), write_to", Source::Tree, |case| {
            let write = |writer: &mut Short| case.encoder.chunks(&case.document.tree).write_to(writer).map(Some);
            written(case.short_writer().without_blocking(), write, |writer| writer.bytes)
        }),
        way("array, write_to", Source::Array, |case| {
            let write = |writer: &mut Vec<u8>| case.encoder.array(case.items()).write_to(writer).map(Some);
            written(Vec::new(), write, |writer| writer)
        }),
    ];
    let framed: [(&str, Source, Run); 8] = [
        ("encode_framed", Source::Document, |case| rope(case.encoder.encode_framed(case.frame(), case.root()))),
        ("encode_framed_into", Source::Document, |case| {
            appended(|rope| case.encoder.encode_framed_into(case.frame(), rope, case.root()))
        }),
        ("write_framed", Source::Document, |case| {
            let write = |writer: &mut Vec<u8>| case.encoder.write_framed(case.frame(), writer, case.root()).map(Some);
            written(Vec::new(), write, |writer| writer)
        }),
        ("write_framed, short writes", Source::Document, |case| {
            let write = |writer: &mut Short| case.encoder.write_framed(case.frame(), writer, case.root()).map(Some);
            written(case.short_writer().without_blocking(), write, |writer| writer.bytes)
        }),
        ("records, write_to", Source::Records, |case| {
            let write =
                |writer: &mut Short| case.encoder.records(case.frame(), case.items()).write_to(writer).map(Some);
            written(case.short_writer().without_blocking(), write, |writer| writer.bytes)
        }),
        ("record_writer, in pieces", Source::Records, |case| {
            pushed(case, case.encoder.record_writer(case.frame()), |pusher| {
                case.items().iter().try_for_each(|item| pusher.push(item))
            })
        }),
        ("records", Source::Records, |case| drained(case.encoder.records(case.frame(), case.items()))),
        ("try_records, read", Source::Records, |case| {
            read(case, case.encoder.try_records(case.frame(), case.items().iter().map(Ok::<_, Error>)).into_reader())
        }),
    ];
    #[cfg(feature = "rayon")]
    ways.extend([
        way("par_encode_slice", Source::Array, |case| rope(case.encoder.par_encode_slice(case.items()))),
        way("Par, write", Source::Array, |case| {
            let write = |writer: &mut Vec<u8>| case.encoder.write(writer, &json_rope::Par(case.items())).map(Some);
            written(Vec::new(), write, |writer| writer)
        }),
        way("par_encode_tree", Source::Tree, |case| rope(case.encoder.par_encode_tree(&case.document.tree))),
    ]);
    #[cfg(feature = "rayon")]
    ways.extend(FRAMES.map(|frame| Way {
        name: "par_write_records",
        source: Source::Records,
        frame: Some(frame),
        run: |case| {
            let write =
                |writer: &mut Short| case.encoder.par_write_records(case.frame(), case.items(), writer).map(Some);
            written(case.short_writer().without_blocking(), write, |writer| writer.bytes)
        },
    }));
    #[cfg(feature = "stream")]
    ways.extend([
        way("array_stream", Source::Array, |case| streamed(case.encoder.array_stream(Dozing::new(case)))),
        way("try_array_stream, min_chunk", Source::Array, |case| {
            let items = futures_util::StreamExt::map(Dozing::new(case), Ok::<_, Error>);
            streamed(case.encoder.try_array_stream(items).min_chunk(1000))
        }),
        way("chunks(&tree), into_stream", Source::Tree, |case| {
            streamed(case.encoder.chunks(&case.document.tree).into_stream())
        }),
    ]);
    #[cfg(feature = "stream")]
    ways.extend(FRAMES.map(|frame| Way {
        name: "record_stream",
        source: Source::Records,
        frame: Some(frame),
        run: |case| streamed(case.encoder.record_stream(case.frame(), Dozing::new(case))),
    }));
    #[cfg(feature = "http-body")]
    ways.extend([
        way("encode, a body", Source::Document, |case| match case.encoder.encode(case.root()) {
            Ok(rope) => received(rope, |never| match never {}),
            Err(error) => Output { error: Some(error), ..Output::default() },
        }),
        way("array, into_body", Source::Array, |case| {
            received(case.encoder.array(case.items()).into_body(), |error| error)
        }),
        way("object, into_body", Source::Object, |case| {
            let object = case.encoder.object().field("root", case.root()).array("items", case.items());
            let object = object.field_with("count", || case.items().len()).tree("a tree", &case.document.tree);
            received(object.chunks().into_body(), |error| error)
        }),
    ]);
    for (name, source, run) in framed {
        ways.extend(FRAMES.map(|frame| Way { name, source, frame: Some(frame), run }));
    }
    ways
}

fn way(name: &'static str, source: Source, run: Run) -> Way {
    Way { name, source, frame: None, run }
}

impl<'a> Case<'a> {
    fn root(&self) -> &'a Shape {
        if self.fails { &self.document.failing.root } else { &self.document.whole.root }
    }

    fn items(&self) -> &'a [Shape] {
        if self.fails { &self.document.failing.items } else { &self.document.whole.items }
    }

    fn frame(&self) -> Frame {
        self.way.frame.expect("a way with a frame")
    }

    fn short_writer(&self) -> Short {
        Short { bytes: Vec::new(), random: Random(self.seed), blocks: true }
    }
}

fn vec(result: Result<Vec<u8>, Error>) -> Output {
    match result {
        Ok(bytes) => Output { bytes, ..Output::default() },
        Err(error) => Output { error: Some(error), ..Output::default() },
    }
}

fn rope(result: Result<Rope, Error>) -> Output {
    match result {
        Ok(rope) => Output { bytes: rope.to_vec(), chunks: Some(rope.into_chunks()), ..Output::default() },
        Err(error) => Output { error: Some(error), ..Output::default() },
    }
}

/// Appends to a rope, which is as before if that fails.
fn appended(append: impl FnOnce(&mut Rope) -> Result<(), Error>) -> Output {
    let mut all = Rope::from("before");
    let result = append(&mut all);
    assert_eq!(all.split_to(6), "before");
    let output = rope(Ok(all));
    assert!(result.is_ok() || output.bytes.is_empty(), "what failed was appended");
    Output { error: result.err(), ..output }
}

/// What was appended to memory that had `before` in it.
fn after(before: &str, all: &[u8], result: Result<(), Error>) -> Output {
    let bytes = all.strip_prefix(before.as_bytes()).expect("what was there before");
    assert!(result.is_ok() || bytes.is_empty(), "what failed was appended");
    Output { bytes: bytes.to_vec(), error: result.err(), ..Output::default() }
}

/// Pushes to a writer and takes all chunks.
fn pushed(case: &Case<'_>, writer: Writer, push: impl FnOnce(&mut Pusher<'_>) -> Result<(), Error>) -> Output {
    let mut pusher = Pusher { writer, random: &mut Random(case.seed), chunks: Vec::new() };
    let error = push(&mut pusher).and_then(|()| pusher.writer.finish()).err();
    pusher.take_all();
    assert_eq!(pusher.writer.pending(), 0, "something is left");
    let chunks = pusher.chunks;
    Output { bytes: chunks.concat(), chunks: Some(chunks), is_partial: true, error, ..Output::default() }
}

/// Encodes into memory, and sends that.
fn sent(case: &Case<'_>, send: impl FnOnce(Rope) -> Vec<u8>) -> Output {
    match case.encoder.encode(case.root()) {
        Ok(rope) => Output { bytes: send(rope), ..Output::default() },
        Err(error) => Output { error: Some(error), ..Output::default() },
    }
}

fn written<W>(
    mut writer: W,
    write: impl FnOnce(&mut W) -> Result<Option<u64>, Error>,
    bytes: impl FnOnce(W) -> Vec<u8>,
) -> Output {
    match write(&mut writer) {
        Ok(counted) => Output { bytes: bytes(writer), counted, ..Output::default() },
        Err(error) => Output { bytes: bytes(writer), is_partial: true, error: Some(error), ..Output::default() },
    }
}

fn drained(mut chunks: impl Iterator<Item = Result<Bytes, Error>>) -> Output {
    let (mut all, mut error) = (Vec::new(), None);
    for chunk in chunks.by_ref() {
        match chunk {
            Ok(chunk) => all.push(chunk),
            Err(first) => {
                error = Some(first);
                break;
            }
        }
    }
    assert!(chunks.next().is_none(), "something comes after the end or an error");
    Output { bytes: all.concat(), chunks: Some(all), is_partial: true, error, ..Output::default() }
}

/// The items as an async stream that now and then has nothing yet.
#[cfg(feature = "stream")]
struct Dozing<'a> {
    items: std::slice::Iter<'a, Shape>,
    random: Random,
}

#[cfg(feature = "stream")]
impl<'a> Dozing<'a> {
    fn new(case: &Case<'a>) -> Dozing<'a> {
        Dozing { items: case.items().iter(), random: Random(case.seed) }
    }
}

#[cfg(feature = "stream")]
impl<'a> futures_core::Stream for Dozing<'a> {
    type Item = &'a Shape;

    fn poll_next(self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<Option<&'a Shape>> {
        let Dozing { items, random } = self.get_mut();
        if random.one_in(4) { std::task::Poll::Pending } else { std::task::Poll::Ready(items.next()) }
    }
}

/// Takes all chunks of an async stream, however often it has none yet.
#[cfg(feature = "stream")]
fn streamed(mut chunks: impl futures_core::Stream<Item = Result<Bytes, Error>> + Unpin) -> Output {
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    let next = std::iter::from_fn(|| {
        loop {
            if let std::task::Poll::Ready(chunk) = std::pin::Pin::new(&mut chunks).poll_next(&mut cx) {
                return chunk;
            }
        }
    });
    // Chunks are short where the source had nothing.
    Output { chunks: None, ..drained(next) }
}

/// Takes all frames of a body, whose promises about its length have to hold.
#[cfg(feature = "http-body")]
fn received<B: http_body::Body<Data = Bytes> + Unpin>(mut body: B, error: impl Fn(B::Error) -> Error) -> Output {
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    let (least, most) = (body.size_hint().lower(), body.size_hint().upper());
    let next = std::iter::from_fn(|| {
        if body.is_end_stream() {
            return None;
        }
        loop {
            if let std::task::Poll::Ready(frame) = std::pin::Pin::new(&mut body).poll_frame(&mut cx) {
                return frame.map(|frame| match frame {
                    Ok(frame) => Ok(frame.into_data().expect("no trailers")),
                    Err(failure) => Err(error(failure)),
                });
            }
        }
    });
    let output = Output { chunks: None, ..drained(next) };
    let len = output.bytes.len() as u64;
    assert!(output.error.is_some() || (least <= len && most.is_none_or(|most| len <= most)), "the length was wrong");
    output
}

/// Reads pieces of random lengths.
fn read(case: &Case<'_>, mut reader: impl Read) -> Output {
    let mut random = Random(case.seed);
    let (mut bytes, mut buffer) = (Vec::new(), vec![0; 100_000]);
    let error = loop {
        let most = 1 + random.scaled(buffer.len() - 1);
        match reader.read(&mut buffer[..most]) {
            Ok(0) => break None,
            Ok(n) => bytes.extend_from_slice(&buffer[..n]),
            Err(error) => break Some(error.downcast::<Error>().expect("an error of the encoder")),
        }
    };
    Output { bytes, is_partial: true, error, ..Output::default() }
}

/// Takes as much of each call as it likes, and sometimes nothing.
struct Short {
    bytes: Vec<u8>,
    random: Random,
    blocks: bool,
}

impl Short {
    /// Is interrupted instead.
    fn without_blocking(self) -> Short {
        Short { blocks: false, ..self }
    }
}

impl Write for Short {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        if self.random.one_in(8) {
            return Err(if self.blocks { io::ErrorKind::WouldBlock } else { io::ErrorKind::Interrupted }.into());
        }
        let offered: usize = slices.iter().map(|slice| slice.len()).sum();
        assert!(offered > 0, "nothing is offered");
        let taken = if self.random.one_in(3) { offered } else { 1 + self.random.scaled(offered - 1) };
        let mut missing = taken;
        for slice in slices {
            let now = missing.min(slice.len());
            self.bytes.extend_from_slice(&slice[..now]);
            missing -= now;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A writer without `write_vectored`.
struct NotVectored(Vec<u8>);

impl Write for NotVectored {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
