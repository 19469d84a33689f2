//! What goes on, in numbers, for Prometheus.
//!
//! Counting is an atomic addition, so it can be done for every line. Labels are closed enums; where a
//! word comes from outside (routes, models) there can only be few. Nothing here is kept: counters
//! begin at 0 when the daemon does, which Prometheus expects.
//!
//! Money and tokens by model are totals that the CLI keeps; they grow here by as much as they have
//! grown there, and where that cannot be known, not at all.

mod label;
mod labels;
mod number;
mod session;
mod sorting;
mod text;

use std::sync::Arc;

use jiff::Timestamp;
use pilothouse_session::event::Status;

pub use label::{Family, Label, Named};
pub use labels::{
    AuthFailure, DeciderWord, DecisionWord, Direction, ExitKind, OriginKind, PromptWord, Side,
    StatusClass, StatusWord, SubjectKind, TokenKind, TurnOutcome,
};
pub use number::{Counter, Gauge, Held, Histogram};
pub use session::SessionMetrics;

use number::Unit;
use text::Page;

/// What [`Metrics::render`] gives, for the `Content-Type` of an answer.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

const MICRO: u64 = 1_000;
const MILLI: u64 = 1_000 * MICRO;
const SECOND: u64 = 1_000 * MILLI;

/// What must be fast: 50 µs to 1 s.
const QUICK: &[u64] = &[
    50 * MICRO,
    100 * MICRO,
    250 * MICRO,
    500 * MICRO,
    MILLI,
    5 * MILLI / 2,
    5 * MILLI,
    10 * MILLI,
    25 * MILLI,
    50 * MILLI,
    100 * MILLI,
    250 * MILLI,
    SECOND,
];

/// Turns: half a second to an hour.
const SLOW: &[u64] = &[
    SECOND / 2,
    SECOND,
    2 * SECOND,
    5 * SECOND,
    10 * SECOND,
    30 * SECOND,
    60 * SECOND,
    120 * SECOND,
    300 * SECOND,
    600 * SECOND,
    1_800 * SECOND,
    3_600 * SECOND,
];

const SIZES: &[u64] = &[1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000];

/// All metrics.
#[derive(Debug)]
pub struct Metrics {
    /// Sessions, by status; see [`Metrics::session_listed`].
    pub sessions: Family<StatusWord, Gauge>,
    /// Runs that have started.
    pub runs_started: Family<OriginKind, Counter>,
    /// Runs that have ended.
    pub runs_ended: Family<ExitKind, Counter>,
    /// Lines of the protocol.
    pub lines: Family<Direction, Counter>,
    /// Bytes of these.
    pub line_bytes: Family<Direction, Counter>,
    /// Events that were appended.
    pub events_appended: Counter,
    /// Deltas that were sent to clients.
    pub deltas_sent: Counter,
    /// Bytes that were sent to clients.
    pub client_bytes_sent: Counter,
    /// Requests that wait for an answer.
    pub approvals_open: Gauge,
    /// Requests that began to wait.
    pub approvals_opened: Family<SubjectKind, Counter>,
    /// Requests that were answered, by whom and how.
    pub approvals_resolved: Family<DeciderWord, Family<DecisionWord, Counter>>,
    /// Requests that became void.
    pub approvals_cancelled: Counter,
    /// What has become of prompts.
    pub prompts: Family<PromptWord, Counter>,
    /// Turns that have settled.
    pub turns_settled: Family<TurnOutcome, Counter>,
    /// How long turns took.
    pub turn_duration: Histogram,
    /// How long a commit took.
    pub store_commit: Histogram,
    /// How many writes were in it.
    pub store_batch: Histogram,
    /// Subscriptions of clients.
    pub hub_subscribers: Arc<Gauge>,
    /// Clients that were told to read again.
    pub clients_lagged: Counter,
    /// Open WebSockets.
    pub websockets: Arc<Gauge>,
    /// WebSockets that were opened.
    pub websockets_opened: Counter,
    /// Requests of HTTP, by route.
    pub http: Named<Family<StatusClass, Counter>>,
    /// Requests that were not let in.
    pub auth_failures: Family<AuthFailure, Counter>,
    /// From a line of the CLI to the client's socket, without deliberate waiting.
    pub delivery_processing: Histogram,
    /// For how long deltas waited for company.
    pub delivery_coalescing: Histogram,
    /// Messages of a kind that is not known.
    pub unknown_messages: Counter,
    /// Control requests that were answered with an error.
    pub control_errors: Family<Side, Counter>,
    /// Tokens of main threads, turn by turn.
    pub turn_tokens: Family<TokenKind, Counter>,
    /// Tokens by model, subagents included, as far as the CLI's totals have grown.
    pub model_tokens: Named<Family<TokenKind, Counter>>,
    /// Billionths of a dollar, as far as the CLI's totals have grown.
    pub cost_nano_usd: Counter,
    /// Spans that a collector has taken.
    pub spans_exported: Counter,
    /// Spans that were dropped.
    pub spans_dropped: Counter,
    /// Lines of debug files that were dropped.
    pub debug_lines_dropped: Counter,
    started: Timestamp,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            sessions: Family::default(),
            runs_started: Family::default(),
            runs_ended: Family::default(),
            lines: Family::default(),
            line_bytes: Family::default(),
            events_appended: Counter::default(),
            deltas_sent: Counter::default(),
            client_bytes_sent: Counter::default(),
            approvals_open: Gauge::default(),
            approvals_opened: Family::default(),
            approvals_resolved: Family::default(),
            approvals_cancelled: Counter::default(),
            prompts: Family::default(),
            turns_settled: Family::default(),
            turn_duration: Histogram::new(Unit::Time, SLOW),
            store_commit: Histogram::new(Unit::Time, QUICK),
            store_batch: Histogram::new(Unit::Count, SIZES),
            hub_subscribers: Arc::default(),
            clients_lagged: Counter::default(),
            websockets: Arc::default(),
            websockets_opened: Counter::default(),
            http: Named::default(),
            auth_failures: Family::default(),
            delivery_processing: Histogram::new(Unit::Time, QUICK),
            delivery_coalescing: Histogram::new(Unit::Time, QUICK),
            unknown_messages: Counter::default(),
            control_errors: Family::default(),
            turn_tokens: Family::default(),
            model_tokens: Named::default(),
            cost_nano_usd: Counter::default(),
            spans_exported: Counter::default(),
            spans_dropped: Counter::default(),
            debug_lines_dropped: Counter::default(),
            started: Timestamp::now(),
        }
    }
}

impl Metrics {
    /// Sessions with this status are there: created, or found in the store.
    pub fn session_listed(&self, status: Status, count: u64) {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        self.sessions.of(status.into()).add(count);
    }

    /// A session with this status was deleted.
    pub fn session_forgotten(&self, status: Status) {
        self.sessions.of(status.into()).add(-1);
    }

    /// A line went through, of this many bytes.
    pub fn line(&self, direction: Direction, bytes: usize) {
        self.lines.of(direction).add(1);
        self.line_bytes.of(direction).add(bytes as u64);
    }

    /// A request was answered. `route` is the pattern (`/api/v1/sessions/{id}`), not the path.
    pub fn http_answered(&self, route: &str, status: u16) {
        self.http.of(route).of(StatusClass::of(status)).add(1);
    }

    /// A commit was made.
    pub fn committed(&self, took: std::time::Duration, writes: usize) {
        self.store_commit.took(took);
        self.store_batch.note(writes as u64);
    }

    /// All metrics, as Prometheus reads them.
    pub fn render(&self) -> String {
        let mut page = Page::default();
        self.render_sessions(&mut page);
        self.render_turns(&mut page);
        self.render_clients(&mut page);
        self.render_host(&mut page);
        page.finish()
    }

    fn render_sessions(&self, page: &mut Page) {
        page.gauges("pilothouse_sessions", "Sessions, by status.", &self.sessions);
        page.counters(
            "pilothouse_runs_started_total",
            "CLI processes started.",
            &self.runs_started,
        );
        page.counters("pilothouse_runs_ended_total", "CLI processes ended.", &self.runs_ended);
        page.counters("pilothouse_cli_lines_total", "Lines of the CLI's protocol.", &self.lines);
        page.counters("pilothouse_cli_bytes_total", "Bytes of these lines.", &self.line_bytes);
        let appended = "Events appended to sessions.";
        page.counter("pilothouse_events_appended_total", appended, &self.events_appended);
        let unknown = "Messages of the CLI of a kind that this version does not know.";
        page.counter("pilothouse_unknown_messages_total", unknown, &self.unknown_messages);
        let errors = "Control requests answered with an error, by who answered.";
        page.counters("pilothouse_control_request_errors_total", errors, &self.control_errors);
        page.gauge(
            "pilothouse_approvals_open",
            "Requests waiting for an answer.",
            &self.approvals_open,
        );
        let opened = "Requests put before people or policies.";
        page.counters("pilothouse_approvals_opened_total", opened, &self.approvals_opened);
        let name = "pilothouse_approvals_resolved_total";
        page.head(name, "counter", "Requests answered, by whom and how.");
        for (decider, decisions) in self.approvals_resolved.all() {
            for (decision, counter) in decisions.all() {
                page.sample(name, &[("decider", decider), ("decision", decision)], counter.get());
            }
        }
        let cancelled = "Requests that became void before anybody answered.";
        page.counter("pilothouse_approvals_cancelled_total", cancelled, &self.approvals_cancelled);
    }

    fn render_turns(&self, page: &mut Page) {
        page.counters("pilothouse_prompts_total", "Prompts that came into a state.", &self.prompts);
        page.counters(
            "pilothouse_turns_settled_total",
            "Turns that have ended.",
            &self.turns_settled,
        );
        let took = "From the beginning of a turn to its result.";
        page.histogram("pilothouse_turn_duration_seconds", took, &self.turn_duration);
        let tokens = "Tokens of turns' main threads, as the CLI tells them for each turn.";
        page.counters("pilothouse_turn_tokens_total", tokens, &self.turn_tokens);
        let name = "pilothouse_model_tokens_total";
        page.head(
            name,
            "counter",
            "Tokens by model, subagents included: the growth of the CLI's totals.",
        );
        for (model, kinds) in self.model_tokens.all() {
            for (kind, counter) in kinds.all() {
                page.sample(name, &[("model", &model), ("kind", kind)], counter.get());
            }
        }
        let name = "pilothouse_cost_usd_total";
        page.head(name, "counter", "Dollars: the growth of the CLI's own totals.");
        page.sample(name, &[], self.cost_nano_usd.get() as f64 / 1e9);
    }

    fn render_clients(&self, page: &mut Page) {
        page.counter("pilothouse_deltas_sent_total", "Deltas sent to clients.", &self.deltas_sent);
        let sent = "Bytes of events and deltas sent to clients.";
        page.counter("pilothouse_client_sent_bytes_total", sent, &self.client_bytes_sent);
        page.gauge(
            "pilothouse_hub_subscribers",
            "Subscriptions of clients.",
            &self.hub_subscribers,
        );
        let lagged = "Clients that were too slow and were told to read again.";
        page.counter("pilothouse_clients_lagged_total", lagged, &self.clients_lagged);
        page.gauge("pilothouse_websocket_connections", "Open WebSockets.", &self.websockets);
        let opened = "WebSockets opened.";
        page.counter(
            "pilothouse_websocket_connections_opened_total",
            opened,
            &self.websockets_opened,
        );
        let name = "pilothouse_http_requests_total";
        page.head(name, "counter", "Requests answered, by route and class of status.");
        for (route, classes) in self.http.all() {
            for (class, counter) in classes.all().filter(|(_, counter)| counter.get() > 0) {
                page.sample(name, &[("route", &route), ("status", class)], counter.get());
            }
        }
        let refused = "Requests that were not let in.";
        page.counters("pilothouse_auth_failures_total", refused, &self.auth_failures);
        let work = "From a line of the CLI to the client's socket, without deliberate waiting.";
        let processing = "pilothouse_delivery_processing_seconds";
        page.histogram(processing, work, &self.delivery_processing);
        let waiting = "For how long deltas were held back to be sent together.";
        let coalescing = "pilothouse_delivery_coalescing_seconds";
        page.histogram(coalescing, waiting, &self.delivery_coalescing);
    }

    fn render_host(&self, page: &mut Page) {
        let commit = "How long a commit of the store took.";
        page.histogram("pilothouse_store_commit_duration_seconds", commit, &self.store_commit);
        page.histogram("pilothouse_store_commit_writes", "Writes in a commit.", &self.store_batch);
        let taken = "Spans that a trace collector has taken.";
        page.counter("pilothouse_trace_spans_exported_total", taken, &self.spans_exported);
        let dropped = "Spans dropped, because of a full queue or a collector that took none.";
        page.counter("pilothouse_trace_spans_dropped_total", dropped, &self.spans_dropped);
        let lines = "Lines of debug files dropped, because the disk was too slow or failed.";
        page.counter("pilothouse_debug_lines_dropped_total", lines, &self.debug_lines_dropped);
        let name = "pilothouse_build_info";
        page.head(name, "gauge", "1, with the version.");
        page.sample(name, &[("version", env!("CARGO_PKG_VERSION"))], 1_u64);
        let name = "pilothouse_start_time_seconds";
        page.head(name, "gauge", "When the daemon started: seconds since 1970.");
        page.sample(name, &[], self.started.as_millisecond() as f64 / 1e3);
    }
}
