//! What the model passes to a tool, typed by the tool's name.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use crate::raw::Raw;
use crate::tool::agent::{
    AgentInput, ListAgentsInput, SendMessageInput, SkillInput, WorkflowInput,
};
use crate::tool::file::{EditInput, NotebookEditInput, ReadInput, WriteInput};
use crate::tool::legacy::{
    BashOutputInput, ConfigInput, LsInput, MultiEditInput, NotebookReadInput, ReplInput,
    SlashCommandInput, TaskOutputInput, TodoReadInput,
};
use crate::tool::mcp::{
    ListMcpResourcesInput, ReadMcpResourceDirInput, ReadMcpResourceInput, RefreshMcpToolsInput,
};
use crate::tool::name::{canonical, mcp_parts};
use crate::tool::schedule::{
    CronCreateInput, CronDeleteInput, CronListInput, EnterWorktreeInput, ExitWorktreeInput,
    ReadNotificationsInput, RemoteTriggerInput, ScheduleWakeupInput,
};
use crate::tool::search::{
    GlobInput, GrepInput, LspInput, ToolSearchInput, WebFetchInput, WebSearchInput,
};
use crate::tool::service::{
    ArtifactInput, ClaudeDesignInput, OfferChromeSetupInput, ProjectsInput, ProposeGoalInput,
    ProposeSkillsInput, ReportFindings, RolePickerInput, SendFeedbackInput,
};
use crate::tool::shell::{BashInput, MonitorInput, PowerShellInput, TaskStopInput};
use crate::tool::todo::{
    TaskCreateInput, TaskGetInput, TaskListInput, TaskUpdateInput, TodoWriteInput,
};
use crate::tool::user::{
    AskUserQuestionInput, EnterPlanModeInput, ExitPlanModeInput, PushNotificationInput,
    SendUserMessageInput,
};

macro_rules! inputs {
    ($($tool:ident($input:ty) = $name:literal),* $(,)?) => {
        /// What the model passes to a tool. Serialises to the input itself.
        #[derive(Clone, Debug, PartialEq)]
        pub enum ToolInput {
            $(
                #[doc = concat!("Input of `", $name, "`.")]
                $tool($input),
            )*
            /// Input of an MCP tool.
            Mcp {
                /// The server.
                server: String,
                /// The tool, as the server calls it.
                tool: String,
                /// Its input.
                input: Raw,
            },
            /// Input of a tool that is not known, or that does not look like an input of the tool.
            Other {
                /// The tool.
                name: String,
                /// Its input.
                input: Raw,
            },
        }

        impl ToolInput {
            /// The tools whose input is typed.
            pub const TYPED: &'static [&'static str] = &[$( $name ),*];

            /// The input of the tool `name`, which may be a name the tool had in older versions.
            pub fn of(name: &str, input: &Raw) -> Self {
                if let Some((server, tool)) = mcp_parts(name) {
                    let (server, tool) = (server.to_owned(), tool.to_owned());
                    return Self::Mcp { server, tool, input: input.clone() };
                }
                let typed = match canonical(name) {
                    $( $name => input.read().map(Self::$tool), )*
                    _ => None,
                };
                typed.unwrap_or_else(|| Self::Other { name: name.to_owned(), input: input.clone() })
            }

            /// The tool's present name.
            pub fn tool_name(&self) -> Cow<'_, str> {
                match self {
                    $( Self::$tool(_) => Cow::Borrowed($name), )*
                    Self::Mcp { server, tool, .. } => Cow::Owned(format!("mcp__{server}__{tool}")),
                    Self::Other { name, .. } => Cow::Borrowed(name),
                }
            }
        }

        impl Serialize for ToolInput {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $( Self::$tool(input) => input.serialize(serializer), )*
                    Self::Mcp { input, .. } | Self::Other { input, .. } => {
                        input.serialize(serializer)
                    }
                }
            }
        }
    };
}

inputs! {
    Agent(AgentInput) = "Agent",
    Artifact(ArtifactInput) = "Artifact",
    AskUserQuestion(AskUserQuestionInput) = "AskUserQuestion",
    Bash(BashInput) = "Bash",
    ClaudeDesign(ClaudeDesignInput) = "ClaudeDesign",
    CronCreate(CronCreateInput) = "CronCreate",
    CronDelete(CronDeleteInput) = "CronDelete",
    CronList(CronListInput) = "CronList",
    Edit(EditInput) = "Edit",
    EnterPlanMode(EnterPlanModeInput) = "EnterPlanMode",
    EnterWorktree(EnterWorktreeInput) = "EnterWorktree",
    ExitPlanMode(ExitPlanModeInput) = "ExitPlanMode",
    ExitWorktree(ExitWorktreeInput) = "ExitWorktree",
    Glob(GlobInput) = "Glob",
    Grep(GrepInput) = "Grep",
    ListAgents(ListAgentsInput) = "ListAgents",
    ListMcpResources(ListMcpResourcesInput) = "ListMcpResourcesTool",
    Lsp(LspInput) = "LSP",
    Monitor(MonitorInput) = "Monitor",
    NotebookEdit(NotebookEditInput) = "NotebookEdit",
    OfferChromeSetup(OfferChromeSetupInput) = "OfferChromeSetup",
    PowerShell(PowerShellInput) = "PowerShell",
    Projects(ProjectsInput) = "Projects",
    ProposeGoal(ProposeGoalInput) = "ProposeGoal",
    ProposeSkills(ProposeSkillsInput) = "propose_skills",
    PushNotification(PushNotificationInput) = "PushNotification",
    Read(ReadInput) = "Read",
    ReadMcpResource(ReadMcpResourceInput) = "ReadMcpResourceTool",
    ReadMcpResourceDir(ReadMcpResourceDirInput) = "ReadMcpResourceDirTool",
    ReadNotifications(ReadNotificationsInput) = "ReadNotifications",
    RefreshMcpTools(RefreshMcpToolsInput) = "RefreshMcpTools",
    RemoteTrigger(RemoteTriggerInput) = "RemoteTrigger",
    ReportFindings(ReportFindings) = "ReportFindings",
    ScheduleWakeup(ScheduleWakeupInput) = "ScheduleWakeup",
    SendFeedback(SendFeedbackInput) = "SendFeedback",
    SendMessage(SendMessageInput) = "SendMessage",
    SendUserMessage(SendUserMessageInput) = "SendUserMessage",
    ShowOnboardingRolePicker(RolePickerInput) = "ShowOnboardingRolePicker",
    Skill(SkillInput) = "Skill",
    TaskCreate(TaskCreateInput) = "TaskCreate",
    TaskGet(TaskGetInput) = "TaskGet",
    TaskList(TaskListInput) = "TaskList",
    TaskStop(TaskStopInput) = "TaskStop",
    TaskUpdate(TaskUpdateInput) = "TaskUpdate",
    TodoWrite(TodoWriteInput) = "TodoWrite",
    ToolSearch(ToolSearchInput) = "ToolSearch",
    WebFetch(WebFetchInput) = "WebFetch",
    WebSearch(WebSearchInput) = "WebSearch",
    Workflow(WorkflowInput) = "Workflow",
    Write(WriteInput) = "Write",
    BashOutput(BashOutputInput) = "BashOutput",
    Config(ConfigInput) = "Config",
    Ls(LsInput) = "LS",
    MultiEdit(MultiEditInput) = "MultiEdit",
    NotebookRead(NotebookReadInput) = "NotebookRead",
    Repl(ReplInput) = "REPL",
    SlashCommand(SlashCommandInput) = "SlashCommand",
    TaskOutput(TaskOutputInput) = "TaskOutput",
    TodoRead(TodoReadInput) = "TodoRead",
}
