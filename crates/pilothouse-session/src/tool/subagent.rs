//! `subagent_task`: work handed to another agent.

use pilothouse_wire::Block;
use pilothouse_wire::tool::agent::{
    AgentCompleted, AgentInput, AgentLaunched, AgentOutput, AgentRemote,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bound::{TEXT_LIMIT, clip, clip_text, unset, whole};
use super::outcome::Outcome;

/// A subagent is given work: `Agent`, `Task`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SubagentTask {
    /// What it is to do, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it is told.
    pub prompt: String,
    /// Which kind of agent is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent_type: Option<String>,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Which model is asked for; the one it ran on stands in `output`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How hard it is to think.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// Where it works: `worktree` or `remote`; beside its caller where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isolation: Option<String>,
    /// Whether it is asked not to be waited for.
    #[serde(default, skip_serializing_if = "unset")]
    pub background: bool,
    /// The agent that is to go on, in place of a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<String>,
    /// What came of it, once it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<SubagentOutput>,
    /// Why the call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What came of a subagent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SubagentOutput {
    /// How it stands.
    pub status: SubagentStatus,
    /// Names the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Which kind of agent it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    /// The model it runs on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What it reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Whether text was left out of `result` here.
    #[serde(default, skip_serializing_if = "unset")]
    pub truncated: bool,
    /// Where `result` was shortened here, how many bytes it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_bytes: Option<u64>,
    /// How many tokens it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<u64>,
    /// How many tools it called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_uses: Option<u64>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The task on another machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Where to look at the task on another machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_url: Option<String>,
    /// The file that its output goes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_file: Option<String>,
    /// The worktree that it works in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree_path: Option<String>,
    /// The branch of that worktree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree_branch: Option<String>,
}

/// How a subagent stands when its call returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SubagentStatus {
    /// It has finished.
    #[default]
    Completed,
    /// It goes on in the background.
    Launched,
    /// It goes on on another machine.
    LaunchedRemotely,
}

impl SubagentTask {
    pub(crate) fn of(input: AgentInput) -> Self {
        Self {
            description: input.description,
            prompt: clip_text(input.prompt),
            subagent_type: input.subagent_type,
            name: input.name,
            model: input.model,
            effort: input.effort,
            isolation: input.isolation.map(|place| place.to_string()),
            background: input.run_in_background == Some(true),
            resume: input.resume,
            output: None,
            error: None,
        }
    }

    pub(crate) fn complete(&mut self, outcome: &Outcome<'_>) {
        self.error = outcome.error();
        self.output = match outcome.typed::<AgentOutput>() {
            Some(AgentOutput::Completed(output)) => Some(output.into()),
            Some(AgentOutput::AsyncLaunched(output)) => Some(output.into()),
            Some(AgentOutput::RemoteLaunched(output)) => Some(output.into()),
            _ if outcome.is_error => None,
            _ => Some(SubagentOutput::of_text(outcome)),
        };
    }
}

impl SubagentOutput {
    fn reported(result: String) -> Self {
        let result = clip(result, TEXT_LIMIT);
        Self {
            truncated: result.bytes.is_some(),
            original_bytes: result.bytes,
            result: Some(result.text),
            ..Self::default()
        }
    }

    /// From what the model reads: the report, then the agent's id and what it took.
    fn of_text(outcome: &Outcome<'_>) -> Self {
        let text = outcome.text();
        let (report, rest) = match text.rfind("agentId: ") {
            Some(at) if at == 0 || text[..at].ends_with('\n') => text.split_at(at),
            _ => (text.as_str(), ""),
        };
        let word = |key: &str| {
            let word =
                rest.split_once(key)?.1.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
            (!word.is_empty()).then(|| word.to_owned())
        };
        let number = |key: &str| word(key)?.parse().ok();
        Self {
            agent_id: word("agentId: "),
            total_tokens: number("total_tokens: "),
            tool_uses: number("tool_uses: "),
            duration_ms: number("duration_ms: "),
            ..Self::reported(report.trim_end().to_owned())
        }
    }
}

impl From<AgentCompleted> for SubagentOutput {
    fn from(output: AgentCompleted) -> Self {
        // Current versions put a note for the calling model before the report.
        let note = "<tools-used-before-summary>";
        let texts = output.content.iter().filter_map(Block::as_text);
        let texts: Vec<_> = texts.filter(|text| !text.trim_start().starts_with(note)).collect();
        Self {
            agent_id: output.agent_id,
            agent_type: output.agent_type,
            model: output.resolved_model,
            total_tokens: output.total_tokens,
            tool_uses: output.total_tool_use_count,
            duration_ms: whole(output.total_duration_ms.as_ref()),
            worktree_path: output.worktree_path,
            worktree_branch: output.worktree_branch,
            ..Self::reported(texts.join("\n"))
        }
    }
}

impl From<AgentLaunched> for SubagentOutput {
    fn from(output: AgentLaunched) -> Self {
        Self {
            status: SubagentStatus::Launched,
            agent_id: output.agent_id,
            model: output.resolved_model,
            output_file: output.output_file,
            ..Self::default()
        }
    }
}

impl From<AgentRemote> for SubagentOutput {
    fn from(output: AgentRemote) -> Self {
        Self {
            status: SubagentStatus::LaunchedRemotely,
            task_id: output.task_id,
            session_url: output.session_url,
            output_file: output.output_file,
            ..Self::default()
        }
    }
}
