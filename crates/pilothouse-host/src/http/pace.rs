//! How often pieces of open items are sent to somebody who watches.
//!
//! Pieces come many times a second. Who follows a session hands them on once in a frame and sleeps in
//! between: a piece that nobody is to be sent yet wakes nobody. Events are handed on at once, and what
//! came before them with them.

use std::time::{Duration, Instant};

use crate::host::Subscription;

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

    /// Sleeps until pieces are due again, or an event comes.
    pub(super) async fn pause(self, subscription: &mut Subscription) -> Option<Rest> {
        let from = Instant::now();
        let (wake, due) = self.rest(from)?;
        tokio::select! {
            () = tokio::time::sleep_until(wake.into()) => {}
            () = subscription.event_comes() => {}
        }
        // To be woken late was not meant.
        Some(Rest { from, to: due.min(Instant::now()) })
    }
}

/// A time in which nothing was handed on, on purpose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest {
    from: Instant,
    to: Instant,
}

impl Rest {
    /// How much of it something has waited through that was read then.
    pub(super) fn held(self, read_at: Instant) -> Duration {
        self.to.saturating_duration_since(read_at.max(self.from))
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
