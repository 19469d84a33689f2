//! What recorded conversations and everything else add up to.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use pilothouse_host::telemetry::metrics::{AuthFailure, Direction, Side};
use pilothouse_host::telemetry::{Metrics, SessionMetrics};
use pilothouse_session::event::Status;
use pilothouse_session::session::Setup;
use pilothouse_session::{Event, Session};
use pilothouse_wire::control::ControlResponse;
use pilothouse_wire::{Frame, Outbound, codec};

use crate::play::{Listener, SESSION, play};
use crate::prometheus::Page;

impl Listener for SessionMetrics {
    fn line_in(&mut self, _: u64, frame: &Frame, _: Timestamp) {
        SessionMetrics::line_in(self, frame);
    }
    fn line_out(&mut self, line: &[u8], _: Timestamp) {
        SessionMetrics::line_out(self, line);
    }
    fn event(&mut self, event: &Event) {
        SessionMetrics::event(self, event);
    }
}

fn one(metrics: &Arc<Metrics>) -> SessionMetrics {
    SessionMetrics::new(Arc::clone(metrics), &Session::new(SESSION, Setup::default()))
}

fn after(scenario: &str) -> Page {
    let metrics = Arc::new(Metrics::default());
    metrics.session_listed(Status::Dormant, 1);
    play(scenario, &mut one(&metrics));
    Page::read(&metrics.render())
}

#[test]
fn a_page_without_anything_is_whole() {
    let page = Page::read(&Metrics::default().render());
    assert!(page.kinds.len() > 30);
    assert_eq!(page.value("pilothouse_sessions", &[("status", "running")]), 0.0);
    assert_eq!(page.value("pilothouse_build_info", &[("version", env!("CARGO_PKG_VERSION"))]), 1.0);
}

#[test]
fn a_conversation_with_a_permission_adds_up() {
    let page = after("permission-allow");
    let value =
        |name: &str, labels: &[(&str, &str)]| page.value(&format!("pilothouse_{name}"), labels);
    assert_eq!(value("sessions", &[("status", "dormant")]), 0.0);
    assert_eq!(value("sessions", &[("status", "ended")]), 1.0);
    assert_eq!(value("sessions", &[("status", "running")]), 0.0);
    assert_eq!(value("runs_started_total", &[("origin", "new")]), 1.0);
    assert_eq!(value("runs_ended_total", &[("exit", "clean")]), 1.0);
    assert_eq!(value("events_appended_total", &[]), 29.0);
    assert_eq!(value("approvals_opened_total", &[("subject", "tool")]), 1.0);
    let allowed = [("decider", "client"), ("decision", "allow")];
    assert_eq!(value("approvals_resolved_total", &allowed), 1.0);
    assert_eq!(value("approvals_open", &[]), 0.0);
    assert_eq!(value("prompts_total", &[("state", "answered")]), 1.0);
    assert_eq!(value("turns_settled_total", &[("outcome", "done")]), 1.0);
    assert_eq!(value("turn_duration_seconds_count", &[]), 1.0);
    assert_eq!(value("turn_tokens_total", &[("kind", "input")]), 200.0);
    assert_eq!(value("turn_tokens_total", &[("kind", "output")]), 40.0);
}

#[test]
fn lines_and_refusals_are_counted() {
    let page = after("control-unknown");
    let lines = |direction| page.value("pilothouse_cli_lines_total", &[("direction", direction)]);
    assert!(lines("from_cli") > 0.0 && lines("to_cli") > 0.0);
    assert!(page.value("pilothouse_control_request_errors_total", &[("by", "cli")]) > 0.0);
    let metrics = Arc::new(Metrics::default());
    let refusal = Outbound::ControlResponse(Box::new(ControlResponse::error("1", "no")));
    one(&metrics).line_out(&codec::encode(&refusal).expect("a line"));
    assert_eq!(metrics.control_errors.of(Side::Host).get(), 1);
    let answer = ControlResponse::success("1", pilothouse_wire::Raw::empty_object());
    let answer = Outbound::ControlResponse(Box::new(answer));
    one(&metrics).line_out(&codec::encode(&answer).expect("a line"));
    assert_eq!(metrics.control_errors.of(Side::Host).get(), 1);
}

/// The CLI says "1 dollar so far" after each turn: that is one, however often it is said.
#[test]
fn totals_are_not_summed() {
    for scenario in ["hello", "two-turns", "resume"] {
        let page = after(scenario);
        assert_eq!(page.value("pilothouse_cost_usd_total", &[]), 1.0, "{scenario}");
    }
}

/// What was spent before this daemon came is not spent now.
#[test]
fn a_run_that_was_there_before_counts_from_what_is_known() {
    struct Late(SessionMetrics, u32);
    impl Listener for Late {
        fn event(&mut self, event: &Event) {
            use pilothouse_session::Body;
            self.1 += u32::from(matches!(event.body, Body::TurnStarted { .. }));
            if self.1 == 2 {
                self.0.event(event);
            }
        }
    }
    let metrics = Arc::new(Metrics::default());
    play("two-turns", &mut Late(one(&metrics), 0));
    let page = Page::read(&metrics.render());
    assert_eq!(page.value("pilothouse_cost_usd_total", &[]), 0.0);
    assert_eq!(page.value("pilothouse_turns_settled_total", &[("outcome", "done")]), 1.0);
}

#[test]
fn open_requests_are_counted_while_somebody_watches() {
    struct Until(SessionMetrics, bool);
    impl Listener for Until {
        fn event(&mut self, event: &Event) {
            use pilothouse_session::Body;
            self.1 |= matches!(event.body, Body::ApprovalResolved { .. });
            if !self.1 {
                self.0.event(event);
            }
        }
    }
    let metrics = Arc::new(Metrics::default());
    let mut watched = Until(one(&metrics), false);
    play("permission-allow", &mut watched);
    assert_eq!(metrics.approvals_open.get(), 1);
    drop(watched);
    assert_eq!(metrics.approvals_open.get(), 0);
}

#[test]
fn everything_else_is_counted_where_it_belongs() {
    let metrics = Metrics::default();
    metrics.line(Direction::FromCli, 100);
    metrics.line(Direction::FromCli, 20);
    metrics.line(Direction::ToCli, 3);
    metrics.deltas_sent.add(7);
    metrics.committed(Duration::from_micros(700), 12);
    metrics.delivery_processing.took(Duration::from_micros(300));
    metrics.delivery_coalescing.took(Duration::from_millis(20));
    metrics.http_answered("/api/v1/sessions/{id}", 200);
    metrics.http_answered("/api/v1/sessions/{id}", 204);
    metrics.http_answered("/a\"b\\c\nd", 503);
    metrics.auth_failures.of(AuthFailure::BadToken).add(1);
    metrics.control_errors.of(Side::Cli).add(2);
    let socket = metrics.websockets.hold();
    let page = Page::read(&metrics.render());
    drop(socket);
    let value =
        |name: &str, labels: &[(&str, &str)]| page.value(&format!("pilothouse_{name}"), labels);
    assert_eq!(value("cli_lines_total", &[("direction", "from_cli")]), 2.0);
    assert_eq!(value("cli_bytes_total", &[("direction", "from_cli")]), 120.0);
    assert_eq!(value("cli_bytes_total", &[("direction", "to_cli")]), 3.0);
    assert_eq!(value("deltas_sent_total", &[]), 7.0);
    assert_eq!(value("store_commit_duration_seconds_bucket", &[("le", "0.0005")]), 0.0);
    assert_eq!(value("store_commit_duration_seconds_bucket", &[("le", "0.001")]), 1.0);
    assert_eq!(value("store_commit_duration_seconds_sum", &[]), 0.0007);
    assert_eq!(value("store_commit_writes_bucket", &[("le", "20")]), 1.0);
    assert_eq!(value("delivery_processing_seconds_count", &[]), 1.0);
    assert_eq!(value("delivery_coalescing_seconds_bucket", &[("le", "0.025")]), 1.0);
    let route = [("route", "/api/v1/sessions/{id}"), ("status", "2xx")];
    assert_eq!(value("http_requests_total", &route), 2.0);
    let odd = [("route", "/a\"b\\c\nd"), ("status", "5xx")];
    assert_eq!(value("http_requests_total", &odd), 1.0);
    assert_eq!(value("auth_failures_total", &[("reason", "bad_token")]), 1.0);
    assert_eq!(value("control_request_errors_total", &[("by", "cli")]), 2.0);
    assert_eq!(value("websocket_connections", &[]), 1.0);
    assert_eq!(metrics.websockets.get(), 0);
}

/// Whatever was recorded, a session is in one state at the end, and nothing waits.
#[test]
fn conversations_in_which_something_is_asked_add_up() {
    for scenario in ["interrupt-permission", "permission-parallel", "plan", "question", "subagent"]
    {
        let page = after(scenario);
        let statuses = page.samples.iter().filter(|one| one.name == "pilothouse_sessions");
        assert_eq!(statuses.map(|one| one.value).sum::<f64>(), 1.0, "{scenario}");
        assert_eq!(page.value("pilothouse_approvals_open", &[]), 0.0, "{scenario}");
    }
}
