//! What was decided, and why: in words for people and in fields for the record.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer to a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// It may go on.
    Allow,
    /// It may not.
    Deny {
        /// What the model is told.
        message: String,
    },
    /// A person decides.
    Ask,
}

/// An answer with its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// The answer.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Why.
    pub because: Explanation,
}

/// Where a policy comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The user's own, for all projects.
    User,
    /// The project's, shared with it. It was written by whoever wrote the project.
    Project,
    /// One of the presets.
    Builtin,
}

/// A rule, by where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleRef {
    /// The file.
    pub file: String,
    /// Where the file comes from.
    pub level: Level,
    /// Which rule of the file, from 1.
    pub number: usize,
    /// The line it starts at, from 1.
    pub line: usize,
    /// What it is about, in a line.
    pub summary: String,
}

/// What the decision rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "ground", rename_all = "snake_case")]
pub enum Ground {
    /// A rule that matched.
    Rule {
        /// The rule.
        rule: RuleRef,
    },
    /// A rule that denies, and that may match or not depending on what is only known when it runs.
    Uncertain {
        /// The rule.
        rule: RuleRef,
    },
    /// No rule matched.
    Default,
    /// A rule would have allowed it, but it is a question to a person.
    ForPeople {
        /// The rule.
        rule: RuleRef,
    },
}

/// Why a call was decided as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// What was decided, as a word: `allowed`, `denied`, `asked`.
    pub outcome: Outcome,
    /// What it rests on.
    #[serde(flatten)]
    pub ground: Ground,
    /// Of a command line, the part that made the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What about it could not be told, to the end of a sentence: `holds …`, `defines …`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<String>,
}

/// What was decided, as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PolicyOutcome")]
pub enum Outcome {
    /// Allowed.
    Allowed,
    /// Denied.
    Denied,
    /// Left to a person.
    Asked,
}

impl Explanation {
    /// The rule that it rests on, if any.
    pub fn rule(&self) -> Option<&RuleRef> {
        match &self.ground {
            Ground::Rule { rule } | Ground::Uncertain { rule } | Ground::ForPeople { rule } => {
                Some(rule)
            }
            Ground::Default => None,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Builtin => "built-in",
        })
    }
}

impl fmt::Display for RuleRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, level, number, line, summary } = self;
        write!(f, "rule {number} ({level} {file}:{line}): {summary}")
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outcome = match self.outcome {
            Outcome::Allowed => "allowed",
            Outcome::Denied => "denied",
            Outcome::Asked => "asked",
        };
        match &self.ground {
            Ground::Rule { rule } => write!(f, "{outcome} by {rule}")?,
            Ground::Uncertain { rule } => write!(f, "{outcome}, since it may be denied by {rule}")?,
            Ground::Default => write!(f, "{outcome}, since no rule matches")?,
            Ground::ForPeople { rule } => {
                write!(f, "{outcome}, since it is a question to a person, despite {rule}")?;
            }
        }
        if let Some(command) = &self.command {
            write!(f, "; decided by `{}`", shorten(command))?;
        }
        if let Some(obstacle) = &self.obstacle {
            let subject = if self.command.is_some() { ", which " } else { "; it " };
            write!(f, "{subject}{obstacle}")?;
        }
        Ok(())
    }
}

/// One line of it.
fn shorten(text: &str) -> String {
    const LONG: usize = 120;
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match line.char_indices().nth(LONG) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
