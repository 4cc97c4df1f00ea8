//! Where text can be cut.

/// The last character boundary of `text` that is at most `at`.
#[inline]
pub(crate) fn floor_char_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// How many of `bytes`, the front part of valid UTF-8 text, are whole characters: all but 0 to 3 of them.
pub(crate) fn char_boundary_before_end(bytes: &[u8]) -> usize {
    let len = bytes.len();
    // The last character starts at most four bytes before the end, and its first byte tells how long it is.
    for back in 1..=len.min(4) {
        let first = bytes[len - back];
        if first & 0xc0 != 0x80 {
            let needed = match first {
                0xf0.. => 4,
                0xe0.. => 3,
                0xc0.. => 2,
                _ => 1,
            };
            return if needed > back { len - back } else { len };
        }
    }
    len
}
