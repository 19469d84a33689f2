//! Telemetry of sessions that a host serves: what a collector and a debug file get of them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking"
)]
#![cfg(unix)]

#[expect(dead_code, reason = "other tests use more of it")]
#[path = "host/bed.rs"]
mod bed;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "telemetry/collector.rs"]
mod collector;

use std::path::PathBuf;

use opentelemetry_proto::tonic::trace::v1::Span;
use pilothouse_client::Cli;
use pilothouse_host::Host;
use pilothouse_host::config::{Config, Environment, Options as Flags};
use pilothouse_host::daemon::DaemonOptions;
use pilothouse_host::telemetry::{
    DebugLog, DebugOptions, Secrets, Telemetry, TelemetryOptions, TraceOptions,
};
use pilothouse_session::Command;
use pilothouse_session::event::{Body, Status};
use pilothouse_session::id::SessionId;
use serde_json::Value;

use bed::{Bed, PATIENCE, Watcher, allow, decide, prompt, sim};
use collector::{Collector, attributes, spans, tree};

/// What the model is made to say, and to do.
const SAID: &str = "a walrus was here";
const LINES: &str = "tool Bash {\"command\": \"touch narwhal\"}\n---\nsay a walrus was here";

/// A turn with a call that somebody allows.
async fn talk(host: &Host, session: SessionId) -> Watcher {
    let mut watcher = Watcher::new(host, session, 0).await;
    prompt(host, session, LINES).await;
    let approval = watcher.until_asked().await;
    decide(host, session, approval, allow()).await.unwrap();
    watcher.until_status(Status::Idle).await;
    watcher
}

async fn stop(host: &Host, session: SessionId, watcher: &mut Watcher) {
    host.command(session, Command::Stop).await.unwrap();
    watcher.until_status(Status::Ended).await;
}

/// Everything that has been sent when no more will be.
async fn sent(host: &Host, collector: &Collector) -> Vec<Span> {
    host.close().await;
    let telemetry = host.telemetry().clone();
    let is_done = tokio::task::spawn_blocking(move || telemetry.shut_down(PATIENCE));
    assert!(is_done.await.unwrap(), "everything got through");
    spans(&collector.posts())
}

fn named<'s>(spans: &'s [Span], name: &str) -> &'s Span {
    let mut found = spans.iter().filter(|span| span.name == name);
    let span = found.next().unwrap_or_else(|| panic!("no {name} in\n{}", tree(spans)));
    assert!(found.next().is_none(), "more than one {name}");
    span
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The debug file of a session, when all is in it that was noted.
async fn noted(log: &DebugLog, file: PathBuf) -> Option<String> {
    let log = log.clone();
    let is_written = tokio::task::spawn_blocking(move || log.flush(PATIENCE)).await.unwrap();
    assert!(is_written);
    std::fs::read_to_string(file).ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_a_trace_that_its_cli_is_part_of() {
    let (bed, collector) = (Bed::new(), Collector::start());
    let trace = Some(TraceOptions::to(&collector.base));
    let mut options = bed.options("");
    options.telemetry =
        Telemetry::start(&TelemetryOptions { trace, ..TelemetryOptions::default() }).unwrap();
    let host = Host::open(options).await.unwrap();
    let session = bed.session(&host).await;
    let mut watcher = talk(&host, session).await;
    let environ = std::fs::read_to_string(format!("/proc/{}/environ", bed.pids(session).1));
    let environ = environ.unwrap();
    let parent = environ.split('\0').find_map(|pair| pair.strip_prefix("TRACEPARENT="));
    let parent = parent.unwrap_or_else(|| panic!("no TRACEPARENT: {environ:?}")).to_owned();
    stop(&host, session, &mut watcher).await;

    let spans = sent(&host, &collector).await;
    let run = named(&spans, "streamjson.run");
    assert_eq!(parent, format!("00-{}-{}-01", hex(&run.trace_id), hex(&run.span_id)));
    assert!(spans.iter().all(|span| span.trace_id == run.trace_id), "{}", tree(&spans));
    let turn = named(&spans, "streamjson.prompt");
    assert_eq!(turn.parent_span_id, run.span_id);
    let of_turn = [
        "execute_tool Bash",
        "streamjson.tool_call",
        "streamjson.control.control_request.can_use_tool",
        "streamjson.control.permission_response",
        "streamjson.tool_update",
        "streamjson.message_chunk",
        "streamjson.complete",
    ];
    for name in of_turn {
        let child = named(&spans, name);
        assert_eq!(child.parent_span_id, turn.span_id, "{name} in\n{}", tree(&spans));
        let (from, to) = (child.start_time_unix_nano, child.end_time_unix_nano);
        assert!(turn.start_time_unix_nano <= from && to <= turn.end_time_unix_nano, "{name}");
    }
    let about = attributes(&turn.attributes);
    assert_eq!(about["pilothouse.session.id"], session.to_string());
    assert_eq!(about["pilothouse.turn.outcome"], "done");
    let message = named(&spans, "streamjson.message_chunk");
    let beside: Vec<&str> = message.events.iter().map(|event| &*event.name).collect();
    assert_eq!(beside, ["raw", "normalized"], "what the CLI said, and what was made of it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_happens_is_noted_in_a_file_that_goes_with_its_session() {
    let bed = Bed::new();
    let debug = Some(DebugOptions::in_dir(bed.path("debug")));
    let mut options = bed.options("");
    options.telemetry =
        Telemetry::start(&TelemetryOptions { debug, ..TelemetryOptions::default() }).unwrap();
    let host = Host::open(options).await.unwrap();
    let session = bed.session(&host).await;
    let mut watcher = talk(&host, session).await;
    stop(&host, session, &mut watcher).await;
    let log = host.telemetry().debug().unwrap().clone();
    let file = bed.path("debug").join(format!("normalized-{session}.jsonl"));
    let text = noted(&log, file.clone()).await.expect("a debug file");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // Every event once, as those who watch have seen it, and the pieces as they came.
    let of =
        |key: &'static str| lines.iter().map(move |line| &line[key]).filter(|it| !it.is_null());
    let events: Vec<_> = of("event").map(|event| event["seq"].as_u64().unwrap()).collect();
    let shown: Vec<_> = watcher.events.iter().map(|event| event.seq).collect();
    assert_eq!(events, shown);
    let is_message = |body: &Body| matches!(body, Body::Message { .. });
    assert_eq!(watcher.count(is_message), 1);
    assert!(of("event").any(|event| event["text"] == SAID), "{text}");
    let pieces: String = of("delta").filter_map(|delta| delta["text"].as_str()).collect();
    assert!(pieces.contains(SAID), "{pieces}");

    host.delete(session, "Ada").await.unwrap();
    assert_eq!(noted(&log, file).await, None);
    host.close().await;
}

/// As it is configured, from the file to the collector.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_said_is_sent_only_where_that_is_configured() {
    for (file, is_sent) in [("", false), ("telemetry.capture_content = true", true)] {
        let (bed, collector) = (Bed::new(), Collector::start());
        let mut flags = Flags::default();
        flags.assign(&format!("telemetry.otlp_endpoint={}", collector.base)).unwrap();
        let here = Environment { variables: Vec::new(), home: None, cwd: bed.path("work") };
        let path = bed.path("config.toml");
        let config = Config::resolve(Some((&path, file)), &flags, &here).unwrap();
        let mut options = bed.options("");
        options.telemetry = DaemonOptions::of(&config, options.holder.clone(), &Secrets::default())
            .unwrap()
            .host
            .telemetry;
        options.cli = Cli::At(sim());
        let host = Host::open(options).await.unwrap();
        let session = bed.session(&host).await;
        let mut watcher = talk(&host, session).await;
        stop(&host, session, &mut watcher).await;

        let spans = sent(&host, &collector).await;
        let all = format!("{spans:?}");
        for said in [SAID, "touch narwhal"] {
            assert_eq!(all.contains(said), is_sent, "{said}\n{}", tree(&spans));
        }
        let message = named(&spans, "streamjson.message_chunk");
        assert_eq!(message.events.len(), 2, "what the CLI said, and what was made of it");
        for event in &message.events {
            let body = attributes(&event.attributes).remove("body");
            assert_eq!(body.is_some_and(|body| body.contains(SAID)), is_sent, "{event:?}");
        }
    }
}
