//! Delivering the JSON.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};

use json_rope::Rope;

use crate::program::Failure;

/// Writes all of the rope to the file of this name, or to standard output if it is `-`.
pub fn deliver(rope: &Rope, name: &OsString) -> Result<(), Failure> {
    if name == "-" {
        let mut stdout = io::stdout().lock();
        let result = rope.write_to(&mut stdout).and_then(|()| stdout.flush());
        return result.map_err(|error| Failure::output("the JSON on standard output is incomplete", &error));
    }
    let (file, name) = (File::create(name), name.display());
    let file = file.map_err(|error| Failure::Error(format!("cannot create {name}: {error}")))?;
    let result = rope.write_to(&file).and_then(|()| match file.metadata()?.is_file() {
        // Some file systems only find out now that the disk is full.
        true => file.sync_all(),
        false => Ok(()),
    });
    result.map_err(|error| Failure::output(&format!("the JSON in {name} is incomplete"), &error))
}
