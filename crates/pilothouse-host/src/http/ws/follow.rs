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

/// The runtime's timers fire up to so much late. They are set so much early: pieces are held back
/// for a frame at most, not for a frame and whatever the clock adds to it.
const GRAIN: Duration = Duration::from_millis(2);

/// When pieces are handed on at the latest: every `frame` since `epoch`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) epoch: Instant,
    pub(super) frame: Duration,
}

impl Pace {
    /// The next moment after this one; none if nothing is held back.
    fn after(self, now: Instant) -> Option<Instant> {
        let gone = now.saturating_duration_since(self.epoch).as_nanos();
        let into = gone.checked_rem(self.frame.as_nanos())?;
        let rest = self.frame.saturating_sub(Duration::from_nanos(u64::try_from(into).ok()?));
        Some(now + rest)
    }

    /// When to wake up for the next moment, and that moment. Who was woken early for one waits for
    /// the one after it.
    fn rest(self, now: Instant) -> Option<(Instant, Instant)> {
        let grain = GRAIN.min(self.frame / 2);
        let due = self.after(now + grain)?;
        Some((due - grain, due))
    }
}

/// A time in which nothing was handed on, on purpose.
#[derive(Clone, Copy, Debug)]
struct Rest {
    from: Instant,
    to: Instant,
}

impl Rest {
    /// How much of it something has waited through that was read then.
    fn held(self, read_at: Instant) -> Duration {
        self.to.saturating_duration_since(read_at.max(self.from))
    }
}

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
            true => pause(&mut subscription, pace).await,
            false => None,
        };
    }
}

/// Sleeps until pieces are due again, or an event comes.
async fn pause(subscription: &mut Subscription, pace: Pace) -> Option<Rest> {
    let from = Instant::now();
    let (wake, due) = pace.rest(from)?;
    tokio::select! {
        () = tokio::time::sleep_until(wake.into()) => {}
        () = subscription.event_comes() => {}
    }
    // To be woken late was not meant.
    Some(Rest { from, to: due.min(Instant::now()) })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moments_are_the_same_for_all() {
        let (epoch, frame) = (Instant::now(), Duration::from_millis(33));
        let pace = Pace { epoch, frame };
        let at = |millis| epoch + Duration::from_millis(millis);
        assert_eq!(pace.after(at(0)), Some(at(33)));
        assert_eq!(pace.after(at(32)), Some(at(33)));
        assert_eq!(pace.after(at(33)), Some(at(66)));
        assert_eq!(Pace { epoch, frame: Duration::ZERO }.after(at(5)), None);
    }

    #[test]
    fn no_moment_is_used_twice() {
        for millis in [1, 2, 3, 33] {
            let (epoch, frame) = (Instant::now(), Duration::from_millis(millis));
            let pace = Pace { epoch, frame };
            let mut now = epoch;
            for number in 1..=5 {
                let (wake, due) = pace.rest(now).unwrap();
                assert_eq!(due, epoch + frame * number, "{millis} ms");
                assert!(now < wake && wake < due);
                now = wake;
            }
        }
    }

    #[test]
    fn what_was_read_in_a_rest_was_held_for_the_rest_of_it() {
        let from = Instant::now();
        let rest = Rest { from, to: from + Duration::from_millis(30) };
        let held = |millis| rest.held(from + Duration::from_millis(millis)).as_millis();
        assert_eq!((held(0), held(10), held(30), held(40)), (30, 20, 0, 0));
    }
}
