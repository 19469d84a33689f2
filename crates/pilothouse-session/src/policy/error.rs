//! What can be wrong with a policy file.

use thiserror::Error;

/// A policy that cannot be used: where, what, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}:{column}: {problem}")]
pub struct PolicyError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a policy, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// It is no TOML.
    #[error("this is not TOML: {message}; correct it as the TOML reader says")]
    Toml {
        /// What the reader says.
        message: String,
    },
    /// A key that nothing reads.
    #[error("there is no key `{key}` here; {}", instead(.nearest, .known))]
    UnknownKey {
        /// The key.
        key: String,
        /// What was probably meant.
        nearest: Option<&'static str>,
        /// What there is.
        known: &'static [&'static str],
    },
    /// A value of the wrong kind.
    #[error("`{key}` is {found}; write {wanted}")]
    WrongType {
        /// The key.
        key: String,
        /// What it is.
        found: &'static str,
        /// What it has to be.
        wanted: &'static str,
    },
    /// A word that is none of those possible.
    #[error("`{word}` is no {what}; {}", instead(.nearest, .known))]
    UnknownWord {
        /// The word.
        word: String,
        /// What it should be.
        what: &'static str,
        /// What was probably meant.
        nearest: Option<&'static str>,
        /// What there is.
        known: &'static [&'static str],
    },
    /// A tool that is almost one of the known ones.
    #[error("there is no tool `{word}`; did you mean `{nearest}`?")]
    UnknownTool {
        /// The name.
        word: String,
        /// What was probably meant.
        nearest: String,
    },
    /// A rule that does not say what it is about.
    #[error("this rule matches everything; if that is meant, write `tool = \"*\"`")]
    NoMatcher,
    /// A rule that does not say what to do.
    #[error(
        "this rule decides nothing; add `then = \"allow\"`, `then = \"ask\"` or `deny = \"why\"`"
    )]
    NoOutcome,
    /// A rule that says two things.
    #[error("this rule has both `then` and `deny`; keep one of them")]
    TwoOutcomes,
    /// A denial without a reason.
    #[error(
        "a denial is read by the model and needs a reason; write `deny = \"why, and what to do instead\"`"
    )]
    NoReason,
    /// An empty list matches nothing.
    #[error("`{key}` is empty and would never match; name something or leave the key out")]
    Empty {
        /// The key.
        key: String,
    },
    /// A command and a path in one rule.
    #[error(
        "a rule is about commands or about files; make two rules, one with `command`, one with `path`"
    )]
    CommandAndPath,
    /// A command pattern for tools that run none.
    #[error(
        "`command` is for tools that run shell commands, and this rule is for other tools; set `tool = \"Bash\"`"
    )]
    CommandWithoutShell,
    /// `variables` without a command.
    #[error(
        "`variables` says what `*` stands for in `command`; add `command`, and use `variables` only in rules that allow"
    )]
    VariablesAlone,
    /// A path pattern that cannot be used.
    #[error("the path `{pattern}` {advice}")]
    BadPath {
        /// The pattern.
        pattern: String,
        /// What to do.
        advice: &'static str,
    },
    /// A command pattern that cannot be used.
    #[error("the command `{pattern}` {advice}")]
    BadCommand {
        /// The pattern.
        pattern: String,
        /// What to do.
        advice: String,
    },
}

fn instead(nearest: &Option<&'static str>, known: &[&'static str]) -> String {
    match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("use one of `{}`", known.join("`, `")),
    }
}
