//! The events of a session for those who only listen: server-sent events.
//!
//! `GET /api/v1/sessions/{session}/stream?after=N`. Events have their number as `id`, so a browser
//! that reconnects goes on where it was. Names: `event`, `delta`, `live`, `lagged`, and `end` with a
//! problem when the session cannot be watched any more. Pieces of open items are gathered for at most a
//! frame, like on a socket.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event as Sse, KeepAlive};
use axum::response::{IntoResponse, Response, Sse as Stream};
use axum::routing::get;
use axum::{Extension, Router};
use futures_util::StreamExt;
use futures_util::stream::{iter, unfold};
use pilothouse_session::id::SessionId;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::extract::{ApiPath, ApiQuery};
use super::guard::{Stay, is_over};
use super::pace::Pace;
use super::problem::{Fault, Problem};
use crate::Host;
use crate::host::{Subscription, Update};

/// From where to listen.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StreamQuery {
    /// The number of the last event that the client has. `Last-Event-ID` comes before it.
    pub after: u64,
}

/// How many updates are taken at once.
const MOST: usize = 512;

/// The route of the stream. Pieces are sent no more often than every `frame`. When the daemon is
/// `leaving`, streams end, for clients to look for the next one.
pub(crate) fn routes(host: Host, frame: Duration, leaving: CancellationToken) -> Router {
    let router = Router::new().route("/api/v1/sessions/{session}/stream", get(stream));
    router.with_state(Door { host, frame, leaving })
}

#[derive(Clone)]
struct Door {
    host: Host,
    frame: Duration,
    leaving: CancellationToken,
}

async fn stream(
    State(Door { host, frame, leaving }): State<Door>,
    ApiPath(session): ApiPath<SessionId>,
    ApiQuery(query): ApiQuery<StreamQuery>,
    stay: Option<Extension<Stay>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let after = match headers.get("last-event-id") {
        Some(id) => {
            let number = id.to_str().ok().and_then(|id| id.parse().ok());
            let fault = Fault::header("last-event-id", "it is not the number of an event");
            number.ok_or_else(|| Problem::invalid(fault))?
        }
        None => query.after,
    };
    let flow = Flow {
        subscription: host.watch(session, after).await?,
        pace: Pace { epoch: Instant::now(), frame },
        has_sent_pieces: false,
        is_over: false,
    };
    let events = unfold(flow, |mut flow| async move {
        let events = flow.next().await?;
        Some((iter(events.into_iter().map(Ok::<_, Infallible>)), flow))
    });
    let events = events.flatten();
    let ended = async move {
        tokio::select! {
            () = is_over(stay) => {}
            () = leaving.cancelled() => {}
        }
    };
    let events = events.take_until(Box::pin(ended));
    Ok(Stream::new(events).keep_alive(KeepAlive::default()).into_response())
}

/// What one client is sent of a session.
struct Flow {
    subscription: Subscription,
    pace: Pace,
    has_sent_pieces: bool,
    is_over: bool,
}

impl Flow {
    /// Waits for what comes next, and gives all that is there by then.
    async fn next(&mut self) -> Option<Vec<Sse>> {
        if self.is_over {
            return None;
        }
        if self.has_sent_pieces {
            self.pace.pause(&mut self.subscription).await;
        }
        let first = match self.subscription.next().await {
            Ok(first) => first,
            Err(error) => {
                self.is_over = true;
                return Some(vec![named("end", &json!(Problem::from(error).document()))]);
            }
        };
        let others = std::iter::from_fn(|| self.subscription.ready());
        let updates = std::iter::once(first).chain(others).take(MOST).map(|(_, update)| update);
        let gathered = gathered(updates);
        self.has_sent_pieces = gathered.iter().any(|update| matches!(update, Update::Delta(_)));
        Some(gathered.into_iter().map(event).collect())
    }
}

/// The same with pieces that follow one another put together.
fn gathered(updates: impl Iterator<Item = Update>) -> Vec<Update> {
    let mut gathered: Vec<Update> = Vec::new();
    for update in updates {
        if let (Some(Update::Delta(last)), Update::Delta(next)) = (gathered.last_mut(), &update)
            && Arc::make_mut(last).extend(next)
        {
            continue;
        }
        gathered.push(update);
    }
    gathered
}

fn event(update: Update) -> Sse {
    match update {
        Update::Event(event) => {
            let text = String::from_utf8_lossy(&event.json);
            Sse::default().event("event").id(event.seq.to_string()).data(text)
        }
        Update::Delta(delta) => named("delta", &json!(*delta)),
        Update::Live { seq, open_items } => {
            named("live", &json!({ "seq": seq, "open_items": open_items }))
        }
        Update::Lagged => named("lagged", &json!({})),
    }
}

fn named(name: &str, data: &serde_json::Value) -> Sse {
    Sse::default().event(name).data(data.to_string())
}
