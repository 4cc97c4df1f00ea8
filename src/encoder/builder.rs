//! The options of an encoder, collected and checked.

use super::Encoder;
use crate::error::{Error, Result};
use crate::escape::Escapes;
use crate::options::{BigIntegers, BytesFormat, CHUNK_BOUNDS, MAX_INDENT, NonFinite, Options};
use crate::pool::Pool;

/// Collects the options of an [`Encoder`]. Made by [`Encoder::builder`].
///
/// ```
/// let error = json_rope::Encoder::builder().indent("-->").build().unwrap_err();
/// assert!(error.is_config());
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct EncoderBuilder {
    options: Options,
    first_chunk: Option<usize>,
}

impl EncoderBuilder {
    pub(super) fn new() -> EncoderBuilder {
        EncoderBuilder { options: Options::new(false), first_chunk: None }
    }

    /// Whether to write each element and member on a line of its own, indented, as `serde_json::to_string_pretty` does.
    /// Default: no.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().pretty(true).build()?;
    /// assert_eq!(encoder.encode(&[[(); 0]; 1])?, "[\n  []\n]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn pretty(mut self, pretty: bool) -> Self {
        self.options.style.pretty = pretty;
        self
    }

    /// One step of indentation, for pretty output: white space of at most 64 bytes, spaces or tabs as a rule, or none.
    /// Default: two spaces. Without [`pretty`](Self::pretty) it is checked but has no effect.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().pretty(true).indent(" ").build()?;
    /// assert_eq!(encoder.encode(&[1])?, "[\n 1\n]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn indent(mut self, indent: &str) -> Self {
        self.options.indent = Some(indent.to_owned());
        self
    }

    /// In pretty output, how many characters an array or object may have to stay on one line, as in `[1, 2, 3]` or
    /// `{"a": 1}`: coordinates, small records. Default: 0, every one that is not empty is broken into lines, as
    /// serde_json does it. Without [`pretty`](Self::pretty) it has no effect.
    ///
    /// The width is that of the array or object in one line, from bracket to bracket, in characters (Unicode scalar
    /// values). Indentation, and the key before it, do not count, so a value looks the same wherever it is. A
    /// [`Fragment`](crate::Fragment) or raw value with a line break in it fits no line.
    ///
    /// Output is held back until it is known whether a line fits: while streaming, up to about three times as many
    /// characters, at any nesting. The time does not depend on the width.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().pretty(true).inline_width(12).build()?;
    /// assert_eq!(encoder.encode(&[[1, 2, 3], [1000, 2000, 3000]])?, "[\n  [1, 2, 3],\n  [\n    1000,\n    2000,\n    3000\n  ]\n]");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn inline_width(mut self, characters: usize) -> Self {
        self.options.inline_width = characters;
        self
    }

    /// Whether to write everything above U+007F as `\uXXXX`, in lower-case hexadecimal, with surrogate pairs above
    /// U+FFFF: the output is then ASCII. Default: no.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().ascii(true).build()?;
    /// assert_eq!(encoder.encode("é😀")?, r#""\u00e9\ud83d\ude00""#);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn ascii(mut self, ascii: bool) -> Self {
        self.options.style.escapes.set(Escapes::ASCII, ascii);
        self
    }

    /// Whether to write `<`, `>`, `&`, U+2028 and U+2029 as `\uXXXX`, so that the output can be put inside an HTML
    /// `script` element. Default: no.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().html_safe(true).build()?;
    /// assert_eq!(encoder.encode("</script> & \u{2028}")?, r#""\u003c/script\u003e \u0026 \u2028""#);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn html_safe(mut self, html_safe: bool) -> Self {
        self.options.style.escapes.set(Escapes::HTML, html_safe);
        self
    }

    /// Whether to write `/` as `\/`. Default: no.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().escape_solidus(true).build()?;
    /// assert_eq!(encoder.encode("</a>")?, r#""<\/a>""#);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn escape_solidus(mut self, escape_solidus: bool) -> Self {
        self.options.style.escapes.set(Escapes::SOLIDUS, escape_solidus);
        self
    }

    /// How NaN and the infinities are written as values. As map keys they are always an error.
    /// Default: [`NonFinite::Null`].
    ///
    /// ```
    /// use json_rope::{Encoder, NonFinite};
    ///
    /// assert_eq!(Encoder::new().encode(&[f64::NAN])?, "[null]");
    /// let strict = Encoder::builder().non_finite(NonFinite::Error).build()?;
    /// assert_eq!(strict.encode(&[f64::NAN]).unwrap_err().to_string(), "cannot encode /0: float is not finite");
    /// let named = Encoder::builder().non_finite(NonFinite::String).build()?;
    /// assert_eq!(named.encode(&[f64::NAN, f64::INFINITY, -f64::INFINITY])?, r#"["NaN","Infinity","-Infinity"]"#);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn non_finite(mut self, non_finite: NonFinite) -> Self {
        self.options.style.non_finite = non_finite;
        self
    }

    /// How integers beyond ±(2^53 − 1) are written, of any width, for readers that make a double of every number, as
    /// JavaScript does. Default: [`BigIntegers::Number`].
    ///
    /// It is for values: integers of up to 128 bits, and the numbers of a `serde_json::Value`, also with that crate's
    /// feature `arbitrary_precision`. Floats stay numbers. Map keys are strings in any case, and a
    /// [`Fragment`](crate::Fragment) or raw value stays as it is.
    ///
    /// ```
    /// use json_rope::{BigIntegers, Encoder};
    ///
    /// let encoder = Encoder::builder().big_integers(BigIntegers::String).build()?;
    /// assert_eq!(encoder.encode(&(1_u64 << 53, -1_i64 << 53))?, r#"["9007199254740992","-9007199254740992"]"#);
    /// assert_eq!(encoder.encode(&((1_u64 << 53) - 1))?, "9007199254740991");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn big_integers(mut self, big_integers: BigIntegers) -> Self {
        self.options.style.big_integers = big_integers;
        self
    }

    /// How byte strings are written: those that come through `serialize_bytes`, as from the crate `serde_bytes` (a
    /// plain `Vec<u8>` is a sequence of numbers to serde). Default: [`BytesFormat::Array`].
    ///
    /// ```
    /// use json_rope::{BytesFormat, Encoder};
    ///
    /// let text = std::ffi::CString::new("\u{1}é").unwrap(); // serializes as bytes
    /// assert_eq!(Encoder::new().encode(&text)?, "[1,195,169]");
    /// let base64 = Encoder::builder().bytes(BytesFormat::Base64).build()?;
    /// assert_eq!(base64.encode(&text)?, "\"AcOp\"");
    /// let hex = Encoder::builder().bytes(BytesFormat::Hex).build()?;
    /// assert_eq!(hex.encode(&text)?, "\"01c3a9\"");
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn bytes(mut self, format: BytesFormat) -> Self {
        self.options.style.bytes = format;
        self
    }

    /// Whether the members of maps and structs are written in ascending order of their keys' UTF-8 bytes, at every
    /// depth. Members with equal keys keep their order. Default: no, members come in the order of the map or struct.
    ///
    /// Sorting holds the output: the outermost object that is open is kept in contiguous memory until it closes, so for
    /// a document that is one object, all of it. An array of objects still streams. Putting an object in order takes as
    /// much memory again for a moment, and about 50 bytes for each member of an object that is open or is waiting to be
    /// put in order. The time is O(n log n) at any depth, and next to nothing for members that come in order.
    ///
    /// For signatures and digests there is [`canonical`](Self::canonical), which has another order. The members of a
    /// [`Fragment`](crate::Fragment) or raw value keep their order.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().sort_keys(true).build()?;
    /// let map = std::collections::HashMap::from([("b", 1), ("a", 2), ("é", 3), ("B", 4)]);
    /// assert_eq!(encoder.encode(&map)?, r#"{"B":4,"a":2,"b":1,"é":3}"#);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn sort_keys(mut self, sort_keys: bool) -> Self {
        self.options.style.sort_keys = sort_keys;
        self
    }

    /// Whether to write canonical JSON, as RFC 8785 (JSON Canonicalization Scheme, JCS) defines it: for equal data, equal
    /// bytes, which can be signed or digested. Default: no.
    ///
    /// * The members of objects are sorted by the UTF-16 code units of their names. Two members with one name are a data
    ///   error.
    /// * Numbers have the text of ECMAScript's `Number::toString`: `1` for 1.0, `0` for -0.0, `1e+21`. NaN and the
    ///   infinities are a data error. So are integers beyond ±(2^53 − 1) that a double cannot hold: they would change.
    ///   (Those that are exactly a double, or have the text of one, are written with that text:
    ///   2^60 as `1152921504606847000`.) The RFC's advice is to make strings of such numbers in the data.
    /// * There is no white space, and no escape but those that JSON demands.
    /// * A [`Fragment`](crate::Fragment), a raw value, and a number of serde_json's feature `arbitrary_precision` are read
    ///   and written anew. A fragment of several chunks is copied into one for that. An error in it names the place of
    ///   the whole fragment.
    ///
    /// A `serde_json::Value` that was parsed has lost names that occurred twice, and, unless serde_json has its feature
    /// `float_roundtrip`, last digits of some numbers. The canonical form of a JSON text is that of a fragment of it.
    ///
    /// It holds as much memory as [`sort_keys`](Self::sort_keys): the outermost open object, twice while it is put in
    /// order, and about 50 bytes for each open member.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().canonical(true).build()?;
    /// let document = serde_json::json!({"b": [1.0, -0.0, 1e21, 1e-7], "\u{10000}": 1, "\u{ffff}": 2, "a": {}});
    /// assert_eq!(encoder.encode(&document)?, "{\"a\":{},\"b\":[1,0,1e+21,1e-7],\"\u{10000}\":1,\"\u{ffff}\":2}");
    ///
    /// let error = encoder.encode(&[u64::MAX]).unwrap_err();
    /// assert_eq!(error.pointer(), Some("/0"));
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// With `pretty`, `ascii`, `html_safe`, `escape_solidus`, [`BigIntegers::String`] or [`NonFinite::String`],
    /// [`build`](Self::build) returns a configuration error.
    pub fn canonical(mut self, canonical: bool) -> Self {
        self.options.style.canonical = canonical;
        self
    }

    /// How deep arrays and objects may be nested. Deeper values are a limit error. Default: 1,000, but no
    /// limit for [`encode_tree`](Encoder::encode_tree) and [`chunks`](Encoder::chunks), which do not recurse.
    ///
    /// The default is safe on a stack of 2 MiB, in a debug build too, for `serde_json::Value` and for trees of structs,
    /// maps, options and enums. How much stack a level takes is up to the type, though: a debug build gives an enum of
    /// many variants large frames (from about 15 variants on, a chain of 1,000 needs more than 2 MiB). The limit also
    /// bounds the transparent wrappers (`Some`, newtype structs) around a value: two for each level, 64 around a key.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().max_depth(2).build()?;
    /// assert!(encoder.encode(&[[1]]).is_ok());
    /// assert!(encoder.encode(&[[[1]]]).unwrap_err().is_limit());
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn max_depth(mut self, levels: usize) -> Self {
        self.options.max_depth = Some(levels);
        self
    }

    /// The longest document allowed, in bytes. Longer ones are a limit error. In [`records`](Encoder::records) it is
    /// for each record without its frame. Default: no limit.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().max_len(5).build()?;
    /// assert_eq!(encoder.encode("abc")?, "\"abc\"");
    /// assert!(encoder.encode("abcd").unwrap_err().is_limit());
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn max_len(mut self, bytes: u64) -> Self {
        self.options.max_len = bytes;
        self
    }

    /// Length of the first chunk, in bytes; the following ones double up to [`max_chunk`](Self::max_chunk). From 16
    /// bytes to 1 MiB. Default: 2 KiB, or `max_chunk` if that is smaller.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().first_chunk(16).build()?;
    /// assert_eq!(encoder.encode(&"x".repeat(20))?.chunks()[0].len(), 16);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn first_chunk(mut self, bytes: usize) -> Self {
        self.first_chunk = Some(bytes);
        self
    }

    /// Length that no chunk exceeds, in bytes, unless it is a fragment that was linked in whole. From 16 bytes to
    /// 1 MiB. Default: 64 KiB.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().max_chunk(4096).build()?;
    /// assert!(encoder.encode(&vec![0; 10_000])?.chunks().iter().all(|chunk| chunk.len() <= 4096));
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn max_chunk(mut self, bytes: usize) -> Self {
        self.options.max_chunk = bytes;
        self
    }

    /// Buffers that documents are written into, and that are used again when nobody refers to them; see [`Pool`]. A
    /// pool may be given to many encoders. Its buffers' size bounds the length of chunks, as
    /// [`max_chunk`](Self::max_chunk) does. Default: none.
    ///
    /// ```
    /// use json_rope::{Encoder, Pool};
    ///
    /// let encoder = Encoder::builder().pool(Pool::default()).build()?;
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn pool(mut self, pool: Pool) -> Self {
        self.options.pool = Some(pool);
        self
    }

    /// The encoder.
    ///
    /// ```
    /// let encoder = json_rope::Encoder::builder().first_chunk(1024).max_chunk(8192).build()?;
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    ///
    /// # Errors
    /// A configuration error if a setting is out of its bounds or contradicts another.
    pub fn build(self) -> Result<Encoder> {
        let EncoderBuilder { mut options, first_chunk } = self;
        options.first_chunk = first_chunk.unwrap_or(options.first_chunk.min(options.max_chunk));
        for (name, bytes) in [("max_chunk", options.max_chunk), ("first_chunk", options.first_chunk)] {
            if !CHUNK_BOUNDS.contains(&bytes) {
                let (least, most) = (CHUNK_BOUNDS.start(), CHUNK_BOUNDS.end());
                return Err(Error::config(format!("{name} is {bytes} bytes, not from {least} to {most}")));
            }
        }
        if options.first_chunk > options.max_chunk {
            let (first, max) = (options.first_chunk, options.max_chunk);
            return Err(Error::config(format!("first_chunk, {first} bytes, is larger than max_chunk, {max} bytes")));
        }
        if let Some(indent) = &options.indent {
            if indent.len() > MAX_INDENT {
                return Err(Error::config(format!("indent is {} bytes, not at most {MAX_INDENT}", indent.len())));
            }
            if !indent.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
                return Err(Error::config("indent is not JSON white space (space, tab, line feed, carriage return)"));
            }
        }
        if options.style.canonical {
            let style = &mut options.style;
            let contradictions = [
                ("pretty", style.pretty),
                ("ascii", style.escapes.has(Escapes::ASCII)),
                ("html_safe", style.escapes.has(Escapes::HTML)),
                ("escape_solidus", style.escapes.has(Escapes::SOLIDUS)),
                ("BigIntegers::String", style.big_integers == BigIntegers::String),
                ("NonFinite::String", style.non_finite == NonFinite::String),
            ];
            if let Some((name, _)) = contradictions.iter().find(|(_, is_set)| *is_set) {
                return Err(Error::config(format!("canonical JSON (RFC 8785) does not go with {name}")));
            }
            style.sort_keys = true;
            style.non_finite = NonFinite::Error;
        }
        Ok(Encoder::with_options(options))
    }
}
