//! What the host tells about itself: numbers, spans, lines of a log.
//!
//! - [`metrics`]: counters and histograms, for Prometheus.
//! - [`trace`]: spans of sessions, for a collector that speaks OTLP.
//! - [`log`]: what `tracing` says, one line each, without secrets.
//! - [`debug`]: events and deltas of each session in a file.
//!
//! None of it can stop or slow down a session: what cannot be taken at once is dropped, and counted.

pub mod debug;
pub mod log;
pub mod metrics;
pub mod trace;
mod words;

use std::sync::Arc;
use std::time::{Duration, Instant};

pub use debug::{DebugLog, DebugOptions};
pub use log::Secrets;
pub use metrics::{Metrics, SessionMetrics};
pub use trace::{SessionTrace, TraceError, TraceOptions};

use trace::{Export, Tracer};

/// What is to be told, and where.
#[derive(Clone, Debug, Default)]
pub struct TelemetryOptions {
    /// Spans; none where nothing is traced.
    pub trace: Option<TraceOptions>,
    /// Debug files; none where there are none.
    pub debug: Option<DebugOptions>,
    /// What is never shown.
    pub secrets: Secrets,
}

/// Why there is no telemetry.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// No traces.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// No debug files.
    #[error("debug files cannot be written to {dir} ({reason}): choose another directory, or none")]
    Debug {
        /// Where they should go.
        dir: std::path::PathBuf,
        /// What the system says.
        reason: std::io::Error,
    },
}

/// All telemetry of a host. Clones are the same.
#[derive(Clone, Debug)]
pub struct Telemetry(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    metrics: Arc<Metrics>,
    tracer: Option<Arc<Tracer>>,
    debug: Option<DebugLog>,
    secrets: Secrets,
}

impl Telemetry {
    /// Starts what the options ask for.
    pub fn start(options: &TelemetryOptions) -> Result<Self, TelemetryError> {
        let export = options.trace.as_ref().map(trace::exporter).transpose()?;
        Self::start_with(options, export)
    }

    /// The same with spans going elsewhere: `options.trace` only says what they may tell.
    pub fn start_with(
        options: &TelemetryOptions,
        export: Option<Box<dyn Export>>,
    ) -> Result<Self, TelemetryError> {
        let metrics = Arc::new(Metrics::default());
        let secrets = options.secrets.clone();
        for (_, value) in options.trace.iter().flat_map(|trace| &trace.headers) {
            let _too_short_to_be_one = secrets.register(value);
        }
        let tracer = match (export, &options.trace) {
            (Some(export), Some(trace)) => {
                let metrics = Arc::clone(&metrics);
                Some(Arc::new(Tracer::start(export, trace, metrics, secrets.clone())?))
            }
            _ => None,
        };
        let debug = match &options.debug {
            Some(debug) => {
                let log = DebugLog::start(debug, Arc::clone(&metrics), secrets.clone());
                Some(
                    log.map_err(|reason| TelemetryError::Debug { dir: debug.dir.clone(), reason })?,
                )
            }
            None => None,
        };
        Ok(Self(Arc::new(Inner { metrics, tracer, debug, secrets })))
    }

    /// Numbers only.
    pub fn quiet() -> Self {
        let (metrics, secrets) = (Arc::default(), Secrets::default());
        Self(Arc::new(Inner { metrics, tracer: None, debug: None, secrets }))
    }

    /// The numbers.
    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.0.metrics
    }

    /// What is never shown.
    pub fn secrets(&self) -> &Secrets {
        &self.0.secrets
    }

    /// The debug files, where they are wanted.
    pub fn debug(&self) -> Option<&DebugLog> {
        self.0.debug.as_ref()
    }

    fn tracer(&self) -> Option<&Arc<Tracer>> {
        self.0.tracer.as_ref()
    }

    /// Hands over what is waiting, for no longer than this, and takes nothing more. Blocks: from
    /// async code, call it on a thread that may. Says whether everything got through.
    pub fn shut_down(&self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let spans = self.0.tracer.as_ref().is_none_or(|tracer| tracer.shut_down(patience));
        let rest = until.saturating_duration_since(Instant::now());
        let lines = self.0.debug.as_ref().is_none_or(|debug| {
            let is_written = debug.flush(rest.max(Duration::from_millis(100)));
            debug.close();
            is_written
        });
        spans && lines
    }
}
