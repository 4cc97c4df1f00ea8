//! Brackets, commas, colons, indentation, and the count of open containers.
//!
//! The opening bracket is written together with the first element or member, and otherwise together with the closing
//! bracket: then one token stands before each element, whichever it is, and an empty container is two bytes at once.

use super::Formatter;
use crate::error::{Error, Result};

impl<const PLAIN: bool> Formatter<'_, PLAIN> {
    /// Goes one container deeper.
    #[inline]
    pub(crate) fn open(&mut self) -> Result<()> {
        if self.depth >= self.max_depth {
            return Err(self.too_deep());
        }
        self.depth += 1;
        Ok(())
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn too_deep(&mut self) -> Error {
        let message = format!("nested deeper than max_depth, {} levels", self.max_depth);
        self.out.fail(Error::limit(message))
    }

    /// What stands before the element with this index.
    #[inline]
    pub(crate) fn before_element(&mut self, index: usize) -> Result<()> {
        self.out.put_byte(if index == 0 { b'[' } else { b',' })?;
        if PLAIN { Ok(()) } else { self.line_break(self.depth) }
    }

    /// The end of an array of `count` elements.
    #[inline]
    pub(crate) fn close_array(&mut self, count: usize) -> Result<()> {
        self.close(count, b"[]")
    }

    /// What stands before the key of the member with this index.
    #[inline]
    pub(crate) fn before_key(&mut self, index: usize) -> Result<()> {
        self.out.put_byte(if index == 0 { b'{' } else { b',' })?;
        if PLAIN {
            return Ok(());
        }
        if self.sorts() {
            self.begin_member(index);
        }
        self.line_break(self.depth)
    }

    /// What stands between a key and its value.
    #[inline]
    pub(crate) fn after_key(&mut self) -> Result<()> {
        if PLAIN || !self.options.pretty { self.out.put_byte(b':') } else { self.out.put(b": ") }
    }

    /// The end of an object of `count` members.
    #[inline]
    pub(crate) fn close_object(&mut self, count: usize) -> Result<()> {
        if self.sorts() && count > 0 {
            self.sort_members(count);
        }
        self.close(count, b"{}")
    }

    #[inline]
    fn close(&mut self, count: usize, brackets: &[u8; 2]) -> Result<()> {
        self.depth -= 1;
        if count == 0 {
            return self.out.put(brackets);
        }
        if !PLAIN {
            self.line_break(self.depth)?;
        }
        self.out.put_byte(brackets[1])
    }

    /// A new line, indented to `depth`; nothing in compact output.
    fn line_break(&mut self, depth: usize) -> Result<()> {
        if self.options.pretty {
            self.out.put_byte(b'\n')?;
            for _ in 0..depth {
                self.out.put(self.options.indent().as_bytes())?;
            }
        }
        Ok(())
    }
}
