//! Requests about files, directories, plugins and skills.

use crate::message::catalog::{AgentInfo, Plugin, SlashCommand};
use crate::raw::{Num, Raw};

object! {
    /// The CLI's version.
    #[derive(Default)]
    pub struct GetBinaryVersion {}
}

object! {
    /// The CLI's version.
    #[derive(Default)]
    pub struct BinaryVersion {
        /// The version.
        version: Option<String>,
        /// When it was built.
        build_time as "buildTime": Option<String>,
    }
}

object! {
    /// Files whose names fit.
    #[derive(Default)]
    pub struct FileSuggestions {
        /// What was typed after `@`.
        query: String,
    }
}

object! {
    /// Files whose names fit.
    #[derive(Default)]
    pub struct SuggestedFiles {
        /// The files, best first.
        suggestions: Vec<Raw>,
        /// The directory that they are told from.
        cwd: Option<String>,
    }
}

object! {
    /// Reads a file, if the rules allow.
    #[derive(Default)]
    pub struct ReadFile {
        /// The file.
        path: String,
        /// How much of it.
        max_bytes: Option<u64>,
        /// `utf-8`, `base64`.
        encoding: Option<String>,
    }
}

object! {
    /// A file.
    #[derive(Default)]
    pub struct FileContents {
        /// Its text, or base64.
        contents: Option<String>,
        /// Where it is.
        abs_path as "absPath": Option<String>,
        /// Whether something was replaced.
        lossy: Option<bool>,
        /// The path that was asked for.
        requested_path: Option<String>,
        /// Whether this is not all.
        truncated: Option<bool>,
        /// `utf-8`, `base64`.
        encoding: Option<String>,
    }
}

object! {
    /// Tells that a file has been read, so that it can be edited.
    pub struct SeedReadState {
        /// The file.
        path: String,
        /// Its time, whole Unix milliseconds.
        mtime: Num,
    }
}

object! {
    /// Adds a checkout below the directory.
    #[derive(Default)]
    pub struct RegisterRepoRoot {
        /// The checkout.
        directory: String,
        /// Load its CLAUDE.md.
        reload_claude_md: Option<bool>,
        /// Load its plugins.
        reload_plugins: Option<bool>,
        /// Load its skills.
        reload_skills: Option<bool>,
    }
}

object! {
    /// A checkout was added.
    #[derive(Default)]
    pub struct RepoRoot {
        /// The checkout.
        directory: Option<String>,
    }
}

object! {
    /// Loads plugins anew.
    #[derive(Default)]
    pub struct ReloadPlugins {
        /// Wait if the prompt cache would be lost.
        hold_on_cache_impact: Option<bool>,
        /// Plugins to add.
        add_plugins: Option<Raw>,
        /// Refuse in mid-turn.
        refuse_if_busy: Option<bool>,
    }
}

object! {
    /// What there is with the plugins.
    #[derive(Default)]
    pub struct ReloadedPlugins {
        /// Slash commands.
        commands: Vec<SlashCommand>,
        /// Subagents.
        agents: Vec<AgentInfo>,
        /// Plugins.
        plugins: Vec<Plugin>,
        /// MCP servers.
        mcp_servers as "mcpServers": Vec<Raw>,
        /// How many did not load.
        error_count: Option<u64>,
        /// It was not done, because the prompt cache would be lost.
        held: Option<bool>,
        /// What of the cache would be lost.
        cache_impact: Option<Raw>,
    }
}

object! {
    /// Loads skills anew.
    #[derive(Default)]
    pub struct ReloadSkills {}
}

object! {
    /// The skills there are.
    #[derive(Default)]
    pub struct ReloadedSkills {
        /// The skills.
        skills: Vec<SlashCommand>,
    }
}

object! {
    /// Loads output styles anew.
    #[derive(Default)]
    pub struct ReloadOutputStyles {}
}

object! {
    /// The output styles there are.
    #[derive(Default)]
    pub struct ReloadedOutputStyles {
        /// Their names.
        available_output_styles: Vec<String>,
    }
}

object! {
    /// Changes the directory.
    #[derive(Default)]
    pub struct SetCwd {
        /// The directory.
        path: String,
        /// The user trusts it.
        trust_accepted: Option<bool>,
        /// What the user trusts.
        trusted_directory: Option<String>,
    }
}

object! {
    /// Whether the directory was changed.
    #[derive(Default)]
    pub struct CwdReply {
        /// Such as `needs_trust`: the user must say first that the directory is trusted.
        status: Option<String>,
        /// The directory.
        directory: Option<String>,
    }
}
