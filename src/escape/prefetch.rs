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
