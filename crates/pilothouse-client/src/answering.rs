//! Answers requests of the CLI with the program's handlers.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use pilothouse_wire::control::ControlResponse;
use pilothouse_wire::control::cli::{
    CliRequest, ElicitationResult, HookCallback, McpMessage, McpReply,
};
use pilothouse_wire::permission::{CanUseTool, PermissionResult};
use pilothouse_wire::{Extra, Raw};
use serde::Serialize;

use crate::handler::{Handlers, HookCall, TokenRequest};
use crate::mcp::McpHost;

/// What the model is told when there is nobody to ask.
const NOBODY: &str = "Nobody is there to approve this. Go on without it.";

/// The handlers of one conversation.
pub(crate) struct Answering {
    pub(crate) handlers: Handlers,
    pub(crate) mcp: McpHost,
}

impl Answering {
    /// Answers a request; `None` where silence is the answer. A handler that panics fails only its
    /// own request.
    pub(crate) async fn answer(&self, id: &str, request: CliRequest) -> Option<ControlResponse> {
        let work = AssertUnwindSafe(self.work(request)).catch_unwind();
        let outcome = work.await.unwrap_or_else(|_| {
            tracing::error!(id, "a handler panicked");
            Outcome::Error("The host failed to handle this request.".to_owned())
        });
        match outcome {
            Outcome::Payload(payload) => Some(ControlResponse::success(id, payload)),
            Outcome::Error(message) => Some(ControlResponse::error(id, message)),
            Outcome::Unsupported(subtype) => Some(ControlResponse::unsupported(id, &subtype)),
            Outcome::Silence => None,
        }
    }

    async fn work(&self, request: CliRequest) -> Outcome {
        match request {
            CliRequest::CanUseTool(ask) => self.permission(*ask).await,
            CliRequest::HookCallback(callback) => self.hook(*callback).await,
            CliRequest::McpMessage(message) => self.mcp(message).await,
            CliRequest::Elicitation(ask) => match &self.handlers.elicitation {
                Some(handler) => Outcome::of(&handler(ask).await),
                None => Outcome::of(&ElicitationResult::decline()),
            },
            CliRequest::RequestUserDialog(dialog) => match &self.handlers.dialog {
                Some(handler) => Outcome::of(&handler(dialog).await),
                // A kind that was not declared gets no answer, not even an error.
                None => Outcome::Silence,
            },
            CliRequest::OauthTokenRefresh(ask) => {
                self.token("oauth_token_refresh", TokenRequest::Oauth(ask)).await
            }
            CliRequest::HostAuthTokenRefresh(ask) => {
                self.token("host_auth_token_refresh", TokenRequest::HostAuth(ask)).await
            }
            CliRequest::Unknown(unknown) => Outcome::Unsupported(unknown.tag.unwrap_or_default()),
        }
    }

    async fn permission(&self, ask: CanUseTool) -> Outcome {
        let call = ask.tool_use_id.clone();
        let result = match &self.handlers.permission {
            Some(handler) => handler(ask).await,
            None => PermissionResult::deny(NOBODY),
        };
        Outcome::of(&result.for_call(call))
    }

    async fn hook(&self, callback: HookCallback) -> Outcome {
        let hook = callback.callback_id.strip_prefix(HOOK_ID).and_then(|n| n.parse::<usize>().ok());
        let Some(hook) = hook.and_then(|index| self.handlers.hooks.get(index)) else {
            return Outcome::Error(format!("There is no hook {}.", callback.callback_id));
        };
        let call = HookCall { input: callback.input, tool_use_id: callback.tool_use_id };
        match (hook.handler)(call).await {
            Ok(output) => Outcome::of(&output),
            Err(message) => Outcome::Error(message),
        }
    }

    async fn mcp(&self, message: McpMessage) -> Outcome {
        match self.mcp.deliver(&message.server_name, message.message).await {
            Ok(mcp_response) => Outcome::of(&McpReply { mcp_response, extra: Extra::default() }),
            Err(error) => Outcome::Error(error.to_string()),
        }
    }

    async fn token(&self, subtype: &str, request: TokenRequest) -> Outcome {
        let Some(handler) = &self.handlers.token else {
            return Outcome::Unsupported(subtype.to_owned());
        };
        match handler(request).await {
            Ok(payload) => Outcome::Payload(payload),
            Err(message) => Outcome::Error(message),
        }
    }
}

/// Hooks are registered under this and their number.
pub(crate) const HOOK_ID: &str = "hook-";

enum Outcome {
    Payload(Raw),
    Error(String),
    Unsupported(String),
    Silence,
}

impl Outcome {
    fn of(payload: &impl Serialize) -> Self {
        match Raw::of(payload) {
            Ok(payload) => Self::Payload(payload),
            Err(error) => Self::Error(format!("The host's answer cannot be written: {error}")),
        }
    }
}
