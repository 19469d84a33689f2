//! What is done, and noted with who did it.

use pilothouse_session::Command;
use pilothouse_session::command::mode_named;
use pilothouse_session::id::SessionId;
use pilothouse_wire::Raw;
use serde_json::{Value, json};

use super::{Host, HostError};

impl Host {
    /// Adds a line to the audit about something that was done. It stays done where the line cannot be
    /// written: whoever asked for it must not be told that it was not.
    pub async fn note(
        &self,
        session: Option<SessionId>,
        actor: &str,
        action: &'static str,
        detail: Value,
    ) {
        let noted = self.0.store.record(session, actor, action, detail.clone()).await;
        if let Err(error) = noted {
            let session = session.map(tracing::field::display);
            tracing::error!(%error, session, by = actor, action, %detail, "not in the audit");
        }
    }

    /// Changes the permission mode of a session, and notes who did. Gives what the CLI says to it.
    pub async fn set_mode(
        &self,
        session: SessionId,
        mode: &str,
        by: &str,
    ) -> Result<Raw, HostError> {
        let before = self.session(session).await?.mode;
        let mode = mode_named(mode);
        let detail = json!({ "before": before, "after": mode.as_str() });
        let answer = self.command(session, Command::SetMode { mode }).await?;
        self.note(Some(session), by, "session.mode_changed", detail).await;
        Ok(answer)
    }
}
