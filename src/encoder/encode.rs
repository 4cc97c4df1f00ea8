//! What an encoder is made with and mostly used for. In a file of its own, whose name comes before the others': the page of
//! `Encoder` has the methods in the order of the modules.

use std::io;

use serde::Serialize;

use super::{Encoder, EncoderBuilder};
use crate::error::Result;
use crate::options::Options;
use crate::rope::Rope;
use crate::run;
use crate::sink::WriterDrain;
use crate::source::{Source as _, Value, Walker};

impl Encoder {
    /// An encoder with the default options: compact output, as serde_json writes it.
    ///
    /// ```
    /// assert_eq!(json_rope::Encoder::new().encode(&(1, "a"))?, "[1,\"a\"]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn new() -> Encoder {
        Encoder::with_options(Options::new(false))
    }

    /// Options that start at the defaults.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().max_chunk(16 * 1024).build()?;
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn builder() -> EncoderBuilder {
        EncoderBuilder::new()
    }

    /// Encodes `value` into a rope.
    ///
    /// Allocates O(log n) times for n bytes of output, once if they fit `first_chunk`, and once or twice as soon as the
    /// encoder knows the usual size.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::new();
    /// let rope = encoder.encode(&vec![7; 10])?;
    /// assert_eq!(rope, "[7,7,7,7,7,7,7,7,7,7]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// A data error if `value` cannot be JSON, or its `Serialize` fails; a limit error if it is nested deeper than
    /// `max_depth` or its text is longer than `max_len`. Nothing of a failed document is returned.
    pub fn encode<T: ?Sized + Serialize>(&self, value: &T) -> Result<Rope> {
        if self.options().is_default() {
            return self.to_short_rope(&mut |formatter| Value(value).write(formatter));
        }
        self.to_rope(Value(value))
    }

    /// Encodes a tree of any depth into a rope: the same bytes as [`encode`](Encoder::encode) under every option, but with no
    /// depth limit, unless [`max_depth`](EncoderBuilder::max_depth) was set.
    ///
    /// Use it for trees that came from outside, or where the stack is small: it recurses for 12 levels at a time, which fits
    /// a stack of 64 KiB in a release build and of 128 KiB in a debug build. Otherwise `encode` is as fast.
    ///
    /// Allocates as `encode` does, and for trees deeper than 16 levels also for the list of open containers.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::new();
    /// assert_eq!(encoder.encode_tree(&serde_json::json!({"a": [1, null]}))?, r#"{"a":[1,null]}"#);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// A limit error if the tree is nested deeper than a `max_depth` that was set, or its text is longer than
    /// `max_len`.
    pub fn encode_tree(&self, tree: &serde_json::Value) -> Result<Rope> {
        self.to_rope(Walker::new(tree, self.options()))
    }

    /// Encodes `value` and appends it to `rope`.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::new();
    /// let mut rope = json_rope::Rope::from("data: ");
    /// encoder.encode_into(&mut rope, &[1])?;
    /// assert_eq!(rope, "data: [1]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`encode`](Encoder::encode); `rope` is then as it was before.
    pub fn encode_into<T: ?Sized + Serialize>(&self, rope: &mut Rope, value: &T) -> Result<()> {
        rope.append(self.encode(value)?);
        Ok(())
    }

    /// Encodes `value` into `writer` while it is being encoded, in a fixed amount of memory: at most 128 KiB of heap
    /// with the default `max_chunk`, whatever the document's length, or one buffer of a pool. Returns the number of
    /// bytes written.
    ///
    /// The first bytes leave as soon as there are `first_chunk` of them; later hand-overs grow to twice `max_chunk`, so
    /// no `BufWriter` is needed. A string of at least 64 KiB that needs no escape is handed over by reference. The
    /// writer is not flushed.
    ///
    /// ```
    /// let mut out = Vec::new();
    /// assert_eq!(json_rope::Encoder::new().write(&mut out, &[1, 2])?, 5);
    /// assert_eq!(out, b"[1,2]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`encode`](Encoder::encode), or an I/O error: the first error of the writer other than `Interrupted`,
    /// `WriteZero` if it takes nothing, `InvalidData` if it claims to have taken more than it was given. The writer has
    /// then received an exact prefix of the document, and nothing after it: no bracket is closed.
    pub fn write<T: ?Sized + Serialize>(&self, mut writer: impl io::Write, value: &T) -> Result<u64> {
        run::to_drain(self.options(), &mut WriterDrain::new(&mut writer), Value(value))
    }
}
