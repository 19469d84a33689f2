//! The host: all sessions, what can be asked of them, and who watches.
//!
//! [`Host`] is what everything that talks to people or programs uses: the HTTP API, an editor's
//! agent, a program that embeds this crate. Sessions are opened when somebody needs them; a session
//! that is only listed costs no process and no task.

mod auditing;
pub(crate) mod checks;
mod draft;
mod error;
mod house;
mod imports;
mod keeping;
pub(crate) mod links;
mod more;
mod parts;
mod policies;
pub(crate) mod profile;
mod requests;
mod rewind;
mod runs;
mod sessions;
pub(crate) mod trusting;
mod uploads;
mod watch;
mod wire;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pilothouse_client::Cli;

pub use checks::Unfit;
pub use error::HostError;
pub(crate) use house::{House, at, blocking};
pub use imports::{ImportError, ImportSession};
pub use more::RecordedCall;
pub use policies::{PolicyFile, PolicyName};
pub use profile::{ModeError, Profile, ProfileError};
pub use requests::{Beginning, NewSession, PromptRequest, SessionDetail};
pub use rewind::{PutBack, PutBackKind};
pub(crate) use runs::is_known;
pub use trusting::{TrustDecision, TrustError};
pub use watch::{Change, Changes, Subscription, Update};
pub use wire::RunRow;

use crate::holder::{HolderProgram, Times};
use crate::telemetry::Telemetry;

/// How a host works.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where everything is kept.
    pub data_dir: PathBuf,
    /// The program that holds runs.
    pub holder: HolderProgram,
    /// Which CLI is run, where a session does not say.
    pub cli: Cli,
    /// How long holders wait.
    pub times: Times,
    /// Runs get no variable of the daemon's environment.
    pub clear_env: bool,
    /// Variables that every run gets.
    pub env: Vec<(String, String)>,
    /// How often a session whose run died in mid-turn goes on by itself.
    pub resume_attempts: u32,
    /// Runs are to outlive the daemon; see [`Options::holds`].
    pub hold: bool,
    /// After how long a CLI that works and says nothing is told of.
    pub stall: Option<Duration>,
    /// What a new session gets where it says nothing.
    pub defaults: Defaults,
    /// Where new sessions' directories can be looked for; the home directory if there is none.
    pub browse: Vec<PathBuf>,
    /// Policies that every session has, before its own; the first has the first word.
    pub policy_files: Vec<PathBuf>,
    /// Path patterns that presets deny, beside those that they deny anyway.
    pub protected_paths: Vec<String>,
    /// Which sessions are not kept.
    pub keep: Keep,
    /// How much of anything is stored.
    pub store: crate::store::Options,
    /// Numbers, spans, debug files.
    pub telemetry: Telemetry,
}

/// What a new session gets where it says nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Defaults {
    /// The policy.
    pub policy: Option<String>,
    /// Of it, the model, the mode, whether nothing at all may be asked, whether every call is asked
    /// about, other directories, variables and flags count.
    pub profile: Profile,
}

/// For how long sessions are kept. Those with a process, and those with a request that waits for an
/// answer, always are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// Archived ones, after nothing has happened in them.
    pub archived: Option<Duration>,
    /// Any, after nothing has happened in them.
    pub idle: Option<Duration>,
}

impl Options {
    /// As usual, with everything in `data_dir`.
    pub fn new(data_dir: impl Into<PathBuf>, holder: HolderProgram) -> Self {
        Self {
            data_dir: data_dir.into(),
            holder,
            cli: Cli::Find,
            times: Times::default(),
            clear_env: false,
            env: Vec::new(),
            resume_attempts: 3,
            hold: true,
            stall: Some(Duration::from_secs(5 * 60)),
            defaults: Defaults::default(),
            browse: Vec::new(),
            policy_files: Vec::new(),
            protected_paths: Vec::new(),
            keep: Keep::default(),
            store: crate::store::Options::default(),
            telemetry: Telemetry::quiet(),
        }
    }

    /// A variable that runs get, unless their session has another value for it.
    pub(crate) fn variable(&self, wanted: &str) -> Option<String> {
        let given = self.env.iter().rev().find(|(name, _)| name == wanted);
        let inherited = || (!self.clear_env).then(|| std::env::var(wanted).ok()).flatten();
        given.map(|(_, value)| value.clone()).or_else(inherited)
    }

    /// Whether runs outlive the daemon. Where nothing could hold them they never do.
    pub fn holds(&self) -> bool {
        self.hold && cfg!(unix)
    }
}

/// The host. Clones are the same host.
#[derive(Clone, Debug)]
pub struct Host(pub(crate) Arc<House>);

impl Host {
    /// Opens the store and takes up the sessions whose runs went on without a daemon.
    pub async fn open(options: Options) -> Result<Self, HostError> {
        let house = House::open(options).await?;
        Ok(Self(house))
    }

    /// Its numbers, spans and debug files.
    pub fn telemetry(&self) -> &Telemetry {
        &self.0.options.telemetry
    }

    /// Lets go of all sessions. Their runs go on.
    pub async fn close(&self) {
        self.0.close().await;
    }
}
