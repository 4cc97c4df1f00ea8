//! Byte strings, which JSON has no type for: as an array of numbers, or as text.

use data_encoding::{BASE64, Encoding, HEXLOWER};

use super::Formatter;
use crate::error::Result;
use crate::escape::Escapes;
use crate::options::BytesFormat;

/// Text that is made at a time, on the stack.
const STAGE: usize = 4096;

impl<const PLAIN: bool> Formatter<'_, PLAIN> {
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        match self.options.bytes {
            BytesFormat::Base64 if !PLAIN => self.encoded(bytes, &BASE64, STAGE / 4 * 3),
            BytesFormat::Hex if !PLAIN => self.encoded(bytes, &HEXLOWER, STAGE / 2),
            _ => self.byte_array(bytes),
        }
    }

    /// A string in the given encoding, `step` bytes at a time: a multiple of what it encodes as a unit.
    fn encoded(&mut self, bytes: &[u8], encoding: &Encoding, step: usize) -> Result<()> {
        let mut stage = [0; STAGE];
        self.admit(encoding.encode_len(bytes.len()))?;
        self.out.put_byte(b'"')?;
        for bytes in bytes.chunks(step) {
            let text = &mut stage[..encoding.encode_len(bytes.len())];
            encoding.encode_mut(bytes, text);
            match std::str::from_utf8(text) {
                // Base64 has a solidus.
                Ok(text) if self.options.escapes.has(Escapes::SOLIDUS) => self.special_piece(text)?,
                _ => self.out.put(text)?,
            }
        }
        self.out.put_byte(b'"')
    }

    fn byte_array(&mut self, bytes: &[u8]) -> Result<()> {
        self.open()?;
        if PLAIN || !self.options.pretty {
            let mut stage = [0; STAGE];
            for (index, bytes) in bytes.chunks(STAGE / 4).enumerate() {
                let mut len = 0;
                for &byte in bytes {
                    let Element { text, digits } = ELEMENTS[byte as usize];
                    stage[len..len + 4].copy_from_slice(&text);
                    len += 1 + digits as usize;
                }
                if index == 0 {
                    stage[0] = b'[';
                }
                self.out.put(&stage[..len])?;
            }
        } else {
            for (index, &byte) in bytes.iter().enumerate() {
                self.before_element(index)?;
                self.integer(false, byte.into())?;
            }
        }
        self.close_array(bytes.len())
    }
}

/// A byte as an element of an array: a comma and up to three digits.
#[derive(Clone, Copy)]
struct Element {
    text: [u8; 4],
    digits: u8,
}

static ELEMENTS: [Element; 256] = {
    let mut table = [Element { text: [b','; 4], digits: 0 }; 256];
    let mut byte = 0;
    while byte < 256 {
        let (hundreds, tens, ones) = ((byte / 100) as u8, (byte / 10 % 10) as u8, (byte % 10) as u8);
        table[byte] = match byte {
            0..10 => Element { text: [b',', b'0' + ones, 0, 0], digits: 1 },
            10..100 => Element { text: [b',', b'0' + tens, b'0' + ones, 0], digits: 2 },
            _ => Element { text: [b',', b'0' + hundreds, b'0' + tens, b'0' + ones], digits: 3 },
        };
        byte += 1;
    }
    table
};
