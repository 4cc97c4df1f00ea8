//! The document that an example works on, with messages that name the file and the place.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Read};

use serde_json::{Value, json};

use crate::program::Failure;
use crate::terminal::Progress;
use crate::text::grouped;

/// Bytes asked for at a time.
const PIECE: u64 = 1 << 20;

/// A JSON document before it is parsed.
pub struct Document {
    pub name: String,
    pub text: Vec<u8>,
}

impl Document {
    /// The file of this name, standard input if it is `-`, or [`sample`] if there is no name.
    pub fn read(file: Option<&OsString>, progress: &mut Progress) -> Result<Document, Failure> {
        let (name, text) = match file {
            None => ("a generated document".into(), Ok(sample().to_string().into_bytes())),
            Some(name) if name == "-" => {
                let until = if io::stdin().is_terminal() { ", until its end (Ctrl-D)" } else { "" };
                progress.show(&format!("reading standard input{until}"));
                ("standard input".into(), read_all(&mut io::stdin().lock(), None, progress))
            }
            Some(name) => {
                let text = File::open(name).and_then(|mut file| {
                    // Only a regular file has a length that means something.
                    let len = file.metadata().ok().filter(|data| data.is_file()).map(|data| data.len());
                    read_all(&mut file, len, progress)
                });
                (name.display().to_string(), text)
            }
        };
        match text {
            Ok(text) => Ok(Document { name, text }),
            Err(error) => Err(Failure::Error(format!("cannot read {name}: {error}"))),
        }
    }

    pub fn parse(&self) -> Result<Value, Failure> {
        let Document { name, text } = self;
        let text = str::from_utf8(text).map_err(|error| {
            let at = error.valid_up_to();
            let line = 1 + text[..at].iter().filter(|&&byte| byte == b'\n').count();
            let byte = grouped(at as u64);
            let line = grouped(line as u64);
            Failure::Error(format!("{name}: not JSON: byte {byte} (0x{:02x}), in line {line}, is not UTF-8", text[at]))
        })?;
        serde_json::from_str(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let message = error.to_string();
            let message = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
            let hint = if text.starts_with('\u{feff}') { " (it starts with a byte order mark)" } else { "" };
            let (line, column) = (grouped(line as u64), grouped(column as u64));
            Failure::Error(format!("{name}: not JSON: line {line}, column {column}: {message}{hint}"))
        })
    }
}

fn read_all(source: &mut dyn Read, len: Option<u64>, progress: &mut Progress) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    while source.take(PIECE).read_to_end(&mut text)? > 0 {
        if progress.is_due() {
            let bytes = text.len() as u64;
            let of = len.filter(|&len| len >= bytes).map_or(String::new(), |len| format!(" of {}", grouped(len)));
            progress.show(&format!("reading {}{of} bytes", grouped(bytes)));
        }
    }
    Ok(text)
}

/// A multiplicative hash: the same numbers every time, and no two alike.
pub fn pseudorandom(seed: u64) -> u64 {
    seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}

/// 2 MB of orders, as a shop might have them: strings, integers, prices and coordinates.
pub fn sample() -> Value {
    const ORDERS: u64 = 4800;
    const CITIES: [&str; 5] = ["Graz, Österreich", "Lyon, France", "札幌市", "São Paulo", "Nairobi"];
    const STATES: [&str; 4] = ["open", "paid", "sent", "returned"];

    let degrees = |millionths: u64, offset: i64| (millionths as i64 - offset * 1_000_000) as f64 / 1e6;
    let order = |id: u64| {
        let random = pseudorandom(id);
        let pick = |n: u64, shift: u32| (random >> shift) % n;
        let items = (0..1 + pick(4, 3)).map(|n| {
            let item = pseudorandom(id * 8 + n);
            json!({
                "sku": format!("{:08X}", item as u32),
                "name": format!("Shelf \"No. {}\", oak", item % 500),
                "quantity": 1 + item % 9,
                "price": (item % 100_000) as f64 / 100.0,
            })
        });
        json!({
            "id": 1_000_000 + id,
            "placed": format!("2026-{:02}-{:02}T{:02}:{:02}:07Z", 1 + pick(12, 1), 1 + pick(28, 5), pick(24, 9), pick(60, 13)),
            "state": STATES[pick(4, 7) as usize],
            "customer": {
                "name": format!("Customer {}", pick(100_000, 0)),
                "city": CITIES[pick(5, 11) as usize],
                "location": [degrees(pick(180_000_000, 0), 90), degrees(pick(360_000_000, 2), 180)],
                "newsletter": pick(2, 17) == 0,
            },
            "items": items.collect::<Vec<_>>(),
            "note": if pick(6, 19) == 0 { json!("Leave it at the door.\nThe bell says \"Müller\".") } else { json!(null) },
        })
    };
    json!({ "orders": (0..ORDERS).map(order).collect::<Vec<_>>() })
}
