//! Brackets, commas, colons, indentation, and the count of open containers.
//!
//! The opening bracket is written together with the first element or member, and otherwise together with the closing
//! bracket: then one token stands before each element, whichever it is, and an empty container is two bytes at once.

use super::Formatter;
use crate::error::{Error, Result};
use crate::options::{DATA, LineBreaks};

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
        self.start(if index == 0 { b'[' } else { b',' })
    }

    /// The end of an array of `count` elements.
    #[inline]
    pub(crate) fn close_array(&mut self, count: usize) -> Result<()> {
        self.close(count, b"[]")
    }

    /// What stands before the key of the member with this index.
    #[inline]
    pub(crate) fn before_key(&mut self, index: usize) -> Result<()> {
        let mark = if index == 0 { b'{' } else { b',' };
        if self.sorts() {
            // The mark stays where it is, whichever member comes after it.
            self.out.put_byte(mark)?;
            self.begin_member(index)?;
            return if self.options.pretty { self.new_line(None, None) } else { Ok(()) };
        }
        self.start(mark)
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
            self.sort_members();
        }
        self.close(count, b"{}")
    }

    #[inline]
    fn close(&mut self, count: usize, brackets: &[u8; 2]) -> Result<()> {
        self.depth -= 1;
        if count == 0 {
            return self.out.put(brackets);
        }
        if !PLAIN && self.options.pretty {
            return self.new_line(None, Some(brackets[1]));
        }
        self.out.put_byte(brackets[1])
    }

    /// A bracket or comma, and in pretty output the new line behind it.
    #[inline]
    fn start(&mut self, mark: u8) -> Result<()> {
        if PLAIN || !self.options.pretty { self.out.put_byte(mark) } else { self.new_line(Some(mark), None) }
    }

    /// Begins the template of lines with one step of indentation, from which longer ones are made.
    pub(super) fn begin_line_template(&mut self, indent: &str) {
        self.line.extend_from_slice(b",\n");
        self.line.extend_from_slice(indent.as_bytes());
        self.indent_len = indent.len();
    }

    /// A new line, indented to the depth, between the given marks.
    fn new_line(&mut self, before: Option<u8>, after: Option<u8>) -> Result<()> {
        if matches!(self.line_breaks, LineBreaks::Removed | LineBreaks::WithData) {
            return self.new_framed_line(before, after);
        }
        // All but the marks is the same for every line of a depth, so it is put together once.
        let len = 2 + self.depth * self.indent_len;
        while self.line.len() < len {
            for at in 2..2 + self.indent_len {
                self.line.push(self.line[at]);
            }
        }
        self.line[0] = before.unwrap_or_default();
        self.out.put(&self.line[usize::from(before.is_none())..len])?;
        match after {
            Some(mark) => self.out.put_byte(mark),
            None => Ok(()),
        }
    }

    /// The same where line breaks are part of a frame, also those that the indentation may have.
    #[cold]
    fn new_framed_line(&mut self, before: Option<u8>, after: Option<u8>) -> Result<()> {
        self.out.put(before.as_slice())?;
        self.line_break()?;
        for _ in 0..self.depth {
            for at in 2..2 + self.indent_len {
                match self.line[at] {
                    b'\n' => self.line_break()?,
                    b'\r' => {}
                    byte => self.out.put_byte(byte)?,
                }
            }
        }
        self.out.put(after.as_slice())
    }

    /// A line break, as the frame wants it.
    pub(super) fn line_break(&mut self) -> Result<()> {
        match self.line_breaks {
            LineBreaks::Kept | LineBreaks::KeptInSequence => self.out.put_byte(b'\n'),
            LineBreaks::Removed => Ok(()),
            LineBreaks::WithData => {
                self.out.raise_limit(DATA.len());
                self.out.put_byte(b'\n')?;
                self.out.put(DATA)
            }
        }
    }
}
