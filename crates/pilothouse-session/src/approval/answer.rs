//! From what a client decides to what the CLI understands.

use pilothouse_wire::control::cli::{DialogResult, ElicitationResult};
use pilothouse_wire::hook::HookOutput;
use pilothouse_wire::permission::{
    CanUseTool, DecisionClassification, Destination, PermissionMode,
};
use pilothouse_wire::tool::user::{Annotation, AskUserQuestionInput, joined_labels};
use pilothouse_wire::{PermissionResult, PermissionUpdate, Raw};
use serde::Serialize;
use serde_json::Value;

use super::{Ask, Decision, PlanChoice, QuestionReply, Subject, Suggestion};

/// What the model is told where a person said no and nothing else.
const DECLINED: &str = "The user does not want this. Stop and wait for what they say next.";
/// What the model is told while its plan is carried out elsewhere.
const MOVED: &str = "The user carries the plan out in a new conversation.";
/// What the model is told where a plan is not yet good.
const NOT_YET: &str = "The user wants to go on planning. Wait for what they say next.";

/// An answer to the CLI.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answered {
    /// What it is told.
    pub(crate) payload: Raw,
    /// The turn ends with it.
    pub(crate) stops: bool,
    /// The mode that the CLI is in when it has heard it.
    pub(crate) mode: Option<PermissionMode>,
    /// The plan that is to be carried out in a new conversation.
    pub(crate) carry_out: Option<String>,
}

/// What `decision` says in reply to `ask`, or why it does not fit.
pub(crate) fn answer(ask: &Ask, decision: &Decision) -> Result<Answered, String> {
    match ask {
        Ask::Tool(request) => answer_tool(ask, request, decision),
        Ask::Hook(_) => answer_hook(decision),
        Ask::Elicitation(_) => match decision {
            Decision::Form { content } => {
                let content = content.clone().map(Raw::from);
                plain(&ElicitationResult::accept(content))
            }
            Decision::Allow { .. } => plain(&ElicitationResult::accept(None)),
            Decision::Deny { .. } => plain(&ElicitationResult::decline()),
            _ => Err("send `form` with what was filled in, or `deny`".to_owned()),
        },
        Ask::Dialog(_) => match decision {
            Decision::Choose { result } => {
                plain(&DialogResult::completed(Raw::from(result.clone())))
            }
            Decision::Deny { .. } => plain(&DialogResult::cancelled()),
            _ => Err("send `choose` with what was chosen, or `deny`".to_owned()),
        },
    }
}

fn answer_tool(ask: &Ask, request: &CanUseTool, decision: &Decision) -> Result<Answered, String> {
    match (ask.subject(), decision) {
        (_, Decision::Deny { message, stop }) => deny(request, message.as_deref(), *stop),
        (Subject::Plan { plan, .. }, Decision::Plan { choice, plan: edited, feedback }) => {
            decide_plan(request, plan, *choice, edited.as_deref(), feedback.as_deref())
        }
        // The short form without a plan: yes goes on by hand.
        (Subject::Plan { .. }, Decision::Allow { input: None, updates }) if updates.is_empty() => {
            leave_plan_mode(request, None, PermissionMode::Default)
        }
        (Subject::EnterPlan, Decision::Allow { .. }) => {
            allow(request, None, vec![PermissionUpdate::set_mode(PermissionMode::Plan)])
        }
        (Subject::Question { .. }, Decision::Answers { answers, response }) => {
            answer_questions(request, answers, response.as_deref())
        }
        (Subject::Question { .. }, _) => Err("send `answers`, or `deny`".to_owned()),
        (_, Decision::Allow { input, updates }) => {
            let updates = updates.iter().map(|Suggestion(update)| update.clone()).collect();
            allow(request, input.as_ref(), updates)
        }
        _ => Err("this request is about a tool: send `allow` or `deny`".to_owned()),
    }
}

/// A hook that waits for a person. What it lets through the CLI does not ask about again.
fn answer_hook(decision: &Decision) -> Result<Answered, String> {
    match decision {
        Decision::Allow { updates, .. } if !updates.is_empty() => {
            Err("nothing can be remembered for this request: send `allow` without changes".into())
        }
        Decision::Allow { input: None, .. } => plain(&HookOutput::allow()),
        Decision::Allow { input: Some(input @ Value::Object(_)), .. } => {
            plain(&HookOutput::allow_with(Raw::from(input.clone())))
        }
        Decision::Allow { .. } => Err("the edited input must be a JSON object".to_owned()),
        Decision::Deny { message, stop } => {
            let message = message.as_deref().filter(|message| !message.trim().is_empty());
            let mut output = HookOutput::deny(message.unwrap_or(DECLINED));
            if *stop {
                output.keep_going = Some(false);
                output.stop_reason = Some(message.unwrap_or(DECLINED).to_owned());
            }
            Ok(Answered { stops: *stop, ..plain(&output)? })
        }
        _ => Err("this request is about a tool: send `allow` or `deny`".to_owned()),
    }
}

fn allow(
    request: &CanUseTool,
    input: Option<&Value>,
    updates: Vec<PermissionUpdate>,
) -> Result<Answered, String> {
    if updates.iter().any(|update| matches!(update, PermissionUpdate::Unknown(_))) {
        return Err("a change of permissions is of no kind that the CLI knows".to_owned());
    }
    let input = match input {
        None => request.input.clone(),
        Some(input @ Value::Object(_)) => Raw::from(input.clone()),
        Some(_) => return Err("the edited input must be a JSON object".to_owned()),
    };
    let kind = match updates.is_empty() {
        true => DecisionClassification::UserTemporary,
        false => DecisionClassification::UserPermanent,
    };
    let mode = updates.iter().rev().find_map(|update| match update {
        PermissionUpdate::SetMode(set) => Some(set.mode.clone()),
        _ => None,
    });
    let copies: Vec<_> = updates.iter().filter_map(for_session).collect();
    let updates = [updates, copies].concat();
    let result = request.allow_with(input);
    let result = if updates.is_empty() { result } else { result.updating(updates) };
    let answered = plain(&classified(result, kind))?;
    Ok(Answered { mode, ..answered })
}

/// The same change for the session, if it goes into a file of the repository: a run that leaves the
/// repository's settings out writes that file, but does not read it.
fn for_session(update: &PermissionUpdate) -> Option<PermissionUpdate> {
    let mut copy = update.clone();
    let destination = match &mut copy {
        PermissionUpdate::AddRules(change) => &mut change.destination,
        PermissionUpdate::AddDirectories(change) => &mut change.destination,
        _ => return None,
    };
    let is_of_repository =
        matches!(destination, Destination::ProjectSettings | Destination::LocalSettings);
    *destination = Destination::Session;
    is_of_repository.then_some(copy)
}

fn deny(request: &CanUseTool, message: Option<&str>, stop: bool) -> Result<Answered, String> {
    let message = message.filter(|message| !message.trim().is_empty()).unwrap_or(DECLINED);
    let result = if stop { request.deny_and_stop(message) } else { request.deny(message) };
    let answered = plain(&classified(result, DecisionClassification::UserReject))?;
    Ok(Answered { stops: stop, ..answered })
}

fn decide_plan(
    request: &CanUseTool,
    plan: Option<String>,
    choice: PlanChoice,
    edited: Option<&str>,
    feedback: Option<&str>,
) -> Result<Answered, String> {
    let edited = edited.filter(|plan| !plan.trim().is_empty());
    match choice {
        PlanChoice::AcceptEdits => leave_plan_mode(request, edited, PermissionMode::AcceptEdits),
        PlanChoice::ApproveByHand => leave_plan_mode(request, edited, PermissionMode::Default),
        PlanChoice::KeepPlanning => {
            // With something to go on with, the model goes on; without, a plain no would make it
            // guess what is wrong.
            let feedback = feedback.filter(|text| !text.trim().is_empty());
            deny(request, Some(feedback.unwrap_or(NOT_YET)), feedback.is_none())
        }
        PlanChoice::ClearContext => {
            let plan = edited.map(str::to_owned).or(plan);
            let plan = plan.ok_or("there is no plan to carry out: keep the context instead")?;
            let answered = deny(request, Some(MOVED), true)?;
            Ok(Answered { carry_out: Some(plan), ..answered })
        }
    }
}

fn leave_plan_mode(
    request: &CanUseTool,
    edited: Option<&str>,
    mode: PermissionMode,
) -> Result<Answered, String> {
    let input = edited.map(|plan| {
        let mut input = request.input.to_value();
        if let Value::Object(fields) = &mut input {
            fields.insert("plan".to_owned(), plan.into());
        }
        input
    });
    allow(request, input.as_ref(), vec![PermissionUpdate::set_mode(mode)])
}

fn answer_questions(
    request: &CanUseTool,
    replies: &[QuestionReply],
    response: Option<&str>,
) -> Result<Answered, String> {
    let mut input: AskUserQuestionInput =
        request.input.read().ok_or("the questions cannot be read: deny the request")?;
    let mut answers = std::collections::BTreeMap::new();
    let mut annotations = std::collections::BTreeMap::new();
    for reply in replies {
        let question = input.questions.iter().find(|asked| asked.question == reply.question);
        let question = question.ok_or_else(|| format!("nobody asked `{}`", reply.question))?;
        if reply.answers.len() > 1 && question.multi_select != Some(true) {
            return Err(format!("`{}` takes one answer", reply.question));
        }
        if !reply.answers.is_empty() {
            let labels = reply.answers.iter().map(String::as_str);
            answers.insert(reply.question.clone(), joined_labels(labels));
        }
        if reply.notes.is_some() {
            let note = Annotation { notes: reply.notes.clone(), ..Annotation::default() };
            annotations.insert(reply.question.clone(), note);
        }
    }
    input.answers = Some(answers);
    input.annotations = Some(annotations).filter(|annotations| !annotations.is_empty());
    input.response = response.map(str::to_owned);
    let input = Raw::of(&input).map_err(|error| error.to_string())?;
    plain(&classified(request.allow_with(input), DecisionClassification::UserTemporary))
}

fn classified(mut result: PermissionResult, kind: DecisionClassification) -> PermissionResult {
    match &mut result {
        PermissionResult::Allow(allow) => allow.decision_classification = Some(kind),
        PermissionResult::Deny(deny) => deny.decision_classification = Some(kind),
        PermissionResult::Unknown(_) => {}
    }
    result
}

fn plain(payload: &impl Serialize) -> Result<Answered, String> {
    let payload = Raw::of(payload).map_err(|error| error.to_string())?;
    Ok(Answered { payload, stops: false, mode: None, carry_out: None })
}
