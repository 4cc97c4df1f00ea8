//! Text that is shared, as a value among others. `ser` takes it apart again.

use std::cell::Cell;
use std::fmt::{self, Debug, Display};
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use bytes::Bytes;
use bytestring::ByteString;
use serde::ser::{Serialize, Serializer};

use crate::error::Error;
use crate::out::MIN_LINK_LEN;

/// The name under which a text presents itself to this crate's serializer.
pub(crate) const TOKEN: &str = "$json_rope::private::Text";

thread_local! {
    /// A text on its way from its `Serialize` to the serializer, which serde's data model has no place for. It is empty
    /// except during one call.
    static HANDOFF: Cell<Option<Text>> = const { Cell::new(None) };
}

/// Text that is shared with the document instead of copied into it: a page that many responses contain, a file, a field
/// that arrived as [`Bytes`].
///
/// Encoded by this crate, a text of 1 KiB or more in which nothing has to be escaped is linked into the rope, between its
/// quotes, by reference count. Whether that is so costs one search through it, at the speed of memory; what has to be
/// escaped is what the options say. Other texts are copied, with their escapes. While streaming, a text of 64 KiB or more
/// goes to the writer by reference. So does every part of that length before the first escape, as of any string.
///
/// * With [`sort_keys`](crate::EncoderBuilder::sort_keys) or [`canonical`](crate::EncoderBuilder::canonical), a text inside
///   an object is copied.
/// * As a map key it is a string like others.
/// * To other serializers it is a `str`; a text of 1 KiB or more, a newtype struct around one, which is the same in most
///   formats.
///
/// Cloning is counting a reference. It dereferences to [`str`].
///
/// ```
/// use json_rope::{Text, to_rope};
///
/// let page = Text::from("lorem ipsum ".repeat(1000));
/// let rope = to_rope(&[("first", &page), ("second", &page)])?;
/// assert_eq!(rope.len(), 2 * 12_000 + r#"[["first",""],["second",""]]"#.len());
/// // The page is in it twice, and in memory once.
/// let shared = rope.chunks().iter().filter(|chunk| chunk.as_ptr() == page.as_ptr());
/// assert_eq!(shared.count(), 2);
/// # Ok::<(), json_rope::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Text(ByteString);

impl Text {
    /// The text as bytes that can be linked.
    pub(crate) fn into_bytes(self) -> Bytes {
        self.0.into_bytes()
    }
}

/// Takes over the text whose `Serialize` is calling.
pub(crate) fn take_handoff() -> Option<Text> {
    HANDOFF.try_with(Cell::take).ok().flatten()
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// Empties the place even if the serializer did not look for it, or panics.
        struct ClearOnDrop;
        impl Drop for ClearOnDrop {
            fn drop(&mut self) {
                take_handoff();
            }
        }
        if self.len() < MIN_LINK_LEN || HANDOFF.try_with(|handoff| handoff.set(Some(self.clone()))).is_err() {
            // Too short, or the thread is ending and its local variables are gone.
            return serializer.serialize_str(self);
        }
        let _clear = ClearOnDrop;
        serializer.serialize_newtype_struct(TOKEN, &ForOthers(self))
    }
}

/// What serializers see that do not know [`TOKEN`].
struct ForOthers<'a>(&'a str);

impl Serialize for ForOthers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        take_handoff();
        serializer.serialize_str(self.0)
    }
}

impl From<String> for Text {
    /// Takes the string over, without a copy.
    fn from(text: String) -> Text {
        Text(text.into())
    }
}

impl From<&'static str> for Text {
    fn from(text: &'static str) -> Text {
        Text(ByteString::from_static(text))
    }
}

impl From<Arc<str>> for Text {
    /// Shares the text, without a copy, in one small allocation. Reads it once.
    fn from(text: Arc<str>) -> Text {
        struct Owner(Arc<str>);
        impl AsRef<[u8]> for Owner {
            fn as_ref(&self) -> &[u8] {
                self.0.as_bytes()
            }
        }
        Text(ByteString::try_from(Bytes::from_owner(Owner(text))).expect("a str is UTF-8"))
    }
}

impl TryFrom<Bytes> for Text {
    type Error = Error;

    /// Shares the bytes, without a copy, if they are UTF-8. Reads them once.
    ///
    /// # Errors
    /// A data error if they are not UTF-8. Its [`offset`](Error::offset) is that of the first wrong byte.
    fn try_from(bytes: Bytes) -> Result<Text, Error> {
        ByteString::try_from(bytes.clone()).map(Text).map_err(|_| {
            let at = std::str::from_utf8(&bytes).map_or_else(|error| error.valid_up_to(), str::len);
            Error::data(format!("invalid UTF-8 at byte {at}")).at_byte(at)
        })
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self
    }
}

impl Hash for Text {
    /// As the `str`.
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

/// As the `str`.
impl Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&**self, f)
    }
}

impl Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&**self, f)
    }
}
