//! Short arrays and objects on one line, in pretty output.
//!
//! Whether a container fits one line is known when it closes, or when it has become too long. Until then its text is held
//! in the output as one line, with a note where its elements begin. Once it is too long, line breaks are put in at these
//! places. A container that is too long makes those around it too long, so the undecided ones are always the innermost.
//!
//! Line breaks are put into several containers at once: when as many bytes have been written since the last time as a line
//! may have, or when the innermost one ends and is too long. So every byte is moved a bounded number of times, however
//! deep the nesting is.

use super::Formatter;
use crate::error::Result;

/// The longest UTF-8 form of a character, in bytes.
const MAX_CHAR: usize = char::MAX.len_utf8();

/// The containers that may yet fit one line. Positions are those in the tail of the output.
#[derive(Default)]
pub(super) struct Inline {
    /// Characters that the text of a container may have to stay on one line. Not 0.
    width: usize,
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

impl Inline {
    /// Boxed, because most formatters have none.
    pub(super) fn new(width: usize) -> Option<Box<Inline>> {
        (width > 0).then(|| Box::new(Inline { width, ..Inline::default() }))
    }
}

struct Level {
    start: usize,
    /// The first of its own in `marks`.
    first_mark: usize,
    /// How deep its elements are indented if it does not fit one line.
    depth: usize,
}

impl<const PLAIN: bool> Formatter<'_, PLAIN> {
    /// The state, while some container may yet fit one line.
    #[inline(always)]
    pub(super) fn undecided(&self) -> Option<&Inline> {
        if PLAIN { None } else { self.inline.as_deref().filter(|inline| !inline.levels.is_empty()) }
    }

    /// The option `inline_width`.
    #[cfg(feature = "rayon")]
    pub(super) fn inline_width(&self) -> usize {
        self.inline.as_ref().map_or(0, |inline| inline.width)
    }

    /// A bracket or comma, and what is between it and the element or member after it. If nothing can be on one line, does
    /// nothing and returns false.
    #[inline]
    pub(super) fn start_in_line(&mut self, mark: u8) -> Result<bool> {
        let Some(inline) = &mut self.inline else { return Ok(false) };
        if mark != b',' {
            if inline.levels.is_empty() {
                self.out.hold_briefly(inline.width.saturating_mul(MAX_CHAR).saturating_add(64))?;
                inline.check_at = self.out.held_len().saturating_add(inline.width.saturating_mul(2));
            }
            let (start, first_mark) = (self.out.held_len(), inline.marks.len());
            inline.levels.push(Level { start, first_mark, depth: self.depth });
            self.out.put_byte(mark)?;
        } else if inline.levels.is_empty() {
            return Ok(false);
        } else {
            self.out.put(b", ")?;
        }
        let at = self.out.held_len();
        inline.marks.push(at);
        if at > inline.check_at {
            self.break_long_lines()?;
        }
        Ok(true)
    }

    /// The closing bracket of a container that is not empty, if it is on one line. Returns whether it is.
    #[inline(always)]
    pub(super) fn close_in_line(&mut self, bracket: u8) -> Result<bool> {
        let Some(mut inline) = self.inline.as_deref_mut() else { return Ok(false) };
        let Some(mut level) = inline.levels.last() else { return Ok(false) };
        if self.out.held_len() - level.start >= inline.width {
            self.decide_long_line()?;
            match self.inline.as_deref_mut() {
                Some(decided) if !decided.levels.is_empty() => inline = decided,
                _ => return Ok(false),
            }
            level = &inline.levels[inline.levels.len() - 1];
        }
        inline.marks.truncate(level.first_mark);
        inline.levels.pop();
        self.out.put_byte(bracket)?;
        if inline.levels.is_empty() {
            self.out.release();
        }
        Ok(true)
    }

    /// Puts line breaks into the innermost container, which is complete but for its bracket, if it does not fit one line.
    #[inline]
    pub(super) fn decide_line(&mut self) -> Result<()> {
        let Some(inline) = self.undecided() else { return Ok(()) };
        match inline.levels.last() {
            Some(level) if self.out.held_len() - level.start >= inline.width => self.decide_long_line(),
            _ => Ok(()),
        }
    }

    #[cold]
    #[inline(never)]
    fn decide_long_line(&mut self) -> Result<()> {
        let Some(inline) = &self.inline else { return Ok(()) };
        let start = inline.levels.last().map_or(0, |level| level.start);
        // A character has one byte that does not continue another.
        let characters = self.out.held()[start..].iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        if characters >= inline.width { self.break_lines(usize::MAX) } else { Ok(()) }
    }

    /// Prepares for a token of at least `len` bytes, of which any number may follow: it is never held if no container
    /// around it can fit one line.
    #[inline(always)]
    pub(super) fn admit(&mut self, len: usize) -> Result<()> {
        if self.undecided().is_none() { Ok(()) } else { self.admit_to_line(len) }
    }

    #[inline(never)]
    fn admit_to_line(&mut self, len: usize) -> Result<()> {
        match &self.inline {
            Some(inline) if len / MAX_CHAR > inline.width => self.break_lines(usize::MAX),
            Some(inline) if self.out.held_len() > inline.check_at => self.break_long_lines(),
            _ => Ok(()),
        }
    }

    /// As [`admit`](Self::admit), for JSON text from elsewhere, which may have line breaks.
    pub(super) fn admit_foreign<'t>(&mut self, len: usize, mut parts: impl Iterator<Item = &'t [u8]>) -> Result<()> {
        self.admit(len)?;
        let is_line_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
        if self.undecided().is_some() && parts.any(|part| part.iter().any(is_line_break)) {
            return self.break_lines(usize::MAX);
        }
        Ok(())
    }

    /// Puts line breaks into the containers that have become too long.
    #[cold]
    #[inline(never)]
    fn break_long_lines(&mut self) -> Result<()> {
        let Some(inline) = &self.inline else { return Ok(()) };
        // The last so many characters fit. A container that begins before them does not.
        let starts = self.out.held().iter().enumerate().rev().filter(|(_, byte)| **byte & 0xc0 != 0x80);
        let fits_from = starts.map(|(at, _)| at).nth(inline.width - 1).unwrap_or(0);
        self.break_lines(inline.levels.partition_point(|level| level.start < fits_from))?;
        if let Some(inline) = &mut self.inline {
            inline.check_at = self.out.held_len().saturating_add(inline.width);
        }
        Ok(())
    }

    /// Puts line breaks into the `count` outermost of the undecided containers, or all of them.
    #[cold]
    #[inline(never)]
    fn break_lines(&mut self, count: usize) -> Result<()> {
        let Some(mut inline) = self.inline.take() else { return Ok(()) };
        let count = count.min(inline.levels.len());
        let written = if count > 0 { self.rewrite_lines(&mut inline, count) } else { Ok(()) };
        self.inline = Some(inline);
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
        let depth = self.depth;
        let written = self.put_lines(&levels[..count], &marks[..marked], copy, moved);
        self.depth = depth;
        if let Err(error) = written {
            // The text as it was, in which the names of open members are found for the error.
            self.out.take_back(from);
            _ = self.out.put(copy);
            return Err(error);
        }
        // Everything from here on has moved along with the mark before it.
        let new = |at: usize| match marks[..marked].partition_point(|mark| *mark <= at).checked_sub(1) {
            Some(index) => moved[index] + (at - marks[index]),
            None => at,
        };
        self.out.move_keys(from, new);
        if let Some(sorter) = &mut self.sorter {
            sorter.move_text(from, new);
        }
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

    /// Writes `copy`, which begins at the first of `marks`, with a line break at each of them, and notes where these elements
    /// begin now.
    fn put_lines(&mut self, levels: &[Level], marks: &[usize], copy: &[u8], moved: &mut Vec<usize>) -> Result<()> {
        let (from, mut next_level) = (marks[0], 0);
        for index in 0..marks.len() {
            if levels.get(next_level).is_some_and(|level| level.first_mark == index) {
                self.depth = levels[next_level].depth;
                next_level += 1;
            }
            self.begin_line()?;
            moved.push(self.out.held_len());
            // Up to the next place for a line break, without the space before it if that is after a comma.
            let is_first = levels.get(next_level).is_some_and(|level| level.first_mark == index + 1);
            let end = match marks.get(index + 1) {
                Some(next) => next - from - usize::from(!is_first),
                _ => copy.len(),
            };
            self.out.put(&copy[marks[index] - from..end])?;
        }
        Ok(())
    }
}
