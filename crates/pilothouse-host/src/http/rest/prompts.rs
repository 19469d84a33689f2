//! What is said to a session, and stopping what came of it.

use axum::http::HeaderName;
use pilothouse_session::Command;
use pilothouse_session::command::Urgency;
use pilothouse_session::id::PromptId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call::Call;
use super::content::{AttachmentUse, ImageData, content};
use super::fields::{OfPrompt, OfSession};
use super::limit;
use crate::host::{PromptRequest, checks};
use crate::http::extract::ApiJson;
use crate::http::openapi::{Accepted, Done, Got, HeaderParameter, NoBody, Nothing};
use crate::http::problem::{Fault, Problem};
use crate::store::{Page, PromptRow, PromptStage, Store};

const KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The header that makes a prompt safe to send again.
pub(super) const KEYED: &[HeaderParameter] = &[HeaderParameter {
    name: "Idempotency-Key",
    meaning: "The client's name for the attempt, at most 255 characters: the same prompt under the \
              same key is said once, however often it is sent.",
}];

/// Something to be said.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SendPrompt {
    /// Its id, chosen by who sends it; a new one if it is left out.
    #[serde(default)]
    prompt: Option<PromptId>,
    /// The text; may be empty beside an image or an attachment.
    #[serde(default)]
    text: String,
    /// Images, in the message itself.
    #[serde(default)]
    images: Vec<ImageData>,
    /// Files that were uploaded to the session before.
    #[serde(default)]
    attachments: Vec<AttachmentUse>,
    /// When it is heard.
    #[serde(default)]
    urgency: Urgency,
}

/// A prompt that was taken in.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct PromptTaken {
    /// Its id: events name it.
    prompt: PromptId,
}

pub(super) async fn send(
    call: Call<OfSession, Nothing, ApiJson<SendPrompt>>,
) -> Result<Accepted<PromptTaken>, Problem> {
    let id = call.path.session;
    let key = call.header(KEY)?.map(str::to_owned);
    let unfit = key.as_deref().and_then(|key| checks::key(key).err());
    if let Some(unfit) = unfit {
        return Err(Problem::invalid(Fault::header(KEY.as_str(), unfit.reason)));
    }
    let ApiJson(SendPrompt { prompt, text, images, attachments, urgency }) = call.body;
    let host = &call.api.host;
    host.session(id).await?;
    let (content, files) = content(host, id, text, images, attachments).await?;
    let said = host.prompt(id, PromptRequest { key, prompt, content, files, urgency });
    Ok(Accepted(PromptTaken { prompt: call.api.answer(said).await? }))
}

/// Which prompts.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListPrompts {
    /// Only those that have come so far; may come several times.
    #[serde(default)]
    state: Vec<PromptStage>,
    /// `next` of the page before.
    #[serde(default)]
    after: Option<String>,
    /// How many.
    #[serde(default)]
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
}

pub(super) async fn list(
    call: Call<OfSession, ListPrompts, NoBody>,
) -> Result<Got<Page<PromptRow>>, Problem> {
    let ListPrompts { state, after, limit } = call.query;
    let (session, limit) = (call.path.session, limit::page(limit)?);
    let read = move |store: &Store| store.prompts(session, &state, after.as_deref(), limit);
    Ok(Got(call.api.host.read(read).await?))
}

pub(super) async fn get(call: Call<OfPrompt, Nothing, NoBody>) -> Result<Got<PromptRow>, Problem> {
    let OfPrompt { session, prompt } = call.path;
    let found = call.api.host.read(move |store| store.prompt(session, prompt)).await?;
    let missing = || Problem::not_found("the session has no such prompt: list them");
    found.map(Got).ok_or_else(missing)
}

pub(super) async fn cancel(call: Call<OfPrompt, Nothing, NoBody>) -> Result<Done, Problem> {
    let OfPrompt { session, prompt } = call.path;
    call.api.command(session, Command::CancelPrompt { prompt }).await?;
    Ok(Done)
}

pub(super) async fn send_now(
    call: Call<OfPrompt, Nothing, NoBody>,
) -> Result<Accepted<PromptTaken>, Problem> {
    let OfPrompt { session, prompt } = call.path;
    let answer = call.api.command(session, Command::SendNow { prompt }).await?;
    // Said again under a new id where the CLI had it already.
    let again = answer.member("prompt").and_then(|id| id.parse().ok());
    Ok(Accepted(PromptTaken { prompt: again.unwrap_or(prompt) }))
}

/// How the turn is stopped.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct InterruptTurn {
    /// And take back all prompts that wait.
    cancel_queued: bool,
}

/// What became of the prompts that waited, as far as the CLI tells.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Interrupted {
    /// Those that will still be worked on.
    still_queued: Vec<String>,
    /// Those that were taken back.
    cancelled: Vec<String>,
}

pub(super) async fn interrupt(
    call: Call<OfSession, Nothing, ApiJson<InterruptTurn>>,
) -> Result<Got<Interrupted>, Problem> {
    let InterruptTurn { cancel_queued } = call.body.0;
    let command = Command::Interrupt { cancel_queued };
    let answer = call.api.command(call.path.session, command).await?;
    // Older CLIs say nothing.
    Ok(Got(answer.parse().unwrap_or_default()))
}
