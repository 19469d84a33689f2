//! Typed tools: what is listed, what they answer, what is refused.

use super::*;

async fn list(bench: &Bench) -> Value {
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    bench.deliver(list).await["result"]["tools"].take()
}

#[tokio::test]
async fn listing_tells_all() {
    let wipe = Tool::new("wipe", "Wipes", |_: NoInput| async { Ok(ToolReply::text("")) })
        .title("Wipe")
        .destructive()
        .idempotent()
        .meta("anthropic/alwaysLoad", true)
        .meta("anthropic/searchHint", "clean");
    let look = Tool::new("look", "Looks", |_: NoInput| async { Ok(ToolReply::text("")) });
    let bench = Bench::new([calc().with_tool(wipe).with_tool(look.read_only()).build().unwrap()]);
    let tools = list(&bench).await;
    let names: Vec<_> = tools.as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["add", "wipe", "look"]);

    let add = &tools[0];
    assert_eq!(add["description"], "Adds two numbers");
    assert_eq!(add["inputSchema"]["type"], "object");
    assert_eq!(add["inputSchema"]["required"], json!(["a"]));
    assert_eq!(add["inputSchema"]["properties"]["a"]["type"], "integer");
    assert_eq!(add["inputSchema"]["properties"]["b"]["description"], "The second number.");
    assert!(add.get("annotations").is_none() && add.get("_meta").is_none(), "{add}");

    assert_eq!(tools[1]["title"], "Wipe");
    assert_eq!(tools[1]["annotations"], json!({"destructiveHint": true, "idempotentHint": true}));
    assert_eq!(
        tools[1]["_meta"],
        json!({"anthropic/alwaysLoad": true, "anthropic/searchHint": "clean"})
    );
    assert_eq!(tools[2]["annotations"], json!({"readOnlyHint": true}));
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_told_to_the_model() {
    let bench = Bench::new([calc().build().unwrap()]);
    for (arguments, reason) in
        [(json!({}), "missing field `a`"), (json!({"a": "one"}), "invalid type: string \"one\"")]
    {
        let reply = bench.call("add", arguments).await;
        assert_eq!(reply["result"]["isError"], true, "{reply}");
        assert!(text(&reply).starts_with("the arguments of `add` do not fit its schema:"));
        assert!(text(&reply).contains(reason), "{reply}");
    }
    let none =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add"}});
    assert_eq!(bench.deliver(none).await["result"]["isError"], true);
}

#[tokio::test]
async fn unknown_tool() {
    let bench = Bench::new([calc().build().unwrap()]);
    let reply = bench.call("sub", json!({})).await;
    assert_eq!(reply["error"]["code"], -32602);
    assert_eq!(reply["error"]["message"], "no tool `sub`; there are: add");
}

#[tokio::test]
async fn replies_of_every_kind() {
    #[derive(serde::Serialize)]
    struct Point {
        x: u8,
    }
    let server = calc()
        .tool("image", "", |_: NoInput| async {
            Ok(ToolReply::image("AAAA", "image/png").and_text("a dot").meta("k", 1))
        })
        .tool("point", "", |_: NoInput| async { ToolReply::structured(Point { x: 1 }) })
        .tool("list", "", |_: NoInput| async { ToolReply::structured([1, 2]) })
        .tool("refuse", "", |_: NoInput| async { Ok(ToolReply::error("not today")) })
        .tool("fail", "", |_: NoInput| async {
            let missing = std::fs::read("/nowhere/at/all")?;
            Ok(ToolReply::text(format!("{missing:?}")))
        });
    let bench = Bench::new([server.build().unwrap()]);

    let image = bench.call("image", json!({})).await["result"].take();
    assert_eq!(
        image["content"],
        json!([
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "text", "text": "a dot"}
        ])
    );
    assert_eq!((&image["_meta"], &image["isError"]), (&json!({"k": 1}), &json!(false)));

    let point = bench.call("point", json!({})).await;
    assert_eq!(point["result"]["structuredContent"], json!({"x": 1}));
    assert_eq!(text(&point), r#"{"x":1}"#);
    let list = bench.call("list", json!({})).await;
    assert_eq!(list["result"]["structuredContent"], json!({"result": [1, 2]}));

    let refusal = bench.call("refuse", json!({})).await;
    assert_eq!((text(&refusal), &refusal["result"]["isError"]), ("not today", &json!(true)));
    let failure = bench.call("fail", json!({})).await;
    assert_eq!(failure["result"]["isError"], true);
    assert!(text(&failure).contains("No such file"), "{failure}");
}

#[test]
fn errors_tell_their_causes_once() {
    #[derive(Debug, thiserror::Error)]
    enum Layered {
        #[error("cannot add")]
        Silent(#[source] std::num::ParseIntError),
        #[error("cannot add: {0}")]
        Spoken(#[source] std::num::ParseIntError),
    }
    let parse = || "x".parse::<u8>().unwrap_err();
    for error in [Layered::Silent(parse()), Layered::Spoken(parse())] {
        let told = ToolError::from(error).to_string();
        assert_eq!(told, "cannot add: invalid digit found in string");
    }
}

#[test]
fn what_cannot_be_built() {
    let nothing = |_: NoInput| async { Ok(ToolReply::text("")) };
    let twice = calc().tool("a.b", "", nothing).tool("a_b", "", nothing).build().unwrap_err();
    assert_eq!(twice, McpError::DuplicateTool { server: "calc".into(), tool: "a_b".into() });

    let number = calc().tool("n", "", |_: u8| async { Ok(ToolReply::text("")) }).build();
    let message = number.unwrap_err().to_string();
    assert!(message.contains("`n`") && message.contains("struct with named fields"), "{message}");

    let host = |names: &[&str]| {
        let servers = names.iter().map(|name| McpServer::builder(*name).build().unwrap());
        McpHost::new(servers.collect(), unbounded_channel().0).map(|_| ()).unwrap_err()
    };
    assert_eq!(host(&["a", ""]), McpError::UnnamedServer);
    assert_eq!(host(&["a b", "a-b", "a.b"]), McpError::DuplicateServer { name: "a.b".into() });
}

#[test]
fn configuration_of_servers() {
    let asks = Tool::new("ask", "", |_: NoInput| async { Ok(ToolReply::text("")) })
        .permission(PermissionPolicy::AlwaysAsk);
    let bench = Bench::new([
        calc().with_tool(asks).build().unwrap().permission("add", PermissionPolicy::AlwaysAllow),
        McpServer::builder("timed").build().unwrap().timeout(Duration::from_millis(1500)),
        McpServer::builder("hasty").build().unwrap().timeout(Duration::from_millis(3)),
        McpServer::builder("plain").build().unwrap(),
    ]);
    assert_eq!(bench.host.names(), ["calc", "hasty", "plain", "timed"]);
    let configs: std::collections::BTreeMap<_, _> = bench
        .host
        .configs()
        .into_iter()
        .map(|(name, config)| (name, serde_json::to_value(config).unwrap()))
        .collect();
    assert_eq!(
        json!(configs),
        json!({
            "calc": {"tools": [
                {"name": "add", "permission_policy": "always_allow"},
                {"name": "ask", "permission_policy": "always_ask"}
            ]},
            "hasty": {"timeout": 1000},
            "timed": {"timeout": 1500}
        })
    );
}
