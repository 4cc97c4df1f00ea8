//! The command line.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

pub const USAGE: &str = "\
Usage: encode [FILE|-] [--pretty] [-o OUT]

Parses a JSON document, encodes it into a rope of chunks, proves that the bytes are those of serde_json, and shows the
chunks, the heap operations and the time.

  FILE           the document; `-` is standard input; without it, canada.json is taken
  --pretty       encode with line breaks and indentation
  -o, --output OUT
                 write the JSON to OUT (`-` is standard output), and the report to standard error
  -h, --help     show this text
";

/// Where the document comes from.
#[derive(Debug, PartialEq)]
pub enum Input {
    BuiltIn,
    Stdin,
    File(PathBuf),
}

/// Where the JSON goes.
#[derive(Debug, PartialEq)]
pub enum Output {
    Stdout,
    File(PathBuf),
}

#[derive(Debug, PartialEq)]
pub struct Args {
    pub input: Input,
    pub pretty: bool,
    pub output: Option<Output>,
}

#[derive(Debug, PartialEq)]
pub enum Command {
    Help,
    Encode(Args),
}

/// Understands the arguments behind the program's name, or says what is wrong with them.
pub fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Command, String> {
    let mut arguments = arguments;
    let (mut input, mut pretty, mut output) = (None, false, None);
    let mut only_files = false;
    while let Some(argument) = arguments.next() {
        let text = argument.to_str().unwrap_or("");
        match text {
            _ if only_files => set(&mut input, argument, "FILE")?,
            "--" => only_files = true,
            "-h" | "--help" => return Ok(Command::Help),
            "--pretty" => pretty = true,
            "-o" | "--output" => {
                let value = arguments.next().ok_or_else(|| format!("{text} needs a file name, or `-`"))?;
                set(&mut output, value, text)?;
            }
            _ => match text.strip_prefix("--output=") {
                Some(value) => set(&mut output, OsString::from(value), "--output")?,
                None if text.len() > 1 && text.starts_with('-') => return Err(format!("unknown option {text}")),
                None => set(&mut input, argument, "FILE")?,
            },
        }
    }
    let input = match input {
        None => Input::BuiltIn,
        Some(name) if name == OsStr::new("-") && !only_files => Input::Stdin,
        Some(name) => Input::File(name.into()),
    };
    let output = output.map(|name| if name == OsStr::new("-") { Output::Stdout } else { Output::File(name.into()) });
    Ok(Command::Encode(Args { input, pretty, output }))
}

fn set(slot: &mut Option<OsString>, value: OsString, name: &str) -> Result<(), String> {
    if value.is_empty() {
        return Err(format!("{name} is empty"));
    }
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("{name} is given twice")),
    }
}
