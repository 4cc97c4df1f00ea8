//! Members in the order of their keys: each is encoded where it comes, and when its object closes, the encoded pieces
//! are put in order. No second tree, but the output of an open object is held.

use std::mem;

use super::Formatter;
use crate::error::Result;

/// What has to be known of the members of all open objects.
#[derive(Default)]
pub(super) struct Sorter {
    members: Vec<Member>,
    /// Reused for the copy that reordering needs.
    copy: Vec<u8>,
}

struct Member {
    /// Where the member begins in the open output: behind the bracket or comma.
    start: usize,
    /// Where its key stands in `Formatter::names`, unescaped.
    name: (usize, usize),
}

impl Sorter {
    /// Where the output begins that may still be reordered, if there is any.
    pub(super) fn first_held(&self) -> Option<usize> {
        // The bracket before the first member is certain.
        self.members.first().map(|member| member.start)
    }
}

impl<const PLAIN: bool> Formatter<'_, PLAIN> {
    /// Whether members are put in the order of their keys.
    #[inline(always)]
    pub(crate) fn sorts(&self) -> bool {
        !PLAIN && self.options.sort_keys
    }

    /// Notes that the member with this index begins here, with the bracket or comma that is written next.
    pub(super) fn begin_member(&mut self, index: usize) -> Result<()> {
        if index == 0 {
            self.out.hold()?;
        }
        let name = self.names.len();
        self.sorter.members.push(Member { start: self.out.held().len() + 1, name: (name, name) });
        Ok(())
    }

    /// Notes the key of the member that has begun.
    pub(crate) fn note_key(&mut self, text: &str) {
        if self.sorts()
            && let Some(member) = self.sorter.members.last_mut()
        {
            self.names.push_str(text);
            member.name.1 = self.names.len();
        }
    }

    /// Puts the `count` members of the object that ends here in the order of their keys' bytes; equal keys stay in the
    /// order they came in.
    pub(super) fn sort_members(&mut self, count: usize) {
        let Sorter { members, copy } = &mut self.sorter;
        let first = members.len().saturating_sub(count);
        let key = |member: &Member| &self.names[member.name.0..member.name.1];
        // After a failure that a `Serialize` swallowed, members may have been begun that were never written.
        if self.out.check().is_ok() && !members[first..].is_sorted_by_key(key) {
            let held = self.out.held();
            let start = members[first].start;
            // The end of a member is one before the next begins, where the comma is.
            let ends = members[first + 1..].iter().map(|next| next.start - 1).chain([held.len()]);
            let mut pieces: Vec<_> = members[first..].iter().zip(ends).collect();
            pieces.sort_by_key(|(member, _)| key(member));
            copy.clear();
            for (index, (member, end)) in pieces.into_iter().enumerate() {
                if index > 0 {
                    copy.push(b',');
                }
                copy.extend_from_slice(&held[member.start..end]);
            }
            held[start..].copy_from_slice(copy);
        }
        self.names.truncate(members[first].name.0);
        members.truncate(first);
        self.out.release();
        // A large object must not keep a large copy alive behind it, in a document that streams.
        if copy.capacity() > 1 << 20 {
            mem::take(copy);
        }
    }
}
