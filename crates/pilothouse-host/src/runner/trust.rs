//! Notices that the configuration of a repository changed while a run uses it.
//!
//! What a run was started with is in a file beside the runs of its session, so that the next
//! daemon knows it too.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use pilothouse_session::event::{Body, Event};
use pilothouse_session::id::RunId;
use serde::{Deserialize, Serialize};

use super::Runner;
use super::work::Done;
use crate::host::trusting::Checked;
use crate::private::Private;

/// The file, in the directory of the session's runs.
const FILE: &str = "trust.json";

/// The configuration that a run was started with.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct StartedWith {
    run: RunId,
    digest: String,
    is_trusted: bool,
}

/// Writes down what a run is started with.
pub(super) fn note(dir: &Path, run: RunId, checked: &Checked) -> io::Result<()> {
    let digest = checked.digest().to_owned();
    write(dir, &StartedWith { run, digest, is_trusted: checked.is_trusted() })
}

fn write(dir: &Path, started: &StartedWith) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    let mut file =
        options.write(true).create(true).truncate(true).private().open(dir.join(FILE))?;
    file.write_all(&serde_json::to_vec(started)?)
}

fn read(dir: &Path) -> Option<StartedWith> {
    serde_json::from_slice(&std::fs::read(dir.join(FILE)).ok()?).ok()
}

/// Whether an event is a moment to look: the model may have changed files by now.
pub(super) fn is_moment(event: &Event) -> bool {
    matches!(event.body, Body::Complete { .. } | Body::UserMessage { .. })
}

impl Runner {
    /// Checks whether the repository's configuration is what the run was started with. One check at
    /// a time: a second one would report the same change.
    pub(super) fn check_trust(&mut self) {
        let Some(run) = self.session.run() else { return };
        if std::mem::replace(&mut self.trust_check, TrustCheck::Again) != TrustCheck::None {
            return;
        }
        self.trust_check = TrustCheck::Running;
        let (house, profile) = (Arc::clone(&self.house), Arc::clone(&self.profile));
        let (cwd, session) = (Arc::clone(&self.cwd), self.session.id());
        let dir = self.run_dir(run).parent().map(Path::to_owned);
        self.jobs.spawn_blocking(move || {
            let of_run =
                |dir: &Path| read(dir).filter(|started| started.run == run && started.is_trusted);
            let changed = dir.and_then(|dir| {
                let started = of_run(&dir)?;
                let checked = house.check_trust(&cwd, &profile, Some(session)).ok()?;
                let digest = checked.digest().to_owned();
                // The next run may have begun meanwhile.
                if digest == started.digest || of_run(&dir)? != started {
                    return None;
                }
                // Each change is shown once.
                if let Err(error) = write(&dir, &StartedWith { digest, ..started }) {
                    tracing::warn!(%session, %error, "a shown change will be shown again");
                }
                Some(changed_text(&checked))
            });
            Done::TrustChecked(changed)
        });
    }

    /// Takes the end of a check; starts the next one if there was a reason for it meanwhile.
    pub(super) fn trust_checked(&mut self) {
        let state = std::mem::replace(&mut self.trust_check, TrustCheck::None);
        if state == TrustCheck::Again {
            self.check_trust();
        }
    }
}

/// Whether the configuration of the repository is being checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TrustCheck {
    #[default]
    None,
    Running,
    /// Files may have changed since the check began.
    Again,
}

fn changed_text(checked: &Checked) -> String {
    let changed = checked.changed_files();
    let files = if changed.is_empty() { String::new() } else { format!(": {changed}") };
    let next = match checked.is_trusted() {
        true => "This content is trusted, too.".to_owned(),
        false => format!(
            "Review it with `pilothouse trust add {}` or in the web client; until then the next \
             start leaves it out.",
            checked.cwd().display()
        ),
    };
    format!(
        "The repository's Claude Code configuration has changed while it is in use{files}. Claude \
         Code may use it already. {next}"
    )
}
