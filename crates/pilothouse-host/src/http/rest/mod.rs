//! The routes of the API, under `/api/v1`.
//!
//! - What comes in is checked whole before anything is done: a request that is refused has changed
//!   nothing.
//! - Every refusal is a [`Problem`].
//! - A request that changes something is carried to its end, also if who asked hangs up.
//! - What a CLI does not answer in time is given up with 504.
//! - Lists come in pages.
//!
//! `table` is the list of all routes; `route` makes of each what serves it and what describes it.

mod actor;
mod approvals;
mod attachments;
mod call;
mod commands;
mod content;
mod directories;
mod events;
mod export;
mod fields;
mod files;
mod history;
mod host;
mod limit;
mod policies;
mod problem;
mod prompts;
mod range;
mod route;
mod runs;
mod sessions;
mod settings;
mod table;
mod trust;
mod usage;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Router;
use pilothouse_session::Command;
use pilothouse_session::event::{Delta, Event, OpenItem};
use pilothouse_session::id::SessionId;
use pilothouse_wire::Raw;
use tokio_util::sync::CancellationToken;

pub use actor::Actor;

use crate::files::Completions;
use crate::http::openapi::{self, Operation, Schemas};
use crate::http::problem::{Kind, Problem};
use crate::http::ws::{ClientMessage, ServerMessage};
use crate::telemetry::Metrics;
use crate::{Host, HostError};

/// How long is waited for what.
#[derive(Clone, Debug)]
pub struct Patience {
    /// For a CLI to answer what it is asked.
    pub answer: Duration,
    /// For a run to end when its session is deleted.
    pub end: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { answer: Duration::from_secs(30), end: Duration::from_secs(60) }
    }
}

/// What handlers work with. Clones are the same.
#[derive(Clone, Debug)]
pub struct Api {
    host: Host,
    patience: Arc<Patience>,
    completions: Completions,
    metrics: Option<Arc<Metrics>>,
    stop: CancellationToken,
}

impl Api {
    /// The API of a host.
    pub fn new(host: Host, patience: Patience) -> Self {
        let patience = Arc::new(patience);
        let (completions, stop) = (Completions::default(), CancellationToken::new());
        Self { host, patience, completions, metrics: None, stop }
    }

    /// Cancelled when somebody asks the daemon to end.
    pub fn stop_asked(&self) -> &CancellationToken {
        &self.stop
    }

    /// With numbers to be shown.
    pub fn metrics(mut self, metrics: Arc<Metrics>) -> Self {
        self.metrics = Some(metrics);
        self
    }

    /// The routes whose bodies are small.
    pub fn routes(&self) -> Router {
        self.those(|route| !route.is_upload)
    }

    /// The routes that take images and files: bodies may be as large as uploads.
    pub fn uploads(&self) -> Router {
        self.those(|route| route.is_upload)
    }

    fn those(&self, which: impl Fn(&route::Route) -> bool) -> Router {
        let mut router = Router::new();
        for route in table::table().into_iter().filter(which) {
            if let Some(endpoint) = route.endpoint {
                router = router.route(route.operation.path, endpoint);
            }
        }
        router.with_state(self.clone())
    }

    /// Asks something of a session; not for ever.
    async fn command(&self, session: SessionId, command: Command) -> Result<Raw, Problem> {
        self.answer(self.host.command(session, command)).await
    }

    /// Waits for an answer; not for ever.
    async fn answer<T>(
        &self,
        asked: impl Future<Output = Result<T, HostError>>,
    ) -> Result<T, Problem> {
        match tokio::time::timeout(self.patience.answer, asked).await {
            Ok(answer) => Ok(answer?),
            Err(_) => Err(late(self.patience.answer)),
        }
    }
}

fn late(waited: Duration) -> Problem {
    let detail = format!(
        "the CLI has not answered within {} s and may still do it: look at the session's events, \
         and stop the session if it does not react",
        waited.as_secs()
    );
    Problem::new(Kind::TimedOut, detail)
}

/// All routes of a host's API.
pub fn routes(host: Host) -> Router {
    let api = Api::new(host, Patience::default());
    api.routes().merge(api.uploads())
}

/// Every operation of the API, with those that are served elsewhere.
pub fn operations() -> Vec<Operation> {
    table::table().into_iter().map(|route| route.operation).collect()
}

/// What is said over sockets and streams.
const ALSO: &[fn(&mut Schemas)] = &[
    openapi::also::<Event>,
    openapi::also::<Delta>,
    openapi::also::<OpenItem>,
    openapi::also::<ServerMessage>,
    openapi::also_written::<ClientMessage>,
];

/// The OpenAPI document.
pub fn document() -> serde_json::Value {
    openapi::document(&operations(), ALSO)
}

/// The types of a client in TypeScript.
pub fn typescript() -> String {
    openapi::types(&operations(), ALSO)
}

/// The document as text, made when it is asked for first.
static DOCUMENT: LazyLock<bytes::Bytes> = LazyLock::new(|| document().to_string().into());
