//! MCP servers that live in the host: the handshake and the calls, over `mcp_message`.

use std::cell::{Cell, RefCell};

use serde_json::{Value, json};

use super::asks::{Asks, Unanswered};
use super::launch::VERSION;

/// A server of the host.
#[derive(Debug, Clone)]
struct Server {
    name: String,
    status: Status,
    info: Value,
    tools: Vec<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Pending,
    Connected,
    Failed,
    Disabled,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Connected => "connected",
            Self::Failed => "failed",
            Self::Disabled => "disabled",
        }
    }
}

/// The servers of this session.
#[derive(Debug, Default)]
pub(super) struct McpServers {
    servers: RefCell<Vec<Server>>,
    next_id: Cell<u64>,
}

/// What became of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Called {
    Content(Value),
    Failed(String),
}

impl McpServers {
    /// Adds servers that are not yet known.
    pub(super) fn add(&self, names: impl IntoIterator<Item = String>) {
        for name in names {
            if !self.servers.borrow().iter().any(|server| server.name == name) {
                self.servers.borrow_mut().push(Server {
                    name,
                    status: Status::Pending,
                    info: Value::Null,
                    tools: Vec::new(),
                });
            }
        }
    }

    /// The servers of kind `sdk` in an `--mcp-config` or `mcp_set_servers` map.
    pub(super) fn sdk_servers(config: &Value) -> Vec<String> {
        let servers = config.as_object().into_iter().flatten();
        let sdk = servers.filter(|(_, server)| server["type"] == "sdk");
        sdk.map(|(name, _)| name.clone()).collect()
    }

    /// Replaces the set: returns what was added and what was removed.
    pub(super) fn replace(&self, names: Vec<String>) -> (Vec<String>, Vec<String>) {
        let known: Vec<_> =
            self.servers.borrow().iter().map(|server| server.name.clone()).collect();
        let added: Vec<_> = names.iter().filter(|name| !known.contains(name)).cloned().collect();
        let removed: Vec<_> = known.into_iter().filter(|name| !names.contains(name)).collect();
        self.servers.borrow_mut().retain(|server| names.contains(&server.name));
        self.add(added.clone());
        (added, removed)
    }

    pub(super) fn pending(&self) -> Vec<String> {
        let servers = self.servers.borrow();
        let pending = servers.iter().filter(|server| server.status == Status::Pending);
        pending.map(|server| server.name.clone()).collect()
    }

    /// The first part of the handshake, before the host gets its `initialize` reply.
    pub(super) async fn greet(&self, asks: &Asks, name: &str) {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {
                "name": "claude-code",
                "title": "Claude Code",
                "description": "A simulated coding agent",
                "websiteUrl": "https://example.invalid/",
                "version": VERSION,
            },
        });
        let result = self.call(asks, name, "initialize", Some(params)).await;
        self.change(name, |server| match result {
            Ok(result) => {
                server.info = result["serverInfo"].clone();
                server.status = Status::Connected;
            }
            Err(_) => server.status = Status::Failed,
        });
    }

    /// The rest of the handshake.
    pub(super) async fn list_tools(&self, asks: &Asks, name: &str) {
        if self.status(name) != Some(Status::Connected) {
            return;
        }
        let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let _ = asks.ask(request(name, &notification)).answer().await;
        if let Ok(result) = self.call(asks, name, "tools/list", None).await {
            let tools = result["tools"].as_array().cloned().unwrap_or_default();
            self.change(name, |server| server.tools = tools);
        }
    }

    /// Calls `mcp__server__tool`.
    pub(super) async fn call_tool(
        &self,
        asks: &Asks,
        tool: &Tool,
        input: &Value,
        id: &str,
    ) -> Called {
        let params = json!({
            "name": tool.name,
            "arguments": input,
            "_meta": {"claudecode/toolUseId": id, "progressToken": self.next_id.get()},
        });
        match self.call(asks, &tool.server, "tools/call", Some(params)).await {
            Ok(result) if result["isError"] == true => {
                Called::Failed(super::thread::text_of(&result["content"]))
            }
            Ok(result) => Called::Content(result["content"].clone()),
            Err(fault) => Called::Failed(fault),
        }
    }

    async fn call(
        &self,
        asks: &Asks,
        server: &str,
        method: &str,
        params: Option<Value>,
    ) -> Result<Value, String> {
        let id = self.next_id.get();
        self.next_id.set(id + 1);
        let mut message = json!({"jsonrpc": "2.0", "id": id, "method": method});
        if let Some(params) = params {
            message["params"] = params;
        }
        match asks.ask(request(server, &message)).answer().await {
            Ok(answer) => {
                let reply = &answer["mcp_response"];
                match reply["error"]["message"].as_str() {
                    Some(error) => Err(error.to_owned()),
                    None => Ok(reply["result"].clone()),
                }
            }
            Err(Unanswered::Error(text)) => Err(text),
            Err(Unanswered::Closed | Unanswered::Withdrawn) => Err("the host is gone".to_owned()),
        }
    }

    fn status(&self, name: &str) -> Option<Status> {
        let servers = self.servers.borrow();
        servers.iter().find(|server| server.name == name).map(|server| server.status)
    }

    fn change(&self, name: &str, change: impl FnOnce(&mut Server)) {
        let mut servers = self.servers.borrow_mut();
        if let Some(server) = servers.iter_mut().find(|server| server.name == name) {
            change(server);
        }
    }

    /// Turns a server off or on again; `false` if there is none of this name.
    pub(super) fn toggle(&self, name: &str, enabled: bool) -> bool {
        let status = if enabled { Status::Connected } else { Status::Disabled };
        self.change(name, |server| server.status = status);
        self.status(name).is_some()
    }

    /// Makes a server shake hands again; `false` if there is none of this name.
    pub(super) fn reset(&self, name: &str) -> bool {
        self.change(name, |server| server.status = Status::Pending);
        self.status(name).is_some()
    }

    /// `mcp_servers` of `system/init`.
    pub(super) fn listed(&self) -> Value {
        let servers = self.servers.borrow();
        let listed = servers.iter().map(
            |server| json!({"name": server.name, "status": server.status.name(), "source": "sdk"}),
        );
        listed.collect()
    }

    /// The reply to `mcp_status`.
    pub(super) fn statuses(&self) -> Value {
        let servers = self.servers.borrow();
        let statuses: Vec<_> = servers
            .iter()
            .map(|server| {
                let mut status = json!({
                    "name": server.name,
                    "status": server.status.name(),
                    "transport": "sdk",
                    "scope": "dynamic",
                    "source": "sdk",
                });
                if server.status == Status::Connected {
                    let tools = server.tools.iter().map(|tool| {
                        json!({"name": tool["name"], "annotations": tool.get("annotations").cloned().unwrap_or(json!({}))})
                    });
                    status["tools"] = tools.collect();
                    status["serverInfo"] = server.info.clone();
                }
                status
            })
            .collect();
        json!({"mcpServers": statuses})
    }

    /// The names of all tools, as the model sees them.
    pub(super) fn tool_names(&self) -> Vec<String> {
        self.tools().into_iter().map(|tool| tool.full_name()).collect()
    }

    /// The tool that `name` stands for.
    pub(super) fn find(&self, name: &str) -> Option<Tool> {
        self.tools().into_iter().find(|tool| tool.full_name() == name)
    }

    fn tools(&self) -> Vec<Tool> {
        let servers = self.servers.borrow();
        let connected = servers.iter().filter(|server| server.status == Status::Connected);
        connected
            .flat_map(|server| {
                server.tools.iter().map(|tool| Tool {
                    server: server.name.clone(),
                    name: tool["name"].as_str().unwrap_or_default().to_owned(),
                    title: tool["title"].as_str().map(str::to_owned),
                })
            })
            .collect()
    }
}

/// A tool of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tool {
    pub(super) server: String,
    pub(super) name: String,
    title: Option<String>,
}

impl Tool {
    fn full_name(&self) -> String {
        format!("mcp__{}__{}", plain(&self.server), plain(&self.name))
    }

    /// For people: the title, or the name with spaces and a capital.
    pub(super) fn display_name(&self) -> String {
        if let Some(title) = &self.title {
            return title.clone();
        }
        let spaced = self.name.replace(['_', '-'], " ");
        let mut characters = spaced.chars();
        match characters.next() {
            Some(first) => first.to_uppercase().chain(characters).collect(),
            None => spaced,
        }
    }
}

/// Only what may stand in a tool's name.
fn plain(name: &str) -> String {
    let allowed = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
    name.chars().map(|character| if allowed(character) { character } else { '_' }).collect()
}

fn request(server: &str, message: &Value) -> Value {
    json!({"subtype": "mcp_message", "server_name": server, "message": message})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_for_models_and_people() {
        let tool = Tool { server: "my.calc".to_owned(), name: "add_up".to_owned(), title: None };
        assert_eq!(tool.full_name(), "mcp__my_calc__add_up");
        assert_eq!(tool.display_name(), "Add up");
    }

    #[test]
    fn a_new_set_replaces_the_old_one() {
        let servers = McpServers::default();
        servers.add(["a".to_owned(), "b".to_owned()]);
        let (added, removed) = servers.replace(vec!["b".to_owned(), "c".to_owned()]);
        assert_eq!((added, removed), (vec!["c".to_owned()], vec!["a".to_owned()]));
        assert_eq!(servers.pending(), ["b", "c"]);
        let config = json!({"x": {"type": "sdk", "name": "x"}, "y": {"command": "z"}});
        assert_eq!(McpServers::sdk_servers(&config), ["x"]);
    }
}
