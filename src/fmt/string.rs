//! Quotes and escapes.

use std::fmt::{self, Display, Write as _};
use std::mem;

use super::Formatter;
use crate::error::{Error, Result};
use crate::escape::{self, Escapes, MAX_ESCAPE};
use crate::out::{MIN_LINK_LEN, floor_char_boundary};
use crate::text::Text;

/// If fewer bytes of text than this surely fit, a long string near the end of the room is copied up to its next escape
/// instead of in blocks.
const SMALL_PIECE: usize = 64;

/// While streaming, text of at least this many bytes that needs no escape goes to the writer by reference. Looking
/// through it first is cheaper than copying it, and such a text is longer than most batches.
pub(super) const SEND_FROM: usize = 64 * 1024;

/// About how many bytes are searched and then sent at a time: enough that a long string costs few calls, and few enough
/// that its front leaves long before its end is searched.
const SEND_AT_MOST: usize = 512 * 1024;

impl<const PLAIN: bool> Formatter<'_, PLAIN> {
    /// A whole string, quoted.
    #[inline(never)]
    pub(crate) fn string(&mut self, text: &str) -> Result<()> {
        self.admit(text.len())?;
        if self.put_quoted(b"\"", text, b"\"") {
            return Ok(());
        }
        self.out.put_byte(b'"')?;
        self.piece(text)?;
        self.out.put_byte(b'"')
    }

    /// A whole string that can be shared. If it is long and has nothing to escape, it is linked instead of copied.
    #[inline(never)]
    pub(crate) fn shared_string(&mut self, text: Text) -> Result<()> {
        self.admit(text.len())?;
        if text.len() < MIN_LINK_LEN || !self.out.can_link() || self.clean_len(&text) < text.len() {
            return self.string(&text);
        }
        self.out.put_byte(b'"')?;
        self.out.link(text.into_bytes())?;
        self.out.put_byte(b'"')
    }

    /// A key that is known at compile time, with everything before and after it. Always inlined, up to the
    /// generated `Serialize`: there the compiler sees the text, and checking and copying it fold into a few stores.
    ///
    /// Not in debug builds: there nothing folds, and inlining would enlarge every frame of the recursion.
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn static_key(&mut self, index: usize, text: &'static str) -> Result<()> {
        if self.quick_key(index, text) { Ok(()) } else { self.slow_key(index, text) }
    }

    /// A key with everything before and after it.
    #[inline(never)]
    pub(crate) fn key(&mut self, index: usize, text: &str) -> Result<()> {
        if self.quick_key(index, text) { Ok(()) } else { self.slow_key(index, text) }
    }

    /// The key of a map member, with everything before and after it. If its value fails, the error finds its name.
    #[inline]
    pub(crate) fn map_key(&mut self, index: usize, text: &str) -> Result<()> {
        if self.quick_key(index, text) {
            self.out.mark_key();
            return Ok(());
        }
        self.slow_map_key(index, text)
    }

    #[inline(never)]
    fn slow_map_key(&mut self, index: usize, text: &str) -> Result<()> {
        let flushed = self.out.flushed();
        self.slow_key(index, text)?;
        self.out.mark_long_key(text, flushed);
        Ok(())
    }

    /// Writes a key of plain output, if there is room in any case.
    #[inline(always)]
    fn quick_key(&mut self, index: usize, text: &str) -> bool {
        let before = if index == 0 { b"{\"" } else { b",\"" };
        PLAIN && self.out.put_quoted(before, text.as_bytes(), b"\":")
    }

    #[inline(never)]
    fn slow_key(&mut self, index: usize, text: &str) -> Result<()> {
        self.before_key(index)?;
        self.note_key(text);
        self.admit(text.len())?;
        let quick = match self.options.pretty {
            _ if PLAIN => false, // tried already
            true => self.put_quoted(b"\"", text, b"\": "),
            false => self.put_quoted(b"\"", text, b"\":"),
        };
        if quick {
            return Ok(());
        }
        self.string(text)?;
        self.after_key()
    }

    /// Writes `before`, `text` with its escapes, and `after`, if they surely fit the room. Returns whether it did.
    #[inline(always)]
    fn put_quoted<const B: usize, const A: usize>(&mut self, before: &[u8; B], text: &str, after: &[u8; A]) -> bool {
        if self.only_json_escapes() {
            return self.out.put_quoted(before, text.as_bytes(), after);
        }
        let fits = self.out.room() >= escape::quoted_room(text.len());
        if fits {
            let escapes = self.options.escapes;
            self.out.fill(|room| escape::quote_with(escapes, before, text, after, room));
        }
        fits
    }

    /// How many bytes of text, at most `len`, surely fit the room with their escapes.
    fn surely_fitting(&self, len: usize) -> usize {
        (self.out.room().saturating_sub(escape::quoted_room(0)) / MAX_ESCAPE).min(len)
    }

    /// The key of a map member that comes from a `Display`. It is collected first: its name may be needed later, and a
    /// `Display` can be formatted only once.
    pub(crate) fn display_key(&mut self, index: usize, value: &(impl Display + ?Sized)) -> Result<()> {
        let mut text = if self.sorts() { String::new() } else { mem::take(&mut self.names) };
        if write!(text, "{value}").is_err() {
            return Err(self.display_failed());
        }
        self.map_key(index, &text)?;
        if !self.sorts() {
            text.clear();
            self.names = text;
        }
        Ok(())
    }

    #[cold]
    fn display_failed(&mut self) -> Error {
        self.fail_data("a Display implementation returned an error")
    }

    /// A string that arrives in pieces from a `Display`, quoted, without collecting it first.
    pub(crate) fn display(&mut self, value: &(impl Display + ?Sized)) -> Result<()> {
        self.out.put_byte(b'"')?;
        let mut pieces = Pieces { formatter: self, error: None };
        let displayed = write!(pieces, "{value}");
        let error = pieces.error;
        match (displayed, error) {
            (Ok(()), None) => self.out.put_byte(b'"'),
            // The `Display` may have swallowed the error.
            (_, Some(error)) => Err(error),
            (Err(fmt::Error), None) => Err(self.display_failed()),
        }
    }

    /// The start or the end of a string that is written in [`piece`](Self::piece)s.
    pub(crate) fn quote(&mut self) -> Result<()> {
        self.out.put_byte(b'"')
    }

    /// Part of a string, without quotes.
    pub(crate) fn piece(&mut self, mut text: &str) -> Result<()> {
        self.admit(text.len())?;
        while text.len() >= SEND_FROM && self.out.can_send(SEND_FROM) {
            let window = if text.len() < SEND_AT_MOST + SEND_FROM { text.len() } else { SEND_AT_MOST };
            let clean = self.clean_len(&text[..floor_char_boundary(text, window)]);
            if clean < SEND_FROM {
                break;
            }
            let (now, later) = text.split_at(clean);
            self.out.send(&[now.as_bytes()])?;
            text = later;
        }
        if self.only_json_escapes() { self.plain_piece(text.as_bytes()) } else { self.special_piece(text) }
    }

    /// Number of bytes before the first character that may need an escape.
    fn clean_len(&self, text: &str) -> usize {
        if self.only_json_escapes() {
            escape::clean_len(text.as_bytes())
        } else {
            escape::clean_len_with(self.options.escapes, text)
        }
    }

    #[inline(always)]
    fn only_json_escapes(&self) -> bool {
        PLAIN || self.options.escapes == Escapes::none()
    }

    /// Part of a string, with the escapes that JSON demands.
    fn plain_piece(&mut self, mut text: &[u8]) -> Result<()> {
        while !text.is_empty() {
            let room = self.out.room();
            let (mut done, fitting) = (0, self.surely_fitting(text.len()));
            if fitting == text.len() || fitting >= SMALL_PIECE {
                let (now, later) = text.split_at(fitting);
                let fits = self.out.put_quoted(b"", now, b"");
                debug_assert!(fits);
                text = later;
                continue;
            }
            if room == 0 {
                self.out.refill(text.len())?;
                continue;
            }
            self.out.fill(|room| {
                let copy = escape::copy_clean(text, room);
                done = copy.len();
                copy
            });
            text = &text[done..];
            if let (&[byte, ref rest @ ..], true) = (text, done < room) {
                self.out.put(escape::escape_of(byte))?;
                text = rest;
            }
        }
        Ok(())
    }

    /// Part of a string, with the escapes that the options ask for.
    pub(super) fn special_piece(&mut self, mut text: &str) -> Result<()> {
        while !text.is_empty() {
            let room = self.out.room();
            let fitting = floor_char_boundary(text, self.surely_fitting(text.len()));
            if fitting == text.len() || fitting >= SMALL_PIECE {
                let (now, later) = text.split_at(fitting);
                let fits = self.put_quoted(b"", now, b"");
                debug_assert!(fits);
                text = later;
                continue;
            }
            if room == 0 {
                self.out.refill(text.len())?;
                continue;
            }
            let clean = self.clean_len(&text[..floor_char_boundary(text, room)]);
            let (clean, rest) = text.split_at(clean);
            self.out.put(clean.as_bytes())?;
            text = rest;
            let mut rest = rest.chars();
            if let (Some(character), true) = (rest.next(), clean.len() < room) {
                self.special_character(character)?;
                text = rest.as_str();
            }
        }
        Ok(())
    }

    /// A character that may need an escape.
    pub(super) fn special_character(&mut self, character: char) -> Result<()> {
        let escapes = self.options.escapes;
        let unicode = match character {
            '/' if escapes.has(Escapes::SOLIDUS) => return self.out.put(br"\/"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => escapes.has(Escapes::HTML),
            _ => false,
        };
        if unicode || (escapes.has(Escapes::ASCII) && !character.is_ascii()) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let digit = |shift: u16| char::from_digit(u32::from(*unit >> shift & 0xf), 16).unwrap_or('0') as u8;
                self.out.put(&[b'\\', b'u', digit(12), digit(8), digit(4), digit(0)])?;
            }
            return Ok(());
        }
        match u8::try_from(character).map(escape::escape_of) {
            Ok(escape) if !escape.is_empty() => self.out.put(escape),
            _ => self.out.put(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

/// Escapes the text that a `Display` writes, piece by piece.
struct Pieces<'f, 'a, const PLAIN: bool> {
    formatter: &'f mut Formatter<'a, PLAIN>,
    error: Option<Error>,
}

impl<const PLAIN: bool> fmt::Write for Pieces<'_, '_, PLAIN> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.error.is_none() {
            self.error = self.formatter.piece(text).err();
        }
        if self.error.is_none() { Ok(()) } else { Err(fmt::Error) }
    }
}
