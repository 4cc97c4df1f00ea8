//! Brackets, commas, colons, indentation, and the count of open containers.
//!
//! The opening bracket is written together with the first element or member, and otherwise together with the closing
//! bracket. So there is one token before every element, the first included, and an empty container is two bytes at
//! once.

use smallvec::SmallVec;

use super::Formatter;
use crate::error::{Error, Result};
use crate::frame::{Newlines, SSE_DATA};

/// What pretty output begins a line with: a comma, a line break, and indentation. Lines of one depth differ in the comma
/// only, so the rest is put together once.
#[derive(Clone)]
pub(super) struct LineTemplate {
    /// With as many steps of indentation as were needed so far, but always one.
    text: SmallVec<[u8; 128]>,
    /// Where in `text` indentation begins, and how long one step is.
    indent_start: usize,
    indent_len: usize,
    /// Line breaks in one step.
    indent_breaks: usize,
}

impl LineTemplate {
    /// In a server-sent event each line of the template begins with the prefix of data.
    pub(super) fn new(indent: &str, newlines: Newlines) -> LineTemplate {
        let (prefix, is_event) = match newlines {
            Newlines::Sse => (SSE_DATA, true),
            _ => (&b""[..], false),
        };
        let mut text = SmallVec::from_slice(b",\n");
        text.extend_from_slice(prefix);
        let indent_start = text.len();
        for byte in indent.bytes().filter(|&byte| !is_event || byte != b'\r') {
            text.push(byte);
            if byte == b'\n' {
                text.extend_from_slice(prefix);
            }
        }
        let indent_len = text.len() - indent_start;
        let indent_breaks = indent.bytes().filter(|&byte| byte == b'\n').count();
        LineTemplate { text, indent_start, indent_len, indent_breaks }
    }

    /// The beginning of a line at this depth. Its first byte is the place of a mark.
    #[inline]
    fn line(&mut self, depth: usize) -> &mut [u8] {
        let len = self.indent_start + depth * self.indent_len;
        while self.text.len() < len {
            for at in self.indent_start..self.indent_start + self.indent_len {
                self.text.push(self.text[at]);
            }
        }
        &mut self.text[..len]
    }
}

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

    /// A new line, indented to the depth, between the given marks.
    pub(super) fn new_line(&mut self, before: Option<u8>, after: Option<u8>) -> Result<()> {
        debug_assert!(self.newlines != Newlines::Strip, "a pretty encoder is refused by the frame");
        let Some(template) = &mut self.line else { return Ok(()) };
        if self.newlines == Newlines::Sse {
            // Bytes that the frame adds do not count for `max_len`.
            self.out.raise_limit(SSE_DATA.len() * (1 + self.depth * template.indent_breaks));
        }
        let line = template.line(self.depth);
        line[0] = before.unwrap_or_default();
        self.out.put(&line[usize::from(before.is_none())..])?;
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
