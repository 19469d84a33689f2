//! A named server in this process.

use std::any::Any;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use pilothouse_wire::Raw;
use pilothouse_wire::control::initialize::SdkMcpConfig;
use rmcp::model::{
    ClientNotification, ClientRequest, ErrorData, ProtocolVersion, ServerConfig, ServerResult,
};
use rmcp::service::{DynService, NotificationContext, RequestContext, Service};
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;

use super::ServerBuilder;

/// The CLI refuses shorter ones.
const SHORTEST_TIMEOUT: Duration = Duration::from_secs(1);

/// What the CLI does when the model calls a tool, whatever the user's rules say. Versions up to
/// 2.1.62 take no notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermissionPolicy {
    /// No objection: the user's rules and the permission handler decide. It does not silence the
    /// question by itself (seen at 2.1.325); a rule that allows the tool does.
    AlwaysAllow,
    /// Ask each time, also where a rule allows the tool.
    AlwaysAsk,
    /// Never call it; the model is not even told of the tool.
    AlwaysDeny,
}

impl PermissionPolicy {
    fn as_str(self) -> &'static str {
        match self {
            Self::AlwaysAllow => "always_allow",
            Self::AlwaysAsk => "always_ask",
            Self::AlwaysDeny => "always_deny",
        }
    }
}

/// An MCP server in this process. Cheap to clone; one server may serve several sessions at once.
#[derive(Clone)]
pub struct McpServer {
    name: String,
    handler: Handler,
    timeout: Option<Duration>,
    policies: BTreeMap<String, PermissionPolicy>,
}

impl McpServer {
    /// A server that does what `handler` does.
    ///
    /// The handler may see more than one handshake (on reconnecting, and from older versions of the
    /// CLI), each on a session of its own: of the peers it is given, the last is the one to talk to.
    /// A call that is withdrawn cancels the token of its context; to stop is up to the handler.
    pub fn new(name: impl Into<String>, handler: impl ServerHandler) -> Self {
        Self {
            name: name.into(),
            handler: Handler(Arc::new(handler)),
            timeout: None,
            policies: BTreeMap::new(),
        }
    }

    /// A server made of tools with typed inputs.
    pub fn builder(name: impl Into<String>) -> ServerBuilder {
        ServerBuilder::new(name.into())
    }

    /// How long the CLI waits for a tool. At least a second: less is taken as that.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout.max(SHORTEST_TIMEOUT));
        self
    }

    /// What the CLI does when the model calls `tool`.
    pub fn permission(mut self, tool: impl Into<String>, policy: PermissionPolicy) -> Self {
        self.policies.insert(tool.into(), policy);
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn handler(&self) -> Handler {
        self.handler.clone()
    }

    /// What the CLI is told beside the name, if anything.
    pub(super) fn config(&self) -> Option<SdkMcpConfig> {
        if self.timeout.is_none() && self.policies.is_empty() {
            return None;
        }
        let tools = self.policies.iter().map(|(name, policy)| {
            Raw::from(json!({ "name": name, "permission_policy": policy.as_str() }))
        });
        Some(SdkMcpConfig {
            timeout: self.timeout.map(|t| u64::try_from(t.as_millis()).unwrap_or(u64::MAX)),
            tools: (!self.policies.is_empty()).then(|| tools.collect()),
            ..SdkMcpConfig::default()
        })
    }
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer")
            .field("name", &self.name)
            .field("timeout", &self.timeout)
            .field("policies", &self.policies)
            .finish_non_exhaustive()
    }
}

/// A handler that many sessions share, and whose panics are answers.
///
/// `rmcp` runs each request on a task of its own and forgets about it if that dies: the CLI would
/// wait for ever.
#[derive(Clone)]
pub(super) struct Handler(Arc<dyn DynService<RoleServer>>);

impl Service<RoleServer> for Handler {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let work = async { self.0.handle_request(request, context).await };
        AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|panic| {
            let text = format!("the MCP server panicked: {}", panic_text(&*panic));
            Err(ErrorData::internal_error(text, None))
        })
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        self.0.get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.0.supported_protocol_versions()
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text,
        _ => "no message",
    }
}
