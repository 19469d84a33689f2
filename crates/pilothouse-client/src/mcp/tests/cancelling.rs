//! Calls that the CLI gives up.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, ErrorData,
    ServerRequest,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};

use super::*;

#[tokio::test]
async fn dropping_the_future_stops_the_tool() {
    let (slow, mut events) = Slow::new();
    let bench = Bench::new([calc().with_tool(slow.tool()).build().unwrap()]);
    bench.shake_hands().await;
    let waiting = bench.start(call(1, "slow", json!({})));
    assert_eq!(soon(events.recv()).await, Some("started"));
    waiting.abort();
    assert_eq!(soon(events.recv()).await, Some("gone"));
    assert_eq!(text(&bench.call("add", json!({"a": 2})).await), "2");
}

#[tokio::test]
async fn dropping_the_future_tells_a_handler_of_any_kind() {
    struct Patient(mpsc::UnboundedSender<&'static str>);
    impl ServerHandler for Patient {
        async fn call_tool(
            &self,
            _request: CallToolRequestParams,
            context: RequestContext<RoleServer>,
        ) -> Result<CallToolResponse, ErrorData> {
            let _ = self.0.send("started");
            context.ct.cancelled().await;
            let _ = self.0.send("cancelled");
            Ok(CallToolResult::success(vec![]).into())
        }
    }
    let (events, mut seen) = unbounded_channel();
    let bench = Bench::new([McpServer::new("calc", Patient(events))]);
    bench.shake_hands().await;
    let waiting = bench.start(call(1, "any", json!({})));
    assert_eq!(soon(seen.recv()).await, Some("started"));
    waiting.abort();
    assert_eq!(soon(seen.recv()).await, Some("cancelled"));
}

#[tokio::test]
async fn cancelled_notification_ends_the_call() {
    let (slow, mut events) = Slow::new();
    let bench = Bench::new([calc().with_tool(slow.tool()).build().unwrap()]);
    bench.shake_hands().await;
    let kept = bench.start(call("kept", "slow", json!({})));
    assert_eq!(soon(events.recv()).await, Some("started"));
    let waiting = bench.start(call("x", "slow", json!({})));
    assert_eq!(soon(events.recv()).await, Some("started"));
    // A session later: the call is still found.
    bench.shake_hands().await;

    let cancel = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": "x", "reason": "interrupted"}
    });
    assert_eq!(bench.deliver(cancel.clone()).await["result"], json!({}));
    assert_eq!(soon(events.recv()).await, Some("gone"));
    let reply = waiting.await.unwrap();
    assert_eq!((&reply["id"], &reply["error"]["code"]), (&json!("x"), &json!(-32800)));

    // Once more, for a call that has gone: nothing happens to the other one.
    assert_eq!(bench.deliver(cancel).await["id"], 0);
    slow.go.notify_one();
    assert_eq!(text(&kept.await.unwrap()), "done");
}

#[tokio::test]
async fn withdrawn_handshake_is_forgotten() {
    /// Its first handshake never ends.
    struct Stuck(mpsc::UnboundedSender<&'static str>, std::sync::atomic::AtomicBool);
    impl ServerHandler for Stuck {
        async fn initialize(
            &self,
            request: rmcp::model::InitializeRequestParams,
            _context: RequestContext<RoleServer>,
        ) -> Result<rmcp::model::InitializeResult, ErrorData> {
            if !self.1.swap(true, std::sync::atomic::Ordering::Relaxed) {
                let _gone = Gone(self.0.clone());
                let _ = self.0.send("stuck");
                std::future::pending::<()>().await;
            }
            self.negotiate_initialize(&request)
        }
    }
    let (events, mut seen) = unbounded_channel();
    let bench = Bench::new([McpServer::new("calc", Stuck(events, false.into()))]);
    let first = bench.start(initialize(0));
    assert_eq!(soon(seen.recv()).await, Some("stuck"));
    first.abort();
    assert_eq!(soon(seen.recv()).await, Some("gone"));
    let second = bench.deliver(initialize(0)).await;
    assert_eq!(second["result"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn dropping_the_host_ends_its_sessions() {
    let (peers, mut kept) = unbounded_channel();
    let keep = Tool::with_call("keep", "", move |_: NoInput, call: ToolCall| {
        let sent = peers.send(call.peer().clone());
        async move { Ok(sent.map(|()| ToolReply::text("kept"))?) }
    });
    let mut bench = Bench::new([calc().with_tool(keep).build().unwrap()]);
    bench.shake_hands().await;
    assert_eq!(text(&bench.call("keep", json!({})).await), "kept");
    let peer = kept.recv().await.unwrap();
    let question = || ServerRequest::CustomRequest(CustomRequest::new("test/question", None));
    let waiting = tokio::spawn({
        let peer = peer.clone();
        async move { peer.send_request(question()).await }
    });
    assert_eq!(bench.said().await["method"], "test/question");
    drop(bench);
    assert!(soon(waiting).await.unwrap().is_err());
    assert!(soon(peer.send_request(question())).await.is_err());
}
