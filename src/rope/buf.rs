//! [`Rope`] as a [`bytes::Buf`], which HTTP bodies and vectored writers read from.

use std::io::IoSlice;

use bytes::{Buf, BufMut, Bytes, BytesMut};

use super::Rope;

/// Reading consumes the rope from the front, and drops every chunk as soon as it is used up.
///
/// ```
/// use bytes::Buf;
///
/// let mut rope = json_rope::to_rope(&[10, 20])?;
/// rope.advance(1);
/// assert_eq!(rope.copy_to_bytes(2), "10");
/// assert_eq!(rope, ",20]");
/// # Ok::<(), json_rope::Error>(())
/// ```
impl Buf for Rope {
    fn remaining(&self) -> usize {
        self.len
    }

    fn chunk(&self) -> &[u8] {
        self.chunks().first().map_or(&[], |chunk| chunk)
    }

    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        let mut count = 0;
        for (slot, chunk) in slices.iter_mut().zip(self.chunks()) {
            *slot = IoSlice::new(chunk);
            count += 1;
        }
        count
    }

    fn advance(&mut self, mut count: usize) {
        assert!(count <= self.len, "cannot advance {count} bytes in a rope of {}", self.len);
        while count > 0 {
            let first = self.list[self.head].len();
            if first > count {
                self.list[self.head].advance(count);
                self.len -= count;
                break;
            }
            self.pop_front();
            count -= first;
        }
        self.check();
    }

    /// Shares the chunk, without a copy, if the bytes are in one chunk.
    fn copy_to_bytes(&mut self, len: usize) -> Bytes {
        assert!(len <= self.len, "cannot copy {len} bytes of a rope of {}", self.len);
        match self.chunks().first().map_or(0, Bytes::len) {
            _ if len == 0 => Bytes::new(),
            first if first == len => self.pop_front(),
            first if first > len => {
                self.len -= len;
                self.list[self.head].split_to(len)
            }
            _ => {
                let mut bytes = BytesMut::with_capacity(len);
                bytes.put(self.take(len));
                bytes.freeze()
            }
        }
    }
}
