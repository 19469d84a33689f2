//! What sessions took: cost and tokens by day, project and model.
//!
//! Written when a turn ends, so that asking reads no event. What is deleted with its session counts no
//! more.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use pilothouse_session::event::Tokens;
use schemars::JsonSchema;
use serde::Serialize;

use super::Store;
use super::error::StoreError;
use super::sqlite::usage;

/// The most days that can be asked for at once.
pub const MOST_DAYS: usize = 400;

/// The most projects that are named.
pub(super) const MOST_PROJECTS: usize = 500;

/// Which days.
#[derive(Clone, Debug)]
pub struct Days {
    /// The first one.
    pub from: Date,
    /// The last one.
    pub to: Date,
    /// Where they begin and end.
    pub zone: TimeZone,
}

impl Days {
    /// How many, if the last does not come before the first.
    pub fn count(&self) -> Option<usize> {
        let days = self.to.since(self.from).ok()?.get_days();
        usize::try_from(days).ok()?.checked_add(1)
    }
}

/// Cost and tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Spent {
    /// Dollars, as the CLI counts them.
    pub cost_usd: f64,
    /// Tokens.
    #[serde(flatten)]
    pub tokens: Tokens,
}

impl Spent {
    /// Adds more.
    pub(super) fn add(&mut self, more: Self) {
        self.cost_usd += more.cost_usd;
        self.tokens.input += more.tokens.input;
        self.tokens.output += more.tokens.output;
        self.tokens.cache_creation += more.tokens.cache_creation;
        self.tokens.cache_read += more.tokens.cache_read;
    }

    /// What a count has grown by; all of it, if it has begun anew.
    pub(super) fn since(self, before: Self) -> Self {
        let fell = |now: fn(&Self) -> u64| now(&self) < now(&before);
        let began_anew = self.cost_usd < before.cost_usd
            || fell(|spent| spent.tokens.input)
            || fell(|spent| spent.tokens.output)
            || fell(|spent| spent.tokens.cache_creation)
            || fell(|spent| spent.tokens.cache_read);
        if began_anew {
            return self;
        }
        Self {
            cost_usd: self.cost_usd - before.cost_usd,
            tokens: Tokens {
                input: self.tokens.input - before.tokens.input,
                output: self.tokens.output - before.tokens.output,
                cache_creation: self.tokens.cache_creation - before.tokens.cache_creation,
                cache_read: self.tokens.cache_read - before.tokens.cache_read,
            },
        }
    }
}

/// A project or a model, and what it took.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Share {
    /// The directory, or the model.
    pub name: String,
    /// What it took.
    #[serde(flatten)]
    pub spent: Spent,
}

/// A day.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DayUsage {
    /// Which one.
    pub day: Date,
    /// What it took, by model.
    pub models: Vec<Share>,
}

/// What sessions took on some days.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Usage {
    /// All of it.
    pub total: Spent,
    /// How many sessions it was.
    pub sessions: u64,
    /// The days on which anything was spent, in their order.
    pub days: Vec<DayUsage>,
    /// By model, the dearest first.
    pub models: Vec<Share>,
    /// By directory, the dearest first; at most 500 of them.
    pub projects: Vec<Share>,
    /// All other directories, if there are more.
    pub other_projects: Option<Spent>,
}

impl Store {
    /// What sessions took on some days. No more than [`MOST_DAYS`] are looked at.
    pub fn usage(&self, days: &Days) -> Result<Usage, StoreError> {
        self.read(|conn| usage::over(conn, days))
    }
}
