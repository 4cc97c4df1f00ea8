//! Brackets, commas, colons, indentation, and the count of open containers.
//!
//! The opening bracket is written together with the first element or member, and otherwise together with the closing
//! bracket. So there is one token before every element, the first included, and an empty container is two bytes at
//! once.

use smallvec::SmallVec;

use super::Formatter;
use crate::error::{Error, Result};
use crate::frame::{Newlines, SSE_DATA};

/// A line break with its indentation is written as a block of so many bytes if it is not longer: that takes two
/// instructions, and a copy of any length takes a call.
const BLOCK: usize = 32;

/// What pretty output begins a line with: a comma, a line break, and indentation. Lines of one depth differ in the comma
/// only, so the rest is put together once.
#[derive(Clone)]
pub(super) struct LineTemplate {
    /// With as many steps of indentation as were needed so far, and more than a block in any case.
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
        let mut template = LineTemplate { text, indent_start, indent_len, indent_breaks };
        template.extend_to(1 + BLOCK);
        template
    }

    /// The length of a line's beginning at this depth, with the place of the mark.
    #[inline(always)]
    fn len(&self, depth: usize) -> usize {
        self.indent_start + depth * self.indent_len
    }

    /// The beginning of a line at this depth. Its first byte is the place of a mark.
    fn line(&mut self, depth: usize) -> &mut [u8] {
        let len = self.len(depth);
        self.extend_to(len);
        &mut self.text[..len]
    }

    /// Adds steps of indentation until there are `len` bytes.
    fn extend_to(&mut self, len: usize) {
        while self.text.len() < len {
            if self.indent_len == 0 {
                // Never part of a line.
                self.text.push(b' ');
            }
            for at in self.indent_start..self.indent_start + self.indent_len {
                self.text.push(self.text[at]);
            }
        }
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
            if self.close_in_line(bracket)? {
                return Ok(());
            }
            self.begin_line()?;
            return self.out.put_byte(bracket);
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
            self.mark_and_line(mark)
        }
    }

    /// A bracket or comma, and the beginning of a line that is indented to the depth.
    fn mark_and_line(&mut self, mark: u8) -> Result<()> {
        self.admit_line();
        let Some(template) = &mut self.line else { return Ok(()) };
        if let Some(block) = template.text.first_chunk::<BLOCK>() {
            if self.out.put_block(mark, block, template.len(self.depth)) {
                return Ok(());
            }
        }
        let line = template.line(self.depth);
        line[0] = mark;
        self.out.put(line)
    }

    /// The beginning of a line that is indented to the depth.
    pub(super) fn begin_line(&mut self) -> Result<()> {
        self.admit_line();
        let Some(template) = &mut self.line else { return Ok(()) };
        if let Some(block) = template.text[1..].first_chunk::<BLOCK>() {
            if self.out.put_block(b'\n', block, template.len(self.depth) - 1) {
                return Ok(());
            }
        }
        self.out.put(&template.line(self.depth)[1..])
    }

    /// Prepares for a line. In a server-sent event, bytes that the frame adds do not count for `max_len`.
    #[inline]
    fn admit_line(&mut self) {
        debug_assert!(self.newlines != Newlines::Strip, "a pretty encoder is refused by the frame");
        if self.newlines == Newlines::Sse {
            let breaks = self.line.as_ref().map_or(0, |template| 1 + self.depth * template.indent_breaks);
            self.out.raise_limit(SSE_DATA.len() * breaks);
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
