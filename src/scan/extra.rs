//! The same search when more is to be escaped than JSON demands: a table for each set of options.

use super::ESCAPES;
use crate::options::Escapes;

/// For each set, and each byte value, whether the character it belongs to has to be looked at.
static SPECIAL: [[bool; 256]; Escapes::COUNT] = {
    let mut tables = [[false; 256]; Escapes::COUNT];
    let mut index = 0;
    while index < Escapes::COUNT {
        let escapes = Escapes::from_index(index);
        let mut byte = 0;
        while byte < 256 {
            tables[index][byte] = ESCAPES[byte].len > 0
                || (escapes.has(Escapes::ASCII) && byte >= 0x80)
                // U+2028 and U+2029 begin with 0xe2, as do some others.
                || (escapes.has(Escapes::HTML) && matches!(byte as u8, b'<' | b'>' | b'&' | 0xe2))
                || (escapes.has(Escapes::SOLIDUS) && byte as u8 == b'/');
            byte += 1;
        }
        index += 1;
    }
    tables
};

/// Number of bytes before the first character that may need an escape under `escapes`; the length of `text` if there is
/// none. Always a character boundary.
pub(crate) fn clean_len_with(escapes: Escapes, text: &str) -> usize {
    let special = &SPECIAL[escapes.index()];
    let bytes = text.as_bytes();
    bytes.iter().position(|&byte| special[byte as usize]).unwrap_or(bytes.len())
}
