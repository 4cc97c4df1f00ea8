//! A line on standard error that says what is going on, where somebody is there to read it.

#![allow(dead_code, reason = "each example uses its own part")]

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use super::text::grouped;

/// Smaller documents are done before a line could be read.
const LARGE: u64 = 16 << 20;
const WIDTH: usize = 70;

pub struct Progress {
    terminal: bool,
    on: bool,
    shown: Option<Instant>,
}

impl Progress {
    pub fn new() -> Progress {
        Progress { terminal: io::stderr().is_terminal(), on: false, shown: None }
    }

    /// Shows from now on, whatever the size: for input that may keep us waiting.
    pub fn turn_on(&mut self) {
        self.on = self.terminal;
    }

    /// Shows from now on if there is much to do.
    pub fn expect(&mut self, bytes: u64) {
        self.on |= self.terminal && bytes > LARGE;
    }

    /// Whether somebody is watching and has seen the last line for a tenth of a second.
    pub fn is_due(&self) -> bool {
        self.on && self.shown.is_none_or(|at| at.elapsed() > Duration::from_millis(100))
    }

    /// Shows what is being done.
    pub fn show(&mut self, what: &str) {
        if self.on {
            // What cannot be shown is not missed.
            let _ = write!(io::stderr(), "\r{what:<WIDTH$.WIDTH$}");
            self.shown = Some(Instant::now());
        }
    }

    /// Shows how many bytes were read, of how many if that is known, ten times a second.
    pub fn read(&mut self, bytes: u64, of: Option<u64>) {
        self.expect(bytes);
        if self.is_due() {
            match of.filter(|&of| of >= bytes) {
                Some(of) => self.show(&format!("reading {} of {} bytes", grouped(bytes), grouped(of))),
                None => self.show(&format!("reading {} bytes", grouped(bytes))),
            }
        }
    }

    /// Removes the line.
    pub fn clear(&mut self) {
        if self.shown.take().is_some() {
            let _ = write!(io::stderr(), "\r{:WIDTH$}\r", "");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
