//! What both rivals report, in the form the runner reads.

use std::time::Instant;

/// Counts what a rival hands out, and when its last `result` came.
pub struct Tally {
    started: Instant,
    seconds: Option<f64>,
    messages: u64,
    errors: u64,
    first_error: Option<String>,
}

impl Tally {
    /// Starts the clock.
    pub fn start() -> Self {
        Self {
            started: Instant::now(),
            seconds: None,
            messages: 0,
            errors: 0,
            first_error: None,
        }
    }

    /// A decoded message.
    pub fn message(&mut self) {
        self.messages += 1;
    }

    /// A `result` message: the last one ends the measurement.
    pub fn result(&mut self) {
        self.messages += 1;
        self.seconds = Some(self.started.elapsed().as_secs_f64());
    }

    /// A line the rival could not decode; reading goes on.
    pub fn error(&mut self, error: &dyn std::fmt::Display) {
        self.errors += 1;
        self.first_error
            .get_or_insert_with(|| error.to_string().chars().take(160).collect());
    }

    /// Prints the reading.
    pub fn print(&self) {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak: u64 = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .and_then(|value| value.split_whitespace().next())
            .and_then(|value| value.parse().ok())
            .unwrap_or(0);
        println!(
            "{}",
            serde_json::json!({
                "messages": self.messages,
                "seconds": self.seconds.unwrap_or_else(|| self.started.elapsed().as_secs_f64()),
                "peak_rss_kib": peak,
                "errors": self.errors,
                "first_error": self.first_error,
            })
        );
    }
}
