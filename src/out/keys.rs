//! The names of the map members that are being written, for error pointers.
//!
//! A key is serialized once, and its text may be gone when its value fails. But it has been written just before, so its
//! name is read back from the output. All that is kept while encoding succeeds is the position of the latest key of
//! each open map. Only a streaming output has to copy names, when it hands over the bytes that have them.

use std::borrow::Cow;

use smallvec::SmallVec;

use super::Out;
use super::message::Message;

/// The position of a key whose name was copied.
const COPIED: u64 = u64::MAX;

/// Maps in maps whose positions need no heap allocation. Few documents have more.
const INLINE_MAPS: usize = 8;

/// The latest keys of all open maps, each as the offset of the first byte after the key and its colon; 0 is none.
#[derive(Default)]
pub(super) struct OpenKeys<'a> {
    /// That of the innermost map.
    latest: u64,
    /// Those of the maps around it, outermost first, after a 0 for the document. So there are as many as maps are open.
    outer: Stack,
    /// If the output is streaming, the names among the bytes that were handed over.
    copied: Option<&'a mut CopiedNames>,
    /// If chunks are taken between steps, the names that may have been in them.
    taken: Option<Box<CopiedNames>>,
}

/// A stack of positions. Every row of a table and every small object pushes one and takes it away again, so it is a store
/// and a load: a `SmallVec` asks four times whether it has moved to the heap.
#[derive(Default)]
struct Stack {
    len: usize,
    front: [u64; INLINE_MAPS],
    /// What comes after the front.
    rest: Vec<u64>,
}

impl Stack {
    #[inline(always)]
    fn push(&mut self, position: u64) {
        match self.front.get_mut(self.len) {
            Some(place) => *place = position,
            None => self.push_rest(position),
        }
        self.len += 1;
    }

    #[cold]
    fn push_rest(&mut self, position: u64) {
        // There may be more that was left by a cut into the front.
        self.rest.truncate(self.len - INLINE_MAPS);
        self.rest.push(position);
    }

    /// Takes away all from this index on, and returns the first of them.
    #[inline(always)]
    fn cut(&mut self, index: usize) -> u64 {
        self.len = self.len.min(index);
        match self.front.get(index) {
            Some(position) => *position,
            None => self.rest.get(index - INLINE_MAPS).copied().unwrap_or(0),
        }
    }

    fn get_mut(&mut self, index: usize) -> Option<&mut u64> {
        if index < INLINE_MAPS { self.front.get_mut(index) } else { self.rest.get_mut(index - INLINE_MAPS) }
    }
}

/// Names of open members, as a stack of texts in one string. On the stack, like the scratch: streaming needs no heap
/// but its buffer.
#[derive(Default)]
pub(crate) struct CopiedNames {
    texts: SmallVec<[u8; 256]>,
    /// For each name: how many maps are open around it, its own included, and where its text begins.
    names: SmallVec<[(usize, usize); 16]>,
}

impl CopiedNames {
    /// Puts the name of a member of the map at this level on the stack, in place of older ones at this level or deeper.
    fn push(&mut self, level: usize, name: &str) {
        let kept = self.names.iter().rposition(|(of, _)| *of < level).map_or(0, |last| last + 1);
        if let Some((_, start)) = self.names.get(kept) {
            self.texts.truncate(*start);
            self.names.truncate(kept);
        }
        self.names.push((level, self.texts.len()));
        self.texts.extend_from_slice(name.as_bytes());
    }

    fn get(&self, level: usize) -> Option<&str> {
        let index = self.names.iter().rposition(|(of, _)| *of == level)?;
        let end = self.names.get(index + 1).map_or(self.texts.len(), |(_, start)| *start);
        std::str::from_utf8(self.texts.get(self.names[index].1..end)?).ok()
    }
}

impl<'a> OpenKeys<'a> {
    /// With room for names if bytes leave before the document is complete.
    #[inline(always)]
    pub(super) fn copied_to(names: Option<&'a mut CopiedNames>) -> Self {
        OpenKeys { copied: names, ..OpenKeys::default() }
    }

    /// Whether no map is open, and nothing is remembered of those that were.
    pub(super) fn is_empty(&self) -> bool {
        self.latest == 0 && self.outer.len == 0
    }

    /// Whether everything is in place.
    #[inline]
    pub(super) fn has_no_heap(&self) -> bool {
        self.outer.rest.capacity() == 0 && self.copied.is_none() && self.taken.is_none()
    }

    /// How many maps are open.
    #[inline]
    fn level(&self) -> usize {
        self.outer.len
    }

    /// The position of the map at this level.
    fn position(&mut self, level: usize) -> Option<&mut u64> {
        if level == self.level() { Some(&mut self.latest) } else { self.outer.get_mut(level) }
    }
}

impl Out<'_> {
    /// A map begins. Returns its level, which is how many maps are open with it.
    #[inline]
    pub(crate) fn enter_map(&mut self) -> usize {
        let keys = &mut self.keys;
        keys.outer.push(keys.latest);
        keys.latest = 0;
        keys.level()
    }

    /// The map at this level ends, or is left after a failure, and so are the maps inside it.
    #[inline]
    pub(crate) fn leave_map(&mut self, level: usize) {
        let keys = &mut self.keys;
        keys.latest = keys.outer.cut(level - 1);
    }

    /// A key of the innermost map has been written at once.
    #[inline(always)]
    pub(crate) fn mark_key(&mut self) {
        self.keys.latest = self.offset();
    }

    /// A key of the innermost map has been written, in parts of which some may have been handed over: so many bytes had
    /// left the tail before.
    pub(crate) fn mark_long_key(&mut self, name: &str, flushed: u64) {
        self.mark_key();
        let keys = &mut self.keys;
        if let Some(copied) = keys.copied.as_mut().filter(|_| self.flushed != flushed) {
            copied.push(keys.outer.len, name);
            keys.latest = COPIED;
        }
    }

    /// The name of the member whose key was written last in the map at this level. Maps inside it may have been left
    /// without a word.
    #[cold]
    pub(crate) fn latest_key(&mut self, level: usize) -> String {
        let name = match self.keys.position(level).copied() {
            Some(COPIED) => {
                let names = self.keys.copied.as_deref().or(self.keys.taken.as_deref());
                names.and_then(|names| names.get(level)).map(str::to_owned)
            }
            Some(position) => self.key_before(position),
            None => None,
        };
        debug_assert!(name.is_some(), "the name of an open member is lost");
        name.unwrap_or_default()
    }

    /// Bytes of the tail from `from` on have moved: what was at one position is now at `new` of it.
    pub(crate) fn move_keys(&mut self, from: usize, new: impl Fn(usize) -> usize) {
        for level in (1..=self.keys.level()).rev() {
            match self.keys.position(level) {
                Some(position) if *position != COPIED && *position != 0 => {
                    let Some(at) = position.checked_sub(self.flushed).filter(|at| *at > from as u64) else { return };
                    *position = self.flushed + new(at as usize) as u64;
                }
                _ => {}
            }
        }
    }

    /// Copies the names that are in the tail, before its bytes are handed over.
    #[cold]
    pub(super) fn copy_open_keys(&mut self) {
        let tail = self.memory.tail.filled();
        for level in 1..=self.keys.level() {
            let in_tail = |position: &&mut u64| **position != COPIED && **position > self.flushed;
            let Some(position) = self.keys.position(level).filter(in_tail) else { continue };
            let json = tail.get(..(*position - self.flushed) as usize);
            let Some(name) = json.and_then(key_at_end) else { continue };
            *position = COPIED;
            if let Some(copied) = &mut self.keys.copied {
                copied.push(level, &name);
            }
        }
    }

    /// Copies the names of all open members, before a chunk is taken that may have them.
    #[inline]
    pub(super) fn keep_open_keys(&mut self) {
        if self.keys.level() > 0 && self.failure.is_none() {
            self.keep_names();
        }
    }

    #[cold]
    #[inline(never)]
    fn keep_names(&mut self) {
        for level in 1..=self.keys.level() {
            let position = self.keys.position(level).map_or(0, |position| *position);
            if position == 0 || position == COPIED {
                continue;
            }
            let Some(name) = self.key_before(position) else { continue };
            self.keys.taken.get_or_insert_default().push(level, &name);
            if let Some(position) = self.keys.position(level) {
                *position = COPIED;
            }
        }
    }

    /// The unescaped text of the key that ends at this offset.
    fn key_before(&self, offset: u64) -> Option<String> {
        let mut end = self.offset();
        let mut joined = Vec::new();
        for part in self.parts().iter().rev() {
            let start = end.saturating_sub(part.len() as u64);
            if start < offset {
                let part = &part[..usize::try_from(offset - start).unwrap_or(usize::MAX).min(part.len())];
                // Mostly the whole key is in one part.
                if joined.is_empty() {
                    if let Some(name) = key_at_end(part) {
                        return Some(name.into_owned());
                    }
                }
                joined.splice(..0, part.iter().copied());
                if let Some(name) = key_at_end(&joined) {
                    return Some(name.into_owned());
                }
            }
            end = start;
        }
        None
    }

    /// All bytes that have not left this output, in order.
    fn parts(&self) -> Vec<&[u8]> {
        let chunks = self.finished().iter().map(|chunk| &chunk[..]);
        let mut parts: Vec<&[u8]> = Vec::new();
        match self.message.as_ref().and_then(Message::first) {
            None => parts.extend(chunks),
            Some((index, first)) => {
                parts.extend(chunks.clone().take(index));
                parts.push(first);
                parts.extend(chunks.skip(index));
            }
        }
        parts.push(self.memory.tail.filled());
        parts
    }
}

/// The unescaped text of the key that `json` ends with, followed by a colon, if it begins there too.
fn key_at_end(json: &[u8]) -> Option<Cow<'_, str>> {
    let quoted = json.trim_ascii_end().strip_suffix(b":")?;
    let inside = quoted.strip_suffix(b"\"")?;
    // Within a string a quote follows a backslash. The one before a key follows a bracket, a comma or white space.
    let start = inside.windows(2).rposition(|pair| pair[1] == b'"' && pair[0] != b'\\')?;
    let text = &inside[start + 2..];
    if !text.contains(&b'\\') {
        return std::str::from_utf8(text).ok().map(Cow::Borrowed);
    }
    serde_json::from_slice(&quoted[start + 1..]).ok().map(Cow::Owned)
}
