//! Memory that ends at an unmapped page: one byte read or written behind it, and the process dies.
//!
//! Unsafe, because nothing safe gives such memory. Used by the unit tests of `scan` and by `guard_page.rs`, which also
//! makes it the memory of every text, slab and chunk.

#![allow(unsafe_code, reason = "maps pages, and makes slices of them")]
#![allow(dead_code, reason = "each test file uses its own part")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::{io, ptr, slice};

fn page_size() -> usize {
    // SAFETY: asks for a number.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).expect("a page size")
}

/// Some pages that can be used, between two that cannot.
pub struct Guarded {
    map: *mut libc::c_void,
    map_len: usize,
    usable: *mut u8,
    usable_len: usize,
}

impl Guarded {
    /// At least `len` usable bytes.
    pub fn new(len: usize) -> Guarded {
        let page = page_size();
        let usable_len = len.next_multiple_of(page).max(page);
        let map_len = usable_len + 2 * page;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping, at an address that the system chooses, overlaps nothing.
        let map = unsafe { libc::mmap(ptr::null_mut(), map_len, libc::PROT_NONE, flags, -1, 0) };
        assert_ne!(map, libc::MAP_FAILED, "{}", io::Error::last_os_error());
        // SAFETY: the mapping has two pages more than `usable_len`.
        let usable = unsafe { map.cast::<u8>().add(page) };
        // SAFETY: the pages between the first and the last belong to the mapping, and nothing refers to them yet.
        let done = unsafe { libc::mprotect(usable.cast(), usable_len, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(done, 0, "{}", io::Error::last_os_error());
        Guarded { map, map_len, usable, usable_len }
    }

    /// The last `len` usable bytes: the byte behind them is not mapped.
    pub fn tail(&mut self, len: usize) -> &mut [u8] {
        let at = self.usable_len.checked_sub(len).expect("more than was asked for");
        // SAFETY: the bytes from `at` to `usable_len` are mapped, initialised (anonymous pages are zero), and borrowed
        // from `self`, which the result keeps borrowed.
        unsafe { slice::from_raw_parts_mut(self.usable.add(at), len) }
    }

    /// [`tail`](Self::tail), to be read only.
    pub fn shared_tail(&self, len: usize) -> &[u8] {
        let at = self.usable_len.checked_sub(len).expect("more than was asked for");
        // SAFETY: as in `tail`; nothing writes to the bytes while `self` is borrowed.
        unsafe { slice::from_raw_parts(self.usable.add(at), len) }
    }

    /// The first `len` usable bytes: the byte before them is not mapped.
    pub fn head(&mut self, len: usize) -> &mut [u8] {
        assert!(len <= self.usable_len);
        // SAFETY: as in `tail`.
        unsafe { slice::from_raw_parts_mut(self.usable, len) }
    }

    /// [`tail`](Self::tail) as room to be written.
    pub fn tail_room(&mut self, len: usize) -> &mut [MaybeUninit<u8>] {
        let tail = self.tail(len);
        // SAFETY: initialised bytes are also possibly initialised ones. Whoever gets this slice writes bytes or
        // nothing: it is only handed to code that fills room.
        unsafe { slice::from_raw_parts_mut(tail.as_mut_ptr().cast(), len) }
    }

    /// A copy of `text` in the [`tail`](Self::tail).
    pub fn text_at_end(&mut self, text: &str) -> &str {
        let tail = self.tail(text.len());
        tail.copy_from_slice(text.as_bytes());
        std::str::from_utf8(tail).expect("a copy of text")
    }

    /// A copy of `text` in the [`head`](Self::head).
    pub fn text_at_start(&mut self, text: &str) -> &str {
        let head = self.head(text.len());
        head.copy_from_slice(text.as_bytes());
        std::str::from_utf8(head).expect("a copy of text")
    }
}

// SAFETY: the pages belong to this value alone, and only a mutable borrow of it writes to them.
unsafe impl Send for Guarded {}
// SAFETY: as above: a shared borrow only reads.
unsafe impl Sync for Guarded {}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: exactly the mapping that `new` made, and nothing borrows from it any more.
        unsafe { libc::munmap(self.map, self.map_len) };
    }
}

/// An allocator that puts everything without alignment, which is every buffer of bytes, before an unmapped page.
pub struct Fence;

// SAFETY: an allocation is the end of a mapping of its own, or one of the system's allocator; its layout tells which. A
// byte needs no alignment.
unsafe impl GlobalAlloc for Fence {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > 1 {
            // SAFETY: the caller's promises.
            return unsafe { System.alloc(layout) };
        }
        let guarded = ManuallyDrop::new(Guarded::new(layout.size()));
        // SAFETY: `layout.size()` is at most `usable_len`.
        unsafe { guarded.usable.add(guarded.usable_len - layout.size()) }
    }

    unsafe fn dealloc(&self, bytes: *mut u8, layout: Layout) {
        if layout.align() > 1 {
            // SAFETY: the caller's promises, and `alloc` took it from there.
            return unsafe { System.dealloc(bytes, layout) };
        }
        let page = page_size();
        let usable_len = layout.size().next_multiple_of(page).max(page);
        // SAFETY: the reverse of what `alloc` did with a layout of this size.
        let usable = unsafe { bytes.add(layout.size()).sub(usable_len) };
        // SAFETY: a mapping begins one page before its usable ones.
        let map = unsafe { usable.sub(page).cast() };
        drop(Guarded { map, map_len: usable_len + 2 * page, usable, usable_len });
    }
}
