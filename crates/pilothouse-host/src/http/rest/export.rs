//! A session as a document to be taken away.

use std::io::{self, Write};

use axum::body::Body;
use axum::http::header;
use axum::response::IntoResponse;
use bytes::Bytes;
use futures_util::stream::unfold;
use jiff::Timestamp;
use pilothouse_session::event::Event;
use pilothouse_session::id::SessionId;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;

use super::call::Call;
use super::fields::OfSession;
use crate::export::{ExportError, ExportHeader, json, markdown};
use crate::http::openapi::{NoBody, Plain};
use crate::http::problem::Problem;
use crate::secrets::{Known, redact_json, reread};
use crate::store::{Store, StoreError, StoredEvent};

/// How many events are read at once.
const AT_ONCE: usize = 512;

/// How much is gathered before it is sent, and how many such pieces wait.
const PIECE: usize = 64 * 1024;
const PIECES: usize = 4;

/// In which form.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ExportForm {
    /// One JSON document with all events.
    #[default]
    Json,
    /// A text to be read.
    Markdown,
}

/// How it is exported.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Export {
    /// In which form.
    #[serde(default)]
    format: ExportForm,
}

pub(super) async fn export(call: Call<OfSession, Export, NoBody>) -> Result<Plain, Problem> {
    let row = call.api.host.session(call.path.session).await?;
    let about = ExportHeader {
        session: row.id,
        title: row.title,
        cwd: row.cwd,
        cli_session: row.cli_session,
        model: row.model,
        created_at: row.created_at,
        exported_at: Timestamp::now(),
    };
    let (sender, receiver) = mpsc::channel(PIECES);
    let stored = Stored::new(call.api.host.store().clone(), row.id, row.last_seq);
    let form = call.query.format;
    // Events of older versions were stored as they came.
    let secrets = call.api.host.telemetry().secrets().known();
    // Ends when it is done, or when nobody reads any more.
    tokio::task::spawn_blocking(move || {
        let mut pieces = Pieces { sender, gathered: Vec::with_capacity(PIECE) };
        let written = match form {
            ExportForm::Json => {
                json(&about, stored.map(|stored| raw(stored?, &secrets)), &mut pieces)
            }
            ExportForm::Markdown => {
                markdown(&about, stored.map(|stored| event(stored?, &secrets)), &mut pieces)
            }
        };
        match written {
            Ok(()) => drop(pieces.flush()),
            Err(ExportError::Write(_)) => {}
            Err(error) => {
                tracing::error!(%error, "an export is not whole");
                let _ = pieces.sender.blocking_send(Err(io::Error::other(error)));
            }
        }
    });
    let chunks = unfold(receiver, |mut receiver| async move {
        let piece = receiver.recv().await?;
        Some((piece, receiver))
    });
    let (kind, end) = match form {
        ExportForm::Json => ("application/json", "json"),
        ExportForm::Markdown => ("text/markdown; charset=utf-8", "md"),
    };
    let name = format!("attachment; filename=\"session-{}.{end}\"", row.id);
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_DISPOSITION, &*name),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok(Plain((headers, Body::from_stream(chunks)).into_response()))
}

fn event(stored: StoredEvent, secrets: &Known) -> Result<Event, StoreError> {
    Ok(serde_json::from_str(&text(&stored, secrets))?)
}

fn raw(stored: StoredEvent, secrets: &Known) -> Result<Box<RawValue>, StoreError> {
    Ok(RawValue::from_string(text(&stored, secrets))?)
}

fn text(stored: &StoredEvent, secrets: &Known) -> String {
    let text = String::from_utf8_lossy(&stored.json);
    redact_json(secrets, &text, reread::<Event>).unwrap_or_else(|| text.into_owned())
}

/// The events of a session up to one, read a few at a time.
struct Stored {
    store: Store,
    session: SessionId,
    last: u64,
    end: u64,
    ready: std::vec::IntoIter<StoredEvent>,
}

impl Stored {
    fn new(store: Store, session: SessionId, end: u64) -> Self {
        Self { store, session, last: 0, end, ready: Vec::new().into_iter() }
    }
}

impl Iterator for Stored {
    type Item = Result<StoredEvent, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ready.len() == 0 && self.last < self.end {
            match self.store.read_after(self.session, self.last, AT_ONCE) {
                Ok(events) => self.ready = events.into_iter(),
                Err(error) => {
                    self.last = self.end;
                    return Some(Err(error));
                }
            }
        }
        let event = self.ready.next()?;
        self.last = event.seq;
        (event.seq <= self.end).then_some(Ok(event))
    }
}

/// Sends what is written, piece by piece.
struct Pieces {
    sender: mpsc::Sender<io::Result<Bytes>>,
    gathered: Vec<u8>,
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.gathered, Vec::with_capacity(PIECE));
        let sent = self.sender.blocking_send(Ok(piece.into()));
        sent.map_err(|_| io::Error::new(io::ErrorKind::BrokenPipe, "nobody reads it any more"))
    }
}
