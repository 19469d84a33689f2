//! Watches one session for a socket.
//!
//! Pieces of open items come many times a second. Who follows hands them on once in a frame, at the
//! same moments for all sessions of a socket, and sleeps in between: a piece that nobody is to be
//! sent yet wakes nobody. Events are handed on at once, and what came before them with them.

use std::time::{Duration, Instant};

use pilothouse_session::id::SessionId;
use tokio::sync::mpsc;

use super::message::ServerMessage;
use super::outbox::Parcel;
use crate::Host;
use crate::HostError;
use crate::host::{Subscription, Update};
use crate::http::pace::{Pace, Rest};
use crate::http::problem::Problem;
use crate::telemetry::Metrics;

/// Something of a session that is watched.
#[derive(Debug)]
pub(super) struct Followed {
    pub(super) session: SessionId,
    /// Of the subscription: a later one for the same session has another.
    pub(super) ticket: u64,
    pub(super) parcels: Vec<Dated>,
    /// Nothing comes after it.
    pub(super) is_last: bool,
}

/// A parcel, and where its time went.
#[derive(Debug)]
pub(super) struct Dated {
    pub(super) parcel: Parcel,
    /// When the CLI's line was read.
    pub(super) read_at: Instant,
    /// How long it was held back on purpose.
    pub(super) held: Duration,
}

/// How much is handed on at once.
const MOST: usize = 512;

/// Hands on everything that a session shows, until the session or the socket is gone.
pub(super) async fn follow(
    host: Host,
    (session, after): (SessionId, u64),
    ticket: u64,
    pace: Pace,
    outbox: mpsc::Sender<Followed>,
) {
    let metrics = host.telemetry().metrics();
    let _counted = metrics.hub_subscribers.hold();
    let watched = host.watch(session, after).await;
    let failed = match watched {
        Ok(subscription) => hand_on(subscription, ticket, pace, metrics, &outbox).await,
        Err(error) => Some(error),
    };
    let Some(failed) = failed else { return };
    let problem = Some(Box::new(Problem::from(failed).document().clone()));
    let message = ServerMessage::Unsubscribed { session, problem };
    let parcel = Parcel::Message(Box::new(message));
    let last = Dated { parcel, read_at: Instant::now(), held: Duration::ZERO };
    let _ = outbox.send(Followed { session, ticket, parcels: vec![last], is_last: true }).await;
}

/// Hands on until the session cannot be watched any more; nothing when it is the socket that is gone.
async fn hand_on(
    mut subscription: Subscription,
    ticket: u64,
    pace: Pace,
    metrics: &Metrics,
    outbox: &mpsc::Sender<Followed>,
) -> Option<HostError> {
    let session = subscription.session();
    let mut rest = None;
    loop {
        let first = match subscription.next().await {
            Ok(first) => first,
            Err(error) => return Some(error),
        };
        let others = std::iter::from_fn(|| subscription.ready());
        let date = |(read_at, update)| Dated {
            parcel: parcel(session, update, metrics),
            read_at,
            held: rest.map_or(Duration::ZERO, |rest: Rest| rest.held(read_at)),
        };
        let parcels: Vec<Dated> =
            std::iter::once(first).chain(others).take(MOST).map(date).collect();
        let is_piece = |dated: &Dated| matches!(dated.parcel, Parcel::Delta { .. });
        let has_pieces = parcels.iter().any(is_piece);
        outbox.send(Followed { session, ticket, parcels, is_last: false }).await.ok()?;
        rest = match has_pieces {
            true => pace.pause(&mut subscription).await,
            false => None,
        };
    }
}

fn parcel(session: SessionId, update: Update, metrics: &Metrics) -> Parcel {
    match update {
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
    }
}
