//! What the host answers when the CLI asks: permissions, hooks, a small MCP server.

use serde_json::{Value, json};

use super::scenario::{Permission, Run};

/// The answers of one run, used up as they are given.
pub(super) struct Replies<'a> {
    permissions: Vec<&'a (&'static str, Permission)>,
    hooks: Vec<&'a (&'static str, Value)>,
}

impl<'a> Replies<'a> {
    pub(super) fn new(run: &'a Run) -> Self {
        Self { permissions: run.permissions.iter().collect(), hooks: run.hooks.iter().collect() }
    }

    /// The lines to write when `frame` has come in.
    pub(super) fn to(&mut self, frame: &Value) -> Vec<Value> {
        if frame["type"] != "control_request" {
            return Vec::new();
        }
        let request = &frame["request"];
        let answer = match request["subtype"].as_str().unwrap_or_default() {
            "can_use_tool" => match self.permission(request) {
                Ok(Some(answer)) => answer,
                Ok(None) => return Vec::new(),
                Err(message) => return vec![error(frame, message)],
            },
            "hook_callback" => self.hook(request),
            "mcp_message" => return mcp(frame),
            "elicitation" => json!({"action": "accept", "content": {"colour": "blue"}}),
            _ => return vec![error(frame, "not supported by this host")],
        };
        vec![success(frame, &answer)]
    }

    fn permission(&mut self, request: &Value) -> Result<Option<Value>, &'static str> {
        let tool = &request["tool_name"];
        let id = &request["tool_use_id"];
        let allow =
            |input: &Value| json!({"behavior": "allow", "updatedInput": input, "toolUseID": id});
        let deny = |message: &str, stop: bool| json!({"behavior": "deny", "message": message, "interrupt": stop, "toolUseID": id});
        let found = self.permissions.iter().position(|(name, _)| tool == name);
        let answer = found.map(|at| &self.permissions.remove(at).1);
        let input = &request["input"];
        Ok(Some(match answer.unwrap_or(&Permission::Allow) {
            Permission::Allow => allow(input),
            Permission::Edited(input) => allow(input),
            Permission::Completed(more) => {
                let mut input = input.clone();
                if let (Value::Object(input), Value::Object(more)) = (&mut input, more) {
                    input.extend(more.clone());
                }
                allow(&input)
            }
            Permission::Always => {
                let mut answer = allow(input);
                answer["updatedPermissions"] = request["permission_suggestions"].clone();
                answer["decisionClassification"] = json!("user_permanent");
                answer
            }
            Permission::With(updates) => {
                let mut answer = allow(input);
                answer["updatedPermissions"] = updates.clone();
                answer
            }
            Permission::Deny(message) => deny(message, false),
            Permission::DenyAndStop(message) => deny(message, true),
            Permission::Fail(message) => return Err(message),
            Permission::Open => return Ok(None),
        }))
    }

    fn hook(&mut self, request: &Value) -> Value {
        let event = &request["input"]["hook_event_name"];
        let found = self.hooks.iter().position(|(name, _)| event == name);
        found.map_or_else(|| json!({}), |at| self.hooks.remove(at).1.clone())
    }
}

/// A server with a tool that greets, one that fails and one that never answers, and one resource.
fn mcp(frame: &Value) -> Vec<Value> {
    let message = &frame["request"]["message"];
    let answer = |result: Value| {
        let reply = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
        success(frame, &json!({"mcp_response": reply}))
    };
    match message["method"].as_str() {
        Some("initialize") => vec![answer(json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}, "resources": {}},
            "serverInfo": {"name": "greeter", "version": "1.0.0"},
        }))],
        Some("tools/list") => vec![answer(json!({"tools": tools()}))],
        Some("tools/call") => call(message, answer),
        Some("resources/list") => vec![answer(json!({"resources": [
            {"uri": "note://one", "name": "one", "mimeType": "text/plain"},
        ]}))],
        Some("resources/read") => vec![answer(json!({"contents": [
            {"uri": message["params"]["uri"], "mimeType": "text/plain", "text": "first note"},
        ]}))],
        // Notifications, and answers to our own requests.
        _ => vec![success(
            frame,
            &json!({"mcp_response": {"jsonrpc": "2.0", "result": {}, "id": 0}}),
        )],
    }
}

fn call(message: &Value, answer: impl Fn(Value) -> Value) -> Vec<Value> {
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    match message["params"]["name"].as_str() {
        Some("greet") => vec![answer(json!({"content": text("hello from the host")}))],
        Some("measure") => vec![answer(json!({
            "content": text("it is seven long"),
            "structuredContent": {"length": 7},
        }))],
        Some("wait") => Vec::new(),
        _ => vec![answer(json!({"content": text("this tool always fails"), "isError": true}))],
    }
}

fn tools() -> Value {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    json!([
        {
            "name": "greet",
            "description": "greets by name",
            "inputSchema": schema,
            "annotations": {"readOnlyHint": true},
            "_meta": {"anthropic/alwaysLoad": true},
        },
        {"name": "fail", "description": "always fails", "inputSchema": schema},
        {"name": "measure", "description": "says how long it is", "inputSchema": schema},
        {"name": "wait", "description": "never ends", "inputSchema": schema},
    ])
}

fn success(request: &Value, answer: &Value) -> Value {
    json!({
        "type": "control_response",
        "response": {
            "subtype": "success",
            "request_id": request["request_id"],
            "response": answer,
        },
    })
}

fn error(request: &Value, message: &str) -> Value {
    json!({
        "type": "control_response",
        "response": {"subtype": "error", "request_id": request["request_id"], "error": message},
    })
}
