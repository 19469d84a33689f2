//! Sessions as a whole.

use pilothouse_session::event::Status;
use pilothouse_session::id::SessionId;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use super::call::Call;
use super::fields::OfSession;
use super::limit;
use crate::HostError;
use crate::host::{Beginning, NewSession, Profile, SessionDetail};
use crate::http::extract::ApiJson;
use crate::http::openapi::{Done, Got, Made, NoBody, Nothing};
use crate::http::problem::{Fault, Kind, Problem};
use crate::store::{Hit, Page, Search, SessionChange, SessionFilter, SessionRow, Voice};

/// A session to be.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateSession {
    /// Its id; a new one if it is left out. Asking again with the same id changes nothing.
    #[serde(default)]
    id: Option<SessionId>,
    /// Where it works: the absolute path of a directory.
    cwd: String,
    /// Its title.
    #[serde(default)]
    title: Option<String>,
    /// Its tags.
    #[serde(default)]
    tags: Vec<String>,
    /// Its policy: a preset, or one that was put there; the daemon's usual one where it is left out,
    /// none where it is empty: then people answer everything.
    #[serde(default)]
    policy: Option<String>,
    /// How its runs are started.
    #[serde(default)]
    profile: Profile,
    /// With which conversation it begins.
    #[serde(default)]
    begin: Beginning,
}

pub(super) async fn create(
    call: Call<Nothing, Nothing, ApiJson<CreateSession>>,
) -> Result<Made<SessionRow>, Problem> {
    let ApiJson(CreateSession { id, cwd, title, tags, policy, profile, begin }) = call.body;
    check(title.as_deref(), &tags)?;
    let host = &call.api.host;
    if let Some(id) = id
        && let Some(it) = host.read(move |store| store.session(id)).await?
    {
        return Ok(made(it, false));
    }
    let it = host.create(NewSession { id, cwd, title, tags, policy, profile, begin }).await?;
    let detail = json!({ "cwd": it.cwd, "policy": it.policy });
    host.note(Some(it.id), &call.actor.identity, "session.created", detail).await;
    Ok(made(it, true))
}

pub(super) fn made(it: SessionRow, is_new: bool) -> Made<SessionRow> {
    Made { is_new, location: format!("/api/v1/sessions/{}", it.id), it }
}

pub(super) fn check(title: Option<&str>, tags: &[String]) -> Result<(), Problem> {
    limit::text("/title", title.unwrap_or_default(), limit::TITLE)?;
    limit::tags(tags)
}

/// Which sessions are listed.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListSessions {
    /// Only archived ones, or only others.
    #[serde(default)]
    archived: Option<bool>,
    /// Only those with this tag.
    #[serde(default)]
    tag: Option<String>,
    /// Only those in this directory.
    #[serde(default)]
    cwd: Option<String>,
    /// Only those in this state; may come several times.
    #[serde(default)]
    status: Vec<Status>,
    /// Only those that need a person.
    #[serde(default)]
    needs_you: Option<bool>,
    /// Only those with something new.
    #[serde(default)]
    unread: Option<bool>,
    /// Only those whose title or directory contains this.
    #[serde(default)]
    named: Option<String>,
    /// Only the one with this conversation of the CLI.
    #[serde(default)]
    cli_session: Option<String>,
    /// `next` of the page before.
    #[serde(default)]
    after: Option<String>,
    /// How many.
    #[serde(default)]
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
}

pub(super) async fn list(
    call: Call<Nothing, ListSessions, NoBody>,
) -> Result<Got<Page<SessionRow>>, Problem> {
    let query = call.query;
    let limit = limit::page(query.limit)?;
    let filter = SessionFilter {
        archived: query.archived,
        tag: query.tag,
        cwd: query.cwd,
        statuses: query.status,
        needs_you: query.needs_you.unwrap_or(false),
        unread: query.unread.unwrap_or(false),
        named: query.named,
        cli_session: query.cli_session,
    };
    Ok(Got(call.api.host.sessions(filter, query.after, limit).await?))
}

/// What is looked for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchSessions {
    /// Words, all of which have to be there; the last may be the beginning of one. What stands in
    /// double quotes has to stand together.
    q: String,
    /// Only in this session.
    #[serde(default)]
    session: Option<SessionId>,
    /// Only what these say; may come several times.
    #[serde(default)]
    voice: Vec<Voice>,
    /// Also in archived sessions.
    #[serde(default)]
    archived: Option<bool>,
    /// `next` of the page before.
    #[serde(default)]
    after: Option<String>,
    /// How many.
    #[serde(default)]
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
}

pub(super) async fn search(
    call: Call<Nothing, SearchSessions, NoBody>,
) -> Result<Got<Page<Hit>>, Problem> {
    let query = call.query;
    let search = Search {
        limit: limit::page(query.limit)?,
        after: query.after,
        text: query.q,
        session: query.session,
        voices: query.voice,
        with_archived: query.archived.unwrap_or(false),
    };
    Ok(Got(call.api.host.read(move |store| store.search(&search)).await?))
}

pub(super) async fn one(
    call: Call<OfSession, Nothing, NoBody>,
) -> Result<Got<SessionDetail>, Problem> {
    Ok(Got(call.api.host.detail(call.path.session).await?))
}

/// What is changed about a session. What is left out, or null, stays.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangeSession {
    /// Another title; an empty one gives the title back to the CLI.
    #[serde(default)]
    title: Option<String>,
    /// Other tags, all of them.
    #[serde(default)]
    tags: Option<Vec<String>>,
    /// Put away, or taken out again.
    #[serde(default)]
    archived: Option<bool>,
    /// Another policy; an empty one for none.
    #[serde(default)]
    policy: Option<String>,
    /// Somebody has seen everything up to this event.
    #[serde(default)]
    read_to: Option<u64>,
}

pub(super) async fn change(
    call: Call<OfSession, Nothing, ApiJson<ChangeSession>>,
) -> Result<Got<SessionRow>, Problem> {
    let id = call.path.session;
    let ApiJson(ChangeSession { title, tags, archived, policy, read_to }) = call.body;
    check(title.as_deref(), tags.as_deref().unwrap_or_default())?;
    let host = &call.api.host;
    let before = host.session(id).await?;
    if read_to.is_some_and(|to| to > before.last_seq) {
        let detail = format!("the last event is {}", before.last_seq);
        return Err(Problem::invalid(Fault::body("/read_to", detail)));
    }
    let change =
        SessionChange { title, tags, archived, policy: policy.clone(), settings: None, read_to };
    let after = host.change(id, change).await?;
    if policy.is_some() {
        let detail = json!({ "before": before.policy, "after": after.policy });
        host.note(Some(id), &call.actor.identity, "session.policy_changed", detail).await;
    }
    Ok(Got(after))
}

pub(super) async fn delete(call: Call<OfSession, Nothing, NoBody>) -> Result<Done, Problem> {
    let (patience, host) = (call.api.patience.end, call.api.host);
    let (session, by) = (call.path.session, call.actor.identity);
    host.session(session).await?;
    // To its end, however long that takes: half of it may be done.
    let deleted = tokio::spawn(async move {
        let deleted = host.delete(session, &by).await;
        if let Err(error) = &deleted {
            tracing::warn!(%error, %session, "a session was not deleted");
        }
        deleted
    });
    match tokio::time::timeout(patience, deleted).await {
        Ok(deleted) => deleted.unwrap_or(Err(HostError::Closed(session)))?,
        Err(_) => {
            let detail = "its run has not ended yet: it will be deleted when it has; look again";
            return Err(Problem::new(Kind::TimedOut, detail));
        }
    }
    Ok(Done)
}

/// A copy of a session's conversation.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ForkSession {
    /// The new session's id; chosen if it is left out.
    id: Option<SessionId>,
    /// The CLI's id of the message after which the copy ends; without one it is whole.
    at: Option<Uuid>,
    /// The copy's title.
    title: Option<String>,
    /// The copy's tags; those of the original where left out.
    tags: Option<Vec<String>>,
}

pub(super) async fn fork(
    call: Call<OfSession, Nothing, ApiJson<ForkSession>>,
) -> Result<Made<SessionRow>, Problem> {
    let session = call.path.session;
    let ApiJson(ForkSession { id, at, title, tags }) = call.body;
    let host = &call.api.host;
    let row = host.session(session).await?;
    if let Some(id) = id
        && let Some(it) = host.read(move |store| store.session(id)).await?
    {
        return Ok(made(it, false));
    }
    let mut profile: Profile = serde_json::from_value(row.settings).unwrap_or_default();
    // As it is now, not as it began.
    profile.model = row.model.or(profile.model);
    profile.mode = row.mode.or(profile.mode);
    let new = NewSession {
        id,
        cwd: row.cwd,
        title,
        tags: tags.unwrap_or(row.tags),
        // One without a policy has a copy without one, whatever is usual here.
        policy: Some(row.policy.unwrap_or_default()),
        profile,
        begin: Beginning::Fork { session, at },
    };
    check(new.title.as_deref(), &new.tags)?;
    let it = host.create(new).await?;
    let detail = json!({ "cwd": it.cwd, "policy": it.policy, "fork_of": session });
    host.note(Some(it.id), &call.actor.identity, "session.created", detail).await;
    Ok(made(it, true))
}
