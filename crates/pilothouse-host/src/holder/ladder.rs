//! How a CLI is ended: end of stdin, SIGTERM, SIGKILL, with time between.

use std::time::{Duration, Instant};

/// How far down the CLI is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ladder {
    /// Not being stopped.
    Up,
    /// Its stdin is closed, or will be when what was sent is written; SIGTERM comes at this time.
    Eof(Instant),
    /// It got SIGTERM; SIGKILL comes at this time.
    Term(Instant),
    /// It got SIGKILL.
    Down,
}

/// That much later; for a time that no clock reaches, in some years.
pub(crate) fn later(from: Instant, by: Duration) -> Instant {
    const YEARS: Duration = Duration::from_secs(10 * 366 * 24 * 60 * 60);
    from + by.min(YEARS)
}

/// What to send the CLI now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rung {
    Term,
    Kill,
}

impl Ladder {
    /// Starts down, or goes down faster.
    pub(crate) fn descend(&mut self, now: Instant, grace: Duration) {
        let until = later(now, grace);
        match self {
            Self::Up => *self = Self::Eof(until),
            Self::Eof(earlier) => *earlier = until.min(*earlier),
            Self::Term(_) | Self::Down => {}
        }
    }

    /// When something is next to be done.
    pub(crate) fn deadline(self) -> Option<Instant> {
        match self {
            Self::Eof(until) | Self::Term(until) => Some(until),
            Self::Up | Self::Down => None,
        }
    }

    /// What is to be done now, if it is time.
    pub(crate) fn step(&mut self, now: Instant, after_term: Duration) -> Option<Rung> {
        match *self {
            Self::Eof(until) if now >= until => {
                *self = Self::Term(later(now, after_term));
                Some(Rung::Term)
            }
            Self::Term(until) if now >= until => {
                *self = Self::Down;
                Some(Rung::Kill)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rung_has_its_time() {
        let (start, second) = (Instant::now(), Duration::from_secs(1));
        let mut ladder = Ladder::Up;
        assert_eq!(ladder.step(start + 100 * second, second), None);
        ladder.descend(start, Duration::MAX);
        assert!(ladder.deadline() > Some(start + 1000 * second));
        ladder.descend(start, 2 * second);
        ladder.descend(start, 9 * second);
        assert_eq!(ladder.deadline(), Some(start + 2 * second), "the shortest grace counts");
        assert_eq!(ladder.step(start + second, 5 * second), None);
        assert_eq!(ladder.step(start + 3 * second, 5 * second), Some(Rung::Term));
        assert_eq!(ladder.step(start + 7 * second, 5 * second), None);
        assert_eq!(ladder.step(start + 8 * second, 5 * second), Some(Rung::Kill));
        assert_eq!((ladder, ladder.deadline()), (Ladder::Down, None));
    }
}
