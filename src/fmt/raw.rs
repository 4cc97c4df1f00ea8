//! JSON text from elsewhere: `RawValue`, numbers of arbitrary precision, and fragments. It stays as it is, unless the
//! options promise something of the whole output: then it is rewritten as it is copied.

use bytes::Bytes;
use smallvec::SmallVec;

use super::Formatter;
use super::string::SEND_FROM;
use crate::error::Result;
use crate::escape;
use crate::escape::Escapes;
use crate::options::LineBreaks;
use crate::rope::Rope;

/// A fragment of at least this many bytes is linked into the rope, a smaller one copied. Below, copying costs less than
/// one more chunk does at every step on its way to the socket; and it keeps many small fragments from making many small
/// chunks. (okio found the same limit for the segments it shares.)
pub(crate) const LINK_FROM: usize = 1024;

/// Chunks of a fragment that are handed to the writer in one call.
const SENT_TOGETHER: usize = 32;

impl<const PLAIN: bool> Formatter<'_, PLAIN> {
    /// JSON text in one piece.
    pub(crate) fn raw(&mut self, json: &str) -> Result<()> {
        if self.rewrites() {
            return self.rewrite(json, false).map(drop);
        }
        if json.len() >= SEND_FROM && self.out.can_send() {
            return self.out.send(&[json.as_bytes()]);
        }
        self.out.put(json.as_bytes())
    }

    /// JSON text as a rope that can be shared.
    pub(crate) fn fragment(&mut self, json: Rope) -> Result<()> {
        if json.is_empty() {
            return Err(self.fail_data("the fragment is empty"));
        }
        if self.rewrites() {
            return self.rewrite_rope(json);
        }
        self.verbatim(json)
    }

    /// JSON text that stays as it is in any case.
    pub(crate) fn verbatim(&mut self, json: Rope) -> Result<()> {
        // Large enough on average, a rope is linked, or sent, as it is. Else each chunk is looked at by itself.
        let link_all = json.len() / json.chunks().len() >= LINK_FROM;
        if link_all && json.len() >= SEND_FROM && self.out.can_send() {
            for chunks in json.chunks().chunks(SENT_TOGETHER) {
                let parts: SmallVec<[&[u8]; SENT_TOGETHER]> = chunks.iter().map(|chunk| &chunk[..]).collect();
                self.out.send(&parts)?;
            }
            return Ok(());
        }
        for chunk in json {
            self.fragment_chunk(chunk, link_all)?;
        }
        Ok(())
    }

    fn fragment_chunk(&mut self, chunk: Bytes, link: bool) -> Result<()> {
        if (link || chunk.len() >= LINK_FROM) && self.out.can_link() {
            self.out.link(chunk)
        } else {
            self.out.put(&chunk)
        }
    }

    /// Whether foreign JSON text has to be rewritten.
    fn rewrites(&self) -> bool {
        self.line_breaks != LineBreaks::Kept || (!PLAIN && self.options.escapes != Escapes::none())
    }

    /// Rewrites a rope chunk by chunk. If its chunks are not text by themselves, which an encoder's are, they are put
    /// together first.
    fn rewrite_rope(&mut self, json: Rope) -> Result<()> {
        let is_text = |chunk: &Bytes| str::from_utf8(chunk).is_ok();
        let chunks = if json.chunks().iter().all(is_text) { json } else { Rope::from(json.into_bytes()) };
        let mut escaped = false;
        for chunk in chunks {
            let text = str::from_utf8(&chunk).map_err(|error| {
                let at = error.valid_up_to();
                self.fail_data(&format!("the fragment is invalid UTF-8 at its byte {at}"))
            })?;
            escaped = self.rewrite(text, escaped)?;
        }
        Ok(())
    }

    /// Copies JSON text with the escapes of the options, and with line breaks as the frame wants them.
    ///
    /// What the options escape stands only inside strings, and line breaks only outside of them, so neither needs to
    /// know which is which. A character behind a backslash is part of an escape already, and stays: the first one if
    /// the text before ended with a backslash, which is also what the result tells of this text.
    fn rewrite(&mut self, mut json: &str, mut escaped: bool) -> Result<bool> {
        loop {
            let clean = if escaped { 0 } else { escape::clean_len_with(self.options.escapes, json) };
            let (clean, rest) = json.split_at(clean);
            self.out.put(clean.as_bytes())?;
            let mut rest = rest.chars();
            let Some(character) = rest.next() else { return Ok(escaped) };
            match character {
                _ if escaped => self.out.put(character.encode_utf8(&mut [0; 4]).as_bytes())?,
                '\n' if self.line_breaks != LineBreaks::Kept => self.line_break()?,
                '\r' if self.line_breaks != LineBreaks::Kept => {}
                '\\' | '"' | '\0'..' ' => self.out.put_byte(character as u8)?,
                _ => self.special_character(character)?,
            }
            escaped = !escaped && character == '\\';
            json = rest.as_str();
        }
    }
}
