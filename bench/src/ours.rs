//! Our own rows: the floor, the codec, the client.
//!
//! [`decode_all`], [`handle_all`] and [`end_to_end`] are the only places that know the Pilothouse
//! crates.

use std::hint::black_box;
use std::path::Path;

use bytes::Bytes;
use jiff::Timestamp;
use memchr::memchr;
use pilothouse_client::{Cli, Client, Options};
use pilothouse_session::event::RunOrigin;
use pilothouse_session::id::{RunId, SessionId};
use pilothouse_session::session::Setup;
use pilothouse_session::{Input, Session};
use pilothouse_wire::codec;
use pilothouse_wire::{Frame, Inbound};
use uuid::Uuid;

use crate::reading::Stopwatch;

/// What the client handed out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Consumed {
    /// Messages received; `0` stands in the table as "not measured".
    pub messages: u64,
    /// Seconds to the last `result`; see [`Stopwatch`].
    pub seconds: f64,
}

/// The corpus, line by line, newlines left out.
pub fn lines(corpus: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = corpus;
    std::iter::from_fn(move || {
        let newline = memchr(b'\n', rest)?;
        let (line, tail) = rest.split_at_checked(newline)?;
        rest = tail.get(1..).unwrap_or_default();
        Some(line)
    })
}

/// Finds every line and does nothing with it.
#[must_use]
pub fn split_all(corpus: &[u8]) -> u64 {
    let mut count = 0;
    for line in lines(corpus) {
        black_box(line);
        count += 1;
    }
    count
}

/// Decodes every line into a typed message and returns how many there were.
#[must_use]
pub fn decode_all(corpus: &[u8]) -> u64 {
    let mut count = 0;
    for line in lines(corpus) {
        black_box(codec::decode(line));
        count += 1;
    }
    count
}

/// Decodes every line, hands it to a session, and returns how many there were.
#[must_use]
pub fn handle_all(corpus: &Bytes) -> u64 {
    let mut session = Session::new(SessionId(Uuid::nil()), Setup::default());
    let run = RunId(Uuid::nil());
    let started = Input::Started { run, pid: None, origin: RunOrigin::New };
    black_box(session.handle(started, Timestamp::UNIX_EPOCH));
    // The answer to its first request, without which nothing that follows is a turn.
    let ready =
        br#"{"type":"control_response","response":{"subtype":"success","request_id":"ph-1"}}"#;
    let frame = Frame::decode(Bytes::from_static(ready));
    black_box(session.handle(Input::Line(Box::new(frame)), Timestamp::UNIX_EPOCH));
    let mut count = 0;
    for line in lines(corpus) {
        // A line as the client has it: a slice of what was read, without a copy.
        let frame = Frame::decode(corpus.slice_ref(line));
        black_box(session.handle(Input::Line(Box::new(frame)), Timestamp::UNIX_EPOCH));
        count += 1;
    }
    count
}

/// Starts `printer` as the CLI, sends a prompt, and receives every message, decoded.
pub fn end_to_end(printer: &Path) -> Result<Consumed, Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let options = Options::default().cli(Cli::At(printer.to_owned()));
        let (client, mut received) = Client::start(options).await?;
        let mut stopwatch = Stopwatch::start();
        client.prompt("go").await?;
        let mut messages = 0;
        while let Some(frame) = received.next().await {
            messages += 1;
            if matches!(frame.message, Inbound::Result(_)) {
                stopwatch.result_seen();
            }
            black_box(frame);
        }
        let seconds = stopwatch.seconds();
        client.stop().await;
        Ok(Consumed { messages, seconds })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitting_finds_every_line() {
        let text = b"one\n\nthree\n";
        assert_eq!(lines(text).collect::<Vec<_>>(), [&b"one"[..], b"", b"three"]);
        assert_eq!(split_all(text), 3);
    }
}
