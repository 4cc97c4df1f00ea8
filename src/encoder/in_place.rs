//! Documents in memory that the caller has, and how long they would be.

use bytes::BytesMut;
use serde::Serialize;

use super::Encoder;
use crate::error::Result;
use crate::out::Growable;
use crate::run;
use crate::source::{Source as _, Value};

impl Encoder {
    /// Encodes `value` and appends it to `vec`.
    ///
    /// Use it where contiguous memory is wanted and there is a vector to reuse: a message of a protocol that is put
    /// together in one buffer, a value for a key-value store. Bytes are written where they stay: a document that fits
    /// the spare capacity allocates nothing, and a longer one makes the vector grow as `Vec::reserve` does. A vector
    /// without spare capacity gets a document of up to 14 KiB with one allocation, and without growing in steps.
    ///
    /// The [pool](crate::EncoderBuilder::pool) and the lengths of chunks have no effect. A
    /// [`Fragment`](crate::Fragment) is copied.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::new();
    /// let mut message = b"PUT ".to_vec();
    /// encoder.encode_to_vec(&mut message, &[1, 2])?;
    /// assert_eq!(message, b"PUT [1,2]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`encode`](Encoder::encode). `vec` then has the content it had before, perhaps with more capacity; so it has if
    /// the `Serialize` of `value` panics.
    pub fn encode_to_vec<T: ?Sized + Serialize>(&self, vec: &mut Vec<u8>, value: &T) -> Result<()> {
        if self.options().is_default() {
            return run::short::append(vec, &mut |formatter| Value(value).write(formatter));
        }
        run::to_memory(self.options(), Growable::Vec(vec), Value(value))
    }

    /// Encodes `value` and appends it to `bytes`. Otherwise like [`encode_to_vec`](Encoder::encode_to_vec).
    ///
    /// Use it for the buffer of a codec, as those of `tokio_util` have. When `bytes` grows it may take memory back from
    /// its front, as `BytesMut::reserve` does.
    ///
    /// ```
    /// let mut buffer = bytes::BytesMut::with_capacity(4096);
    /// json_rope::Encoder::new().encode_to_bytes_mut(&mut buffer, "a")?;
    /// assert_eq!(buffer, "\"a\"");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`encode`](Encoder::encode). `bytes` then has the content it had before.
    pub fn encode_to_bytes_mut<T: ?Sized + Serialize>(&self, bytes: &mut BytesMut, value: &T) -> Result<()> {
        run::to_memory(self.options(), Growable::BytesMut(bytes), Value(value))
    }

    /// The exact number of bytes that [`encode`](Encoder::encode) and all other ways would make of `value` under the
    /// options of this encoder, without a frame.
    ///
    /// Use it for a `Content-Length` ahead of a body that is streamed. The whole document is formatted, into a small area
    /// on the stack that is overwritten again and again, so it costs the time of encoding without that of memory.
    ///
    /// It allocates nothing for most documents, of whatever length. Short lists are needed for maps that are nested more than
    /// eight levels deep, trees of more than 16 levels, keys that come from a `Display`, open member names of more than 256
    /// bytes in all, and [`inline_width`](crate::EncoderBuilder::inline_width). With
    /// [`canonical`](crate::EncoderBuilder::canonical) an object is held until it ends, because a name that occurs twice is
    /// an error. With feature `rayon`, the parts of a long `Par` are encoded in memory, a few at a time.
    ///
    /// `value` must serialize in the same way when it is encoded later.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().pretty(true).build()?;
    /// let rows = vec![("a", 1.5); 1000];
    /// let mut body = Vec::new();
    /// let len = encoder.measure(&rows)?;
    /// assert_eq!(encoder.write(&mut body, &rows)?, len);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`encode`](Encoder::encode): a document that cannot be encoded has no length.
    pub fn measure<T: ?Sized + Serialize>(&self, value: &T) -> Result<u64> {
        run::to_length(self.options(), Value(value))
    }
}
