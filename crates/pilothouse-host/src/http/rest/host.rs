//! The daemon itself.

use axum::http::header;
use axum::response::IntoResponse;
use pilothouse_session::id::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call::Call;
use super::{DOCUMENT, limit};
use crate::doctor::Report;
use crate::http::openapi::{Got, NoBody, Nothing, Plain, Told};
use crate::http::problem::Problem;
use crate::store::{AuditLine, Page};

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
