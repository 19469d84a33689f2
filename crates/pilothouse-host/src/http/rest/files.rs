//! What is in a session's directories.

use axum::http::header;
use axum::response::IntoResponse;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Api;
use super::call::Call;
use super::fields::OfSession;
use super::limit;
use crate::files::{
    Completion, DirListing, FileError, FileView, ReadRange, Roots, Seen, WorkingTree,
};
use crate::host::blocking;
use crate::http::openapi::{Got, NoBody, Nothing, Plain};
use crate::http::problem::{Fault, Kind, Problem};
use pilothouse_session::id::SessionId;

/// The most entries of a directory in one answer.
const MOST_ENTRIES: u32 = 5000;

/// Looks into a session's directories.
async fn look<T: Send + 'static>(
    api: &Api,
    session: SessionId,
    look: impl FnOnce(&Roots) -> Result<T, FileError> + Send + 'static,
) -> Result<T, Problem> {
    let roots = api.host.roots(session).await??;
    Ok(blocking(move || look(&roots)).await?)
}

/// What a name begins with, or has in it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CompleteFile {
    /// Letters of the name, in their order; none for the best of all.
    #[serde(default)]
    q: String,
    /// How many.
    #[serde(default)]
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
}

pub(super) async fn complete(
    call: Call<OfSession, CompleteFile, NoBody>,
) -> Result<Got<Completion>, Problem> {
    let CompleteFile { q, limit } = call.query;
    let limit = limit::page(limit)?;
    let completions = call.api.completions.clone();
    let complete = move |roots: &Roots| Ok(completions.complete(roots, &q, limit));
    Ok(Got(look(&call.api, call.path.session, complete).await?))
}

/// Which lines of which file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadFile {
    /// Its path: relative to the working directory, or absolute in one of the session's.
    path: String,
    /// The first line, from 1.
    #[serde(default)]
    first_line: Option<u64>,
    /// How many lines.
    #[serde(default)]
    lines: Option<u64>,
}

pub(super) async fn read(
    call: Call<OfSession, ReadFile, NoBody>,
) -> Result<Got<FileView>, Problem> {
    let ReadFile { path, first_line, lines } = call.query;
    if first_line == Some(0) {
        return Err(Problem::invalid(Fault::query("first_line", "lines are counted from 1")));
    }
    let whole = ReadRange::default();
    let range = ReadRange {
        first_line: first_line.unwrap_or(whole.first_line),
        lines: lines.unwrap_or(whole.lines),
    };
    let read = move |roots: &Roots| roots.read(&path, range);
    Ok(Got(look(&call.api, call.path.session, read).await?))
}

/// Which picture.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadImage {
    /// Its path: relative to the working directory, or absolute in one of the session's.
    path: String,
}

pub(super) async fn image(call: Call<OfSession, ReadImage, NoBody>) -> Result<Plain, Problem> {
    let ReadImage { path } = call.query;
    let read = move |roots: &Roots| roots.read(&path, ReadRange::default());
    let view = look(&call.api, call.path.session, read).await?;
    let Seen::Image { bytes, .. } = view.content else {
        let detail = "this is no picture, or one that is too large: read it as a file";
        return Err(Problem::new(Kind::Unprocessable, detail));
    };
    let headers = [
        (header::CONTENT_TYPE, &*view.media_type),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'"),
    ];
    Ok(Plain((headers, bytes).into_response()))
}

/// Which directory.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListDirectory {
    /// Its path; the working directory, if left out.
    #[serde(default)]
    path: Option<String>,
    /// How many entries.
    #[serde(default)]
    #[schemars(range(min = 1, max = 5000))]
    limit: Option<u32>,
}

pub(super) async fn list(
    call: Call<OfSession, ListDirectory, NoBody>,
) -> Result<Got<DirListing>, Problem> {
    let limit = limit::within(call.query.limit, MOST_ENTRIES, MOST_ENTRIES)?;
    let path = call.query.path.unwrap_or_else(|| ".".to_owned());
    let list = move |roots: &Roots| roots.list(&path, limit);
    Ok(Got(look(&call.api, call.path.session, list).await?))
}

pub(super) async fn diff(
    call: Call<OfSession, Nothing, NoBody>,
) -> Result<Got<WorkingTree>, Problem> {
    Ok(Got(look(&call.api, call.path.session, Roots::changes).await?))
}
