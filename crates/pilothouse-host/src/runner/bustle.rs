//! How much sessions say, all together or one alone, and what holders are to do about it.
//!
//! A line that wakes its holder, which wakes the daemon, costs a machine several times what reading
//! it costs. As long as there is little to do that is the price of being prompt. When hundreds of
//! sessions speak at once it is what the machine is busy with, and everybody waits for it: then each
//! holder takes what its CLI wrote in about a frame at once. Nobody sees that: pieces are sent to
//! clients once a frame in any case. The same goes for one session that says more than anybody could
//! read, and may be watched by many.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// From so many lines per second and core on lines are gathered.
const BUSY: u64 = 8_000;

/// From so many lines per second on those of one session are.
const FAST: u64 = 2_000;

/// How long they are gathered then, and when there are twice as many.
const GATHER: Duration = Duration::from_millis(30);
const GATHER_LONG: Duration = Duration::from_millis(60);

/// How long lines are counted before a rate is made of them.
const WINDOW: Duration = Duration::from_millis(250);

/// Counts lines.
#[derive(Debug)]
pub(crate) struct Bustle {
    /// In lines per second.
    busy: u64,
    /// For how long is gathered at most.
    longest: Duration,
    window: Mutex<Window>,
}

#[derive(Debug)]
struct Window {
    since: Instant,
    lines: u64,
    gather: Duration,
}

impl Bustle {
    pub(crate) fn of_this_machine() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
        Self::new(BUSY * cores, GATHER_LONG, Instant::now())
    }

    pub(crate) fn of_one_session() -> Self {
        Self::new(FAST, GATHER, Instant::now())
    }

    fn new(busy: u64, longest: Duration, since: Instant) -> Self {
        let window = Window { since, lines: 0, gather: Duration::ZERO };
        Self { busy, longest, window: Mutex::new(window) }
    }

    fn gather(&self, rate: u64) -> Duration {
        match rate {
            rate if rate >= self.busy * 2 => self.longest,
            rate if rate >= self.busy => GATHER,
            _ => Duration::ZERO,
        }
    }

    /// A session has said so many lines. Says how long its holder is to gather the next ones.
    pub(crate) fn took(&self, lines: u64, now: Instant) -> Duration {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        window.lines += lines;
        let lasted = now.saturating_duration_since(window.since);
        if lasted >= WINDOW {
            let rate = u128::from(window.lines) * 1_000_000 / lasted.as_micros();
            let rate = u64::try_from(rate).unwrap_or(u64::MAX);
            // A rate about the limit is not to change everything all the time.
            let gather = match self.gather(rate) {
                less if less < window.gather => self.gather(rate + rate / 3).min(window.gather),
                gather => gather,
            };
            *window = Window { since: now, lines: 0, gather };
        }
        window.gather
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is to be done after a second of so many lines per millisecond.
    fn second(bustle: &Bustle, now: &mut Instant, lines: u64) -> Duration {
        let mut gather = Duration::ZERO;
        for _ in 0..1000 {
            *now += Duration::from_millis(1);
            gather = bustle.took(lines, *now);
        }
        gather
    }

    #[test]
    fn lines_are_gathered_when_there_are_many() {
        let mut now = Instant::now();
        let bustle = Bustle::new(10_000, GATHER_LONG, now);
        assert_eq!(second(&bustle, &mut now, 9), Duration::ZERO);
        assert_eq!(second(&bustle, &mut now, 11), GATHER);
        assert_eq!(second(&bustle, &mut now, 9), GATHER, "a little less changes nothing");
        assert_eq!(second(&bustle, &mut now, 7), Duration::ZERO);
        assert_eq!(second(&bustle, &mut now, 9), Duration::ZERO);
        assert_eq!(second(&bustle, &mut now, 25), GATHER_LONG);
        assert_eq!(second(&bustle, &mut now, 16), GATHER_LONG, "a little less changes nothing");
        assert_eq!(second(&bustle, &mut now, 12), GATHER);
        assert_eq!(second(&bustle, &mut now, 1), Duration::ZERO);
    }

    #[test]
    fn one_line_after_a_long_silence_is_no_bustle() {
        let mut now = Instant::now();
        let bustle = Bustle::new(10_000, GATHER_LONG, now);
        assert_eq!(second(&bustle, &mut now, 19), GATHER);
        now += Duration::from_secs(60);
        assert_eq!(bustle.took(300, now), Duration::ZERO);
    }

    #[test]
    fn one_session_is_gathered_for_a_frame_however_fast_it_is() {
        let mut now = Instant::now();
        let bustle = Bustle::new(2_000, GATHER, now);
        assert_eq!(second(&bustle, &mut now, 1), Duration::ZERO);
        assert_eq!(second(&bustle, &mut now, 3), GATHER);
        assert_eq!(second(&bustle, &mut now, 30), GATHER);
    }
}
