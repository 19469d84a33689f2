//! A version of the CLI with a scripted model, in a throw-away home; and a log of what happened, for
//! the message of a test that waits in vain.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use pilothouse_client::wire::invocation::{Invocation, PermissionMode};
use pilothouse_client::{Cli, Client, Options, StartError};
use testkit::cli::{CliVersion, Harness};
use testkit::model::{Recorded, ScriptedModel};

use crate::expected::Expected;
use crate::session::Session;

/// How long a scenario may take. Generous: nothing waits for it but what has gone wrong.
const PATIENCE: Duration = Duration::from_secs(150);

/// Makes a test of each scenario (an `async fn(&Bed)`) for each version of the CLI.
macro_rules! on_every_version {
    ($($scenario:ident),* $(,)?) => {$(
        mod $scenario {
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn v2_1_326() {
                $crate::bed::play(testkit::cli::CliVersion::V2_1_326, super::$scenario).await;
            }
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn v2_1_325() {
                $crate::bed::play(testkit::cli::CliVersion::V2_1_325, super::$scenario).await;
            }
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn v2_1_62() {
                $crate::bed::play(testkit::cli::CliVersion::V2_1_62, super::$scenario).await;
            }
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn v2_1_7() {
                $crate::bed::play(testkit::cli::CliVersion::V2_1_7, super::$scenario).await;
            }
        }
    )*};
}

/// Plays a scenario with a version of the CLI.
pub(crate) async fn play(version: CliVersion, scenario: impl AsyncFn(&Bed)) {
    let bed = Bed::new(version).await;
    if tokio::time::timeout(PATIENCE, scenario(&bed)).await.is_err() {
        panic!("not done after {PATIENCE:?}");
    }
}

/// What a scenario plays on.
pub(crate) struct Bed {
    pub(crate) version: CliVersion,
    pub(crate) expected: Expected,
    pub(crate) model: ScriptedModel,
    pub(crate) harness: Harness,
    pub(crate) log: Log,
}

impl Bed {
    async fn new(version: CliVersion) -> Self {
        let model = ScriptedModel::start().await.unwrap();
        let harness = Harness::new(version, &model.base_url()).unwrap();
        Self { version, expected: Expected::of(version), model, harness, log: Log::default() }
    }

    /// What every scenario starts from: asked for everything that no rule allows.
    pub(crate) fn invocation(&self) -> Invocation {
        let mut invocation =
            Invocation::new().cwd(self.harness.cwd()).permission_mode(PermissionMode::Default);
        invocation.extra_env.extend(self.harness.env());
        invocation
    }

    /// Options for this CLI, with nothing of this process's environment.
    pub(crate) fn options(&self, invocation: Invocation) -> Options {
        let mut options = Options::new(invocation).cli(Cli::At(self.harness.program().to_owned()));
        options.clear_env = true;
        options
    }

    /// Starts the CLI, which must work.
    pub(crate) async fn start(&self, options: Options) -> Session<'_> {
        match Client::start(options).await {
            Ok((client, messages)) => Session::new(self, client, messages),
            Err(error) => panic!("{}: {error}", self.version),
        }
    }

    /// Starts the CLI, which must fail.
    pub(crate) async fn start_fails(&self, options: Options) -> StartError {
        match Client::start(options).await {
            Ok(_) => panic!("{}: the CLI started", self.version),
            Err(error) => error,
        }
    }

    /// What the model was asked in conversations so far. What the CLI asks on the side (a title, the
    /// paths in a command) comes at any time; it offers no tools.
    pub(crate) fn asked(&self) -> Vec<Recorded> {
        let mut requests = self.model.requests();
        requests.retain(|request| !request.tools().is_empty());
        requests
    }

    /// What the model was asked last.
    pub(crate) fn last_asked(&self) -> Recorded {
        self.asked().pop().unwrap()
    }

    /// The absolute path of a file in the project.
    pub(crate) fn path(&self, name: &str) -> String {
        self.harness.cwd().join(name).to_str().unwrap().to_owned()
    }

    /// Writes a file into the project.
    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// What a file of the project holds; `None` if there is none.
    pub(crate) fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path(name)).ok()
    }
}

impl Drop for Bed {
    /// A scenario that fails tells what led to it.
    fn drop(&mut self) {
        if std::thread::panicking() {
            for request in self.model.requests() {
                // What the user said stands at the end, after what the CLI adds.
                let text = request.last_user_text();
                let end: String = text.chars().rev().take(200).collect();
                self.log.note(format!("asked: …{}", end.chars().rev().collect::<String>()));
            }
            eprintln!("{}, so far:\n{}", self.version, self.log.text());
        }
    }
}

/// Things that handlers were told, in order.
pub(crate) struct Told<T>(Arc<Mutex<Vec<T>>>);

impl<T> Told<T> {
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    pub(crate) fn add(&self, thing: T) {
        self.0.lock().unwrap().push(thing);
    }

    /// How many since the last time.
    pub(crate) fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    /// Everything since the last time.
    pub(crate) fn take(&self) -> Vec<T> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl<T> Clone for Told<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// What happened, line by line.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn note(&self, line: impl Into<String>) {
        let mut line: String = line.into();
        if let Some((end, _)) = line.char_indices().nth(400) {
            line.truncate(end);
            line.push('…');
        }
        self.0.lock().unwrap().push(line);
    }

    pub(crate) fn text(&self) -> String {
        self.0.lock().unwrap().join("\n")
    }
}
