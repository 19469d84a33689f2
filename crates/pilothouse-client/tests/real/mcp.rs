//! MCP servers: in this process, beside the CLI, and what can be asked about them.

use std::collections::BTreeMap;

use pilothouse_client::RequestError;
use pilothouse_client::mcp::rmcp::model::{CustomRequest, ServerRequest};
use pilothouse_client::mcp::{McpServer, Tool, ToolCall, ToolError, ToolReply, schemars};
use pilothouse_client::wire::Raw;
use pilothouse_client::wire::control::cli::ElicitationResult;
use pilothouse_client::wire::control::mcp::McpState;
use pilothouse_client::wire::invocation::{self, Invocation, McpStdio};
use serde_json::json;

use crate::bed::{Bed, Told};
use crate::expected::Support;
use crate::session::Session;

on_every_version!(in_process, in_process_later, beside_the_cli, added_later, elicitation);

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
    // The other way round: the server asks the client, and asks again.
    let ping = |_: Nothing, call: ToolCall| async move {
        for _ in 0..2 {
            let ping = CustomRequest::new("ping", None);
            call.peer().send_request(ServerRequest::CustomRequest(ping)).await?;
        }
        Ok(ToolReply::text("Answered twice."))
    };
    McpServer::builder("calc")
        .tool("add", "Adds two numbers", add)
        .tool("fail", "Fails", fail)
        .with_tool(Tool::with_call("ping", "Asks the client", ping))
        .build()
        .unwrap()
}

async fn in_process(bed: &Bed) {
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
tool mcp__calc__ping {}
---
say Done."#;
    session.say(script).await;
    session.answer("Done.").await;
    assert_eq!(asked.take().len(), 5);
    let outcomes = bed.last_asked().tool_results();
    let texts: Vec<_> = outcomes.iter().map(|outcome| outcome.text.as_str()).collect();
    assert_eq!(texts[..2], ["The sum is 42.", "The sum is 3."]);
    assert!(texts[2].contains("This one always fails."), "{texts:?}");
    assert!(outcomes[2].is_error && outcomes[3].is_error, "{outcomes:?}");
    assert_eq!(texts[4], "Answered twice.");
    assert_eq!(state(&session, "calc").await, Some(McpState::Connected));
    assert!(session.end().await.success());
}

/// A server on its pipes, as small as can be: one tool that takes nothing and says hello. If the
/// tool is called `ask` it asks the user for a name first.
const SERVER: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*)
      result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"greeter","version":"1"}}' ;;
    *'"tools/list"'*)
      result='{"tools":[{"name":"hello","inputSchema":{"type":"object"}},{"name":"ask","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*'"ask"'*)
      printf '%s\n' '{"jsonrpc":"2.0","id":"question","method":"elicitation/create","params":{"message":"What is your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}'
      read -r answer
      case "$answer" in
        *'"name":"Ada"'*) said='Hello, Ada.' ;;
        *) said='Nobody answers.' ;;
      esac
      result='{"content":[{"type":"text","text":"'$said'"}]}' ;;
    *'"tools/call"'*)
      result='{"content":[{"type":"text","text":"Hello from outside."}]}' ;;
    *) result='{}' ;;
  esac
  [ -n "$id" ] && printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// An invocation with the server, its tools allowed.
fn with_server(bed: &Bed) -> Invocation {
    bed.write("server.sh", SERVER);
    let server = McpStdio {
        command: "sh".to_owned(),
        args: vec![bed.path("server.sh")],
        ..McpStdio::default()
    };
    bed.invocation()
        .allowed_tools(["mcp__greeter"])
        .mcp_server("greeter", invocation::McpServer::Stdio(server))
}

async fn beside_the_cli(bed: &Bed) {
    let mut session = bed.start(bed.options(with_server(bed))).await;
    let client = session.client.clone();
    connected(&session, "greeter").await;
    assert_eq!(call_hello(bed, &mut session).await, "Hello from outside.");

    let support = bed.expected.mcp_switches;
    session.request(support, client.mcp_toggle("greeter", false)).await;
    if support == Support::Answered {
        assert_eq!(state(&session, "greeter").await, Some(McpState::Disabled));
    }
    let gone = call_hello(bed, &mut session).await.contains("No such tool");
    assert_eq!(gone, bed.expected.switched_off_server_is_gone);

    session.request(support, client.mcp_toggle("greeter", true)).await;
    session.request(support, client.mcp_reconnect("greeter")).await;
    assert_eq!(state(&session, "greeter").await, Some(McpState::Connected));
    assert_eq!(call_hello(bed, &mut session).await, "Hello from outside.");

    if support == Support::Answered {
        let error = client.mcp_reconnect("nobody").await.unwrap_err();
        let RequestError::Refused { message, .. } = &error else { panic!("{error:?}") };
        assert!(message.contains("nobody"), "{message}");
    }
    assert!(session.end().await.success());
}

/// A server of this process joins the conversation and leaves it; those that were there stay.
async fn in_process_later(bed: &Bed) {
    let allowed = bed.invocation().allowed_tools(["mcp__calc", "mcp__late"]);
    let mut session = bed.start(bed.options(allowed).mcp_server(calc())).await;
    let client = session.client.clone();
    let late = |_: Nothing| async move { Ok(ToolReply::text("Better than never.")) };
    let late = McpServer::builder("late").tool("come", "Comes late", late).build().unwrap();
    client.add_mcp_server(late.clone()).await.unwrap();
    let again = client.add_mcp_server(late).await.unwrap_err();
    assert!(matches!(again, RequestError::Mcp(_)), "{again:?}");

    let script = "tool mcp__calc__add {\"a\":1,\"b\":2}\ntool mcp__late__come {}\n---\nsay Done.";
    session.say(script).await;
    session.answer("Done.").await;
    let said: Vec<_> = bed.last_asked().tool_results().into_iter().map(|r| r.text).collect();
    assert_eq!(said, ["The sum is 3.", "Better than never."]);

    client.remove_mcp_server("late").await.unwrap();
    client.mcp_set_servers(BTreeMap::new()).await.unwrap();
    session.say(script).await;
    session.answer("Done.").await;
    let said: Vec<_> = bed.last_asked().tool_results().into_iter().map(|r| r.text).collect();
    assert_eq!(said[2], "The sum is 3.", "{said:?}");
    assert!(said[3].contains("No such tool"), "{said:?}");
    assert!(session.end().await.success());
}

async fn added_later(bed: &Bed) {
    bed.write("server.sh", SERVER);
    let mut session =
        bed.start(bed.options(bed.invocation().allowed_tools(["mcp__greeter"]))).await;
    let client = session.client.clone();
    let args = json!([bed.path("server.sh")]);
    let greeter = Raw::from(json!({"type": "stdio", "command": "sh", "args": args}));
    let broken = Raw::from(json!({"type": "stdio", "command": bed.path("nowhere"), "args": []}));
    let servers = BTreeMap::from([("greeter".to_owned(), greeter), ("broken".to_owned(), broken)]);
    let reply = client.mcp_set_servers(servers).await.unwrap();
    assert_eq!(reply.added, ["broken", "greeter"]);
    let errors = reply.errors.unwrap();
    assert_eq!(errors.keys().collect::<Vec<_>>(), ["broken"]);
    assert_eq!(state(&session, "greeter").await, Some(McpState::Connected));
    assert_eq!(state(&session, "broken").await, Some(McpState::Failed));
    assert_eq!(call_hello(bed, &mut session).await, "Hello from outside.");

    let reply = client.mcp_set_servers(BTreeMap::new()).await.unwrap();
    assert_eq!(reply.removed, ["broken", "greeter"]);
    assert_eq!(state(&session, "greeter").await, None);
    assert!(session.end().await.success());
}

async fn elicitation(bed: &Bed) {
    let asked = Told::new();
    let asks = asked.clone();
    let options = bed.options(with_server(bed)).on_elicitation(move |ask| {
        asks.add((ask.mcp_server_name.clone(), ask.message.clone()));
        async { ElicitationResult::accept(Some(Raw::from(json!({"name": "Ada"})))) }
    });
    let mut session = bed.start(options).await;
    connected(&session, "greeter").await;
    session.say("tool mcp__greeter__ask {}\n---\nsay Done.").await;
    session.answer("Done.").await;
    let said = bed.last_asked().tool_results().remove(0).text;
    let asked = asked.take();
    if bed.expected.elicits {
        assert_eq!(said, "Hello, Ada.");
        let question = (Some("greeter".to_owned()), Some("What is your name?".to_owned()));
        assert_eq!(asked, [question]);
    } else {
        assert_eq!(said, "Nobody answers.");
        assert_eq!(asked, []);
    }
    assert!(session.end().await.success());
}

/// Calls the tool and gives what the model reads.
async fn call_hello(bed: &Bed, session: &mut Session<'_>) -> String {
    session.say("tool mcp__greeter__hello {}\n---\nsay Done.").await;
    session.answer("Done.").await;
    bed.last_asked().tool_results().pop().unwrap().text
}

async fn state(session: &Session<'_>, server: &str) -> Option<McpState> {
    let servers = session.client.mcp_status().await.unwrap();
    servers.into_iter().find(|status| status.name == server).map(|status| status.status)
}

/// Asks until the server is connected: newer CLIs do not wait for it when they start.
async fn connected(session: &Session<'_>, server: &str) {
    while state(session, server).await != Some(McpState::Connected) {}
}
