//! What servers say of their own accord.

use rmcp::model::{ClientResult, CustomRequest, ServerRequest};

use super::*;

#[tokio::test]
async fn progress_goes_out_before_the_answer() {
    let steps = Tool::with_call("steps", "", |_: NoInput, call: ToolCall| async move {
        call.progress(1.0, Some(2.0), "half").await;
        call.progress(2.0, None, "whole").await;
        Ok(ToolReply::text(call.tool_use_id().unwrap_or("none")))
    });
    let mut bench = Bench::new([calc().with_tool(steps).build().unwrap()]);
    bench.shake_hands().await;
    let reply = bench.start(call(7, "steps", json!({})));
    let first = bench.said().await;
    assert_eq!(first["method"], "notifications/progress");
    assert_eq!(
        first["params"],
        json!({"progressToken": 5, "progress": 1.0, "total": 2.0, "message": "half"})
    );
    let second = bench.said().await;
    assert_eq!(second["params"]["message"], "whole");
    assert_eq!(text(&reply.await.unwrap()), "toolu_1");
    assert!(bench.said.try_recv().is_err());
}

/// A tool that reports without end fills no memory while the CLI takes nothing.
#[tokio::test]
async fn whoever_says_something_waits_until_it_is_written() {
    let (told, mut telling) = mpsc::unbounded_channel();
    let chatty = Tool::with_call("chatty", "", move |_: NoInput, call: ToolCall| {
        let told = told.clone();
        async move {
            for step in 1.. {
                call.progress(f64::from(step), None, "more").await;
                told.send(step).unwrap();
            }
            Ok(ToolReply::text("never"))
        }
    });
    let mut bench = Bench::new([calc().with_tool(chatty).build().unwrap()]);
    bench.shake_hands().await;
    let endless = bench.start(call(7, "chatty", json!({})));
    // The server is at work, as another call shows, and the report is not yet taken.
    let report = soon(bench.said.recv()).await.unwrap();
    assert_eq!(text(&bench.call("add", json!({"a": 1})).await), "1");
    assert!(telling.try_recv().is_err(), "it waits");
    report.sent.send(()).unwrap();
    assert_eq!(soon(telling.recv()).await, Some(1));
    endless.abort();
}

#[tokio::test]
async fn no_progress_unless_asked_for() {
    let steps = Tool::with_call("steps", "", |_: NoInput, call: ToolCall| async move {
        call.progress(1.0, None, "half").await;
        Ok(ToolReply::text("done"))
    });
    let mut bench = Bench::new([calc().with_tool(steps).build().unwrap()]);
    let mut message = call(1, "steps", json!({}));
    message["params"]["_meta"] = json!({});
    assert_eq!(text(&bench.deliver(message).await), "done");
    assert!(bench.said.try_recv().is_err());
}

/// A tool that asks the client something and returns its answer.
fn asking() -> Tool {
    Tool::with_call("ask", "", |_: NoInput, call: ToolCall| async move {
        let question = ServerRequest::CustomRequest(CustomRequest::new("test/question", None));
        match call.peer().send_request(question).await? {
            ClientResult::CustomResult(answer) => Ok(ToolReply::text(answer.0.to_string())),
            other => Err(ToolError::new(format!("{other:?}"))),
        }
    })
}

#[tokio::test]
async fn client_answers_the_server() {
    let mut bench = Bench::new([calc().with_tool(asking()).build().unwrap()]);
    bench.shake_hands().await;
    let waiting = bench.start(call(1, "ask", json!({})));
    let question = bench.said().await;
    assert_eq!(question["method"], "test/question");
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"answer": 42}});
    assert_eq!(bench.deliver(answer).await["result"], json!({}));
    assert_eq!(text(&waiting.await.unwrap()), r#"{"answer":42}"#);

    let waiting = bench.start(call(1, "ask", json!({})));
    let question = bench.said().await;
    let refusal = json!({"code": -1, "message": "no"});
    bench.deliver(json!({"jsonrpc": "2.0", "id": question["id"], "error": refusal})).await;
    let reply = waiting.await.unwrap();
    assert_eq!(reply["result"]["isError"], true);
    assert!(text(&reply).contains("no"), "{reply}");
}

#[tokio::test]
async fn answers_do_not_cross_sessions() {
    let mut bench = Bench::new([calc().with_tool(asking()).build().unwrap()]);
    bench.shake_hands().await;
    let first = bench.start(call(1, "ask", json!({})));
    let old = bench.said().await;
    bench.shake_hands().await;
    let second = bench.start(call(1, "ask", json!({})));
    let new = bench.said().await;
    assert_ne!(old["id"], new["id"]);
    bench.deliver(json!({"jsonrpc": "2.0", "id": old["id"], "result": {"answer": "old"}})).await;
    bench.deliver(json!({"jsonrpc": "2.0", "id": new["id"], "result": {"answer": "new"}})).await;
    assert_eq!(text(&second.await.unwrap()), r#"{"answer":"new"}"#);
    assert_eq!(text(&first.await.unwrap()), r#"{"answer":"old"}"#);
}

#[tokio::test]
async fn nobody_listens_any_more() {
    let mut bench = Bench::new([calc().with_tool(asking()).build().unwrap()]);
    bench.shake_hands().await;
    bench.said.close();
    let reply = bench.call("ask", json!({})).await;
    assert_eq!(reply["result"]["isError"], true);
    assert!(text(&reply).contains("the connection to the CLI is closed"), "{reply}");
}

#[tokio::test]
async fn stray_answer_is_ignored() {
    let bench = Bench::new([calc().build().unwrap()]);
    let stray = json!({"jsonrpc": "2.0", "id": 0, "result": {}});
    assert_eq!(bench.deliver(stray.clone()).await["id"], 0);
    bench.shake_hands().await;
    assert_eq!(bench.deliver(stray).await["id"], 0);
    assert_eq!(text(&bench.call("add", json!({"a": 1})).await), "1");
}
