//! What was found, for people and for programs.

use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How something stands.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "DoctorState")]
pub enum State {
    /// It does not apply, or cannot be looked at here.
    Skipped,
    /// As it should be.
    Ok,
    /// It works, but not for ever, or not everything.
    Warn,
    /// It does not work.
    Fail,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DoctorCheck")]
pub struct Check {
    /// Names it; stays the same in later versions.
    pub id: String,
    /// What was looked at, in a few words.
    pub title: String,
    /// How it stands.
    pub state: State,
    /// What was found.
    pub detail: String,
    /// What to do about it; none where nothing is to be done.
    pub advice: Option<String>,
}

impl Check {
    fn new(id: &str, title: &str, state: State, detail: impl Into<String>) -> Self {
        let (id, title) = (id.to_owned(), title.to_owned());
        Self { id, title, state, detail: detail.into(), advice: None }
    }

    pub(super) fn ok(id: &str, title: &str, detail: impl Into<String>) -> Self {
        Self::new(id, title, State::Ok, detail)
    }

    pub(super) fn skipped(id: &str, title: &str, detail: impl Into<String>) -> Self {
        Self::new(id, title, State::Skipped, detail)
    }

    pub(super) fn warn(id: &str, title: &str, detail: impl Into<String>, advice: &str) -> Self {
        let advice = Some(advice.to_owned());
        Self { advice, ..Self::new(id, title, State::Warn, detail) }
    }

    pub(super) fn fail(id: &str, title: &str, detail: impl Into<String>, advice: &str) -> Self {
        let advice = Some(advice.to_owned());
        Self { advice, ..Self::new(id, title, State::Fail, detail) }
    }
}

/// Everything that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DoctorReport")]
pub struct Report {
    /// When.
    pub at: Timestamp,
    /// Pilothouse's version.
    pub version: String,
    /// The worst of all states.
    pub state: State,
    /// One by one.
    pub checks: Vec<Check>,
}

impl Report {
    pub(super) fn of(checks: Vec<Check>, at: Timestamp) -> Self {
        let state = checks.iter().map(|check| check.state).max().unwrap_or(State::Skipped);
        Self { at, version: env!("CARGO_PKG_VERSION").to_owned(), state, checks }
    }

    /// The check of this name.
    pub fn check(&self, id: &str) -> Option<&Check> {
        self.checks.iter().find(|check| check.id == id)
    }
}

/// For people: a line for each check, and below it what to do.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.checks.iter().map(|check| check.title.chars().count()).max().unwrap_or(0);
        for check in &self.checks {
            let word = match check.state {
                State::Skipped => "skip",
                State::Ok => "ok  ",
                State::Warn => "warn",
                State::Fail => "FAIL",
            };
            writeln!(f, "{word}  {:width$}  {}", check.title, check.detail)?;
            if let Some(advice) = &check.advice {
                writeln!(f, "      {:width$}  → {advice}", "")?;
            }
        }
        let of = |state| self.checks.iter().filter(|check| check.state == state).count();
        match (of(State::Fail), of(State::Warn)) {
            (0, 0) => writeln!(f, "All is well."),
            (0, warnings) => writeln!(f, "It works; {warnings} to look at."),
            (failures, warnings) => {
                writeln!(f, "{failures} not working, {warnings} more to look at.")
            }
        }
    }
}
