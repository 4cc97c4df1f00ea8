//! Documents piece by piece: the caller pushes tokens and values, and takes finished chunks.

use std::fmt;

use bytes::Bytes;
use serde::Serialize;
use smallvec::SmallVec;

use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::fmt::{Formatter, Key};
use crate::frame::Frame;
use crate::run::Document;
use crate::ser;
use crate::setup::Setup;
use crate::source::{Progress, Source, records};

/// Writes a document, or records, piece by piece, while the program goes on between the pieces. Does no I/O. Made by
/// [`Encoder::writer`] and [`Encoder::record_writer`].
///
/// Use it where the document is not one value: events that arrive over minutes, rows from a cursor, an answer that is
/// put together by several parts of a program. If everything comes from an iterator, [`Encoder::array`] and
/// [`Encoder::object`] are simpler.
///
/// A piece is any `Serialize` ([`value`](Self::value)), a key, or the beginning or end of an array or object. What is
/// finished is taken with [`pop`](Self::pop), chunk by chunk, whenever the caller likes; the chunks are as those of
/// [`Chunks`](crate::Chunks). An opening bracket is written together with what comes after it.
///
/// * A writer owns all it needs: it can be stored, and moved to another thread.
/// * **Misuse** (a value where a key is due, `end` when nothing is open, `finish` when something is) is a
///   [configuration error](Error::is_config) that says what was expected. It changes nothing: the document can go on.
/// * **An error in a value**, a limit that is exceeded, or a panic that passes through [`value`](Self::value) end the
///   document. The last chunks hold exactly its beginning, no bracket is closed, and every later call is a data error.
/// * With [`sort_keys`](crate::EncoderBuilder::sort_keys), an object is held from its first member until it is closed,
///   also one that this writer opened; nothing of it can be taken or flushed before.
/// * Containers that the writer opened count for [`max_depth`](crate::EncoderBuilder::max_depth).
///
/// ```
/// let mut writer = json_rope::Encoder::new().writer();
/// writer.begin_object()?;
/// writer.key("events")?;
/// writer.begin_array()?;
/// for n in 1..=3 {
///     writer.value(&("tick", n))?;
/// }
/// writer.end()?;
/// writer.end()?;
/// writer.finish()?;
/// assert_eq!(writer.pop().unwrap(), r#"{"events":[["tick",1],["tick",2],["tick",3]]}"#);
/// assert!(writer.pop().is_none());
/// # Ok::<(), json_rope::Error>(())
/// ```
#[must_use = "a document that is not finished is incomplete"]
pub struct Writer {
    document: Document,
    state: State,
    encoder: Encoder,
}

/// What may come next, and how much there is of what is open.
struct State {
    place: Place,
    /// Elements or members of the innermost open container.
    count: usize,
    /// For the names of members: how many objects are open around this place.
    level: usize,
    /// What is open around that container, the document first.
    outer: SmallVec<[Outer; 8]>,
    records: Option<Records>,
}

/// Where in the document the writer is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In an array, where an element or the end is due.
    Array,
    /// After a key, where its value is due.
    Member,
    /// Before a document.
    Start,
    /// In an object, where a key or the end is due.
    Object,
    /// After the only document.
    Complete,
    Finished,
    Failed,
    /// The encoder does not go with the frame.
    Refused,
}

/// A container or document that waits for the one inside it.
#[derive(Clone, Copy)]
struct Outer {
    place: Place,
    count: usize,
    level: usize,
}

struct Records {
    frame: Frame,
    max_len: u64,
    /// How many are complete.
    count: u64,
}

/// What a call adds.
enum Token<'t> {
    BeginArray,
    BeginObject,
    Key(&'t str),
    EncodedKey(&'t Key),
    End,
    Finish,
}

impl Writer {
    pub(crate) fn new(encoder: Encoder) -> Writer {
        let setup = Setup::recursive(encoder.options());
        Writer::with_setup(encoder, &setup, Place::Start, None)
    }

    pub(crate) fn of_records(encoder: Encoder, frame: Frame) -> Writer {
        let options = encoder.options();
        let (setup, place) = match frame.line_breaks(options) {
            Ok(line_breaks) => (Setup { line_breaks, limits_whole: false, ..Setup::recursive(options) }, Place::Start),
            Err(_) => (Setup::recursive(options), Place::Refused),
        };
        let records = Records { frame, max_len: options.max_len.min(frame.max_len()), count: 0 };
        Writer::with_setup(encoder, &setup, place, Some(records))
    }

    fn with_setup(encoder: Encoder, setup: &Setup, place: Place, records: Option<Records>) -> Writer {
        let document = Document::new(encoder.options(), *setup);
        let state = State { place, count: 0, level: 0, outer: SmallVec::new(), records };
        Writer { document, state, encoder }
    }

    /// Writes a value: the document, an element of the open array, or the value of the member whose key was written
    /// last. Containers inside of it are not open for the writer.
    ///
    /// ```
    /// let mut writer = json_rope::Encoder::new().writer();
    /// writer.begin_array()?;
    /// writer.value("a")?;
    /// writer.value(&[1, 2])?;
    /// let nowhere = writer.key("b").unwrap_err();
    /// assert!(nowhere.is_config());
    /// writer.end()?; // the document goes on
    /// writer.finish()?;
    /// assert_eq!(writer.pop().unwrap(), r#"["a",[1,2]]"#);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Encoder::encode`], with a pointer from the top of the document; the document then ends. A configuration error
    /// if a key is due, or the document is complete.
    #[inline]
    pub fn value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<()> {
        if !self.state.place.takes_value() {
            return Err(self.misused("value"));
        }
        self.push(|state| Item { state, value })
    }

    /// Begins an array where a value is due. Everything up to its [`end`](Self::end) is an element of it.
    ///
    /// # Errors
    /// A configuration error if no value is due; a limit error if the array is nested deeper than `max_depth`.
    #[inline]
    pub fn begin_array(&mut self) -> Result<()> {
        if !self.state.place.takes_value() {
            return Err(self.misused("begin_array"));
        }
        self.push(|state| Piece { state, token: Token::BeginArray })
    }

    /// Begins an object where a value is due. Keys and values take turns up to its [`end`](Self::end).
    ///
    /// # Errors
    /// A configuration error if no value is due; a limit error if the object is nested deeper than `max_depth`.
    #[inline]
    pub fn begin_object(&mut self) -> Result<()> {
        if !self.state.place.takes_value() {
            return Err(self.misused("begin_object"));
        }
        self.push(|state| Piece { state, token: Token::BeginObject })
    }

    /// Writes the key of the next member of the open object. Names are not compared with those before.
    ///
    /// # Errors
    /// A configuration error if no key is due.
    #[inline]
    pub fn key(&mut self, name: &str) -> Result<()> {
        if self.state.place != Place::Object {
            return Err(self.misused("key"));
        }
        self.push(|state| Piece { state, token: Token::Key(name) })
    }

    /// Writes the key of the next member of the open object, as [`key`](Self::key) does with its name, but faster. See
    /// [`Key`].
    ///
    /// # Errors
    /// A configuration error if no key is due.
    #[inline]
    pub fn encoded_key(&mut self, key: &Key) -> Result<()> {
        if self.state.place != Place::Object {
            return Err(self.misused("encoded_key"));
        }
        self.push(|state| Piece { state, token: Token::EncodedKey(key) })
    }

    /// Ends the array or object that was begun last and is open.
    ///
    /// # Errors
    /// A configuration error if nothing is open, or a key has no value yet.
    #[inline]
    pub fn end(&mut self) -> Result<()> {
        if !matches!(self.state.place, Place::Array | Place::Object) {
            return Err(self.misused("end"));
        }
        self.push(|state| Piece { state, token: Token::End })
    }

    /// Takes the oldest finished chunk. `None` if there is none: write more, [`flush`](Self::flush) or
    /// [`finish`](Self::finish).
    ///
    /// A chunk is at most [`max_chunk`](crate::EncoderBuilder::max_chunk) bytes long. A record writer gives out whole
    /// records only, unless one is longer than a chunk, and of a record whose length is before it nothing until it is
    /// complete.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().first_chunk(16).max_chunk(16).build()?;
    /// let mut writer = encoder.writer();
    /// writer.value("a text of 28 bytes in quotes")?;
    /// assert_eq!(writer.pop().unwrap(), "\"a text of 28 by");
    /// assert!(writer.pop().is_none());
    /// writer.finish()?;
    /// assert_eq!(writer.pop().unwrap(), "tes in quotes\"");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn pop(&mut self) -> Option<Bytes> {
        self.document.pop()
    }

    /// Makes a chunk of everything written so far, for a consumer that should not wait until one is full; of a record
    /// writer, of all complete records. Does nothing while an object is held for
    /// [`sort_keys`](crate::EncoderBuilder::sort_keys).
    ///
    /// ```
    /// let mut log = json_rope::Encoder::new().writer();
    /// log.begin_array()?;
    /// log.value("started")?;
    /// log.flush();
    /// assert_eq!(log.pop().unwrap(), "[\"started\"");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// Costs an allocation, so flush on a timer and not after every value.
    pub fn flush(&mut self) {
        self.document.flush();
    }

    /// Bytes that were written and not yet taken: those of finished chunks, and of the one that is being filled. To be
    /// compared with a bound when what is written cannot be sent as fast.
    ///
    /// ```
    /// let mut writer = json_rope::Encoder::new().writer();
    /// writer.value(&[1, 2])?;
    /// assert_eq!(writer.pending(), 5);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    #[must_use]
    pub fn pending(&self) -> usize {
        self.document.pending()
    }

    /// Ends the output: what is left can then be taken. Further calls of `finish` do nothing.
    ///
    /// A writer that is dropped without it leaves an incomplete document, which is never made to look whole.
    ///
    /// ```
    /// let mut writer = json_rope::Encoder::new().writer();
    /// writer.begin_array()?;
    /// let error = writer.finish().unwrap_err();
    /// assert_eq!(error.to_string(), "wrong call: `finish` where an element or the end of the array is due");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// A configuration error if something is open, or nothing was written. (A record writer may have written nothing.)
    pub fn finish(&mut self) -> Result<()> {
        match self.state.place {
            Place::Finished => Ok(()),
            Place::Complete => self.push(|state| Piece { state, token: Token::Finish }),
            Place::Start if self.state.records.is_some() => self.push(|state| Piece { state, token: Token::Finish }),
            _ => Err(self.misused("finish")),
        }
    }

    #[inline]
    fn push<'s, S: Source>(&'s mut self, piece: impl FnOnce(&'s mut State) -> S) -> Result<()> {
        let mut source = piece(&mut self.state);
        self.document.step(&mut source).map(drop)
    }

    /// The error of a call that does not fit, or that comes too late.
    #[cold]
    #[inline(never)]
    fn misused(&mut self, call: &str) -> Error {
        let due = match self.state.place {
            Place::Array => "an element or the end of the array is due",
            Place::Member => "the value of a member is due",
            Place::Object => "a key or the end of the object is due",
            Place::Start if self.state.records.is_some() => "a record is due",
            Place::Start => "the document is due",
            Place::Complete => "the document is complete",
            Place::Finished => "the writer is finished",
            Place::Failed => return Error::data("an earlier value failed, so the document is incomplete"),
            Place::Refused => {
                let refused = self.state.records.as_ref().map(|of| of.frame.line_breaks(self.encoder.options()));
                return refused.and_then(Result::err).unwrap_or_else(|| Error::misuse("the frame is refused"));
            }
        };
        Error::misuse(format!("`{call}` where {due}"))
    }
}

impl Encoder {
    /// A [`Writer`] for exactly one document.
    ///
    /// [`max_len`](crate::EncoderBuilder::max_len) is for the whole of it. Allocates nothing yet.
    ///
    /// ```
    /// let mut writer = json_rope::Encoder::new().writer();
    /// writer.begin_array()?;
    /// writer.end()?;
    /// writer.finish()?;
    /// assert_eq!(writer.pop().unwrap(), "[]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn writer(&self) -> Writer {
        Writer::new(self.clone())
    }

    /// A [`Writer`] for any number of documents, each in its [`Frame`].
    ///
    /// [`max_len`](crate::EncoderBuilder::max_len) is for the body of each. In an error,
    /// [`record`](crate::Error::record) tells which one it was. [`Frame::NdJson`] does not go with a pretty encoder:
    /// then every call is a configuration error.
    ///
    /// ```
    /// use json_rope::{Encoder, Frame};
    ///
    /// let mut log = Encoder::new().record_writer(Frame::NdJson);
    /// log.value("started")?;
    /// log.value(&("port", 8080))?;
    /// log.flush();
    /// assert_eq!(log.pop().unwrap(), "\"started\"\n[\"port\",8080]\n");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn record_writer(&self, frame: Frame) -> Writer {
        Writer::of_records(self.clone(), frame)
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("pending", &self.pending()).finish_non_exhaustive()
    }
}

impl Place {
    #[inline(always)]
    fn takes_value(self) -> bool {
        matches!(self, Place::Array | Place::Member | Place::Start)
    }
}

/// A value that is pushed.
struct Item<'s, T: ?Sized> {
    state: &'s mut State,
    value: &'s T,
}

impl<T: ?Sized + Serialize> Source for Item<'_, T> {
    #[inline]
    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress> {
        let place = self.state.place;
        let written = match place {
            Place::Array | Place::Member => self.state.before_value(formatter),
            _ => self.state.begin_document(formatter),
        };
        if let Err(error) = written.and_then(|()| ser::serialize(formatter, self.value)) {
            return Err(self.state.fail(formatter, error, true));
        }
        self.state.after_value(formatter, place)
    }
}

/// A token that is pushed.
struct Piece<'s, 't> {
    state: &'s mut State,
    token: Token<'t>,
}

impl Source for Piece<'_, '_> {
    #[inline]
    fn step<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress> {
        let state = &mut *self.state;
        match self.token {
            Token::BeginArray => state.begin(formatter, Place::Array),
            Token::BeginObject => state.begin(formatter, Place::Object),
            Token::Key(name) => {
                let written = formatter.map_key(state.count, name);
                state.after_key(formatter, written)
            }
            Token::EncodedKey(key) => {
                let written = formatter.encoded_key(state.count, key);
                state.after_key(formatter, written)
            }
            Token::End => state.end(formatter),
            Token::Finish => {
                state.place = Place::Finished;
                Ok(Progress::Complete)
            }
        }
    }
}

impl State {
    /// What stands before a value that is not the document.
    #[inline(always)]
    fn before_value<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<()> {
        if self.place == Place::Member {
            return Ok(());
        }
        self.count += 1;
        formatter.before_element(self.count - 1)
    }

    /// What stands before a document.
    #[inline(never)]
    fn begin_document<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<()> {
        match &self.records {
            None => Ok(()),
            Some(records) => {
                formatter.out.begin_record();
                records::begin(formatter, records.frame, records.max_len)
            }
        }
    }

    /// Goes on after a value that began at `place`.
    #[inline(always)]
    fn after_value<const PLAIN: bool>(
        &mut self,
        formatter: &mut Formatter<'_, PLAIN>,
        place: Place,
    ) -> Result<Progress> {
        if !PLAIN {
            formatter.out.cut_released();
        }
        match place {
            Place::Array => {}
            Place::Member => self.place = Place::Object,
            _ => return self.end_document(formatter),
        }
        Ok(Progress::More)
    }

    /// Goes on after a document.
    #[inline(never)]
    fn end_document<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress> {
        let Some(records) = &mut self.records else {
            self.place = Place::Complete;
            return Ok(Progress::More);
        };
        if let Err(error) = records::end(formatter, records.frame, records.max_len) {
            return Err(self.fail(formatter, error, false));
        }
        formatter.out.begin_record();
        records.count += 1;
        self.place = Place::Start;
        Ok(Progress::More)
    }

    #[inline]
    fn after_key<const PLAIN: bool>(
        &mut self,
        formatter: &mut Formatter<'_, PLAIN>,
        written: Result<()>,
    ) -> Result<Progress> {
        match written {
            Ok(()) => {
                self.count += 1;
                self.place = Place::Member;
                Ok(Progress::More)
            }
            Err(error) => Err(self.fail(formatter, error, false)),
        }
    }

    /// Begins a container, in which `place` is the first place.
    #[inline]
    fn begin<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>, place: Place) -> Result<Progress> {
        let begun = match self.place {
            Place::Start => self.begin_document(formatter),
            _ => self.before_value(formatter),
        };
        if let Err(error) = begun.and_then(|()| formatter.open()) {
            return Err(self.fail(formatter, error, true));
        }
        self.outer.push(Outer { place: self.place, count: self.count, level: self.level });
        (self.place, self.count) = (place, 0);
        if place == Place::Object {
            self.level = formatter.out.enter_map();
        }
        Ok(Progress::More)
    }

    /// Ends the innermost container.
    #[inline]
    fn end<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>) -> Result<Progress> {
        let closed = if self.place == Place::Object {
            formatter.out.leave_map(self.level);
            formatter.close_object(self.count)
        } else {
            formatter.close_array(self.count)
        };
        let Some(Outer { place, count, level }) = self.outer.pop() else {
            return Err(formatter.fail_data("nothing is open"));
        };
        (self.place, self.count, self.level) = (place, count, level);
        match closed {
            Ok(()) => self.after_value(formatter, place),
            Err(error) => Err(self.fail(formatter, error, true)),
        }
    }

    /// Ends the document because of an error: of a value that has begun in the innermost container, or in the container
    /// itself.
    #[cold]
    #[inline(never)]
    fn fail<const PLAIN: bool>(&mut self, formatter: &mut Formatter<'_, PLAIN>, error: Error, in_value: bool) -> Error {
        let error = match &self.records {
            None => formatter.fail(error),
            Some(records) => formatter.out.fail_in_record(error, records.count),
        };
        let innermost = Outer { place: self.place, count: self.count, level: self.level };
        let mut open = self.outer.clone();
        open.push(innermost);
        if !in_value {
            open.pop();
        }
        while let Some(Outer { place, count, level }) = open.pop() {
            match place {
                Place::Array => formatter.out.add_segment((count - 1).to_string()),
                Place::Member | Place::Object => {
                    let name = formatter.out.latest_key(level);
                    formatter.out.add_segment(name);
                }
                _ => {}
            }
        }
        self.place = Place::Failed;
        error
    }
}
