//! The MCP servers of a running conversation.
//!
//! The CLI knows one request to change them, which names all that are not in its own settings: what
//! it leaves out, servers of this process included, is disconnected. So every change here names
//! those too.

use std::collections::BTreeMap;

use pilothouse_wire::Raw;
use pilothouse_wire::control::mcp::{
    McpReconnect, McpServerStatus, McpSetServers, McpSetServersReply, McpStatus, McpToggle,
};

use crate::client::Client;
use crate::error::RequestError;
use crate::mcp::{McpError, McpServer};

impl Client {
    /// How the MCP servers are.
    pub async fn mcp_status(&self) -> Result<Vec<McpServerStatus>, RequestError> {
        self.request(McpStatus::default()).await.map(|reply| reply.mcp_servers)
    }

    /// Connects an MCP server anew.
    pub async fn mcp_reconnect(&self, server: &str) -> Result<(), RequestError> {
        let server_name = server.to_owned();
        self.request(McpReconnect { server_name, ..McpReconnect::default() }).await.map(drop)
    }

    /// Switches an MCP server on or off.
    pub async fn mcp_toggle(&self, server: &str, enabled: bool) -> Result<(), RequestError> {
        let server_name = server.to_owned();
        self.request(McpToggle { server_name, enabled, ..McpToggle::default() }).await.map(drop)
    }

    /// Replaces the MCP servers that were added this way before. Those in this process stay.
    pub async fn mcp_set_servers(
        &self,
        servers: BTreeMap<String, Raw>,
    ) -> Result<McpSetServersReply, RequestError> {
        let mut outside = self.run.outside.lock().await;
        let reply = self.name_servers(&servers).await?;
        *outside = servers;
        Ok(reply)
    }

    /// Adds an MCP server that lives in this process. The CLI connects to it by the next prompt.
    pub async fn add_mcp_server(&self, server: McpServer) -> Result<(), RequestError> {
        let name = server.name().to_owned();
        let outside = self.run.outside.lock().await;
        if outside.contains_key(&name) {
            return Err(McpError::DuplicateServer { name }.into());
        }
        let host = self.run.connection.mcp();
        host.add(server)?;
        let outcome = self.name_servers(&outside).await.and_then(|reply| {
            match reply.errors.and_then(|mut errors| errors.remove(&name)) {
                None => Ok(()),
                Some(error) => Err(RequestError::Refused {
                    request: "mcp_set_servers".to_owned(),
                    message: error.parse().unwrap_or_else(|_| error.get().to_owned()),
                    code: None,
                }),
            }
        });
        if outcome.is_err() {
            host.remove(&name);
        }
        outcome
    }

    /// Takes an MCP server of this process away from the conversation. Calls that it works on are
    /// finished.
    pub async fn remove_mcp_server(&self, name: &str) -> Result<(), RequestError> {
        let outside = self.run.outside.lock().await;
        self.run.connection.mcp().remove(name);
        self.name_servers(&outside).await.map(drop)
    }

    /// Tells the CLI of these servers and of all in this process.
    async fn name_servers(
        &self,
        outside: &BTreeMap<String, Raw>,
    ) -> Result<McpSetServersReply, RequestError> {
        let mut servers = outside.clone();
        servers.extend(self.run.connection.mcp().entries());
        self.request(McpSetServers { servers, ..McpSetServers::default() }).await
    }
}
