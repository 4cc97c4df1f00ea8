//! Which bytes need an escape: those that JSON demands, and those that the options add.
//!
//! Every search is generic over a [`Set`]. For [`Json`] the compiler removes everything that concerns options. For
//! [`More`] the search compares with a few more vectors, which come from a table, so all options share one code.

use super::{ESCAPES, Escape, put_escaped};

/// The escapes that options add to those that JSON demands: a set of three switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Escapes(u8);

impl Escapes {
    pub(crate) const ASCII: Escapes = Escapes(1);
    pub(crate) const HTML: Escapes = Escapes(2);
    pub(crate) const SOLIDUS: Escapes = Escapes(4);
    /// The number of sets. [`index`](Self::index) is less than that.
    pub(crate) const COUNT: usize = 8;

    pub(crate) const fn none() -> Escapes {
        Escapes(0)
    }

    pub(crate) const fn from_index(index: usize) -> Escapes {
        Escapes(index as u8)
    }

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) const fn has(self, escape: Escapes) -> bool {
        self.0 & escape.0 != 0
    }

    pub(crate) fn set(&mut self, escape: Escapes, on: bool) {
        self.0 = if on { self.0 | escape.0 } else { self.0 & !escape.0 };
    }
}

/// A set of bytes to search for.
pub(super) trait Set: Copy {
    /// Whether quotes and backslashes are in the set. Control characters always are.
    const QUOTES: bool;

    /// What is searched for in addition to JSON's own. A constant for each type, so asking costs nothing.
    fn more(self) -> Option<&'static More>;

    /// Whether `byte` is in the set.
    fn has(self, byte: u8) -> bool;

    /// Writes the first character of `text`, or a few more, with their escapes to `dst`. Returns the number of bytes
    /// consumed, and where the copy ends.
    ///
    /// # Safety
    /// `text` must begin with a byte of the set. `dst` must be valid for writes of `6 * text.len() + 2` bytes and not
    /// overlap `text`. Unless the set is [`Json`], `text` must be the end of valid UTF-8.
    unsafe fn put(self, text: &[u8], dst: *mut u8) -> (usize, *mut u8);
}

/// What JSON demands: control characters, quotes and backslashes.
#[derive(Clone, Copy)]
pub(super) struct Json;

impl Set for Json {
    const QUOTES: bool = true;

    #[inline(always)]
    fn more(self) -> Option<&'static More> {
        None
    }

    #[inline(always)]
    fn has(self, byte: u8) -> bool {
        ESCAPES[byte as usize].len > 0
    }

    #[inline(always)]
    unsafe fn put(self, text: &[u8], dst: *mut u8) -> (usize, *mut u8) {
        // SAFETY: `text` has a byte, so there is room for 8.
        (1, unsafe { put_escaped(&ESCAPES, *text.get_unchecked(0), dst) })
    }
}

/// What one set of options adds: a vector to compare with for each kind of byte.
#[repr(C, align(16))]
pub(super) struct More {
    /// A byte that has one of these bits is in the set.
    pub(super) bits: [u8; 16],
    /// A byte that is one of these when [`ANGLE_BIT`] is set, is in the set: both angle brackets by one comparison.
    pub(super) angle: [u8; 16],
    /// A byte that is one of these is in the set.
    pub(super) bytes: [[u8; 16]; 3],
    /// All of the set, JSON's own included.
    has: [bool; 256],
    ascii: bool,
}

/// The only bit in which `<` and `>` differ.
pub(super) const ANGLE_BIT: u8 = b'<' ^ b'>';

/// The first byte of U+2028 and U+2029, and of other characters.
const SEPARATOR: [u8; 2] = [0xe2, 0x80];

/// One entry for each set of options.
static MORE: [More; Escapes::COUNT] = {
    // Values that add nothing: a control character, which is in the set anyway, and a byte without the bit, which is
    // never equal to one with it.
    const NO_BYTE: More = More { bits: [0; 16], angle: [0; 16], bytes: [[0; 16]; 3], has: [false; 256], ascii: false };
    let mut all = [NO_BYTE; Escapes::COUNT];
    let mut index = 0;
    while index < Escapes::COUNT {
        let (escapes, more) = (Escapes::from_index(index), &mut all[index]);
        more.ascii = escapes.has(Escapes::ASCII);
        if more.ascii {
            more.bits = [0x80; 16];
        }
        if escapes.has(Escapes::HTML) {
            more.angle = [b'<' | ANGLE_BIT; 16];
            more.bytes[0] = [b'&'; 16];
        }
        if escapes.has(Escapes::HTML) && !more.ascii {
            more.bytes[1] = [SEPARATOR[0]; 16];
        }
        if escapes.has(Escapes::SOLIDUS) {
            more.bytes[2] = [b'/'; 16];
        }
        let mut byte = 0;
        while byte < 256 {
            let value = byte as u8;
            more.has[byte] = ESCAPES[byte].len > 0
                || value & more.bits[0] != 0
                || value | ANGLE_BIT == more.angle[0]
                || value == more.bytes[0][0]
                || value == more.bytes[1][0]
                || value == more.bytes[2][0];
            byte += 1;
        }
        index += 1;
    }
    all
};

/// How ASCII is escaped where the options ask for it.
static MORE_ESCAPES: [Escape; 256] = {
    let mut table = ESCAPES;
    table[b'<' as usize] = Escape { text: *b"\\u003c\0", len: 6 };
    table[b'>' as usize] = Escape { text: *b"\\u003e\0", len: 6 };
    table[b'&' as usize] = Escape { text: *b"\\u0026\0", len: 6 };
    table[b'/' as usize] = Escape { text: *b"\\/\0\0\0\0\0", len: 2 };
    table
};

/// Both hexadecimal digits of each byte.
static HEX: [[u8; 2]; 256] = {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut table = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = [DIGITS[byte >> 4], DIGITS[byte & 15]];
        byte += 1;
    }
    table
};

impl More {
    pub(super) fn of(escapes: Escapes) -> &'static More {
        &MORE[escapes.index()]
    }
}

impl Set for &'static More {
    const QUOTES: bool = true;

    #[inline(always)]
    fn more(self) -> Option<&'static More> {
        Some(self)
    }

    #[inline(always)]
    fn has(self, byte: u8) -> bool {
        self.has[byte as usize]
    }

    #[inline(always)]
    unsafe fn put(self, text: &[u8], mut dst: *mut u8) -> (usize, *mut u8) {
        // SAFETY: the caller promises a first byte, valid UTF-8 after it, and the room. Bytes of the set are ASCII or
        // begin a character (with `ascii`, what is inside of one is passed together with its beginning), so `text` is
        // valid UTF-8 as a whole. A character of n >= 2 bytes takes at most 6 * n bytes of room (two escapes from 4
        // bytes on, else one), and each store of 8 bytes begins at least 8 before the end of them and of 2 more.
        unsafe {
            let first = *text.get_unchecked(0);
            if first < 0x80 {
                return (1, put_escaped(&MORE_ESCAPES, first, dst));
            }
            if !self.ascii {
                let is_separator = text.starts_with(&SEPARATOR) && matches!(text[2], 0xa8 | 0xa9);
                if is_separator {
                    return (3, put_unicode(0x2000 | u32::from(text[2] & 0x3f), dst));
                }
                dst.write(first);
                return (1, dst.add(1));
            }
            let mut characters = std::str::from_utf8_unchecked(text).chars();
            loop {
                let rest = characters.as_str().len();
                let Some(character @ '\u{80}'..) = characters.next() else { return (text.len() - rest, dst) };
                let code = u32::from(character);
                dst = if let Some(above) = code.checked_sub(0x1_0000) {
                    let dst = put_unicode(0xd800 | above >> 10, dst);
                    put_unicode(0xdc00 | above & 0x3ff, dst)
                } else {
                    put_unicode(code, dst)
                };
            }
        }
    }
}

/// What to search for in JSON text: not its quotes and escapes, but control characters and what the options add.
#[derive(Clone, Copy)]
pub(super) struct InJson(pub(super) &'static More);

impl Set for InJson {
    const QUOTES: bool = false;

    #[inline(always)]
    fn more(self) -> Option<&'static More> {
        Some(self.0)
    }

    #[inline(always)]
    fn has(self, byte: u8) -> bool {
        self.0.has(byte) && !matches!(byte, b'"' | b'\\')
    }

    #[inline(always)]
    unsafe fn put(self, text: &[u8], dst: *mut u8) -> (usize, *mut u8) {
        // SAFETY: the caller promises what `More` asks for; every byte of this set is in that one.
        unsafe { self.0.put(text, dst) }
    }
}

/// Writes the escape of one UTF-16 unit to `dst` and returns where it ends.
///
/// # Safety
/// `dst` must be valid for writes of 8 bytes.
#[inline(always)]
unsafe fn put_unicode(unit: u32, dst: *mut u8) -> *mut u8 {
    let digits = |byte: u32| u64::from(u16::from_le_bytes(HEX[(byte & 0xff) as usize]));
    let start = u64::from(u16::from_le_bytes(*b"\\u"));
    let text = start | digits(unit >> 8) << 16 | digits(unit) << 32;
    // SAFETY: the caller promises the room.
    unsafe {
        dst.cast::<[u8; 8]>().write(text.to_le_bytes());
        dst.add(6)
    }
}
