//! Member names that are encoded once and written often.

use std::fmt;
use std::mem::MaybeUninit;

use serde::{Serialize, Serializer};

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
    block: Block,
}

/// `,"name":` in plain output, if it is no longer than [`BLOCK`] bytes, and in the last byte its length, or 0. The first
/// byte is replaced when it is written.
pub(crate) type Block = [u8; BLOCK + 1];

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
        let mut block = [0; BLOCK + 1];
        if name.len() <= BLOCK {
            let mut room = [MaybeUninit::uninit(); ROOM];
            let encoded = escape::quote_with(Escapes::none(), b",\"", name, b"\":", &mut room);
            if encoded.len() <= BLOCK {
                block[..encoded.len()].copy_from_slice(encoded);
                block[BLOCK] = encoded.len() as u8;
            }
        }
        Key { name: name.into(), block }
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

    #[inline(always)]
    pub(crate) fn block(&self) -> &Block {
        &self.block
    }
}

/// Serializes as a string: the name. This crate's serializer takes it as a key of a map at the cost given above, so a
/// `Serialize` whose names are known at run time only (rows of a table, say) can be as fast as a struct.
///
/// ```
/// use json_rope::Key;
/// use serde::Serialize;
/// use serde::ser::{SerializeMap, Serializer};
///
/// struct Row<'t> { columns: &'t [Key], cells: &'t [i32] }
///
/// impl Serialize for Row<'_> {
///     fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
///         let mut map = serializer.serialize_map(None)?;
///         for (column, cell) in self.columns.iter().zip(self.cells) {
///             map.serialize_entry(column, cell)?;
///         }
///         map.end()
///     }
/// }
/// let columns = [Key::new("id"), Key::new("price")];
/// assert_eq!(json_rope::to_rope(&Row { columns: &columns, cells: &[7, 120] })?, r#"{"id":7,"price":120}"#);
/// # Ok::<(), json_rope::Error>(())
/// ```
impl Serialize for Key {
    #[inline(always)] // so that the serializer of keys sees the private name
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_newtype_struct(TOKEN, &Handed(self))
        } else {
            serializer.serialize_str(&self.name)
        }
    }
}

/// The private name under which a key presents itself. Told from others by its address, so that nobody can speak for a
/// key by accident.
static TOKEN_TEXT: [u8; 24] = *b"$json_rope::private::Key";
static TOKEN: &str = match str::from_utf8(&TOKEN_TEXT) {
    Ok(text) => text,
    Err(_) => "",
};

/// Whether this is the private name of a [`Key`].
#[inline(always)]
pub(crate) fn is_token(name: &'static str) -> bool {
    std::ptr::eq(name.as_ptr(), TOKEN_TEXT.as_ptr())
}

/// A key inside its private name.
struct Handed<'k>(&'k Key);

impl Serialize for Handed<'_> {
    #[inline(always)]
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Key { name, block } = self.0;
        // Only this crate asks for both, by a serializer of its own.
        if serializer.is_human_readable() { serializer.serialize_str(name) } else { serializer.serialize_bytes(block) }
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
        if self.quick_encoded_key(index, &key.block) { Ok(()) } else { self.map_key(index, &key.name) }
    }

    /// Writes a key of plain output, if it is short and there is room in any case.
    #[inline(always)]
    pub(crate) fn quick_encoded_key(&mut self, index: usize, block: &Block) -> bool {
        let mark = if index == 0 { b'{' } else { b',' };
        let [text @ .., len] = block;
        let quick = PLAIN && self.out.put_block::<BLOCK>(mark, text, usize::from(*len));
        if quick {
            self.out.mark_key();
        }
        quick
    }
}
