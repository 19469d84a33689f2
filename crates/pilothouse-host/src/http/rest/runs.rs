//! The processes that serve a session, and every line they said.

use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::unfold;
use pilothouse_session::Command;
use pilothouse_session::command::From;
use schemars::JsonSchema;
use serde::Deserialize;

use super::call::Call;
use super::fields::{OfRun, OfSession};
use super::range::Span;
use crate::host::RunRow;
use crate::http::extract::ApiJson;
use crate::http::openapi::{Accepted, Got, HeaderParameter, NoBody, Nothing, Octets};
use crate::http::problem::Problem;
use crate::store::{Page, SessionRow};

/// How much of a log is read at once.
const AT_ONCE: u64 = 1024 * 1024;

/// From where a run goes on.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct StartRun {
    /// The end of the conversation, where left out.
    from: From,
}

pub(super) async fn start(
    call: Call<OfSession, Nothing, ApiJson<StartRun>>,
) -> Result<Accepted<SessionRow>, Problem> {
    let id = call.path.session;
    call.api.command(id, Command::Start(call.body.0.from)).await?;
    Ok(Accepted(call.api.host.session(id).await?))
}

pub(super) async fn stop(
    call: Call<OfSession, Nothing, NoBody>,
) -> Result<Accepted<SessionRow>, Problem> {
    let id = call.path.session;
    call.api.command(id, Command::Stop).await?;
    Ok(Accepted(call.api.host.session(id).await?))
}

pub(super) async fn list(
    call: Call<OfSession, Nothing, NoBody>,
) -> Result<Got<Page<RunRow>>, Problem> {
    let items = call.api.host.runs(call.path.session).await?;
    Ok(Got(Page { items, next: None }))
}

/// Which part of a log.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WirePart {
    /// From this byte on.
    #[serde(default)]
    offset: Option<u64>,
    /// The most bytes.
    #[serde(default)]
    length: Option<u64>,
}

/// The header that asks for a part.
pub(super) const RANGED: &[HeaderParameter] = &[HeaderParameter {
    name: "Range",
    meaning: "A part, as `bytes=FROM-TO`; heeded where there is neither `offset` nor `length`.",
}];

pub(super) async fn wire(call: Call<OfRun, WirePart, NoBody>) -> Result<Octets, Problem> {
    let OfRun { session, run } = call.path;
    let host = call.api.host.clone();
    let whole = host.wire_length(session, run).await?;
    let range = call.header(header::RANGE)?;
    let span = Span::of(range, (call.query.offset, call.query.length), whole)?;
    // What is read first can still be refused as a problem.
    let first = host.wire_log(session, run, span.start, room(span.start, span.end)).await?;
    let state = (host, span.start, Some(first));
    let chunks = unfold(state, move |(host, at, first)| async move {
        if at >= span.end {
            return None;
        }
        let bytes = match first {
            Some(first) => Ok(first),
            None => host.wire_log(session, run, at, room(at, span.end)).await,
        };
        let at = match &bytes {
            // A log never gets shorter; if it does, the answer must not go on for ever.
            Ok(bytes) if bytes.is_empty() => span.end,
            Ok(bytes) => at + bytes.len() as u64,
            Err(_) => span.end,
        };
        Some((bytes.map(Bytes::from), (host, at, None)))
    });
    Ok(Octets(answer(span, whole, Body::from_stream(chunks))))
}

fn room(at: u64, end: u64) -> usize {
    usize::try_from(end.saturating_sub(at).min(AT_ONCE)).unwrap_or(usize::MAX)
}

fn answer(span: Span, whole: u64, body: Body) -> Response {
    let Span { start, end, is_part } = span;
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_LENGTH, (end - start).to_string()),
        (header::ACCEPT_RANGES, "bytes".to_owned()),
    ];
    match is_part {
        false => (headers, body).into_response(),
        true => {
            let part = [(header::CONTENT_RANGE, format!("bytes {start}-{}/{whole}", end - 1))];
            (StatusCode::PARTIAL_CONTENT, headers, part, body).into_response()
        }
    }
}
