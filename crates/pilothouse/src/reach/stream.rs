//! The events of a session as they happen, over server-sent events.

use std::time::Duration;

use bytes::BytesMut;
use hyper::Method;
use hyper::body::Incoming;
use pilothouse_host::http::problem::Document;
use pilothouse_session::Delta;
use pilothouse_session::event::{Event, OpenItem};
use pilothouse_session::id::SessionId;
use serde::Deserialize;
use tokio::time::{Instant, timeout_at};

use super::Reach;
use super::api::{ApiError, Ask, piece};

/// What a watcher is given.
#[derive(Clone, Debug)]
pub(crate) enum Update {
    /// An event, as it was sent, and read if this version can.
    Event { text: String, event: Option<Box<Event>> },
    /// A piece of an open item.
    Delta(Delta),
    /// What was stored has been given; these items are half-written.
    Live { open_items: Vec<OpenItem> },
    /// Pieces are missing: half-written items are to be forgotten.
    Lagged,
}

/// A session that is being watched. It comes back by itself when the daemon goes, or hands over to
/// another.
#[derive(Debug)]
pub(crate) struct Watch {
    session: SessionId,
    /// The number of the last event that was given.
    after: u64,
    /// How often it came back without being given anything.
    in_vain: u32,
    stream: Option<Stream>,
}

/// More than this in vain, and something is wrong.
const TRIES: u32 = 20;

/// The daemon says at least every 15 s that it is there.
const SILENCE: Duration = Duration::from_secs(60);

#[derive(Debug)]
struct Stream {
    body: Incoming,
    frames: Frames,
    /// When something was heard last.
    heard: Instant,
}

impl Stream {
    fn new(body: Incoming) -> Self {
        Self { body, frames: Frames::default(), heard: Instant::now() }
    }

    /// Reads on. May be given up at any time and asked again.
    async fn read(&mut self) -> Result<(), ApiError> {
        let gone = |why: &str| ApiError::Gone(why.to_owned());
        let data = timeout_at(self.heard + SILENCE, piece(&mut self.body)).await;
        match data.map_err(|_| gone("it has fallen silent"))?? {
            Some(data) => self.frames.0.extend_from_slice(&data),
            None => return Err(gone("it closed the connection")),
        }
        self.heard = Instant::now();
        Ok(())
    }
}

#[derive(Deserialize)]
struct Live {
    open_items: Vec<OpenItem>,
}

#[derive(Deserialize)]
struct Numbered {
    seq: u64,
}

impl Watch {
    /// Watches a session from after an event on.
    pub(crate) fn new(session: SessionId, after: u64) -> Self {
        Self { session, after, in_vain: 0, stream: None }
    }

    /// What comes next. May be given up at any time and asked again: nothing is lost.
    pub(crate) async fn next(&mut self, reach: &mut Reach) -> Result<Update, ApiError> {
        loop {
            match self.step(reach).await {
                Ok(Some(update)) => {
                    self.in_vain = 0;
                    return Ok(update);
                }
                Ok(None) => {}
                Err(error) => {
                    let absence = error.absence().filter(|_| self.in_vain < TRIES);
                    let Some(reason) = absence else { return Err(error) };
                    self.in_vain += 1;
                    self.stream = None;
                    reach.again(&reason).await?;
                }
            }
        }
    }

    async fn step(&mut self, reach: &Reach) -> Result<Option<Update>, ApiError> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                let path = format!("/api/v1/sessions/{}/stream?after={}", self.session, self.after);
                let response = reach.api().send(Ask::new(Method::GET, path)).await?;
                self.stream.insert(Stream::new(response.into_body()))
            }
        };
        loop {
            while let Some(frame) = stream.frames.next() {
                let update = read(frame)?;
                if let Some(Update::Event { text, .. }) = &update {
                    let strange = |error: serde_json::Error| ApiError::Strange(error.to_string());
                    self.after = serde_json::from_str::<Numbered>(text).map_err(strange)?.seq;
                }
                if update.is_some() {
                    return Ok(update);
                }
            }
            stream.read().await?;
        }
    }
}

fn read(frame: Frame) -> Result<Option<Update>, ApiError> {
    let strange = |error: serde_json::Error| ApiError::Strange(error.to_string());
    Ok(match &*frame.name {
        "event" => {
            // One of a later version is passed on as it is.
            let event = serde_json::from_str(&frame.data).ok().map(Box::new);
            Some(Update::Event { text: frame.data, event })
        }
        "delta" => serde_json::from_str(&frame.data).ok().map(Update::Delta),
        "live" => {
            let live: Live = serde_json::from_str(&frame.data).map_err(strange)?;
            Some(Update::Live { open_items: live.open_items })
        }
        "lagged" => Some(Update::Lagged),
        "end" => {
            let document: Document = serde_json::from_str(&frame.data).map_err(strange)?;
            return Err(ApiError::Refused(Box::new(document)));
        }
        _ => None,
    })
}

/// Cuts a stream into its frames.
#[derive(Debug, Default)]
struct Frames(BytesMut);

#[derive(Debug, Default, PartialEq, Eq)]
struct Frame {
    name: String,
    data: String,
}

impl Frames {
    fn next(&mut self) -> Option<Frame> {
        let end = self.0.windows(2).position(|pair| pair == b"\n\n")?;
        let text = self.0.split_to(end + 2);
        let mut frame = Frame::default();
        for line in String::from_utf8_lossy(&text).lines() {
            if let Some(name) = line.strip_prefix("event:") {
                frame.name = name.trim_start().to_owned();
            } else if let Some(data) = line.strip_prefix("data:") {
                if !frame.data.is_empty() {
                    frame.data.push('\n');
                }
                frame.data.push_str(data.strip_prefix(' ').unwrap_or(data));
            }
        }
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_cut_where_they_end() {
        let mut frames = Frames::default();
        frames
            .0
            .extend_from_slice(b":\n\nevent: delta\ndata: {\"a\":\ndata: 1}\n\nevent: live\nda");
        assert_eq!(frames.next(), Some(Frame::default()));
        let delta = Frame { name: "delta".into(), data: "{\"a\":\n1}".into() };
        assert_eq!(frames.next(), Some(delta));
        assert_eq!(frames.next(), None);
        frames.0.extend_from_slice(b"ta: {}\n\n");
        assert_eq!(frames.next(), Some(Frame { name: "live".into(), data: "{}".into() }));
    }
}
