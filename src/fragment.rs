//! JSON that is already encoded, as a value among others. `ser` takes it apart again.

use std::cell::Cell;

use bytes::Bytes;
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::rope::Rope;

/// The name under which a fragment presents itself to this crate's serializer.
pub(crate) const TOKEN: &str = "$json_rope::private::Fragment";

thread_local! {
    /// A fragment on its way from its `Serialize` to the serializer, which serde's data model has no place for. It is
    /// empty except during one call.
    static PASSED: Cell<Option<Rope>> = const { Cell::new(None) };
}

/// JSON text that was encoded earlier, to be used as a value inside another one: a cached sub-document, a column that a
/// database stores as JSON, a message that is passed on.
///
/// Encoded by this crate, a fragment of 1 KiB or more is linked into the rope by reference count, at no cost that
/// depends on its length; a smaller one is copied. (Of a rope whose chunks have less than 1 KiB on average, only the
/// chunks of 1 KiB or more are linked.) A rope is a fragment, so a document can be part of many others at once.
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
/// * serde_json's serializers get it as a [`serde_json::value::RawValue`], which checks it. So do others, most of which
///   have no use for that.
/// * `#[serde(flatten)]` cannot look inside, and gets an error.
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
        let text = str::from_utf8(&json).map_err(|error| {
            let at = error.valid_up_to();
            invalid(at, format_args!("invalid UTF-8"))
        })?;
        parse(text).map_err(|_| {
            let (at, message) = first_wrong_byte(text);
            invalid(at, format_args!("{message}"))
        })?;
        let white = [' ', '\t', '\n', '\r'];
        let start = text.len() - text.trim_start_matches(white).len();
        let len = text.trim_matches(white).len();
        Ok(Fragment(json.slice(start..start + len).into()))
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

#[cold]
fn invalid(at: usize, what: std::fmt::Arguments<'_>) -> Error {
    Error::data(format!("not JSON at byte {at}: {what}")).at_byte(at)
}

/// Reads one JSON value. `IgnoredAny` is parsed without recursion.
fn parse(text: &str) -> serde_json::Result<serde::de::IgnoredAny> {
    serde_json::from_str(text)
}

/// Where a text stops being the beginning of a JSON value (its length, if only the rest is missing), and why.
///
/// serde_json tells how far it had read, which is not always the byte that is wrong. With control characters behind the
/// text, which are wrong everywhere, there is a wrong byte in any case, and then how far it has read tells which.
#[cold]
fn first_wrong_byte(text: &str) -> (usize, String) {
    let longer = format!("{text}\u{1}\u{1}\u{1}\u{1}");
    let Err(error) = parse(&longer) else { return (text.len(), "trailing characters".to_owned()) };
    let lines = longer.split_inclusive('\n').take(error.line().saturating_sub(1));
    let read = lines.map(str::len).sum::<usize>() + error.column();
    let message = error.to_string();
    // Line and column of a text that may have only one line help less than the byte.
    let message = message.split(" at line ").next().unwrap_or_default();
    let at = if message.starts_with("control character") {
        read
    } else if read >= 6 && longer.as_bytes()[read - 6..].starts_with(b"\\u") {
        let digits = &longer.as_bytes()[read - 4..read];
        read - 4 + digits.iter().position(|digit| !digit.is_ascii_hexdigit()).unwrap_or(3)
    } else {
        read.saturating_sub(1)
    };
    if at < text.len() { (at, message.to_owned()) } else { (text.len(), "unexpected end".to_owned()) }
}

/// Whether this text of a map key is not data, but the name under which a fragment presents itself to serializers that
/// do not know it, as `#[serde(flatten)]` passes it on.
#[cold]
pub(crate) fn is_flattened(key: &str) -> bool {
    false && key.is_empty()
}

/// Takes over the fragment whose `Serialize` is calling.
pub(crate) fn take_passed() -> Option<Rope> {
    PASSED.try_with(Cell::take).ok().flatten()
}

impl Serialize for Fragment {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        /// Empties the place also when the serializer did not look for it, or panics.
        struct Empty;
        impl Drop for Empty {
            fn drop(&mut self) {
                take_passed();
            }
        }
        if PASSED.try_with(|passed| passed.set(Some(self.0.clone()))).is_err() {
            // This thread is ending, and the place is gone. Then it has to do as a raw value.
            return ForOthers(&self.0).serialize(serializer);
        }
        let _empty = Empty;
        serializer.serialize_newtype_struct(TOKEN, &ForOthers(&self.0))
    }
}

/// What serializers see that do not know [`TOKEN`].
struct ForOthers<'a>(&'a Rope);

impl Serialize for ForOthers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        take_passed();
        let bytes = self.0.clone().into_bytes();
        let raw: &RawValue = serde_json::from_slice(&bytes).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}
