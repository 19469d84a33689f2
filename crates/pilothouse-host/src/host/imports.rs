//! Past conversations of the CLI that become sessions.

use std::path::PathBuf;

use pilothouse_client::history::{History, HistoryError};
use pilothouse_session::event::Status;
use pilothouse_session::id::SessionId;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use super::draft::{Draft, first_state};
use super::house::{House, blocking};
use super::{Host, HostError, Profile};
use crate::past::{Past, PastError};
use crate::store::{NewSession, SessionFilter, SessionRow, StoreError};

/// What a past conversation becomes.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ImportSession {
    /// Where it goes on; where it was led, if left out.
    pub cwd: Option<String>,
    /// Its title; the one it had, if left out.
    pub title: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its policy.
    pub policy: Option<String>,
    /// How its runs are started.
    pub profile: Profile,
}

/// Why a past conversation does not become a session.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The host says no.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The conversation cannot be read.
    #[error(transparent)]
    Past(#[from] PastError),
}

impl From<StoreError> for ImportError {
    fn from(error: StoreError) -> Self {
        Self::Host(error.into())
    }
}

impl House {
    /// Where the CLI of such a session keeps its conversations. Blocks.
    pub(crate) fn history(&self, profile: &Profile) -> Result<History, HistoryError> {
        let set = |wanted: &str| self.variable(wanted, profile).map(PathBuf::from);
        match set("CLAUDE_CONFIG_DIR").or_else(|| Some(set("HOME")?.join(".claude"))) {
            Some(dir) => Ok(History::at(dir)),
            None => History::new(),
        }
    }
}

impl Host {
    /// The conversations that the CLI of this host's runs has kept.
    pub fn past(&self) -> Result<Past, PastError> {
        Ok(Past::of(self.0.history(&Profile::default())?))
    }

    /// Makes a session of a past conversation. One that is a session already is given as it is; the
    /// second value tells whether it is new.
    pub async fn import(
        &self,
        cli_session: &str,
        wish: ImportSession,
    ) -> Result<(SessionRow, bool), ImportError> {
        // Also looked for when it is stored; but that it costs no reading is the usual case.
        let filter =
            SessionFilter { cli_session: Some(cli_session.to_owned()), ..SessionFilter::default() };
        if let Some(row) = self.sessions(filter, None, 1).await?.items.into_iter().next() {
            return Ok((row, false));
        }
        let ImportSession { cwd, title, tags, policy, profile } = wish;
        let (past, name) = (self.past()?, cli_session.to_owned());
        let cwd = match cwd {
            Some(cwd) => cwd,
            None => blocking(move || past.cwd(&name)).await?.unwrap_or_default(),
        };
        let draft = self.draft(Draft { cwd, policy, profile }).await?;
        let id = SessionId(Uuid::now_v7());
        self.0.hold_secrets(id, &draft.profile);
        let setup = self.0.setup(&draft.cwd, &draft.profile, draft.policy.as_deref());
        let (past, name) = (self.past()?, cli_session.to_owned());
        let imported = blocking(move || past.import(&name, id, setup)).await?;
        let (more, checkpoint) = first_state(imported.session, &draft.profile)?;
        let Draft { cwd, policy, profile } = draft;
        let stored = NewSession {
            id,
            cwd,
            title: title.or(Some(imported.title).filter(|title| !title.is_empty())),
            tags,
            cli_session: Some(imported.cli_session),
            settings: serde_json::to_value(&profile).map_err(StoreError::from)?,
            model: profile.model.or(imported.model),
            mode: profile.mode,
            policy,
        };
        let events: Vec<_> = imported.events.into_iter().chain(more).collect();
        match self.0.store.create_with(stored, &events, checkpoint).await {
            // Somebody was faster.
            Err(StoreError::ConversationTaken { session, .. }) => {
                return Ok((self.session(session).await?, false));
            }
            created => created?,
        }
        self.telemetry().metrics().session_listed(Status::Dormant, 1);
        self.0.overview.changed(id);
        Ok((self.session(id).await?, true))
    }
}
