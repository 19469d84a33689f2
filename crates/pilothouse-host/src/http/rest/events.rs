//! What happened in a session, as it is stored.

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream::unfold;
use pilothouse_session::event::Event;
use pilothouse_session::id::SessionId;
use schemars::JsonSchema;
use serde::Deserialize;

use super::call::Call;
use super::fields::OfSession;
use super::limit;
use crate::host::HostError;
use crate::http::openapi::{NoBody, Told};
use crate::http::problem::Problem;
use crate::{Host, store::StoredEvent};

/// How many events an answer has, where that is not said; the most; and how many are read at once.
const USUAL: u32 = 1000;
const MOST: u32 = 100_000;
const AT_ONCE: usize = 512;

/// Which events.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListEvents {
    /// Those after this number; 0 for all.
    #[serde(default)]
    after: Option<u64>,
    /// How many.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100_000))]
    limit: Option<u32>,
}

/// A part of a session's events.
#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "it is never made: what is stored is sent as it is")]
pub(super) struct EventPage {
    /// The events.
    items: Vec<Event>,
    /// The number after which the next part begins; none at the end.
    next: Option<u64>,
}

pub(super) async fn list(
    call: Call<OfSession, ListEvents, NoBody>,
) -> Result<Told<EventPage>, Problem> {
    let left = limit::within(call.query.limit, USUAL, MOST)?;
    let session = call.path.session;
    let end = call.api.host.session(session).await?.last_seq;
    let after = call.query.after.unwrap_or(0);
    let host = call.api.host;
    // The beginning is read first, so that what is wrong is told as a problem.
    let first = read(&host, session, after, left).await?;
    let reading = Reading { host, session, end, after, left, first: Some(first), at: At::Begin };
    let chunks = unfold(reading, |reading| async move { reading.next().await });
    Ok(Told::new(Body::from_stream(chunks)))
}

/// A list that is being written.
struct Reading {
    host: Host,
    session: SessionId,
    /// The last event there was in the beginning.
    end: u64,
    after: u64,
    left: usize,
    first: Option<Vec<StoredEvent>>,
    at: At,
}

#[derive(Clone, Copy, PartialEq)]
enum At {
    Begin,
    Middle,
    Over,
}

async fn read(
    host: &Host,
    session: SessionId,
    after: u64,
    left: usize,
) -> Result<Vec<StoredEvent>, HostError> {
    host.read(move |store| store.read_after(session, after, left.min(AT_ONCE))).await
}

impl Reading {
    async fn next(mut self) -> Option<(Result<Bytes, HostError>, Self)> {
        if self.at == At::Over {
            return None;
        }
        let events = match self.first.take() {
            Some(first) => Ok(first),
            None => read(&self.host, self.session, self.after, self.left).await,
        };
        let events = match events {
            Ok(events) => events,
            Err(error) => {
                self.at = At::Over;
                return Some((Err(error), self));
            }
        };
        let mut text = Vec::new();
        if self.at == At::Begin {
            text.extend_from_slice(b"{\"items\":[");
        }
        for (number, event) in events.iter().enumerate() {
            if number > 0 || self.at == At::Middle {
                text.push(b',');
            }
            text.extend_from_slice(&event.json);
        }
        self.left -= events.len();
        self.after = events.last().map_or(self.after, |last| last.seq);
        self.at = At::Middle;
        if events.is_empty() || self.left == 0 || self.after >= self.end {
            let next = match self.after < self.end && !events.is_empty() {
                true => self.after.to_string(),
                false => "null".to_owned(),
            };
            text.extend_from_slice(format!("],\"next\":{next}}}").as_bytes());
            self.at = At::Over;
        }
        Some((Ok(text.into()), self))
    }
}
