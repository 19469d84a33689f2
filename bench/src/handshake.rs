//! What stands in for the CLI says to every request.

use serde_json::{Value, json};

/// A reply that satisfies everybody who asks to begin.
#[must_use]
pub fn reply(request: &Value) -> Value {
    json!({
        "type": "control_response",
        "response": {
            "subtype": "success",
            "request_id": request.get("request_id"),
            "response": {
                "commands": [], "agents": [], "output_style": "default",
                "available_output_styles": ["default"], "models": [], "account": {},
                "claude_code_version": "2.1.325",
            },
        },
    })
}
