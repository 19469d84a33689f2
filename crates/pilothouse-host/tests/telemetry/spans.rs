//! A recorded conversation, as a collector sees it.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use pilothouse_host::telemetry::{
    Secrets, SessionTrace, Telemetry, TelemetryOptions, TraceOptions,
};

use crate::collector::{Collector, Post, attributes, spans, tree};
use crate::play::{RUN, SESSION, play};

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

fn told(scenario: &str, change: impl FnOnce(&mut TraceOptions)) -> Vec<Post> {
    told_with(scenario, &Secrets::default(), change)
}

fn told_with(
    scenario: &str,
    secrets: &Secrets,
    change: impl FnOnce(&mut TraceOptions),
) -> Vec<Post> {
    let collector = Collector::start();
    let mut trace = TraceOptions::to(&collector.base);
    change(&mut trace);
    let secrets = secrets.clone();
    let options = TelemetryOptions { trace: Some(trace), secrets, ..TelemetryOptions::default() };
    let telemetry = Telemetry::start(&options).expect("telemetry");
    play(scenario, &mut SessionTrace::new(&telemetry, SESSION));
    assert!(telemetry.shut_down(Duration::from_secs(60)), "everything got through");
    let posts = collector.posts();
    assert_eq!(telemetry.metrics().spans_exported.get(), spans(&posts).len() as u64);
    assert_eq!(telemetry.metrics().spans_dropped.get(), 0);
    posts
}

fn named<'s>(spans: &'s [Span], name: &str) -> &'s Span {
    let mut found = spans.iter().filter(|span| span.name == name);
    let span = found.next().unwrap_or_else(|| panic!("no {name} in\n{}", tree(spans)));
    assert!(found.next().is_none(), "more than one {name}");
    span
}

fn of<'a>(attributes: &'a HashMap<String, String>, key: &str) -> &'a str {
    attributes.get(key).unwrap_or_else(|| panic!("no {key} in {attributes:?}"))
}

#[test]
fn a_turn_with_a_permission_is_the_tree_that_it_should_be() {
    let spans = spans(&told("permission-allow", |_| {}));
    let expected = "\
streamjson.run 31 ms
  streamjson.control.control_response.initialize 1 ms
  streamjson.prompt 23 ms
    streamjson.system
    execute_tool Bash 8 ms
    streamjson.tool_call
    streamjson.context_window
    streamjson.approval_requested
    streamjson.control.control_request.can_use_tool
    streamjson.control.permission_response 1 ms
    streamjson.approval_resolved
    streamjson.tool_update
    streamjson.message_chunk
    streamjson.complete
    streamjson.context_window
";
    assert_eq!(tree(&spans), expected);
}

#[test]
fn requests_say_who_sends_them_and_in_what() {
    let posts = told("hello", |options| {
        options.headers = vec![("x-tenant".to_owned(), "blue".to_owned())];
        options.service_name = "harbour".to_owned();
    });
    let post = posts.first().expect("a post");
    assert_eq!(post.path, "/v1/traces");
    assert_eq!(of(&post.headers, "content-type"), "application/x-protobuf");
    assert_eq!(of(&post.headers, "x-tenant"), "blue");
    let resource = post.body.resource_spans[0].resource.as_ref().expect("a resource");
    let resource = attributes(&resource.attributes);
    assert_eq!(of(&resource, "service.name"), "harbour");
    assert_eq!(of(&resource, "service.version"), env!("CARGO_PKG_VERSION"));
}

#[test]
fn turns_and_tools_bear_the_names_of_the_conventions() {
    let spans = spans(&told("permission-allow", |_| {}));
    let prompt = named(&spans, "streamjson.prompt");
    let about = attributes(&prompt.attributes);
    assert_eq!(of(&about, "gen_ai.operation.name"), "invoke_agent");
    assert_eq!(of(&about, "gen_ai.system"), "anthropic");
    assert_eq!(of(&about, "gen_ai.provider.name"), "anthropic");
    assert_eq!(of(&about, "gen_ai.request.model"), "claude-opus-5-5");
    assert_eq!(of(&about, "gen_ai.conversation.id"), "00000000-0000-4000-8000-000000000003");
    assert_eq!(of(&about, "gen_ai.usage.input_tokens"), "200");
    assert_eq!(of(&about, "gen_ai.usage.output_tokens"), "40");
    assert_eq!(of(&about, "pilothouse.session.id"), SESSION.to_string());
    assert_eq!(of(&about, "pilothouse.turn.outcome"), "done");
    assert_eq!(prompt.kind, SpanKind::Client as i32);
    assert_eq!(prompt.status.as_ref().map(|status| status.code), Some(StatusCode::Unset as i32));

    let tool = named(&spans, "execute_tool Bash");
    let about = attributes(&tool.attributes);
    assert_eq!(of(&about, "gen_ai.operation.name"), "execute_tool");
    assert_eq!(of(&about, "gen_ai.tool.name"), "Bash");
    assert!(of(&about, "gen_ai.tool.call.id").starts_with("toolu_"));
    assert_eq!(of(&about, "pilothouse.tool.kind"), "shell_exec");
    assert_eq!(tool.parent_span_id, prompt.span_id);

    let asked = named(&spans, "streamjson.control.control_request.can_use_tool");
    let answered = named(&spans, "streamjson.control.permission_response");
    assert_eq!(answered.start_time_unix_nano, asked.start_time_unix_nano, "the time it waited");
    assert!(answered.end_time_unix_nano > answered.start_time_unix_nano);
    assert_eq!(of(&attributes(&answered.attributes), "pilothouse.permission.behavior"), "allow");
    assert_eq!(asked.parent_span_id, prompt.span_id);
}

#[test]
fn what_the_cli_said_stands_beside_what_was_made_of_it() {
    let spans = spans(&told("permission-allow", |_| {}));
    let message = named(&spans, "streamjson.message_chunk");
    let names: Vec<&str> = message.events.iter().map(|event| &*event.name).collect();
    assert_eq!(names, ["raw", "normalized"]);
    let raw = attributes(&message.events[0].attributes);
    assert!(of(&raw, "bytes").parse::<usize>().expect("a number") > 100);
    assert_eq!(of(&attributes(&message.events[1].attributes), "type"), "message");
}

#[test]
fn all_is_one_trace_below_the_parent_from_outside() {
    let posts = told("two-turns", |options| options.parent = Some(PARENT.to_owned()));
    let spans = spans(&posts);
    assert!(spans.iter().all(|span| hex(&span.trace_id) == "0af7651916cd43dd8448eb211c80319c"));
    let run = named(&spans, "streamjson.run");
    assert_eq!(hex(&run.parent_span_id), "b7ad6b7169203331");
    let prompts: Vec<&Span> =
        spans.iter().filter(|span| span.name == "streamjson.prompt").collect();
    assert_eq!(prompts.len(), 2);
    assert!(prompts.iter().all(|prompt| prompt.parent_span_id == run.span_id));
    let ids: HashSet<_> = spans.iter().map(|span| &span.span_id).collect();
    assert_eq!(ids.len(), spans.len(), "every span has a name of its own");
    for span in spans.iter().filter(|span| span.span_id != run.span_id) {
        assert!(ids.contains(&span.parent_span_id), "{} has no parent", span.name);
    }
}

#[test]
fn the_cli_is_told_the_span_of_its_run() {
    let collector = Collector::start();
    let trace = Some(TraceOptions::to(&collector.base));
    let options = TelemetryOptions { trace, ..TelemetryOptions::default() };
    let telemetry = Telemetry::start(&options).expect("telemetry");
    let mut trace = SessionTrace::new(&telemetry, SESSION);
    let before = trace.traceparent(RUN).expect("tracing is on");
    play("hello", &mut trace);
    assert!(telemetry.shut_down(Duration::from_secs(60)));
    let spans = spans(&collector.posts());
    let run = named(&spans, "streamjson.run");
    assert_eq!(before, format!("00-{}-{}-01", hex(&run.trace_id), hex(&run.span_id)));
    assert_eq!(hex(&run.trace_id), RUN.0.simple().to_string());

    let asked = SessionTrace::new(&telemetry, SESSION).with_parent(PARENT);
    let told = asked.traceparent(RUN).expect("tracing is on");
    assert!(told.starts_with("00-0af7651916cd43dd8448eb211c80319c-"), "{told}");
    let unsampled = PARENT.replace("-01", "-00");
    assert!(!SessionTrace::new(&telemetry, SESSION).with_parent(&unsampled).is_on());
}

#[test]
fn what_a_subagent_does_is_below_the_call_that_started_it() {
    let spans = spans(&told("subagent", |_| {}));
    let agent = named(&spans, "execute_tool Agent");
    let inner = named(&spans, "execute_tool Bash");
    assert_eq!(inner.parent_span_id, agent.span_id);
    assert_eq!(agent.parent_span_id, named(&spans, "streamjson.prompt").span_id);
}

#[test]
fn hooks_are_answered_under_their_names() {
    let spans = spans(&told("hooks-tools", |_| {}));
    let names: HashSet<&str> = spans.iter().map(|span| &*span.name).collect();
    assert!(names.contains("streamjson.control.control_request.hook_callback"));
    assert!(names.contains("streamjson.control.hook_response.pre_tool_use"), "{names:?}");
    assert!(names.contains("streamjson.control.hook_response.post_tool_use"), "{names:?}");
}

#[test]
fn what_fails_is_marked() {
    let spans = spans(&told("permission-deny", |_| {}));
    let call = named(&spans, "execute_tool Bash");
    let status = call.status.as_ref().expect("a status");
    assert_eq!(status.code, StatusCode::Error as i32);
    let answered = named(&spans, "streamjson.control.permission_response");
    assert_eq!(of(&attributes(&answered.attributes), "pilothouse.permission.behavior"), "deny");
}

/// Of all that anybody wrote in the conversation, nothing is in a span.
#[test]
fn content_stays_here_unless_it_is_asked_for() {
    let written = ["touch made", "So be it.", "make it", "Go on."];
    let everything = |posts: &[Post]| format!("{:?}", spans(posts));
    let without = everything(&told("permission-allow", |_| {}));
    for text in written {
        assert!(!without.contains(text), "{text}");
    }
    let with = everything(&told("permission-allow", |options| options.capture_content = true));
    for text in written {
        assert!(with.contains(text), "{text}");
    }
    for key in [
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "gen_ai.tool.call.arguments",
        "gen_ai.tool.call.result",
    ] {
        assert!(with.contains(key) && !without.contains(key), "{key}");
    }
}

#[test]
fn secrets_stay_here_in_any_case() {
    let secrets = Secrets::default();
    secrets.register("So be it.").expect("long enough");
    let posts = told_with("permission-allow", &secrets, |options| options.capture_content = true);
    let all = format!("{:?}", spans(&posts));
    assert!(!all.contains("So be it.") && all.contains("[redacted]"));
}

/// A daemon reads several lines at once, and tells of events when they are stored.
#[test]
fn lines_that_were_read_together_give_the_same_tree() {
    struct Gathered(SessionTrace, Vec<pilothouse_session::Event>);
    impl Gathered {
        fn stored(&mut self) {
            self.1.drain(..).for_each(|event| self.0.event(&event));
        }
    }
    impl crate::play::Listener for Gathered {
        fn line_in(&mut self, place: u64, frame: &pilothouse_wire::Frame, at: jiff::Timestamp) {
            self.0.line_in(place, frame, at);
        }
        fn line_out(&mut self, line: &[u8], at: jiff::Timestamp) {
            self.stored();
            self.0.line_out(line, at);
        }
        fn event(&mut self, event: &pilothouse_session::Event) {
            self.1.push(event.clone());
        }
        fn delta(&mut self, delta: &pilothouse_session::Delta, _: jiff::Timestamp) {
            self.0.delta(delta);
        }
    }
    // What each span says of its raw line, and how many pieces a turn had.
    let told_of = |spans: &[Span]| {
        let mut all: Vec<_> = spans
            .iter()
            .map(|span| {
                let raw = span.events.iter().find(|event| event.name == "raw");
                let bytes = raw.map(|raw| attributes(&raw.attributes).remove("bytes"));
                let pieces = attributes(&span.attributes).remove("pilothouse.deltas");
                (span.start_time_unix_nano, span.name.clone(), bytes, pieces)
            })
            .collect();
        all.sort();
        all
    };
    for scenario in ["hello", "permission-allow", "hooks-tools", "subagent", "two-turns"] {
        let single = spans(&told(scenario, |_| {}));
        let collector = Collector::start();
        let trace = Some(TraceOptions::to(&collector.base));
        let options = TelemetryOptions { trace, ..TelemetryOptions::default() };
        let telemetry = Telemetry::start(&options).expect("telemetry");
        let mut gathered = Gathered(SessionTrace::new(&telemetry, SESSION), Vec::new());
        play(scenario, &mut gathered);
        gathered.stored();
        assert!(telemetry.shut_down(Duration::from_secs(60)));
        let gathered = spans(&collector.posts());
        assert_eq!(tree(&gathered), tree(&single), "{scenario}");
        assert_eq!(told_of(&gathered), told_of(&single), "{scenario}");
    }
}

/// Another daemon has seen the beginning; what this one sees comes under the same names.
#[test]
fn an_adopted_run_goes_on_in_the_same_trace() {
    struct Late(SessionTrace, bool);
    impl crate::play::Listener for Late {
        fn event(&mut self, event: &pilothouse_session::Event) {
            use pilothouse_session::Body;
            self.1 |= matches!(event.body, Body::ToolUpdate { .. });
            if self.1 {
                self.0.event(event);
            }
        }
    }
    let whole = spans(&told("permission-allow", |_| {}));
    let collector = Collector::start();
    let trace = Some(TraceOptions::to(&collector.base));
    let options = TelemetryOptions { trace, ..TelemetryOptions::default() };
    let telemetry = Telemetry::start(&options).expect("telemetry");
    let mut trace = SessionTrace::new(&telemetry, SESSION);
    trace.adopt(RUN, Some("conversation"));
    play("permission-allow", &mut Late(trace, false));
    assert!(telemetry.shut_down(Duration::from_secs(60)));
    let late = spans(&collector.posts());
    let (before, after) = (named(&whole, "streamjson.prompt"), named(&late, "streamjson.prompt"));
    assert_eq!((&before.trace_id, &before.span_id), (&after.trace_id, &after.span_id));
    assert_eq!(before.parent_span_id, after.parent_span_id);
    assert_eq!(of(&attributes(&after.attributes), "gen_ai.conversation.id"), "conversation");
    assert_eq!(named(&late, "streamjson.tool_update").parent_span_id, before.span_id);
}

/// Whatever was ever recorded: all spans have parents, and none is left open.
#[test]
fn every_recorded_conversation_becomes_a_tree() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transcripts/2.1.325");
    let entries = std::fs::read_dir(root).expect("transcripts are in the repository");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut scenarios: Vec<String> = names
        .map(|name| name.to_string_lossy().trim_end_matches(".jsonl").to_owned())
        .map(|name| name.trim_end_matches("-1").trim_end_matches("-2").to_owned())
        .collect();
    scenarios.sort();
    scenarios.dedup();
    assert!(scenarios.len() > 90);
    for scenario in scenarios {
        let spans = spans(&told(&scenario, |_| {}));
        let ids: HashSet<_> = spans.iter().map(|span| &span.span_id).collect();
        let roots: Vec<&Span> =
            spans.iter().filter(|span| !ids.contains(&span.parent_span_id)).collect();
        assert!(
            roots
                .iter()
                .all(|root| root.name == "streamjson.run" && root.parent_span_id.is_empty()),
            "{scenario}\n{}",
            tree(&spans)
        );
        assert!(spans.iter().all(|span| span.end_time_unix_nano >= span.start_time_unix_nano));
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
