//! JSON that is already encoded, as a value among others. `ser` takes it apart again.
//!
//! * `check`: whether a text is JSON
//! * `transcode`: fragments from and to other formats

mod check;
mod transcode;

use std::cell::Cell;
use std::fmt;
use std::ptr;
use std::sync::OnceLock;

use bytes::Bytes;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, Serialize, SerializeStruct, Serializer};

use crate::error::{Error, Result};
use crate::rope::Rope;
use transcode::{Begun, FirstError, Key, Once};

/// The name under which a fragment presents itself to this crate's serializer.
pub(crate) const TOKEN: &str = "$json_rope::private::Fragment";

/// The name under which it presents itself to serde_json, which knows it if its feature `raw_value` is on. A static, so
/// that its address is that of no other text: see [`is_flattened`].
static RAW_VALUE: [u8; 30] = *b"$serde_json::private::RawValue";

fn raw_value_name() -> &'static str {
    std::str::from_utf8(&RAW_VALUE).unwrap_or_default()
}

/// Whether this map key is not data, but the name under which a fragment presents itself, as `#[serde(flatten)]` passes
/// it on. It is told by its address, which no data has, and which is less work than comparing.
#[inline(always)]
pub(crate) fn is_flattened(key: &str) -> bool {
    ptr::eq(key.as_ptr(), RAW_VALUE.as_ptr())
}

thread_local! {
    /// A fragment on its way from its `Serialize` to the serializer, which serde's data model has no place for. It is
    /// empty except during one call.
    static HANDOFF: Cell<Option<Rope>> = const { Cell::new(None) };
}

/// JSON text that was encoded earlier, to be used as a value inside another one: a cached sub-document, a column that a
/// database stores as JSON, a message that is passed on.
///
/// Encoded by this crate, each chunk of a fragment that has 1 KiB or more is linked into the rope by reference count, at
/// no cost that depends on its length. Shorter ones are copied, together with what is between two fragments, so that
/// there is at most one short chunk for each linked one. A rope is a fragment, so a document can be part of many others
/// at once.
/// Streaming, a fragment of 64 KiB or more goes to the writer by reference.
///
/// * The text stays as it is, also in pretty output: it is not indented anew.
/// * With [`ascii`](crate::EncoderBuilder::ascii), [`html_safe`](crate::EncoderBuilder::html_safe) or
///   [`escape_solidus`](crate::EncoderBuilder::escape_solidus), and in a [`Frame`](crate::Frame) that has no place for
///   line breaks, it is searched, and rewritten as it is copied if there is something to change, so that the promise
///   holds for the whole output, even for text that is not JSON. Text that is not UTF-8 is an error there.
/// * With [`sort_keys`](crate::EncoderBuilder::sort_keys) a fragment inside an object is copied, and its own members
///   keep their order.
/// * As a map key it must be a JSON string.
/// * Other serializers get the value that the text stands for, read and handed on. But if serde_json's feature
///   `raw_value` is on anywhere in the build, they get a [raw value](https://docs.rs/serde_json/1/serde_json/value/struct.RawValue.html),
///   which serde_json's own serializers write verbatim, and of which other formats have no use. In either case the text
///   is checked first.
/// * With `#[serde(flatten)]` the members of an object are flattened, or, with the feature `raw_value`, there is an error.
///
/// A field of type `Fragment` can also be deserialized: then it is what the input has in that place, to be passed on.
/// serde_json keeps its text verbatim if its feature `raw_value` is on (this crate's feature of that name turns it on).
/// Without the feature, and from other formats, the text is made of what the deserializer gives: the same value, without
/// white space, with escapes and numbers as this crate writes them, and nested no deeper than serde_json's 128 levels.
///
/// ```
/// use json_rope::{Fragment, to_rope};
///
/// let items = Fragment::trusted(to_rope(&vec![0; 1000])?);
/// let rope = to_rope(&[&items, &items])?;
/// assert_eq!(rope.len(), 2 * 2001 + 3);
/// # Ok::<(), json_rope::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fragment(Rope);

impl Fragment {
    /// A fragment of text that is checked to be one JSON value (RFC 8259). White space around it is left out. The
    /// check reads the text once and does not recurse.
    ///
    /// ```
    /// use json_rope::Fragment;
    ///
    /// let fragment = Fragment::checked(r#" {"a": [1, 2]} "#)?;
    /// assert_eq!(json_rope::to_rope(&[fragment])?, r#"[{"a": [1, 2]}]"#);
    ///
    /// let error = Fragment::checked("[1,]").unwrap_err();
    /// assert_eq!(error.offset(), 3);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// A data error if the text is not UTF-8 or not exactly one JSON value. Its message and its
    /// [`offset`](Error::offset) tell the byte.
    pub fn checked(json: impl Into<Bytes>) -> Result<Fragment> {
        let json = json.into();
        let value = check::one_value(&json)?;
        Ok(Fragment(json.slice(value).into()))
    }

    /// A fragment that is known to be one JSON value, such as a rope that this crate has encoded. It is not looked at.
    ///
    /// If it is not JSON, neither is the document it is used in. (Nothing worse happens: there is no undefined
    /// behaviour. An empty fragment is an error when it is encoded.)
    ///
    /// ```
    /// let fragment = json_rope::Fragment::trusted("[1,2]");
    /// assert_eq!(json_rope::to_rope(&(0, fragment))?, "[0,[1,2]]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    #[must_use]
    pub fn trusted(json: impl Into<Rope>) -> Fragment {
        Fragment(json.into())
    }

    /// The text.
    ///
    /// ```
    /// assert_eq!(json_rope::Fragment::trusted("[]").as_rope(), "[]");
    /// ```
    pub fn as_rope(&self) -> &Rope {
        &self.0
    }

    /// The text, without a copy.
    ///
    /// ```
    /// assert_eq!(json_rope::Fragment::trusted("[]").into_rope(), "[]");
    /// ```
    #[must_use]
    pub fn into_rope(self) -> Rope {
        self.0
    }
}

/// Takes over the fragment whose `Serialize` is calling.
pub(crate) fn take_handoff() -> Option<Rope> {
    HANDOFF.try_with(Cell::take).ok().flatten()
}

/// A copy of the text, which is [checked](Fragment::checked).
impl TryFrom<&str> for Fragment {
    type Error = Error;

    fn try_from(json: &str) -> Result<Fragment> {
        Fragment::checked(json.to_owned())
    }
}

/// The text of a raw value, without a copy.
#[cfg(feature = "raw_value")]
#[cfg_attr(docsrs, doc(cfg(feature = "raw_value")))]
impl From<Box<serde_json::value::RawValue>> for Fragment {
    fn from(raw: Box<serde_json::value::RawValue>) -> Fragment {
        Fragment(Rope::from(String::from(Box::<str>::from(raw))))
    }
}

/// A copy of the text of a raw value.
#[cfg(feature = "raw_value")]
#[cfg_attr(docsrs, doc(cfg(feature = "raw_value")))]
impl From<&serde_json::value::RawValue> for Fragment {
    fn from(raw: &serde_json::value::RawValue) -> Fragment {
        Fragment(Rope::from(raw.get().to_owned()))
    }
}

impl Serialize for Fragment {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        /// Empties the place also when the serializer did not look for it, or panics.
        struct ClearOnDrop;
        impl Drop for ClearOnDrop {
            fn drop(&mut self) {
                take_handoff();
            }
        }
        if HANDOFF.try_with(|handoff| handoff.set(Some(self.0.clone()))).is_err() {
            // The thread is ending, and its local variables are gone.
            return ForOthers(&self.0).serialize(serializer);
        }
        let _clear = ClearOnDrop;
        serializer.serialize_newtype_struct(TOKEN, &ForOthers(&self.0))
    }
}

/// What serializers see that do not know [`TOKEN`].
struct ForOthers<'a>(&'a Rope);

impl Serialize for ForOthers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        take_handoff();
        let bytes = self.0.clone().into_bytes();
        let value = check::one_value(&bytes).map_err(S::Error::custom)?;
        let json = std::str::from_utf8(&bytes[value]).map_err(S::Error::custom)?;
        if knows_raw_values() {
            AsRawValue(json).serialize(serializer)
        } else {
            Once::new(&mut serde_json::Deserializer::from_str(json), &FirstError::default()).serialize(serializer)
        }
    }
}

/// Speaks the protocol of serde_json's raw values.
struct AsRawValue<'a>(&'a str);

impl Serialize for AsRawValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut raw = serializer.serialize_struct(raw_value_name(), 1)?;
        raw.serialize_field(raw_value_name(), self.0)?;
        raw.end()
    }
}

/// Whether something in the build has turned serde_json's feature `raw_value` on.
fn knows_raw_values() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| serde_json::to_string(&AsRawValue("0")).is_ok_and(|text| text == "0"))
}

impl<'de> Deserialize<'de> for Fragment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Fragment, D::Error> {
        deserializer.deserialize_newtype_struct(raw_value_name(), FragmentVisitor)
    }
}

/// Makes a fragment of whatever is visited.
struct FragmentVisitor;

/// The deepest nesting of what another format has, which is read by recursion: as many levels as serde_json reads.
const MAX_DEPTH: usize = 128;

fn encoded<E: de::Error>(value: &impl Serialize) -> std::result::Result<Fragment, E> {
    crate::to_rope_within(MAX_DEPTH, value).map(Fragment).map_err(E::custom)
}

macro_rules! scalars {
    ($($visit:ident($type:ty)),*) => {$(
        fn $visit<E: de::Error>(self, value: $type) -> std::result::Result<Fragment, E> {
            encoded(&Once::new(IntoDeserializer::<E>::into_deserializer(value), &FirstError::default()))
        }
    )*};
}

impl<'de> Visitor<'de> for FragmentVisitor {
    type Value = Fragment;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON can have")
    }

    scalars!(
        visit_bool(bool),
        visit_i64(i64),
        visit_u64(u64),
        visit_i128(i128),
        visit_u128(u128),
        visit_f64(f64),
        visit_str(&str),
        visit_bytes(&[u8])
    );

    fn visit_unit<E: de::Error>(self) -> std::result::Result<Fragment, E> {
        encoded(&())
    }

    fn visit_none<E: de::Error>(self) -> std::result::Result<Fragment, E> {
        encoded(&())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<Fragment, D::Error> {
        encoded(&Once::new(deserializer, &FirstError::default()))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<Fragment, D::Error> {
        encoded(&Once::new(deserializer, &FirstError::default()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> std::result::Result<Fragment, A::Error> {
        encoded(&Once::new(SeqAccessDeserializer::new(items), &FirstError::default()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Fragment, A::Error> {
        match map.next_key::<Key>()? {
            // Checked again: another deserializer may have found this name in its input.
            Some(Key::Text(name)) if name == raw_value_name() => {
                Fragment::checked(map.next_value::<String>()?).map_err(de::Error::custom)
            }
            first => encoded(&Begun::new(first, map, &FirstError::default())),
        }
    }
}
