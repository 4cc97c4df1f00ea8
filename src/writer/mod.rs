//! Documents piece by piece: the caller pushes tokens and values, and takes finished chunks.

mod state;

use std::fmt;

use bytes::Bytes;
use serde::Serialize;
use smallvec::SmallVec;

use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::fmt::Key;
use crate::frame::Frame;
use crate::run::{Document, Either, with};
use crate::setup::Setup;

use state::{Place, Records, State};

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

impl Writer {
    pub(crate) fn new(encoder: Encoder) -> Writer {
        let setup = Setup::recursive(encoder.options());
        Writer::with_setup(encoder, &setup, Place::Start, None)
    }

    pub(crate) fn of_records(encoder: Encoder, frame: Frame) -> Writer {
        let options = encoder.options();
        let (setup, place) = match frame.newlines(options) {
            Ok(newlines) => (Setup { newlines, limits_whole: false, ..Setup::recursive(options) }, Place::Start),
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
    #[cfg_attr(not(debug_assertions), inline(always))] // see `encoded_key`
    pub fn value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<()> {
        let state = &mut self.state;
        match &mut self.document.formatter {
            // The everyday case, which is what `value_anywhere` would do.
            Either::Plain(formatter) if matches!(state.place, Place::Array | Place::Member) => {
                match state.value(formatter, value) {
                    Ok(()) => Ok(()),
                    Err(error) => Err(self.fail(error, true)),
                }
            }
            _ => self.value_anywhere(value),
        }
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
        self.begin(Place::Array)
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
        self.begin(Place::Object)
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
        let state = &self.state;
        let written = with!(self.document, formatter => formatter.map_key(state.count, name));
        self.after_key(written)
    }

    /// Writes the key of the next member of the open object, as [`key`](Self::key) does with its name, but faster. See
    /// [`Key`].
    ///
    /// # Errors
    /// A configuration error if no key is due.
    #[cfg_attr(not(debug_assertions), inline(always))] // of little code, and called for every column of every row
    pub fn encoded_key(&mut self, key: &Key) -> Result<()> {
        if let (Either::Plain(formatter), Place::Object) = (&mut self.document.formatter, &self.state.place) {
            if formatter.quick_encoded_key(self.state.count, key.block()) {
                self.state.count += 1;
                self.state.place = Place::Member;
                return Ok(());
            }
        }
        self.encoded_key_anywhere(key)
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
        let state = &mut self.state;
        match with!(self.document, formatter => state.end(formatter)) {
            Ok(()) => Ok(()),
            Err(error) => Err(self.fail(error, true)),
        }
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
    #[inline]
    pub fn pop(&mut self) -> Option<Bytes> {
        with!(self.document, formatter => formatter.out.pop())
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
        if self.state.place != Place::Panicked {
            with!(self.document, formatter => formatter.out.flush_step());
        }
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
        match &self.document.formatter {
            Either::Plain(formatter) => formatter.out.pending(),
            Either::Styled(formatter) => formatter.out.pending(),
        }
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
            Place::Finished => return Ok(()),
            Place::Complete => {}
            Place::Start if self.state.records.is_some() => {}
            _ => return Err(self.misused("finish")),
        }
        with!(self.document, formatter => formatter.out.finish_steps());
        self.state.place = Place::Finished;
        Ok(())
    }

    /// [`value`](Self::value) at any place, in any style.
    #[inline(never)]
    fn value_anywhere<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<()> {
        let state = &mut self.state;
        let written = match state.place {
            Place::Array | Place::Member => with!(self.document, formatter => state.value(formatter, value)),
            Place::Start => with!(self.document, formatter => state.document(formatter, value)),
            _ => return Err(self.misused("value")),
        };
        written.map_err(|error| self.fail(error, true))
    }

    /// [`encoded_key`](Self::encoded_key) at any place, in any style.
    #[inline(never)]
    fn encoded_key_anywhere(&mut self, key: &Key) -> Result<()> {
        if self.state.place != Place::Object {
            return Err(self.misused("encoded_key"));
        }
        let state = &self.state;
        let written = with!(self.document, formatter => formatter.encoded_key(state.count, key));
        self.after_key(written)
    }

    #[inline]
    fn begin(&mut self, inside: Place) -> Result<()> {
        let state = &mut self.state;
        match with!(self.document, formatter => state.begin(formatter, inside)) {
            Ok(()) => Ok(()),
            Err(error) => Err(self.fail(error, true)),
        }
    }

    #[inline]
    fn after_key(&mut self, written: Result<()>) -> Result<()> {
        match written {
            Ok(()) => {
                self.state.count += 1;
                self.state.place = Place::Member;
                Ok(())
            }
            Err(error) => Err(self.fail(error, false)),
        }
    }

    /// Ends the document because of an error: of a value that has begun in the innermost container, or of the container.
    #[cold]
    #[inline(never)]
    fn fail(&mut self, error: Error, in_value: bool) -> Error {
        let state = &mut self.state;
        let error = with!(self.document, formatter => state.locate(formatter, error, in_value));
        state.place = Place::Failed;
        self.document.fail(error)
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
            Place::Panicked => return self.fail(Error::data("a value panicked, so the document is incomplete"), true),
            Place::Failed => return Error::data("an earlier value failed, so the document is incomplete"),
            Place::Refused => {
                let refused = self.state.records.as_ref().map(|of| of.frame.newlines(self.encoder.options()));
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
