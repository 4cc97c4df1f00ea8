//! What is known of the terminal, and a line of progress on it.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Columns of what is no terminal, or does not tell.
const DEFAULT_WIDTH: usize = 80;

/// Standard output or standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Out,
    Err,
}

impl Stream {
    pub fn is_terminal(self) -> bool {
        match self {
            Stream::Out => io::stdout().is_terminal(),
            Stream::Err => io::stderr().is_terminal(),
        }
    }

    /// Columns that a line can have.
    pub fn width(self) -> usize {
        let told = if self.is_terminal() { self.told_width() } else { None };
        told.unwrap_or(DEFAULT_WIDTH).max(20)
    }

    /// The standard library does not ask terminals for their size; the program `stty` does.
    #[cfg(unix)]
    fn told_width(self) -> Option<usize> {
        use std::os::fd::AsFd;
        use std::process::{Command, Stdio};

        let terminal = match self {
            Stream::Out => io::stdout().as_fd().try_clone_to_owned(),
            Stream::Err => io::stderr().as_fd().try_clone_to_owned(),
        };
        let mut stty = Command::new("stty");
        stty.arg("size").stdin(Stdio::from(terminal.ok()?)).stderr(Stdio::null());
        let size = String::from_utf8(stty.output().ok()?.stdout).ok()?;
        size.split_whitespace().nth(1)?.parse().ok().filter(|&columns| columns > 0)
    }

    #[cfg(not(unix))]
    fn told_width(self) -> Option<usize> {
        env::var("COLUMNS").ok()?.parse().ok()
    }

    /// Whether to print in colour.
    pub fn wants_colour(self) -> bool {
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        self.is_terminal() && !is_set("NO_COLOR") && env::var_os("TERM").is_some_and(|term| term != "dumb")
    }
}

/// A line on standard error that says what is going on, if somebody is there to read it.
pub struct Progress {
    /// Columns of the terminal; without one nothing is shown.
    width: Option<usize>,
    shown: usize,
    since: Option<Instant>,
}

impl Progress {
    pub fn new() -> Progress {
        let width = Stream::Err.is_terminal().then(|| Stream::Err.width());
        Progress { width, shown: 0, since: None }
    }

    /// Shows nothing, ever.
    pub fn off() -> Progress {
        Progress { width: None, shown: 0, since: None }
    }

    /// Whether somebody is watching and has seen the last line for a tenth of a second.
    pub fn is_due(&self) -> bool {
        self.width.is_some() && self.since.is_none_or(|since| since.elapsed() > Duration::from_millis(100))
    }

    /// Shows what is being done, as far as it fits in the line.
    pub fn show(&mut self, what: &str) {
        if let Some(width) = self.width {
            // The last column stays empty: some terminals begin a new line there.
            let what: String = what.chars().take(width - 1).collect();
            let len = what.chars().count();
            // Errors do not matter: what cannot be shown is not missed.
            let _ = write!(io::stderr(), "\r{what}{:1$}", "", self.shown.saturating_sub(len));
            self.shown = len;
            self.since = Some(Instant::now());
        }
    }

    /// Removes the line.
    pub fn clear(&mut self) {
        if self.shown > 0 {
            let _ = write!(io::stderr(), "\r{:1$}\r", "", self.shown);
            self.shown = 0;
        }
    }
}

impl Default for Progress {
    fn default() -> Progress {
        Progress::new()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
