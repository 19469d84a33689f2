//! Requests about MCP servers.

use std::collections::BTreeMap;

use crate::raw::{Num, Raw};

object! {
    /// How the MCP servers are.
    #[derive(Default)]
    pub struct McpStatus {
        /// Ask the servers now.
        live_reply as "liveReply": Option<bool>,
    }
}

object! {
    /// How the MCP servers are.
    #[derive(Default)]
    pub struct McpStatusReply {
        /// The servers.
        mcp_servers as "mcpServers": Vec<McpServerStatus>,
    }
}

words! {
    /// How an MCP server is.
    pub enum McpState {
        Connected = "connected",
        Failed = "failed",
        NeedsAuth = "needs-auth",
        Pending = "pending",
        Disabled = "disabled",
    }
}

object! {
    /// How an MCP server is.
    pub struct McpServerStatus {
        /// Its name.
        name: String,
        /// How it is.
        status: McpState,
        /// What it says of itself.
        server_info as "serverInfo": Option<Raw>,
        /// What went wrong.
        error: Option<String>,
        /// Its configuration.
        config: Option<Raw>,
        /// How it is reached: `stdio`, `http`, `sdk` …
        transport: Option<String>,
        /// Where it is configured.
        scope: Option<String>,
        /// Where it is configured; trust this, not the name.
        source: Option<String>,
        /// Its tools.
        tools: Option<Vec<McpToolInfo>>,
    }
}

object! {
    /// A tool of an MCP server.
    #[derive(Default)]
    pub struct McpToolInfo {
        /// Its name.
        name: String,
        /// What it may change.
        annotations: Option<Raw>,
        /// What it does.
        description: Option<String>,
    }
}

object! {
    /// Replaces the MCP servers that the host has added.
    #[derive(Default)]
    pub struct McpSetServers {
        /// Configurations by name.
        servers: BTreeMap<String, Raw>,
    }
}

object! {
    /// What became of the servers.
    #[derive(Default)]
    pub struct McpSetServersReply {
        /// New ones.
        added: Vec<String>,
        /// Gone ones.
        removed: Vec<String>,
        /// What went wrong, by name.
        errors: Option<BTreeMap<String, Raw>>,
    }
}

object! {
    /// Connects an MCP server anew.
    #[derive(Default)]
    pub struct McpReconnect {
        /// The server.
        server_name as "serverName": String,
    }
}

object! {
    /// Switches an MCP server on or off.
    #[derive(Default)]
    pub struct McpToggle {
        /// The server.
        server_name as "serverName": String,
        /// On or off.
        enabled: bool,
    }
}

object! {
    /// Calls an MCP tool without the model and, unless asked for, without a permission check.
    #[derive(Default)]
    pub struct McpCall {
        /// `mcp__server__tool`.
        tool: String,
        /// What it is called with.
        arguments: Option<Raw>,
        /// Until when the call makes sense.
        expires_at: Option<Raw>,
        /// Milliseconds.
        timeout_ms: Option<Num>,
        /// The model does not see the result.
        result_not_for_model: Option<bool>,
        /// Check permissions.
        check_permissions: Option<bool>,
        /// Files for the tool.
        input_files: Option<Raw>,
        /// Files of the tool.
        output_files: Option<Raw>,
    }
}

object! {
    /// Reads a resource of an MCP server. What comes is not to be trusted.
    #[derive(Default)]
    pub struct McpReadResource {
        /// The server.
        server_name as "serverName": String,
        /// The resource.
        uri: String,
    }
}

object! {
    /// Tightens the mode for one MCP server.
    #[derive(Default)]
    pub struct SetMcpPermissionModeOverride {
        /// The server.
        server_name as "serverName": String,
        /// `default`, `auto`, or null.
        mode: crate::field::Nullable<String>,
    }
}
