//! Quotes and escapes.

use std::fmt::{self, Display, Write as _};

use super::Formatter;
use crate::error::{Error, Result};
use crate::scan::{self, MAX_ESCAPE};

/// Below this many bytes of text that surely fit, a long string near the end of the room is copied up to its next
/// escape instead of block by block.
const SMALL_PIECE: usize = 64;

/// While streaming, a string of at least this many bytes that needs no escape goes to the writer by reference. Looking
/// through it first is cheaper than copying it, and it is longer than what is usually collected before a hand-over.
const SEND_FROM: usize = 64 * 1024;

impl<const PLAIN: bool> Formatter<'_, PLAIN> {
    /// A whole string, quoted.
    #[inline(never)]
    pub(crate) fn string(&mut self, text: &str) -> Result<()> {
        if self.out.room() >= scan::quoted_room(text.len()) {
            self.out.fill(|room| scan::quoted(b"\"", text.as_bytes(), b"\"", room));
            return Ok(());
        }
        self.out.put_byte(b'"')?;
        self.piece(text)?;
        self.out.put_byte(b'"')
    }

    /// A key that is known at compile time, with all that stands before and after it. Where it is inlined, the compiler
    /// sees the text, and the search for escapes folds away.
    #[inline]
    pub(crate) fn static_key(&mut self, index: usize, text: &'static str) -> Result<()> {
        if PLAIN && self.out.room() >= scan::quoted_room(text.len()) {
            self.out.fill(|room| scan::quoted(key_start(index), text.as_bytes(), b"\":", room));
            return Ok(());
        }
        self.key_slow(index, text)
    }

    /// A key with all that stands before and after it.
    #[inline(never)]
    pub(crate) fn key(&mut self, index: usize, text: &str) -> Result<()> {
        if PLAIN && self.out.room() >= scan::quoted_room(text.len()) {
            self.out.fill(|room| scan::quoted(key_start(index), text.as_bytes(), b"\":", room));
            return Ok(());
        }
        self.key_slow(index, text)
    }

    #[inline(never)]
    fn key_slow(&mut self, index: usize, text: &str) -> Result<()> {
        self.before_key(index)?;
        self.string(text)?;
        self.after_key()
    }

    /// Part of a string, without quotes.
    pub(crate) fn piece(&mut self, text: &str) -> Result<()> {
        let mut text = text.as_bytes();
        if text.len() >= SEND_FROM && self.out.is_streaming() && scan::clean_len(text) == text.len() {
            return self.out.send(text);
        }
        while !text.is_empty() {
            let room = self.out.room();
            let (mut done, fitting) = (0, (room.saturating_sub(scan::quoted_room(0)) / MAX_ESCAPE).min(text.len()));
            if fitting == text.len() || fitting >= SMALL_PIECE {
                let (now, later) = text.split_at(fitting);
                self.out.fill(|room| scan::quoted(b"", now, b"", room));
                text = later;
                continue;
            }
            if room == 0 {
                self.out.refill(text.len())?;
                continue;
            }
            self.out.fill(|room| {
                let copy = scan::copy_clean(text, room);
                done = copy.len();
                copy
            });
            text = &text[done..];
            if let (&[byte, ref rest @ ..], true) = (text, done < room) {
                self.out.put(scan::escape_of(byte))?;
                text = rest;
            }
        }
        Ok(())
    }

    /// A string that arrives in pieces from a `Display`, quoted, without collecting it first.
    pub(crate) fn display(&mut self, value: &(impl Display + ?Sized)) -> Result<()> {
        self.out.put_byte(b'"')?;
        Pieces::write(self, value)?;
        self.out.put_byte(b'"')
    }
}

/// What stands before the key of a member in compact output.
#[inline(always)]
fn key_start(index: usize) -> &'static [u8; 2] {
    if index == 0 { b"{\"" } else { b",\"" }
}

/// Escapes what a `Display` writes, piece by piece.
struct Pieces<'f, 'a, const PLAIN: bool> {
    formatter: &'f mut Formatter<'a, PLAIN>,
    error: Option<Error>,
}

impl<'f, 'a, const PLAIN: bool> Pieces<'f, 'a, PLAIN> {
    /// Writes all of `value`, without quotes. A `Display` that fails is an error.
    fn write(formatter: &'f mut Formatter<'a, PLAIN>, value: &(impl Display + ?Sized)) -> Result<()> {
        let mut pieces = Pieces { formatter, error: None };
        let displayed = write!(pieces, "{value}");
        match (displayed, pieces.error) {
            (Ok(()), None) => Ok(()),
            // Also when `Display` swallowed the error.
            (_, Some(error)) => Err(error),
            (Err(fmt::Error), None) => Err(pieces.formatter.fail_data("a Display implementation returned an error")),
        }
    }
}

impl<const PLAIN: bool> fmt::Write for Pieces<'_, '_, PLAIN> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.error.is_none() {
            self.error = self.formatter.piece(text).err();
        }
        if self.error.is_none() { Ok(()) } else { Err(fmt::Error) }
    }
}
