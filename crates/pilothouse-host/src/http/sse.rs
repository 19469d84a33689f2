//! The events of a session for those who only listen: server-sent events.
//!
//! `GET /api/v1/sessions/{session}/stream?after=N`. Events have their number as `id`, so a browser
//! that reconnects goes on where it was. Names: `event`, `delta`, `live`, `lagged`, and `end` with a
//! problem when the session cannot be watched any more.

use std::convert::Infallible;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event as Sse, KeepAlive};
use axum::response::{IntoResponse, Response, Sse as Stream};
use axum::routing::get;
use axum::{Extension, Router};
use futures_util::StreamExt;
use futures_util::stream::unfold;
use pilothouse_session::id::SessionId;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::extract::{ApiPath, ApiQuery};
use super::guard::{Stay, is_over};
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

/// The route of the stream. When the daemon is `leaving`, streams end, for clients to look for the
/// next one.
pub(crate) fn routes(host: Host, leaving: CancellationToken) -> Router {
    let router = Router::new().route("/api/v1/sessions/{session}/stream", get(stream));
    router.with_state((host, leaving))
}

async fn stream(
    State((host, leaving)): State<(Host, CancellationToken)>,
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
    let subscription = host.watch(session, after).await?;
    let events = unfold(Some(subscription), |subscription| async move {
        let mut subscription = subscription?;
        let (event, goes_on) = next(&mut subscription).await;
        Some((Ok::<_, Infallible>(event), goes_on.then_some(subscription)))
    });
    let ended = async move {
        tokio::select! {
            () = is_over(stay) => {}
            () = leaving.cancelled() => {}
        }
    };
    let events = events.take_until(Box::pin(ended));
    Ok(Stream::new(events).keep_alive(KeepAlive::default()).into_response())
}

async fn next(subscription: &mut Subscription) -> (Sse, bool) {
    let update = match subscription.next().await {
        Ok((_, update)) => update,
        Err(error) => {
            let problem = Problem::from(error);
            return (named("end", &json!(problem.document())), false);
        }
    };
    let event = match update {
        Update::Event(event) => {
            let text = String::from_utf8_lossy(&event.json);
            Sse::default().event("event").id(event.seq.to_string()).data(text)
        }
        Update::Delta(delta) => named("delta", &json!(*delta)),
        Update::Live { seq, open_items } => {
            named("live", &json!({ "seq": seq, "open_items": open_items }))
        }
        Update::Lagged => named("lagged", &json!({})),
    };
    (event, true)
}

fn named(name: &str, data: &serde_json::Value) -> Sse {
    Sse::default().event(name).data(data.to_string())
}
