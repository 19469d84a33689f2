//! What can be asked of a session's CLI: tasks, MCP servers, context, commands, files as they were.

use pilothouse_session::Command;
use pilothouse_session::event::{Body, CommandOffer, Task};
use pilothouse_session::id::SessionId;
use pilothouse_wire::Raw;
use pilothouse_wire::control::HostRequest;
use pilothouse_wire::control::mcp::{McpReconnect, McpStatus, McpToggle};
use pilothouse_wire::control::session::{BackgroundTasks, RewindFiles, RewindReply, StopTask};
use pilothouse_wire::control::settings::GetContextUsage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Api;
use super::call::Call;
use super::fields::{OfServer, OfSession, OfTask};
use crate::host::PutBack;
use crate::http::extract::ApiJson;
use crate::http::openapi::{Done, Got, NoBody, Nothing, Told};
use crate::http::problem::{Kind, Problem};
use crate::store::Page;

async fn ask(api: &Api, session: SessionId, request: HostRequest) -> Result<Raw, Problem> {
    api.command(session, Command::Request(Box::new(request))).await
}

/// An answer of the CLI's, as it is; an empty object where it has said nothing.
fn told<T>(answer: &Raw) -> Told<T> {
    let text = match answer.get() {
        text if text.trim_start().starts_with('{') => text,
        _ => "{}",
    };
    Told::new(text.to_owned())
}

pub(super) async fn tasks(
    call: Call<OfSession, Nothing, NoBody>,
) -> Result<Got<Page<Task>>, Problem> {
    let items = call.api.host.detail(call.path.session).await?.tasks;
    Ok(Got(Page { items, next: None }))
}

pub(super) async fn stop_task(call: Call<OfTask, Nothing, NoBody>) -> Result<Done, Problem> {
    let OfTask { session, task } = call.path;
    let tasks = call.api.host.detail(session).await?.tasks;
    if !tasks.iter().any(|known| known.task_id == task) {
        return Err(Problem::not_found("no such task goes on in this session: list its tasks"));
    }
    let request = StopTask { task_id: task, ..StopTask::default() };
    ask(&call.api, session, request.into()).await?;
    Ok(Done)
}

/// What goes on in the background from now on.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SendBack {
    /// One call; all that run, where it is left out.
    tool_call_id: Option<String>,
}

pub(super) async fn background(
    call: Call<OfSession, Nothing, ApiJson<SendBack>>,
) -> Result<Done, Problem> {
    let tool_use_id = call.body.0.tool_call_id;
    let request = BackgroundTasks { tool_use_id, ..BackgroundTasks::default() };
    ask(&call.api, call.path.session, request.into()).await?;
    Ok(Done)
}

/// The MCP servers of a session, in the CLI's own words.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "it is never made: what the CLI says is sent as it is")]
pub(super) struct McpServers {
    /// The servers.
    mcp_servers: Vec<McpServer>,
}

/// An MCP server, in the CLI's own words.
#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "it is never made: what the CLI says is sent as it is")]
pub(super) struct McpServer {
    /// Its name.
    name: String,
    /// `connected`, `failed`, `needs-auth`, `pending`, `disabled`.
    status: String,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Its tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<Value>>,
}

pub(super) async fn mcp(
    call: Call<OfSession, Nothing, NoBody>,
) -> Result<Told<McpServers>, Problem> {
    let answer = ask(&call.api, call.path.session, McpStatus::default().into()).await?;
    Ok(told(&answer))
}

/// Whether a server is used.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ToggleServer {
    /// On or off.
    enabled: bool,
}

pub(super) async fn toggle(
    call: Call<OfServer, Nothing, ApiJson<ToggleServer>>,
) -> Result<Done, Problem> {
    let OfServer { session, server } = call.path;
    let enabled = call.body.0.enabled;
    let request = McpToggle { server_name: server, enabled, ..McpToggle::default() };
    ask(&call.api, session, request.into()).await?;
    Ok(Done)
}

pub(super) async fn reconnect(call: Call<OfServer, Nothing, NoBody>) -> Result<Done, Problem> {
    let OfServer { session, server } = call.path;
    let request = McpReconnect { server_name: server, ..McpReconnect::default() };
    ask(&call.api, session, request.into()).await?;
    Ok(Done)
}

/// What fills the context, in the CLI's own words.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "it is never made: what the CLI says is sent as it is")]
pub(super) struct ContextReport {
    /// Tokens used.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_tokens: Option<u64>,
    /// Tokens there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    /// By what.
    #[serde(skip_serializing_if = "Option::is_none")]
    categories: Option<Vec<Value>>,
}

pub(super) async fn context(
    call: Call<OfSession, Nothing, NoBody>,
) -> Result<Told<ContextReport>, Problem> {
    let answer = ask(&call.api, call.path.session, GetContextUsage::default().into()).await?;
    Ok(told(&answer))
}

pub(super) async fn slash(
    call: Call<OfSession, Nothing, NoBody>,
) -> Result<Got<Page<CommandOffer>>, Problem> {
    let last = call.api.host.last_event(call.path.session, "available_commands").await?;
    let items = match last.map(|event| event.body) {
        Some(Body::AvailableCommands { commands }) => commands,
        _ => Vec::new(),
    };
    Ok(Got(Page { items, next: None }))
}

/// To which prompt files are put back.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Rewind {
    /// The prompt, or the CLI's id of the message: files are put back as they were before it.
    user_message_id: uuid::Uuid,
    /// Only tell what would change.
    #[serde(default)]
    dry_run: bool,
}

/// What a rewind changes, or would change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Rewound {
    /// Whether it can be done.
    can_rewind: bool,
    /// The files.
    files_changed: Vec<String>,
    /// Lines added.
    insertions: Option<u64>,
    /// Lines removed.
    deletions: Option<u64>,
    /// What would change in each of the files; in a dry run only.
    files: Vec<PutBack>,
    /// Links that were left as they are; told once it is done, by CLIs that do so.
    skipped_links: Option<u64>,
    /// Why it cannot be done.
    error: Option<String>,
}

pub(super) async fn rewind(
    call: Call<OfSession, Nothing, ApiJson<Rewind>>,
) -> Result<Got<Rewound>, Problem> {
    let ApiJson(Rewind { user_message_id, dry_run }) = call.body;
    let session = call.path.session;
    let user_message_id = user_message_id.to_string();
    let prompt = user_message_id.clone();
    let dry_run_asked = dry_run.then_some(true);
    let request = RewindFiles { user_message_id, dry_run: dry_run_asked, ..RewindFiles::default() };
    let answer = ask(&call.api, session, request.into()).await?;
    let reply: RewindReply = answer.read().unwrap_or_default();
    let files_changed = reply.files_changed.unwrap_or_default();
    let files = match dry_run {
        true => call.api.host.put_back(session, prompt, files_changed.clone()).await?,
        false => Vec::new(),
    };
    let rewound = Rewound {
        can_rewind: reply.can_rewind.unwrap_or(reply.error.is_none()),
        files_changed,
        insertions: reply.insertions,
        deletions: reply.deletions,
        files,
        skipped_links: reply.skipped_links.and_then(|links| links.read()),
        error: reply.error,
    };
    if !rewound.can_rewind && !dry_run {
        let why = rewound.error.as_deref().unwrap_or("the CLI does not say why");
        return Err(Problem::new(Kind::Conflict, format!("files cannot be put back: {why}")));
    }
    Ok(Got(rewound))
}
