//! Brackets, commas, colons, indentation, and the count of open containers.
//!
//! The opening bracket is written together with the first element or member, and otherwise together with the closing
//! bracket. So there is one token before every element, the first included, and an empty container is two bytes at
//! once.

use super::Formatter;
use crate::error::{Error, Result};
use crate::frame::{Newlines, SSE_DATA};

impl<const PLAIN: bool> Formatter<'_, PLAIN> {
    /// Enters a container.
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

    /// Writes what comes before the element with this index.
    #[inline]
    pub(crate) fn before_element(&mut self, index: usize) -> Result<()> {
        self.start(if index == 0 { b'[' } else { b',' })
    }

    /// The end of an array of `count` elements.
    #[inline]
    pub(crate) fn close_array(&mut self, count: usize) -> Result<()> {
        self.close(count, b"[]")
    }

    /// Writes what comes before the key of the member with this index.
    #[inline]
    pub(crate) fn before_key(&mut self, index: usize) -> Result<()> {
        let mark = if index == 0 { b'{' } else { b',' };
        if self.sorts() {
            // Sorting moves members, not what is between them.
            match index {
                0 => self.begin_members()?,
                _ => self.end_member(),
            }
            self.start(mark)?;
            self.begin_member();
            return Ok(());
        }
        self.start(mark)
    }

    /// The text between a key and its value.
    #[inline]
    pub(crate) fn after_key(&mut self) -> Result<()> {
        if PLAIN || !self.options.pretty { self.out.put_byte(b':') } else { self.out.put(b": ") }
    }

    /// The end of an object of `count` members.
    #[inline]
    pub(crate) fn close_object(&mut self, count: usize) -> Result<()> {
        if self.sorts() && count > 0 {
            // While the places for line breaks are known.
            self.decide_line()?;
            self.sort_members()?;
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
            let bracket = brackets[1];
            return if self.close_in_line(bracket)? { Ok(()) } else { self.new_line(None, Some(bracket)) };
        }
        self.out.put_byte(brackets[1])
    }

    /// A bracket or comma, and in pretty output the new line or space after it.
    #[inline]
    fn start(&mut self, mark: u8) -> Result<()> {
        if PLAIN || !self.options.pretty {
            self.out.put_byte(mark)
        } else if self.start_in_line(mark)? {
            Ok(())
        } else {
            self.new_line(Some(mark), None)
        }
    }

    /// Begins the template of lines: a comma and a line break, and one step of indentation, from which longer ones are
    /// made. In a server-sent event each line of the template begins with the prefix of data.
    pub(super) fn begin_line_template(&mut self, indent: &str) {
        let (prefix, is_event) = match self.newlines {
            Newlines::Sse => (SSE_DATA, true),
            _ => (&b""[..], false),
        };
        self.line.extend_from_slice(b",\n");
        self.line.extend_from_slice(prefix);
        self.indent_start = self.line.len();
        for byte in indent.bytes().filter(|&byte| !is_event || byte != b'\r') {
            self.line.push(byte);
            if byte == b'\n' {
                self.line.extend_from_slice(prefix);
            }
        }
        self.indent_len = self.line.len() - self.indent_start;
    }

    /// A new line, indented to the depth, between the given marks.
    pub(super) fn new_line(&mut self, before: Option<u8>, after: Option<u8>) -> Result<()> {
        debug_assert!(self.newlines != Newlines::Strip, "a pretty encoder is refused by the frame");
        // Lines of one depth differ in the marks only, so the rest is put together once.
        let len = self.indent_start + self.depth * self.indent_len;
        while self.line.len() < len {
            for at in self.indent_start..self.indent_start + self.indent_len {
                self.line.push(self.line[at]);
            }
        }
        if self.newlines == Newlines::Sse {
            // Bytes that the frame adds do not count for `max_len`.
            let lines = self.line[..len].iter().filter(|&&byte| byte == b'\n').count();
            self.out.raise_limit(SSE_DATA.len() * lines);
        }
        self.line[0] = before.unwrap_or_default();
        self.out.put(&self.line[usize::from(before.is_none())..len])?;
        match after {
            Some(mark) => self.out.put_byte(mark),
            None => Ok(()),
        }
    }

    /// A line break, as the frame wants it.
    pub(super) fn line_break(&mut self) -> Result<()> {
        match self.newlines {
            Newlines::Keep | Newlines::KeepInSequence => self.out.put_byte(b'\n'),
            Newlines::Strip => Ok(()),
            Newlines::Sse => {
                self.out.raise_limit(SSE_DATA.len());
                self.out.put_byte(b'\n')?;
                self.out.put(SSE_DATA)
            }
        }
    }
}
