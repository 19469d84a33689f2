//! A version of the CLI with its model, and hosts one after the other.

use std::time::Duration;

use pilothouse_client::Cli;
use pilothouse_host::Host;
use pilothouse_host::host::{NewSession, Options, Profile};
use pilothouse_session::event::{Body, Outcome};
use pilothouse_session::id::SessionId;
use testkit::cli::{CliVersion, Harness};
use testkit::model::{Recorded, ScriptedModel};

use super::bed::{Bed, PATIENCE, Watcher};

/// What a scenario plays on.
pub(crate) struct Stage {
    // First, so that no run is left when its home is removed.
    pub(crate) bed: Bed,
    pub(crate) harness: Harness,
    pub(crate) model: ScriptedModel,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::of(CliVersion::V2_1_326).await
    }

    pub(crate) async fn of(version: CliVersion) -> Self {
        let model = ScriptedModel::start().await.unwrap();
        let harness = Harness::new(version, &model.base_url()).unwrap();
        Self { bed: Bed::new(), harness, model }
    }

    pub(crate) fn options(&self) -> Options {
        let mut options = self.bed.options("");
        options.cli = Cli::At(self.harness.program().to_owned());
        options.clear_env = true;
        options.env = self.harness.env();
        // It has something to write when it ends.
        options.times.after_eof = Duration::from_secs(10);
        options.times.after_term = Duration::from_secs(5);
        options
    }

    pub(crate) async fn host(&self) -> Host {
        Host::open(self.options()).await.unwrap()
    }

    pub(crate) fn new_session(&self) -> NewSession {
        let cwd = self.harness.cwd().to_str().unwrap().to_owned();
        NewSession { cwd, ..NewSession::default() }
    }

    /// A session with someone who watches it.
    pub(crate) async fn session(&self, host: &Host) -> (SessionId, Watcher) {
        self.session_with(host, Profile::default()).await
    }

    pub(crate) async fn session_with(&self, host: &Host, profile: Profile) -> (SessionId, Watcher) {
        self.watched(host, NewSession { profile, ..self.new_session() }).await
    }

    pub(crate) async fn watched(&self, host: &Host, new: NewSession) -> (SessionId, Watcher) {
        let session = host.create(new).await.unwrap().id;
        let mut watcher = Watcher::new(host, session, 0).await;
        watcher.until_live().await;
        (session, watcher)
    }

    /// The absolute path of a file in the project.
    pub(crate) fn path(&self, name: &str) -> String {
        self.harness.cwd().join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path(name)).ok()
    }

    /// A script that writes a file and says a word.
    pub(crate) fn write(&self, name: &str) -> String {
        let input = serde_json::json!({"file_path": self.path(name), "content": "written\n"});
        format!("tool Write {input}\n---\nsay Done.")
    }

    /// Waits until the CLI has this in a transcript. It writes them a moment after it has spoken.
    pub(crate) async fn written_down(&self, text: &str) {
        let projects = self.harness.home().join(".claude/projects");
        let is_there = || {
            let folders = std::fs::read_dir(&projects).into_iter().flatten().flatten();
            let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()));
            let mut files = files.flatten().flatten().map(|file| file.path());
            files.any(|file| std::fs::read_to_string(file).is_ok_and(|all| all.contains(text)))
        };
        let wait = async {
            while !is_there() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, wait).await.expect("it writes down what it was told");
    }

    /// What the model was asked last in a conversation. What the CLI asks on the side offers no
    /// tools.
    pub(crate) fn last_asked(&self) -> Recorded {
        let mut requests = self.model.requests();
        requests.retain(|request| !request.tools().is_empty());
        requests.pop().unwrap()
    }
}

/// Watches until a turn has settled; gives what came of it.
pub(crate) async fn settled(watcher: &mut Watcher) -> Outcome {
    let complete = watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    match complete.body {
        Body::Complete { completion } => completion.outcome,
        other => panic!("{other:?}"),
    }
}
