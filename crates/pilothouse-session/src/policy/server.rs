//! Which MCP server a call goes to.
//!
//! The name of a tool, `mcp__server__tool`, does not say: a server that calls itself `git__evil` has
//! tools whose names begin as those of `git`. Newer CLIs name the server and where it is configured;
//! for older ones the list of configured servers decides, and where more than one of them can have
//! made the name, no rule allows the call.

use pilothouse_wire::permission::McpServerRef;
use pilothouse_wire::tool::mcp_parts;

use super::Call;
use super::command::Fit;
use super::glob::{Case, star};
use super::tools::{self, Tool};

/// Where the user, or whoever manages the machine, has configured a server. A rule that allows and
/// names no `source` fits these only: a server of a project or a plugin was named by somebody else,
/// and may be called like one that the user trusts.
const TRUSTED: &[&str] = &["user", "local", "dynamic", "enterprise", "managed"];

/// The server that a call goes to.
pub(crate) enum Origin {
    /// None: it is no call of an MCP server.
    None,
    /// This one.
    Server { name: String, source: Option<String> },
    /// One of these, and perhaps another one. `named` is what the tool's name says.
    Unclear { candidates: Vec<String>, named: Option<String> },
    /// What the tool's name says; nobody knows which servers there are.
    Named(String),
}

impl Origin {
    pub(crate) fn of(call: &Call<'_>) -> Self {
        let named = mcp_parts(call.tool).map(|(server, _)| server.to_owned());
        let is_resource = tools::named(call.tool).is_some_and(Tool::is_of_server);
        if named.is_none() && !is_resource {
            return Self::None;
        }
        if let Some(McpServerRef { name: Some(name), source, .. }) = call.server {
            return Self::Server { name: name.clone(), source: source.clone() };
        }
        let configured = || call.servers.unwrap_or_default().iter();
        if is_resource {
            let server = call.input.member("server").and_then(|server| server.read::<String>());
            return match server {
                Some(name) => {
                    let known = configured().find(|it| it.name.as_ref() == Some(&name));
                    Self::Server { source: known.and_then(|it| it.source.clone()), name }
                }
                None => {
                    let candidates = configured().filter_map(|it| it.name.clone()).collect();
                    Self::Unclear { candidates, named }
                }
            };
        }
        let Some(named) = named else { return Self::None };
        if call.servers.is_none() {
            return Self::Named(named);
        }
        let could = |it: &&McpServerRef| {
            it.name.as_deref().is_some_and(|name| tool_of(name, call.tool).is_some())
        };
        let could: Vec<&McpServerRef> = configured().filter(could).collect();
        match could[..] {
            [McpServerRef { name: Some(name), source, .. }] => {
                Self::Server { name: name.clone(), source: source.clone() }
            }
            _ => {
                let candidates = could.iter().filter_map(|it| it.name.clone()).collect();
                Self::Unclear { candidates, named: Some(named) }
            }
        }
    }

    /// Whether one of the names in a rule is this server's.
    pub(crate) fn fits_names(&self, names: &[String], is_strict: bool) -> Fit {
        let any = |test: &dyn Fn(&str) -> bool| names.iter().any(|name| test(name));
        let like = |server: &str| {
            any(&|name| {
                star(name, server, Case::Matters)
                    || star(&spoken(name), &spoken(server), Case::Matters)
            })
        };
        match self {
            Self::None => Fit::No,
            Self::Server { name: server, .. } if is_strict => {
                Fit::yes(any(&|name| star(name, server, Case::Matters)))
            }
            Self::Server { name, .. } => Fit::yes(like(name)),
            Self::Unclear { .. } if is_strict => Fit::No,
            Self::Unclear { candidates, named } => {
                let all = candidates.iter().chain(named);
                Fit::maybe(all.into_iter().any(|server| like(server)))
            }
            Self::Named(server) => Fit::yes(like(server)),
        }
    }

    /// Whether the server is configured where a rule says.
    pub(crate) fn fits_sources(&self, sources: &[String], is_strict: bool) -> Fit {
        let source = match self {
            Self::Server { source, .. } => source.as_deref(),
            Self::None | Self::Unclear { .. } | Self::Named(_) => None,
        };
        match source {
            Some(source) if sources.is_empty() => Fit::yes(!is_strict || TRUSTED.contains(&source)),
            Some(source) => Fit::yes(sources.iter().any(|it| it == source)),
            None if sources.is_empty() => Fit::Yes,
            None => Fit::maybe(!is_strict),
        }
    }

    /// Whether a rule that allows means this tool by `pattern`, which begins with `mcp__`.
    pub(crate) fn allows_tool(&self, pattern: &str, tool: &str) -> bool {
        let whole = star(pattern, tool, Case::Matters);
        match (self, mcp_parts(pattern)) {
            (Self::Unclear { .. }, _) => false,
            (Self::Server { name, .. }, Some((server, of_server))) if pattern.contains('*') => {
                let is_tool = |tool: &str| star(of_server, tool, Case::Matters);
                star(server, &spoken(name), Case::Matters)
                    && tool_of(name, tool).is_some_and(is_tool)
            }
            _ => whole,
        }
    }
}

/// A server's name as it stands in the names of its tools.
fn spoken(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*');
    name.replace(|c: char| !plain(c), "_")
}

/// What `tool` is called at the server `name`, if it can be one of its tools.
fn tool_of<'t>(name: &str, tool: &'t str) -> Option<&'t str> {
    tool.strip_prefix("mcp__")?.strip_prefix(&*spoken(name))?.strip_prefix("__")
}
