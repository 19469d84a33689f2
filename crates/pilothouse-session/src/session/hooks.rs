//! Hooks that the host itself needs, each registered only when it is used.
//!
//! The policy is asked here. For the others something must be read outside: the host is told what
//! ([`Effect::Work`]), and its answer ([`crate::Input::Worked`]) answers the hook.

use std::collections::BTreeMap;

use pilothouse_wire::Raw;
use pilothouse_wire::control::ControlResponse;
use pilothouse_wire::control::cli::HookCallback;
use pilothouse_wire::control::initialize::Initialize;
use pilothouse_wire::hook::{HookInput, HookMatcher, HookOutput};
use serde::{Deserialize, Serialize};

use super::{Session, Setup};
use crate::effect::{Effect, HookWork};
use crate::event::{NoticeKind, NoticeLevel};
use crate::input::HookResult;
use crate::policy::Verdict;
use crate::tool::{NormalizedPayload, TEXT_LIMIT};

/// The policy sees every call.
const POLICY: &str = "policy";
/// A file is read before it is changed.
const BASELINE: &str = "baseline";
/// The host says whether the turn may end.
const STOP: &str = "stop";
/// The tools that change files.
const EDITORS: &str = "Edit|MultiEdit|Write|NotebookEdit";

/// Hooks that wait for the host, and what it has read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Hooks {
    /// By the CLI's id of the request.
    open: BTreeMap<String, OpenHook>,
    /// Files as they were before the call that changes them.
    baselines: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct OpenHook {
    tool_call_id: Option<String>,
    work: HookWork,
}

impl Hooks {
    /// What the host is to do, for one that takes over.
    pub(super) fn work(&self) -> impl Iterator<Item = Effect> {
        self.open.iter().map(|(request, hook)| Effect::Work {
            request: request.clone(),
            work: hook.work.clone(),
        })
    }

    /// The file before the call, once.
    pub(super) fn baseline(&mut self, tool_call_id: &str) -> Option<String> {
        self.baselines.remove(tool_call_id)
    }

    /// The CLI waits no more.
    pub(super) fn withdrawn(&mut self, request: &str) {
        self.open.remove(request);
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Registers what is used.
pub(super) fn register(setup: &Setup, initialize: &mut Initialize) {
    let wanted = [
        (setup.see_every_call, "PreToolUse", HookMatcher::all(POLICY)),
        (setup.baselines, "PreToolUse", HookMatcher::matching(EDITORS, BASELINE)),
        (setup.ask_before_stop, "Stop", HookMatcher::all(STOP)),
    ];
    for (_, event, matcher) in wanted.into_iter().filter(|(is_used, ..)| *is_used) {
        let hooks = initialize.hooks.get_or_insert_default();
        hooks.entry(event.to_owned()).or_default().push(matcher);
    }
}

impl Session {
    /// A hook of the host's fires.
    pub(super) fn hook(&mut self, request: &str, call: &HookCallback) {
        let work = match (&*call.callback_id, &call.input) {
            (POLICY, HookInput::PreToolUse(tool)) => {
                let agent = tool.agent_id.as_deref();
                let output = self.hook_by_policy(&tool.tool_name, &tool.tool_input, agent);
                return self.answer_hook(request, &output);
            }
            (BASELINE, HookInput::PreToolUse(tool)) => {
                let payload = NormalizedPayload::of_call(&tool.tool_name, &tool.tool_input);
                let path = payload.paths().first().map(|path| (*path).to_owned());
                path.map(|path| HookWork::Baseline { path })
            }
            // Whoever was sent on once is not held up again, or it would go on for ever.
            (STOP, HookInput::Stop(stop)) if stop.stop_hook_active != Some(true) => {
                Some(HookWork::MayStop)
            }
            _ => None,
        };
        let Some(work) = work else { return self.answer_hook(request, &HookOutput::none()) };
        let tool_call_id = call.tool_use_id.clone();
        let hook = OpenHook { tool_call_id, work: work.clone() };
        if self.hooks.open.insert(request.to_owned(), hook).is_none() {
            self.effects.push(Effect::Work { request: request.to_owned(), work });
        }
    }

    fn hook_by_policy(&mut self, tool: &str, input: &Raw, agent: Option<&str>) -> HookOutput {
        let decided = self.consult(tool, input, agent);
        match decided.map(|decided| (decided.verdict, decided.because)) {
            Some((Verdict::Deny { message }, because)) => {
                self.notice(NoticeLevel::Warning, NoticeKind::Denied, because.to_string());
                HookOutput::deny(message)
            }
            Some((Verdict::Ask, because)) => HookOutput::ask(because.to_string()),
            // What is allowed need not be asked; rules of the CLI itself still count.
            Some((Verdict::Allow, _)) | None => HookOutput::none(),
        }
    }

    /// The host has done what a hook wanted. One that the CLI has withdrawn is not answered.
    pub(super) fn worked(&mut self, request: &str, result: HookResult) {
        let Some(hook) = self.hooks.open.remove(request) else { return };
        let output = match result {
            HookResult::Baseline(content) => {
                let content = content.filter(|content| content.len() <= TEXT_LIMIT);
                if let (Some(call), Some(content)) = (hook.tool_call_id, content) {
                    self.hooks.baselines.insert(call, content);
                }
                HookOutput::none()
            }
            HookResult::MayStop => HookOutput::none(),
            HookResult::GoOn { reason } => HookOutput::block(reason),
        };
        self.answer_hook(request, &output);
    }

    fn answer_hook(&mut self, request: &str, output: &HookOutput) {
        let response = match Raw::of(output) {
            Ok(payload) => ControlResponse::success(request, payload),
            Err(error) => ControlResponse::error(request, error.to_string()),
        };
        self.respond(response);
    }
}
