//! Permissions: modes, rules, the question `can_use_tool` and its answer.

use crate::raw::Raw;
use crate::tool::ToolInput;

words! {
    /// How the CLI decides what needs asking.
    pub enum PermissionMode {
        /// Asks for everything that no rule allows.
        Default = "default",
        /// Allows edits.
        AcceptEdits = "acceptEdits",
        /// Allows everything; must be enabled when the CLI is started, never works as root.
        BypassPermissions = "bypassPermissions",
        /// Plans, changes nothing.
        Plan = "plan",
        /// Never asks: denies what no rule allows.
        DontAsk = "dontAsk",
        /// A classifier decides; on some models only.
        Auto = "auto",
    }
}

words! {
    /// What a rule does.
    pub enum RuleBehavior {
        Allow = "allow",
        Deny = "deny",
        Ask = "ask",
    }
}

words! {
    /// Where a rule is kept.
    pub enum Destination {
        /// `~/.claude/settings.json`: all projects.
        UserSettings = "userSettings",
        /// `.claude/settings.json`: this project, shared.
        ProjectSettings = "projectSettings",
        /// `.claude/settings.local.json`: this project, just you.
        LocalSettings = "localSettings",
        /// In memory: this session.
        Session = "session",
        /// From the command line.
        CliArg = "cliArg",
    }
}

object! {
    /// A rule: a tool, or certain uses of it.
    #[derive(Default)]
    pub struct PermissionRule {
        /// The tool.
        tool_name as "toolName": String,
        /// Which uses; by tool, such as `npm run test:*`.
        rule_content as "ruleContent": Option<String>,
    }
}

tagged! {
    /// A change of rules, mode or directories: suggested by the CLI, returned by the host.
    pub enum PermissionUpdate by "type" {
        /// Add rules.
        AddRules(AddRules) = "addRules",
        /// Replace rules.
        ReplaceRules(ReplaceRules) = "replaceRules",
        /// Remove rules.
        RemoveRules(RemoveRules) = "removeRules",
        /// Change the mode.
        SetMode(SetMode) = "setMode",
        /// Add directories.
        AddDirectories(AddDirectories) = "addDirectories",
        /// Remove directories.
        RemoveDirectories(RemoveDirectories) = "removeDirectories",
    }
}

macro_rules! rule_updates {
    ($($(#[$meta:meta])* $name:ident),* $(,)?) => {$(
        object! {
            $(#[$meta])*
            pub struct $name {
                /// The rules.
                rules: Vec<PermissionRule>,
                /// What they do.
                behavior: RuleBehavior,
                /// Where they are kept.
                destination: Destination,
            }
        }
    )*};
}

rule_updates! {
    /// Add rules.
    AddRules,
    /// Replace rules.
    ReplaceRules,
    /// Remove rules.
    RemoveRules,
}

object! {
    /// Change the mode.
    pub struct SetMode {
        /// The mode.
        mode: PermissionMode,
        /// For how long.
        destination: Destination,
    }
}

object! {
    /// Add directories.
    pub struct AddDirectories {
        /// The directories.
        directories: Vec<String>,
        /// For how long.
        destination: Destination,
    }
}

object! {
    /// Remove directories.
    pub struct RemoveDirectories {
        /// The directories.
        directories: Vec<String>,
        /// For how long.
        destination: Destination,
    }
}

impl PermissionUpdate {
    /// Allows the uses of `tool` that `content` describes, or all of them.
    pub fn allow(tool: &str, content: Option<&str>, destination: Destination) -> Self {
        let rule = PermissionRule {
            tool_name: tool.to_owned(),
            rule_content: content.map(str::to_owned),
            ..PermissionRule::default()
        };
        Self::AddRules(AddRules {
            rules: vec![rule],
            behavior: RuleBehavior::Allow,
            destination,
            extra: Default::default(),
        })
    }

    /// Changes the mode for this session: the way to leave plan mode in one step.
    pub fn set_mode(mode: PermissionMode) -> Self {
        let destination = Destination::Session;
        Self::SetMode(SetMode { mode, destination, extra: Default::default() })
    }

    /// The same change kept elsewhere.
    #[must_use]
    pub fn to(mut self, destination: Destination) -> Self {
        match &mut self {
            Self::AddRules(update) => update.destination = destination,
            Self::ReplaceRules(update) => update.destination = destination,
            Self::RemoveRules(update) => update.destination = destination,
            Self::SetMode(update) => update.destination = destination,
            Self::AddDirectories(update) => update.destination = destination,
            Self::RemoveDirectories(update) => update.destination = destination,
            Self::Unknown(_) => {}
        }
        self
    }
}

object! {
    /// May this tool be used? Plan exits and questions come this way too.
    ///
    /// Can arrive before the `assistant` frame with the call it is about.
    pub struct CanUseTool {
        /// The tool.
        tool_name: String,
        /// The server of an MCP tool.
        mcp_server: Option<McpServerRef>,
        /// The tool's name for people.
        display_name: Option<String>,
        /// What it would be called with.
        input: Raw,
        /// More about it.
        description: Option<String>,
        /// Changes that would make this request unnecessary next time.
        permission_suggestions: Vec<PermissionUpdate>,
        /// The path that is in the way.
        blocked_path: Option<String>,
        /// Why it asks; may hold terminal codes.
        decision_reason: Option<String>,
        /// Kind of reason: `rule`, `mode`, `safetyCheck` …
        decision_reason_type: Option<String>,
        /// A policy of the MCP server wants the user asked.
        server_policy_ask_only: Option<bool>,
        /// False: a safety check wants a person.
        classifier_approvable: Option<bool>,
        /// Where a hook wants it asked: its event.
        decision_reason_hook_event: Option<String>,
        /// Where that hook is configured: `settings` …
        decision_reason_hook_source: Option<String>,
        /// The call.
        tool_use_id: Option<String>,
        /// No approval from a notification.
        requires_user_interaction: Option<bool>,
        /// The subagent that asks.
        agent_id: Option<String>,
        /// The user's own rule that says ask: offer no "always".
        matched_ask_rule: Option<MatchedAskRule>,
        /// Offer no "always".
        suppress_always_allow_rule: Option<bool>,
        /// Preselect no; no one-key approval.
        default_to_no: Option<bool>,
        /// The question as a sentence.
        title: Option<String>,
    }
}

object! {
    /// An MCP server and where it is configured.
    #[derive(Default)]
    pub struct McpServerRef {
        /// Its name.
        name: Option<String>,
        /// Trust this, not the name.
        source: Option<String>,
    }
}

object! {
    /// A rule of the user's that says ask.
    #[derive(Default)]
    pub struct MatchedAskRule {
        /// Where it is kept.
        source: Option<String>,
        /// The tool.
        tool_name: Option<String>,
        /// Which uses.
        rule_content: Option<String>,
    }
}

tagged! {
    /// The answer to [`CanUseTool`].
    pub enum PermissionResult by "behavior" {
        /// Yes.
        Allow(Allow) = "allow",
        /// No.
        Deny(Deny) = "deny",
    }
}

object! {
    /// Yes. The input is always sent back whole: older CLIs fail the tool without it.
    pub struct Allow {
        /// What the tool is called with.
        updated_input as "updatedInput": Raw,
        /// Changes to make.
        updated_permissions as "updatedPermissions": Option<Vec<PermissionUpdate>>,
        /// The call.
        tool_use_id as "toolUseID": Option<String>,
        /// For statistics.
        decision_classification as "decisionClassification": Option<DecisionClassification>,
    }
}

object! {
    /// No.
    #[derive(Default)]
    pub struct Deny {
        /// What the model is told.
        message: String,
        /// Stop the turn as well.
        interrupt: Option<bool>,
        /// The call.
        tool_use_id as "toolUseID": Option<String>,
        /// For statistics.
        decision_classification as "decisionClassification": Option<DecisionClassification>,
    }
}

words! {
    /// What kind of decision it was.
    pub enum DecisionClassification {
        UserTemporary = "user_temporary",
        UserPermanent = "user_permanent",
        UserReject = "user_reject",
    }
}

impl PermissionResult {
    /// Yes, with `input` as it is to be used: the request's own, or an edited one.
    pub fn allow(input: Raw) -> Self {
        Self::Allow(Allow {
            updated_input: input,
            updated_permissions: None,
            tool_use_id: None,
            decision_classification: None,
            extra: Default::default(),
        })
    }

    /// No; the model reads `message` and goes on.
    pub fn deny(message: impl Into<String>) -> Self {
        Self::Deny(Deny { message: message.into(), ..Deny::default() })
    }

    /// No, and the turn ends.
    pub fn deny_and_stop(message: impl Into<String>) -> Self {
        let interrupt = Some(true);
        Self::Deny(Deny { message: message.into(), interrupt, ..Deny::default() })
    }

    /// The same with changes to make; of no effect on a no.
    #[must_use]
    pub fn updating(mut self, updates: Vec<PermissionUpdate>) -> Self {
        if let Self::Allow(allow) = &mut self {
            allow.updated_permissions = Some(updates);
        }
        self
    }

    /// The same, named after the call it answers.
    #[must_use]
    pub fn for_call(mut self, id: Option<String>) -> Self {
        match &mut self {
            Self::Allow(allow) => allow.tool_use_id = id,
            Self::Deny(deny) => deny.tool_use_id = id,
            Self::Unknown(_) => {}
        }
        self
    }
}

impl CanUseTool {
    /// The input as its tool understands it.
    pub fn tool(&self) -> ToolInput {
        ToolInput::of(&self.tool_name, &self.input)
    }

    /// Yes, this once.
    pub fn allow(&self) -> PermissionResult {
        self.allow_with(self.input.clone())
    }

    /// Yes, with another input.
    pub fn allow_with(&self, input: Raw) -> PermissionResult {
        PermissionResult::allow(input).for_call(self.tool_use_id.clone())
    }

    /// Yes, and do not ask again: returns what the CLI suggested. Where the user's own rule says
    /// ask, or the CLI wants no such rule, it is yes this once.
    pub fn allow_always(&self) -> PermissionResult {
        let withheld =
            self.matched_ask_rule.is_some() || self.suppress_always_allow_rule == Some(true);
        if withheld {
            return self.allow();
        }
        self.allow().updating(self.permission_suggestions.clone())
    }

    /// No; the model reads `message` and goes on.
    pub fn deny(&self, message: impl Into<String>) -> PermissionResult {
        PermissionResult::deny(message).for_call(self.tool_use_id.clone())
    }

    /// No, and the turn ends.
    pub fn deny_and_stop(&self, message: impl Into<String>) -> PermissionResult {
        PermissionResult::deny_and_stop(message).for_call(self.tool_use_id.clone())
    }
}
