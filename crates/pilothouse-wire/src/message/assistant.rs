//! `assistant`: finished blocks of the model's answer.

use std::collections::BTreeMap;

use crate::block::Block;
use crate::field::Nullable;
use crate::raw::{Num, Raw};

object! {
    /// One or more finished blocks of the model's answer.
    ///
    /// While it streams there is one frame per block; frames of one answer share `message.id`.
    pub struct AssistantFrame {
        /// The blocks and what is known of the answer so far.
        message: ApiMessage,
        /// The call that started the subagent this belongs to.
        parent_tool_use_id: Nullable<String>,
        /// The subagent.
        agent_id: Option<String>,
        /// On the output of a slash command: that output as the transcript keeps it.
        local_command_source: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame; a resume point.
        uuid: Option<String>,
        /// For display only.
        timestamp: Option<String>,
        /// Set on messages that stand for a failed API call; the text block holds the prose.
        error: Option<AssistantError>,
        /// The API's name for the request.
        request_id: Option<String>,
        /// Stands for a failed API call.
        is_api_error_message: Option<bool>,
        /// HTTP status of the failed call.
        api_error_status: Nullable<u64>,
        /// What the API called the error, such as `not_found_error`.
        api_error_type: Option<String>,
        /// The subagent's kind.
        subagent_type: Option<String>,
        /// What the subagent was told to do, in a few words.
        task_description: Option<String>,
        /// Cut off by an interrupt.
        aborted: Option<bool>,
        /// How to show calls of MCP tools.
        tool_use_meta: Option<Vec<ToolUseMeta>>,
        /// How long the thinking in this frame took.
        thinking_duration_ms: Option<Num>,
        /// How much of the thinking is to be seen, such as `updates`.
        thinking_display: Option<String>,
        /// The prompt that is answered; on the first frame of a turn.
        user_message_uuid: Option<String>,
        /// The prompts that are answered; on the first frame of a turn.
        user_message_uuids: Vec<String>,
        /// How a slash command ended, where it could not run.
        local_command_outcome: Option<LocalCommandOutcome>,
        /// On the answer to `/context`.
        context_usage: Option<Box<ContextReport>>,
        /// The slash command whose output this is.
        local_command_run: Option<Box<LocalCommandRun>>,
        /// Earlier messages that this one replaces.
        supersedes: Vec<String>,
        /// Went on from thinking that had been cut off.
        resumed_from_incomplete_thinking: Option<bool>,
        /// Why the turn was resumed.
        resume_reason: Option<String>,
        /// On the answer to `/usage`.
        usage_report: Option<Raw>,
    }
}

object! {
    /// A message of the model API.
    #[derive(Default)]
    pub struct ApiMessage {
        /// The model; `<synthetic>` on messages that the CLI made up.
        model: Option<String>,
        /// Shared by the frames of one answer.
        id: Option<String>,
        /// `message`.
        kind as "type": Option<String>,
        /// `assistant`.
        role: Option<String>,
        /// The blocks.
        content: Vec<Block>,
        /// The API's container.
        container: Nullable<Raw>,
        /// Null until the answer has ended.
        stop_reason: Nullable<String>,
        /// The sequence that ended it.
        stop_sequence: Nullable<String>,
        /// More about the reason.
        stop_details: Nullable<Raw>,
        /// Usage; not final while the answer streams.
        usage: Option<Box<Usage>>,
        /// How the API changed the input.
        input_transformations: Nullable<Raw>,
        /// What the API says about how it went.
        diagnostics: Nullable<Raw>,
        /// What the API edited out of the context.
        context_management: Nullable<Raw>,
    }
}

words! {
    /// Why an API call failed.
    pub enum AssistantError {
        AuthenticationFailed = "authentication_failed",
        OauthOrgNotAllowed = "oauth_org_not_allowed",
        AccountOnHold = "account_on_hold",
        VerificationRequired = "verification_required",
        BillingError = "billing_error",
        RateLimit = "rate_limit",
        Overloaded = "overloaded",
        InvalidRequest = "invalid_request",
        ModelNotFound = "model_not_found",
        ServerError = "server_error",
        Unknown = "unknown",
        MaxOutputTokens = "max_output_tokens",
        CloudCredentialError = "cloud_credential_error",
    }
}

object! {
    /// Tokens of one API message, or of one turn's main loop.
    #[derive(Default)]
    pub struct Usage {
        /// Fresh input.
        input_tokens: Nullable<u64>,
        /// Input written to the cache.
        cache_creation_input_tokens: Nullable<u64>,
        /// Input read from the cache.
        cache_read_input_tokens: Nullable<u64>,
        /// Output.
        output_tokens: Nullable<u64>,
        /// Output by kind.
        output_tokens_details: Nullable<OutputDetails>,
        /// Use of tools at the API.
        server_tool_use: Nullable<ServerToolUsage>,
        /// `standard` …
        service_tier: Nullable<String>,
        /// Cache writes by lifetime.
        cache_creation: Nullable<CacheCreation>,
        /// Where it ran.
        inference_geo: Nullable<String>,
        /// Usage by step.
        iterations: Nullable<Raw>,
        /// Speed tier.
        speed: Nullable<String>,
        /// Credit for a refused answer.
        fallback_credit: Nullable<Raw>,
    }
}

object! {
    /// Cache writes by lifetime.
    #[derive(Default)]
    pub struct CacheCreation {
        /// One hour.
        ephemeral_1h_input_tokens: Nullable<u64>,
        /// Five minutes.
        ephemeral_5m_input_tokens: Nullable<u64>,
    }
}

object! {
    /// Use of tools at the API.
    #[derive(Default)]
    pub struct ServerToolUsage {
        /// Searches.
        web_search_requests: Nullable<u64>,
        /// Fetches.
        web_fetch_requests: Nullable<u64>,
    }
}

object! {
    /// Output by kind.
    #[derive(Default)]
    pub struct OutputDetails {
        /// Spent on thinking.
        thinking_tokens: Nullable<u64>,
    }
}

object! {
    /// What one model has used, all turns of the run together.
    #[derive(Default)]
    pub struct ModelUsage {
        /// Fresh input.
        input_tokens as "inputTokens": Option<u64>,
        /// Output.
        output_tokens as "outputTokens": Option<u64>,
        /// Input read from the cache.
        cache_read_input_tokens as "cacheReadInputTokens": Option<u64>,
        /// Input written to the cache.
        cache_creation_input_tokens as "cacheCreationInputTokens": Option<u64>,
        /// Searches at the API.
        web_search_requests as "webSearchRequests": Option<u64>,
        /// Dollars.
        cost_usd as "costUSD": Option<Num>,
        /// How many tokens fit.
        context_window as "contextWindow": Option<u64>,
        /// How many tokens an answer may have.
        max_output_tokens as "maxOutputTokens": Option<u64>,
        /// Output spent on thinking.
        thinking_tokens as "thinkingTokens": Option<u64>,
        /// Input written to the cache for five minutes.
        cache_creation_5m as "cacheCreationEphemeral5mInputTokens": Option<u64>,
        /// Input written to the cache for an hour.
        cache_creation_1h as "cacheCreationEphemeral1hInputTokens": Option<u64>,
        /// The model's dated name.
        canonical_model as "canonicalModel": Option<String>,
        /// Who serves it.
        provider: Option<String>,
        /// Where the price is from: `list`, `managed`, `unknown`.
        cost_basis as "costBasis": Option<String>,
    }
}

/// Usage by model.
pub type ModelUsages = BTreeMap<String, ModelUsage>;

object! {
    /// What fills the context, as `/context` shows it.
    #[derive(Default)]
    pub struct ContextReport {
        /// The model.
        model: Option<String>,
        /// Tokens used.
        total_tokens: Option<u64>,
        /// Tokens that fit.
        raw_max_tokens: Option<u64>,
        /// How full.
        percentage: Option<Num>,
        /// By category.
        categories: Vec<Raw>,
        /// MCP tools.
        mcp_tools: Vec<Raw>,
        /// Memory files.
        memory_files: Vec<Raw>,
        /// Agents.
        agents: Vec<Raw>,
        /// Skills.
        skills: Option<Raw>,
        /// By how much it is over, and over which limit.
        over_limit: Option<Raw>,
    }
}

object! {
    /// How to show the call of an MCP tool.
    #[derive(Default)]
    pub struct ToolUseMeta {
        /// The call.
        id: Option<String>,
        /// The tool's name for people.
        display_name: Option<String>,
        /// The server's name for people.
        server_display_name: Option<String>,
        /// The tool, as the server calls it.
        tool_name: Option<String>,
    }
}

object! {
    /// How a slash command ended.
    #[derive(Default)]
    pub struct LocalCommandOutcome {
        /// Such as `unavailable_headless`.
        kind: Option<String>,
    }
}

object! {
    /// A slash command that the CLI ran without the model.
    #[derive(Default)]
    pub struct LocalCommandRun {
        /// Without the slash.
        command: Option<String>,
        /// What followed it.
        args: Option<String>,
    }
}
