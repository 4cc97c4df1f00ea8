//! Comparisons, conversions and printing of a [`Rope`].

use std::fmt::{self, Write as _};
use std::hash::{Hash, Hasher};
use std::iter::FusedIterator;
use std::slice;

use bytes::Bytes;

use super::Rope;

/// Shows the length and every chunk, as `bytes` shows them. Unused slab capacity is never shown.
impl fmt::Debug for Rope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rope").field("len", &self.len).field("chunks", &self.chunks()).finish()
    }
}

/// The content as text. Bytes that are not UTF-8, which no encoder makes, print as U+FFFD.
impl fmt::Display for Rope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.width().is_some() || f.precision().is_some() {
            return f.pad(&String::from_utf8_lossy(&self.to_vec()));
        }
        // Chunks that were pushed by hand may split a character: its first bytes wait here for the others.
        let mut split: Vec<u8> = Vec::new();
        for chunk in self.chunks() {
            let mut rest = &chunk[..];
            while !split.is_empty() && !rest.is_empty() {
                split.push(rest[0]);
                rest = &rest[1..];
                match std::str::from_utf8(&split) {
                    Ok(character) => f.write_str(character)?,
                    Err(error) if error.error_len().is_none() => continue,
                    Err(_) => {
                        // The new byte does not continue the character, so it starts something of its own.
                        f.write_char(char::REPLACEMENT_CHARACTER)?;
                        rest = &chunk[chunk.len() - rest.len() - 1..];
                    }
                }
                split.clear();
            }
            let mut pieces = rest.utf8_chunks().peekable();
            while let Some(piece) = pieces.next() {
                f.write_str(piece.valid())?;
                let is_last = pieces.peek().is_none();
                if is_last && std::str::from_utf8(piece.invalid()).is_err_and(|error| error.error_len().is_none()) {
                    split.extend_from_slice(piece.invalid());
                } else if !piece.invalid().is_empty() {
                    f.write_char(char::REPLACEMENT_CHARACTER)?;
                }
            }
        }
        if split.is_empty() { Ok(()) } else { f.write_char(char::REPLACEMENT_CHARACTER) }
    }
}

impl PartialEq for Rope {
    fn eq(&self, other: &Rope) -> bool {
        if self.len != other.len {
            return false;
        }
        let (mut left, mut right) = (self.chunks().iter(), other.chunks().iter());
        let (mut a, mut b): (&[u8], &[u8]) = (&[], &[]);
        loop {
            if a.is_empty() {
                match left.next() {
                    Some(chunk) => a = chunk,
                    None => return true,
                }
            }
            if b.is_empty() {
                match right.next() {
                    Some(chunk) => b = chunk,
                    None => return true,
                }
            }
            let common = a.len().min(b.len());
            if a[..common] != b[..common] {
                return false;
            }
            (a, b) = (&a[common..], &b[common..]);
        }
    }
}

impl Eq for Rope {}

impl PartialEq<[u8]> for Rope {
    fn eq(&self, mut other: &[u8]) -> bool {
        self.len == other.len()
            && self.chunks().iter().all(|chunk| {
                let (front, rest) = other.split_at(chunk.len());
                other = rest;
                chunk == front
            })
    }
}

macro_rules! compare_as_bytes {
    ($($other:ty),*) => {$(
        impl PartialEq<$other> for Rope {
            fn eq(&self, other: &$other) -> bool {
                let bytes: &[u8] = other.as_ref();
                *self == *bytes
            }
        }

        impl PartialEq<Rope> for $other {
            fn eq(&self, other: &Rope) -> bool {
                other == self
            }
        }
    )*};
}

compare_as_bytes!(str, &str, String, &[u8], Vec<u8>, Bytes);

impl<const N: usize> PartialEq<[u8; N]> for Rope {
    fn eq(&self, other: &[u8; N]) -> bool {
        *self == other[..]
    }
}

impl<const N: usize> PartialEq<&[u8; N]> for Rope {
    fn eq(&self, other: &&[u8; N]) -> bool {
        *self == other[..]
    }
}

impl PartialEq<Rope> for [u8] {
    fn eq(&self, other: &Rope) -> bool {
        other == self
    }
}

/// Equal ropes hash equally, however they are cut: the bytes go to the hasher in blocks of a fixed size.
impl Hash for Rope {
    fn hash<H: Hasher>(&self, state: &mut H) {
        const BLOCK: usize = 64;
        let mut block = [0; BLOCK];
        let mut filled = 0;
        state.write_usize(self.len);
        for chunk in self.chunks() {
            let mut rest = &chunk[..];
            while !rest.is_empty() {
                let (now, later) = rest.split_at(rest.len().min(BLOCK - filled));
                block[filled..filled + now.len()].copy_from_slice(now);
                filled += now.len();
                rest = later;
                if filled == BLOCK {
                    state.write(&block);
                    filled = 0;
                }
            }
        }
        state.write(&block[..filled]);
    }
}

impl From<Bytes> for Rope {
    fn from(bytes: Bytes) -> Rope {
        let mut rope = Rope::new();
        rope.push(bytes);
        rope
    }
}

impl From<Vec<u8>> for Rope {
    fn from(bytes: Vec<u8>) -> Rope {
        Bytes::from(bytes).into()
    }
}

impl From<String> for Rope {
    fn from(text: String) -> Rope {
        Bytes::from(text).into()
    }
}

impl From<&'static str> for Rope {
    fn from(text: &'static str) -> Rope {
        Bytes::from_static(text.as_bytes()).into()
    }
}

/// Takes the list as it is, without its empty chunks. O(number of chunks).
///
/// # Panics
/// If all chunks together have more than `usize::MAX` bytes.
impl From<Vec<Bytes>> for Rope {
    fn from(mut chunks: Vec<Bytes>) -> Rope {
        chunks.retain(|chunk| !chunk.is_empty());
        let len = chunks.iter().try_fold(0_usize, |len, chunk| len.checked_add(chunk.len()));
        Rope { len: len.expect("rope longer than usize::MAX"), head: 0, list: chunks.into() }
    }
}

/// As [`Rope::into_vec`].
impl From<Rope> for Vec<u8> {
    fn from(rope: Rope) -> Vec<u8> {
        rope.into_vec()
    }
}

/// As [`Rope::into_bytes`].
impl From<Rope> for Bytes {
    fn from(rope: Rope) -> Bytes {
        rope.into_bytes()
    }
}

impl FromIterator<Bytes> for Rope {
    fn from_iter<I: IntoIterator<Item = Bytes>>(chunks: I) -> Rope {
        let mut rope = Rope::new();
        rope.extend(chunks);
        rope
    }
}

/// One rope after another, as [`Rope::append`] does it.
impl FromIterator<Rope> for Rope {
    fn from_iter<I: IntoIterator<Item = Rope>>(ropes: I) -> Rope {
        let mut rope = Rope::new();
        rope.extend(ropes);
        rope
    }
}

impl Extend<Bytes> for Rope {
    fn extend<I: IntoIterator<Item = Bytes>>(&mut self, chunks: I) {
        for chunk in chunks {
            self.push(chunk);
        }
    }
}

/// As [`Rope::append`], for each of the ropes.
impl Extend<Rope> for Rope {
    fn extend<I: IntoIterator<Item = Rope>>(&mut self, ropes: I) {
        for rope in ropes {
            self.append(rope);
        }
    }
}

impl IntoIterator for Rope {
    type Item = Bytes;
    type IntoIter = IntoIter;

    fn into_iter(self) -> IntoIter {
        IntoIter(self)
    }
}

/// The chunks, borrowed.
impl<'a> IntoIterator for &'a Rope {
    type Item = &'a Bytes;
    type IntoIter = slice::Iter<'a, Bytes>;

    fn into_iter(self) -> slice::Iter<'a, Bytes> {
        self.chunks().iter()
    }
}

/// The chunks of a [`Rope`], by value. Made by [`Rope::into_iter`](IntoIterator::into_iter).
///
/// ```
/// let mut chunks = json_rope::Rope::from("[]").into_iter();
/// assert_eq!(chunks.next().as_deref(), Some(&b"[]"[..]));
/// assert_eq!(chunks.next(), None);
/// ```
#[derive(Debug)]
pub struct IntoIter(Rope);

impl Iterator for IntoIter {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        (!self.0.is_empty()).then(|| self.0.pop_front())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.chunks().len();
        (len, Some(len))
    }
}

impl ExactSizeIterator for IntoIter {}

impl FusedIterator for IntoIter {}
