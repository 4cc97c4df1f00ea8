//! Reading and parsing the document, with messages that name the file and the place.

use std::fs::File;
use std::io::{self, IsTerminal, Read};

use json_rope_bench_data::documents;
use serde_json::Value;

use super::Failure;
use super::args::Input;
use super::progress::Progress;

/// Bytes asked for at a time.
const PIECE: u64 = 1 << 20;

/// The document as it came.
pub struct Document {
    pub name: String,
    pub text: Vec<u8>,
}

impl Document {
    pub fn read(input: &Input, progress: &mut Progress) -> Result<Document, Failure> {
        let (name, text) = match input {
            Input::BuiltIn => ("canada.json".into(), Ok(documents::canada().into())),
            Input::Stdin => {
                progress.turn_on();
                let whence = if io::stdin().is_terminal() { ", up to an end-of-file key" } else { "" };
                progress.show(&format!("reading standard input{whence}"));
                ("standard input".into(), read_all(&mut io::stdin().lock(), None, progress))
            }
            Input::File(path) => {
                let text = File::open(path).and_then(|mut file| {
                    // Only a regular file has a length that means something.
                    let len = file.metadata().ok().filter(|data| data.is_file()).map(|data| data.len());
                    progress.expect(len.unwrap_or(0));
                    read_all(&mut file, len, progress)
                });
                (path.display().to_string(), text)
            }
        };
        match text {
            Ok(text) => Ok(Document { name, text }),
            Err(error) => Err(Failure(format!("cannot read {name}: {error}"))),
        }
    }

    pub fn parse(&self) -> Result<Value, Failure> {
        let Document { name, text } = self;
        let text = str::from_utf8(text).map_err(|error| {
            let at = error.valid_up_to();
            let line = 1 + text[..at].iter().filter(|&&byte| byte == b'\n').count();
            let message = format!("{name}: not JSON: byte {at} (0x{:02x}), in line {line}, is not UTF-8", text[at]);
            Failure(message)
        })?;
        serde_json::from_str(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let message = error.to_string();
            let message = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
            let hint = if text.starts_with('\u{feff}') { " (it starts with a byte order mark)" } else { "" };
            Failure(format!("{name}: not JSON: line {line}, column {column}: {message}{hint}"))
        })
    }
}

fn read_all(source: &mut dyn Read, len: Option<u64>, progress: &mut Progress) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    while source.take(PIECE).read_to_end(&mut text)? > 0 {
        progress.read(text.len() as u64, len);
    }
    Ok(text)
}
