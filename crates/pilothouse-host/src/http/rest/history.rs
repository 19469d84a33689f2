//! Conversations that the CLI has kept.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::call::Call;
use super::fields::OfPast;
use super::limit;
use super::sessions::{check, made};
use crate::host::{ImportSession, blocking};
use crate::http::extract::ApiJson;
use crate::http::openapi::{Got, Made, NoBody, Nothing};
use crate::http::problem::{Fault, Problem};
use crate::past::{PastFound, PastPage, PastPlace, PastSearch};
use crate::store::SessionRow;

/// The most conversations of a page.
const MOST: u32 = 200;

/// How long is searched.
const SEARCH: Duration = Duration::from_secs(10);

/// Which past conversations.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListHistory {
    /// Only those of this directory and of the other worktrees of its repository.
    #[serde(default)]
    cwd: Option<String>,
    /// `next` of the page before.
    #[serde(default)]
    after: Option<u32>,
    /// How many.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
}

fn place(cwd: Option<String>) -> Result<PastPlace, Problem> {
    match cwd {
        None => Ok(PastPlace::Everywhere),
        Some(cwd) if std::path::Path::new(&cwd).is_absolute() && !cwd.contains('\0') => {
            Ok(PastPlace::Directory(cwd.into()))
        }
        Some(_) => Err(Problem::invalid(Fault::query("cwd", "it must be an absolute path"))),
    }
}

pub(super) async fn list(
    call: Call<Nothing, ListHistory, NoBody>,
) -> Result<Got<PastPage>, Problem> {
    let ListHistory { cwd, after, limit } = call.query;
    let (place, limit) = (place(cwd)?, limit::within(limit, limit::USUAL, MOST)?);
    let past = call.api.host.past()?;
    let offset = after.unwrap_or(0) as usize;
    Ok(Got(blocking(move || past.list(&place, offset, limit)).await))
}

/// What is looked for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchHistory {
    /// The words, as they stand; case does not matter.
    q: String,
    /// Only in conversations of this directory and of the other worktrees of its repository.
    #[serde(default)]
    cwd: Option<String>,
    /// How many conversations are enough.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
}

pub(super) async fn search(
    call: Call<Nothing, SearchHistory, NoBody>,
) -> Result<Got<PastFound>, Problem> {
    let SearchHistory { q, cwd, limit } = call.query;
    let search = PastSearch {
        query: q,
        place: place(cwd)?,
        limit: limit::within(limit, limit::USUAL, MOST)?,
        patience: SEARCH,
    };
    let past = call.api.host.past()?;
    Ok(Got(blocking(move || past.search(&search)).await?))
}

pub(super) async fn import(
    call: Call<OfPast, Nothing, ApiJson<ImportSession>>,
) -> Result<Made<SessionRow>, Problem> {
    let ApiJson(wish) = call.body;
    check(wish.title.as_deref(), &wish.tags)?;
    let host = &call.api.host;
    let (it, is_new) = host.import(&call.path.cli_session, wish).await?;
    if is_new {
        let detail = json!({ "cwd": it.cwd, "policy": it.policy, "imported": it.cli_session });
        host.note(Some(it.id), &call.actor.identity, "session.created", detail).await;
    }
    Ok(made(it, is_new))
}
