//! The few lines a test writes to a CLI by hand, spelled out here independently of the code under
//! test.

use serde_json::{Value, json};
use uuid::Uuid;

/// A control request of the host.
pub fn control(request_id: &str, request: Value) -> Value {
    json!({"type": "control_request", "request_id": request_id, "request": request})
}

/// The first line of every run.
pub fn initialize(request_id: &str) -> Value {
    control(request_id, json!({"subtype": "initialize"}))
}

/// A prompt with an id of its own. `content` is a string or a list of blocks.
pub fn prompt(content: impl Into<Value>) -> Value {
    let content: Value = content.into();
    json!({
        "type": "user",
        "uuid": Uuid::new_v4().to_string(),
        "session_id": "",
        "parent_tool_use_id": null,
        "message": {"role": "user", "content": content},
    })
}

/// Yes to a `can_use_tool` request, with the input it came with.
pub fn allow(request: &Value) -> Value {
    let input = &request["request"]["input"];
    answer(request, json!({"behavior": "allow", "updatedInput": input}))
}

/// No to a `can_use_tool` request; `message` is what the model reads.
pub fn deny(request: &Value, message: &str) -> Value {
    answer(request, json!({"behavior": "deny", "message": message}))
}

fn answer(request: &Value, response: Value) -> Value {
    json!({
        "type": "control_response",
        "response": {
            "subtype": "success",
            "request_id": request["request_id"],
            "response": response,
        },
    })
}
