//! Turns: when one begins, when it has settled, and how it ended.
//!
//! A turn begins with the first sign that the CLI works in the main thread, and settles exactly
//! once: at its `result`, or when its run ends. What comes after that for a call of the turn (a late
//! tool result) still belongs to it.

use std::collections::BTreeSet;

use pilothouse_wire::message::{AssistantError, ResultFrame, ResultKind};
use serde::{Deserialize, Serialize};

use super::calls::OpenCall;
use super::meter::{number, shares, tokens};
use super::{Scope, Session};
use crate::event::{
    Body, Completion, NoticeKind, NoticeLevel, Outcome, PromptState, Status, Tokens,
};
use crate::id::{PromptId, TurnId};

/// How deep subagents start subagents, at most.
const NESTED: usize = 32;

/// The turns of a session.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Turns {
    last: u64,
    open: Option<Turn>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Turn {
    id: TurnId,
    /// The main thread has said something.
    has_spoken: bool,
    /// Somebody has asked for its end.
    is_stopping: bool,
    /// The last error of the API.
    trouble: Option<Trouble>,
    /// The last notice.
    noticed: Option<String>,
}

/// An error of the API, as the CLI puts it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Trouble {
    code: String,
    text: String,
}

impl Turns {
    pub(super) fn current(&self) -> Option<TurnId> {
        self.open.as_ref().map(|turn| turn.id)
    }

    pub(super) fn spoke(&mut self) {
        if let Some(turn) = &mut self.open {
            turn.has_spoken = true;
        }
    }

    /// Whether a turn goes on that nobody has asked to end.
    pub(super) fn is_wanted(&self) -> bool {
        self.open.as_ref().is_some_and(|turn| !turn.is_stopping)
    }

    /// A turn has begun that was told of already.
    pub(super) fn shown(&mut self, id: TurnId) {
        self.last = self.last.max(id.0);
        self.open =
            Some(Turn { id, has_spoken: true, is_stopping: false, trouble: None, noticed: None });
    }

    /// That it has settled was told already.
    pub(super) fn settled(&mut self) {
        self.open = None;
    }

    pub(super) fn stopping(&mut self) {
        if let Some(turn) = &mut self.open {
            turn.is_stopping = true;
        }
    }

    /// Whether somebody has asked for the end of this turn.
    pub(super) fn is_stopping(&self, id: Option<TurnId>) -> bool {
        self.open.as_ref().is_some_and(|turn| turn.is_stopping && Some(turn.id) == id)
    }

    pub(super) fn in_trouble(&mut self, error: &AssistantError, text: String) {
        if let Some(turn) = &mut self.open {
            turn.trouble = Some(Trouble { code: error.as_str().to_owned(), text });
        }
    }

    pub(super) fn noticed(&mut self, text: &str) {
        if let Some(turn) = &mut self.open {
            turn.noticed = Some(text.to_owned());
        }
    }
}

impl Session {
    /// A turn that goes on without a word is told of; who waits for a person may wait.
    pub(super) fn silent(&mut self, seconds: u64) {
        if self.current_status() == Status::Running {
            let text = format!(
                "the CLI has said nothing for {seconds} s: interrupt or stop it if that is too long"
            );
            self.notice(NoticeLevel::Warning, NoticeKind::Session, text);
        }
    }

    /// The CLI works in the main thread: it has a turn now, if it had none.
    pub(super) fn working(&mut self) {
        // A CLI that tells which prompt it takes up has told so by now.
        let autonomous = self.knows_lifecycle() || !self.prompts.any_sent();
        self.begin_turn(autonomous);
        if self.prompts.of_turn(self.turns.current()).is_empty() && !self.knows_lifecycle() {
            // Without word on which prompt it is, it is the one that has waited longest.
            if let Some(prompt) = self.prompts.first_sent() {
                self.take_up(prompt);
            }
        }
    }

    pub(super) fn begin_turn(&mut self, autonomous: bool) {
        if self.turns.open.is_some() {
            return;
        }
        if let Some(run) = &mut self.run {
            run.has_worked = true;
        }
        self.turns.last += 1;
        let id = TurnId(self.turns.last);
        let is_stopping = self.is_interrupting();
        self.turns.open =
            Some(Turn { id, has_spoken: false, is_stopping, trouble: None, noticed: None });
        self.tell(Body::TurnStarted { autonomous });
    }

    pub(super) fn result(&mut self, frame: ResultFrame) {
        let is_ready = self.run.as_ref().is_some_and(super::Run::is_ready);
        if !is_ready || frame.startup_failure_reason.is_some() {
            // The CLI could not start: there was no turn.
            let code = frame.startup_failure_reason.clone();
            let code = code.or_else(|| Some(frame.subtype.as_str().to_owned()));
            return self.tell(Body::Error { message: frame.text(), code });
        }
        self.bind_all(frame.user_message_uuids.clone());
        let is_autonomous = frame.origin.as_ref().is_some_and(|origin| origin.is_autonomous());
        if self.turns.open.is_none() {
            self.begin_turn(is_autonomous || !self.prompts.any_sent());
            if !is_autonomous && !self.knows_lifecycle() {
                self.prompts.first_sent().into_iter().for_each(|prompt| self.take_up(prompt));
            }
        }
        let Some(turn) = self.turns.open.clone() else { return };
        self.say_result(&frame, &turn);
        let outcome = outcome(&frame, turn.is_stopping);
        let reason = if outcome == Outcome::Interrupted { "interrupted" } else { "no result" };
        self.end_open_work(reason);
        self.commit();
        if let Some(models) = &frame.model_usage {
            self.meter.learn_window(models, self.model.as_deref());
        }
        self.show_context();
        self.tell_trouble(&frame, outcome, turn.trouble);
        self.settle(completion(frame, outcome), "");
        self.pause();
    }

    /// What the turn failed with, once. What it has overcome is only noted.
    fn tell_trouble(&mut self, frame: &ResultFrame, outcome: Outcome, trouble: Option<Trouble>) {
        let (code, text) = trouble.map(|trouble| (trouble.code, trouble.text)).unzip();
        if outcome == Outcome::Failed {
            let message = Some(frame.text()).filter(|text| !text.is_empty()).or(text);
            let code = code.or_else(|| frame.api_error_type.clone());
            let code = code.or_else(|| Some(frame.subtype.as_str().to_owned()));
            self.tell(Body::Error { message: message.unwrap_or_default(), code });
        } else if let Some(text) = text {
            self.notice(NoticeLevel::Warning, NoticeKind::Informational, text);
        }
    }

    /// A turn that has settled is one thing, a session that is idle another; also with CLIs that tell
    /// of the first alone.
    fn pause(&mut self) {
        let goes_on = self.prompts.any_sent() || !self.approvals.is_empty();
        if !goes_on && self.status != Status::Settled {
            self.status = Status::Settled;
            self.tell(Body::SessionStatus { status: Status::Settled });
        }
    }

    /// Some turns stream nothing: then the result has the text.
    fn say_result(&mut self, frame: &ResultFrame, turn: &Turn) {
        let text = frame.result.as_deref().unwrap_or_default();
        let is_known = turn.has_spoken
            || turn.noticed.as_deref() == Some(text)
            || frame.structured_output.is_some();
        if !is_known && !text.is_empty() && frame.is_success() {
            let (scope, item) = (self.here(), self.item_of_result(text));
            self.says(scope, item, text.to_owned(), None, false);
        }
    }

    /// Ends everything that does not outlive the turn: what the main thread and subagents in the
    /// foreground have open.
    pub(super) fn end_open_work(&mut self, reason: &str) {
        let parents = self.calls.values().filter_map(|call| call.scope.parent.as_ref());
        let threads = self.threads.keys().chain(parents);
        let beside: BTreeSet<String> =
            threads.filter(|thread| self.runs_beside(thread)).cloned().collect();
        self.cut_off(|thread| !beside.contains(thread));
        let is_beside = |call: &OpenCall| {
            call.is_detached || call.scope.parent.as_ref().is_some_and(|id| beside.contains(id))
        };
        self.close_calls(|call| !is_beside(call), reason);
    }

    /// Whether a thread belongs to a task in the background, or to what such a task has started.
    fn runs_beside(&self, thread: &str) -> bool {
        let is_task = |call: &str| {
            let mut tasks = self.tasks.values().filter(|task| task.background);
            tasks.any(|task| task.tool_call_id.as_deref() == Some(call))
        };
        let mut call = Some(thread);
        for _ in 0..NESTED {
            match call {
                Some(id) if is_task(id) => return true,
                Some(id) => call = self.scope_of(id).and_then(|scope| scope.parent.as_deref()),
                None => return false,
            }
        }
        false
    }

    pub(super) fn commit(&mut self) {
        self.committed = self.uncommitted.take().or(self.committed.take());
    }

    /// The turn is over, once. If it is lost, `lost` says why.
    pub(super) fn settle(&mut self, mut completion: Completion, lost: &str) {
        let Some(turn) = self.turns.open.take() else { return };
        let scope = Scope { turn: Some(turn.id), parent: None };
        completion.prompts = self.prompts.of_turn(Some(turn.id));
        completion.last_message_uuid = self.committed.clone();
        let is_lost = completion.outcome == Outcome::Lost;
        for prompt in completion.prompts.clone() {
            let state = match is_lost {
                true => PromptState::Failed { reason: lost.to_owned() },
                false => PromptState::Answered { turn: turn.id },
            };
            self.prompt_is(scope.clone(), prompt, state);
        }
        self.tell_in(scope, Body::Complete { completion: Box::new(completion) });
        self.let_through.clear();
        if !is_lost {
            self.attempts = 0;
        }
        self.make_way_for_plan();
    }

    pub(super) fn bind_all(&mut self, uuids: Vec<String>) {
        for prompt in uuids.iter().filter_map(|uuid| PromptId::parse(uuid)) {
            if self.prompts.knows(prompt) {
                self.take_up(prompt);
            }
        }
    }

    /// A turn that no result will come for.
    pub(super) fn lose_turn(&mut self, why: &str) {
        let trouble = self.turns.open.as_mut().and_then(|turn| turn.trouble.take());
        if let Some(Trouble { code, text: message }) = trouble {
            self.tell(Body::Error { message, code: Some(code) });
        }
        let blank = Completion {
            outcome: Outcome::Lost,
            prompts: Vec::new(),
            total_cost_usd: None,
            tokens: Tokens::default(),
            models: Default::default(),
            duration_ms: None,
            duration_api_ms: None,
            num_turns: None,
            last_message_uuid: None,
            reason: None,
            structured_output: None,
            denied_tool_call_ids: Vec::new(),
            queued_turns: None,
        };
        self.settle(blank, why);
    }
}

fn outcome(frame: &ResultFrame, is_stopping: bool) -> Outcome {
    let was_aborted = frame.terminal_reason.as_deref().unwrap_or("").starts_with("aborted");
    match &frame.subtype {
        _ if was_aborted || (is_stopping && !frame.is_success()) => Outcome::Interrupted,
        ResultKind::ErrorMaxTurns | ResultKind::ErrorMaxBudgetUsd => Outcome::LimitReached,
        _ if !frame.is_success() => Outcome::Failed,
        _ => Outcome::Done,
    }
}

fn completion(frame: ResultFrame, outcome: Outcome) -> Completion {
    let denials = frame.permission_denials.into_iter();
    Completion {
        outcome,
        prompts: Vec::new(),
        total_cost_usd: number(frame.total_cost_usd.as_ref()),
        tokens: frame.usage.as_deref().map(tokens).unwrap_or_default(),
        models: frame.model_usage.as_ref().map(shares).unwrap_or_default(),
        duration_ms: number(frame.duration_ms.as_ref()),
        duration_api_ms: number(frame.duration_api_ms.as_ref()),
        num_turns: frame.num_turns,
        last_message_uuid: None,
        reason: frame.terminal_reason,
        structured_output: frame.structured_output.map(|raw| raw.to_value()),
        denied_tool_call_ids: denials.filter_map(|denial| denial.tool_use_id).collect(),
        queued_turns: frame.queued_turn_count,
    }
}
