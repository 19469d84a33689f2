//! Mode, model, and how hard the model thinks.

use pilothouse_session::Command;
use pilothouse_session::command::mode_named;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::call::Call;
use super::fields::OfSession;
use super::limit;
use crate::http::extract::ApiJson;
use crate::http::openapi::{Done, Got, Nothing};
use crate::http::problem::{Fault, Problem};
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
    let (id, host) = (call.path.session, &call.api.host);
    let row = host.session(id).await?;
    let mode = mode_named(&call.body.0.mode);
    let detail = json!({ "before": row.mode, "after": mode.as_str() });
    call.api.command(id, Command::SetMode { mode }).await?;
    host.store().record(Some(id), &call.actor.0, "session.mode_changed", detail).await?;
    Ok(Got(host.session(id).await?))
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
    if let Some(model) = &model {
        word("/model", model)?;
    }
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
    word("/effort", &effort)?;
    call.api.command(call.path.session, Command::SetEffort { effort }).await?;
    Ok(Done)
}

/// Something that can be an argument: not empty, not long, on one line, no option.
fn word(pointer: &str, text: &str) -> Result<(), Problem> {
    limit::text(pointer, text, 200)?;
    let is_odd = text.trim().is_empty() || text.starts_with('-') || text.contains(char::is_control);
    if is_odd {
        let detail = "it must be a name: not empty, without line breaks, not beginning with `-`";
        return Err(Problem::invalid(Fault::body(pointer, detail)));
    }
    Ok(())
}
