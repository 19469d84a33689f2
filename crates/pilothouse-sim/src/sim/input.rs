//! Stdin: lines read on a thread of their own, and what they mean.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::fault::SlowStdin;

/// What the host wrote.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Incoming {
    /// A prompt.
    Prompt(Value),
    /// A request, to be answered.
    Request { id: String, request: Value },
    /// The answer to a request of ours: the `response` object.
    Answer(Value),
    /// Anything that has no effect.
    Nothing,
    /// A line that kills the CLI.
    NotJson(String),
}

impl Incoming {
    pub(super) fn read(line: &str) -> Self {
        let Ok(mut frame) = serde_json::from_str::<Value>(line) else {
            return Self::NotJson(line.to_owned());
        };
        match frame["type"].as_str() {
            Some("user") => Self::Prompt(frame),
            Some("control_request") => Self::Request {
                id: frame["request_id"].as_str().unwrap_or_default().to_owned(),
                request: frame["request"].take(),
            },
            Some("control_response") => Self::Answer(frame["response"].take()),
            _ => Self::Nothing,
        }
    }
}

/// Reads stdin for as long as the process lives. The channel ends when stdin does.
pub(super) fn stdin(slow: Option<SlowStdin>) -> UnboundedReceiver<String> {
    let (sender, receiver) = unbounded_channel();
    std::thread::spawn(move || read_lines(std::io::stdin(), slow, &sender));
    receiver
}

fn read_lines(source: impl Read, slow: Option<SlowStdin>, sender: &UnboundedSender<String>) {
    let mut source: Box<dyn BufRead> = match slow {
        Some(SlowStdin::Trickle) => Box::new(BufReader::with_capacity(32, Trickle(source))),
        Some(SlowStdin::Stop) => Box::new(BufReader::with_capacity(1, source)),
        None => Box::new(BufReader::with_capacity(1 << 16, source)),
    };
    let mut line = Vec::new();
    while source.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if !text.is_empty() && sender.send(text.to_owned()).is_err() {
            return;
        }
        line.clear();
        if slow == Some(SlowStdin::Stop) {
            // Neither read nor closed: the host's pipe fills up.
            loop {
                std::thread::park();
            }
        }
    }
}

/// Lets time pass before every read.
struct Trickle<R>(R);

impl<R: Read> Read for Trickle<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let (_keep, nothing) = mpsc::channel::<()>();
        let _ = nothing.recv_timeout(Duration::from_millis(5));
        self.0.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_mean_what_their_type_says() {
        assert_eq!(
            Incoming::read(
                r#"{"request":{"subtype":"x"},"request_id":"r","type":"control_request"}"#
            ),
            Incoming::Request { id: "r".to_owned(), request: json!({"subtype": "x"}) }
        );
        assert_eq!(
            Incoming::read(r#"{"type":"control_response","response":{"request_id":"r"}}"#),
            Incoming::Answer(json!({"request_id": "r"}))
        );
        assert_eq!(Incoming::read(r#"{"type":"keep_alive"}"#), Incoming::Nothing);
        assert_eq!(Incoming::read("nope"), Incoming::NotJson("nope".to_owned()));
    }

    fn all(source: &[u8], slow: Option<SlowStdin>) -> Vec<String> {
        let (sender, mut receiver) = unbounded_channel();
        read_lines(source, slow, &sender);
        drop(sender);
        std::iter::from_fn(|| receiver.try_recv().ok()).collect()
    }

    #[test]
    fn empty_lines_are_skipped_and_the_last_needs_no_break() {
        assert_eq!(all(b"a\n\n b \r\nc", None), ["a", "b", "c"]);
        assert_eq!(all(b"a\nb", Some(SlowStdin::Trickle)), ["a", "b"]);
    }
}
