//! What a loop lets others do meanwhile: starting runs, reading files, putting logs away.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use pilothouse_client::history::{History, HistoryError, Scope, SessionId as CliSession};
use pilothouse_session::Input;
use pilothouse_session::effect::{HookWork, Launch};
use pilothouse_session::event::{Exit, NoticeLevel};
use pilothouse_session::id::{PromptId, RunId};
use pilothouse_session::input::{HookResult, Transcript};

use super::batch::Batch;
use super::launching::{LaunchError, Launched};
use super::{Runner, RunnerError};
use crate::holder::protocol::Command as ToHolder;

/// How long a holder may take that has nothing left to do.
const HOLDER_GOES_WITHIN: Duration = Duration::from_secs(5);

/// A file that is larger is not kept as it was before a tool changes it.
const LARGEST_BASELINE: u64 = 4 * 1024 * 1024;

/// What has been done.
pub(super) enum Done {
    Launched {
        launch: Launch,
        started: Result<Launched, LaunchError>,
    },
    Worked {
        request: String,
        result: HookResult,
    },
    Looked(Transcript),
    /// The configuration of the repository was checked again; a text for people if it changed.
    TrustChecked(Option<String>),
    Nothing,
}

impl Runner {
    pub(super) async fn job_done(
        &mut self,
        done: Done,
        read_at: Instant,
        batch: &mut Batch,
    ) -> Result<(), RunnerError> {
        let now = Timestamp::now();
        match done {
            Done::Launched { launch, started: Ok(Launched { pid, left_out }) } => {
                self.offset = 0;
                self.feed = Some(self.open_feed(launch.run).await?);
                let Launch { run, origin, .. } = launch;
                self.handle(Input::Started { run, pid, origin }, now, read_at, batch);
                if let Some(text) = left_out {
                    self.handle(Input::notice(NoticeLevel::Info, text), now, read_at, batch);
                }
            }
            Done::TrustChecked(changed) => {
                self.trust_checked();
                if let Some(text) = changed {
                    self.handle(Input::notice(NoticeLevel::Warning, text), now, read_at, batch);
                }
            }
            Done::Launched { started: Err(error), .. } => {
                let input = Input::Exited { exit: Exit::default(), stderr_tail: error.to_string() };
                self.handle(input, now, read_at, batch);
            }
            Done::Worked { request, result } => {
                self.handle(Input::Worked { request, result }, now, read_at, batch);
            }
            Done::Looked(transcript) => {
                self.handle(Input::Looked(transcript), now, read_at, batch);
            }
            Done::Nothing => {}
        }
        Ok(())
    }

    pub(super) fn work(&mut self, request: String, work: HookWork) {
        let cwd = Arc::clone(&self.cwd);
        self.jobs.spawn_blocking(move || {
            let result = match work {
                HookWork::Baseline { path } => HookResult::Baseline(baseline(&cwd, &path)),
                HookWork::MayStop => HookResult::MayStop,
            };
            Done::Worked { request, result }
        });
    }

    /// Ends the run. What was said to it before is heard first.
    pub(super) fn stop(&mut self, run: RunId) {
        let (house, dir) = (Arc::clone(&self.house), self.run_dir(run));
        self.jobs.spawn_blocking(move || {
            house.stop_run(&dir);
            Done::Nothing
        });
    }

    /// Which of the prompts the CLI has written down.
    pub(super) fn look_up(&mut self, cli_session: String, prompts: Vec<PromptId>) {
        let (house, profile) = (Arc::clone(&self.house), Arc::clone(&self.profile));
        self.jobs.spawn_blocking(move || {
            let history = house.history(&profile);
            let transcript = history.and_then(|history| recorded(&history, &cli_session, prompts));
            Done::Looked(match transcript {
                Ok(known) => Transcript::Holds(known),
                Err(HistoryError::SessionNotFound { .. }) => Transcript::Missing,
                Err(error) => {
                    tracing::warn!(%error, "what the CLI has written down is not known");
                    Transcript::Unreadable
                }
            })
        });
    }

    /// The run has ended and all of it is in the log: its holder may go, and the log be packed. The
    /// host does not close before that.
    pub(super) fn put_away(&mut self, run: RunId) {
        self.say(ToHolder::Bye);
        let feed = self.feed.take();
        let (house, dir) = (Arc::clone(&self.house), self.run_dir(run));
        self.house.tasks.spawn(async move {
            if let Some(feed) = feed
                && tokio::time::timeout(HOLDER_GOES_WITHIN, feed.end()).await.is_err()
            {
                tracing::warn!(%run, "its holder does not end; its log is packed another time");
                return;
            }
            house.pack(dir).await;
        });
    }
}

fn recorded(
    history: &History,
    cli_session: &str,
    mut prompts: Vec<PromptId>,
) -> Result<Vec<PromptId>, HistoryError> {
    let names: Vec<String> = prompts.iter().map(ToString::to_string).collect();
    let session = CliSession::parse(cli_session)?;
    let names = names.iter().map(String::as_str);
    let known = history.recorded(&session, &Scope::AllProjects, names)?;
    prompts.retain(|prompt| known.contains(&&*prompt.to_string()));
    Ok(prompts)
}

/// The text of a file; none where there is none, or it is no text or too large.
fn baseline(cwd: &str, path: &str) -> Option<String> {
    let file = File::open(Path::new(cwd).join(path)).ok()?;
    let meta = file.metadata().ok()?;
    if !meta.is_file() || meta.len() > LARGEST_BASELINE {
        return None;
    }
    let mut text = String::new();
    file.take(LARGEST_BASELINE).read_to_string(&mut text).ok()?;
    Some(text)
}
