//! Paths that no preset lets anybody read or change.
//!
//! A rule of this module differs from a written one in one point: a command that names a guarded
//! path is denied, where a written rule only asks about it. A program that an allowed command starts
//! can still open the path by itself; see the guide.

use super::Policy;
use super::error::{PolicyError, Problem};
use super::rule::{Effect, Reach, Rule};
use super::verdict::{Level, RuleRef};
use super::{parse, tools};

/// Path patterns of credential stores. Every preset denies them.
pub const PROTECTED: &[&str] = &[
    "~/.ssh/**",
    "~/.gnupg/**",
    "~/.aws/**",
    "~/.config/gcloud/**",
    "~/.kube/**",
    "~/.netrc",
    "~/.git-credentials",
    "~/.docker/config.json",
    "~/.claude/.credentials.json",
];

const CREDENTIALS: &str = "This path is protected: it holds credentials. Do not try another way to read or \
                           change it; if the task needs it, say so and let the user do that part.";
const OWN: &str = "This directory belongs to Pilothouse itself and is off limits.";

impl Policy {
    /// Denies [`PROTECTED`] and `more`, which are path patterns as in rules.
    pub fn protecting<'a>(more: impl IntoIterator<Item = &'a str>) -> Result<Self, PolicyError> {
        let patterns = PROTECTED.iter().copied().chain(more);
        guarding("protected paths", patterns, CREDENTIALS)
    }

    /// Denies everything below `dirs`: the absolute paths of the host's own data directory.
    pub fn off_limits<'a>(dirs: impl IntoIterator<Item = &'a str>) -> Result<Self, PolicyError> {
        let patterns: Vec<String> =
            dirs.into_iter().map(|dir| format!("{}/**", dir.trim_end_matches('/'))).collect();
        guarding("data directory", patterns.iter().map(String::as_str), OWN)
    }

    /// Asks about every call, also about those that the CLI would allow by itself: for a policy that
    /// cannot be read, which may have forbidden anything.
    pub fn asking_about_everything(name: &str, level: Level) -> Self {
        let mut rule = Rule::blank(reference(name, level, 1, "tool `*`".to_owned()));
        rule.tools = vec!["*".to_owned()];
        rule.reach = Reach::EveryCall;
        Self { name: name.to_owned(), level, rules: vec![rule] }
    }

    /// The rules of `self`, then those of `other`, under the name of `other`.
    #[must_use]
    pub fn before(mut self, other: Self) -> Self {
        self.rules.extend(other.rules);
        Self { rules: self.rules, ..other }
    }
}

/// Whether `pattern` is a path pattern that a rule can have.
pub fn check_path(pattern: &str) -> Result<(), Problem> {
    parse::path(pattern).map(drop)
}

/// A rule for each path, so that a refusal names the one that it is about.
fn guarding<'a>(
    name: &str,
    patterns: impl IntoIterator<Item = &'a str>,
    message: &str,
) -> Result<Policy, PolicyError> {
    let mut rules = Vec::new();
    for (at, pattern) in patterns.into_iter().enumerate() {
        let glob = parse::path(pattern).map_err(|problem| PolicyError {
            file: name.to_owned(),
            line: at + 1,
            column: 1,
            problem,
        })?;
        let mut rule =
            Rule::blank(reference(name, Level::Builtin, at + 1, format!("path `{pattern}`")));
        rule.tools = tools::opening().chain(["mcp__*"]).map(str::to_owned).collect();
        rule.paths = vec![glob];
        rule.effect = Effect::Deny(message.to_owned());
        rule.reach = Reach::Guards;
        rules.push(rule);
    }
    Ok(Policy { name: name.to_owned(), level: Level::Builtin, rules })
}

fn reference(name: &str, level: Level, number: usize, summary: String) -> RuleRef {
    RuleRef { file: name.to_owned(), level, number, line: number, summary }
}
