//! The dialect of 2.1.7: what a current frame would have looked like there, if it was there at all.

use serde_json::{Map, Value, json};

/// Keys that a frame of the old dialect may have; everything else is left out.
const SYSTEM_INIT: [&str; 17] = [
    "type",
    "subtype",
    "cwd",
    "session_id",
    "tools",
    "mcp_servers",
    "model",
    "permissionMode",
    "slash_commands",
    "apiKeySource",
    "claude_code_version",
    "output_style",
    "agents",
    "skills",
    "plugins",
    "uuid",
    "field_of_tomorrow",
];
const MESSAGE: [&str; 8] = [
    "type",
    "message",
    "parent_tool_use_id",
    "session_id",
    "uuid",
    "tool_use_result",
    "isReplay",
    "isSynthetic",
];
const STREAM: [&str; 5] = ["type", "event", "session_id", "parent_tool_use_id", "uuid"];
const RESULT: [&str; 16] = [
    "type",
    "subtype",
    "is_error",
    "duration_ms",
    "duration_api_ms",
    "num_turns",
    "result",
    "session_id",
    "total_cost_usd",
    "usage",
    "modelUsage",
    "permission_denials",
    "uuid",
    "errors",
    "structured_output",
    "error",
];
const USAGE: [&str; 7] = [
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
    "server_tool_use",
    "service_tier",
    "cache_creation",
];
const MODEL_USAGE: [&str; 8] = [
    "inputTokens",
    "outputTokens",
    "cacheReadInputTokens",
    "cacheCreationInputTokens",
    "webSearchRequests",
    "costUSD",
    "contextWindow",
    "maxOutputTokens",
];
const ASK: [&str; 9] = [
    "subtype",
    "tool_name",
    "input",
    "permission_suggestions",
    "blocked_path",
    "decision_reason",
    "tool_use_id",
    "agent_id",
    "callback_id",
];
const GREETING: [&str; 5] =
    ["commands", "output_style", "available_output_styles", "models", "account"];

/// The frame in the old dialect; `None` if it did not exist.
pub(super) fn old(mut frame: Value) -> Option<Value> {
    match (frame["type"].as_str(), frame["subtype"].as_str()) {
        (Some("command_lifecycle" | "conversation_reset"), _) => return None,
        (Some("system"), Some("init")) => only(&mut frame, &SYSTEM_INIT),
        (Some("system"), Some("compact_boundary" | "subtype_of_tomorrow")) => {}
        (Some("system"), Some("status")) if frame["status"] != "compacting" => return None,
        (Some("system"), Some("status")) => {}
        (Some("system"), _) => return None,
        (Some("user"), _) => {
            only(&mut frame, &MESSAGE);
            if let Some(output) = frame.get_mut("tool_use_result") {
                without(output, &["noOutputExpected", "userModified"]);
            }
        }
        (Some("assistant"), _) => {
            if frame["aborted"] == true {
                return None;
            }
            let error = frame.get("error").cloned();
            only(&mut frame, &MESSAGE);
            if let Some(error) = error {
                frame["error"] = error;
            }
        }
        (Some("stream_event"), _) => {
            let abandoned = frame.get("abandoned_blocks").is_some();
            if abandoned {
                return None;
            }
            only(&mut frame, &STREAM);
        }
        (Some("result"), _) => {
            only(&mut frame, &RESULT);
            if let Some(usage) = frame.get_mut("usage") {
                only(usage, &USAGE);
            }
            for usage in frame
                .get_mut("modelUsage")
                .and_then(Value::as_object_mut)
                .into_iter()
                .flat_map(Map::values_mut)
            {
                only(usage, &MODEL_USAGE);
            }
            if frame["subtype"] == "error_during_execution" {
                // An interrupt was no error then.
                frame["is_error"] = json!(false);
            }
        }
        (Some("control_request"), _) if frame["request"]["subtype"] == "can_use_tool" => {
            only(&mut frame["request"], &ASK);
        }
        (Some("control_response"), _) => answer(&mut frame["response"]),
        _ => {}
    }
    Some(frame)
}

fn answer(response: &mut Value) {
    if let Some(fields) = response.as_object_mut() {
        for later in ["error_code", "pending_permission_requests", "pending_user_dialog_requests"] {
            fields.remove(later);
        }
        let is_receipt = |payload: &Value| payload.get("still_queued").is_some();
        if fields.get("response").is_some_and(is_receipt) {
            fields.remove("response");
        }
    }
    if response["response"]["commands"].is_array() {
        let greeting = &mut response["response"];
        only(greeting, &GREETING);
        without(&mut greeting["account"], &["apiProvider"]);
        for command in greeting["commands"].as_array_mut().into_iter().flatten() {
            only(command, &["name", "description", "argumentHint"]);
        }
        for model in greeting["models"].as_array_mut().into_iter().flatten() {
            only(model, &["value", "displayName", "description"]);
        }
    }
}

fn without(object: &mut Value, keys: &[&str]) {
    if let Value::Object(fields) = object {
        fields.retain(|key, _| !keys.contains(&key.as_str()));
    }
}

fn only(object: &mut Value, keys: &[&str]) {
    if let Value::Object(fields) = object {
        fields.retain(|key, _| keys.contains(&key.as_str()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_later_is_left_out() {
        assert_eq!(old(json!({"type": "command_lifecycle"})), None);
        assert_eq!(old(json!({"type": "system", "subtype": "session_state_changed"})), None);
        let result = json!({"type": "result", "subtype": "success", "result": "x", "terminal_reason": "completed"});
        assert_eq!(
            old(result),
            Some(json!({"type": "result", "subtype": "success", "result": "x"}))
        );
        let receipt = json!({"type": "control_response", "response": {"subtype": "success", "request_id": "r", "response": {"still_queued": []}}});
        assert_eq!(
            old(receipt),
            Some(
                json!({"type": "control_response", "response": {"subtype": "success", "request_id": "r"}})
            )
        );
        let keep = json!({"type": "keep_alive"});
        assert_eq!(old(keep.clone()), Some(keep));
    }
}
