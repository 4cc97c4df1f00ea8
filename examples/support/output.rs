//! Delivering the JSON.

use std::fs::File;
use std::io::{self, Write};

use json_rope::Rope;

use super::Failure;
use super::args::Output;

/// Writes all of the rope, or says that the output is not complete.
pub fn deliver(rope: &Rope, output: &Output) -> Result<(), Failure> {
    match output {
        Output::Stdout => {
            let mut stdout = io::stdout().lock();
            let result = rope.write_to(&mut stdout).and_then(|()| stdout.flush());
            result.map_err(|error| Failure::output("the JSON on standard output is incomplete", &error))
        }
        Output::File(path) => {
            let name = path.display();
            let mut file = File::create(path).map_err(|error| Failure(format!("cannot create {name}: {error}")))?;
            let result = rope.write_to(&mut file).and_then(|()| match file.metadata()?.is_file() {
                // Some file systems only find out now that the disk is full.
                true => file.sync_all(),
                false => Ok(()),
            });
            result.map_err(|error| Failure::output(&format!("the JSON in {name} is incomplete"), &error))
        }
    }
}
