//! Collectors that are slow, gone, or silent.

use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use pilothouse_host::telemetry::trace::{Export, Span};
use pilothouse_host::telemetry::{SessionTrace, Telemetry, TelemetryOptions, TraceOptions};
use rustix::net::{AddressFamily, SocketType, bind, getsockname, socket};

use crate::play::{SESSION, play};

fn options(base: &str) -> TelemetryOptions {
    let trace = Some(TraceOptions { timeout: Duration::from_secs(600), ..TraceOptions::to(base) });
    TelemetryOptions { trace, ..TelemetryOptions::default() }
}

/// Takes nothing until it is told to.
struct Stuck(Receiver<()>);

impl Export for Stuck {
    fn export(&mut self, _: Vec<Span>) -> Result<(), String> {
        self.0.recv().map_err(|error| error.to_string())
    }
}

/// That this ends at all is the point: nothing waits for the collector.
#[test]
fn a_collector_that_hangs_costs_spans_and_nothing_else() {
    let (go, stuck) = sync_channel(0);
    let options = options("http://unused");
    let telemetry =
        Telemetry::start_with(&options, Some(Box::new(Stuck(stuck)))).expect("telemetry");
    let metrics = telemetry.metrics().clone();
    let mut plays = 0_u64;
    while metrics.spans_dropped.get() == 0 {
        play("permission-allow", &mut SessionTrace::new(&telemetry, SESSION));
        plays += 1;
        assert!(plays < 100_000, "the queue has no bound");
    }
    assert_eq!(metrics.spans_exported.get(), 0);
    assert!(!telemetry.shut_down(Duration::from_millis(50)), "nothing got through");
    // Everything that is refused now is counted as what it is.
    drop(go);
}

#[test]
fn a_collector_that_is_gone_is_counted() {
    // Bound, so that nobody else gets it, but deaf.
    let deaf = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
    bind(&deaf, &SocketAddr::from(([127, 0, 0, 1], 0))).expect("a port");
    let address = SocketAddr::try_from(getsockname(&deaf).expect("a name")).expect("an address");
    let base = format!("http://{address}");
    let telemetry = Telemetry::start(&options(&base)).expect("telemetry");
    play("permission-allow", &mut SessionTrace::new(&telemetry, SESSION));
    assert!(telemetry.shut_down(Duration::from_secs(60)), "given up, not waited for");
    assert_eq!(telemetry.metrics().spans_dropped.get(), 15);
    assert_eq!(telemetry.metrics().spans_exported.get(), 0);
}

#[test]
fn shutting_down_does_not_wait_for_a_collector_that_says_nothing() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let base = format!("http://{}", silent.local_addr().expect("an address"));
    let telemetry = Telemetry::start(&options(&base)).expect("telemetry");
    play("hello", &mut SessionTrace::new(&telemetry, SESSION));
    let began = Instant::now();
    assert!(!telemetry.shut_down(Duration::from_millis(100)));
    assert!(began.elapsed() < Duration::from_secs(300), "the request itself may take 600");
    drop(silent);
}

#[test]
fn without_a_collector_nothing_is_traced() {
    let telemetry = Telemetry::quiet();
    let mut trace = SessionTrace::new(&telemetry, SESSION);
    assert!(!trace.is_on());
    assert_eq!(trace.traceparent(crate::play::RUN), None);
    play("hello", &mut trace);
    assert!(telemetry.shut_down(Duration::ZERO));
    assert_eq!(telemetry.metrics().spans_dropped.get(), 0);
}

#[test]
fn a_collector_that_cannot_be_reached_is_refused_with_advice() {
    for (base, advice) in [
        ("https://collector.example", "http://"),
        ("collector:4318", "http://"),
        ("http://[", "OTEL_EXPORTER_OTLP_ENDPOINT"),
    ] {
        let error = Telemetry::start(&options(base)).expect_err(base).to_string();
        assert!(error.contains(advice), "{base}: {error}");
    }
}
