//! Spans as OTLP over HTTP, in protobuf.
//!
//! The SDK's tracer is not used: our spans have names and times of their own, which it would choose
//! itself. Its exporter knows the format, the headers and the environment variables.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime};

use http::{Request, Response};
use opentelemetry::trace::{
    Event, SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState,
};
use opentelemetry::{InstrumentationScope, KeyValue, Value};
use opentelemetry_http::{Bytes, HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanExporter as _, SpanLinks};

use super::courier::Export;
use super::options::{TraceError, TraceOptions};
use super::span;

/// How much a collector may answer.
const ANSWER: u64 = 1 << 20;

/// A collector that speaks OTLP over HTTP.
pub(super) struct Collector {
    exporter: SpanExporter,
    scope: InstrumentationScope,
}

impl Collector {
    pub(super) fn new(options: &TraceOptions) -> Result<Self, TraceError> {
        let url: http::Uri = options.endpoint.parse().map_err(|error| TraceError::BadEndpoint {
            endpoint: options.endpoint.clone(),
            reason: format!("{error}"),
        })?;
        let client = Posting::new(&url, options)?;
        let mut exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_endpoint(options.endpoint.clone())
            .with_timeout(options.timeout)
            .with_headers(options.headers.iter().cloned().collect())
            .build()
            .map_err(|error| TraceError::Exporter(error.to_string()))?;
        // Takes OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME along.
        let mut resource = Resource::builder();
        let has_name = std::env::var_os("OTEL_SERVICE_NAME").is_some_and(|name| !name.is_empty());
        if !has_name {
            resource = resource.with_service_name(options.service_name.clone());
        }
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        exporter.set_resource(&resource.with_attribute(version).build());
        let scope = InstrumentationScope::builder("pilothouse")
            .with_version(env!("CARGO_PKG_VERSION"))
            .build();
        Ok(Self { exporter, scope })
    }
}

impl Export for Collector {
    fn export(&mut self, spans: Vec<span::Span>) -> Result<(), String> {
        let scope = &self.scope;
        let batch = spans.into_iter().map(|span| in_their_words(span, scope)).collect();
        now(self.exporter.export(batch)).map_err(|error| error.to_string())
    }
}

/// The answer of a future that never waits: its HTTP client blocks the thread, which is its own.
fn now<T>(future: impl Future<Output = Result<T, impl ToString>>) -> Result<T, String> {
    match std::pin::pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer.map_err(|error| error.to_string()),
        Poll::Pending => Err("the exporter wanted to wait".to_owned()),
    }
}

#[derive(Debug)]
struct Posting(ureq::Agent);

impl Posting {
    fn new(url: &http::Uri, options: &TraceOptions) -> Result<Self, TraceError> {
        if url.scheme_str() != Some("http") {
            return Err(TraceError::NotHttp(options.endpoint.clone()));
        }
        let host = url.host().unwrap_or_default().trim_matches(['[', ']']);
        let is_here = host == "localhost"
            || host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback());
        let mut config = ureq::Agent::config_builder()
            .timeout_global(Some(options.timeout))
            .max_redirects(0)
            .http_status_as_error(false);
        if is_here {
            config = config.proxy(None);
        }
        Ok(Self(config.build().new_agent()))
    }

    fn post(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let response = self.0.run(Request::from_parts(parts, &*body))?;
        let (parts, mut body) = response.into_parts();
        let body = body.with_config().limit(ANSWER).read_to_vec()?;
        Ok(Response::from_parts(parts, Bytes::from(body)))
    }
}

impl HttpClient for Posting {
    fn send_bytes<'this, 'answer>(
        &'this self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'answer>>
    where
        'this: 'answer,
        Self: 'answer,
    {
        Box::pin(std::future::ready(self.post(request)))
    }
}

fn in_their_words(span: span::Span, scope: &InstrumentationScope) -> SpanData {
    let mut events = SpanEvents::default();
    events.dropped_count = span.dropped_events;
    events.events = span.events.into_iter().map(event).collect();
    SpanData {
        span_context: SpanContext::new(
            TraceId::from(span.context.trace),
            SpanId::from(span.context.span),
            TraceFlags::SAMPLED,
            false,
            TraceState::NONE,
        ),
        parent_span_id: SpanId::from(span.parent.unwrap_or(0)),
        parent_span_is_remote: span.parent_is_remote,
        span_kind: match span.kind {
            span::SpanKind::Internal => SpanKind::Internal,
            span::SpanKind::Client => SpanKind::Client,
            span::SpanKind::Server => SpanKind::Server,
        },
        name: span.name,
        start_time: time(span.start),
        end_time: time(span.end),
        attributes: attributes(span.attributes),
        dropped_attributes_count: 0,
        events,
        links: SpanLinks::default(),
        status: match span.failure {
            Some(reason) => Status::error(reason),
            None => Status::Unset,
        },
        instrumentation_scope: scope.clone(),
    }
}

fn event(event: span::SpanEvent) -> Event {
    Event::new(event.name, time(event.at), attributes(event.attributes), 0)
}

fn attributes(attributes: Vec<span::Attribute>) -> Vec<KeyValue> {
    let value = |value| match value {
        span::Value::Text(text) => Value::from(text),
        span::Value::Int(number) => Value::from(number),
        span::Value::Float(number) => Value::from(number),
        span::Value::Bool(answer) => Value::from(answer),
    };
    attributes.into_iter().map(|(key, of)| KeyValue::new(key, value(of))).collect()
}

/// Times before 1970 have no place in OTLP.
fn time(at: jiff::Timestamp) -> SystemTime {
    let nanos = u64::try_from(at.as_nanosecond()).unwrap_or(0);
    SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos)
}
