//! The command line of every example: options, options with a value, operands.

use std::ffi::OsString;

/// What a program understands.
pub struct Program {
    pub name: &'static str,
    /// Printed for `-h` and `--help`.
    pub help: &'static str,
    pub options: &'static [Opt],
    pub max_operands: usize,
}

/// `--long` or `-s`, followed by a value or not.
pub struct Opt {
    pub long: &'static str,
    pub short: Option<&'static str>,
    pub takes_value: bool,
}

/// `-o OUT`, which several programs have.
pub const OUTPUT: Opt = Opt { long: "--output", short: Some("-o"), takes_value: true };

#[derive(Debug, PartialEq)]
pub enum Command {
    Help,
    Run(Args),
}

/// The arguments, sorted out.
#[derive(Debug, Default, PartialEq)]
pub struct Args {
    options: Vec<(&'static str, OsString)>,
    operands: Vec<OsString>,
}

impl Args {
    /// Whether this option was given.
    pub fn has(&self, long: &str) -> bool {
        self.value(long).is_some()
    }

    /// The value of this option.
    pub fn value(&self, long: &str) -> Option<&OsString> {
        self.options.iter().find(|(name, _)| *name == long).map(|(_, value)| value)
    }

    /// The arguments that are not options.
    pub fn operands(&self) -> &[OsString] {
        &self.operands
    }
}

impl Program {
    /// Understands the arguments after the program's name, or says what is wrong with them. Options and operands can be
    /// mixed; after `--` everything is an operand; `-` is an operand, too.
    pub fn parse(&self, arguments: impl IntoIterator<Item = OsString>) -> Result<Command, String> {
        let mut arguments = arguments.into_iter();
        let mut args = Args::default();
        let mut only_operands = false;
        while let Some(argument) = arguments.next() {
            let text = argument.to_str().unwrap_or("");
            if only_operands || text == "-" || !argument.as_encoded_bytes().starts_with(b"-") {
                args.operands.push(argument);
                continue;
            }
            let (name, attached) = match text.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(OsString::from(value))),
                _ => (text, None),
            };
            match (name, attached) {
                ("--", None) => only_operands = true,
                ("-h" | "--help", None) => return Ok(Command::Help),
                (name, attached) => {
                    let option = self.options.iter().find(|option| option.long == name || option.short == Some(name));
                    let option = option.ok_or_else(|| format!("unknown option {}", argument.display()))?;
                    let value = match (option.takes_value, attached) {
                        (true, Some(value)) => value,
                        (true, None) => arguments.next().ok_or_else(|| format!("{name} needs a value"))?,
                        (false, Some(_)) => return Err(format!("{name} takes no value")),
                        (false, None) => OsString::new(),
                    };
                    if option.takes_value && value.is_empty() {
                        return Err(format!("the value of {name} is empty"));
                    }
                    if args.has(option.long) {
                        return Err(format!("{name} is given twice"));
                    }
                    args.options.push((option.long, value));
                }
            }
        }
        if let Some(surplus) = args.operands.get(self.max_operands) {
            return Err(format!("unexpected argument {:?}", surplus.display().to_string()));
        }
        if args.operands.iter().any(|operand| operand.is_empty()) {
            return Err("an argument is empty".into());
        }
        Ok(Command::Run(args))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: Program = Program {
        name: "test",
        help: "",
        options: &[OUTPUT, Opt { long: "--pretty", short: None, takes_value: false }],
        max_operands: 1,
    };

    fn parse(arguments: &[&str]) -> Result<Command, String> {
        PROGRAM.parse(arguments.iter().map(OsString::from))
    }

    #[test]
    fn understands_what_it_should() {
        for arguments in [
            &["-o", "x", "--pretty", "f"][..],
            &["f", "--output=x", "--pretty"],
            &["--pretty", "--output", "x", "--", "f"],
        ] {
            let Ok(Command::Run(args)) = parse(arguments) else { panic!("{arguments:?}") };
            assert_eq!(args.value("--output"), Some(&"x".into()));
            assert!(args.has("--pretty"));
            assert_eq!(args.operands(), ["f"]);
        }
        assert_eq!(parse(&["-"]), Ok(Command::Run(Args { options: vec![], operands: vec!["-".into()] })));
        assert_eq!(parse(&["--", "-x"]), Ok(Command::Run(Args { options: vec![], operands: vec!["-x".into()] })));
        assert_eq!(parse(&["f", "--help", "--nope"]), Ok(Command::Help));
    }

    #[test]
    fn says_what_is_wrong() {
        for (arguments, message) in [
            (&["--nope"][..], "unknown option --nope"),
            (&["-x"], "unknown option -x"),
            (&["--nope=1"], "unknown option --nope=1"),
            (&["--pretty=1"], "--pretty takes no value"),
            (&["-o"], "-o needs a value"),
            (&["--output="], "the value of --output is empty"),
            (&["-o", "a", "--output", "b"], "--output is given twice"),
            (&["a", "b"], "unexpected argument \"b\""),
            (&[""], "an argument is empty"),
        ] {
            assert_eq!(parse(arguments), Err(message.to_owned()));
        }
    }
}
