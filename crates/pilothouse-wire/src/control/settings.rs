//! Requests about mode, model, thinking, settings, and what they cost.

use std::collections::BTreeMap;

use crate::field::Nullable;
use crate::message::catalog::ModelInfo;
use crate::permission::PermissionMode;
use crate::raw::{Num, Raw};

object! {
    /// Changes the mode.
    pub struct SetPermissionMode {
        /// The mode.
        mode: PermissionMode,
    }
}

object! {
    /// The mode is changed.
    #[derive(Default)]
    pub struct PermissionModeReply {
        /// The mode, as it is now. Old CLIs repeat what they were told, even if there is no such
        /// mode.
        mode: Option<PermissionMode>,
    }
}

object! {
    /// Changes the model.
    #[derive(Default)]
    pub struct SetModel {
        /// The model; null for the default.
        model: Nullable<String>,
    }
}

object! {
    /// The model is changed.
    #[derive(Default)]
    pub struct ModelReply {
        /// The model, as it is now; old CLIs do not say.
        model: Nullable<String>,
    }
}

object! {
    /// Changes how much is thought.
    #[derive(Default)]
    pub struct SetMaxThinkingTokens {
        /// Tokens; 0 for none, null for the default.
        max_thinking_tokens: Nullable<u64>,
        /// `summarized`, `omitted`, `highlights`.
        thinking_display: Nullable<String>,
    }
}

object! {
    /// Changes settings for this session: keys replace, null clears.
    pub struct ApplyFlagSettings {
        /// The settings.
        settings: Raw,
    }
}

object! {
    /// Changes a settings file; a few keys only.
    pub struct UpdateSettings {
        /// `localSettings`, `userSettings`.
        source: String,
        /// The settings.
        settings: Raw,
    }
}

object! {
    /// The settings in force.
    #[derive(Default)]
    pub struct GetSettings {}
}

object! {
    /// The settings in force.
    #[derive(Default)]
    pub struct SettingsReply {
        /// All sources together.
        effective: Option<Raw>,
        /// One by one.
        sources: Option<Vec<Raw>>,
        /// What the session makes of them: model, effort …
        applied: Option<Raw>,
    }
}

object! {
    /// The permission rules in force.
    #[derive(Default)]
    pub struct ListPermissionRules {}
}

object! {
    /// The permission rules in force.
    #[derive(Default)]
    pub struct PermissionRules {
        /// Rules and directories.
        state: Option<PermissionRulesState>,
    }
}

object! {
    /// Rules and directories.
    #[derive(Default)]
    pub struct PermissionRulesState {
        /// Rules.
        rules: Vec<ListedRule>,
        /// Directories.
        workspace_directories as "workspaceDirectories": Vec<Raw>,
        /// Where the CLI was started.
        original_cwd as "originalCwd": Option<String>,
        /// Only managed rules count.
        managed_only as "managedOnly": Option<bool>,
        /// What could not be read.
        errors: Option<Raw>,
        /// What is not shown.
        withheld: Option<Raw>,
    }
}

object! {
    /// A rule in force.
    #[derive(Default)]
    pub struct ListedRule {
        /// `allow`, `deny`, `ask`.
        behavior: Option<String>,
        /// Where it is kept.
        source: Option<String>,
        /// Its text.
        rule: Option<Raw>,
        /// For people.
        description: Option<Raw>,
        /// `persistent`, `session`, `readonly`.
        editability: Option<String>,
        /// Why it does not count.
        not_in_effect as "notInEffect": Option<Raw>,
    }
}

object! {
    /// The hooks in force.
    #[derive(Default)]
    pub struct GetHooksListing {}
}

object! {
    /// The hooks in force.
    #[derive(Default)]
    pub struct HooksListing {
        /// Events that have hooks.
        events: Option<Vec<Raw>>,
        /// The hooks.
        hooks: Option<Vec<Raw>>,
        /// All events there are.
        event_catalog as "eventCatalog": Option<Vec<Raw>>,
        /// What a policy says about hooks.
        policy: Option<Raw>,
    }
}

object! {
    /// What fills the context.
    #[derive(Default)]
    pub struct GetContextUsage {
        /// `summary` is quick, `full` counts.
        detail: Option<String>,
    }
}

object! {
    /// What fills the context.
    #[derive(Default)]
    pub struct ContextUsage {
        /// By category.
        categories: Vec<ContextCategory>,
        /// Tokens used.
        total_tokens as "totalTokens": Option<u64>,
        /// Tokens before it is compacted.
        max_tokens as "maxTokens": Option<u64>,
        /// Tokens that fit.
        raw_max_tokens as "rawMaxTokens": Option<u64>,
        /// What set the threshold for compacting, such as `model-default`.
        autocompact_source as "autocompactSource": Option<String>,
        /// How full.
        percentage: Option<Num>,
        /// The picture that the terminal draws.
        grid_rows as "gridRows": Option<Raw>,
        /// The model.
        model: Option<String>,
        /// Memory files.
        memory_files as "memoryFiles": Vec<Raw>,
        /// MCP tools.
        mcp_tools as "mcpTools": Vec<Raw>,
        /// Instructions of MCP servers.
        mcp_instructions as "mcpInstructions": Option<Vec<Raw>>,
        /// Agents.
        agents: Vec<Raw>,
        /// Slash commands.
        slash_commands as "slashCommands": Option<CommandShare>,
        /// Skills.
        skills: Option<SkillShare>,
        /// When it is compacted.
        auto_compact_threshold as "autoCompactThreshold": Option<u64>,
        /// Whether it is.
        is_auto_compact_enabled as "isAutoCompactEnabled": Option<bool>,
        /// By kind of message.
        message_breakdown as "messageBreakdown": Option<Raw>,
        /// What the API said.
        api_usage as "apiUsage": Nullable<Raw>,
        /// Tools that are loaded when they are looked for.
        deferred_builtin_tools as "deferredBuiltinTools": Option<Vec<Raw>>,
        /// Tools.
        system_tools as "systemTools": Option<Vec<Raw>>,
        /// Parts of the system prompt.
        system_prompt_sections as "systemPromptSections": Option<Vec<Raw>>,
    }
}

object! {
    /// A part of the context.
    #[derive(Default)]
    pub struct ContextCategory {
        /// Stable name.
        id: Option<String>,
        /// For people.
        name: Option<String>,
        /// Tokens.
        tokens: Option<u64>,
        /// Colour.
        color: Option<String>,
        /// Not loaded yet.
        is_deferred as "isDeferred": Option<bool>,
        /// `used`, `free`, `buffer`, `deferred`.
        kind: Option<String>,
    }
}

object! {
    /// What slash commands take of the context.
    #[derive(Default)]
    pub struct CommandShare {
        /// How many there are.
        total_commands as "totalCommands": Option<u64>,
        /// How many the model is told of.
        included_commands as "includedCommands": Option<u64>,
        /// Tokens.
        tokens: Option<u64>,
    }
}

object! {
    /// What skills take of the context.
    #[derive(Default)]
    pub struct SkillShare {
        /// How many there are.
        total_skills as "totalSkills": Option<u64>,
        /// How many the model is told of.
        included_skills as "includedSkills": Option<u64>,
        /// Tokens.
        tokens: Option<u64>,
        /// One by one.
        skill_frontmatter as "skillFrontmatter": Option<Vec<Raw>>,
    }
}

object! {
    /// What was used, and the plan's limits.
    #[derive(Default)]
    pub struct GetUsage {
        /// Leave statistics out.
        skip_behaviors: Option<bool>,
    }
}

object! {
    /// What was used, and the plan's limits.
    #[derive(Default)]
    pub struct UsageReport {
        /// The session.
        session: Option<SessionUsage>,
        /// Plan.
        subscription_type: Nullable<String>,
        /// Whether limits are known.
        rate_limits_available: Option<bool>,
        /// Limits.
        rate_limits: Nullable<Raw>,
        /// Statistics.
        behaviors: Nullable<Raw>,
    }
}

object! {
    /// What a session has used.
    #[derive(Default)]
    pub struct SessionUsage {
        /// Dollars.
        total_cost_usd: Option<Num>,
        /// Milliseconds at the API.
        total_api_duration_ms: Option<Num>,
        /// Milliseconds.
        total_duration_ms: Option<Num>,
        /// Lines added.
        total_lines_added: Option<u64>,
        /// Lines removed.
        total_lines_removed: Option<u64>,
        /// By model.
        model_usage: Option<BTreeMap<String, Raw>>,
    }
}

object! {
    /// The session's cost as text.
    #[derive(Default)]
    pub struct GetSessionCost {}
}

object! {
    /// The session's cost as text.
    #[derive(Default)]
    pub struct SessionCost {
        /// The text.
        text: Option<String>,
    }
}

object! {
    /// The models there are.
    #[derive(Default)]
    pub struct ListModels {}
}

object! {
    /// The models there are.
    #[derive(Default)]
    pub struct ModelList {
        /// The models.
        models: Vec<ModelInfo>,
    }
}
