//! Short arrays and objects on one line, in pretty output.
//!
//! Whether a container fits one line is known when it closes, or when it has become too long. Until then its text is held
//! in the output as one line, with a note where its elements begin. Once it is too long, line breaks are put in at these
//! places. A container that is too long makes those around it too long, so the undecided ones are always the innermost.
//!
//! Line breaks are put into several containers at once: when as many bytes have been written since the last time as a line
//! may have, or when the innermost one ends and is too long. So every byte is moved a bounded number of times, however
//! deep the nesting is.

use std::mem;

use super::Formatter;
use crate::error::Result;

/// The longest UTF-8 form of a character, in bytes.
const MAX_CHAR: usize = char::MAX.len_utf8();

/// The containers that may yet fit one line. Positions are those in the tail of the output.
#[derive(Default)]
pub(super) struct Inline {
    /// Characters that the text of a container may have to stay on one line. 0: none does.
    pub(super) width: usize,
    /// The undecided containers, the innermost last.
    levels: Vec<Level>,
    /// Where the elements of undecided containers begin, in order. A container's own come after those of the ones around
    /// it.
    marks: Vec<usize>,
    /// If the output is longer than this, some container may have become too long.
    check_at: usize,
    copy: Vec<u8>,
    /// For the first entries of `marks`, where these elements begin once line breaks have been put in.
    moved: Vec<usize>,
}

struct Level {
    start: usize,
    /// The first of its own in `marks`.
    first_mark: usize,
    /// How deep its elements are indented if it does not fit one line.
    depth: usize,
}

impl<const PLAIN: bool> Formatter<'_, PLAIN> {
    /// A bracket or comma, and what is between it and the element or member after it.
    pub(super) fn start_in_line(&mut self, mark: u8) -> Result<()> {
        if mark != b',' {
            self.open_line()?;
            self.out.put_byte(mark)?;
        } else if self.inline.levels.is_empty() {
            return self.new_line(Some(mark), None);
        } else {
            self.out.put(b", ")?;
        }
        let at = self.out.held_len();
        self.inline.marks.push(at);
        if at > self.inline.check_at { self.break_long_lines() } else { Ok(()) }
    }

    /// A container begins here that may fit one line.
    fn open_line(&mut self) -> Result<()> {
        if self.inline.levels.is_empty() {
            let most = self.inline.width.saturating_mul(MAX_CHAR);
            self.out.hold_briefly(most.saturating_add(64))?;
            self.inline.check_at = self.out.held_len().saturating_add(self.inline.width.saturating_mul(2));
        }
        let (start, first_mark) = (self.out.held_len(), self.inline.marks.len());
        self.inline.levels.push(Level { start, first_mark, depth: self.depth });
        Ok(())
    }

    /// The closing bracket of a container that is not empty.
    pub(super) fn close_line(&mut self, bracket: u8) -> Result<()> {
        self.decide_line()?;
        let Some(level) = self.inline.levels.pop() else { return self.new_line(None, Some(bracket)) };
        self.inline.marks.truncate(level.first_mark);
        self.out.put_byte(bracket)?;
        if self.inline.levels.is_empty() {
            self.out.release();
        }
        Ok(())
    }

    /// Puts line breaks into the innermost container, which is complete but for its bracket, if it does not fit one line.
    #[inline]
    pub(super) fn decide_line(&mut self) -> Result<()> {
        if let Some(level) = self.inline.levels.last()
            && self.out.held_len() - level.start >= self.inline.width
        {
            return self.decide_long_line(level.start);
        }
        Ok(())
    }

    #[cold]
    fn decide_long_line(&mut self, start: usize) -> Result<()> {
        let text = &self.out.held()[start..];
        // A character has one byte that does not continue another.
        let characters = text.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        if characters >= self.inline.width { self.break_lines(self.inline.levels.len()) } else { Ok(()) }
    }

    /// Prepares for a token of at least `len` bytes, of which any number may follow: it is never held if no container
    /// around it can fit one line.
    #[inline(always)]
    pub(super) fn admit(&mut self, len: usize) -> Result<()> {
        if PLAIN || self.inline.levels.is_empty() { Ok(()) } else { self.admit_to_line(len) }
    }

    #[inline(never)]
    fn admit_to_line(&mut self, len: usize) -> Result<()> {
        if len / MAX_CHAR > self.inline.width {
            self.break_lines(self.inline.levels.len())
        } else if self.out.held_len() > self.inline.check_at {
            self.break_long_lines()
        } else {
            Ok(())
        }
    }

    /// As [`admit`](Self::admit), for JSON text from elsewhere, which may have line breaks.
    pub(super) fn admit_foreign<'t>(&mut self, len: usize, mut parts: impl Iterator<Item = &'t [u8]>) -> Result<()> {
        self.admit(len)?;
        let is_line_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
        if !PLAIN && !self.inline.levels.is_empty() && parts.any(|part| part.iter().any(is_line_break)) {
            return self.break_lines(self.inline.levels.len());
        }
        Ok(())
    }

    /// Puts line breaks into the containers that have become too long.
    #[cold]
    #[inline(never)]
    fn break_long_lines(&mut self) -> Result<()> {
        // The last so many characters fit. A container that begins before them does not.
        let (width, held) = (self.inline.width, self.out.held());
        let starts = held.iter().enumerate().rev().filter(|(_, byte)| **byte & 0xc0 != 0x80);
        let fits_from = starts.map(|(at, _)| at).nth(width - 1).unwrap_or(0);
        self.break_lines(self.inline.levels.partition_point(|level| level.start < fits_from))?;
        self.inline.check_at = self.out.held_len().saturating_add(width);
        Ok(())
    }

    /// Puts line breaks into the `count` outermost of the undecided containers.
    #[cold]
    #[inline(never)]
    fn break_lines(&mut self, count: usize) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        let mut inline = mem::take(&mut self.inline);
        let written = self.rewrite_lines(&mut inline, count);
        self.inline = inline;
        written
    }

    fn rewrite_lines(&mut self, inline: &mut Inline, count: usize) -> Result<()> {
        let Inline { levels, marks, copy, moved, .. } = inline;
        let from = marks[0];
        let marked = levels.get(count).map_or(marks.len(), |kept| kept.first_mark);
        copy.clear();
        copy.extend_from_slice(&self.out.held()[from..]);
        moved.clear();
        self.out.take_back(from);
        let (depth, mut next_level) = (self.depth, 0);
        for index in 0..marked {
            if levels[..count].get(next_level).is_some_and(|level| level.first_mark == index) {
                self.depth = levels[next_level].depth;
                next_level += 1;
            }
            self.new_line(None, None)?;
            moved.push(self.out.held_len());
            // Up to the next place for a line break, without the space before it if that is after a comma.
            let is_first = levels[..count].get(next_level).is_some_and(|level| level.first_mark == index + 1);
            let end = match marks.get(index + 1) {
                Some(next) if index + 1 < marked => next - from - usize::from(!is_first),
                _ => copy.len(),
            };
            self.out.put(&copy[marks[index] - from..end])?;
        }
        self.depth = depth;
        // Everything from here on has moved along with the mark before it.
        let new = |at: usize| match marks[..marked].partition_point(|mark| *mark <= at).checked_sub(1) {
            Some(index) => moved[index] + (at - marks[index]),
            None => at,
        };
        self.out.move_keys(from, new);
        self.sorter.move_text(from, new);
        let starts: Vec<usize> = levels[count..].iter().map(|level| new(level.start)).collect();
        let kept: Vec<usize> = marks[marked..].iter().map(|mark| new(*mark)).collect();
        levels.drain(..count);
        let Some(first) = starts.first() else {
            marks.clear();
            self.out.release();
            return Ok(());
        };
        let gone = self.out.release_front(*first)?;
        *marks = kept.into_iter().map(|mark| mark - gone).collect();
        for (level, start) in levels.iter_mut().zip(starts) {
            (level.start, level.first_mark) = (start - gone, level.first_mark - marked);
        }
        Ok(())
    }
}
