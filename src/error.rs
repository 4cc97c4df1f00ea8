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
/// An `Error` is one word wide, so that the `Result` of every token stays in a register. It has one of four
/// [categories](Category). Data and limit errors name the place of the failing value as a JSON Pointer (RFC 6901),
/// which is put together while the error travels back up through the containers.
///
/// The first failure decides. Code between the failing value and the encoder that turns an error into another one, as
/// type-erased serializers do, keeps its category, its source and its place; for a data error, the new text is the
/// message.
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
    /// Whether the error has left the encoder. On its way there it passes through the caller's code, which may make it
    /// part of the text of another error; so until then its text is the bare message.
    is_concluded: bool,
    pointer: Option<String>,
    offset: u64,
    record: Option<u64>,
}

enum Kind {
    Io(io::Error),
    Data(String),
    /// The caller's own error, from an iterator of results.
    Item(Box<dyn std::error::Error + Send + Sync>),
    Limit(String),
    Config(String),
    /// A call that does not fit what was written before.
    Misuse(String),
    /// Travels through the caller's code in place of the error that was recorded.
    StandIn(String),
}

/// What kind of failure an [`Error`] is.
///
/// ```
/// use json_rope::Category;
///
/// let error = json_rope::to_writer(&mut [0u8; 2][..], "too long").unwrap_err();
/// assert_eq!(error.classify(), Category::Io);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Category {
    /// A writer failed, or an iterator of results gave an [`io::Error`].
    Io,
    /// The value cannot be JSON, or its `Serialize` implementation failed.
    Data,
    /// The document is nested deeper, or is longer, than the encoder allows.
    Limit,
    /// The encoder was given settings that cannot work, or a [`Writer`](crate::Writer) a call that does not fit what was
    /// written before.
    Config,
}

/// A pointer of more characters than this is shortened in the text of an error.
const MAX_SHOWN_POINTER: usize = 240;

impl Error {
    /// The category of the failure.
    ///
    /// ```
    /// use json_rope::Category;
    ///
    /// let unit_key = std::collections::BTreeMap::from([((), 1)]);
    /// assert_eq!(json_rope::to_rope(&unit_key).unwrap_err().classify(), Category::Data);
    /// ```
    pub fn classify(&self) -> Category {
        match &self.0.kind {
            Kind::Io(_) => Category::Io,
            Kind::Item(error) if error.is::<io::Error>() => Category::Io,
            Kind::Data(_) | Kind::Item(_) | Kind::StandIn(_) => Category::Data,
            Kind::Limit(_) => Category::Limit,
            Kind::Config(_) | Kind::Misuse(_) => Category::Config,
        }
    }

    /// Whether a writer failed, or an iterator of results gave an [`io::Error`]. If it was the writer, the document
    /// itself may be fine, and the writer has received an exact prefix of it.
    ///
    /// ```
    /// let error = json_rope::to_writer(&mut [0u8; 2][..], "too long").unwrap_err();
    /// assert!(error.is_io());
    /// ```
    pub fn is_io(&self) -> bool {
        self.classify() == Category::Io
    }

    /// Whether the value cannot be JSON: a `Serialize` implementation failed, or a map key is not a string.
    ///
    /// ```
    /// let unit_key = std::collections::BTreeMap::from([((), 1)]);
    /// assert!(json_rope::to_rope(&unit_key).unwrap_err().is_data());
    /// ```
    pub fn is_data(&self) -> bool {
        self.classify() == Category::Data
    }

    /// Whether the value is nested deeper, or its text is longer, than the encoder allows.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().max_depth(1).build()?;
    /// assert!(encoder.encode(&[[0]]).unwrap_err().is_limit());
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn is_limit(&self) -> bool {
        self.classify() == Category::Limit
    }

    /// Whether the encoder was given settings that cannot work, or a [`Writer`](crate::Writer) a call that does not fit
    /// what was written before.
    ///
    /// ```
    /// assert!(json_rope::Encoder::builder().max_chunk(1).build().unwrap_err().is_config());
    /// ```
    pub fn is_config(&self) -> bool {
        self.classify() == Category::Config
    }

    /// The kind of the underlying [`io::Error`], if this [is an I/O error](Error::is_io).
    ///
    /// ```
    /// let error = json_rope::to_writer(&mut [0u8; 2][..], "too long").unwrap_err();
    /// assert_eq!(error.io_error_kind(), Some(std::io::ErrorKind::WriteZero));
    /// ```
    pub fn io_error_kind(&self) -> Option<io::ErrorKind> {
        match &self.0.kind {
            Kind::Io(error) => Some(error.kind()),
            Kind::Item(error) => error.downcast_ref::<io::Error>().map(io::Error::kind),
            _ => None,
        }
    }

    /// What went wrong, without the place. `to_string` is a whole sentence, with the place in it.
    ///
    /// ```
    /// let unit_key = std::collections::BTreeMap::from([((), 1)]);
    /// let error = json_rope::to_rope(&[unit_key]).unwrap_err();
    /// assert_eq!(error.message(), "key must be a string");
    /// assert_eq!(error.to_string(), "cannot encode /0: key must be a string");
    /// ```
    pub fn message(&self) -> String {
        self.text().to_string()
    }

    /// Where in the document the failing value would have been, as a JSON Pointer (RFC 6901). The empty pointer is the
    /// whole document. `None` if no value is to blame, as for errors of a writer or of settings.
    ///
    /// ```
    /// let unit_key = std::collections::BTreeMap::from([((), 1)]);
    /// let error = json_rope::to_rope(&[("a", unit_key)]).unwrap_err();
    /// assert_eq!(error.pointer(), Some("/0/1"));
    /// ```
    pub fn pointer(&self) -> Option<&str> {
        self.0.pointer.as_deref()
    }

    /// The same error, of a document that is part of a larger one, where it is found at `pointer` (a JSON Pointer,
    /// RFC 6901). For a [`Fragment`](crate::Fragment) that is encoded apart. Errors of a writer or of settings have no
    /// place, and stay as they are.
    ///
    /// ```
    /// let product = ("chair", std::collections::BTreeMap::from([((), 1)]));
    /// let error = json_rope::to_rope(&product).unwrap_err().prefixed("/products/3");
    /// assert_eq!(error.pointer(), Some("/products/3/1"));
    /// assert_eq!(error.to_string(), "cannot encode /products/3/1: key must be a string");
    /// ```
    #[must_use]
    pub fn prefixed(mut self, pointer: &str) -> Error {
        if !matches!(self.0.kind, Kind::Io(_) | Kind::Config(_) | Kind::Misuse(_)) {
            self.0.pointer.get_or_insert_default().insert_str(0, pointer);
            self.0.is_concluded = true;
        }
        self
    }

    /// The same error, of records that were encoded apart and follow `records` others, which have so many `bytes`: both are
    /// added to where it is. For records that several threads encode.
    ///
    /// ```
    /// use json_rope::{Encoder, Frame};
    ///
    /// let unit_key = std::collections::BTreeMap::from([((), 1)]);
    /// let error = Encoder::new().records(Frame::NdJson, [unit_key]).next().unwrap().unwrap_err().after(100, 4000);
    /// assert_eq!((error.record(), error.offset()), (Some(100), 4000));
    /// ```
    #[must_use]
    pub fn after(mut self, records: u64, bytes: u64) -> Error {
        self.0.record = self.0.record.map(|record| record.saturating_add(records));
        self.0.offset = self.0.offset.saturating_add(bytes);
        self
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

    /// Which record of a stream of records failed, counted from 0. `None` for an error of anything else.
    pub fn record(&self) -> Option<u64> {
        self.0.record
    }

    /// The error of something that values come from, in the place of a value: of an iterator of results, of a
    /// [`TryNext`](crate::source::TryNext). It is the [`source`](std::error::Error::source) of the new one.
    ///
    /// ```
    /// let error = json_rope::Error::from_source("the connection is gone");
    /// assert!(error.is_data());
    /// assert_eq!(error.message(), "the connection is gone");
    /// ```
    #[cold]
    pub fn from_source(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::new(Kind::Item(error.into()))
    }

    #[cold]
    fn new(kind: Kind) -> Error {
        Error(Box::new(Inner { kind, is_concluded: false, pointer: None, offset: 0, record: None }))
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
    pub(crate) fn limit(message: impl Into<String>) -> Error {
        Error::new(Kind::Limit(message.into()))
    }

    #[cold]
    pub(crate) fn config(message: impl Into<String>) -> Error {
        Error::new(Kind::Config(message.into()))
    }

    #[cold]
    pub(crate) fn misuse(message: impl Into<String>) -> Error {
        Error::new(Kind::Misuse(message.into()))
    }

    /// Says at which byte of a text the error is.
    #[cold]
    pub(crate) fn at_byte(mut self, offset: usize) -> Error {
        self.0.offset = offset as u64;
        self
    }

    /// Says which record failed.
    #[cold]
    pub(crate) fn set_record(&mut self, record: u64) {
        self.0.record = Some(record);
    }

    #[cold]
    pub(crate) fn stand_in(&self) -> Error {
        Error::new(Kind::StandIn(self.message()))
    }

    /// Takes over the words of an error that the caller's code has made of a stand-in for this one. The words of a
    /// writer or of a limit are kept.
    #[cold]
    pub(crate) fn reword(&mut self, later: Error) {
        if let (Kind::Data(message), Kind::Data(later)) = (&mut self.0.kind, later.0.kind) {
            *message = later;
        }
    }

    /// Whether the error has been [concluded](Error::conclude).
    pub(crate) fn is_concluded(&self) -> bool {
        self.0.is_concluded
    }

    /// Completes an error that leaves the encoder. No value is to blame for the failure of a writer.
    #[cold]
    pub(crate) fn conclude(mut self, pointer: Option<String>, offset: u64) -> Error {
        self.0.is_concluded = true;
        self.0.pointer = pointer.filter(|_| !matches!(self.0.kind, Kind::Io(_) | Kind::Config(_)));
        self.0.offset = offset;
        self
    }

    fn text(&self) -> &dyn Display {
        match &self.0.kind {
            Kind::Io(error) => error,
            Kind::Item(error) => error,
            Kind::Data(message)
            | Kind::Limit(message)
            | Kind::Config(message)
            | Kind::Misuse(message)
            | Kind::StandIn(message) => message,
        }
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.0.kind, self.pointer()) {
            (Kind::Config(_), _) => f.write_str("bad setting: ")?,
            (Kind::Misuse(_), _) => f.write_str("wrong call: ")?,
            _ if !self.0.is_concluded => {}
            (Kind::Io(_), _) => f.write_str("cannot write the document: ")?,
            (_, None | Some("")) => f.write_str("cannot encode the document: ")?,
            (_, Some(pointer)) => {
                f.write_str("cannot encode ")?;
                write_pointer(pointer, f)?;
                f.write_str(": ")?;
            }
        }
        self.text().fmt(f)
    }
}

/// Writes a pointer on one line, whatever characters its keys have, and without its middle if it is very long.
fn write_pointer(pointer: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let escaped = |part: &str, f: &mut fmt::Formatter<'_>| {
        part.chars()
            .try_for_each(|c| if c.is_control() { write!(f, "{}", c.escape_default()) } else { f.write_char(c) })
    };
    // The character after so many others. Counting ends there, so a huge pointer costs nothing.
    let nth = |count| pointer.char_indices().nth(count).map(|(at, _)| at);
    let nth_back = |count: usize| pointer.char_indices().nth_back(count - 1).map(|(at, _)| at);
    let half = MAX_SHOWN_POINTER / 2;
    match (nth(MAX_SHOWN_POINTER), nth(half), nth_back(half)) {
        (Some(_), Some(front), Some(back)) => {
            escaped(&pointer[..front], f)?;
            f.write_str(" … ")?;
            escaped(&pointer[back..], f)
        }
        _ => escaped(pointer, f),
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("category", &self.classify())
            .field("message", &self.message())
            .field("pointer", &self.0.pointer)
            .field("offset", &self.0.offset)
            .field("record", &self.0.record)
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

/// An [I/O error](Error::is_io) with this error as its source, so that `?` works in a function that encodes and does
/// other I/O as well.
///
/// ```
/// fn export(path: &str) -> json_rope::Result<()> {
///     let file = std::fs::File::create(path)?;
///     json_rope::to_writer(file, &[1, 2])
/// }
/// let error = export("/no such folder/a.json").unwrap_err();
/// assert_eq!(error.io_error_kind(), Some(std::io::ErrorKind::NotFound));
/// ```
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::io(error)
    }
}

/// An I/O error comes back as it was, so its kind, its code and its source are kept. Any other error becomes the
/// source of an `InvalidData` (data), `Other` (limit) or `InvalidInput` (configuration) error.
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        let mut inner = *error.0;
        let kind = match inner.kind {
            Kind::Io(error) => return error,
            Kind::Item(item) => match item.downcast::<io::Error>() {
                Ok(error) => return *error,
                Err(item) => {
                    inner.kind = Kind::Item(item);
                    io::ErrorKind::InvalidData
                }
            },
            Kind::Data(_) | Kind::StandIn(_) => io::ErrorKind::InvalidData,
            Kind::Limit(_) => io::ErrorKind::Other,
            Kind::Config(_) | Kind::Misuse(_) => io::ErrorKind::InvalidInput,
        };
        io::Error::new(kind, Error(Box::new(inner)))
    }
}
