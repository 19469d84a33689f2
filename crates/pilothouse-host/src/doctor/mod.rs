//! Looks at everything that sessions need, and says what to do where something is missing.
//!
//! It changes nothing (but for a file in the data directory, which it takes away again), asks nobody
//! on the network, and waits for no program longer than it is told to. It blocks: from async code,
//! run it on a thread that may.

mod cli;
mod host;
mod report;
mod storage;
mod trial;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use pilothouse_client::Cli;

pub(crate) use cli::Version;
pub use report::{Check, Report, State};

/// The program that sessions are run with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// It.
    pub exe: PathBuf,
    /// What comes before all other arguments.
    pub args: Vec<OsString>,
}

impl Program {
    /// The one that sessions would be run with, or why there is none.
    pub fn find(cli: &Cli) -> Result<Self, String> {
        let found = cli.resolve().map_err(|error| error.to_string());
        found.map(|(exe, args)| Self { exe, args })
    }
}

/// What to look at.
#[derive(Clone, Debug)]
pub struct Examination {
    /// The CLI, or why it was not found, to the end of a sentence.
    pub cli: Result<Program, String>,
    /// Where everything is kept.
    pub data_dir: PathBuf,
    /// The database.
    pub database: PathBuf,
    /// The directories of runs.
    pub runs: PathBuf,
    /// How many messages of unknown kinds were seen, where somebody has counted.
    pub unknown_messages: Option<u64>,
    /// How long a program, or the database, may take to answer.
    pub patience: Duration,
    /// The time, as this machine has it.
    pub now: Timestamp,
}

impl Examination {
    /// Of what is kept in `data_dir`, under its usual names.
    pub fn of(data_dir: impl Into<PathBuf>, cli: Result<Program, String>) -> Self {
        let data_dir = data_dir.into();
        Self {
            cli,
            database: data_dir.join("pilothouse.db"),
            runs: data_dir.join("runs"),
            data_dir,
            unknown_messages: None,
            patience: Duration::from_secs(10),
            now: Timestamp::now(),
        }
    }

    /// Looks at everything.
    pub fn run(&self) -> Report {
        let mut checks = cli::checks(self);
        checks.extend(storage::checks(self));
        checks.extend(host::checks(self));
        Report::of(checks, self.now)
    }
}
