//! A session to take away: as Markdown to be read, as JSON to be worked with.
//!
//! Events come one by one and go out one by one; what is kept meanwhile does not grow with the
//! session. Text of the model and its tools cannot end the block that it stands in, and a CommonMark
//! parser finds no HTML in the document. JSON has control, bidirectional and invisible characters as
//! `\uXXXX`, so that no terminal obeys them.

mod fences;
mod inline;
mod markdown;
mod page;
mod tool;

use std::io::{self, Write};

use jiff::Timestamp;
use pilothouse_session::event::{Event, VERSION};
use pilothouse_session::id::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::visible;

/// What is said about a session before its events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExportHeader {
    /// The session.
    pub session: SessionId,
    /// Its title.
    pub title: Option<String>,
    /// Where it works.
    pub cwd: String,
    /// The CLI's id of the conversation.
    pub cli_session: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When this was written.
    pub exported_at: Timestamp,
}

/// Why an export is not whole.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// It cannot be written.
    #[error("the export cannot be written ({0}): is there room, and is somebody still reading it?")]
    Write(#[from] io::Error),
    /// An event cannot be read.
    #[error("the events cannot be read to their end ({0}): what was written so far is not all")]
    Read(Box<dyn std::error::Error + Send + Sync>),
}

/// Writes a session as Markdown.
pub fn markdown<E>(
    header: &ExportHeader,
    events: impl IntoIterator<Item = Result<Event, E>>,
    out: impl Write,
) -> Result<(), ExportError>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let mut document = markdown::Document::begin(header, out)?;
    for event in events {
        document.event(&event.map_err(|error| ExportError::Read(Box::new(error)))?)?;
    }
    Ok(document.end()?)
}

/// Writes a session as one JSON document: `{"format", "version", "session": …, "events": […]}`, with a
/// line for each event. Events may be any JSON that is one already, such as a `RawValue`.
pub fn json<T, E>(
    header: &ExportHeader,
    events: impl IntoIterator<Item = Result<T, E>>,
    mut out: impl Write,
) -> Result<(), ExportError>
where
    T: Serialize,
    E: std::error::Error + Send + Sync + 'static,
{
    write!(out, "{{\"format\":\"pilothouse-session\",\"version\":{VERSION},\"session\":")?;
    write_json(&mut out, header)?;
    out.write_all(b",\"events\":[")?;
    let mut between: &[u8] = b"\n";
    for event in events {
        let event = event.map_err(|error| ExportError::Read(Box::new(error)))?;
        out.write_all(between)?;
        write_json(&mut out, &event)?;
        between = b",\n";
    }
    out.write_all(b"\n]}\n")?;
    Ok(out.flush()?)
}

fn write_json(out: &mut impl Write, value: &impl Serialize) -> Result<(), ExportError> {
    let text = serde_json::to_string(value).map_err(|error| ExportError::Read(Box::new(error)))?;
    Ok(out.write_all(visible::json(&text).as_bytes())?)
}
