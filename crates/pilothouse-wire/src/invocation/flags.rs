//! The flags this crate writes, and the oldest CLI that is known to take each.

macro_rules! flags {
    ($( $variant:ident = $name:literal since $since:literal ),* $(,)?) => {
        /// A flag of the CLI.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each is documented by its name")]
        #[non_exhaustive]
        pub enum Flag { $( $variant, )* }

        impl Flag {
            /// All of them.
            pub const ALL: &'static [Flag] = &[$( Flag::$variant, )*];

            /// As it stands on the command line.
            pub const fn as_str(self) -> &'static str {
                match self { $( Flag::$variant => concat!("--", $name), )* }
            }

            /// The oldest of the CLI versions it was tried on (2.1.7, 2.1.62, 2.1.325) that knows
            /// it. Older ones end at once with "unknown option" ([`Rejection`](super::Rejection)).
            pub const fn known_since(self) -> &'static str {
                match self { $( Flag::$variant => $since, )* }
            }
        }
    };
}

flags! {
    AddDir = "add-dir" since "2.1.7",
    Agent = "agent" since "2.1.7",
    AllowBypass = "allow-dangerously-skip-permissions" since "2.1.7",
    AllowedTools = "allowedTools" since "2.1.7",
    AppendSystemPrompt = "append-system-prompt" since "2.1.7",
    AppendSystemPromptFile = "append-system-prompt-file" since "2.1.7",
    AwaitClaim = "await-claim" since "2.1.325",
    AwaitInitialize = "await-initialize" since "2.1.325",
    Betas = "betas" since "2.1.7",
    Continue = "continue" since "2.1.7",
    Debug = "debug" since "2.1.7",
    DebugFile = "debug-file" since "2.1.62",
    DisallowedTools = "disallowedTools" since "2.1.7",
    Effort = "effort" since "2.1.62",
    FallbackModel = "fallback-model" since "2.1.7",
    ForkSession = "fork-session" since "2.1.7",
    IncludeHookEvents = "include-hook-events" since "2.1.325",
    IncludePartialMessages = "include-partial-messages" since "2.1.7",
    InputFormat = "input-format" since "2.1.7",
    JsonSchema = "json-schema" since "2.1.7",
    ManagedSettings = "managed-settings" since "2.1.325",
    ManagedSettingsInInitialize = "managed-settings-in-initialize" since "2.1.325",
    MaxBudgetUsd = "max-budget-usd" since "2.1.7",
    MaxThinkingTokens = "max-thinking-tokens" since "2.1.7",
    MaxTurns = "max-turns" since "2.1.7",
    McpConfig = "mcp-config" since "2.1.7",
    Model = "model" since "2.1.7",
    NoSessionPersistence = "no-session-persistence" since "2.1.7",
    OutputFormat = "output-format" since "2.1.7",
    PermissionMode = "permission-mode" since "2.1.7",
    PermissionPromptTool = "permission-prompt-tool" since "2.1.7",
    PermissionPrompts = "permission-prompts" since "2.1.325",
    PluginDir = "plugin-dir" since "2.1.7",
    PluginDirNoMcp = "plugin-dir-no-mcp" since "2.1.325",
    ProjectConfigRoot = "project-config-root" since "2.1.325",
    ReplayUserMessages = "replay-user-messages" since "2.1.7",
    Resume = "resume" since "2.1.7",
    ResumeDropsTurn = "resume-drops-turn" since "2.1.325",
    ResumeSessionAt = "resume-session-at" since "2.1.7",
    SessionId = "session-id" since "2.1.7",
    SessionMirror = "session-mirror" since "2.1.325",
    SettingSources = "setting-sources" since "2.1.7",
    Settings = "settings" since "2.1.7",
    StrictMcpConfig = "strict-mcp-config" since "2.1.7",
    SystemPrompt = "system-prompt" since "2.1.7",
    SystemPromptFile = "system-prompt-file" since "2.1.7",
    TaskBudget = "task-budget" since "2.1.325",
    Thinking = "thinking" since "2.1.62",
    ThinkingDisplay = "thinking-display" since "2.1.325",
    Tools = "tools" since "2.1.7",
    Verbose = "verbose" since "2.1.7",
}

/// Other spellings of flags that have a typed option.
const ALIASES: &[(&str, Flag)] = &[
    ("allowed-tools", Flag::AllowedTools),
    ("disallowed-tools", Flag::DisallowedTools),
    ("dangerously-skip-permissions", Flag::PermissionMode),
];

/// Flags after which the CLI does not speak stream-json on its pipes.
const OFF_THE_PIPE: &[&str] =
    &["background", "bg", "cloud", "desktop", "help", "sdk-url", "teleport", "tmux", "version"];

impl Flag {
    /// The flag with this name, which is written without dashes.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|flag| flag.as_str()[2..] == *name)
    }

    pub(super) fn from_alias(name: &str) -> Option<Self> {
        ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, flag)| *flag)
    }
}

impl std::fmt::Display for Flag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether the CLI, given this flag, leaves its pipes.
pub(super) fn leaves_the_pipe(name: &str) -> bool {
    OFF_THE_PIPE.contains(&name)
}
