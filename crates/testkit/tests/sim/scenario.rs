//! What a host does with a CLI, as data.

use serde_json::{Value, json};

/// One thing the host does. `$CWD`, `$HOME`, `$SESSION`, `$TASK`, `$U1` (first prompt) and `$A1` (first assistant
/// frame) stand for what they are in the run.
#[derive(Debug, Clone)]
pub enum Act {
    /// A prompt.
    Say(&'static str),
    /// A prompt of blocks.
    Show(Value),
    /// Any frame.
    Send(Value),
    /// Any line.
    Line(&'static str),
    /// A control request whose answer is awaited.
    Ask(Value),
    /// A control request.
    Tell(Value),
    /// Read on to a frame: `type` or `type/subtype`.
    Until(&'static str),
    /// Wait until the model stands at a hold.
    Held(&'static str),
    /// Let it go on.
    Release(&'static str),
    /// Close stdin.
    Eof,
    /// SIGTERM.
    Terminate,
    /// End this process and start another with these arguments as well.
    Restart(Vec<&'static str>),
}

/// What the host answers to a request of the CLI.
#[derive(Debug, Clone)]
pub enum Reply {
    /// Success.
    Payload(Value),
    /// Error.
    Error(&'static str),
    /// Nothing.
    Silence,
}

/// A conversation with a CLI.
#[derive(Debug, Clone)]
pub struct Scenario {
    pub name: &'static str,
    pub args: Vec<&'static str>,
    pub env: Vec<(&'static str, &'static str)>,
    pub files: Vec<(&'static str, &'static str)>,
    /// Fields of the first request; `None` sends no such request.
    pub initialize: Option<Value>,
    pub acts: Vec<Act>,
    pub answer: fn(&Value) -> Reply,
}

impl Scenario {
    pub fn new(name: &'static str, acts: Vec<Act>) -> Self {
        Self {
            name,
            args: vec![
                "--permission-prompt-tool=stdio",
                "--permission-mode=default",
                "--include-partial-messages",
            ],
            env: Vec::new(),
            files: Vec::new(),
            initialize: Some(json!({})),
            acts,
            answer: agree,
        }
    }

    pub fn args(mut self, args: &[&'static str]) -> Self {
        self.args = args.to_vec();
        self
    }

    pub fn more_args(mut self, args: &[&'static str]) -> Self {
        self.args.extend(args);
        self
    }

    pub fn env(mut self, env: &[(&'static str, &'static str)]) -> Self {
        self.env = env.to_vec();
        self
    }

    pub fn files(mut self, files: &[(&'static str, &'static str)]) -> Self {
        self.files = files.to_vec();
        self
    }

    pub fn initialize(mut self, fields: Value) -> Self {
        self.initialize = Some(fields);
        self
    }

    pub fn no_initialize(mut self) -> Self {
        self.initialize = None;
        self
    }

    pub fn answer(mut self, answer: fn(&Value) -> Reply) -> Self {
        self.answer = answer;
        self
    }
}

/// Yes to every tool, no opinion in every hook, and an MCP server with one tool.
pub fn agree(request: &Value) -> Reply {
    match request["subtype"].as_str() {
        Some("can_use_tool") => {
            Reply::Payload(json!({"behavior": "allow", "updatedInput": request["input"]}))
        }
        Some("hook_callback") => Reply::Payload(json!({})),
        Some("mcp_message") => Reply::Payload(json!({"mcp_response": mcp(&request["message"])})),
        _ => Reply::Error("not here"),
    }
}

fn mcp(message: &Value) -> Value {
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "calc", "version": "1.0.0"},
        }),
        Some("tools/list") => json!({"tools": [
            {"name": "add", "description": "adds", "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}},
            {"name": "fail", "description": "fails", "inputSchema": {"type": "object"}},
        ]}),
        Some("tools/call") if message["params"]["name"] == "fail" => json!({
            "content": [{"type": "text", "text": "it failed"}], "isError": true,
        }),
        Some("tools/call") => {
            let input = &message["params"]["arguments"];
            let sum = input["a"].as_f64().unwrap_or(0.0) + input["b"].as_f64().unwrap_or(0.0);
            json!({"content": [{"type": "text", "text": sum.to_string()}]})
        }
        _ => json!({}),
    };
    match message.get("id") {
        Some(id) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        None => json!({"jsonrpc": "2.0", "id": 0, "result": {}}),
    }
}
