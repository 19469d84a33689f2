//! MCP servers as the CLI reads them.

use std::time::Duration;

use serde_json::{Value, json};

use crate::invocation::*;

#[test]
fn servers_as_json_and_back() {
    let second = Some(Duration::from_secs(1));
    let policy = McpToolPolicy { name: "drop".into(), policy: ToolPolicy::AlwaysAsk };
    for (server, expected) in [
        (McpServer::stdio("db", ["-x"]), json!({"type": "stdio", "command": "db", "args": ["-x"]})),
        (
            McpServer::Stdio(McpStdio {
                command: "db".into(),
                env: [("K", "v")].into(),
                timeout: second,
                always_load: true,
                extra: [("note", "kept")].into(),
                ..McpStdio::default()
            }),
            json!({
                "type": "stdio", "command": "db", "args": [], "env": {"K": "v"},
                "timeout": 1000, "alwaysLoad": true, "note": "kept",
            }),
        ),
        (
            McpServer::Http(McpRemote {
                url: "https://example.com/mcp".into(),
                headers: [("A", "b")].into(),
                tools: vec![policy.clone()],
                timeout: second,
                always_load: true,
                ..McpRemote::default()
            }),
            json!({
                "type": "http", "url": "https://example.com/mcp", "headers": {"A": "b"},
                "tools": [{"name": "drop", "permission_policy": "always_ask"}],
                "timeout": 1000, "alwaysLoad": true,
            }),
        ),
        (McpServer::sse("${URL}"), json!({"type": "sse", "url": "${URL}"})),
        (
            McpServer::Sdk(McpSdk { tools: vec![policy], timeout: second, ..McpSdk::default() }),
            json!({
                "type": "sdk", "name": "s", "timeout": 1000,
                "tools": [{"name": "drop", "permission_policy": "always_ask"}],
            }),
        ),
        (
            McpServer::Other([("type", json!("ws")), ("url", json!("ws://x"))].into()),
            json!({"type": "ws", "url": "ws://x"}),
        ),
    ] {
        assert_eq!(server.to_json("s").unwrap(), expected);
        assert_eq!(McpServer::from_json("s", &expected).unwrap(), server);
    }
}

#[test]
fn reading_keeps_what_it_does_not_know() {
    for (given, written) in [
        // The kind may be left out.
        (json!({"command": "db"}), json!({"type": "stdio", "command": "db", "args": []})),
        (
            json!({"type": "http", "url": "u", "headers": null, "tools": [{"name": "a", "more": 1}]}),
            json!({"type": "http", "url": "u", "tools": [{"name": "a", "more": 1}]}),
        ),
        (
            json!({"type": "sse", "url": "u", "oauth": {"a": 1}}),
            json!({"type": "sse", "url": "u", "oauth": {"a": 1}}),
        ),
    ] {
        let server = McpServer::from_json("s", &given).unwrap();
        assert_eq!(server.to_json("s").unwrap(), written);
    }
}

#[test]
fn servers_that_would_be_dropped() {
    use InvocationError::{McpIncomplete, McpTimeout, Nul};
    let server = || "s".to_owned();
    let short = McpStdio {
        command: "db".into(),
        timeout: Some(Duration::from_millis(999)),
        ..McpStdio::default()
    };
    for (config, expected) in [
        (McpServer::stdio(" ", [""; 0]), McpIncomplete { server: server(), field: "command" }),
        (McpServer::http(""), McpIncomplete { server: server(), field: "url" }),
        (McpServer::Stdio(short), McpTimeout { server: server() }),
        (McpServer::stdio("a", ["\0"]), Nul { what: "the MCP server \"s\"".into() }),
    ] {
        assert_eq!(Invocation::new().mcp_server("s", config).argv(), Err(expected));
    }

    let read = |config: Value| McpServer::from_json("s", &config).unwrap_err().to_string();
    assert!(read(json!([])).contains("must be a JSON object"));
    assert!(read(json!({"url": "https://x"})).contains("no command"));
    assert!(read(json!({"type": "http"})).contains("no url"));
    let secret = read(json!({"command": "a", "env": {"KEY": ["hush"]}}));
    assert!(secret.contains("\"env\"") && !secret.contains("hush"), "{secret}");
}
