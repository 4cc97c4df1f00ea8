//! Member names that are encoded once and written often.

use std::fmt;
use std::mem::MaybeUninit;

use super::Formatter;
use crate::error::Result;
use crate::escape::{self, Escapes};

/// Bytes that are copied at once, whatever the length of the name: that is faster than a copy of just the length.
const BLOCK: usize = 32;

/// A member name that is encoded once, for [`Writer::encoded_key`](crate::Writer::encoded_key).
///
/// Make one for each column of a table before its rows are written. In compact output a name of up to 28 bytes then costs
/// the copy of one block; a longer one, or one in any other style, costs what [`Writer::key`](crate::Writer::key) costs.
///
/// ```
/// use json_rope::{Encoder, Key};
///
/// let columns = [Key::new("id"), Key::new("name")];
/// let mut writer = Encoder::new().writer();
/// writer.begin_object()?;
/// writer.encoded_key(&columns[0])?;
/// writer.value(&7)?;
/// writer.encoded_key(&columns[1])?;
/// writer.value("tea")?;
/// writer.end()?;
/// writer.finish()?;
/// assert_eq!(writer.pop().unwrap(), r#"{"id":7,"name":"tea"}"#);
/// # Ok::<(), json_rope::Error>(())
/// ```
#[derive(Clone)]
pub struct Key {
    name: Box<str>,
    /// `,"name":` in plain output, if it is no longer than this. The first byte is replaced when it is written.
    block: [u8; BLOCK],
    /// Its length, or 0.
    len: usize,
}

impl Key {
    /// Encodes a member name. Allocates a copy of it.
    ///
    /// ```
    /// let column = json_rope::Key::new("price");
    /// assert_eq!(column.name(), "price");
    /// ```
    #[must_use]
    pub fn new(name: &str) -> Key {
        const ROOM: usize = escape::quoted_room(BLOCK);
        let (mut block, mut len) = ([0; BLOCK], 0);
        if name.len() <= BLOCK {
            let mut room = [MaybeUninit::uninit(); ROOM];
            let encoded = escape::quote_with(Escapes::none(), b",\"", name, b"\":", &mut room);
            if let Some(front) = block.get_mut(..encoded.len()) {
                front.copy_from_slice(encoded);
                len = encoded.len();
            }
        }
        Key { name: name.into(), block, len }
    }

    /// The name, as it was given.
    ///
    /// ```
    /// assert_eq!(json_rope::Key::new("a\"b").name(), "a\"b");
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Key").field(&self.name).finish()
    }
}

impl<const PLAIN: bool> Formatter<'_, PLAIN> {
    /// The key of the member with this index, with all that comes before and after it.
    #[inline]
    pub(crate) fn encoded_key(&mut self, index: usize, key: &Key) -> Result<()> {
        if self.quick_encoded_key(index, key) { Ok(()) } else { self.map_key(index, &key.name) }
    }

    /// Writes a key of plain output, if it is short and there is room in any case.
    #[inline(always)]
    pub(crate) fn quick_encoded_key(&mut self, index: usize, key: &Key) -> bool {
        let mark = if index == 0 { b'{' } else { b',' };
        let quick = PLAIN && self.out.put_block(mark, &key.block, key.len);
        if quick {
            self.out.mark_key();
        }
        quick
    }
}
