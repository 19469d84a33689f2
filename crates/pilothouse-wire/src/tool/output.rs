//! What a tool returned, typed by the tool's name.
//!
//! This is the structured result that rides beside a `tool_result` block, not the text that the
//! model reads.

use serde::{Serialize, Serializer};

use crate::raw::Raw;
use crate::tool::agent::{
    AgentOutput, ListAgentsOutput, SendMessageOutput, SkillOutput, WorkflowOutput,
};
use crate::tool::file::{EditOutput, NotebookEditOutput, ReadOutput, WriteOutput};
use crate::tool::legacy::{
    BashOutputOutput, ConfigOutput, MultiEditOutput, ReplOutput, TaskOutputOutput,
};
use crate::tool::mcp::{
    McpOutput, McpRefresh, McpResource, ReadMcpResourceDirOutput, ReadMcpResourceOutput,
};
use crate::tool::name::{canonical, mcp_parts};
use crate::tool::schedule::{
    CronDeleteOutput, CronJob, CronListOutput, EnterWorktreeOutput, ExitWorktreeOutput,
    ReadNotificationsOutput, RemoteTriggerOutput, ScheduleWakeupOutput,
};
use crate::tool::search::{
    GlobOutput, GrepOutput, LspOutput, ToolSearchOutput, WebFetchOutput, WebSearchOutput,
};
use crate::tool::service::{
    ArtifactOutput, ClaudeDesignOutput, OfferChromeSetupOutput, ProjectsOutput, ProposeGoalOutput,
    ProposeSkillsOutput, ReportFindings, RolePickerOutput, SendFeedbackOutput,
};
use crate::tool::shell::{BashOutput, MonitorOutput, TaskStopOutput};
use crate::tool::todo::{
    TaskCreateOutput, TaskGetOutput, TaskListOutput, TaskUpdateOutput, TodoWriteOutput,
};
use crate::tool::user::{
    AskUserQuestionOutput, EnterPlanModeOutput, ExitPlanModeOutput, PushNotificationOutput,
    SendUserMessageOutput,
};

macro_rules! outputs {
    ($($tool:ident($output:ty) = $name:literal),* $(,)?) => {
        /// What a tool returned. Serialises to the result itself.
        #[derive(Clone, Debug, PartialEq)]
        pub enum ToolOutput {
            $(
                #[doc = concat!("Output of `", $name, "`.")]
                $tool($output),
            )*
            /// Plain text: mostly why the tool failed, or was not run.
            Text(String),
            /// The call still runs; its result comes later.
            Detached(Raw),
            /// Output of an MCP tool.
            Mcp {
                /// The server.
                server: String,
                /// The tool, as the server calls it.
                tool: String,
                /// Its output; plain text may also say why it failed.
                output: McpOutput,
            },
            /// Output of a tool that is not known, or that does not look like one of the tool.
            Other {
                /// The tool.
                name: String,
                /// Its output.
                output: Raw,
            },
        }

        impl ToolOutput {
            /// The tools whose output is typed.
            pub const TYPED: &'static [&'static str] = &[$( $name ),*];

            /// The output of the tool `name`, which may be a name the tool had in older versions.
            pub fn of(name: &str, output: &Raw) -> Self {
                if is_detached(output) {
                    return Self::Detached(output.clone());
                }
                if let Some((server, tool)) = mcp_parts(name) {
                    let (server, tool) = (server.to_owned(), tool.to_owned());
                    return Self::Mcp { server, tool, output: McpOutput::of(output) };
                }
                if let Some(text) = output.read() {
                    return Self::Text(text);
                }
                // No output is typed by something that is not a container, but the tagged ones
                // would take it as unknown; `Other` says it better.
                let typed = match canonical(name) {
                    _ if !output.get().starts_with(['{', '[']) => None,
                    $( $name => output.read().map(Self::$tool), )*
                    _ => None,
                };
                typed.unwrap_or_else(|| {
                    Self::Other { name: name.to_owned(), output: output.clone() }
                })
            }
        }

        impl Serialize for ToolOutput {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $( Self::$tool(output) => output.serialize(serializer), )*
                    Self::Text(text) => text.serialize(serializer),
                    Self::Mcp { output, .. } => output.serialize(serializer),
                    Self::Detached(output) | Self::Other { output, .. } => {
                        output.serialize(serializer)
                    }
                }
            }
        }
    };
}

outputs! {
    Agent(AgentOutput) = "Agent",
    Artifact(ArtifactOutput) = "Artifact",
    AskUserQuestion(AskUserQuestionOutput) = "AskUserQuestion",
    Bash(BashOutput) = "Bash",
    ClaudeDesign(ClaudeDesignOutput) = "ClaudeDesign",
    CronCreate(CronJob) = "CronCreate",
    CronDelete(CronDeleteOutput) = "CronDelete",
    CronList(CronListOutput) = "CronList",
    Edit(EditOutput) = "Edit",
    EnterPlanMode(EnterPlanModeOutput) = "EnterPlanMode",
    EnterWorktree(EnterWorktreeOutput) = "EnterWorktree",
    ExitPlanMode(ExitPlanModeOutput) = "ExitPlanMode",
    ExitWorktree(ExitWorktreeOutput) = "ExitWorktree",
    Glob(GlobOutput) = "Glob",
    Grep(GrepOutput) = "Grep",
    ListAgents(ListAgentsOutput) = "ListAgents",
    ListMcpResources(Vec<McpResource>) = "ListMcpResourcesTool",
    Lsp(LspOutput) = "LSP",
    Monitor(MonitorOutput) = "Monitor",
    NotebookEdit(NotebookEditOutput) = "NotebookEdit",
    OfferChromeSetup(OfferChromeSetupOutput) = "OfferChromeSetup",
    PowerShell(BashOutput) = "PowerShell",
    Projects(ProjectsOutput) = "Projects",
    ProposeGoal(ProposeGoalOutput) = "ProposeGoal",
    ProposeSkills(ProposeSkillsOutput) = "propose_skills",
    PushNotification(PushNotificationOutput) = "PushNotification",
    Read(ReadOutput) = "Read",
    ReadMcpResource(ReadMcpResourceOutput) = "ReadMcpResourceTool",
    ReadMcpResourceDir(ReadMcpResourceDirOutput) = "ReadMcpResourceDirTool",
    ReadNotifications(ReadNotificationsOutput) = "ReadNotifications",
    RefreshMcpTools(Vec<McpRefresh>) = "RefreshMcpTools",
    RemoteTrigger(RemoteTriggerOutput) = "RemoteTrigger",
    ReportFindings(ReportFindings) = "ReportFindings",
    ScheduleWakeup(ScheduleWakeupOutput) = "ScheduleWakeup",
    SendFeedback(SendFeedbackOutput) = "SendFeedback",
    SendMessage(SendMessageOutput) = "SendMessage",
    SendUserMessage(SendUserMessageOutput) = "SendUserMessage",
    ShowOnboardingRolePicker(RolePickerOutput) = "ShowOnboardingRolePicker",
    Skill(SkillOutput) = "Skill",
    TaskCreate(TaskCreateOutput) = "TaskCreate",
    TaskGet(TaskGetOutput) = "TaskGet",
    TaskList(TaskListOutput) = "TaskList",
    TaskStop(TaskStopOutput) = "TaskStop",
    TaskUpdate(TaskUpdateOutput) = "TaskUpdate",
    TodoWrite(TodoWriteOutput) = "TodoWrite",
    ToolSearch(ToolSearchOutput) = "ToolSearch",
    WebFetch(WebFetchOutput) = "WebFetch",
    WebSearch(WebSearchOutput) = "WebSearch",
    Workflow(WorkflowOutput) = "Workflow",
    Write(WriteOutput) = "Write",
    BashOutput(BashOutputOutput) = "BashOutput",
    Config(ConfigOutput) = "Config",
    MultiEdit(MultiEditOutput) = "MultiEdit",
    Repl(ReplOutput) = "REPL",
    TaskOutput(TaskOutputOutput) = "TaskOutput",
}

fn is_detached(output: &Raw) -> bool {
    // The mark stands in a small object of its own; large results are not searched for it.
    output.get().len() < 4096
        && output.member("detachedToolCall").and_then(|mark| mark.read()) == Some(true)
}
