//! What the events of one session add to the metrics.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use pilothouse_session::event::{Body, Completion, ConversationReason, Status, Tokens};
use pilothouse_session::id::{ApprovalId, TurnId};
use pilothouse_session::{Event, Session};
use pilothouse_wire::control::Answer;
use pilothouse_wire::{Frame, Inbound};

use super::Metrics;
use super::labels::{Direction, OriginKind, Side, TokenKind};

/// How a line begins with which a request of the CLI is refused.
const REFUSED: &[u8] = br#"{"type":"control_response","response":{"subtype":"error""#;

/// One session, as the metrics see it. Each event is to be told once: not those that are only read
/// again after a restart.
#[derive(Debug)]
pub struct SessionMetrics {
    metrics: Arc<Metrics>,
    status: Status,
    open: BTreeSet<ApprovalId>,
    turn: Option<(TurnId, Timestamp)>,
    totals: Totals,
}

/// What the CLI said last of its totals. They grow within a run; a run that resumes a conversation
/// goes on from what was saved, and `/clear` begins anew.
#[derive(Clone, Debug)]
enum Totals {
    /// Nobody knows what was counted before: the next numbers are where counting begins.
    Unknown,
    /// Up to here everything was counted.
    Known { cost: f64, models: BTreeMap<String, Tokens> },
}

impl Totals {
    fn nothing() -> Self {
        Self::Known { cost: 0.0, models: BTreeMap::new() }
    }
}

impl SessionMetrics {
    /// For a session that is [counted](Metrics::session_listed) with the status it has. Its open
    /// approvals are counted until this is dropped.
    pub fn new(metrics: Arc<Metrics>, session: &Session) -> Self {
        let open: BTreeSet<_> =
            session.approvals().iter().map(|approval| approval.approval).collect();
        metrics.approvals_open.add(signed(open.len()));
        Self { metrics, status: session.status(), open, turn: None, totals: Totals::Unknown }
    }

    /// The session is counted with this status: that of the store, which may be ahead of a state
    /// that was written down.
    #[must_use]
    pub fn listed_as(mut self, status: Status) -> Self {
        self.status = status;
        self
    }

    /// An event is made again that was stored, and counted, before a restart. Only what is open
    /// follows from it.
    pub fn read_again(&mut self, event: &Event) {
        match &event.body {
            Body::ApprovalRequested { approval } => self.opened(approval.approval),
            Body::ApprovalResolved { resolution } => self.closed(resolution.approval),
            Body::PermissionCancelled { approval, .. } => self.closed(*approval),
            _ => {}
        }
    }

    /// What the last completion of the session said, where it is known from before a restart:
    /// without it, what the first turn after a restart costs is not counted.
    pub fn recall(&mut self, completion: &Completion) {
        self.totals = totals_of(completion, 0.0);
    }

    /// The CLI wrote a line.
    pub fn line_in(&self, frame: &Frame) {
        self.metrics.line(Direction::FromCli, frame.raw.len());
        if let Inbound::ControlResponse(response) = &frame.message
            && matches!(response.response, Answer::Error(_))
        {
            self.metrics.control_errors.of(Side::Cli).add(1);
        }
    }

    /// A line was written to the CLI.
    pub fn line_out(&self, line: &[u8]) {
        self.metrics.line(Direction::ToCli, line.len());
        if line.starts_with(REFUSED) {
            self.metrics.control_errors.of(Side::Host).add(1);
        }
    }

    /// Something happened in the session.
    pub fn event(&mut self, event: &Event) {
        let metrics = Arc::clone(&self.metrics);
        metrics.events_appended.add(1);
        match &event.body {
            Body::SessionStatus { status } => self.moved(*status),
            Body::RunStarted { origin, .. } => {
                let kind = OriginKind::from(origin);
                metrics.runs_started.of(kind).add(1);
                match kind {
                    OriginKind::New => self.totals = Totals::nothing(),
                    OriginKind::Forked => self.totals = Totals::Unknown,
                    OriginKind::Resumed => {}
                }
            }
            Body::RunEnded { exit, .. } => metrics.runs_ended.of((*exit).into()).add(1),
            Body::ConversationChanged { reason, .. } => match reason {
                ConversationReason::Cleared => self.totals = Totals::nothing(),
                ConversationReason::Started
                | ConversationReason::Resumed
                | ConversationReason::Forked
                | ConversationReason::Plan => {}
            },
            Body::PromptUpdated { state, .. } => metrics.prompts.of(state.into()).add(1),
            Body::TurnStarted { .. } => self.turn = event.turn.map(|turn| (turn, event.at)),
            Body::ApprovalRequested { approval } => {
                metrics.approvals_opened.of((&approval.subject).into()).add(1);
                self.opened(approval.approval);
            }
            Body::ApprovalResolved { resolution } => {
                let by_whom = metrics.approvals_resolved.of((&resolution.by).into());
                by_whom.of((&resolution.decision).into()).add(1);
                self.closed(resolution.approval);
            }
            Body::PermissionCancelled { approval, .. } => {
                metrics.approvals_cancelled.add(1);
                self.closed(*approval);
            }
            Body::Complete { completion } => self.settled(event, completion),
            Body::Unknown { .. } => metrics.unknown_messages.add(1),
            _ => {}
        }
    }

    fn moved(&mut self, status: Status) {
        self.metrics.sessions.of(self.status.into()).add(-1);
        self.metrics.sessions.of(status.into()).add(1);
        self.status = status;
    }

    fn opened(&mut self, approval: ApprovalId) {
        if self.open.insert(approval) {
            self.metrics.approvals_open.add(1);
        }
    }

    fn closed(&mut self, approval: ApprovalId) {
        if self.open.remove(&approval) {
            self.metrics.approvals_open.add(-1);
        }
    }

    fn settled(&mut self, event: &Event, completion: &Completion) {
        self.metrics.turns_settled.of(completion.outcome.into()).add(1);
        let began = self.turn.take_if(|(turn, _)| Some(*turn) == event.turn);
        let took = match began {
            Some((_, began)) => Duration::try_from(event.at.duration_since(began)).ok(),
            None => {
                completion.duration_ms.and_then(|ms| Duration::try_from_secs_f64(ms / 1e3).ok())
            }
        };
        if let Some(took) = took {
            self.metrics.turn_duration.took(took);
        }
        for (kind, number) in by_kind(&completion.tokens) {
            self.metrics.turn_tokens.of(kind).add(number);
        }
        self.count_totals(completion);
    }

    /// Totals are not summed: only by how much they have grown is added.
    fn count_totals(&mut self, completion: &Completion) {
        if completion.total_cost_usd.is_none() && completion.models.is_empty() {
            return;
        }
        let so_far = match &self.totals {
            Totals::Known { cost, .. } => *cost,
            Totals::Unknown => 0.0,
        };
        let after = totals_of(completion, so_far);
        let Totals::Known { cost: cost_after, models: models_after } = &after else { return };
        if let Totals::Known { cost, models } = &self.totals {
            let grown = cost_after - cost;
            if grown > 0.0 {
                self.metrics.cost_nano_usd.add((grown * 1e9).round() as u64);
            }
            for (model, tokens) in models_after {
                let before = models.get(model).copied().unwrap_or_default();
                let numbers = self.metrics.model_tokens.of(model);
                for ((kind, after), (_, before)) in
                    by_kind(tokens).into_iter().zip(by_kind(&before))
                {
                    numbers.of(kind).add(after.saturating_sub(before));
                }
            }
        }
        self.totals = after;
    }
}

impl Drop for SessionMetrics {
    fn drop(&mut self) {
        self.metrics.approvals_open.add(-signed(self.open.len()));
    }
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A completion that tells no cost leaves it at what it was.
fn totals_of(completion: &Completion, so_far: f64) -> Totals {
    let models = completion.models.iter().map(|(model, share)| (model.clone(), share.tokens));
    let cost = completion.total_cost_usd.filter(|cost| cost.is_finite()).unwrap_or(so_far);
    Totals::Known { cost, models: models.collect() }
}

fn by_kind(tokens: &Tokens) -> [(TokenKind, u64); 4] {
    [
        (TokenKind::Input, tokens.input),
        (TokenKind::Output, tokens.output),
        (TokenKind::CacheCreation, tokens.cache_creation),
        (TokenKind::CacheRead, tokens.cache_read),
    ]
}
