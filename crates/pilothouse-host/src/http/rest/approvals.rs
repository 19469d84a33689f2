//! What sessions ask, and the answers.

use pilothouse_session::Command;
use pilothouse_session::approval::Decision;
use schemars::JsonSchema;
use serde::Deserialize;

use super::call::Call;
use super::fields::{OfApproval, OfSession};
use super::limit;
use crate::http::extract::ApiJson;
use crate::http::openapi::{Done, Got, NoBody, Nothing};
use crate::http::problem::Problem;
use crate::store::{ApprovalRow, ApprovalState, Page, StoreError};

/// Which requests of a session.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListApprovals {
    /// Only those that stand like this.
    #[serde(default)]
    state: Option<ApprovalState>,
    /// `next` of the page before.
    #[serde(default)]
    after: Option<String>,
    /// How many.
    #[serde(default)]
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
}

/// A part of the requests that wait in all sessions.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListOpen {
    /// `next` of the page before.
    #[serde(default)]
    after: Option<String>,
    /// How many.
    #[serde(default)]
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
}

pub(super) async fn of_session(
    call: Call<OfSession, ListApprovals, NoBody>,
) -> Result<Got<Page<ApprovalRow>>, Problem> {
    let id = call.path.session;
    let ListApprovals { state, after, limit } = call.query;
    let limit = limit::page(limit)?;
    let after: u64 = match &after {
        Some(mark) => mark.parse().map_err(|_| StoreError::BadCursor(mark.clone()))?,
        None => 0,
    };
    call.api.host.session(id).await?;
    let rows = call.api.host.read(move |store| store.approvals(id)).await?;
    let fits = |row: &ApprovalRow| {
        row.approval.0 > after && state.is_none_or(|wanted| row.state == wanted)
    };
    let rows = rows.into_iter().filter(fits).collect();
    Ok(Got(cut(rows, limit, |row| row.approval.to_string())))
}

pub(super) async fn open(
    call: Call<Nothing, ListOpen, NoBody>,
) -> Result<Got<Page<ApprovalRow>>, Problem> {
    let limit = limit::page(call.query.limit)?;
    let mut rows = call.api.host.read(crate::store::Store::open_approvals).await?;
    if let Some(after) = call.query.after {
        let bad = || StoreError::BadCursor(after.clone());
        let since: i64 = after.split('.').next().and_then(|at| at.parse().ok()).ok_or_else(bad)?;
        // The one that the mark names may be answered by now; its time still tells the place.
        let seen = match rows.iter().position(|row| mark(row) == after) {
            Some(at) => at + 1,
            None => rows.partition_point(|row| row.requested_at.as_microsecond() < since),
        };
        rows.drain(..seen);
    }
    Ok(Got(cut(rows, limit, mark)))
}

fn mark(row: &ApprovalRow) -> String {
    format!("{}.{}.{}", row.requested_at.as_microsecond(), row.session, row.approval)
}

/// The first of a list, with where the rest begins.
fn cut<T>(mut items: Vec<T>, limit: usize, mark: impl Fn(&T) -> String) -> Page<T> {
    let is_more = items.len() > limit;
    items.truncate(limit);
    let next = items.last().filter(|_| is_more).map(mark);
    Page { items, next }
}

pub(super) async fn decide(
    call: Call<OfApproval, Nothing, ApiJson<Decision>>,
) -> Result<Done, Problem> {
    let OfApproval { session, approval } = call.path;
    let ApiJson(decision) = call.body;
    let (name, identity) = (Some(call.actor.name), Some(call.actor.identity));
    call.api.command(session, Command::Decide { approval, decision, name, identity }).await?;
    Ok(Done)
}
