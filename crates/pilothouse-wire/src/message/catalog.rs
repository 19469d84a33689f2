//! What a session offers: commands, agents, models, plugins; and whose account it is.

use crate::raw::Raw;

object! {
    /// A slash command.
    #[derive(Default)]
    pub struct SlashCommand {
        /// Without the slash.
        name: String,
        /// What it does.
        description: Option<String>,
        /// What it takes.
        argument_hint as "argumentHint": Option<String>,
        /// Part of the CLI.
        builtin: Option<bool>,
        /// Other names.
        aliases: Option<Vec<String>>,
    }
}

object! {
    /// A subagent that can be started.
    #[derive(Default)]
    pub struct AgentInfo {
        /// Its name.
        name: String,
        /// What it is for.
        description: Option<String>,
        /// Its model.
        model: Option<String>,
    }
}

object! {
    /// A model that can be chosen.
    #[derive(Default)]
    pub struct ModelInfo {
        /// What to pass as model.
        value: String,
        /// What that stands for.
        resolved_model as "resolvedModel": Option<String>,
        /// For people.
        display_name as "displayName": Option<String>,
        /// For people.
        description: Option<String>,
        /// Takes an effort.
        supports_effort as "supportsEffort": Option<bool>,
        /// Which ones.
        supported_effort_levels as "supportedEffortLevels": Option<Vec<String>>,
        /// Thinks as much as it needs.
        supports_adaptive_thinking as "supportsAdaptiveThinking": Option<bool>,
        /// Has a fast mode.
        supports_fast_mode as "supportsFastMode": Option<bool>,
        /// Has the mode `auto`.
        supports_auto_mode as "supportsAutoMode": Option<bool>,
        /// Its thinking can be switched off.
        supports_thinking_off as "supportsThinkingOff": Option<bool>,
    }
}

object! {
    /// Whose account it is.
    #[derive(Default)]
    pub struct AccountInfo {
        /// Where the token is from.
        token_source as "tokenSource": Option<String>,
        /// Where the key is from.
        api_key_source as "apiKeySource": Option<String>,
        /// `firstParty`, `bedrock`, `vertex` …
        api_provider as "apiProvider": Option<String>,
        /// E-mail.
        email: Option<String>,
        /// Organisation.
        organization: Option<String>,
        /// Plan.
        subscription_type as "subscriptionType": Option<String>,
    }
}

object! {
    /// A plugin.
    #[derive(Default)]
    pub struct Plugin {
        /// Its name.
        name: Option<String>,
        /// Its directory.
        path: Option<String>,
        /// Where it is from: `name@marketplace`.
        source: Option<String>,
        /// Its version.
        version: Option<Raw>,
    }
}
