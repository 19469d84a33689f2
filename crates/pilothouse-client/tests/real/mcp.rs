//! MCP servers: in this process, beside the CLI, and what can be asked about them.

use std::collections::BTreeMap;

use pilothouse_client::mcp::rmcp::model::{CustomRequest, ServerRequest};
use pilothouse_client::mcp::{McpServer, Tool, ToolCall, ToolError, ToolReply, schemars};
use pilothouse_client::wire::Raw;
use pilothouse_client::wire::control::cli::ElicitationResult;
use pilothouse_client::wire::control::mcp::McpState;
use serde_json::json;

use crate::bed::{Bed, Told};
use crate::session::Session;

on_every_version!(in_process_tool, elicitation, switched_off_and_on, added_later);

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[schemars(crate = "pilothouse_client::mcp::schemars")]
struct Numbers {
    a: i64,
    b: i64,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[schemars(crate = "pilothouse_client::mcp::schemars")]
struct Nothing {}

fn calc() -> McpServer {
    let add = |numbers: Numbers| async move {
        Ok(ToolReply::text(format!("The sum is {}.", numbers.a + numbers.b)))
    };
    let fail = |_: Nothing| async move { Err(ToolError::new("This one always fails.")) };
    McpServer::builder("calc")
        .tool("add", "Adds two numbers", add)
        .tool("fail", "Fails", fail)
        .build()
        .unwrap()
}

async fn in_process_tool(bed: &Bed) {
    let asked = Told::new();
    let asks = asked.clone();
    let options = bed.options(bed.invocation()).mcp_server(calc()).on_permission(move |ask| {
        asks.add(ask.tool_name.clone());
        async move { ask.allow() }
    });
    let mut session = bed.start(options).await;
    let script = r#"
tool mcp__calc__add {"a":20,"b":22}
tool mcp__calc__add {"a":1,"b":2}
---
tool mcp__calc__fail {}
---
tool mcp__calc__add {"a":"one","b":2}
---
say Done."#;
    session.say(script).await;
    session.answer("Done.").await;
    assert_eq!(asked.take().len(), 4);
    let outcomes = bed.model.requests().pop().unwrap().tool_results();
    let texts: Vec<_> = outcomes.iter().map(|outcome| outcome.text.as_str()).collect();
    assert_eq!(texts[..2], ["The sum is 42.", "The sum is 3."]);
    assert!(texts[2].contains("This one always fails."), "{texts:?}");
    assert!(outcomes[2].is_error && outcomes[3].is_error, "{outcomes:?}");
    assert!(session.end().await.success());
}

async fn elicitation(bed: &Bed) {
    let ask = Tool::with_call("ask", "Asks the user", |_: Nothing, call: ToolCall| async move {
        let params = json!({
            "message": "What is your name?",
            "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
        });
        let request = CustomRequest::new("elicitation/create", Some(params));
        let answer = call.peer().send_request(ServerRequest::CustomRequest(request)).await?;
        Ok(ToolReply::text(serde_json::to_string(&answer)?))
    });
    let asked = Told::new();
    let asks = asked.clone();
    let options = bed
        .options(bed.invocation().allowed_tools(["mcp__people__ask"]))
        .mcp_server(McpServer::builder("people").with_tool(ask).build().unwrap())
        .on_elicitation(move |ask| {
            asks.add((ask.mcp_server_name.clone(), ask.message.clone()));
            async { ElicitationResult::accept(Some(Raw::from(json!({"name": "Ada"})))) }
        });
    let mut session = bed.start(options).await;
    session.say("tool mcp__people__ask {}\n---\nsay Done.").await;
    session.answer("Done.").await;
    let outcomes = bed.model.requests().pop().unwrap().tool_results();
    panic!("{outcomes:?} {:?}", asked.take());
}

async fn switched_off_and_on(bed: &Bed) {
    let options = bed.options(bed.invocation()).mcp_server(calc());
    let mut session = bed.start(options).await;
    assert_eq!(state(&session, "calc").await, Some(McpState::Connected));
    session.say("say One.").await;
    session.answer("One.").await;
    let t1 = bed.model.requests().pop().unwrap().tools().contains(&"mcp__calc__add");

    let off = session.client.mcp_toggle("calc", false).await;
    let s_off = state(&session, "calc").await;
    session.say("say Two.").await;
    session.answer("Two.").await;
    let t2 = bed.model.requests().pop().unwrap().tools().contains(&"mcp__calc__add");
    let on = session.client.mcp_toggle("calc", true).await;
    let s_on = state(&session, "calc").await;
    let re = session.client.mcp_reconnect("calc").await;
    let s_re = state(&session, "calc").await;
    let no = session.client.mcp_reconnect("nobody").await;
    panic!("{t1} off {off:?} {s_off:?} {t2} on {on:?} {s_on:?} re {re:?} {s_re:?} no {no:?}");
}

async fn state(session: &Session<'_>, server: &str) -> Option<McpState> {
    let servers = session.client.mcp_status().await.unwrap();
    servers.into_iter().find(|status| status.name == server).map(|status| status.status)
}

/// An MCP server on its pipes, as small as can be: one tool that takes nothing and says hello.
const SERVER: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"greeter","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"hello","description":"Says hello","inputSchema":{"type":"object","properties":{}}}]}' ;;
    *'"tools/call"'*) result='{"content":[{"type":"text","text":"Hello from outside."}]}' ;;
    *) result='{}' ;;
  esac
  [ -n "$id" ] && printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

async fn added_later(bed: &Bed) {
    bed.write("server.sh", SERVER);
    let invocation = bed.invocation().allowed_tools(["mcp__greeter__hello"]);
    let mut session = bed.start(bed.options(invocation)).await;
    let config =
        Raw::from(json!({"type": "stdio", "command": "sh", "args": [bed.path("server.sh")]}));
    let wrong = Raw::from(json!({"type": "stdio", "command": bed.path("nowhere")}));
    let servers = BTreeMap::from([("greeter".to_owned(), config), ("broken".to_owned(), wrong)]);
    let reply = session.client.mcp_set_servers(servers).await;
    let st = session.client.mcp_status().await;
    session.say("tool mcp__greeter__hello {}\n---\nsay Done.").await;
    session.answer("Done.").await;
    let outcomes = bed.model.requests().pop().unwrap().tool_results();
    let reply2 = session.client.mcp_set_servers(BTreeMap::new()).await;
    panic!("{reply:?}\n{st:?}\n{outcomes:?}\n{reply2:?}");
}
