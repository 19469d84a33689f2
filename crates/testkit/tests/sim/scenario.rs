//! What a host does with a CLI, as data.

use serde_json::{Value, json};
use testkit::cli::CliVersion;

/// One thing the host does. `$CWD`, `$HOME`, `$SESSION`, `$TASK`, `$U1` (first prompt) and `$A1`
/// (first assistant frame) stand for what they are in the run.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// A prompt: text, or a list of blocks.
    Say(Value),
    /// Any frame.
    Send(Value),
    /// Any line.
    Line(&'static str),
    /// A control request whose answer is awaited.
    Ask(Value),
    /// Read on to a frame: `type` or `type/subtype`.
    Until(&'static str),
    /// Read on to the result, and to the end of the turn where that is told.
    Settle,
    /// Wait until the model stands at a hold.
    Held(&'static str),
    /// Let it go on.
    Release(&'static str),
    /// Make an empty file in the working directory.
    Touch(&'static str),
    /// Close stdin.
    Eof,
    /// SIGTERM.
    Terminate,
    /// End this process and start another with these arguments as well.
    Restart(&'static [&'static str]),
}

/// A prompt that scripts these replies.
pub(crate) fn say(replies: &[&str]) -> Act {
    Act::Say(json!(format!("#script\n{}\n#end", replies.join("\n---\n"))))
}

pub(crate) fn ask(subtype: &str) -> Act {
    Act::Ask(json!({"subtype": subtype}))
}

/// What the host answers to a request of the CLI.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// Success.
    Payload(Value),
    /// Error.
    Error(&'static str),
    /// Nothing.
    Silence,
}

/// Whether frames have to come in the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Same,
    /// Things happen side by side, and the CLI itself tells them in one order today and in another
    /// tomorrow.
    Any,
}

/// A conversation with a CLI.
#[derive(Debug, Clone)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) version: CliVersion,
    pub(crate) args: Vec<&'static str>,
    pub(crate) env: Vec<(&'static str, &'static str)>,
    pub(crate) files: Vec<(&'static str, &'static str)>,
    /// Fields of the first request; `None` sends no such request.
    pub(crate) initialize: Option<Value>,
    pub(crate) acts: Vec<Act>,
    pub(crate) answer: fn(&Value) -> Reply,
    pub(crate) order: Order,
}

impl Scenario {
    pub(crate) fn new(name: &'static str, acts: impl Into<Vec<Act>>) -> Self {
        let args = [
            "--permission-prompt-tool=stdio",
            "--permission-mode=default",
            "--include-partial-messages",
        ];
        Self {
            name,
            version: CliVersion::V2_1_325,
            args: args.to_vec(),
            env: Vec::new(),
            files: Vec::new(),
            initialize: Some(json!({})),
            acts: acts.into(),
            answer: agree,
            order: Order::Same,
        }
    }

    /// One prompt with these replies, to the end of its turn.
    pub(crate) fn turn(name: &'static str, replies: &[&str]) -> Self {
        Self::new(name, [say(replies), Act::Settle])
    }

    /// These arguments and no others.
    pub(crate) fn args(mut self, args: &[&'static str]) -> Self {
        self.args = args.to_vec();
        self
    }

    pub(crate) fn more_args(mut self, args: &[&'static str]) -> Self {
        self.args.extend(args);
        self
    }

    pub(crate) fn env(mut self, env: &[(&'static str, &'static str)]) -> Self {
        self.env = env.to_vec();
        self
    }

    pub(crate) fn files(mut self, files: &[(&'static str, &'static str)]) -> Self {
        self.files = files.to_vec();
        self
    }

    pub(crate) fn initialize(mut self, fields: Value) -> Self {
        self.initialize = Some(fields);
        self
    }

    pub(crate) fn no_initialize(mut self) -> Self {
        self.initialize = None;
        self
    }

    pub(crate) fn answer(mut self, answer: fn(&Value) -> Reply) -> Self {
        self.answer = answer;
        self
    }

    pub(crate) fn any_order(mut self) -> Self {
        self.order = Order::Any;
        self
    }

    /// Played with the oldest version, and by the simulated CLI in its dialect.
    pub(crate) fn old(mut self) -> Self {
        self.version = CliVersion::V2_1_7;
        self.env.push(("SIM_FAULT", "old"));
        self
    }
}

/// Yes to every tool, no opinion in every hook, and an MCP server with two tools.
pub(crate) fn agree(request: &Value) -> Reply {
    match request["subtype"].as_str() {
        Some("can_use_tool") => allow(request, json!({})),
        Some("hook_callback") => Reply::Payload(json!({})),
        Some("mcp_message") => Reply::Payload(json!({"mcp_response": mcp(&request["message"])})),
        _ => Reply::Error("not here"),
    }
}

/// Yes to a tool, with more in the answer.
pub(crate) fn allow(request: &Value, more: Value) -> Reply {
    let mut answer = json!({"behavior": "allow", "updatedInput": request["input"]});
    if let (Value::Object(answer), Value::Object(more)) = (&mut answer, more) {
        answer.extend(more);
    }
    Reply::Payload(answer)
}

/// `reply` to a question about a tool, agreement to everything else.
pub(crate) fn when_asked(request: &Value, reply: impl FnOnce() -> Reply) -> Reply {
    if request["subtype"] == "can_use_tool" { reply() } else { agree(request) }
}

/// `output` from the hooks of one event, agreement to everything else.
pub(crate) fn when_hooked(request: &Value, event: &str, output: Value) -> Reply {
    if request["subtype"] == "hook_callback" && request["input"]["hook_event_name"] == event {
        Reply::Payload(output)
    } else {
        agree(request)
    }
}

fn mcp(message: &Value) -> Value {
    let schema = json!({"type": "object"});
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "calc", "version": "1.0.0"},
        }),
        Some("tools/list") => json!({"tools": [
            {"name": "add", "description": "adds", "inputSchema": schema},
            {"name": "fail", "description": "fails", "inputSchema": schema},
        ]}),
        Some("tools/call") if message["params"]["name"] == "fail" => {
            json!({"content": [{"type": "text", "text": "it failed"}], "isError": true})
        }
        Some("tools/call") => {
            let input = &message["params"]["arguments"];
            let sum = input["a"].as_f64().unwrap_or(0.0) + input["b"].as_f64().unwrap_or(0.0);
            json!({"content": [{"type": "text", "text": sum.to_string()}]})
        }
        _ => json!({}),
    };
    let id = message.get("id").cloned().unwrap_or(json!(0));
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}
