//! Hooks that the host itself needs, each registered only when it is used.
//!
//! One hook shows the policy every call before it runs, so that rules hold for what the CLI does not
//! ask about. For the others something must be read outside: the host gets [`Effect::Work`] and
//! answers with [`crate::Input::Worked`].

use std::collections::{BTreeMap, VecDeque};

use pilothouse_wire::control::ControlResponse;
use pilothouse_wire::control::cli::HookCallback;
use pilothouse_wire::control::initialize::Initialize;
use pilothouse_wire::hook::{HookInput, HookMatcher, HookOutput, PreToolUse};
use pilothouse_wire::permission::CanUseTool;
use pilothouse_wire::tool::canonical;
use pilothouse_wire::{Num, Raw};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::policing::Called;
use super::{Session, Setup};
use crate::approval::Ask;
use crate::effect::{Effect, HookWork};
use crate::input::HookResult;
use crate::policy::Verdict;
use crate::tool::{NormalizedPayload, TEXT_LIMIT};

/// The policy sees every call.
pub(super) const POLICY: &str = "policy";
/// How many seconds the CLI waits for this hook: 23 days. A person may be asked meanwhile, and a
/// call whose hook does not answer in time runs. Timers of the CLI end at 24.8 days.
const POLICY_SECONDS: u64 = 2_000_000;
/// A file is read before it is changed.
const BASELINE: &str = "baseline";
/// The host says whether the turn may end.
const STOP: &str = "stop";
/// The tools that change files.
const EDITORS: &str = "Edit|MultiEdit|Write|NotebookEdit";

/// How many calls' directories are kept.
const MAX_DIRS: usize = 128;

/// Hooks that wait for the host, and what it has read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Hooks {
    /// By the CLI's id of the request.
    open: BTreeMap<String, OpenHook>,
    /// Files as they were before the call that changes them.
    baselines: BTreeMap<String, String>,
    /// The last calls, and the directories they run in.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    dirs: VecDeque<(String, String)>,
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

    /// Notes the directory that a call runs in: the request for it does not name one.
    fn runs_in(&mut self, tool: &PreToolUse) {
        if let (Some(call), Some(dir)) = (&tool.tool_use_id, &tool.cwd) {
            self.dirs.retain(|(known, _)| known != call);
            self.dirs.push_back((call.clone(), dir.clone()));
            if self.dirs.len() > MAX_DIRS {
                self.dirs.pop_front();
            }
        }
    }

    /// The directory that a call runs in, if its hook has named one.
    pub(super) fn dir_of(&self, ask: &CanUseTool) -> Option<&str> {
        let wanted = ask.tool_use_id.as_ref()?;
        self.dirs.iter().find(|(call, _)| call == wanted).map(|(_, dir)| dir.as_str())
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
    // Hooks are registered when a run starts, but a policy may change while it is open. So the hook
    // is there whenever there is a policy, whatever its rules say: one more line each way for a
    // call, which is little beside what the call itself takes.
    let sees_calls = setup.policy.is_some() || setup.see_every_call;
    let mut policy = HookMatcher::all(POLICY);
    policy.timeout = Some(Num::from(POLICY_SECONDS));
    let wanted = [
        (sees_calls, "PreToolUse", policy),
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
            (POLICY, HookInput::PreToolUse(tool)) => return self.about_to_run(request, tool),
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

    /// A tool is about to run. Where the policy asks, a person is asked: by the CLI where it heeds
    /// that, else by an approval of our own for which the hook waits.
    fn about_to_run(&mut self, request: &str, tool: &PreToolUse) {
        self.works_in(tool);
        self.hooks.runs_in(tool);
        let called = Called::of_hook(tool);
        let decided = match self.setup.see_every_call || self.steps_out_of_plan(tool) {
            true => self.consult(&called),
            false => self.consult_unasked(&called),
        };
        let output = match decided.map(|decided| (decided.verdict, decided.because)) {
            Some((Verdict::Deny { message }, because)) => {
                // A decision like any other: it has its event, and its line in the audit.
                if let Some(ask) = as_request(tool) {
                    return self.deny(request, Ask::Hook(Box::new(ask)), message, because);
                }
                HookOutput::deny(message)
            }
            Some((Verdict::Ask, _)) if is_always_asked(&tool.tool_name) => HookOutput::none(),
            Some((Verdict::Ask, because)) if self.heeds_ask() => {
                HookOutput::ask(because.to_string())
            }
            Some((Verdict::Ask, because)) => {
                if let Some(ask) = as_request(tool) {
                    return self.ask_people(request, Ask::Hook(Box::new(ask)), Some(because));
                }
                HookOutput::deny(because.to_string())
            }
            // What is allowed need not be asked; rules of the CLI itself still count.
            Some((Verdict::Allow, _)) | None => HookOutput::none(),
        };
        self.answer_hook(request, &output);
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

/// What the CLI asks a person in any case.
fn is_always_asked(tool: &str) -> bool {
    matches!(canonical(tool), "AskUserQuestion" | "ExitPlanMode" | "EnterPlanMode")
}

/// The call of a hook as a question to a person.
fn as_request(tool: &PreToolUse) -> Option<CanUseTool> {
    let request = json!({
        "tool_name": tool.tool_name,
        "input": {},
        "tool_use_id": tool.tool_use_id,
        "agent_id": tool.agent_id,
    });
    let mut request: CanUseTool = Raw::from(request).read()?;
    request.input = tool.tool_input.clone();
    request.mcp_server = tool.mcp_server.clone();
    Some(request)
}
