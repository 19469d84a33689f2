//! The host: all sessions, what can be asked of them, and who watches.
//!
//! [`Host`] is what everything that talks to people or programs uses: the HTTP API, an editor's
//! agent, a program that embeds this crate. Sessions are opened when somebody needs them; a session
//! that is only listed costs no process and no task.

mod error;
mod house;
mod policies;
pub(crate) mod profile;
mod requests;
mod sessions;
mod watch;
mod wire;

use std::path::PathBuf;
use std::sync::Arc;

use pilothouse_client::Cli;

pub use error::HostError;
pub(crate) use house::{House, blocking, private_dir};
pub use policies::{PolicyFile, PolicyName};
pub use profile::{Profile, ProfileError};
pub use requests::{Beginning, NewSession, PromptRequest, SessionDetail};
pub use watch::{Change, Changes, Subscription, Update};
pub use wire::RunRow;

use crate::holder::{HolderProgram, Times};

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
        }
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

    /// Lets go of all sessions. Their runs go on.
    pub async fn close(&self) {
        self.0.close().await;
    }
}
