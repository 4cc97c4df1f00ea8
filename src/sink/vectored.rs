//! The one loop that calls a writer, and its users that need no queue.

use std::io::{self, IoSlice, Write};
use std::{iter, mem};

use bytes::Buf;

use crate::out::Drain;
use crate::rope::Rope;

/// Bytes offered in one call. macOS and the BSDs fail with `EINVAL` above `i32::MAX`; Linux takes this many.
const MAX_CALL_BYTES: usize = 0x7fff_f000;

/// Slices offered in one call. Linux takes 1,024, some systems 16 (they write those and report a short write). More
/// than 64 gain nothing: 64 slices of 64 KiB are 4 MiB a call.
const MAX_SLICES: usize = 64;

/// If a call could offer fewer bytes than this although there are more, many slices are first copied into one: a system
/// call costs as much as copying some tens of kilobytes.
const MIN_VECTORED_BYTES: usize = 16 * 1024;

/// The size of that copy, and the number of slices it is made from.
const MAX_STAGED_BYTES: usize = 64 * 1024;
const MAX_STAGED_SLICES: usize = 1024;

/// Writes bytes with few calls, and remembers between calls what kind of writer this is.
pub(super) struct VectoredLoop {
    /// Whether the last call that could tell took its first slice and nothing of the second, as every call of a writer
    /// without its own `write_vectored` does. A short write can end there by chance, so it is only believed until a
    /// call takes more. Every call offers more than one slice if there is more than one, which makes this free.
    first_slice_only: bool,
    max_call_bytes: usize,
    stage: Vec<u8>,
}

impl VectoredLoop {
    pub(super) fn new() -> Self {
        VectoredLoop { first_slice_only: false, max_call_bytes: MAX_CALL_BYTES, stage: Vec::new() }
    }

    /// Writes all of `bytes`, and advances it by exactly the bytes that the writer took, even if it fails.
    pub(super) fn write_all(&mut self, writer: &mut dyn Write, bytes: &mut dyn Buf) -> io::Result<()> {
        while bytes.has_remaining() {
            self.write_some(writer, bytes)?;
        }
        Ok(())
    }

    /// Frees the memory of the copy.
    pub(super) fn shrink(&mut self) {
        self.stage = Vec::new();
    }

    /// One successful call of the writer, or several if the bytes are copied first.
    fn write_some(&mut self, writer: &mut dyn Write, bytes: &mut dyn Buf) -> io::Result<()> {
        let mut slices = [IoSlice::new(&[]); MAX_SLICES];
        let count = bytes.chunks_vectored(&mut slices);
        let slices = &slices[..count];
        let is_short = if self.first_slice_only {
            count > 1 && slices[0].len() < MIN_VECTORED_BYTES
        } else {
            let offered: usize = slices.iter().map(|slice| slice.len()).sum();
            count == MAX_SLICES && offered < MIN_VECTORED_BYTES && offered < bytes.remaining()
        };
        if is_short {
            return self.write_staged(writer, bytes);
        }
        let written = self.call(writer, slices)?;
        bytes.advance(written);
        Ok(())
    }

    /// Copies many slices into one, and writes that. The slices after it are offered with it.
    #[cold]
    fn write_staged(&mut self, writer: &mut dyn Write, bytes: &mut dyn Buf) -> io::Result<()> {
        let mut stage = mem::take(&mut self.stage);
        stage.clear();
        stage.reserve(bytes.remaining().min(MAX_STAGED_BYTES));
        let result = self.write_with_stage(writer, bytes, &mut stage);
        self.stage = stage;
        result
    }

    fn write_with_stage(&mut self, writer: &mut dyn Write, bytes: &mut dyn Buf, stage: &mut Vec<u8>) -> io::Result<()> {
        let mut slices = [IoSlice::new(&[]); MAX_STAGED_SLICES];
        let count = bytes.chunks_vectored(&mut slices);
        let mut following = slices[..count].iter().map(|slice| &**slice);
        let mut cut: &[u8] = &[];
        while cut.is_empty() {
            let Some(slice) = following.next() else { break };
            let (front, rest) = slice.split_at(slice.len().min(MAX_STAGED_BYTES - stage.len()));
            stage.extend_from_slice(front);
            cut = rest;
        }
        let mut offered = [IoSlice::new(&[]); MAX_SLICES];
        let mut count = 0;
        let cut = Some(cut).filter(|cut| !cut.is_empty());
        for (slot, slice) in offered.iter_mut().zip(iter::once(&stage[..]).chain(cut).chain(following)) {
            *slot = IoSlice::new(slice);
            count += 1;
        }
        let mut written = self.call(writer, &offered[..count])?;
        bytes.advance(written);
        let mut rest = stage.get(written..).unwrap_or(&[]);
        while !rest.is_empty() {
            written = self.call(writer, &[IoSlice::new(rest)])?;
            // Advanced at once, in case the next call fails or panics.
            bytes.advance(written);
            rest = &rest[written..];
        }
        Ok(())
    }

    /// Offers as many of the slices, which are not empty, as one call may have, and returns how many bytes were taken.
    fn call(&mut self, writer: &mut dyn Write, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let (mut count, mut offered) = (0, 0);
        for slice in slices {
            if slice.len() > self.max_call_bytes - offered {
                break;
            }
            offered += slice.len();
            count += 1;
        }
        let first = &slices[0][..slices[0].len().min(self.max_call_bytes)];
        if count <= 1 {
            return retry(|| writer.write(first), first.len());
        }
        let written = retry(|| writer.write_vectored(&slices[..count]), offered)?;
        if written >= first.len() {
            self.first_slice_only = written == first.len();
        }
        Ok(written)
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
struct SliceBuf<'a, T> {
    slices: &'a [T],
    /// Bytes of the first slice that were consumed.
    used: usize,
    remaining: usize,
}

impl<'a, T: AsRef<[u8]>> SliceBuf<'a, T> {
    fn new(slices: &'a [T]) -> Self {
        SliceBuf { slices, used: 0, remaining: slices.iter().map(|slice| slice.as_ref().len()).sum() }
    }
}

impl<T: AsRef<[u8]>> Buf for SliceBuf<'_, T> {
    fn remaining(&self) -> usize {
        self.remaining
    }

    fn chunk(&self) -> &[u8] {
        self.slices.first().map_or(&[], |slice| &slice.as_ref()[self.used..])
    }

    fn chunks_vectored<'a>(&'a self, slots: &mut [IoSlice<'a>]) -> usize {
        let mut used = self.used;
        let mut count = 0;
        for (slot, slice) in slots.iter_mut().zip(self.slices) {
            *slot = IoSlice::new(&slice.as_ref()[used..]);
            used = 0;
            count += 1;
        }
        count
    }

    fn advance(&mut self, count: usize) {
        self.remaining -= count;
        self.used += count;
        while let [first, rest @ ..] = self.slices {
            if self.used < first.as_ref().len() {
                break;
            }
            self.used -= first.as_ref().len();
            self.slices = rest;
        }
    }
}

impl Rope {
    /// Writes the whole rope with as few calls as the writer allows: one vectored call if it takes everything. Does not
    /// flush the writer. A writer can be passed by value or as `&mut writer`.
    ///
    /// A call offers at most 64 slices and less than 2 GiB, which every system accepts. Short writes are continued and
    /// interrupted ones repeated. Nothing is copied, except many small chunks, or small chunks for a writer that takes
    /// one slice a call: those are copied together, 64 KiB at a time, so that they do not cost a call each.
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
    /// The first error of the writer other than `Interrupted`; `WriteZero` if it takes nothing; `InvalidData` if it
    /// claims to have taken more than it was given. The writer has then received a prefix of the rope, of unknown
    /// length: to carry on after `WouldBlock`, use a [`VectoredSink`](crate::VectoredSink).
    pub fn write_to(&self, mut writer: impl Write) -> io::Result<()> {
        VectoredLoop::new().write_all(&mut writer, &mut SliceBuf::new(self.chunks()))
    }
}

/// The writer at the end of a streaming encode.
pub(crate) struct WriterDrain<'w> {
    writer: &'w mut dyn Write,
    vectored: VectoredLoop,
}

impl<'w> WriterDrain<'w> {
    pub(crate) fn new(writer: &'w mut dyn Write) -> Self {
        WriterDrain { writer, vectored: VectoredLoop::new() }
    }
}

impl Drain for WriterDrain<'_> {
    fn drain(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        self.vectored.write_all(self.writer, &mut SliceBuf::new(parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes everything, but refuses calls of more than `limit` bytes.
    struct Refusing {
        limit: usize,
        taken: Vec<u8>,
        calls: usize,
    }

    impl Write for Refusing {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.write_vectored(&[IoSlice::new(bytes)])
        }

        fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
            let offered: usize = slices.iter().map(|slice| slice.len()).sum();
            if offered > self.limit {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            self.calls += 1;
            self.taken.extend(slices.iter().flat_map(|slice| slice.iter()));
            Ok(offered)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn calls(lens: &[usize], limit: usize) -> usize {
        let slices: Vec<Vec<u8>> = (1..).zip(lens).map(|(byte, &len)| vec![byte; len]).collect();
        let mut writer = Refusing { limit, taken: Vec::new(), calls: 0 };
        let mut vectored = VectoredLoop { max_call_bytes: limit, ..VectoredLoop::new() };
        vectored.write_all(&mut writer, &mut SliceBuf::new(&slices)).expect("no call is too large");
        assert_eq!(writer.taken, slices.concat());
        writer.calls
    }

    #[test]
    fn no_call_offers_more_than_the_limit() {
        for limit in 1..20 {
            for lens in [&[1][..], &[9], &[100], &[3, 5, 1, 1, 7], &[1, 40, 1], &[40, 1, 40], &[1; 70], &[8; 70]] {
                calls(lens, limit);
            }
        }
        // Few calls all the same: one slice in parts, or whole slices together.
        assert_eq!(calls(&[100], 30), 4);
        assert_eq!(calls(&[10; 9], 30), 3);
        assert_eq!(calls(&[10, 20, 5, 25, 30], 30), 3);
    }
}
