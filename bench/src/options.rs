//! The runner's command line.

use crate::contenders::Contender;
use crate::corpus::Recipe;

/// What the user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// What to generate.
    pub recipe: Recipe,
    /// Runs of each contender on each corpus; the best one counts.
    pub runs: u32,
    /// Who takes part.
    pub contenders: Vec<Contender>,
    /// How to print the outcome.
    pub format: Format,
}

/// How to print the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns for a terminal.
    Plain,
    /// Markdown, ready for the documentation.
    Markdown,
}

/// Printed for `--help`, and with a refusal.
pub const USAGE: &str = "\
usage: cargo run --release -p bench -- [OPTIONS]

  --lines N          lines per corpus (200000)
  --runs N           runs of each contender on each corpus (3)
  --only NAME,...    only these: split, decode, session, client, ts, python, claude-codes, cc-sdk
  --api-message-id   stream events with the api_message_id of CLI 2.1.325 (300 B deltas)
  --markdown         print the outcome as Markdown
  --help             print this
";

/// Why the command line cannot be followed.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum OptionsError {
    /// `--help` was given.
    #[error("{USAGE}")]
    HelpWanted,
    /// Not an option of the runner.
    #[error("unknown option '{0}'\n\n{USAGE}")]
    Unknown(String),
    /// The option's value is missing or not what it takes.
    #[error("{option} takes {takes}\n\n{USAGE}")]
    BadValue {
        /// The option.
        option: &'static str,
        /// What its value must be.
        takes: &'static str,
    },
}

impl Options {
    /// Reads the arguments that follow the program's name.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, OptionsError> {
        let mut options = Self {
            recipe: Recipe { lines: 200_000, api_message_id: false },
            runs: 3,
            contenders: Contender::ALL.to_vec(),
            format: Format::Plain,
        };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let (option, value) = match argument.split_once('=') {
                Some((option, value)) => (option.to_owned(), Some(value.to_owned())),
                None => (argument, None),
            };
            let mut value = || value.clone().or_else(|| arguments.next());
            match option.as_str() {
                "--lines" => options.recipe.lines = at_least_one("--lines", value())?,
                "--runs" => {
                    let runs = at_least_one("--runs", value())?;
                    options.runs = u32::try_from(runs).unwrap_or(u32::MAX);
                }
                "--only" => options.contenders = named(value())?,
                "--api-message-id" => options.recipe.api_message_id = true,
                "--markdown" => options.format = Format::Markdown,
                "--help" | "-h" => return Err(OptionsError::HelpWanted),
                _ => return Err(OptionsError::Unknown(option)),
            }
        }
        Ok(options)
    }
}

fn at_least_one(option: &'static str, value: Option<String>) -> Result<u64, OptionsError> {
    value
        .and_then(|value| value.replace('_', "").parse().ok())
        .filter(|number| *number > 0)
        .ok_or(OptionsError::BadValue { option, takes: "a number of at least 1" })
}

fn named(value: Option<String>) -> Result<Vec<Contender>, OptionsError> {
    let bad = OptionsError::BadValue { option: "--only", takes: "names with commas between" };
    let names = value.ok_or(bad)?;
    names
        .split(',')
        .map(|name| {
            Contender::ALL
                .into_iter()
                .find(|contender| contender.key() == name)
                .ok_or(OptionsError::BadValue { option: "--only", takes: "names from the list" })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, OptionsError> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_are_read_in_both_spellings() {
        let options = parse("--lines 5_000 --runs=2 --only ts,client --markdown").expect("valid");
        assert_eq!(options.recipe.lines, 5_000);
        assert_eq!(options.runs, 2);
        assert_eq!(options.contenders, [Contender::TypeScript, Contender::Client]);
        assert_eq!(options.format, Format::Markdown);
    }

    #[test]
    fn nonsense_is_refused() {
        for line in ["--lines", "--lines 0", "--runs x", "--only nobody", "--fast"] {
            assert!(parse(line).is_err(), "{line}");
        }
        assert_eq!(parse("--help"), Err(OptionsError::HelpWanted));
    }
}
