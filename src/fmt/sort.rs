//! Members in the order of their keys.
//!
//! Each member is encoded where it comes, and the output is held from the first member of the outermost object until
//! that object closes. An object whose members came out of order is put in order in that output: no second tree.
//!
//! To move the bytes of every such object when it closes would cost the depth times the length. So an object is put in
//! order at once only if it is at least twice as long as anything in it that has been moved before. Otherwise the order
//! of its members is noted, and the next object around it that is long enough, or the outermost one, moves them all in
//! one copy. So a byte is moved at most log2(length) + 1 times, and mostly once. An object that is in order costs
//! nothing but the comparison of its keys.

use std::cmp::Ordering;
use std::ops::Range;

use super::Formatter;
use crate::error::{Error, Result};

/// Bytes that each list may keep for the next object, once no object is open.
const MAX_KEPT: usize = 64 * 1024;

/// What is known of the members of all open objects, and of objects in them whose members are still to be moved.
///
/// All positions are offsets in the held output. Putting an object in order does not change its length, so they stay
/// right for what is around it.
#[derive(Default)]
pub(super) struct Sorter {
    /// The open objects, the innermost last.
    objects: Vec<Object>,
    /// The members of the open objects, in the order in which they came.
    members: Vec<Member>,
    /// Closed objects whose members have to be moved: what is inside an object comes before it.
    unsorted: Vec<Unsorted>,
    /// The members of the objects in `unsorted`, in the order of their keys.
    pieces: Vec<Piece>,
    /// Where text is put together in its new order. Its content means nothing.
    copy: Vec<u8>,
}

struct Object {
    /// Its first member in `members`.
    first: usize,
    /// The length of the longest object in it that has been moved.
    moved: usize,
}

struct Member {
    piece: Piece,
    /// Where in `Formatter::names` its key is, unescaped.
    key: Range<usize>,
}

/// The text of a member, without the commas, brackets and white space around it.
#[derive(Clone)]
struct Piece {
    text: Range<usize>,
    /// The objects in it that have to be moved.
    unsorted: Range<usize>,
}

struct Unsorted {
    /// Its text without the brackets.
    text: Range<usize>,
    /// The first of the objects in `unsorted` that are inside this one. They end with it.
    first_inside: usize,
    pieces: Range<usize>,
    /// The text between its first two members, and between any others.
    gap: Range<usize>,
    /// Where in the copy its text begins.
    to: usize,
}

/// Compares keys, given as UTF-8: as UTF-16 in canonical JSON (RFC 8785, section 3.2.3), otherwise as they are.
#[inline]
fn compare(a: &[u8], b: &[u8], canonical: bool) -> Ordering {
    if !canonical {
        return a.cmp(b);
    }
    // Both orders are that of the code points, but for surrogates, which stand for what is beyond U+FFFF: in UTF-16 they
    // come before U+E000 to U+FFFF, of which the first byte in UTF-8 is 0xee or 0xef.
    let different = a.iter().zip(b).find(|(a, b)| a != b);
    different.map_or(a.len().cmp(&b.len()), |(&a, &b)| {
        let is_reversed = a >= 0xee && b >= 0xee && (a >= 0xf0) != (b >= 0xf0);
        if is_reversed { b.cmp(&a) } else { a.cmp(&b) }
    })
}

impl<const PLAIN: bool> Formatter<'_, PLAIN> {
    /// Whether members are put in the order of their keys.
    #[inline(always)]
    pub(crate) fn sorts(&self) -> bool {
        !PLAIN && self.options.sort_keys
    }

    /// Leaves members in the order they come in, where only the length of the output counts. Canonical output is sorted all
    /// the same, because that finds members with equal names.
    pub(crate) fn keep_order(&mut self) {
        self.options.sort_keys = self.options.canonical;
    }

    /// Notes that the text of the latest member ends here, before a comma.
    pub(super) fn end_member(&mut self) {
        let (at, sorter) = (self.out.held_len(), self.sorter.get_or_insert_with(Sorter::default));
        if let Some(Member { piece, .. }) = sorter.members.last_mut() {
            (piece.text.end, piece.unsorted.end) = (at, sorter.unsorted.len());
        }
    }

    /// Holds an object from here on, so that its members can be put in order.
    pub(super) fn begin_members(&mut self) -> Result<()> {
        self.out.hold()?;
        let sorter = self.sorter.get_or_insert_with(Sorter::default);
        sorter.objects.push(Object { first: sorter.members.len(), moved: 0 });
        Ok(())
    }

    /// Notes that the text of a member begins here.
    pub(super) fn begin_member(&mut self) {
        let sorter = self.sorter.get_or_insert_with(Sorter::default);
        let (at, key, unsorted) = (self.out.held_len(), self.names.len(), sorter.unsorted.len());
        sorter.members.push(Member { piece: Piece { text: at..at, unsorted: unsorted..unsorted }, key: key..key });
    }

    /// Notes the key of the member that has begun.
    pub(crate) fn note_key(&mut self, text: &str) {
        if !self.sorts() {
            return;
        }
        let sorter = self.sorter.get_or_insert_with(Sorter::default);
        if let Some(member) = sorter.members.last_mut() {
            self.names.push_str(text);
            member.key.end = self.names.len();
        }
    }

    /// Puts the members of the object whose last member ends here in the order of their keys, or notes their order; equal
    /// keys stay in the order they came in, or are an error in canonical JSON.
    pub(super) fn sort_members(&mut self) -> Result<()> {
        self.end_member();
        let sorter = self.sorter.get_or_insert_with(Sorter::default);
        let Some(object) = sorter.objects.pop() else { return Ok(()) };
        let first_name = sorter.members.get(object.first).map_or(0, |member| member.key.start);
        // After a failure that a `Serialize` swallowed there may be members that were not written, and nothing will
        // come of the document.
        self.out.check()?;
        if let Err(name) = sorter.close(&object, &self.names, self.out.held(), self.options.canonical) {
            return Err(self.duplicate_name(&name));
        }
        sorter.members.truncate(object.first);
        self.names.truncate(first_name);
        if sorter.objects.is_empty() {
            sorter.reset();
            self.names.shrink_to(MAX_KEPT);
        }
        self.out.release();
        Ok(())
    }

    #[cold]
    fn duplicate_name(&mut self, name: &str) -> Error {
        self.fail_data(&format!("the name {name:?} occurs twice in one object, which canonical JSON does not allow"))
    }
}

impl Sorter {
    /// Ends `object`, whose members have ended. The error is a name that occurs twice, if that is not allowed.
    fn close(
        &mut self,
        object: &Object,
        names: &str,
        held: &mut [u8],
        canonical: bool,
    ) -> std::result::Result<(), String> {
        let mut moved = object.moved;
        if let Some(text) = self.note_order(object, names, canonical)?.filter(|text| text.len() / 2 >= moved) {
            moved = text.len();
            self.apply(self.unsorted.len() - 1, held);
        }
        match self.objects.last_mut() {
            Some(outer) => outer.moved = outer.moved.max(moved),
            // Nothing is open any more, so what is left of the orders is applied.
            None => {
                while let Some(last) = self.unsorted.len().checked_sub(1) {
                    self.apply(last, held);
                }
            }
        }
        Ok(())
    }

    /// If the members of the object are not in order, notes their order and returns its text.
    fn note_order(
        &mut self,
        object: &Object,
        names: &str,
        canonical: bool,
    ) -> std::result::Result<Option<Range<usize>>, String> {
        let members = self.members.get_mut(object.first..).unwrap_or_default();
        let [Member { piece: first, .. }, Member { piece: second, .. }, ..] = &*members else { return Ok(None) };
        let (gap, first_inside, start) = (first.text.end..second.text.start, first.unsorted.start, first.text.start);
        let text = start..members.last().map_or(start, |last| last.piece.text.end);
        let key = |member: &Member| names.as_bytes().get(member.key.clone()).unwrap_or_default();
        let in_order = |a: &Member, b: &Member| match compare(key(a), key(b), canonical) {
            Ordering::Equal => !canonical,
            order => order.is_lt(),
        };
        if members.is_sorted_by(in_order) {
            return Ok(None);
        }
        // Where they begin tells members with equal keys apart.
        let began = |member: &Member| member.piece.text.start;
        members.sort_unstable_by(|a, b| compare(key(a), key(b), canonical).then(began(a).cmp(&began(b))));
        let twice = || members.windows(2).find(|pair| key(&pair[0]) == key(&pair[1]));
        if let Some(twice) = canonical.then(twice).flatten() {
            return Err(String::from_utf8_lossy(key(&twice[0])).into_owned());
        }
        let first_piece = self.pieces.len();
        self.pieces.extend(members.iter().map(|member| member.piece.clone()));
        let pieces = first_piece..self.pieces.len();
        self.unsorted.push(Unsorted { text: text.clone(), first_inside, pieces, gap, to: 0 });
        Ok(Some(text))
    }

    /// Puts the object with this index in `unsorted`, the last one, and all inside it in order. They are then off the
    /// list.
    fn apply(&mut self, index: usize, held: &mut [u8]) {
        let Sorter { unsorted, pieces, copy, .. } = self;
        let Unsorted { text, first_inside, .. } = &unsorted[index];
        let (text, first_inside) = (text.clone(), *first_inside);
        if copy.len() < text.len() {
            // At its exact size, and never more than one at a time.
            *copy = Vec::new();
            copy.resize(text.len(), 0);
        }
        unsorted[index].to = 0;
        // From the outside to the inside: where an object goes is known when the one around it has been placed.
        for index in (first_inside..=index).rev() {
            let (inside, around) = unsorted.split_at_mut(index);
            let object = &around[0];
            let mut to = object.to;
            let last = object.pieces.end - 1;
            for (index, piece) in object.pieces.clone().zip(&pieces[object.pieces.clone()]) {
                let moved_to = |at: usize| to + (at - piece.text.start);
                // All of the piece but what is inside objects that are placed next, from its end to its start.
                let (mut end, mut next) = (piece.text.end, piece.unsorted.end);
                while next > piece.unsorted.start {
                    let inner = &mut inside[next - 1];
                    copy[moved_to(inner.text.end)..moved_to(end)].copy_from_slice(&held[inner.text.end..end]);
                    inner.to = moved_to(inner.text.start);
                    (end, next) = (inner.text.start, inner.first_inside);
                }
                copy[to..moved_to(end)].copy_from_slice(&held[piece.text.start..end]);
                to += piece.text.len();
                if index < last {
                    copy[to..to + object.gap.len()].copy_from_slice(&held[object.gap.clone()]);
                    to += object.gap.len();
                }
            }
        }
        held[text.clone()].copy_from_slice(&copy[..text.len()]);
        pieces.truncate(unsorted[first_inside].pieces.start);
        unsorted.truncate(first_inside);
    }

    /// The text from `from` on has moved: what was at one position is now at `new` of it.
    pub(super) fn move_text(&mut self, from: usize, new: impl Fn(usize) -> usize) {
        let shift = |range: &mut Range<usize>| *range = new(range.start)..new(range.end);
        let is_after = |range: &Range<usize>| range.start >= from;
        let members = self.members.iter_mut().map(|member| &mut member.piece.text);
        members.rev().take_while(|text| is_after(text)).for_each(shift);
        self.pieces.iter_mut().map(|piece| &mut piece.text).rev().take_while(|text| is_after(text)).for_each(shift);
        for object in self.unsorted.iter_mut().rev().take_while(|object| is_after(&object.text)) {
            shift(&mut object.text);
            shift(&mut object.gap);
        }
    }

    /// Forgets everything, and lets go of memory that a large object needed: a document that streams may go on for long.
    fn reset(&mut self) {
        fn clear<T>(list: &mut Vec<T>) {
            list.clear();
            if list.capacity().saturating_mul(size_of::<T>()) > MAX_KEPT {
                *list = Vec::new();
            }
        }
        clear(&mut self.objects);
        clear(&mut self.members);
        clear(&mut self.unsorted);
        clear(&mut self.pieces);
        if self.copy.capacity() > MAX_KEPT {
            self.copy = Vec::new();
        }
    }
}
