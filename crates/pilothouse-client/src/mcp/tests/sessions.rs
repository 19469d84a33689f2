//! Handshakes, ids, calls side by side.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU32, Ordering};

use rmcp::model::{ErrorData, InitializeRequestParams, InitializeResult, ProtocolVersion};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};

use super::*;

#[tokio::test]
async fn handshake_and_listing() {
    let bench = Bench::new([calc().instructions("Count well.").build().unwrap()]);
    let reply = bench.deliver(initialize(0)).await;
    assert_eq!(reply["jsonrpc"], "2.0");
    assert_eq!(reply["id"], 0);
    let result = &reply["result"];
    assert_eq!(result["protocolVersion"], "2025-11-25");
    assert_eq!(result["serverInfo"], json!({"name": "calc", "version": "1.2.3"}));
    assert_eq!(result["instructions"], "Count well.");
    assert!(result["capabilities"]["tools"].is_object(), "{reply}");

    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let answer = bench.host.deliver("calc", initialized.into()).await.unwrap();
    assert_eq!(answer.get(), r#"{"jsonrpc":"2.0","result":{},"id":0}"#);

    let list = bench.deliver(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).await;
    assert_eq!(list["id"], 1);
    assert_eq!(list["result"]["tools"][0]["name"], "add");
    assert_eq!(text(&bench.call("add", json!({"a": 1, "b": 2})).await), "3");
}

#[tokio::test]
async fn no_handshake_at_all() {
    let bench = Bench::new([calc().build().unwrap()]);
    assert_eq!(text(&bench.call("add", json!({"a": 1})).await), "1");
    let ping = bench.deliver(json!({"jsonrpc": "2.0", "id": "p", "method": "ping"})).await;
    assert_eq!(ping, json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
}

#[tokio::test]
async fn repeated_handshake_keeps_open_calls() {
    let (slow, mut events) = Slow::new();
    let bench = Bench::new([calc().with_tool(slow.tool()).build().unwrap()]);
    bench.shake_hands().await;
    let waiting = bench.start(call(1, "slow", json!({})));
    assert_eq!(soon(events.recv()).await, Some("started"));

    let second = bench.shake_hands().await;
    assert_eq!(second["result"]["serverInfo"]["name"], "calc");
    // The same id as that of the open call: another client counts on its own.
    let added = bench.deliver(call(1, "add", json!({"a": 4}))).await;
    assert_eq!((text(&added), &added["id"]), ("4", &json!(1)));

    slow.go.notify_one();
    assert_eq!(text(&waiting.await.unwrap()), "done");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_call_blocks_nobody() {
    let (slow, mut events) = Slow::new();
    let bench = Bench::new([calc().with_tool(slow.tool()).build().unwrap()]);
    bench.shake_hands().await;
    let waiting = bench.start(call("same", "slow", json!({})));
    assert_eq!(soon(events.recv()).await, Some("started"));
    let quick: Vec<_> =
        (0..50).map(|n| bench.start(call("same", "add", json!({"a": n})))).collect();
    for (n, quick) in quick.into_iter().enumerate() {
        let reply = quick.await.unwrap();
        assert_eq!((text(&reply), &reply["id"]), (&*n.to_string(), &json!("same")));
    }
    slow.go.notify_one();
    assert_eq!(text(&waiting.await.unwrap()), "done");
}

#[tokio::test]
async fn ids_come_back_as_written() {
    let bench = Bench::new([calc().build().unwrap()]);
    for id in ["0", "-3", "18446744073709551615", "1.50", "\"x\\u0041\\ud800\"", "1e3"] {
        let message = format!(r#"{{"method":"ping","id":{id},"jsonrpc":"2.0"}}"#);
        let reply = bench.host.deliver("calc", Raw::from_text(message).unwrap()).await.unwrap();
        assert_eq!(reply.get(), format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
}

#[tokio::test]
async fn torn_surrogates_reach_the_tool() {
    let say = McpServer::builder("calc").tool(
        "say",
        "",
        |words: serde_json::Map<String, Value>| async move {
            Ok(ToolReply::text(words["t"].as_str().unwrap_or_default()))
        },
    );
    let bench = Bench::new([say.build().unwrap()]);
    let message = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","arguments":{"t":"a\ud83d"}}}"#;
    let message = Raw::from_text(message.to_owned()).unwrap();
    let reply = bench.host.deliver("calc", message).await.unwrap();
    assert_eq!(text(&reply.to_value()).trim_end_matches('\u{fffd}'), "a");
}

#[tokio::test]
async fn malformed_messages_are_answered() {
    let bench = Bench::new([calc().build().unwrap()]);
    let cases = [
        (json!([]), Value::Null, -32600),
        (json!({"jsonrpc": "2.0", "id": 3}), json!(3), -32600),
        (json!({"jsonrpc": "2.0", "id": 3, "method": 5}), json!(3), -32600),
        (json!({"jsonrpc": "2.0", "id": 3, "method": "initialize"}), json!(3), -32602),
        (json!({"jsonrpc": "2.0", "id": 3, "method": "no/such"}), json!(3), -32601),
        (call(3, "add", json!("text")), json!(3), -32602),
    ];
    for (message, id, code) in cases {
        let reply = bench.deliver(message.clone()).await;
        assert_eq!((&reply["id"], &reply["error"]["code"]), (&id, &json!(code)), "{message}");
    }
    assert_eq!(text(&bench.call("add", json!({"a": 1})).await), "1");
}

#[tokio::test]
async fn unknown_server() {
    let bench = Bench::new([calc().build().unwrap()]);
    let error = bench.host.deliver("clac", initialize(0).into()).await.unwrap_err();
    assert_eq!(error.to_string(), "no in-process MCP server is called `clac`; there are: calc");
}

#[tokio::test]
async fn panicking_handler_is_answered() {
    let panics = Tool::new("panics", "", |_: NoInput| async { panic!("out of {}", "luck") });
    let bench = Bench::new([calc().with_tool(panics).build().unwrap()]);
    let reply = bench.call("panics", json!({})).await;
    assert_eq!(reply["error"]["code"], -32603);
    assert_eq!(reply["error"]["message"], "the MCP server panicked: out of luck");
    assert_eq!(text(&bench.call("add", json!({"a": 1})).await), "1");
}

#[tokio::test]
async fn failed_handshake_leaves_the_session_before_it() {
    /// Takes one client, and counts pings.
    #[derive(Default)]
    struct OnlyOnce(AtomicU32);
    impl ServerHandler for OnlyOnce {
        async fn initialize(
            &self,
            request: InitializeRequestParams,
            context: RequestContext<RoleServer>,
        ) -> Result<InitializeResult, ErrorData> {
            if self.0.fetch_add(1, Ordering::Relaxed) > 0 {
                return Err(ErrorData::invalid_request("once is enough", None));
            }
            context.peer.set_peer_info(request.clone());
            self.negotiate_initialize(&request)
        }
        async fn ping(&self, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
            // Only a session that shook hands knows its client.
            let client = context.peer.peer_info();
            client.map(|_| ()).ok_or_else(|| ErrorData::internal_error("a new session", None))
        }
    }
    let bench = Bench::new([McpServer::new("calc", OnlyOnce::default())]);
    bench.shake_hands().await;
    let refused = bench.deliver(initialize(9)).await;
    assert_eq!(refused["error"]["message"], "once is enough");
    let ping = bench.deliver(json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).await;
    assert_eq!(ping, json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
}

#[tokio::test]
async fn session_that_dies_is_replaced() {
    /// Panics where `rmcp` itself asks, outside of any request.
    #[derive(Default)]
    struct Fragile(AtomicU32);
    impl ServerHandler for Fragile {
        fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
            assert_ne!(self.0.fetch_add(1, Ordering::Relaxed), 1, "the second time");
            Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
        }
    }
    let bench = Bench::new([McpServer::new("calc", Fragile::default())]);
    let dead = bench.deliver(initialize(4)).await;
    assert_eq!((&dead["id"], &dead["error"]["code"]), (&json!(4), &json!(-32603)));
    let text = "the MCP server `calc` stopped before it answered";
    assert_eq!(dead["error"]["message"], text);
    assert_eq!(bench.shake_hands().await["result"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn two_servers_side_by_side() {
    struct Nothing;
    impl ServerHandler for Nothing {}
    let bench = Bench::new([calc().build().unwrap(), McpServer::new("other", Nothing)]);
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let other = bench.host.deliver("other", list.clone().into()).await.unwrap();
    assert_eq!(other.to_value()["result"]["tools"], json!([]));
    assert_eq!(bench.deliver(list).await["result"]["tools"][0]["name"], "add");
}
