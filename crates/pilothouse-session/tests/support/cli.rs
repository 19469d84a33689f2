//! What the CLI says, in short calls.

use serde_json::{Value, json};

use super::{Stage, prompt_id};

pub(crate) const CONVERSATION: &str = "c0000000-0000-4000-8000-000000000001";

impl Stage {
    /// The CLI answers the last request of the host's.
    pub(crate) fn replies(&mut self, payload: Value) {
        let (id, _) = self.requested();
        self.line(&success(&id, payload));
    }

    /// The CLI refuses the last request of the host's.
    pub(crate) fn refuses(&mut self, error: &str, code: &str) {
        let (id, _) = self.requested();
        let response =
            json!({"subtype": "error", "request_id": id, "error": error, "error_code": code});
        self.line(&json!({"type": "control_response", "response": response}));
    }

    /// The CLI answers `initialize`.
    pub(crate) fn introduces(&mut self) {
        let (_, request) = self.requested();
        assert_eq!(request["subtype"], "initialize");
        self.replies(json!({"commands": [], "models": [], "claude_code_version": "2.1.325"}));
    }

    /// A turn begins.
    pub(crate) fn init(&mut self, mode: &str) {
        self.init_in(CONVERSATION, mode);
    }

    pub(crate) fn init_in(&mut self, conversation: &str, mode: &str) {
        self.line(&json!({
            "type": "system", "subtype": "init", "session_id": conversation, "cwd": "/project",
            "model": "claude-sonnet", "permissionMode": mode, "tools": [],
        }));
    }

    /// A prompt is taken up, said by the CLI itself.
    pub(crate) fn lifecycle(&mut self, prompt: u128, state: &str) {
        let id = prompt_id(prompt);
        self.line(&json!({"type": "command_lifecycle", "command_uuid": id, "state": state}));
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.says(json!({"type": "text", "text": text}));
    }

    pub(crate) fn tool_use(&mut self, call: &str, tool: &str, input: &Value) {
        self.says(json!({"type": "tool_use", "id": call, "name": tool, "input": input}));
    }

    fn says(&mut self, block: Value) {
        self.messages += 1;
        let (id, uuid) = (format!("msg_{}", self.messages), format!("a-{}", self.messages));
        self.line(&assistant(&id, &uuid, block));
    }

    pub(crate) fn can_use(&mut self, request: &str, call: &str, tool: &str, input: &Value) {
        self.line(&can_use(request, call, tool, input));
    }

    /// A call of Bash, and the question whether it may run.
    pub(crate) fn asks_for_bash(&mut self, request: &str, call: &str) {
        let input = json!({"command": "make"});
        self.tool_use(call, "Bash", &input);
        self.can_use(request, call, "Bash", &input);
    }

    pub(crate) fn tool_result(&mut self, call: &str, text: &str) {
        self.messages += 1;
        let uuid = format!("u-{}", self.messages);
        self.line(&tool_result(call, text, &uuid));
    }

    pub(crate) fn cancels(&mut self, request: &str) {
        self.line(&json!({"type": "control_cancel_request", "request_id": request}));
    }

    pub(crate) fn result(&mut self) {
        self.line(&result("Done."));
    }

    /// The result of a turn that was cut short.
    pub(crate) fn aborted(&mut self) {
        self.line(&json!({
            "type": "result", "subtype": "error_during_execution", "is_error": true,
            "duration_ms": 1, "num_turns": 1, "errors": [],
        }));
    }

    pub(crate) fn mode(&mut self, mode: &str) {
        self.line(&json!({
            "type": "system", "subtype": "status", "status": null, "permissionMode": mode,
        }));
    }
}

pub(crate) fn success(request: &str, payload: Value) -> Value {
    let response = json!({"subtype": "success", "request_id": request, "response": payload});
    json!({"type": "control_response", "response": response})
}

pub(crate) fn can_use(request: &str, call: &str, tool: &str, input: &Value) -> Value {
    json!({"type": "control_request", "request_id": request, "request": {
        "subtype": "can_use_tool", "tool_name": tool, "input": input, "tool_use_id": call,
    }})
}

pub(crate) fn assistant(message: &str, uuid: &str, block: Value) -> Value {
    json!({
        "type": "assistant", "uuid": uuid, "parent_tool_use_id": null,
        "message": {
            "id": message, "type": "message", "role": "assistant", "model": "claude-sonnet",
            "content": [block], "usage": {"input_tokens": 10, "output_tokens": 5},
        },
    })
}

pub(crate) fn tool_result(call: &str, text: &str, uuid: &str) -> Value {
    let block = json!({"type": "tool_result", "tool_use_id": call, "content": text});
    json!({
        "type": "user", "uuid": uuid, "parent_tool_use_id": null,
        "message": {"role": "user", "content": [block]},
    })
}

pub(crate) fn result(text: &str) -> Value {
    json!({
        "type": "result", "subtype": "success", "is_error": false, "result": text,
        "duration_ms": 1, "num_turns": 1, "total_cost_usd": 0.5,
    })
}
