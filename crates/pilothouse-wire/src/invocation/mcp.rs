//! MCP servers that a run brings along.
//!
//! The CLI drops a server whose configuration it cannot read, or ends without a word (2.1.62 and
//! before), so configurations are checked here. The shapes serve `--mcp-config` and the
//! `mcp_set_servers` request alike.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::error::InvocationError;
use super::masked::Masked;
use super::values::ToolPolicy;

/// The least time limit the CLI takes.
const LEAST_TIMEOUT: Duration = Duration::from_secs(1);

/// An MCP server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum McpServer {
    /// A process that the CLI starts and talks to over its pipes.
    Stdio(McpStdio),
    /// A server reached over server-sent events.
    Sse(McpRemote),
    /// A server reached over streamable HTTP.
    Http(McpRemote),
    /// A server inside the host; the CLI reaches it with `mcp_message` requests.
    Sdk(McpSdk),
    /// A kind this crate does not know, passed on unchecked.
    Other(Masked<Value>),
}

/// A server that is a process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct McpStdio {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// What is added to its environment.
    pub env: Masked<String>,
    /// How long a call of one of its tools may take; one second at least.
    pub timeout: Option<Duration>,
    /// Its tools are put before the model from the start, not found by search.
    pub always_load: bool,
    /// Fields this crate does not know.
    pub extra: Masked<Value>,
}

/// A server at an address.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct McpRemote {
    /// The address.
    pub url: String,
    /// Headers of each request.
    pub headers: Masked<String>,
    /// What happens when certain of its tools are called.
    pub tools: Vec<McpToolPolicy>,
    /// How long a call of one of its tools may take; one second at least.
    pub timeout: Option<Duration>,
    /// Its tools are put before the model from the start, not found by search.
    pub always_load: bool,
    /// Fields this crate does not know.
    pub extra: Masked<Value>,
}

/// A server inside the host. Its name is the one it is registered under.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct McpSdk {
    /// What happens when certain of its tools are called.
    pub tools: Vec<McpToolPolicy>,
    /// How long a call of one of its tools may take; one second at least.
    pub timeout: Option<Duration>,
    /// Fields this crate does not know.
    pub extra: Masked<Value>,
}

/// What happens when one tool of a server is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpToolPolicy {
    /// The tool, as the server names it.
    pub name: String,
    /// What happens.
    pub policy: ToolPolicy,
}

impl McpServer {
    /// A process.
    pub fn stdio<A: Into<String>>(
        command: impl Into<String>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        let args = args.into_iter().map(Into::into).collect();
        Self::Stdio(McpStdio { command: command.into(), args, ..McpStdio::default() })
    }

    /// A server reached over streamable HTTP.
    pub fn http(url: impl Into<String>) -> Self {
        Self::Http(McpRemote { url: url.into(), ..McpRemote::default() })
    }

    /// A server reached over server-sent events.
    pub fn sse(url: impl Into<String>) -> Self {
        Self::Sse(McpRemote { url: url.into(), ..McpRemote::default() })
    }

    /// A server inside the host.
    pub fn sdk() -> Self {
        Self::Sdk(McpSdk::default())
    }

    /// Reads a server as it stands in an `.mcp.json`. A `type` this crate does not know becomes
    /// [`McpServer::Other`].
    pub fn from_json(server: &str, config: &Value) -> Result<Self, InvocationError> {
        let mut fields = Fields::new(server, config)?;
        let kind = fields.text("type")?;
        match kind.as_deref() {
            None | Some("stdio") => Ok(Self::Stdio(McpStdio {
                command: fields.needed("command")?,
                args: fields.read("args")?.unwrap_or_default(),
                env: fields.read("env")?.unwrap_or_default(),
                timeout: fields.timeout()?,
                always_load: fields.read("alwaysLoad")?.unwrap_or_default(),
                extra: fields.rest(),
            })),
            Some(kind @ ("http" | "sse")) => {
                let remote = McpRemote {
                    url: fields.needed("url")?,
                    headers: fields.read("headers")?.unwrap_or_default(),
                    tools: fields.policies(),
                    timeout: fields.timeout()?,
                    always_load: fields.read("alwaysLoad")?.unwrap_or_default(),
                    extra: fields.rest(),
                };
                Ok(if kind == "http" { Self::Http(remote) } else { Self::Sse(remote) })
            }
            Some("sdk") => {
                fields.text("name")?;
                Ok(Self::Sdk(McpSdk {
                    tools: fields.policies(),
                    timeout: fields.timeout()?,
                    extra: fields.rest(),
                }))
            }
            Some(other) => {
                let mut all = fields.rest();
                all.insert("type", other);
                Ok(Self::Other(all))
            }
        }
    }

    /// The configuration of the server registered as `server`, checked.
    pub fn to_json(&self, server: &str) -> Result<Value, InvocationError> {
        let mut config = Map::new();
        match self {
            Self::Stdio(stdio) => {
                let strings = std::iter::once(&stdio.command).chain(&stdio.args);
                let env = stdio.env.iter().flat_map(|(name, value)| [name, value.as_str()]);
                if strings.map(String::as_str).chain(env).any(|text| text.contains('\0')) {
                    return Err(InvocationError::Nul {
                        what: format!("the MCP server {server:?}"),
                    });
                }
                config.extend(stdio.extra.iter().map(owned));
                config.insert("type".into(), "stdio".into());
                config.insert("command".into(), needed(server, "command", &stdio.command)?);
                config.insert("args".into(), stdio.args.clone().into());
                if !stdio.env.is_empty() {
                    config.insert("env".into(), texts(&stdio.env));
                }
                finish(&mut config, server, stdio.timeout, &[])?;
                if stdio.always_load {
                    config.insert("alwaysLoad".into(), true.into());
                }
            }
            Self::Http(remote) | Self::Sse(remote) => {
                let kind = if matches!(self, Self::Http(_)) { "http" } else { "sse" };
                config.extend(remote.extra.iter().map(owned));
                config.insert("type".into(), kind.into());
                config.insert("url".into(), needed(server, "url", &remote.url)?);
                if !remote.headers.is_empty() {
                    config.insert("headers".into(), texts(&remote.headers));
                }
                finish(&mut config, server, remote.timeout, &remote.tools)?;
                if remote.always_load {
                    config.insert("alwaysLoad".into(), true.into());
                }
            }
            Self::Sdk(sdk) => {
                config.extend(sdk.extra.iter().map(owned));
                config.insert("type".into(), "sdk".into());
                config.insert("name".into(), server.into());
                finish(&mut config, server, sdk.timeout, &sdk.tools)?;
            }
            Self::Other(all) => config.extend(all.iter().map(owned)),
        }
        Ok(Value::Object(config))
    }
}

fn owned((name, value): (&str, &Value)) -> (String, Value) {
    (name.to_owned(), value.clone())
}

fn texts(map: &Masked<String>) -> Value {
    map.iter().map(|(name, value)| (name.to_owned(), Value::from(value.as_str()))).collect()
}

fn needed(server: &str, field: &'static str, value: &str) -> Result<Value, InvocationError> {
    if value.trim().is_empty() {
        return Err(InvocationError::McpIncomplete { server: server.to_owned(), field });
    }
    Ok(value.into())
}

fn finish(
    config: &mut Map<String, Value>,
    server: &str,
    timeout: Option<Duration>,
    tools: &[McpToolPolicy],
) -> Result<(), InvocationError> {
    if let Some(timeout) = timeout {
        if timeout < LEAST_TIMEOUT {
            return Err(InvocationError::McpTimeout { server: server.to_owned() });
        }
        let ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        config.insert("timeout".into(), ms.into());
    }
    if !tools.is_empty() {
        let tools = tools
            .iter()
            .map(|tool| json!({"name": tool.name, "permission_policy": tool.policy.as_str()}))
            .collect();
        config.insert("tools".into(), tools);
    }
    Ok(())
}

/// The fields of a configuration, taken out one by one; what is left is `extra`.
struct Fields<'a> {
    server: &'a str,
    left: Map<String, Value>,
}

impl<'a> Fields<'a> {
    fn new(server: &'a str, config: &Value) -> Result<Self, InvocationError> {
        match config {
            Value::Object(fields) => Ok(Self { server, left: fields.clone() }),
            _ => Err(InvocationError::NotAnObject { what: format!("the MCP server {server:?}") }),
        }
    }

    fn read<T: serde::de::DeserializeOwned>(
        &mut self,
        field: &str,
    ) -> Result<Option<T>, InvocationError> {
        match self.left.remove(field) {
            None | Some(Value::Null) => Ok(None),
            // Serde's own message would quote the value.
            Some(value) => serde_json::from_value(value).map(Some).map_err(|_| {
                self.malformed(format!("{field:?} is not of the kind that belongs there"))
            }),
        }
    }

    fn text(&mut self, field: &str) -> Result<Option<String>, InvocationError> {
        self.read(field)
    }

    fn needed(&mut self, field: &'static str) -> Result<String, InvocationError> {
        self.text(field)?
            .ok_or_else(|| InvocationError::McpIncomplete { server: self.server.to_owned(), field })
    }

    fn timeout(&mut self) -> Result<Option<Duration>, InvocationError> {
        Ok(self.read("timeout")?.map(Duration::from_millis))
    }

    /// Policies without a name or a word for what happens stay in `extra`, as they are.
    fn policies(&mut self) -> Vec<McpToolPolicy> {
        let known = |tool: &Value| {
            let fields = tool.as_object().filter(|fields| fields.len() == 2)?;
            Some(McpToolPolicy {
                name: fields.get("name")?.as_str()?.to_owned(),
                policy: fields.get("permission_policy")?.as_str()?.into(),
            })
        };
        let tools = self.left.get("tools").and_then(Value::as_array);
        match tools.and_then(|tools| tools.iter().map(known).collect::<Option<Vec<_>>>()) {
            Some(policies) => {
                self.left.remove("tools");
                policies
            }
            None => Vec::new(),
        }
    }

    fn rest(&mut self) -> Masked<Value> {
        std::mem::take(&mut self.left).into_iter().collect()
    }

    fn malformed(&self, problem: String) -> InvocationError {
        InvocationError::McpMalformed { server: self.server.to_owned(), problem }
    }
}
