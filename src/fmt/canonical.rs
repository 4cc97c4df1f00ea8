//! JSON text from elsewhere, in the canonical form of RFC 8785: read token by token, and written anew. Without recursion,
//! so it may be nested as deep as `max_depth` allows; and without a tree, which would lose duplicate names.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use smallvec::SmallVec;

use super::Formatter;
use crate::error::{Error, Result};
use crate::escape;
use crate::rope::Rope;

/// White space between tokens (RFC 8259, section 2).
const WHITE: [char; 4] = [' ', '\t', '\n', '\r'];

/// An array or object that is being read.
struct Level {
    is_object: bool,
    /// Whether the next token is a name.
    wants_name: bool,
    count: usize,
}

impl<const PLAIN: bool> Formatter<'_, PLAIN> {
    #[cold]
    fn not_json(&mut self) -> Error {
        self.fail_data("the fragment or raw value is not JSON, so it has no canonical form")
    }

    /// As [`canonicalize`](Self::canonicalize). A rope of several chunks is copied into one.
    #[inline(never)]
    pub(super) fn canonicalize_rope(&mut self, json: Rope) -> Result<()> {
        match std::str::from_utf8(&json.into_bytes()) {
            Ok(json) => self.canonicalize(json),
            Err(_) => Err(self.not_json()),
        }
    }

    #[inline(never)]
    pub(super) fn canonicalize(&mut self, json: &str) -> Result<()> {
        // Then the tokens below come in an order that makes sense.
        if serde_json::from_str::<IgnoredAny>(json).is_err() {
            return Err(self.not_json());
        }
        let mut levels: SmallVec<[Level; 16]> = SmallVec::new();
        let mut rest = json.trim_start_matches(WHITE);
        while let Some(&first) = rest.as_bytes().first() {
            let len = match first {
                b',' | b':' => 1,
                b']' | b'}' => {
                    let count = levels.pop().map_or(0, |level| level.count);
                    if first == b']' {
                        self.close_array(count)?
                    } else {
                        self.close_object(count)?
                    }
                    1
                }
                b'"' => {
                    let len = string_len(rest);
                    let Some(text) = unescaped(&rest[..len]) else { return Err(self.not_json()) };
                    match levels.last_mut() {
                        Some(level) if level.wants_name => {
                            level.wants_name = false;
                            level.count += 1;
                            self.key(level.count - 1, &text)?;
                        }
                        level => {
                            self.before_value(level)?;
                            self.string(&text)?;
                        }
                    }
                    len
                }
                b'[' | b'{' => {
                    self.before_value(levels.last_mut())?;
                    self.open()?;
                    let is_object = first == b'{';
                    levels.push(Level { is_object, wants_name: is_object, count: 0 });
                    1
                }
                _ => {
                    self.before_value(levels.last_mut())?;
                    let len = rest.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(rest.len());
                    match &rest[..len] {
                        word @ ("null" | "true" | "false") => self.out.put(word.as_bytes())?,
                        number => self.canonical_number(number)?,
                    }
                    len
                }
            };
            rest = rest[len..].trim_start_matches(WHITE);
        }
        Ok(())
    }

    /// What comes before a value in the innermost array or object.
    fn before_value(&mut self, level: Option<&mut Level>) -> Result<()> {
        match level {
            // Its name was before it.
            Some(level) if level.is_object => level.wants_name = true,
            Some(level) => {
                level.count += 1;
                return self.before_element(level.count - 1);
            }
            None => {}
        }
        Ok(())
    }
}

/// The length, with its quotes, of the JSON string that `json` begins with.
fn string_len(json: &str) -> usize {
    let mut at = 1;
    loop {
        at += escape::clean_len(&json.as_bytes()[at..]);
        match json.as_bytes().get(at) {
            Some(b'\\') => at += 2,
            Some(_) => return at + 1,
            None => return json.len(),
        }
    }
}

/// The text of a JSON string, if it has one: escapes of surrogates have to come in pairs.
fn unescaped(string: &str) -> Option<Cow<'_, str>> {
    let text = &string[1..string.len() - 1];
    if text.contains('\\') { serde_json::from_str(string).ok().map(Cow::Owned) } else { Some(Cow::Borrowed(text)) }
}
