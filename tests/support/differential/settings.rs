//! Every setting of an encoder, with values that matter. A new option is one entry of [`SETTINGS`], and what it changes
//! in the text a part of [`Style`].

use std::sync::LazyLock;

use json_rope::{BigIntegers, BytesFormat, Encoder, EncoderBuilder, NonFinite, Pool};

use crate::support::reference::Style;

/// The settings of one encoder, and what the reference has to know of them.
#[derive(Clone)]
pub struct Config {
    pub builder: EncoderBuilder,
    pub style: Style,
    pub max_chunk: usize,
}

pub struct Setting {
    pub name: &'static str,
    /// Each sets one value. The first one is the default.
    pub values: &'static [fn(&mut Config)],
}

pub const SETTINGS: [Setting; 12] = [
    Setting {
        name: "indentation",
        values: &[
            |_| {},
            |config| indent(config, None),
            |config| indent(config, Some("\t")),
            |config| {
                indent(config, Some("      \t"));
            },
        ],
    },
    Setting {
        name: "inline_width",
        values: &[|_| {}, |config| inline(config, 20), |config| inline(config, 80), |config| inline(config, 5000)],
    },
    Setting {
        name: "ascii",
        values: &[
            |_| {},
            |config| {
                config.style.mode.ascii = true;
                set(config, |builder| builder.ascii(true));
            },
        ],
    },
    Setting {
        name: "html_safe",
        values: &[
            |_| {},
            |config| {
                config.style.mode.html = true;
                set(config, |builder| builder.html_safe(true));
            },
        ],
    },
    Setting {
        name: "escape_solidus",
        values: &[
            |_| {},
            |config| {
                config.style.mode.solidus = true;
                set(config, |builder| builder.escape_solidus(true));
            },
        ],
    },
    Setting {
        name: "non_finite",
        values: &[
            |_| {},
            |config| {
                config.style.non_finite = NonFinite::Error;
                set(config, |builder| builder.non_finite(NonFinite::Error));
            },
            |config| {
                config.style.non_finite = NonFinite::String;
                set(config, |builder| builder.non_finite(NonFinite::String));
            },
        ],
    },
    Setting {
        name: "big_integers",
        values: &[
            |_| {},
            |config| {
                config.style.big_integers = BigIntegers::String;
                set(config, |builder| builder.big_integers(BigIntegers::String));
            },
        ],
    },
    Setting {
        name: "bytes",
        values: &[|_| {}, |config| bytes(config, BytesFormat::Base64), |config| bytes(config, BytesFormat::Hex)],
    },
    Setting {
        name: "sort_keys",
        values: &[
            |_| {},
            |config| {
                config.style.sorted = true;
                set(config, |builder| builder.sort_keys(true));
            },
        ],
    },
    Setting {
        name: "chunks",
        values: &[
            |_| {},
            |config| chunks(config, 16, 16),
            |config| chunks(config, 16, 300),
            |config| chunks(config, 4096, 4096),
            |config| chunks(config, 100, 1 << 20),
        ],
    },
    Setting {
        name: "pool",
        values: &[
            |_| {},
            |config| set(config, |builder| builder.pool(Pool::default())),
            |config| pool(config, 8, 100),
            |config| pool(config, 2, 10_000),
            // One that all encoders of the process share.
            |config| set(config, |builder| builder.pool(SHARED.clone())),
        ],
    },
    // The last one, because it takes back what does not go with it.
    Setting {
        name: "canonical",
        values: &[
            |_| {},
            |config| {
                config.style = Style {
                    canonical: true,
                    sorted: true,
                    non_finite: NonFinite::Error,
                    bytes: config.style.bytes,
                    ..Style::default()
                };
                set(config, |builder| {
                    let builder = builder.pretty(false).ascii(false).html_safe(false).escape_solidus(false);
                    builder.big_integers(BigIntegers::Number).non_finite(NonFinite::Null).canonical(true)
                });
            },
        ],
    },
];

/// How many values each setting has.
pub fn levels() -> Vec<usize> {
    SETTINGS.iter().map(|setting| setting.values.len()).collect()
}

impl Config {
    /// The encoder with these values, one number for each setting.
    pub fn new(values: &[usize]) -> Config {
        // Limits that are far away change nothing.
        let builder = Encoder::builder().max_depth(5000).max_len(1 << 40);
        let mut config = Config { builder, style: Style::default(), max_chunk: 64 * 1024 };
        for (setting, &value) in SETTINGS.iter().zip(values) {
            setting.values[value](&mut config);
        }
        config
    }
}

/// The settings in words, for messages: only those that are not as usual.
pub fn describe(values: &[usize]) -> String {
    let unusual = SETTINGS.iter().zip(values).filter(|(_, value)| **value > 0);
    unusual.map(|(setting, value)| format!("{} {value}", setting.name)).collect::<Vec<_>>().join(", ")
}

static SHARED: LazyLock<Pool> = LazyLock::new(Pool::default);

fn set(config: &mut Config, change: impl FnOnce(EncoderBuilder) -> EncoderBuilder) {
    config.builder = change(config.builder.clone());
}

fn indent(config: &mut Config, text: Option<&str>) {
    config.style.indent = Some(text.unwrap_or("  ").into());
    set(config, |builder| {
        let builder = builder.pretty(true);
        if let Some(text) = text { builder.indent(text) } else { builder }
    });
}

fn inline(config: &mut Config, width: usize) {
    config.style.inline = width;
    set(config, |builder| builder.inline_width(width));
}

fn bytes(config: &mut Config, format: BytesFormat) {
    config.style.bytes = format;
    set(config, |builder| builder.bytes(format));
}

fn chunks(config: &mut Config, first: usize, max: usize) {
    config.max_chunk = max;
    set(config, |builder| builder.first_chunk(first).max_chunk(max));
}

fn pool(config: &mut Config, max_buffers: usize, buffer_size: usize) {
    set(config, |builder| builder.pool(Pool::builder().max_buffers(max_buffers).buffer_size(buffer_size).build()));
}
