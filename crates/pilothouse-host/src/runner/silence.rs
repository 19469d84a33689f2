//! Notices that a CLI which works is silent.

use std::time::{Duration, Instant};

/// How long nothing has passed between the host and the CLI.
#[derive(Debug)]
pub(super) struct Silence {
    /// The last line in either direction. An answer that comes after an hour is a sign of life: what
    /// was quiet before it was the person.
    since: Instant,
    is_reported: bool,
}

impl Silence {
    pub(super) fn new(now: Instant) -> Self {
        Self { since: now, is_reported: false }
    }

    /// Takes note of a line that was read or sent.
    pub(super) fn end(&mut self, now: Instant) {
        self.since = self.since.max(now);
        self.is_reported = false;
    }

    /// When to report the silence, once.
    pub(super) fn due(&self, limit: Duration) -> Option<Instant> {
        (!self.is_reported).then(|| self.since + limit)
    }

    /// Takes note that the silence is reported; returns how long it is, in seconds.
    pub(super) fn report(&mut self, now: Instant) -> u64 {
        self.is_reported = true;
        now.saturating_duration_since(self.since).as_secs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_from_the_last_line_in_either_direction() {
        let (start, limit) = (Instant::now(), Duration::from_secs(600));
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut silence = Silence::new(start);
        assert_eq!(silence.due(limit), Some(at(600)));
        silence.end(at(1_000));
        // Lines that were read together may be older than one that was sent meanwhile.
        silence.end(at(990));
        assert_eq!(silence.due(limit), Some(at(1_600)));
        assert_eq!(silence.report(at(1_600)), 600);
        assert_eq!(silence.due(limit), None, "reported once");
        silence.end(at(1_700));
        assert_eq!(silence.due(limit), Some(at(2_300)));
    }
}
