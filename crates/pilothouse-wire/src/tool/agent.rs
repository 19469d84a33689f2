//! Other agents and prepared work: `Agent`, `SendMessage`, `ListAgents`, `Skill`, `Workflow`.

use crate::block::Block;
use crate::message::Usage;
use crate::permission::PermissionMode;
use crate::raw::{Num, Raw};

object! {
    /// Input of `Agent`, and of `Task` before it.
    #[derive(Default)]
    pub struct AgentInput {
        /// What the subagent is to do, in a few words.
        description: Option<String>,
        /// What it is told.
        prompt: String,
        /// Which kind of agent.
        subagent_type: Option<String>,
        /// Which model.
        model: Option<String>,
        /// How hard it thinks.
        effort: Option<String>,
        /// Whether it is not waited for.
        run_in_background: Option<bool>,
        /// What to call it.
        name: Option<String>,
        /// Where it works.
        isolation: Option<Isolation>,
        /// Its team; no longer heeded.
        team_name: Option<String>,
        /// Its permission mode; no longer heeded.
        mode: Option<PermissionMode>,
        /// The agent to go on with; in old versions.
        resume: Option<String>,
        /// How many turns it has; in old versions.
        max_turns: Option<u64>,
    }
}

words! {
    /// Where a subagent works.
    pub enum Isolation {
        /// In a worktree of its own.
        Worktree = "worktree",
        /// On another machine.
        Remote = "remote",
    }
}

tagged! {
    /// Output of `Agent`.
    // One is made per call, when somebody looks at it.
    #[allow(clippy::large_enum_variant)]
    pub enum AgentOutput by "status" {
        /// It has finished.
        Completed(AgentCompleted) = "completed",
        /// It runs in the background.
        AsyncLaunched(AgentLaunched) = "async_launched",
        /// It runs on another machine.
        RemoteLaunched(AgentRemote) = "remote_launched",
    }
}

object! {
    /// A subagent has finished.
    #[derive(Default)]
    pub struct AgentCompleted {
        /// The subagent.
        agent_id as "agentId": Option<String>,
        /// Its kind.
        agent_type as "agentType": Option<String>,
        /// What it reports.
        content: Vec<Block>,
        /// The model it ran on.
        resolved_model as "resolvedModel": Option<String>,
        /// All models it ran on.
        models_used as "modelsUsed": Vec<String>,
        /// How many tools it called.
        total_tool_use_count as "totalToolUseCount": Option<u64>,
        /// How long it took.
        total_duration_ms as "totalDurationMs": Option<Num>,
        /// How many tokens it took.
        total_tokens as "totalTokens": Option<u64>,
        /// Tokens by kind.
        usage: Option<Box<Usage>>,
        /// The tools it called.
        tools_used as "toolsUsed": Vec<String>,
        /// What it did, counted.
        tool_stats as "toolStats": Option<AgentToolStats>,
        /// What it was told.
        prompt: Option<String>,
        /// Its worktree.
        worktree_path as "worktreePath": Option<String>,
        /// The worktree's branch.
        worktree_branch as "worktreeBranch": Option<String>,
        /// It can be told more.
        can_continue_agent as "canContinueAgent": Option<bool>,
        /// Notes of the CLI in the report.
        harness_note_count as "harnessNoteCount": Option<u64>,
        /// Of these, how many stand at its end.
        harness_tail_count as "harnessTailCount": Option<u64>,
        /// Names the CLI's part of the report.
        harness_section_hash as "harnessSectionHash": Option<String>,
    }
}

object! {
    /// What a subagent did, counted.
    #[derive(Default)]
    pub struct AgentToolStats {
        /// Files read.
        read_count as "readCount": Option<u64>,
        /// Searches.
        search_count as "searchCount": Option<u64>,
        /// Commands.
        bash_count as "bashCount": Option<u64>,
        /// Files edited.
        edit_file_count as "editFileCount": Option<u64>,
        /// Lines added.
        lines_added as "linesAdded": Option<u64>,
        /// Lines removed.
        lines_removed as "linesRemoved": Option<u64>,
        /// Other tools.
        other_tool_count as "otherToolCount": Option<u64>,
        /// Frames.
        frame_count as "frameCount": Option<u64>,
    }
}

object! {
    /// A subagent runs in the background.
    #[derive(Default)]
    pub struct AgentLaunched {
        /// `true`.
        is_async as "isAsync": Option<bool>,
        /// The subagent.
        agent_id as "agentId": Option<String>,
        /// What it does, in a few words.
        description: Option<String>,
        /// The model it runs on.
        resolved_model as "resolvedModel": Option<String>,
        /// All models it ran on.
        models_used as "modelsUsed": Vec<String>,
        /// What it was told.
        prompt: Option<String>,
        /// Where its output goes.
        output_file as "outputFile": Option<String>,
        /// Whether the caller can read that.
        can_read_output_file as "canReadOutputFile": Option<bool>,
        /// It can be told more.
        can_continue_agent as "canContinueAgent": Option<bool>,
    }
}

object! {
    /// A subagent runs on another machine.
    #[derive(Default)]
    pub struct AgentRemote {
        /// The task.
        task_id as "taskId": Option<String>,
        /// Where to look at it.
        session_url as "sessionUrl": Option<String>,
        /// What it does, in a few words.
        description: Option<String>,
        /// What it was told.
        prompt: Option<String>,
        /// Where its output goes.
        output_file as "outputFile": Option<String>,
    }
}

object! {
    /// Input of `SendMessage`: to another agent.
    #[derive(Default)]
    pub struct SendMessageInput {
        /// To whom.
        to: String,
        /// The message in a few words.
        summary: Option<String>,
        /// The message; an object in some versions.
        message: Option<Raw>,
        /// Whether to be told when the other is idle.
        notify_when_idle: Option<bool>,
        /// `message`. This and what follows is added by the CLI.
        kind as "type": Option<String>,
        /// To whom.
        recipient: Option<String>,
        /// How that names the other: `name` …
        recipient_kind: Option<String>,
        /// The message.
        content: Option<String>,
    }
}

object! {
    /// Output of `SendMessage`.
    #[derive(Default)]
    pub struct SendMessageOutput {
        /// Whether it was delivered.
        success: bool,
        /// What became of it, for the model.
        message: Option<String>,
        /// What became of it, for people.
        display: Option<String>,
    }
}

object! {
    /// Input of `ListAgents`.
    #[derive(Default)]
    pub struct ListAgentsInput {
        /// Only there.
        channel: Option<String>,
        /// Only those that fit.
        q: Option<String>,
    }
}

object! {
    /// Output of `ListAgents`.
    #[derive(Default)]
    pub struct ListAgentsOutput {
        /// The agents as text.
        listing: String,
        /// The agents by group.
        sections: Option<Vec<Raw>>,
        /// What else there is to know.
        notes: Option<Vec<Raw>>,
    }
}

object! {
    /// Input of `Skill`.
    #[derive(Default)]
    pub struct SkillInput {
        /// The skill.
        skill: String,
        /// What it is given.
        args: Option<String>,
    }
}

object! {
    /// Output of `Skill`.
    #[derive(Default)]
    pub struct SkillOutput {
        /// Whether it exists, or went well.
        success: Option<bool>,
        /// The skill.
        command_name as "commandName": String,
        /// `inline`, or `forked` where a subagent ran it.
        status: Option<String>,
        /// Tools it may use.
        allowed_tools as "allowedTools": Vec<String>,
        /// Its model.
        model: Option<String>,
        /// Whether it was only read.
        read_only as "readOnly": Option<bool>,
        /// The subagent that ran it.
        agent_id as "agentId": Option<String>,
        /// What that reported.
        result: Option<String>,
    }
}

object! {
    /// Input of `Workflow`.
    #[derive(Default)]
    pub struct WorkflowInput {
        /// The workflow itself.
        script: Option<String>,
        /// Its name, where it is a known one.
        name: Option<String>,
        /// What it is given.
        args: Option<Raw>,
        /// The file it is in.
        script_path as "scriptPath": Option<String>,
        /// The run to go on with.
        resume_from_run_id as "resumeFromRunId": Option<String>,
        /// Not heeded.
        description: Option<String>,
        /// Not heeded.
        title: Option<String>,
    }
}

object! {
    /// Output of `Workflow`.
    #[derive(Default)]
    pub struct WorkflowOutput {
        /// `async_launched` or `remote_launched`.
        status: Option<String>,
        /// The task.
        task_id as "taskId": String,
        /// `local_workflow` or `remote_agent`.
        task_type as "taskType": Option<String>,
        /// The workflow's name.
        workflow_name as "workflowName": Option<String>,
        /// The run.
        run_id as "runId": Option<String>,
        /// What it does.
        summary: Option<String>,
        /// Where its transcripts are.
        transcript_dir as "transcriptDir": Option<String>,
        /// The file it is in.
        script_path as "scriptPath": Option<String>,
        /// Where to look at it.
        session_url as "sessionUrl": Option<String>,
        /// A warning.
        warning: Option<String>,
        /// An error.
        error: Option<String>,
    }
}
