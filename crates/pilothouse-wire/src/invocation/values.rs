//! The words and small choices that options are made of.

use std::path::PathBuf;

pub use crate::permission::PermissionMode;

words! {
    /// How hard the model tries.
    pub enum Effort {
        Low = "low",
        Medium = "medium",
        High = "high",
        /// Not known to every CLI: 2.1.62 refuses it.
        XHigh = "xhigh",
        Max = "max",
    }
}

words! {
    /// How thinking is shown.
    pub enum ThinkingDisplay {
        Summarized = "summarized",
        Omitted = "omitted",
    }
}

words! {
    /// A tier of settings files.
    pub enum SettingSource {
        /// `~/.claude/settings.json`.
        User = "user",
        /// `.claude/settings.json`.
        Project = "project",
        /// `.claude/settings.local.json`.
        Local = "local",
    }
}

words! {
    /// How the previews of a question's options are written.
    pub enum PreviewFormat {
        Markdown = "markdown",
        /// For hosts that show questions in a browser.
        Html = "html",
    }
}

words! {
    /// What happens when a tool of an MCP server is called.
    pub enum ToolPolicy {
        AlwaysAllow = "always_allow",
        AlwaysAsk = "always_ask",
        AlwaysDeny = "always_deny",
    }
}

/// Whether and how much the model thinks. Not every model lets itself be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// The model decides how much.
    Adaptive,
    /// At most so many tokens. `Budget(0)` switches thinking off and, unlike
    /// [`Thinking::Disabled`], is understood by CLIs before 2.1.62 too.
    Budget(u32),
    /// No thinking.
    Disabled,
}

/// Who answers when a tool needs a permission that no rule gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PermissionPrompts {
    /// Says nothing about it. A run without a terminal then denies what it would ask.
    #[default]
    Unset,
    /// The host, over the pipe: the CLI sends `can_use_tool` and waits for the answer.
    Host,
    /// A tool of an MCP server, by its full name (`mcp__server__tool`).
    Tool(String),
    /// Nobody: what would be asked is denied at once. CLIs before this option behave so when it is
    /// left [unset](Self::Unset), and refuse to start with it.
    Nobody,
}

/// Which built-in tools exist in the run at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BaseTools {
    /// The CLI's own set.
    Standard,
    /// None; MCP tools remain.
    None,
    /// These, by name.
    Only(Vec<String>),
}

/// A prompt, given in full or as a file that the CLI reads.
///
/// Long prompts belong into a file or the `initialize` request: the operating system limits the
/// length of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptText {
    /// The text itself.
    Text(String),
    /// A file that holds it.
    File(PathBuf),
}

impl<T: Into<String>> From<T> for PromptText {
    fn from(text: T) -> Self {
        Self::Text(text.into())
    }
}

/// The CLI's debug log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Debug {
    /// No log.
    #[default]
    Off,
    /// Everything.
    All,
    /// Some categories: `api,hooks`, or all but some: `!api,!hooks`.
    Only(String),
}

/// A plugin that is loaded for this run only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plugin {
    /// Its directory.
    pub path: PathBuf,
    /// Whether its MCP servers are started too.
    pub mcp: PluginMcp,
}

impl<T: Into<PathBuf>> From<T> for Plugin {
    fn from(path: T) -> Self {
        Self { path: path.into(), mcp: PluginMcp::Started }
    }
}

/// What becomes of the MCP servers of a plugin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PluginMcp {
    /// They are started.
    #[default]
    Started,
    /// They are left alone: the host brings its own.
    Skipped,
}

/// What the CLI waits for before it starts up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Startup {
    /// Nothing.
    #[default]
    Immediate,
    /// The `initialize` request, which must be the first line. Needed when plugins or managed
    /// settings ride in it.
    AwaitInitialize,
    /// A `claim_session` request: a process that is kept warm for a session still to come.
    AwaitClaim,
}

/// Whether the CLI tells when the session runs, waits or is idle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StateEvents {
    /// As ordinary messages.
    #[default]
    Emitted,
    /// As messages marked for the host alone.
    HostOnly,
    /// Not at all.
    Off,
}

/// The span that the run belongs to, in the words of W3C Trace Context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceContext {
    /// `traceparent`.
    pub parent: String,
    /// `tracestate`, if there is one.
    pub state: Option<String>,
}
