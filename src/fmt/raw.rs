//! JSON text from elsewhere: `RawValue`, numbers of arbitrary precision, and fragments. It stays as it is, and a fragment
//! is linked rather than copied, unless the options or the frame promise something of all bytes of the output. Then it is
//! searched, and only what breaks the promise is written in another way.
//!
//! Nothing here relies on the text being JSON, which nobody may have checked: a byte that must not come out does not come
//! out, whatever is around it.

use bytes::Bytes;
use smallvec::SmallVec;

use super::Formatter;
use super::string::SEND_FROM;
use crate::error::Result;
use crate::escape::{self, Escapes};
use crate::frame::Newlines;
use crate::out::MIN_LINK_LEN;
use crate::rope::Rope;

/// Chunks of a fragment that are handed to the writer in one call.
const SEND_BATCH: usize = 32;

/// What begins a text in a JSON text sequence (RFC 7464), and so must not be inside one.
const RECORD_SEPARATOR: u8 = 0x1e;

impl<const PLAIN: bool> Formatter<'_, PLAIN> {
    /// JSON text in one piece.
    pub(crate) fn raw(&mut self, json: &str) -> Result<()> {
        if !PLAIN && self.options.canonical {
            return self.canonicalize(json);
        }
        self.admit_foreign(json.len(), std::iter::once(json.as_bytes()))?;
        if self.keeps_all_bytes() {
            return self.copy(json.as_bytes());
        }
        self.rewrite(json, None, &mut false)
    }

    /// JSON text as a rope that can be shared.
    pub(crate) fn fragment(&mut self, json: Rope) -> Result<()> {
        if json.is_empty() {
            return Err(self.fail_data("the fragment is empty"));
        }
        if !PLAIN && self.options.canonical {
            return self.canonicalize_rope(json);
        }
        self.admit_foreign(json.len(), json.chunks().iter().map(|chunk| &chunk[..]))?;
        let separates = |chunk: &Bytes| chunk.contains(&RECORD_SEPARATOR);
        if self.keeps_all_bytes() || (self.keeps_all_text() && !json.chunks().iter().any(separates)) {
            return self.verbatim(json);
        }
        self.rewrite_rope(json)
    }

    /// JSON text that stays as it is in any case.
    pub(crate) fn verbatim(&mut self, json: Rope) -> Result<()> {
        // A rope is sent whole if its chunks are large enough on average. Linked or copied, each chunk is looked at by
        // itself, so that a short rest goes into one chunk with what is between two fragments.
        let sends_all = json.len() / json.chunks().len() >= MIN_LINK_LEN;
        if sends_all && json.len() >= SEND_FROM && self.out.can_send(json.len()) {
            for chunks in json.chunks().chunks(SEND_BATCH) {
                let parts: SmallVec<[&[u8]; SEND_BATCH]> = chunks.iter().map(|chunk| &chunk[..]).collect();
                self.out.send(&parts)?;
            }
            return Ok(());
        }
        for chunk in json {
            self.link_or_copy(chunk)?;
        }
        Ok(())
    }

    fn link_or_copy(&mut self, chunk: Bytes) -> Result<()> {
        if chunk.len() >= MIN_LINK_LEN && self.out.can_link() { self.out.link(chunk) } else { self.out.put(&chunk) }
    }

    /// Writes bytes that nobody shares.
    fn copy(&mut self, json: &[u8]) -> Result<()> {
        if json.len() >= SEND_FROM && self.out.can_send(json.len()) {
            return self.out.send(&[json]);
        }
        self.out.put(json)
    }

    /// Whether neither the options nor the frame promise anything of the bytes that come out.
    fn keeps_all_bytes(&self) -> bool {
        self.newlines == Newlines::Keep && (PLAIN || self.options.escapes == Escapes::none())
    }

    /// Whether all characters but [`RECORD_SEPARATOR`] may come out.
    fn keeps_all_text(&self) -> bool {
        self.newlines == Newlines::KeepInSequence && (PLAIN || self.options.escapes == Escapes::none())
    }

    /// Writes a rope with only those characters that may come out.
    fn rewrite_rope(&mut self, json: Rope) -> Result<()> {
        let texts: SmallVec<[&str; 16]> =
            json.chunks().iter().map_while(|chunk| std::str::from_utf8(chunk).ok()).collect();
        if texts.len() < json.chunks().len() {
            // The chunks of an encoder are text by themselves. Others are put together first.
            drop(texts);
            let bytes = json.into_bytes();
            if let Err(error) = std::str::from_utf8(&bytes) {
                let at = error.valid_up_to();
                return Err(self.fail_data(&format!("the fragment is invalid UTF-8 at its byte {at}")));
            }
            return self.rewrite_rope(bytes.into());
        }
        let mut escaped = false;
        let all_clean = texts.iter().all(|text| {
            let clean = self.next_reserved(text, 0, escaped).is_none();
            escaped = ends_in_escape(text, escaped);
            clean
        });
        if all_clean {
            drop(texts);
            return self.verbatim(json);
        }
        let mut escaped = false;
        for (chunk, text) in json.chunks().iter().zip(texts) {
            if self.next_reserved(text, 0, escaped).is_some() {
                self.rewrite(text, Some(chunk), &mut escaped)?;
            } else {
                self.link_or_copy(chunk.clone())?;
                escaped = ends_in_escape(text, escaped);
            }
        }
        Ok(())
    }

    /// Writes `json`, which is `chunk` if that is there, with only those characters that may come out. `escaped` says
    /// whether the text before ended with a backslash that belongs to the next character; it is updated.
    fn rewrite(&mut self, json: &str, chunk: Option<&Bytes>, escaped: &mut bool) -> Result<()> {
        let mut done = 0;
        while let Some((at, character)) = self.next_reserved(json, done, *escaped) {
            self.clean_run(&json[done..at], chunk)?;
            match character {
                '\n' => self.line_break()?,
                '\r' | '\x1e' => {}
                _ => self.special_character(character)?,
            }
            done = at + character.len_utf8();
        }
        self.clean_run(&json[done..], chunk)?;
        *escaped = ends_in_escape(json, *escaped);
        Ok(())
    }

    /// Writes a part of `chunk` that stays as it is, by reference if it is long.
    fn clean_run(&mut self, run: &str, chunk: Option<&Bytes>) -> Result<()> {
        match chunk {
            Some(chunk) if run.len() >= SEND_FROM && self.out.can_link() => {
                self.out.link(chunk.slice_ref(run.as_bytes()))
            }
            _ => self.copy(run.as_bytes()),
        }
    }

    /// The first character of `json` at or after `start` that must not come out as it is. `escaped` is that of
    /// [`rewrite`](Self::rewrite).
    fn next_reserved(&self, json: &str, start: usize, escaped: bool) -> Option<(usize, char)> {
        let escapes = if PLAIN { Escapes::none() } else { self.options.escapes };
        let mut at = start;
        loop {
            at += escape::clean_json_len(escapes, &json.as_bytes()[at..]);
            let character = json[at..].chars().next()?;
            let reserved = match character {
                '\n' | '\r' => matches!(self.newlines, Newlines::Strip | Newlines::Sse),
                '\x1e' => self.newlines == Newlines::KeepInSequence,
                '\0'..' ' => false,
                // `\/` is what a solidus is written as.
                '/' => escapes.has(Escapes::SOLIDUS) && !ends_in_escape(&json[..at], escaped),
                '<' | '>' | '&' => escapes.has(Escapes::HTML),
                '\u{2028}' | '\u{2029}' if escapes.has(Escapes::HTML) => true,
                _ => escapes.has(Escapes::ASCII) && !character.is_ascii(),
            };
            if reserved {
                return Some((at, character));
            }
            at += character.len_utf8();
        }
    }
}

/// Whether `json` ends with a backslash that belongs to the next character, if `escaped` says that of the text before.
fn ends_in_escape(json: &str, escaped: bool) -> bool {
    let backslashes = json.bytes().rev().take_while(|&byte| byte == b'\\').count();
    (backslashes % 2 == 1) != (escaped && backslashes == json.len())
}
