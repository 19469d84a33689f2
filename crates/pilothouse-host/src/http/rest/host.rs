//! The daemon itself.

use std::time::Duration;

use axum::http::header;
use axum::response::IntoResponse;
use pilothouse_session::id::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::call::Call;
use super::{DOCUMENT, limit};
use crate::doctor::Report;
use crate::http::extract::ApiJson;
use crate::http::openapi::{Done, Got, NoBody, Nothing, Plain, Told};
use crate::http::problem::{Kind, Problem};
use crate::store::{AuditLine, Page};

/// How long the end of a daemon waits to be written down.
const NOTED: Duration = Duration::from_secs(5);

/// What speaks here.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Version {
    /// `pilothouse`.
    name: &'static str,
    /// Its version.
    version: &'static str,
    /// The version of this API.
    api: &'static str,
    /// The version of the events.
    events: u32,
}

pub(super) async fn version(_: Call<Nothing, Nothing, NoBody>) -> Result<Got<Version>, Problem> {
    Ok(Got(Version {
        name: "pilothouse",
        version: env!("CARGO_PKG_VERSION"),
        api: "v1",
        events: pilothouse_session::event::VERSION,
    }))
}

/// Which daemon is to end.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ShutDown {
    /// Its process, as its `daemon.json` has it: whoever means another one ends none.
    pid: u32,
}

pub(super) async fn shut_down(
    call: Call<Nothing, Nothing, ApiJson<ShutDown>>,
) -> Result<Done, Problem> {
    let (pid, own) = (call.body.0.pid, std::process::id());
    if pid != own {
        let detail = format!("this daemon is process {own}, not {pid}: look for the other one");
        return Err(Problem::new(Kind::Conflict, detail));
    }
    let noted = call.api.host.store().record(
        None,
        &call.actor.identity,
        "daemon.stopped",
        json!({ "pid": pid }),
    );
    // One whose disk is full can be ended all the same.
    match tokio::time::timeout(NOTED, noted).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::warn!(%error, by = %call.actor.identity, "the end is not in the audit");
        }
        Err(_) => tracing::warn!(by = %call.actor.identity, "the end is not in the audit: no time"),
    }
    tracing::info!(by = %call.actor.identity, "told to end");
    call.api.stop.cancel();
    Ok(Done)
}

/// Which part of the audit.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListAudit {
    /// Only about this session, which may be gone.
    #[serde(default)]
    session: Option<SessionId>,
    /// `next` of the page before.
    #[serde(default)]
    after: Option<String>,
    /// How many.
    #[serde(default)]
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
}

pub(super) async fn audit(
    call: Call<Nothing, ListAudit, NoBody>,
) -> Result<Got<Page<AuditLine>>, Problem> {
    let ListAudit { session, after, limit } = call.query;
    let limit = limit::page(limit)?;
    let read = move |store: &crate::store::Store| store.audit(session, after.as_deref(), limit);
    Ok(Got(call.api.host.read(read).await?))
}

pub(super) async fn doctor(call: Call<Nothing, Nothing, NoBody>) -> Result<Got<Report>, Problem> {
    Ok(Got(call.api.host.examine().await))
}

/// The numbers, for Prometheus.
pub(super) async fn metrics(call: Call<Nothing, Nothing, NoBody>) -> Result<Plain, Problem> {
    let Some(metrics) = call.api.metrics else {
        return Err(Problem::not_found("this daemon counts nothing"));
    };
    let kind = [(header::CONTENT_TYPE, crate::telemetry::metrics::CONTENT_TYPE)];
    Ok(Plain((kind, metrics.render()).into_response()))
}

/// An OpenAPI document.
#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "it is never made: the document is there as text")]
pub(super) struct OpenApi {
    /// `3.1.0`.
    openapi: String,
}

pub(super) async fn openapi(_: Call<Nothing, Nothing, NoBody>) -> Result<Told<OpenApi>, Problem> {
    Ok(Told::new(DOCUMENT.clone()))
}
