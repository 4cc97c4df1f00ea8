//! Short texts on the stack.

/// Room for the longest text of a date, a time or a decimal: 77 digits, or a scale of 128 places.
const ROOM: usize = 256;

/// A text of ASCII characters that is put together from pieces.
pub(crate) struct Text {
    bytes: [u8; ROOM],
    len: usize,
}

impl Text {
    #[inline]
    pub(crate) fn new() -> Text {
        Text { bytes: [0; ROOM], len: 0 }
    }

    /// Appends ASCII characters. What does not fit is left out, which no caller's text is long enough for.
    #[inline]
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        debug_assert!(bytes.is_ascii() && bytes.len() <= ROOM - self.len);
        if let Some(room) = self.bytes.get_mut(self.len..self.len + bytes.len()) {
            room.copy_from_slice(bytes);
            self.len += bytes.len();
        }
    }

    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}
