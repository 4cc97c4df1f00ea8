//! How every example begins and ends.

use std::env;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use crate::args::{Args, Command, Program};

/// Why a program ends early.
pub enum Failure {
    /// The command line is wrong: exit code 2.
    Usage(String),
    /// Something else is, in words for the user: exit code 1.
    Error(String),
    /// Whoever reads our output has seen enough, as `head` has after ten lines: no failure at all.
    ReaderGone,
}

impl Failure {
    pub fn error(error: impl Display) -> Failure {
        Failure::Error(error.to_string())
    }

    /// An error of writing our output, with what could not be done.
    pub fn output(what: &str, error: &io::Error) -> Failure {
        match error.kind() {
            ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ => Failure::Error(format!("{what}: {error}")),
        }
    }
}

/// Understands the command line, does the work, and reports how it ended.
pub fn run(program: &Program, work: impl FnOnce(&Args) -> Result<(), Failure>) -> ExitCode {
    let result = match program.parse(env::args_os().skip(1)) {
        Ok(Command::Help) => print(program.help),
        Ok(Command::Run(args)) => work(&args),
        Err(message) => Err(Failure::Usage(message)),
    };
    let name = program.name;
    let (message, code) = match result {
        Ok(()) | Err(Failure::ReaderGone) => return ExitCode::SUCCESS,
        Err(Failure::Error(message)) => (format!("{name}: {message}\n"), 1),
        Err(Failure::Usage(message)) => (format!("{name}: {message}\n`{name} --help` shows what it understands.\n"), 2),
    };
    // If standard error is closed as well, there is nobody left to tell.
    let _ = io::stderr().write_all(message.as_bytes());
    ExitCode::from(code)
}

/// Prints to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let result = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    result.map_err(|error| Failure::output("cannot write to standard output", &error))
}
