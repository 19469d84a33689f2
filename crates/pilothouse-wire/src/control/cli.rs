//! Requests of the CLI. Each must be answered, once; a person may take an hour over one.

use crate::hook::HookInput;
use crate::permission::CanUseTool;
use crate::raw::Raw;

tagged! {
    /// A request of the CLI.
    pub enum CliRequest by "subtype" {
        /// May this tool be used? Answer: [`crate::PermissionResult`].
        CanUseTool(Box<CanUseTool>) = "can_use_tool",
        /// A hook of the host's fires. Answer: [`crate::hook::HookOutput`].
        HookCallback(Box<HookCallback>) = "hook_callback",
        /// A message for an MCP server in the host. Answer: [`McpReply`].
        McpMessage(McpMessage) = "mcp_message",
        /// An MCP server asks the user. Answer: [`ElicitationResult`].
        Elicitation(Elicitation) = "elicitation",
        /// A dialog to show. Answer: [`DialogResult`].
        RequestUserDialog(UserDialog) = "request_user_dialog",
        /// A fresh token is wanted; only if announced.
        OauthTokenRefresh(OauthTokenRefresh) = "oauth_token_refresh",
        /// A fresh token is wanted; only if announced.
        HostAuthTokenRefresh(HostAuthTokenRefresh) = "host_auth_token_refresh",
    }
}

impl CliRequest {
    /// Whether silence is the right answer: the request is for another machine.
    pub fn is_for_another_machine(&self) -> bool {
        matches!(
            self.tag(),
            Some(
                "remote_tool_call"
                    | "remote_plumbing_call"
                    | "remote_tools_probe"
                    | "remote_tools_reannounce"
            )
        )
    }
}

object! {
    /// A hook of the host's fires.
    pub struct HookCallback {
        /// The id under which it was registered.
        callback_id: String,
        /// What happened.
        input: HookInput,
        /// The call it is about.
        tool_use_id: Option<String>,
    }
}

object! {
    /// A JSON-RPC message for, or from, an MCP server in the host.
    pub struct McpMessage {
        /// The server.
        server_name: String,
        /// The message.
        message: Raw,
    }
}

object! {
    /// The answer to [`McpMessage`].
    pub struct McpReply {
        /// The JSON-RPC reply.
        mcp_response: Raw,
    }
}

object! {
    /// An MCP server asks the user.
    #[derive(Default)]
    pub struct Elicitation {
        /// The server.
        mcp_server_name: Option<String>,
        /// The question.
        message: Option<String>,
        /// `form`, `url`.
        mode: Option<String>,
        /// What the form holds.
        requested_schema: Option<Raw>,
        /// Order of the form's fields.
        property_order: Option<Vec<String>>,
        /// Where to send the user.
        url: Option<String>,
        /// Names it, for when it is complete.
        elicitation_id: Option<String>,
        /// Title.
        title: Option<String>,
        /// The server's name for people.
        display_name: Option<String>,
        /// More about it.
        description: Option<String>,
    }
}

words! {
    /// What the user did with an elicitation.
    pub enum ElicitationAction {
        Accept = "accept",
        /// The user refused.
        Decline = "decline",
        /// Nobody answered.
        Cancel = "cancel",
    }
}

object! {
    /// The answer to [`Elicitation`].
    pub struct ElicitationResult {
        /// What the user did.
        action: ElicitationAction,
        /// The form.
        content: Option<Raw>,
    }
}

impl ElicitationResult {
    /// The user filled in the form.
    pub fn accept(content: Option<Raw>) -> Self {
        Self { action: ElicitationAction::Accept, content, extra: Default::default() }
    }

    /// The user refused.
    pub fn decline() -> Self {
        let action = ElicitationAction::Decline;
        Self { action, content: None, extra: Default::default() }
    }

    /// Nobody answered.
    pub fn cancel() -> Self {
        let action = ElicitationAction::Cancel;
        Self { action, content: None, extra: Default::default() }
    }
}

object! {
    /// A dialog to show. Only kinds that were declared are sent.
    pub struct UserDialog {
        /// Which.
        dialog_kind: String,
        /// What it shows.
        payload: Option<Raw>,
        /// The call it is about.
        tool_use_id: Option<String>,
    }
}

object! {
    /// The answer to [`UserDialog`].
    pub struct DialogResult {
        /// `completed`, `cancelled`.
        behavior: String,
        /// What was chosen.
        result: Option<Raw>,
    }
}

impl DialogResult {
    /// The user chose.
    pub fn completed(result: Raw) -> Self {
        let behavior = "completed".to_owned();
        Self { behavior, result: Some(result), extra: Default::default() }
    }

    /// The user did not choose.
    pub fn cancelled() -> Self {
        Self { behavior: "cancelled".to_owned(), result: None, extra: Default::default() }
    }
}

object! {
    /// A fresh token is wanted.
    #[derive(Default)]
    pub struct OauthTokenRefresh {
        /// For what.
        kind: Option<String>,
        /// `refused`, `not_refused`.
        token_state: Option<String>,
        /// The call that was refused.
        refused_call: Option<Raw>,
    }
}

object! {
    /// A fresh token is wanted.
    #[derive(Default)]
    pub struct HostAuthTokenRefresh {
        /// HTTP status.
        status: Option<Raw>,
    }
}
