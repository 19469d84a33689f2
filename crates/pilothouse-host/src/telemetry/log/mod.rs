//! Where `tracing` goes: one line for each event, without secrets.
//!
//! Directives are those of `RUST_LOG`, as far as they name targets and levels:
//! `info,pilothouse_host=debug`. Filters by span and field would bring a regular-expression engine
//! along, for something that nobody asks of a daemon.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, Registry};

use crate::visible;

pub use crate::secrets::{Secrets, TooShort};

/// How lines look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// A JSON object for each line.
    Json,
}

/// Why nothing is logged.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The directives cannot be read.
    #[error(
        "{directives:?} does not say what to log ({reason}): write a level, or `target=level`, with commas between"
    )]
    Directives {
        /// What was given.
        directives: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Something is logging already.
    #[error("this process has a log already: set it up once")]
    Twice,
}

/// Sets up the process's log. Once.
pub fn init<W: Write + Send + 'static>(
    directives: &str,
    format: LogFormat,
    writer: W,
    secrets: &Secrets,
) -> Result<(), LogError> {
    let subscriber = subscriber(directives, format, writer, secrets)?;
    tracing::subscriber::set_global_default(subscriber).map_err(|_| LogError::Twice)
}

/// What [`init`] sets up, for one that wants it for a thread only.
pub fn subscriber<W: Write + Send + 'static>(
    directives: &str,
    format: LogFormat,
    writer: W,
    secrets: &Secrets,
) -> Result<impl tracing::Subscriber + Send + Sync + use<W>, LogError> {
    let filter = filter(directives)?;
    let writer = Redacting { out: Arc::new(Mutex::new(writer)), format, secrets: secrets.clone() };
    let layer = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(writer);
    let layer: Box<dyn Layer<Registry> + Send + Sync> = match format {
        LogFormat::Text => layer.with_filter(filter).boxed(),
        LogFormat::Json => layer.json().flatten_event(true).with_filter(filter).boxed(),
    };
    Ok(tracing_subscriber::registry().with(layer))
}

fn filter(directives: &str) -> Result<Targets, LogError> {
    let directives = directives.trim();
    if directives.is_empty() {
        return Ok(Targets::new().with_default(LevelFilter::INFO));
    }
    directives.parse().map_err(|error: tracing_subscriber::filter::ParseError| {
        LogError::Directives { directives: directives.to_owned(), reason: error.to_string() }
    })
}

/// Writes whole lines, without secrets and without characters that a terminal obeys or hides.
struct Redacting<W> {
    out: Arc<Mutex<W>>,
    format: LogFormat,
    secrets: Secrets,
}

impl<W> Clone for Redacting<W> {
    fn clone(&self) -> Self {
        Self { out: Arc::clone(&self.out), format: self.format, secrets: self.secrets.clone() }
    }
}

impl<'a, W: Write + 'a> MakeWriter<'a> for Redacting<W> {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl<W: Write> Write for Redacting<W> {
    /// An event comes as one piece, so no secret can lie across two.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let redacted = self.secrets.redact(&text);
        let shown = match self.format {
            LogFormat::Text => visible::name(&redacted),
            LogFormat::Json => visible::json(&redacted),
        };
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.write_all(shown.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }
}
