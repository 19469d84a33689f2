//! What a session does, as spans for a collector.
//!
//! ```text
//! streamjson.run                      one CLI process; named in its TRACEPARENT
//! └─ streamjson.prompt                one turn, from its beginning to its result
//!    ├─ streamjson.system             the CLI introduces itself
//!    ├─ streamjson.message_chunk      text           (at one moment, like all that follow)
//!    ├─ streamjson.reasoning          thinking
//!    ├─ streamjson.tool_call          a tool is called
//!    ├─ streamjson.tool_update        its result
//!    ├─ execute_tool NAME             from the one to the other; what a subagent does is below it
//!    ├─ streamjson.context_window, .complete, .error, .rate_limit …
//!    ├─ streamjson.control.control_request.can_use_tool      the CLI asks
//!    ├─ streamjson.control.permission_response               from there to the answer
//!    ├─ streamjson.control.hook_response.pre_tool_use        the same of a hook
//!    └─ streamjson.control.control_response.SUBTYPE          from a request of ours to its answer
//! ```
//!
//! Attributes follow the semantic conventions for generative AI where these have a name. What people,
//! models and tools wrote is left out unless it is asked for; how much it was is always there.
//!
//! With tracing off everything here does nothing. With it on, nothing here waits: see `courier`.

mod content;
mod context;
mod control;
mod courier;
mod lines;
mod naming;
mod options;
#[cfg(feature = "otlp")]
mod otlp;
mod recording;
mod span;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use pilothouse_session::id::{RunId, SessionId};
use pilothouse_session::{Delta, Event};
use pilothouse_wire::Frame;

pub use context::{RemoteParent, SpanContext};
pub use courier::Export;
pub use options::{TraceError, TraceOptions};
pub use span::{Attribute, Span, SpanEvent, SpanKind, Value};

use super::Telemetry;
use super::log::Secrets;
use super::metrics::Metrics;
use courier::Courier;
use recording::Recording;

/// Where the spans of all sessions go.
#[derive(Debug)]
pub(super) struct Tracer {
    courier: Courier,
    capture_content: bool,
    parent: Option<RemoteParent>,
    secrets: Secrets,
}

impl Tracer {
    pub(super) fn start(
        export: Box<dyn Export>,
        options: &TraceOptions,
        metrics: Arc<Metrics>,
        secrets: Secrets,
    ) -> Result<Self, TraceError> {
        Ok(Self {
            courier: Courier::start(export, metrics)?,
            capture_content: options.capture_content,
            parent: options.parent.as_deref().and_then(RemoteParent::parse),
            secrets,
        })
    }

    pub(super) fn shut_down(&self, patience: Duration) -> bool {
        let is_done = self.courier.flush(patience);
        self.courier.close();
        is_done
    }
}

/// The exporter of this build.
#[cfg(feature = "otlp")]
pub(super) fn exporter(options: &TraceOptions) -> Result<Box<dyn Export>, TraceError> {
    Ok(Box::new(otlp::Collector::new(options)?))
}

/// The exporter of this build.
#[cfg(not(feature = "otlp"))]
pub(super) fn exporter(_: &TraceOptions) -> Result<Box<dyn Export>, TraceError> {
    Err(TraceError::NotBuilt)
}

/// The spans of one session.
///
/// It is told what happens in the order in which it happens: a line before what the machine makes of
/// it. Several lines may be told before all that the machine made of them. A daemon that ends leaves
/// open what is open: the next one [adopts](Self::adopt) the run and ends its spans under the same
/// names.
#[derive(Debug)]
pub struct SessionTrace(Option<Box<Recording>>);

impl SessionTrace {
    /// For a session. Costs nothing where nothing is traced.
    pub fn new(telemetry: &Telemetry, session: SessionId) -> Self {
        let tracer = telemetry.tracer().filter(|tracer| {
            // What is part of a trace that nobody records is not recorded.
            tracer.parent.is_none_or(|parent| parent.is_sampled)
        });
        Self(tracer.map(|tracer| Box::new(Recording::new(Arc::clone(tracer), session))))
    }

    /// One that does nothing.
    pub fn off() -> Self {
        Self(None)
    }

    /// Whether anything is traced.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Runs become part of a span in another program: the W3C `traceparent` of who asked for the
    /// session. One that is malformed is passed over; one that is not sampled turns tracing off.
    #[must_use]
    pub fn with_parent(mut self, traceparent: &str) -> Self {
        match RemoteParent::parse(traceparent) {
            Some(parent) if !parent.is_sampled => Self(None),
            Some(parent) => {
                if let Some(recording) = &mut self.0 {
                    recording.set_parent(parent);
                }
                self
            }
            None => self,
        }
    }

    /// A run goes on that an earlier daemon has started.
    pub fn adopt(&mut self, run: RunId, cli_session: Option<&str>) {
        if let Some(recording) = &mut self.0 {
            recording.adopt(run, cli_session);
        }
    }

    /// What a run is given as `TRACEPARENT`, so that the CLI's own spans become part of its trace.
    pub fn traceparent(&self, run: RunId) -> Option<String> {
        self.0.as_ref().map(|recording| recording.context_of(run).to_string())
    }

    /// The CLI wrote a line. By its place in the log ([`Event::wire`]) the events that come of it are
    /// known.
    pub fn line_in(&mut self, place: u64, frame: &Frame, at: Timestamp) {
        if let Some(recording) = &mut self.0 {
            recording.line_in(place, frame, at);
        }
    }

    /// A line was written to the CLI.
    pub fn line_out(&mut self, line: &[u8], at: Timestamp) {
        if let Some(recording) = &mut self.0 {
            recording.line_out(line, at);
        }
    }

    /// Something happened in the session.
    pub fn event(&mut self, event: &Event) {
        if let Some(recording) = &mut self.0 {
            recording.event(event);
        }
    }

    /// An item has grown.
    pub fn delta(&mut self, delta: &Delta) {
        if let Some(recording) = &mut self.0 {
            recording.delta(delta);
        }
    }

    /// The session is over: what is open ends now.
    pub fn ended(&mut self, at: Timestamp) {
        if let Some(recording) = &mut self.0 {
            recording.ended(at);
        }
    }
}
