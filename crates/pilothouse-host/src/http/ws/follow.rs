//! Watches one session for a socket.

use std::time::Instant;

use pilothouse_session::id::SessionId;
use tokio::sync::mpsc;

use super::message::ServerMessage;
use super::outbox::Parcel;
use crate::Host;
use crate::HostError;
use crate::host::{Subscription, Update};
use crate::http::problem::Problem;
use crate::telemetry::Metrics;

/// Something of a session that is watched.
#[derive(Debug)]
pub(super) struct Followed {
    pub(super) session: SessionId,
    /// Of the subscription: a later one for the same session has another.
    pub(super) ticket: u64,
    pub(super) read_at: Instant,
    pub(super) parcel: Parcel,
    /// Nothing comes after it.
    pub(super) is_last: bool,
}

/// Hands on everything that a session shows, until the session or the socket is gone.
pub(super) async fn follow(
    host: Host,
    session: SessionId,
    after: u64,
    ticket: u64,
    parcels: mpsc::Sender<Followed>,
) {
    let followed =
        |read_at, parcel, is_last| Followed { session, ticket, read_at, parcel, is_last };
    let metrics = host.telemetry().metrics();
    let _counted = metrics.hub_subscribers.hold();
    let failed = match host.watch(session, after).await {
        Ok(mut subscription) => loop {
            let (read_at, parcel) = match next(&mut subscription, metrics).await {
                Ok(next) => next,
                Err(error) => break error,
            };
            if parcels.send(followed(read_at, parcel, false)).await.is_err() {
                return;
            }
        },
        Err(error) => error,
    };
    let problem = Some(Box::new(Problem::from(failed).document().clone()));
    let message = ServerMessage::Unsubscribed { session, problem };
    let last = followed(Instant::now(), Parcel::Message(Box::new(message)), true);
    let _ = parcels.send(last).await;
}

async fn next(
    subscription: &mut Subscription,
    metrics: &Metrics,
) -> Result<(Instant, Parcel), HostError> {
    let session = subscription.session();
    let (read_at, update) = subscription.next().await?;
    let parcel = match update {
        Update::Event(event) => Parcel::Event { session, json: event.json },
        Update::Delta(delta) => {
            metrics.deltas_sent.add(1);
            Parcel::Delta { session, delta }
        }
        Update::Live { seq, open_items } => {
            Parcel::Message(Box::new(ServerMessage::Live { session, seq, open_items }))
        }
        Update::Lagged => {
            metrics.clients_lagged.add(1);
            Parcel::Message(Box::new(ServerMessage::Lagged { session }))
        }
    };
    Ok((read_at, parcel))
}
