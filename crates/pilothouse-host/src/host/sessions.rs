//! Creating, changing, commanding and ending sessions.

use std::sync::Arc;

use pilothouse_session::event::Status;
use pilothouse_session::id::{PromptId, SessionId};
use pilothouse_session::{Command, Session};
use pilothouse_wire::{Content, Raw};
use tokio::sync::oneshot;
use uuid::Uuid;

use super::checks;
use super::draft::{Draft, first_state};
use super::house::blocking;
use super::requests::{Beginning, NewSession, PromptRequest, SessionDetail};
use super::{Host, HostError};
use crate::runner::Ask;
use crate::store::{
    Digest, NewSession as StoredSession, Page, Reservation, SessionChange, SessionFilter,
    SessionRow, Store, StoreError,
};

impl Host {
    /// What is stored: lists, searches, the audit. Reading blocks; see [`Host::read`].
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// Reads the store without holding anybody up.
    pub async fn read<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, HostError> {
        let store = self.0.store.clone();
        Ok(self.0.reading(move || query(&store)).await?)
    }

    /// How many sessions are being served at the moment.
    pub fn served(&self) -> usize {
        self.0.loops()
    }

    /// Creates a session. No process is started: the first prompt does that.
    pub async fn create(&self, new: NewSession) -> Result<SessionRow, HostError> {
        let NewSession { id, cwd, title, tags, policy, profile, begin } = new;
        let id = id.unwrap_or_else(|| SessionId(Uuid::now_v7()));
        if let Some(row) = self.read(move |store| store.session(id)).await? {
            return Ok(row);
        }
        let draft = self.draft(Draft { cwd, policy, profile }).await?;
        self.0.hold_secrets(id, &draft.profile);
        let session = self.beginning(id, &draft, &begin).await?;
        let (events, checkpoint) = first_state(session, &draft.profile)?;
        let Draft { cwd, policy, profile } = draft;
        let settings = serde_json::to_value(&profile).map_err(StoreError::from)?;
        let stored = StoredSession {
            id,
            cwd,
            title,
            tags,
            cli_session: match begin {
                Beginning::Resume { cli_session } => Some(cli_session),
                _ => None,
            },
            model: profile.model,
            mode: profile.mode,
            policy,
            settings,
        };
        match self.0.store.create_with(stored, &events, checkpoint).await {
            Err(StoreError::ConversationTaken { cli_session, session }) => {
                return Err(HostError::ConversationInUse { cli_session, session });
            }
            created => created?,
        }
        self.telemetry().metrics().session_listed(Status::Dormant, 1);
        self.0.overview.changed(id);
        self.session(id).await
    }

    async fn beginning(
        &self,
        id: SessionId,
        draft: &Draft,
        begin: &Beginning,
    ) -> Result<Session, HostError> {
        let setup = self.0.setup(&draft.cwd, &draft.profile, draft.policy.as_deref());
        let session = Session::new(id, setup);
        match begin.clone() {
            Beginning::Scratch => Ok(session),
            Beginning::Resume { cli_session } => {
                checks::conversation(&cli_session)?;
                Ok(session.of_conversation(cli_session))
            }
            Beginning::Copy { cli_session, at } => {
                checks::conversation(&cli_session)?;
                Ok(session.copy_of(cli_session, at.map(|at| at.to_string())))
            }
            Beginning::Fork { session: original, at } => {
                let row = self.session(original).await?;
                let cli_session = row.cli_session.ok_or(HostError::NoConversation(original))?;
                Ok(session.copy_of(cli_session, at.map(|at| at.to_string())))
            }
        }
    }

    /// A session, as it is listed.
    pub async fn session(&self, id: SessionId) -> Result<SessionRow, HostError> {
        let row = self.read(move |store| store.session(id)).await?;
        row.ok_or(HostError::Store(StoreError::UnknownSession(id)))
    }

    /// A session as it stands.
    pub async fn detail(&self, id: SessionId) -> Result<SessionDetail, HostError> {
        let view = self.look(id).await;
        let row = self.session(id).await?;
        let view = view.map(|view| (view.approvals, view.open_items, view.tasks));
        let (approvals, open_items, tasks) = view.unwrap_or_default();
        Ok(SessionDetail { row, approvals, open_items, tasks })
    }

    /// Sessions, a page at a time: see [`Store::sessions`].
    pub async fn sessions(
        &self,
        filter: SessionFilter,
        after: Option<String>,
        limit: usize,
    ) -> Result<Page<SessionRow>, HostError> {
        self.read(move |store| store.sessions(&filter, after.as_deref(), limit)).await
    }

    /// Changes title, tags, archive, policy, what was read.
    pub async fn change(
        &self,
        id: SessionId,
        change: SessionChange,
    ) -> Result<SessionRow, HostError> {
        if let Some(policy) = change.policy.as_deref().filter(|policy| !policy.is_empty()) {
            self.0.policies.named(policy)?;
        }
        let changing = match &change.policy {
            Some(_) => Some(self.0.policies.changing.lock().await),
            None => None,
        };
        self.0.store.change(id, change).await?;
        self.0.overview.changed(id);
        let row = self.session(id).await?;
        if changing.is_some()
            && let Some(mailbox) = self.0.running(id)
        {
            self.surround(&row, &mailbox).await?;
        }
        Ok(row)
    }

    /// Asks something of a session, and waits for the answer.
    pub async fn command(&self, id: SessionId, command: Command) -> Result<Raw, HostError> {
        checks::command(&command)?;
        // A session that is not there must not get a loop.
        if self.0.running(id).is_none() {
            self.session(id).await?;
        }
        self.check_mode(id, &command).await?;
        let mailbox = self.0.mailbox(id);
        let (reply, answer) = oneshot::channel();
        let ask = Ask::Command { command, reply };
        mailbox.send(ask).await.map_err(|_| HostError::Closed(id))?;
        drop(mailbox);
        let answer = answer.await.map_err(|_| HostError::Closed(id))?;
        answer.map_err(HostError::of_command(id))
    }

    /// Says something to a session. The same prompt under the same key is said once, however often
    /// it is asked for.
    pub async fn prompt(
        &self,
        id: SessionId,
        request: PromptRequest,
    ) -> Result<PromptId, HostError> {
        let PromptRequest { key, prompt, content, files, urgency } = request;
        key.as_deref().map(checks::key).transpose()?;
        let content = checks::sayable(content).await?;
        let is_named = key.is_some() || prompt.is_some();
        let mut prompt = prompt.unwrap_or_else(|| PromptId(Uuid::new_v4()));
        if is_named {
            let digest = digest(&content)?;
            let reservation = Reservation { session: id, key, prompt, digest };
            let reserved = self.0.store.reserve(reservation).await?;
            if reserved.state != "reserved" {
                return Ok(reserved.prompt);
            }
            prompt = reserved.prompt;
        }
        let (content, attachments) = self.keep_parts(id, content, files).await?;
        // If somebody asks for the same at this moment: the machine takes a prompt in once.
        self.command(id, Command::Prompt { prompt, content, attachments, urgency }).await?;
        Ok(prompt)
    }

    /// Ends the run of a session and deletes everything that belongs to it.
    pub async fn delete(&self, id: SessionId, by: &str) -> Result<(), HostError> {
        self.session(id).await?;
        // It leaves off with what it does. Where there is no run, or no way to open the session,
        // this is refused.
        let _ = self.command(id, Command::Stop).await;
        // What is said from here on starts no other.
        let _shut = self.0.shut(id).await;
        let house = Arc::clone(&self.0);
        blocking(move || house.end_runs(id)).await?;
        let status = self.session(id).await?.status;
        self.0.store.delete(id, by).await?;
        self.0.forgotten(id, status).await
    }

    pub(super) async fn look(&self, id: SessionId) -> Option<crate::runner::View> {
        let mailbox = self.0.running(id)?;
        let (reply, view) = oneshot::channel();
        mailbox.send(Ask::Look { reply }).await.ok()?;
        view.await.ok()
    }
}

fn digest(content: &Content) -> Result<String, HostError> {
    let json = serde_json::to_vec(content).map_err(StoreError::from)?;
    Ok(Digest::of(&json).to_string())
}
