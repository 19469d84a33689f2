//! What a hook answers.

use crate::hook::specific::{
    HookSpecificOutput, PermissionDecision, PermissionRequestOutput, PreToolUseOutput,
    RequestAllow, RequestDeny,
};
use crate::hook::{HookEvent, WorktreeCreateOutput};
use crate::raw::{Num, Raw};

object! {
    /// What a hook answers. The empty answer has no opinion: see [`HookOutput::none`].
    #[derive(Default)]
    pub struct HookOutput {
        /// `false` stops the agent, whatever else is answered.
        keep_going as "continue": Option<bool>,
        /// Keeps the hook's output out of the transcript.
        suppress_output as "suppressOutput": Option<bool>,
        /// What the user is told when `continue` is false.
        stop_reason as "stopReason": Option<String>,
        /// Approves or blocks. On [`HookEvent::Stop`] and [`HookEvent::SubagentStop`], `block`
        /// makes the agent go on; on [`HookEvent::UserPromptSubmit`] it rejects the prompt; around
        /// tools it blocks the call.
        decision: Option<HookVerdict>,
        /// Shown to the user.
        system_message as "systemMessage": Option<String>,
        /// Written to the user's terminal.
        terminal_sequence as "terminalSequence": Option<String>,
        /// Why, for the model.
        reason: Option<String>,
        /// What differs by event.
        specific as "hookSpecificOutput": Option<HookSpecificOutput>,
        /// The hook runs on and its outcome is not waited for.
        is_async as "async": Option<bool>,
        /// How long it may run on, in milliseconds.
        async_timeout as "asyncTimeout": Option<Num>,
    }
}

words! {
    /// A hook's decision.
    pub enum HookVerdict {
        Approve = "approve",
        Block = "block",
    }
}

impl HookOutput {
    /// No opinion.
    pub fn none() -> Self {
        Self::default()
    }

    /// To [`HookEvent::PreToolUse`]: the tool may run, nobody is asked.
    pub fn allow() -> Self {
        Self::decide(PermissionDecision::Allow, None)
    }

    /// To [`HookEvent::PreToolUse`]: the tool may run, but with `input` in place of what the model
    /// passes.
    pub fn allow_with(input: Raw) -> Self {
        let permission_decision = Some(PermissionDecision::Allow);
        let updated_input = Some(input);
        let output = PreToolUseOutput { permission_decision, updated_input, ..Default::default() };
        Self::from(HookSpecificOutput::from(output))
    }

    /// To [`HookEvent::PreToolUse`]: the tool may not run; the model reads `reason`.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::decide(PermissionDecision::Deny, Some(reason.into()))
    }

    /// To [`HookEvent::PreToolUse`]: the user is asked, and shown `reason`.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::decide(PermissionDecision::Ask, Some(reason.into()))
    }

    /// To [`HookEvent::PreToolUse`]: as if there were no hook.
    pub fn defer() -> Self {
        Self::decide(PermissionDecision::Defer, None)
    }

    fn decide(decision: PermissionDecision, reason: Option<String>) -> Self {
        Self::from(HookSpecificOutput::from(PreToolUseOutput {
            permission_decision: Some(decision),
            permission_decision_reason: reason,
            ..Default::default()
        }))
    }

    /// To [`HookEvent::PermissionRequest`]: allowed in the user's place.
    pub fn allow_request(allow: RequestAllow) -> Self {
        let output = PermissionRequestOutput { decision: allow.into(), extra: Default::default() };
        Self::from(HookSpecificOutput::from(output))
    }

    /// To [`HookEvent::PermissionRequest`]: denied in the user's place; the model reads `message`.
    pub fn deny_request(message: impl Into<String>) -> Self {
        let deny = RequestDeny { message: Some(message.into()), ..Default::default() };
        let output = PermissionRequestOutput { decision: deny.into(), extra: Default::default() };
        Self::from(HookSpecificOutput::from(output))
    }

    /// Blocks what is about to happen, for `reason`; see [`HookOutput::decision`] for what that
    /// means on each event.
    pub fn block(reason: impl Into<String>) -> Self {
        let (decision, reason) = (Some(HookVerdict::Block), Some(reason.into()));
        Self { decision, reason, ..Self::default() }
    }

    /// Stops the agent; the user reads `reason`.
    pub fn stop(reason: impl Into<String>) -> Self {
        let (keep_going, stop_reason) = (Some(false), Some(reason.into()));
        Self { keep_going, stop_reason, ..Self::default() }
    }

    /// Tells the model `text`, in answer to `event`. `None` where the event takes no text.
    pub fn context(event: &HookEvent, text: impl Into<String>) -> Option<Self> {
        HookSpecificOutput::context(event, text).map(Self::from)
    }

    /// To [`HookEvent::WorktreeCreate`]: the worktree is at `path`.
    pub fn worktree(path: impl Into<String>) -> Self {
        let output = WorktreeCreateOutput { worktree_path: path.into(), ..Default::default() };
        Self::from(HookSpecificOutput::from(output))
    }

    /// Not waited for: the hook runs on, for `timeout_ms` at most where that is given.
    pub fn detached(timeout_ms: Option<u64>) -> Self {
        let async_timeout = timeout_ms.map(Num::from);
        Self { is_async: Some(true), async_timeout, ..Self::default() }
    }

    /// The same answer, with a message for the user.
    #[must_use]
    pub fn with_system_message(self, text: impl Into<String>) -> Self {
        Self { system_message: Some(text.into()), ..self }
    }
}

impl From<HookSpecificOutput> for HookOutput {
    fn from(specific: HookSpecificOutput) -> Self {
        Self { specific: Some(specific), ..Self::default() }
    }
}
