//! The names of tools, present and past.
//!
//! The set is open: which tools a session has is said by its `init` message, and MCP servers add
//! their own.

macro_rules! tool_names {
    ($($name:ident = $word:literal),* $(,)?) => {
        words! {
            /// A built-in tool, by its present name.
            pub enum ToolName {
                $( $name = $word ),*
            }
        }

        impl ToolName {
            /// All tools that this version knows, also those that current CLIs no longer have.
            pub const ALL: &'static [Self] = &[$( Self::$name ),*];

            /// The tool that `name` means, which may be a name it had before.
            pub fn of(name: &str) -> Self {
                Self::from(canonical(name))
            }
        }
    };
}

tool_names! {
    Agent = "Agent",
    Artifact = "Artifact",
    AskUserQuestion = "AskUserQuestion",
    Bash = "Bash",
    ClaudeDesign = "ClaudeDesign",
    CronCreate = "CronCreate",
    CronDelete = "CronDelete",
    CronList = "CronList",
    Edit = "Edit",
    EndConversation = "EndConversation",
    EnterPlanMode = "EnterPlanMode",
    EnterWorktree = "EnterWorktree",
    ExitPlanMode = "ExitPlanMode",
    ExitWorktree = "ExitWorktree",
    Glob = "Glob",
    Grep = "Grep",
    ListAgents = "ListAgents",
    ListMcpResources = "ListMcpResourcesTool",
    Lsp = "LSP",
    Monitor = "Monitor",
    NotebookEdit = "NotebookEdit",
    OfferChromeSetup = "OfferChromeSetup",
    PowerShell = "PowerShell",
    Projects = "Projects",
    ProposeGoal = "ProposeGoal",
    ProposeSkills = "propose_skills",
    PushNotification = "PushNotification",
    Read = "Read",
    ReadMcpResource = "ReadMcpResourceTool",
    ReadMcpResourceDir = "ReadMcpResourceDirTool",
    ReadNotifications = "ReadNotifications",
    RefreshMcpTools = "RefreshMcpTools",
    RemoteTrigger = "RemoteTrigger",
    ReportFindings = "ReportFindings",
    ScheduleWakeup = "ScheduleWakeup",
    SendFeedback = "SendFeedback",
    SendMessage = "SendMessage",
    SendUserFile = "SendUserFile",
    SendUserMessage = "SendUserMessage",
    ShareOnboardingGuide = "ShareOnboardingGuide",
    ShowOnboardingRolePicker = "ShowOnboardingRolePicker",
    Skill = "Skill",
    SubagentHandback = "SubagentHandback",
    TaskCreate = "TaskCreate",
    TaskGet = "TaskGet",
    TaskList = "TaskList",
    TaskStop = "TaskStop",
    TaskUpdate = "TaskUpdate",
    TodoWrite = "TodoWrite",
    ToolSearch = "ToolSearch",
    WaitForMcpServers = "WaitForMcpServers",
    WebFetch = "WebFetch",
    WebSearch = "WebSearch",
    Workflow = "Workflow",
    Write = "Write",
    // Gone.
    BashOutput = "BashOutput",
    Config = "Config",
    Ls = "LS",
    MultiEdit = "MultiEdit",
    NotebookRead = "NotebookRead",
    Repl = "REPL",
    SlashCommand = "SlashCommand",
    TaskOutput = "TaskOutput",
    TodoRead = "TodoRead",
}

/// The present name of the tool that `name` means; `name` itself where it never had another.
pub fn canonical(name: &str) -> &str {
    match name {
        // Current CLIs still list `Agent` under its old name in `init`.
        "Task" => "Agent",
        "KillShell" | "KillBash" => "TaskStop",
        "ListPeers" => "ListAgents",
        "Brief" => "SendUserMessage",
        "ListMcpResources" => "ListMcpResourcesTool",
        "ReadMcpResource" => "ReadMcpResourceTool",
        "ReadMcpResourceDir" => "ReadMcpResourceDirTool",
        "MCPSearch" => "ToolSearch",
        "exit_plan_mode" => "ExitPlanMode",
        present => present,
    }
}

/// Server and tool of the name of an MCP tool, `mcp__server__tool`.
pub fn mcp_parts(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}
