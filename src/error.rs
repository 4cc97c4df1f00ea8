//! The one error of the crate. Every module may use it; it uses nothing of the crate.

use std::fmt::{self, Display, Write as _};
use std::io;

/// Shorthand for a result with this crate's [`Error`].
///
/// ```
/// fn greeting(name: &str) -> json_rope::Result<json_rope::Rope> {
///     json_rope::to_rope(&("hello", name))
/// }
/// assert_eq!(greeting("you")?, r#"["hello","you"]"#);
/// # Ok::<(), json_rope::Error>(())
/// ```
pub type Result<T> = std::result::Result<T, Error>;

/// Why a document could not be encoded or delivered.
///
/// An `Error` is one word wide, so that the `Result` of every token stays in a register. It belongs to exactly one of
/// four kinds, told apart by [`is_io`](Error::is_io), [`is_data`](Error::is_data), [`is_limit`](Error::is_limit) and
/// [`is_config`](Error::is_config). Data and limit errors know the place of the failing value as a JSON Pointer
/// (RFC 6901). Nothing is paid for that while encoding succeeds: the pointer is put together while the error travels
/// back up through the containers.
///
/// ```
/// use std::collections::BTreeMap;
///
/// let orders = BTreeMap::from([("total", vec![BTreeMap::from([((), 1)])])]);
/// let error = json_rope::to_rope(&orders).unwrap_err();
/// assert!(error.is_data());
/// assert_eq!(error.pointer(), Some("/total/0"));
/// assert_eq!(error.to_string(), "cannot encode /total/0: key must be a string");
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: Kind,
    /// While unwinding: the reference tokens met so far, innermost first, unescaped.
    path: Vec<String>,
    /// Put together once, when the error leaves the encoder.
    pointer: Option<String>,
    offset: u64,
}

enum Kind {
    Io(io::Error),
    Data(String),
    /// The caller's own error, from an iterator of results.
    Item(Box<dyn std::error::Error + Send + Sync>),
    Limit(String),
    Config(String),
}

impl Error {
    /// Whether a writer failed. The document itself may be fine; the writer has received an exact prefix of it.
    ///
    /// ```
    /// let error = json_rope::to_writer(&mut [0u8; 2][..], "too long").unwrap_err();
    /// assert!(error.is_io());
    /// ```
    pub fn is_io(&self) -> bool {
        matches!(self.0.kind, Kind::Io(_))
    }

    /// Whether the value cannot be JSON: a `Serialize` implementation failed, or a map key is not a string.
    ///
    /// ```
    /// let unit_key = std::collections::BTreeMap::from([((), 1)]);
    /// assert!(json_rope::to_rope(&unit_key).unwrap_err().is_data());
    /// ```
    pub fn is_data(&self) -> bool {
        matches!(self.0.kind, Kind::Data(_) | Kind::Item(_))
    }

    /// Whether the value is nested deeper, or its text is longer, than the encoder allows.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().max_depth(1).build()?;
    /// assert!(encoder.encode(&[[0]]).unwrap_err().is_limit());
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn is_limit(&self) -> bool {
        matches!(self.0.kind, Kind::Limit(_))
    }

    /// Whether the encoder was given settings that cannot work.
    ///
    /// ```
    /// assert!(json_rope::Encoder::builder().max_chunk(1).build().unwrap_err().is_config());
    /// ```
    pub fn is_config(&self) -> bool {
        matches!(self.0.kind, Kind::Config(_))
    }

    /// The kind of the underlying I/O error, if this [is one](Error::is_io).
    ///
    /// ```
    /// let error = json_rope::to_writer(&mut [0u8; 2][..], "too long").unwrap_err();
    /// assert_eq!(error.io_error_kind(), Some(std::io::ErrorKind::WriteZero));
    /// ```
    pub fn io_error_kind(&self) -> Option<io::ErrorKind> {
        match &self.0.kind {
            Kind::Io(error) => Some(error.kind()),
            _ => None,
        }
    }

    /// Where in the document the failing value would have stood, as a JSON Pointer (RFC 6901). The empty pointer is
    /// the whole document. `None` for I/O and configuration errors, which no value is to blame for.
    ///
    /// ```
    /// let unit_key = std::collections::BTreeMap::from([((), 1)]);
    /// let error = json_rope::to_rope(&[("a", unit_key)]).unwrap_err();
    /// assert_eq!(error.pointer(), Some("/0/1"));
    /// ```
    pub fn pointer(&self) -> Option<&str> {
        self.0.pointer.as_deref()
    }

    /// How many bytes of the document had been produced when the error happened. A streaming writer has received a
    /// prefix of these bytes, which may be shorter.
    ///
    /// ```
    /// let unit_key = std::collections::BTreeMap::from([((), 1)]);
    /// let error = json_rope::to_rope(&("abc", unit_key)).unwrap_err();
    /// assert_eq!(error.offset(), r#"["abc","#.len() as u64);
    /// ```
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    #[cold]
    fn new(kind: Kind) -> Error {
        Error(Box::new(Inner { kind, path: Vec::new(), pointer: None, offset: 0 }))
    }

    #[cold]
    pub(crate) fn io(error: io::Error) -> Error {
        Error::new(Kind::Io(error))
    }

    #[cold]
    pub(crate) fn data(message: impl Into<String>) -> Error {
        Error::new(Kind::Data(message.into()))
    }

    #[cold]
    pub(crate) fn item(error: Box<dyn std::error::Error + Send + Sync>) -> Error {
        Error::new(Kind::Item(error))
    }

    #[cold]
    pub(crate) fn limit(message: impl Into<String>) -> Error {
        Error::new(Kind::Limit(message.into()))
    }

    #[cold]
    pub(crate) fn config(message: impl Into<String>) -> Error {
        Error::new(Kind::Config(message.into()))
    }

    /// Notes, on the way up, the member name or element index under which the failing value stands.
    #[cold]
    pub(crate) fn push_segment(&mut self, segment: String) {
        self.0.path.push(segment);
    }

    /// Completes an error that leaves the encoder: its JSON Pointer and offset. Does nothing the second time.
    #[cold]
    pub(crate) fn finish(mut self, offset: u64) -> Error {
        if self.0.pointer.is_none() && !self.is_config() {
            self.0.offset = offset;
            if !self.is_io() {
                let mut pointer = String::new();
                for segment in self.0.path.drain(..).rev() {
                    pointer.push('/');
                    for c in segment.chars() {
                        match c {
                            '~' => pointer.push_str("~0"),
                            '/' => pointer.push_str("~1"),
                            c => pointer.push(c),
                        }
                    }
                }
                self.0.pointer = Some(pointer);
            }
        }
        self
    }

    fn message(&self) -> &dyn Display {
        match &self.0.kind {
            Kind::Io(error) => error,
            Kind::Item(error) => error,
            Kind::Data(message) | Kind::Limit(message) | Kind::Config(message) => message,
        }
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.0.kind, self.pointer()) {
            (Kind::Config(_), _) => f.write_str("bad setting: ")?,
            (Kind::Io(_), _) => f.write_str("cannot write the document: ")?,
            (_, None | Some("")) => f.write_str("cannot encode the document: ")?,
            (_, Some(pointer)) => {
                f.write_str("cannot encode ")?;
                // A pointer can hold any character a key can; keep the message on one line.
                for c in pointer.chars() {
                    if c.is_control() { write!(f, "{}", c.escape_default())? } else { f.write_char(c)? }
                }
                f.write_str(": ")?;
            }
        }
        self.message().fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.0.kind {
            Kind::Io(_) => "Io",
            Kind::Data(_) | Kind::Item(_) => "Data",
            Kind::Limit(_) => "Limit",
            Kind::Config(_) => "Config",
        };
        f.debug_struct("Error")
            .field("kind", &kind)
            .field("message", &self.message().to_string())
            .field("pointer", &self.0.pointer)
            .field("offset", &self.0.offset)
            .finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            Kind::Io(error) => Some(error),
            Kind::Item(error) => Some(&**error),
            _ => None,
        }
    }
}

impl serde::ser::Error for Error {
    fn custom<T: Display>(message: T) -> Self {
        Error::data(message.to_string())
    }
}

/// An I/O error comes back as it was, so its kind, its code and its source are kept. Any other error becomes the
/// source of an `InvalidData` (data), `Other` (limit) or `InvalidInput` (configuration) error.
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        let kind = match error.0.kind {
            Kind::Io(error) => return error,
            Kind::Data(_) | Kind::Item(_) => io::ErrorKind::InvalidData,
            Kind::Limit(_) => io::ErrorKind::Other,
            Kind::Config(_) => io::ErrorKind::InvalidInput,
        };
        io::Error::new(kind, error)
    }
}
