//! A server made of tools.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::schemars::JsonSchema;
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde::de::DeserializeOwned;

use super::{McpError, McpServer, Tool, ToolCall, ToolError, ToolReply, shown_name};

/// Builds a server from tools; see [`McpServer::builder`].
#[derive(Debug, Clone)]
#[must_use = "nothing is offered until `build` makes a server of it"]
pub struct ServerBuilder {
    name: String,
    version: String,
    instructions: Option<String>,
    tools: Vec<Tool>,
}

impl ServerBuilder {
    pub(super) fn new(name: String) -> Self {
        Self { name, version: "0.0.0".to_owned(), instructions: None, tools: Vec::new() }
    }

    /// The version it says it has.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// What the model should know about the tools as a whole.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Adds a tool that needs no more than a name, a description and a handler; see [`Tool::new`].
    pub fn tool<I, F, R>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        handler: F,
    ) -> Self
    where
        I: DeserializeOwned + JsonSchema + 'static,
        F: Fn(I) -> R + Send + Sync + 'static,
        R: Future<Output = Result<ToolReply, ToolError>> + Send + 'static,
    {
        self.with_tool(Tool::new(name, description, handler))
    }

    /// Adds a tool.
    pub fn with_tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// The server. Fails if two tools have the same name, or if the input of one is not an object.
    pub fn build(self) -> Result<McpServer, McpError> {
        let mut shown = BTreeSet::new();
        for tool in &self.tools {
            let name = tool.name().to_owned();
            if let Some(reason) = &tool.flaw {
                let reason = reason.clone();
                return Err(McpError::InputType { server: self.name, tool: name, reason });
            }
            if !shown.insert(shown_name(&name)) {
                return Err(McpError::DuplicateTool { server: self.name, tool: name });
            }
        }
        let policies: Vec<_> = self
            .tools
            .iter()
            .filter_map(|tool| Some((tool.name().to_owned(), tool.policy?)))
            .collect();
        let mut config = ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(self.name.clone(), self.version));
        config.instructions = self.instructions;
        let server = McpServer::new(self.name, Toolbox::new(config, self.tools));
        Ok(policies
            .into_iter()
            .fold(server, |server, (tool, policy)| server.permission(tool, policy)))
    }
}

/// The handler behind a built server.
struct Toolbox {
    config: ServerConfig,
    /// In the order in which they were added, which is that of the listing.
    listing: Vec<rmcp::model::Tool>,
    tools: BTreeMap<String, Arc<Tool>>,
}

impl Toolbox {
    fn new(config: ServerConfig, tools: Vec<Tool>) -> Self {
        Self {
            config,
            listing: tools.iter().map(|tool| tool.listing.clone()).collect(),
            tools: tools.into_iter().map(|t| (t.name().to_owned(), Arc::new(t))).collect(),
        }
    }
}

impl ServerHandler for Toolbox {
    fn get_info(&self) -> ServerConfig {
        self.config.clone()
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.listing.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools.get(&*request.name) else {
            let names: Vec<_> = self.tools.keys().map(String::as_str).collect();
            let text = format!("no tool `{}`; there are: {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(text, None));
        };
        let cancelled = context.ct.clone();
        let run = tool.run(request.arguments.unwrap_or_default(), ToolCall(context));
        let reply = tokio::select! {
            reply = run => reply.unwrap_or_else(ToolReply::from),
            // Nobody reads what is said here; what counts is that the handler's future is dropped.
            () = cancelled.cancelled() => ToolError::new("the call was cancelled").into(),
        };
        Ok(CallToolResult::from(reply).into())
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        self.tools.get(name).map(|tool| tool.listing.clone())
    }
}
