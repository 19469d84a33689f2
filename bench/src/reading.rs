//! What one contender reports about one run, and how a process finds out its own
//! peak memory.

use std::time::Instant;

use serde_json::Value;

/// One run of one contender, as printed on its stdout.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Messages handed to the consumer; `0` means nothing was measured.
    pub messages: u64,
    /// From the call that starts the work to the last `result` message.
    pub seconds: f64,
    /// Peak resident memory of the contender's own process.
    pub peak_rss_kib: u64,
    /// Lines the contender reported as undecodable.
    pub errors: u64,
    /// What the first such report said.
    pub first_error: Option<String>,
}

impl Reading {
    /// Reads the JSON object a contender printed.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let line = text.lines().rev().find(|line| line.starts_with('{'))?;
        let value: Value = serde_json::from_str(line).ok()?;
        Some(Self {
            messages: value.get("messages")?.as_u64()?,
            seconds: value.get("seconds")?.as_f64()?,
            peak_rss_kib: value.get("peak_rss_kib")?.as_u64()?,
            errors: value.get("errors").and_then(Value::as_u64).unwrap_or(0),
            first_error: value.get("first_error").and_then(Value::as_str).map(str::to_owned),
        })
    }

    /// The JSON object, on one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::json!({
            "messages": self.messages,
            "seconds": self.seconds,
            "peak_rss_kib": self.peak_rss_kib,
            "errors": self.errors,
            "first_error": self.first_error,
        })
        .to_string()
    }
}

/// Measures up to the last `result`, as every contender does: what a contender
/// does afterwards (waiting for the exit, closing pipes) is no part of reading.
#[derive(Debug)]
pub struct Stopwatch {
    started: Instant,
    seconds: Option<f64>,
}

impl Stopwatch {
    /// Starts now.
    #[must_use]
    pub fn start() -> Self {
        Self { started: Instant::now(), seconds: None }
    }

    /// A `result` message has arrived; the last one counts.
    pub fn result_seen(&mut self) {
        self.seconds = Some(self.started.elapsed().as_secs_f64());
    }

    /// Seconds to the last `result`, or until now when there was none.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.seconds.unwrap_or_else(|| self.started.elapsed().as_secs_f64())
    }
}

/// This process's peak resident memory in KiB; 0 where the system does not tell.
///
/// `VmHWM` and not `ru_maxrss`: the latter survives `exec`, so a child started by
/// a runner that holds the corpus in memory would be charged for the runner.
#[must_use]
pub fn peak_rss_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|value| value.split_whitespace().next())
        .and_then(|value| value.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_survives_the_way_through_json() {
        let reading = Reading {
            messages: 3,
            seconds: 0.5,
            peak_rss_kib: 12,
            errors: 1,
            first_error: Some("no".into()),
        };
        let printed = format!("noise\n{}\n", reading.to_json());
        assert_eq!(Reading::parse(&printed), Some(reading));
        assert_eq!(Reading::parse("noise"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn peak_memory_is_known() {
        assert!(peak_rss_kib() > 500);
    }
}
