//! Requests of the CLI: each is answered once, by a policy, by a person, or with "not supported".

use pilothouse_wire::Outbound;
use pilothouse_wire::control::cli::CliRequest;
use pilothouse_wire::control::{ControlRequest, ControlResponse};
use pilothouse_wire::permission::CanUseTool;

use super::Session;
use super::calls::has_effects;
use super::policing::Called;
use crate::approval::{Answered, Ask, Closed, Decider, Decision, Resolution, Subject, answer};
use crate::command::Refusal;
use crate::event::{Body, CancelReason};
use crate::id::ApprovalId;
use crate::policy::{self, Explanation, Ground, Verdict};

impl Session {
    pub(super) fn asked(&mut self, request: ControlRequest, line: &[u8]) {
        let id = request.request_id;
        if !self.approvals.is_new(&id) {
            return;
        }
        match request.request {
            CliRequest::CanUseTool(ask) => self.asked_for_tool(&id, ask),
            CliRequest::HookCallback(call) => self.hook(&id, &call),
            CliRequest::Elicitation(ask) => self.ask_people(&id, Ask::Elicitation(ask), None),
            CliRequest::RequestUserDialog(ask) => {
                let kinds = self.setup.initialize.supported_dialog_kinds.as_ref();
                // For a kind that was not declared, silence is the right answer.
                if kinds.is_some_and(|kinds| kinds.contains(&ask.dialog_kind)) {
                    self.ask_people(&id, Ask::Dialog(ask), None);
                }
            }
            CliRequest::McpMessage(message) => {
                let error = format!("there is no MCP server `{}` in the host", message.server_name);
                self.respond(ControlResponse::error(id, error));
            }
            CliRequest::OauthTokenRefresh(_) | CliRequest::HostAuthTokenRefresh(_) => {
                self.respond(ControlResponse::error(id, "the host has no token"));
            }
            CliRequest::Unknown(unknown) => {
                let request = CliRequest::Unknown(unknown);
                if !request.is_for_another_machine() {
                    let subtype = request.tag().unwrap_or_default();
                    let what = format!("control_request/{subtype}");
                    self.respond(ControlResponse::unsupported(id, subtype));
                    self.unknown(Some(what), line);
                }
            }
        }
    }

    pub(super) fn respond(&mut self, response: ControlResponse) {
        self.send(&Outbound::ControlResponse(Box::new(response)));
    }

    fn asked_for_tool(&mut self, id: &str, ask: Box<CanUseTool>) {
        let cwd = self.hooks.dir_of(&ask).map(str::to_owned);
        let decided = self.consult(&Called::of_request(&ask, cwd.as_deref()));
        let Some(decided) = decided else {
            return self.ask_people(id, Ask::Tool(ask), None);
        };
        let because = decided.because;
        let decision = match decided.verdict {
            Verdict::Ask => return self.ask_people(id, Ask::Tool(ask), Some(because)),
            Verdict::Allow if wants_a_person(&ask) => {
                return self.ask_people(id, Ask::Tool(ask), Some(left_to_people(because)));
            }
            Verdict::Allow => Decision::Allow { input: None, updates: Vec::new() },
            Verdict::Deny { message } => Decision::Deny { message: Some(message), stop: false },
        };
        let ask = Ask::Tool(ask);
        // A plan that a policy lets through goes on by hand; a question no policy can answer.
        match answer(&ask, &decision) {
            Ok(answered) => {
                let subject = ask.subject();
                let approval = self.approvals.open(id, ask, None);
                self.announce(approval, &subject);
                self.resolve(approval, decision, Decider::Policy { because }, answered);
            }
            Err(_) => self.ask_people(id, ask, Some(left_to_people(because))),
        }
    }

    pub(super) fn ask_people(&mut self, request_id: &str, ask: Ask, policy: Option<Explanation>) {
        let id = self.approvals.open(request_id, ask, policy);
        let Ok(open) = self.approvals.find(id) else { return };
        let approval = open.approval(id);
        let subject = approval.subject.clone();
        let scope = self.scope_of_call(approval.tool_call_id.as_deref());
        self.tell_in(scope, Body::ApprovalRequested { approval: Box::new(approval) });
        self.announce(id, &subject);
    }

    /// Plans and questions are told of by themselves, whoever answers them.
    fn announce(&mut self, id: ApprovalId, subject: &Subject) {
        let body = match subject {
            Subject::Plan { plan: Some(plan), file_path } => {
                let (plan, file_path) = (plan.clone(), file_path.clone());
                Body::PlanReady { approval: id, plan, file_path }
            }
            Subject::Question { questions } => {
                Body::QuestionAsked { approval: id, questions: questions.len() }
            }
            _ => return,
        };
        let call = self.approvals.find(id).ok().and_then(|open| open.ask.tool_call_id());
        let scope = self.scope_of_call(call.as_deref());
        self.tell_in(scope, body);
    }

    /// Where the call stands. A request can come before its call; then it is the current turn.
    fn scope_of_call(&self, tool_call_id: Option<&str>) -> super::Scope {
        let scope = tool_call_id.and_then(|id| self.scope_of(id));
        scope.cloned().unwrap_or_else(|| self.here())
    }

    /// A client decides.
    pub(super) fn decide(
        &mut self,
        approval: ApprovalId,
        decision: Decision,
        by: Decider,
    ) -> Result<(), Refusal> {
        let open = self.approvals.find(approval)?;
        let answered =
            answer(&open.ask, &decision).map_err(|why| Refusal::UnfitDecision { why })?;
        // The plan becomes a prompt, and the model has written it.
        if let Some(plan) = &answered.carry_out
            && let Some(refusal) = self.denied_mention(plan, self.real.as_ref())
        {
            return Err(refusal);
        }
        self.resolve(approval, decision, by, answered);
        Ok(())
    }

    fn resolve(&mut self, id: ApprovalId, decision: Decision, by: Decider, answered: Answered) {
        let Some(open) = self.approvals.close(id, Closed::Answered) else { return };
        let resolution = Resolution {
            approval: id,
            tool_call_id: open.ask.tool_call_id(),
            tool_name: open.ask.tool_name().map(str::to_owned),
            decision,
            by,
        };
        if let Some(call) = let_through(&open.ask, &resolution.decision) {
            // The call itself may still be on its way; its outcome is unknown all the same.
            if !self.calls.contains_key(&call) {
                self.let_through.insert(call);
            }
        }
        let scope = self.scope_of_call(resolution.tool_call_id.as_deref());
        self.tell_in(scope, Body::ApprovalResolved { resolution: Box::new(resolution) });
        self.respond(ControlResponse::success(open.request_id, answered.payload));
        if answered.stops {
            self.turns.stopping();
        }
        // Not all CLIs tell of the mode that an answer puts them in.
        if let Some(mode) = answered.mode {
            self.mode_is(mode);
        }
        if answered.carry_out.is_some() {
            self.carry_out = answered.carry_out;
            self.make_way_for_plan();
        }
    }

    /// Denies a call in the name of the policy.
    pub(super) fn deny(&mut self, id: &str, ask: Ask, message: String, because: Explanation) {
        let decision = Decision::Deny { message: Some(message), stop: false };
        if let Ok(answered) = answer(&ask, &decision) {
            let approval = self.approvals.open(id, ask, None);
            self.resolve(approval, decision, Decider::Policy { because }, answered);
        }
    }

    /// The CLI takes a request back.
    pub(super) fn withdrawn(&mut self, request_id: &str) {
        self.hooks.withdrawn(request_id);
        match self.approvals.named(request_id) {
            Some(approval) => self.void(approval, CancelReason::Withdrawn),
            // Should it still come, nobody waits for the answer.
            None => self.approvals.note(request_id),
        }
    }

    pub(super) fn void(&mut self, approval: ApprovalId, reason: CancelReason) {
        if let Some(open) = self.approvals.close(approval, Closed::Void) {
            let scope = self.scope_of_call(open.ask.tool_call_id().as_deref());
            self.tell_in(scope, Body::PermissionCancelled { approval, reason });
        }
    }
}

/// Rules of the user's own and safety checks want a person even where the CLI is told to ask
/// nobody; so they do here.
fn wants_a_person(ask: &CanUseTool) -> bool {
    ask.matched_ask_rule.is_some() || ask.classifier_approvable == Some(false)
}

/// Why a person is asked although a rule says yes.
fn left_to_people(because: Explanation) -> Explanation {
    let ground = match because.ground {
        Ground::Rule { rule } => Ground::ForPeople { rule },
        other => other,
    };
    Explanation { outcome: policy::Outcome::Asked, ground, ..because }
}

/// The call that may change something from now on.
fn let_through(ask: &Ask, decision: &Decision) -> Option<String> {
    match (ask.subject(), decision) {
        (Subject::Tool { payload, .. }, Decision::Allow { .. }) if has_effects(&payload) => {
            ask.tool_call_id()
        }
        _ => None,
    }
}
