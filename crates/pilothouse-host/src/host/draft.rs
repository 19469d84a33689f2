//! A session to be, with everything filled in and checked, however it comes about.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use pilothouse_session::approval::{Decision, Suggestion};
use pilothouse_session::command::mode_named;
use pilothouse_session::event::{Body, Event};
use pilothouse_session::id::{CommandId, SessionId};
use pilothouse_session::{Command, Effect, Input, Session};
use pilothouse_wire::control::HostRequest;
use pilothouse_wire::{PermissionMode, PermissionUpdate};
use uuid::Uuid;

use super::house::blocking;
use super::profile::{ModeError, Profile};
use super::{Host, HostError};
use crate::doctor::Version;
use crate::store::{Checkpoint, StoreError};

/// A session to be.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) cwd: String,
    pub(super) policy: Option<String>,
    pub(super) profile: Profile,
}

impl Host {
    /// Fills in what the host gives every session, and checks what can be known without a run.
    pub(super) async fn draft(&self, draft: Draft) -> Result<Draft, HostError> {
        let house = Arc::clone(&self.0);
        blocking(move || {
            let defaults = &house.options.defaults;
            let Draft { cwd, policy, profile } = draft;
            let profile = profile.or(&defaults.profile);
            // An empty one is none, whatever is usual here.
            let policy = policy.or_else(|| defaults.policy.clone()).filter(|it| !it.is_empty());
            if !Path::new(&cwd).is_absolute() || !Path::new(&cwd).is_dir() {
                return Err(HostError::NoDirectory(cwd));
            }
            profile.check(&cwd)?;
            if let Some(policy) = &policy {
                house.policies.named(policy)?;
            }
            Ok(Draft { cwd, policy, profile })
        })
        .await
    }

    /// Whether a session may have the mode that a command would bring about.
    pub(super) async fn check_mode(
        &self,
        session: SessionId,
        command: &Command,
    ) -> Result<(), HostError> {
        let modes = modes_of(command);
        if modes.is_empty() {
            return Ok(());
        }
        let row = self.session(session).await?;
        let profile: Profile = serde_json::from_value(row.settings).map_err(StoreError::from)?;
        for mode in modes {
            profile.may_have(mode)?;
            // One that is not known here may be a later CLI's. On its command line every CLI refuses
            // what it does not know; while it runs, an older one takes any name.
            if let PermissionMode::Other(name) = mode
                && row.status.has_run()
                && !self.checks_modes(session).await?
            {
                return Err(ModeError::Unknown(name.to_string()).into());
            }
        }
        Ok(())
    }

    /// Whether the CLI that serves a session refuses modes that it does not know.
    async fn checks_modes(&self, session: SessionId) -> Result<bool, HostError> {
        let ready = self.last_event(session, "run_ready").await?;
        let version = ready.and_then(|event| match event.body {
            Body::RunReady { version, .. } => version,
            _ => None,
        });
        Ok(version.and_then(|version| Version::read(&version)) >= Some(CHECKS_MODES))
    }
}

/// The oldest CLI that was seen to refuse modes that it does not know.
const CHECKS_MODES: Version = Version([2, 1, 325]);

/// The modes that a command would bring about.
fn modes_of(command: &Command) -> Vec<&PermissionMode> {
    match command {
        Command::SetMode { mode } => vec![mode],
        Command::Decide { decision: Decision::Allow { updates, .. }, .. } => {
            let modes = updates.iter().filter_map(|Suggestion(update)| match update {
                PermissionUpdate::SetMode(set) => Some(&set.mode),
                _ => None,
            });
            modes.collect()
        }
        Command::Request(request) => match &**request {
            HostRequest::SetPermissionMode(request) => vec![&request.mode],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The state that a session of this profile begins with, and the events that tell of it.
pub(super) fn first_state(
    mut session: Session,
    profile: &Profile,
) -> Result<(Vec<Event>, Checkpoint), HostError> {
    let mode = profile.mode.as_deref().map(|mode| Command::SetMode { mode: mode_named(mode) });
    let model = profile.model.clone().map(|model| Command::SetModel { model: Some(model) });
    let effort = profile.effort.clone().map(|effort| Command::SetEffort { effort });
    let most = profile.max_thinking_tokens.map(u64::from);
    let thinking = most.map(|most| Command::SetThinking { max_tokens: Some(most) });
    let mut events = Vec::new();
    for command in [mode, model, effort, thinking].into_iter().flatten() {
        let id = CommandId(Uuid::nil());
        for effect in session.handle(Input::Command { id, command }, Timestamp::now()) {
            match effect {
                Effect::Append(event) => events.push(*event),
                Effect::Reply { result: Err(refusal), .. } => return Err(refusal.into()),
                _ => {}
            }
        }
    }
    let state = serde_json::to_string(&session).map_err(StoreError::from)?;
    let checkpoint = Checkpoint { seq: session.seq(), run: None, lines: 0, offset: 0, state };
    Ok((events, checkpoint))
}
