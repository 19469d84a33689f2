//! Trust in the Claude Code configuration of repositories.

use pilothouse_session::id::SessionId;
use schemars::JsonSchema;
use serde::Deserialize;

use super::call::Call;
use crate::host::{HostError, TrustDecision};
use crate::http::extract::ApiJson;
use crate::http::openapi::{Done, Got, NoBody, Nothing};
use crate::http::problem::{Fault, Problem};
use crate::store::{Page, TrustRow};
use crate::trust::TrustReport;

/// The directory to report on.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReportQuery {
    /// A directory; absolute.
    directory: String,
    /// A session that works there: answers for it count, and so do its other directories.
    #[serde(default)]
    session: Option<SessionId>,
}

pub(super) async fn report(
    call: Call<Nothing, ReportQuery, NoBody>,
) -> Result<Got<TrustReport>, Problem> {
    let ReportQuery { directory, session } = call.query;
    let report = call.api.host.trust_report(&directory, session).await;
    Ok(Got(report.map_err(|error| match error {
        HostError::NoDirectory(_) => Problem::invalid(Fault::query("directory", error.to_string())),
        error => error.into(),
    })?))
}

pub(super) async fn list(
    call: Call<Nothing, Nothing, NoBody>,
) -> Result<Got<Page<TrustRow>>, Problem> {
    Ok(Got(Page { items: call.api.host.trust_list().await?, next: None }))
}

pub(super) async fn decide(
    call: Call<Nothing, Nothing, ApiJson<TrustDecision>>,
) -> Result<Got<TrustReport>, Problem> {
    let decided = call.api.host.decide_trust(call.body.0, &call.actor.identity).await;
    Ok(Got(decided.map_err(|error| match error {
        HostError::NoDirectory(_) => Problem::invalid(Fault::body("/directory", error.to_string())),
        error => error.into(),
    })?))
}

/// The repository to forget.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ForgetQuery {
    /// A directory in it, or its path as the list has it.
    directory: String,
}

pub(super) async fn forget(call: Call<Nothing, ForgetQuery, NoBody>) -> Result<Done, Problem> {
    call.api.host.forget_trust(&call.query.directory, &call.actor.identity).await?;
    Ok(Done)
}
