//! Drives [`McpHost::deliver`] with raw JSON-RPC, as the CLI does. What is ordered is ordered by
//! channels.

mod cancelling;
mod outgoing;
mod sessions;
mod tools;

use std::sync::Arc;
use std::time::Duration;

use pilothouse_wire::Raw;
use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::*;

/// A host, and what its servers said of their own accord.
struct Bench {
    host: Arc<McpHost>,
    said: UnboundedReceiver<Said>,
}

impl Bench {
    fn new(servers: impl IntoIterator<Item = McpServer>) -> Self {
        let (outgoing, said) = unbounded_channel();
        let host = McpHost::new(servers.into_iter().collect(), outgoing).unwrap();
        Self { host: Arc::new(host), said }
    }

    /// Sends `message` to the server `calc`.
    async fn deliver(&self, message: Value) -> Value {
        deliver(&self.host, message).await
    }

    /// The same, on a task of its own.
    fn start(&self, message: Value) -> JoinHandle<Value> {
        let host = Arc::clone(&self.host);
        tokio::spawn(async move { deliver(&host, message).await })
    }

    async fn shake_hands(&self) -> Value {
        let reply = self.deliver(initialize(0)).await;
        self.deliver(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        reply
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.deliver(call(7, tool, arguments)).await
    }

    async fn said(&mut self) -> Value {
        let Said { server, message, sent } = soon(self.said.recv()).await.unwrap();
        let _ = sent.send(());
        assert_eq!(server, "calc");
        message.to_value()
    }
}

async fn deliver(host: &McpHost, message: Value) -> Value {
    let answer = soon(host.deliver("calc", message.into())).await;
    answer.unwrap().to_value()
}

/// What never happens fails the test instead of hanging it.
async fn soon<T>(event: impl Future<Output = T>) -> T {
    let happened = timeout(Duration::from_secs(60), event).await;
    happened.expect("waited for nothing")
}

fn initialize(id: impl Into<Value>) -> Value {
    json!({
        "jsonrpc": "2.0", "id": id.into(), "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25", "capabilities": {"roots": {}},
            "clientInfo": {"name": "claude-code", "version": "2.1.7"}
        }
    })
}

fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    json!({
        "jsonrpc": "2.0", "id": id.into(), "method": "tools/call",
        "params": {
            "name": tool, "arguments": arguments,
            "_meta": {"progressToken": 5, "claudecode/toolUseId": "toolu_1"}
        }
    })
}

/// The text of a tool's answer.
fn text(reply: &Value) -> &str {
    reply["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {reply}"))
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct AddInput {
    /// The first number.
    a: i64,
    /// The second number.
    #[serde(default)]
    b: i64,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct NoInput {}

fn calc() -> ServerBuilder {
    McpServer::builder("calc").version("1.2.3").tool(
        "add",
        "Adds two numbers",
        |input: AddInput| async move { Ok(ToolReply::text((input.a + input.b).to_string())) },
    )
}

/// Tells that the future which holds it was dropped or came to its end.
struct Gone(mpsc::UnboundedSender<&'static str>);

impl Drop for Gone {
    fn drop(&mut self) {
        let _ = self.0.send("gone");
    }
}

/// A tool that waits to be let go, and tells when it starts and when it is dropped.
#[derive(Clone)]
struct Slow {
    go: Arc<Notify>,
    events: mpsc::UnboundedSender<&'static str>,
}

impl Slow {
    fn new() -> (Self, UnboundedReceiver<&'static str>) {
        let (events, seen) = unbounded_channel();
        (Self { go: Arc::default(), events }, seen)
    }

    fn tool(&self) -> Tool {
        let slow = self.clone();
        Tool::new("slow", "Waits", move |_: NoInput| {
            let slow = slow.clone();
            async move {
                let _gone = Gone(slow.events.clone());
                slow.events.send("started")?;
                slow.go.notified().await;
                Ok(ToolReply::text("done"))
            }
        })
    }
}
