//! Where spans go, and what they may tell.

use std::time::Duration;

/// How long one batch may take, unless it is said otherwise.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The usual variable for [`TraceOptions::capture_content`].
const CAPTURE: &str = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";

/// How sessions are traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceOptions {
    /// Where spans are posted: the whole URL.
    pub endpoint: String,
    /// Headers to send along. May hold secrets.
    pub headers: Vec<(String, String)>,
    /// How long one batch may take.
    pub timeout: Duration,
    /// What this daemon is called.
    pub service_name: String,
    /// Put prompts, texts, tool inputs and results into spans. Sizes are always there.
    pub capture_content: bool,
    /// A span of another program, in W3C form, that all runs become part of.
    pub parent: Option<String>,
}

/// Why there are no traces.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The URL is none.
    #[error(
        "{endpoint:?} is not the URL of a trace collector ({reason}): set OTEL_EXPORTER_OTLP_ENDPOINT to something like http://127.0.0.1:4318"
    )]
    BadEndpoint {
        /// What was given.
        endpoint: String,
        /// Why not.
        reason: String,
    },
    /// The URL is not of a kind that can be posted to.
    #[error(
        "{0:?} cannot be posted to: give an http:// URL, of a collector on this machine or in this network, which can pass spans on over TLS"
    )]
    NotHttp(String),
    /// The protocol is another one.
    #[error(
        "OTEL_EXPORTER_OTLP_PROTOCOL={0:?} is not spoken here: use http/protobuf and the collector's port for it, mostly 4318"
    )]
    Protocol(String),
    /// The exporter says no.
    #[error("the trace exporter cannot be set up: {0}")]
    Exporter(String),
    /// This program has no exporter.
    #[error(
        "this build of Pilothouse sends no traces: build it with the feature `otlp`, or unset OTEL_EXPORTER_OTLP_ENDPOINT"
    )]
    NotBuilt,
    /// The thread cannot be started.
    #[error("no thread can be started for traces: {0}")]
    Thread(#[from] std::io::Error),
}

impl TraceOptions {
    /// To a collector whose base URL is this: `http://127.0.0.1:4318`.
    pub fn to(base: &str) -> Self {
        Self {
            endpoint: format!("{}/v1/traces", base.trim_end_matches('/')),
            headers: Vec::new(),
            timeout: TIMEOUT,
            service_name: "pilothouse".to_owned(),
            capture_content: false,
            parent: None,
        }
    }

    /// What the variables of OpenTelemetry say; none where they name no collector.
    /// `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` are heard
    /// later, by the exporter.
    pub fn from_env(get: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, TraceError> {
        let get = |name: &str| get(name).filter(|value| !value.trim().is_empty());
        let is = |name: &str, word: &str| {
            get(name).is_some_and(|value| value.trim().eq_ignore_ascii_case(word))
        };
        if is("OTEL_SDK_DISABLED", "true") || is("OTEL_TRACES_EXPORTER", "none") {
            return Ok(None);
        }
        let mut options = match get("OTEL_EXPORTER_OTLP_ENDPOINT") {
            Some(base) => Self::to(base.trim()),
            None => Self::to(""),
        };
        match get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") {
            Some(whole) => whole.trim().clone_into(&mut options.endpoint),
            None if get("OTEL_EXPORTER_OTLP_ENDPOINT").is_none() => return Ok(None),
            None => {}
        }
        let of_traces = |name: &str| {
            get(&format!("OTEL_EXPORTER_OTLP_TRACES_{name}"))
                .or_else(|| get(&format!("OTEL_EXPORTER_OTLP_{name}")))
        };
        match of_traces("PROTOCOL").as_deref().map(str::trim) {
            None | Some("http/protobuf") => {}
            Some(other) => return Err(TraceError::Protocol(other.to_owned())),
        }
        if let Some(millis) = of_traces("TIMEOUT").and_then(|millis| millis.trim().parse().ok()) {
            options.timeout = Duration::from_millis(millis);
        }
        options.capture_content = is(CAPTURE, "true");
        options.parent = get("TRACEPARENT");
        Ok(Some(options))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(variables: &[(&str, &str)]) -> Result<Option<TraceOptions>, TraceError> {
        TraceOptions::from_env(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_environment_names_the_collector() {
        assert_eq!(from(&[]).unwrap(), None);
        assert_eq!(from(&[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")]).unwrap(), None);
        let base = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:4318/");
        let endpoint = |variables: &[_]| from(variables).unwrap().map(|options| options.endpoint);
        assert_eq!(endpoint(&[base]).as_deref(), Some("http://h:4318/v1/traces"));
        let whole = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t/x");
        assert_eq!(endpoint(&[base, whole]).as_deref(), Some("http://t/x"));
        assert_eq!(endpoint(&[whole]).as_deref(), Some("http://t/x"));
        assert_eq!(endpoint(&[base, ("OTEL_SDK_DISABLED", "TRUE")]), None);
        assert_eq!(endpoint(&[base, ("OTEL_TRACES_EXPORTER", "none")]), None);
    }

    #[test]
    fn content_is_captured_where_the_usual_variable_says_so() {
        let base = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:4318");
        for (value, is_captured) in [("true", true), ("True ", true), ("false", false), ("", false)]
        {
            let options = from(&[base, (CAPTURE, value)]).unwrap().unwrap();
            assert_eq!(options.capture_content, is_captured, "{value:?}");
        }
    }

    #[test]
    fn times_protocols_and_parents_are_heard() {
        let base = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:4318");
        let options = from(&[
            base,
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "50"),
            ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "70"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"),
            ("TRACEPARENT", "00-1-2-01"),
        ]);
        let options = options.unwrap().unwrap();
        assert_eq!(options.timeout, Duration::from_millis(70));
        assert_eq!(options.parent.as_deref(), Some("00-1-2-01"));
        assert!(!options.capture_content, "it is not asked for");
        let grpc = from(&[base, ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]);
        assert!(grpc.unwrap_err().to_string().contains("http/protobuf"));
    }
}
