//! Asks for memory before it is needed.

/// Begins to load what is at `place` into the cache, and does not wait for it. Where there is no such instruction,
/// nothing happens.
#[inline(always)]
pub(crate) fn prefetch<T: ?Sized>(place: *const T) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse", not(miri)))]
    // SAFETY: a hint to the processor. It may be given any address: nothing is read, and nothing can fail.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse", not(miri))))]
    let _ = place;
}

/// Cache lines that one allocation may have which is worth loading as a whole: a node of a `BTreeMap` from names to trees.
#[cfg(all(target_arch = "x86_64", target_feature = "sse", not(miri)))]
const LINES: usize = 10;

/// Begins to load what the words of `value` refer to, as far as they are addresses at all: for containers that do not
/// expose where their content is. Does not depend on how `value` is laid out: a word that is no address loads nothing.
#[inline]
pub(crate) fn prefetch_targets<T>(value: &T) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse", not(miri)))]
    {
        use std::arch::asm;
        use std::mem::MaybeUninit;

        let words = std::ptr::from_ref(value).cast::<MaybeUninit<usize>>();
        for index in 0..size_of::<T>() / size_of::<usize>() {
            // SAFETY: inside of `value`, which is borrowed. A word may be padding, or not initialized, and `MaybeUninit`
            // allows both.
            let word = unsafe { words.add(index).read_unaligned() };
            // SAFETY: only hints, which may be given any address: nothing is read, nothing is written, and nothing can
            // fail. What is in the register is not looked at outside of the assembly code, so it need not be initialized.
            // Small numbers are left out, because it takes long to find out that they are no address.
            unsafe {
                asm!(
                    "cmp {word}, 65536",
                    "jb 2f",
                    "mov {line}, {lines}",
                    "3:",
                    "prefetcht0 [{word}]",
                    "add {word}, 64",
                    "dec {line}",
                    "jnz 3b",
                    "2:",
                    word = inout(reg) word => _,
                    line = out(reg) _,
                    lines = const LINES,
                    options(nostack, readonly),
                );
            }
        }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse", not(miri))))]
    let _ = value;
}
