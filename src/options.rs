//! The settings of an encoder, as plain data. Set by `encoder`, read by `fmt` and `out`.

use crate::escape::Escapes;
use crate::pool::Pool;

/// How a float is written that is not finite, which JSON (RFC 8259, section 6) cannot express.
///
/// ```
/// use json_rope::{Encoder, NonFinite};
///
/// let strict = Encoder::builder().non_finite(NonFinite::Error).build()?;
/// assert!(strict.encode(&[1.0, f64::INFINITY]).unwrap_err().is_data());
/// # Ok::<(), json_rope::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NonFinite {
    /// `null`, as in serde_json and in JavaScript.
    #[default]
    Null,
    /// A data error that names the place.
    Error,
    /// A string: `"NaN"`, `"Infinity"` or `"-Infinity"`, as the JSON mapping of Protocol Buffers has it.
    String,
}

/// How integers are written that a double cannot tell from their neighbours: those beyond ±(2^53 − 1). JavaScript
/// calls them unsafe, and RFC 7493 (I-JSON, section 2.2) warns of them.
///
/// ```
/// use json_rope::{BigIntegers, Encoder};
///
/// let encoder = Encoder::builder().big_integers(BigIntegers::String).build()?;
/// assert_eq!(encoder.encode(&[9_007_199_254_740_991_u64, u64::MAX])?, r#"[9007199254740991,"18446744073709551615"]"#);
/// # Ok::<(), json_rope::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BigIntegers {
    /// As a number, like all others.
    #[default]
    Number,
    /// As a string of the same digits: `"18446744073709551615"`.
    String,
}

/// How `serialize_bytes` writes bytes, which JSON has no type for.
///
/// ```
/// use json_rope::{BytesFormat, Encoder};
///
/// let encoder = Encoder::builder().bytes(BytesFormat::Hex).build()?;
/// assert_eq!(encoder.encode(c"ab")?, "\"6162\"");
/// # Ok::<(), json_rope::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BytesFormat {
    /// An array of numbers, as in serde_json: `[0,255]`.
    #[default]
    Array,
    /// A string in standard Base64 with padding (RFC 4648, section 4): `"AP8="`.
    Base64,
    /// A string in lower-case hexadecimal (RFC 4648, section 8, in lower case): `"00ff"`.
    Hex,
}

/// The most bytes that one step of indentation may have.
pub(crate) const MAX_INDENT: usize = 64;

/// Bounds of `first_chunk` and `max_chunk`, in bytes. Below 16 a chunk could hold little more than a character, above
/// 1 MiB it no longer serves its purpose.
pub(crate) const CHUNK_BOUNDS: std::ops::RangeInclusive<usize> = 16..=1 << 20;

/// Levels of nesting where no limit is set and encoding recurses. They are safe in a debug build on a stack
/// of 2 MiB.
pub(crate) const DEFAULT_MAX_DEPTH: usize = 1000;

/// What the formatter needs to know of the options. Small and `Copy`, so that each document has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) pretty: bool,
    pub(crate) escapes: Escapes,
    pub(crate) non_finite: NonFinite,
    pub(crate) bytes: BytesFormat,
    pub(crate) sort_keys: bool,
    pub(crate) big_integers: BigIntegers,
    /// RFC 8785. The builder has then set `sort_keys` and `NonFinite::Error` too.
    pub(crate) canonical: bool,
}

impl Style {
    /// Compact output with serde_json's escapes.
    pub(crate) const PLAIN: Style = Style {
        pretty: false,
        escapes: Escapes::none(),
        non_finite: NonFinite::Null,
        bytes: BytesFormat::Array,
        sort_keys: false,
        big_integers: BigIntegers::Number,
        canonical: false,
    };
}

/// All settings of an encoder, checked.
#[derive(Clone, Debug)]
pub struct Options {
    pub(crate) style: Style,
    /// Whether the output is that of the plain compact serializer. Kept, because every document asks.
    pub(crate) is_plain: bool,
    /// Whether all settings are the defaults of compact output. Kept for the same reason.
    pub(crate) is_default: bool,
    /// One step of indentation; `None`: two spaces.
    pub(crate) indent: Option<String>,
    /// In pretty output, characters that an array or object may have to stay on one line; 0: none does.
    pub(crate) inline_width: usize,
    /// `None`: [`DEFAULT_MAX_DEPTH`] where encoding recurses, no limit where it does not.
    pub(crate) max_depth: Option<usize>,
    pub(crate) max_len: u64,
    pub(crate) first_chunk: usize,
    pub(crate) max_chunk: usize,
    pub(crate) pool: Option<Pool>,
}

impl Options {
    /// The defaults, as the documentation of `EncoderBuilder` states them, compact or pretty.
    pub(crate) const fn new(pretty: bool) -> Options {
        Options {
            style: Style { pretty, ..Style::PLAIN },
            is_plain: !pretty,
            is_default: !pretty,
            indent: None,
            inline_width: 0,
            max_depth: None,
            max_len: u64::MAX,
            first_chunk: 2 * 1024,
            max_chunk: 64 * 1024,
            pool: None,
        }
    }

    /// To be called when the style has changed.
    pub(crate) fn update_is_plain(&mut self) {
        self.is_plain = self.style == Style::PLAIN;
        let defaults = Options::new(false);
        self.is_default = self.is_plain
            && self.indent.is_none()
            && self.inline_width == defaults.inline_width
            && self.max_depth.is_none()
            && self.max_len == defaults.max_len
            && self.first_chunk == defaults.first_chunk
            && self.max_chunk == defaults.max_chunk
            && self.pool.is_none();
    }

    /// Whether all settings are the defaults of compact output.
    #[inline]
    pub(crate) fn is_default(&self) -> bool {
        self.is_default
    }

    /// Whether the output is that of the plain compact serializer.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        debug_assert_eq!(self.is_plain, self.style == Style::PLAIN);
        self.is_plain
    }

    /// The pool, if there is one with buffers of a useful size.
    #[inline]
    pub(crate) fn usable_pool(&self) -> Option<&Pool> {
        self.pool.as_ref().filter(|pool| pool.is_usable())
    }

    /// The deepest nesting where encoding recurses.
    pub(crate) fn max_depth_recursive(&self) -> usize {
        self.max_depth.unwrap_or(DEFAULT_MAX_DEPTH)
    }

    /// The deepest nesting where encoding does not recurse.
    pub(crate) fn max_depth_walking(&self) -> usize {
        self.max_depth.unwrap_or(usize::MAX)
    }

    /// One step of indentation.
    pub(crate) fn indent(&self) -> &str {
        self.indent.as_deref().unwrap_or("  ")
    }
}
