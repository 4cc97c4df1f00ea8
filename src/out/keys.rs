//! The names of the map members that are being written, for error pointers.
//!
//! A key is serialized once, and its text may be gone when its value fails. But it has been written just before, so its
//! name is read back from the output. All that is kept while encoding succeeds is the position of the latest key of
//! each open map; only when bytes leave the tail are the names among them copied.

use smallvec::SmallVec;

use super::Out;

/// The position of a key whose name was copied.
const COPIED: usize = usize::MAX;

/// The latest keys of all open maps. Positions are those of the first byte after a key and its colon, counted from the
/// start of the tail; 0 is none.
#[derive(Default)]
pub(super) struct OpenKeys {
    latest: usize,
    /// The positions of the maps around the innermost one, outermost first, after a 0 for the document.
    outer: SmallVec<[usize; 4]>,
    copied: Option<Box<Copied>>,
}

/// Names, as a stack of texts in one string, so that copying them allocates only a few times for each document.
#[derive(Default)]
struct Copied {
    texts: String,
    /// For each name: how many maps are open around it, its own included, and where its text begins.
    names: Vec<(usize, usize)>,
}

impl Copied {
    /// Puts the name of the map at this level on the stack, in place of older ones at this level or deeper.
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

impl Out<'_> {
    /// A map begins.
    #[inline]
    pub(crate) fn enter_map(&mut self) {
        self.keys.outer.push(self.keys.latest);
        self.keys.latest = 0;
    }

    /// The innermost map ends, or is left after a failure.
    #[inline]
    pub(crate) fn leave_map(&mut self) {
        self.keys.latest = self.keys.outer.pop().unwrap_or(0);
    }

    /// A key of the innermost map has been written, and all of it is in the tail.
    #[inline(always)]
    pub(crate) fn mark_key(&mut self) {
        self.keys.latest = self.tail.filled_len();
    }

    /// A key of the innermost map has been written, in parts that may have left the tail.
    #[cold]
    pub(crate) fn copy_key(&mut self, name: &str) {
        let level = self.keys.outer.len();
        self.keys.copied.get_or_insert_default().push(level, name);
        self.keys.latest = COPIED;
    }

    /// The name of the member of the innermost map whose key was written last.
    #[cold]
    pub(crate) fn latest_key(&self) -> String {
        let OpenKeys { latest, outer, copied } = &self.keys;
        let name = match *latest {
            COPIED => copied.as_ref().and_then(|copied| copied.get(outer.len())).map(str::to_owned),
            position => self.tail.filled().get(..position).and_then(key_at_end),
        };
        debug_assert!(name.is_some(), "the name of an open member is lost");
        name.unwrap_or_default()
    }

    /// Copies the names that are in the tail, before bytes leave it.
    #[inline]
    pub(super) fn copy_open_keys(&mut self) {
        if !self.keys.outer.is_empty() {
            self.copy_keys_in_tail();
        }
    }

    #[cold]
    #[inline(never)]
    fn copy_keys_in_tail(&mut self) {
        let OpenKeys { latest, outer, copied } = &mut self.keys;
        let tail = self.tail.filled();
        for (level, position) in outer.iter_mut().chain([latest]).enumerate() {
            if *position != 0
                && *position != COPIED
                && let Some(name) = tail.get(..*position).and_then(key_at_end)
            {
                copied.get_or_insert_default().push(level, &name);
                *position = COPIED;
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
