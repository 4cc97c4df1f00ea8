//! The SHA-256 digest of a document in canonical form (RFC 8785): the same for every document with the same content,
//! however it is written.
//!
//! ```sh
//! cargo run --release -p json-rope-examples --features sha2 --bin digest -- [FILE]
//! ```
//!
//! The digest takes the rope chunk by chunk. No contiguous copy of the text is made for it.

use std::process::ExitCode;

use json_rope::{Encoder, Fragment};
use json_rope_examples::args::{Args, Program};
use json_rope_examples::input::Document;
use json_rope_examples::program::{self, Failure};
use json_rope_examples::terminal::Progress;
use sha2::{Digest, Sha256};

const PROGRAM: Program = Program {
    name: "digest",
    help: "\
Usage: digest [FILE]

Prints the SHA-256 digest of the canonical form (RFC 8785)
of a JSON document, and the length of that form in bytes.

  FILE        the document; `-` is standard input; without
              it, a generated one
  -h, --help  show this text
",
    options: &[],
    max_operands: 1,
};

fn main() -> ExitCode {
    program::run(&PROGRAM, run)
}

fn run(args: &Args) -> Result<(), Failure> {
    let Document { name, text } = Document::read(args.operands().first(), &mut Progress::new())?;
    // As a fragment, and not as a tree, which would have lost names that occur twice, and last digits of numbers.
    let in_document = |error: json_rope::Error| Failure::Error(format!("{name}: {error}"));
    let fragment = Fragment::checked(text).map_err(in_document)?;
    let encoder = Encoder::builder().canonical(true).build().map_err(Failure::error)?;
    let rope = encoder.encode(&fragment).map_err(in_document)?;
    let mut digest = Sha256::new();
    for chunk in rope.chunks() {
        digest.update(chunk);
    }
    let digest: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    program::print(&format!("{digest}  {}\n", rope.len()))
}
