//! Applies the policy to tool calls and prompts.

use pilothouse_wire::control::cli::CliRequest;
use pilothouse_wire::hook::{HookInput, PreToolUse};
use pilothouse_wire::permission::{CanUseTool, McpServerRef, PermissionMode};
use pilothouse_wire::{Inbound, Raw};
use serde_json::json;

use super::Session;
use super::hooks::POLICY;
use crate::approval::{Decision as Answer, PlanChoice, Subject};
use crate::command::{Command, Refusal};
use crate::effect::Effect;
use crate::input::Input;
use crate::policy::{
    self, Call, MAX_MENTIONS, Mention, Place, PolicySet, RealPaths, Verdict, mentions,
};

/// The first version that asks a person where a hook says so, also about tools that need no
/// permission. 2.1.62 and 2.1.7 do not; those in between were not tried.
const HEEDS_ASK: (u64, u64, u64) = (2, 1, 325);

/// A call as the CLI reports it.
pub(super) struct Called<'a> {
    tool: &'a str,
    input: &'a Raw,
    agent: Option<&'a str>,
    server: Option<&'a McpServerRef>,
    mode: Option<&'a PermissionMode>,
    cwd: Option<&'a str>,
}

impl<'a> Called<'a> {
    /// A request, in the directory that the hook for the same call has named.
    pub(super) fn of_request(ask: &'a CanUseTool, cwd: Option<&'a str>) -> Self {
        Self {
            tool: &ask.tool_name,
            input: &ask.input,
            agent: ask.agent_id.as_deref(),
            server: ask.mcp_server.as_ref(),
            mode: None,
            cwd,
        }
    }

    pub(super) fn of_hook(tool: &'a PreToolUse) -> Self {
        Self {
            tool: &tool.tool_name,
            input: &tool.tool_input,
            agent: tool.agent_id.as_deref(),
            server: tool.mcp_server.as_ref(),
            mode: tool.permission_mode.as_ref(),
            cwd: tool.cwd.as_deref(),
        }
    }
}

impl Session {
    /// Decides a call that the CLI asks about. The policy may say something else another time, so
    /// what follows from it is stored with it: the line that asked is not handed in again.
    pub(super) fn consult(&mut self, called: &Called<'_>) -> Option<policy::Decision> {
        self.effects.push(Effect::Checkpoint);
        self.with_policy(called, |policy, call, place| policy.decide(call, place))
    }

    /// Decides a call that the CLI may not ask about.
    pub(super) fn consult_unasked(&mut self, called: &Called<'_>) -> Option<policy::Decision> {
        self.effects.push(Effect::Checkpoint);
        self.with_policy(called, PolicySet::decide_unasked).flatten()
    }

    fn with_policy<T>(
        &self,
        called: &Called<'_>,
        decide: impl FnOnce(&PolicySet, &Call<'_>, &Place) -> T,
    ) -> Option<T> {
        let policy = self.setup.policy.as_ref()?;
        let default = PermissionMode::Default;
        let mode = called.mode.or(self.mode.as_ref()).unwrap_or(&default);
        let subagent = called.agent.map(|id| {
            let task = self.tasks.get(id);
            task.and_then(|task| task.subagent_type.as_deref()).unwrap_or_default()
        });
        let run = self.run.as_ref();
        let call = Call {
            tool: called.tool,
            input: called.input,
            mode,
            subagent,
            server: called.server,
            servers: run.and_then(|run| run.servers.as_deref()),
            real: self.real.as_ref(),
        };
        Some(decide(policy, &call, &self.place_of(called)))
    }

    /// Where a call happens: shells of the CLI keep the directory they have changed to.
    fn place_of(&self, called: &Called<'_>) -> Place {
        let known = self.run.as_ref().and_then(|run| run.cwd.as_deref());
        let current_dir = called.cwd.or(known).map(str::to_owned);
        Place { current_dir, ..self.setup.place.clone() }
    }

    /// Notes the directory that the main thread works in.
    pub(super) fn works_in(&mut self, tool: &PreToolUse) {
        if let (Some(run), None) = (&mut self.run, &tool.agent_id) {
            run.cwd.clone_from(&tool.cwd);
        }
    }

    /// Whether a call has a mode of its own while the session plans: that of a subagent, which edits
    /// without asking where it is `acceptEdits` (2.1.62).
    pub(super) fn steps_out_of_plan(&self, tool: &PreToolUse) -> bool {
        let is_plan = |mode: &PermissionMode| *mode == PermissionMode::Plan;
        self.mode.as_ref().is_some_and(is_plan)
            && tool.permission_mode.as_ref().is_some_and(|mode| !is_plan(mode))
    }

    /// Whether the CLI asks a person where a hook says so.
    pub(super) fn heeds_ask(&self) -> bool {
        let version = self.run.as_ref().and_then(|run| run.version.as_deref());
        let mut parts = version.unwrap_or_default().split(['.', '-', '+', ' ']);
        let mut part = || parts.next()?.parse::<u64>().ok();
        let version = part().zip(part()).zip(part());
        version.is_some_and(|((major, minor), patch)| (major, minor, patch) >= HEEDS_ASK)
    }

    /// The paths that the policy looks at to decide about `input`: absolute, for the host to
    /// resolve and to pass in by [`Session::handle_resolved`]. Empty where no policy is asked.
    pub fn paths_named(&self, input: &Input) -> Vec<String> {
        if self.setup.policy.is_none() {
            return Vec::new();
        }
        let of_call =
            |called: Called<'_>| policy::paths(called.tool, called.input, &self.place_of(&called));
        match input {
            Input::Line(frame) => match &frame.message {
                Inbound::ControlRequest(request) => match &request.request {
                    CliRequest::CanUseTool(ask) => {
                        let cwd = self.hooks.dir_of(ask);
                        of_call(Called::of_request(ask, cwd))
                    }
                    CliRequest::HookCallback(call) => match &call.input {
                        HookInput::PreToolUse(tool) if call.callback_id == POLICY => {
                            of_call(Called::of_hook(tool))
                        }
                        _ => Vec::new(),
                    },
                    _ => Vec::new(),
                },
                _ => Vec::new(),
            },
            Input::Command { command: Command::Prompt { content, .. }, .. } => {
                self.paths_mentioned(&content.text())
            }
            Input::Command { command: Command::Decide { approval, decision, .. }, .. } => {
                let Answer::Plan { choice: PlanChoice::ClearContext, plan, .. } = decision else {
                    return Vec::new();
                };
                let asked = self.approvals.find(*approval).ok().map(|open| open.ask.subject());
                let written = match asked {
                    Some(Subject::Plan { plan, .. }) => plan,
                    _ => None,
                };
                let plan = plan.as_ref().or(written.as_ref());
                plan.map(|plan| self.paths_mentioned(plan)).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    fn paths_mentioned(&self, text: &str) -> Vec<String> {
        let mentions = mentions(text);
        let places = self.places_of_prompt();
        let calls = mentions.iter().map(as_call);
        let paths = calls.flat_map(|(tool, input)| {
            places.iter().flat_map(|place| policy::paths(tool, &input, place)).collect::<Vec<_>>()
        });
        paths.collect()
    }

    /// Where a prompt is read: in the directory that the last command changed to, or in the
    /// session's own.
    fn places_of_prompt(&self) -> Vec<Place> {
        let own = self.setup.place.clone();
        let moved = self.run.as_ref().and_then(|run| run.cwd.clone());
        let moved = moved.map(|dir| Place { current_dir: Some(dir), ..own.clone() });
        std::iter::once(own).chain(moved).collect()
    }

    /// Why a prompt is not sent: it mentions something that the policy forbids to read, and the CLI
    /// would read it without a hook or a question. Where a rule asks, the person who wrote the
    /// prompt has answered.
    pub(super) fn denied_mention(&self, text: &str, real: Option<&RealPaths>) -> Option<Refusal> {
        let policy = self.setup.policy.as_ref()?;
        let mentions = mentions(text);
        if mentions.len() > MAX_MENTIONS {
            return Some(Refusal::TooManyMentions { most: MAX_MENTIONS });
        }
        let default = PermissionMode::Default;
        let mode = self.mode.as_ref().unwrap_or(&default);
        let servers = self.run.as_ref().and_then(|run| run.servers.as_deref());
        for place in self.places_of_prompt() {
            for mention in &mentions {
                let (tool, input) = as_call(mention);
                let call = Call { servers, real, ..Call::new(tool, &input, mode) };
                let decided = policy.decide(&call, &place);
                if let (Verdict::Deny { .. }, Some(rule)) =
                    (&decided.verdict, decided.because.rule())
                {
                    let (mention, rule) = (mention.to_string(), rule.to_string());
                    return Some(Refusal::MentionDenied { mention, rule });
                }
            }
        }
        None
    }
}

/// The call that would read what is mentioned.
fn as_call(mention: &Mention) -> (&'static str, Raw) {
    match mention {
        Mention::File(path) => ("Read", Raw::from(json!({ "file_path": path }))),
        Mention::Resource { server, uri } => {
            ("ReadMcpResourceTool", Raw::from(json!({ "server": server, "uri": uri })))
        }
    }
}
