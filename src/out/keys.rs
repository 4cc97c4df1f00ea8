//! The names of the map members that are being written, for error pointers.
//!
//! A key is serialized once, and its text may be gone when its value fails. But it has been written just before, so its
//! name is read back from the output. All that is kept while encoding succeeds is the position of the latest key of
//! each open map; only when bytes leave the tail are the names among them copied.

use super::Out;

/// The position of a key whose name was copied.
const COPIED: usize = usize::MAX;

/// Maps in maps whose positions need no heap allocation. Few documents have more.
const INLINE_MAPS: usize = 8;

/// The latest keys of all open maps, each as the position of the first byte after the key and its colon, counted from
/// the start of the tail; 0 is none.
#[derive(Default)]
pub(super) struct OpenKeys {
    /// That of the innermost map.
    latest: usize,
    /// How many maps are open.
    level: usize,
    /// Those of the maps around it, outermost first, after a 0 for the document.
    outer: [usize; INLINE_MAPS],
    rest: Option<Box<Rest>>,
}

/// What few documents need.
#[derive(Default)]
struct Rest {
    /// The positions that `outer` has no room for.
    deeper: Vec<usize>,
    copied: Copied,
}

/// Names, as a stack of texts in one string, so that copying them allocates only a few times for each document.
#[derive(Default)]
struct Copied {
    texts: String,
    /// For each name: how many maps are open around it, its own included, and where its text begins.
    names: Vec<(usize, usize)>,
}

impl Copied {
    /// Puts the name of a member of the map at this level on the stack, in place of older ones at this level or deeper.
    fn push(&mut self, level: usize, name: &str) {
        while let Some((_, start)) = self.names.pop_if(|(of, _)| *of >= level) {
            self.texts.truncate(start);
        }
        self.names.push((level, self.texts.len()));
        self.texts.push_str(name);
    }

    fn get(&self, level: usize) -> Option<&str> {
        let index = self.names.iter().rposition(|(of, _)| *of == level)?;
        let end = self.names.get(index + 1).map_or(self.texts.len(), |(_, start)| *start);
        self.texts.get(self.names[index].1..end)
    }
}

impl OpenKeys {
    #[cold]
    #[inline(never)]
    fn push_deeper(&mut self) {
        let deeper = &mut self.rest.get_or_insert_default().deeper;
        deeper.truncate(self.level - INLINE_MAPS);
        deeper.push(self.latest);
    }

    /// The position of the map at this level, which is not the innermost one.
    fn outer(&mut self, level: usize) -> Option<&mut usize> {
        match level.checked_sub(INLINE_MAPS) {
            None => self.outer.get_mut(level),
            Some(level) => self.rest.as_mut()?.deeper.get_mut(level),
        }
    }

    fn copied(&mut self) -> &mut Copied {
        &mut self.rest.get_or_insert_default().copied
    }
}

impl Out<'_> {
    /// A map begins. Returns its level, which is how many maps are open with it.
    #[inline]
    pub(crate) fn enter_map(&mut self) -> usize {
        let keys = &mut self.keys;
        match keys.outer.get_mut(keys.level) {
            Some(outer) => *outer = keys.latest,
            None => keys.push_deeper(),
        }
        keys.level += 1;
        keys.latest = 0;
        keys.level
    }

    /// The map at this level ends, or is left after a failure.
    #[inline]
    pub(crate) fn leave_map(&mut self, level: usize) {
        let keys = &mut self.keys;
        keys.level = level - 1;
        keys.latest = match keys.outer.get(keys.level) {
            Some(outer) => *outer,
            None => keys.outer(level - 1).copied().unwrap_or(0),
        };
    }

    /// A key of the innermost map has been written, and all of it is in the tail.
    #[inline(always)]
    pub(crate) fn mark_key(&mut self) {
        self.keys.latest = self.tail.filled_len();
    }

    /// A key of the innermost map has been written, in parts that may have left the tail.
    #[cold]
    pub(crate) fn copy_key(&mut self, name: &str) {
        let level = self.keys.level;
        self.keys.copied().push(level, name);
        self.keys.latest = COPIED;
    }

    /// The name of the member whose key was written last in the map at this level. Maps inside it may have been left
    /// without a word.
    #[cold]
    pub(crate) fn latest_key(&mut self, level: usize) -> String {
        let keys = &mut self.keys;
        let position = if level == keys.level { Some(keys.latest) } else { keys.outer(level).copied() };
        let name = match position {
            Some(COPIED) => keys.copied().get(level).map(str::to_owned),
            Some(position) => self.tail.filled().get(..position).and_then(key_at_end),
            None => None,
        };
        debug_assert!(name.is_some(), "the name of an open member is lost");
        name.unwrap_or_default()
    }

    /// Copies the names that are in the tail, before bytes leave it.
    #[inline]
    pub(super) fn copy_open_keys(&mut self) {
        if self.keys.level > 0 {
            self.copy_keys_in_tail();
        }
    }

    #[cold]
    #[inline(never)]
    fn copy_keys_in_tail(&mut self) {
        let (keys, tail) = (&mut self.keys, self.tail.filled());
        for level in 1..=keys.level {
            let position = if level == keys.level { Some(&mut keys.latest) } else { keys.outer(level) };
            if let Some(position) = position.filter(|position| **position != COPIED)
                && let Some(name) = tail.get(..*position).and_then(key_at_end)
            {
                *position = COPIED;
                keys.copied().push(level, &name);
            }
        }
    }
}

/// The unescaped text of the key that `json` ends with, followed by a colon.
fn key_at_end(json: &[u8]) -> Option<String> {
    let quoted = json.trim_ascii_end().strip_suffix(b":")?;
    let inside = quoted.strip_suffix(b"\"")?;
    let is_open = |at: &usize| {
        let backslashes = inside[..*at].iter().rev().take_while(|byte| **byte == b'\\').count();
        inside[*at] == b'"' && backslashes % 2 == 0
    };
    let start = (0..inside.len()).rev().find(is_open)?;
    serde_json::from_slice(&quoted[start..]).ok()
}
