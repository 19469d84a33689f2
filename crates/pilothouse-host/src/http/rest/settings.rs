//! Mode, model, and how hard the model thinks.

use pilothouse_session::Command;
use schemars::JsonSchema;
use serde::Deserialize;

use super::call::Call;
use super::fields::OfSession;
use crate::HostError;
use crate::http::extract::ApiJson;
use crate::http::openapi::{Done, Got, Nothing};
use crate::http::problem::Problem;
use crate::store::SessionRow;

/// A permission mode.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SetMode {
    /// `default`, `acceptEdits`, `plan`, `dontAsk`, `auto`, `bypassPermissions`, or `ask` and `act`.
    mode: String,
}

pub(super) async fn mode(
    call: Call<OfSession, Nothing, ApiJson<SetMode>>,
) -> Result<Got<SessionRow>, Problem> {
    let (id, host) = (call.path.session, call.api.host.clone());
    let (mode, by) = (call.body.0.mode, call.actor.identity);
    // To its end, also if that is not waited for: who has changed it must be noted.
    let changed = tokio::spawn(async move { host.set_mode(id, &mode, &by).await });
    let changed = async { changed.await.unwrap_or(Err(HostError::Closed(id))) };
    call.api.answer(changed).await?;
    Ok(Got(call.api.host.session(id).await?))
}

/// A model.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SetModel {
    /// Its name or alias; null for the CLI's default.
    model: Option<String>,
}

pub(super) async fn model(
    call: Call<OfSession, Nothing, ApiJson<SetModel>>,
) -> Result<Got<SessionRow>, Problem> {
    let id = call.path.session;
    let model = call.body.0.model;
    call.api.command(id, Command::SetModel { model }).await?;
    Ok(Got(call.api.host.session(id).await?))
}

/// How much is thought.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SetThinking {
    /// The most tokens; 0 for no thinking, null for no limit.
    max_tokens: Option<u32>,
}

pub(super) async fn thinking(
    call: Call<OfSession, Nothing, ApiJson<SetThinking>>,
) -> Result<Done, Problem> {
    let max_tokens = call.body.0.max_tokens.map(u64::from);
    call.api.command(call.path.session, Command::SetThinking { max_tokens }).await?;
    Ok(Done)
}

/// How hard is thought.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SetEffort {
    /// `low`, `medium`, `high` …, as the model offers.
    effort: String,
}

pub(super) async fn effort(
    call: Call<OfSession, Nothing, ApiJson<SetEffort>>,
) -> Result<Done, Problem> {
    let effort = call.body.0.effort;
    call.api.command(call.path.session, Command::SetEffort { effort }).await?;
    Ok(Done)
}
