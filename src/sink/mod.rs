//! Bytes on their way into an `io::Write`: the one vectored loop, [`Rope::write_to`], the streaming edge of `out`, and
//! the resumable [`VectoredSink`]. `encoder` uses it.

use std::fmt;
use std::io::{self, IoSlice, Write};

use bytes::{Buf, Bytes, BytesMut};

use crate::out::Drain;
use crate::rope::Rope;

/// Slices handed to one vectored call at most. Linux takes 1,024 and some systems 16 (they take the first ones and
/// report a short write); beyond 64 there is nothing left to gain, since 64 slices of 64 KiB are 4 MiB a call.
const MAX_SLICES: usize = 64;

/// If [`MAX_SLICES`] slices, or the one slice that a call is good for, have fewer bytes than this together, they are
/// copied into one buffer instead, with more of their neighbours: a system call costs as much as copying some tens of
/// kilobytes.
const FEW_BYTES: usize = 16 * 1024;

/// Bytes copied into one buffer at most, and from how many slices.
const STAGE_BYTES: usize = 64 * 1024;
const STAGE_SLICES: usize = 1024;

/// A pushed chunk below this length is copied behind its neighbour in a [`VectoredSink`], if both fit [`MERGED_BYTES`].
const MERGE_BELOW: usize = 2 * 1024;
const MERGED_BYTES: usize = 16 * 1024;

/// The vectored loop, and what it has learnt about its writer.
#[derive(Default)]
struct VectoredLoop {
    /// Whether the writer seems to take the first slice only, as writers without a vectored `write` do.
    first_slice_only: bool,
    stage: Vec<u8>,
}

impl VectoredLoop {
    /// Writes all of `bytes`, and advances it by exactly what the writer took, also when there is an error.
    fn drain(&mut self, writer: &mut dyn Write, bytes: &mut dyn Buf) -> io::Result<()> {
        while bytes.has_remaining() {
            self.write_once(writer, bytes)?;
        }
        Ok(())
    }

    /// One successful call of the writer, or several with one copy.
    fn write_once(&mut self, writer: &mut dyn Write, bytes: &mut dyn Buf) -> io::Result<()> {
        let mut slices = [IoSlice::new(&[]); MAX_SLICES];
        let count = bytes.chunks_vectored(&mut slices);
        let offered: usize = slices[..count].iter().map(|slice| slice.len()).sum();
        // What this call is good for, if the writer behaves as before.
        let probable = if self.first_slice_only { slices[0].len() } else { offered };
        let more = bytes.remaining() > offered;
        if count > 1 && probable < FEW_BYTES && (self.first_slice_only || (more && count == MAX_SLICES)) {
            return self.write_staged(writer, bytes);
        }
        let written = retry(|| writer.write_vectored(&slices[..count]), offered)?;
        self.first_slice_only = count > 1 && written == slices[0].len();
        bytes.advance(written);
        Ok(())
    }

    /// The same with a copy of many small slices, until all of it is written.
    #[cold]
    fn write_staged(&mut self, writer: &mut dyn Write, bytes: &mut dyn Buf) -> io::Result<()> {
        let mut slices = [IoSlice::new(&[]); STAGE_SLICES];
        let count = bytes.chunks_vectored(&mut slices);
        self.stage.clear();
        self.stage.reserve(bytes.remaining().min(STAGE_BYTES));
        for slice in &slices[..count] {
            let room = STAGE_BYTES - self.stage.len();
            self.stage.extend_from_slice(&slice[..slice.len().min(room)]);
        }
        let mut rest = &self.stage[..];
        while !rest.is_empty() {
            let written = retry(|| writer.write(rest), rest.len())?;
            // At once, should the next call fail or panic.
            bytes.advance(written);
            rest = &rest[written..];
        }
        Ok(())
    }
}

/// Calls `write` until it is not interrupted, and checks what it says.
fn retry(mut write: impl FnMut() -> io::Result<usize>, offered: usize) -> io::Result<usize> {
    loop {
        return match write() {
            Ok(0) => Err(io::Error::new(io::ErrorKind::WriteZero, "the writer takes no more bytes")),
            Ok(written) if written > offered => {
                let message = "the writer claims to have taken more bytes than it was given";
                Err(io::Error::new(io::ErrorKind::InvalidData, message))
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            result => result,
        };
    }
}

/// Borrowed slices, none of them empty, as a `Buf`.
struct Parts<'a, T> {
    parts: &'a [T],
    /// Bytes of the first part that are used up.
    used: usize,
    remaining: usize,
}

impl<'a, T: AsRef<[u8]>> Parts<'a, T> {
    fn new(parts: &'a [T]) -> Self {
        Parts { parts, used: 0, remaining: parts.iter().map(|part| part.as_ref().len()).sum() }
    }
}

impl<T: AsRef<[u8]>> Buf for Parts<'_, T> {
    fn remaining(&self) -> usize {
        self.remaining
    }

    fn chunk(&self) -> &[u8] {
        self.parts.first().map_or(&[], |part| &part.as_ref()[self.used..])
    }

    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        let mut used = self.used;
        let mut count = 0;
        for (slot, part) in slices.iter_mut().zip(self.parts) {
            *slot = IoSlice::new(&part.as_ref()[used..]);
            used = 0;
            count += 1;
        }
        count
    }

    fn advance(&mut self, count: usize) {
        self.remaining -= count;
        self.used += count;
        while let [first, rest @ ..] = self.parts
            && self.used >= first.as_ref().len()
        {
            self.used -= first.as_ref().len();
            self.parts = rest;
        }
    }
}

impl Rope {
    /// Writes the whole rope, with as few calls as the writer allows: one vectored call if it takes everything, at most
    /// 64 slices a call. Short writes are continued and interrupted ones repeated. Many small chunks, or any small
    /// ones if the writer takes only the first slice of a call, are copied together first. Does not flush the writer.
    ///
    /// ```
    /// let rope = json_rope::to_rope(&vec![1; 50_000])?;
    /// let mut out = Vec::new();
    /// rope.write_to(&mut out)?;
    /// assert_eq!(rope, out);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The first error of the writer other than `Interrupted`, `WriteZero` if it takes nothing, `InvalidData` if it
    /// claims to have taken more than it was given. The writer has then received a prefix of the rope, of unknown
    /// length: to carry on after `WouldBlock`, use a [`VectoredSink`].
    pub fn write_to(&self, mut writer: &mut (impl Write + ?Sized)) -> io::Result<()> {
        VectoredLoop::default().drain(&mut writer, &mut Parts::new(self.chunks()))
    }
}

/// The writer at the end of a streaming encode.
pub(crate) struct WriterDrain<'w> {
    writer: &'w mut dyn Write,
    drain: VectoredLoop,
}

impl<'w> WriterDrain<'w> {
    pub(crate) fn new(writer: &'w mut dyn Write) -> Self {
        WriterDrain { writer, drain: VectoredLoop::default() }
    }

    /// Writes all of `bytes`.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.drain.drain(self.writer, &mut &*bytes)
    }
}

impl Drain for WriterDrain<'_> {
    fn drain(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        self.drain.drain(self.writer, &mut Parts::new(parts))
    }
}

/// A queue of chunks on its way into a writer that may not take them all at once, such as a non-blocking socket.
///
/// [`push`](Self::push) ropes, then [`flush`](Self::flush). On `WouldBlock`, or any other error, everything unsent
/// stays queued, and the next `flush` carries on exactly there. Chunks are let go of as they are sent, so memory falls
/// while a slow reader drains. Nothing is written when the sink is dropped.
///
/// Chunks of less than 2 KiB that are pushed one after another are copied together, up to 16 KiB, so that many small
/// documents do not make many small slices.
///
/// ```
/// use json_rope::{VectoredSink, to_rope};
///
/// let mut sink = VectoredSink::new(Vec::new());
/// sink.push(to_rope(&[1, 2])?);
/// sink.push(to_rope("x")?);
/// assert_eq!(sink.pending(), 8);
/// sink.flush()?;
/// assert_eq!(sink.get_ref(), b"[1,2]\"x\"");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "what was pushed is only sent by `flush`"]
pub struct VectoredSink<W> {
    writer: W,
    queue: Rope,
    /// Small chunks that were pushed last: behind the queue, and still growing.
    open: BytesMut,
    drain: VectoredLoop,
}

impl<W> VectoredSink<W> {
    /// A sink with nothing in its queue. Allocates nothing.
    ///
    /// ```
    /// let sink = json_rope::VectoredSink::new(std::io::sink());
    /// assert_eq!(sink.pending(), 0);
    /// ```
    pub fn new(writer: W) -> VectoredSink<W> {
        VectoredSink { writer, queue: Rope::new(), open: BytesMut::new(), drain: VectoredLoop::default() }
    }

    /// Adds a rope at the end of the queue. Copies only chunks of less than 2 KiB. Writes nothing.
    ///
    /// ```
    /// let mut sink = json_rope::VectoredSink::new(std::io::sink());
    /// sink.push(json_rope::to_rope("a")?);
    /// assert_eq!(sink.pending(), 3);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn push(&mut self, rope: Rope) {
        for chunk in rope {
            if chunk.len() >= MERGE_BELOW {
                self.close_open();
                self.queue.push(chunk);
            } else {
                self.merge(&chunk);
            }
        }
    }

    /// Bytes that were pushed and not yet taken by the writer. O(1).
    ///
    /// ```
    /// let mut room = [0; 2];
    /// let mut sink = json_rope::VectoredSink::new(&mut room[..]);
    /// sink.push("abc".into());
    /// assert!(sink.flush().is_err()); // there is room for two bytes only
    /// assert_eq!(sink.pending(), 1);
    /// ```
    pub fn pending(&self) -> usize {
        self.queue.len() + self.open.len()
    }

    /// The writer.
    ///
    /// ```
    /// let sink = json_rope::VectoredSink::new(vec![1, 2]);
    /// assert_eq!(sink.get_ref().len(), 2);
    /// ```
    pub fn get_ref(&self) -> &W {
        &self.writer
    }

    /// The writer, to change it. What is written to it directly overtakes the queue.
    ///
    /// ```
    /// let mut sink = json_rope::VectoredSink::new(vec![1, 2]);
    /// sink.get_mut().clear();
    /// ```
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.writer
    }

    /// The writer, and the bytes that it has not taken.
    ///
    /// ```
    /// let mut sink = json_rope::VectoredSink::new(Vec::<u8>::new());
    /// sink.push("abc".into());
    /// let (writer, unsent) = sink.into_parts();
    /// assert!(writer.is_empty());
    /// assert_eq!(unsent, "abc");
    /// ```
    pub fn into_parts(mut self) -> (W, Rope) {
        self.close_open();
        (self.writer, self.queue)
    }

    /// Copies a small chunk behind the open ones, or behind new ones if it does not fit there.
    fn merge(&mut self, chunk: &Bytes) {
        if self.open.len() + chunk.len() > MERGED_BYTES {
            self.close_open();
        }
        // `try_reclaim` finds the room that sent bytes have left.
        if self.open.capacity() - self.open.len() < chunk.len() && !self.open.try_reclaim(chunk.len()) {
            // Starts small and doubles, so that a sink with one small message stays small.
            let capacity = (2 * (self.open.len() + chunk.len())).min(MERGED_BYTES);
            let mut larger = BytesMut::with_capacity(capacity);
            larger.extend_from_slice(&self.open);
            self.open = larger;
        }
        self.open.extend_from_slice(chunk);
    }

    fn close_open(&mut self) {
        if self.open.is_empty() {
            return;
        }
        // What is left of the capacity serves the next small chunks.
        self.queue.push(self.open.split().freeze());
    }
}

impl<W: Write> VectoredSink<W> {
    /// Writes as much of the queue as the writer takes, vectored, and then flushes the writer.
    ///
    /// ```
    /// let mut sink = json_rope::VectoredSink::new(Vec::new());
    /// sink.push("[]".into());
    /// sink.flush()?;
    /// assert_eq!(sink.pending(), 0);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first error of the writer other than `Interrupted`. What it did not take stays in the queue. After
    /// `WouldBlock`, call `flush` again when the writer is ready. `WriteZero` if it takes nothing; `InvalidData` if it
    /// claims to have taken more than it was given.
    pub fn flush(&mut self) -> io::Result<()> {
        // The open chunk stays open: small chunks still merge while the writer takes nothing.
        let result = self.drain.drain(&mut self.writer, &mut (&mut self.queue).chain(&mut self.open));
        if self.pending() == 0 {
            // An idle connection keeps no buffer.
            self.drain.stage = Vec::new();
        }
        result?;
        loop {
            match self.writer.flush() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}

impl<W: fmt::Debug> fmt::Debug for VectoredSink<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VectoredSink").field("writer", &self.writer).field("pending", &self.pending()).finish()
    }
}
