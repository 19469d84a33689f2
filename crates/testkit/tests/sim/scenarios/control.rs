//! Control requests.

use serde_json::json;

use crate::scenario::Act::{Ask, Send, Settle};
use crate::scenario::{Scenario, ask, say};

pub(crate) fn all() -> Vec<Scenario> {
    let with = |subtype: &str, fields: serde_json::Value| {
        let mut request = fields;
        request["subtype"] = json!(subtype);
        Ask(request)
    };
    let rewind = |prompt: &str, dry_run: bool| {
        with("rewind_files", json!({"user_message_id": prompt, "dry_run": dry_run}))
    };
    vec![
        Scenario::new(
            "control requests",
            [
                ask("mcp_status"),
                ask("get_settings"),
                ask("list_models"),
                ask("get_usage"),
                ask("get_session_cost"),
                ask("get_binary_version"),
                ask("list_permission_rules"),
                ask("get_plan"),
                with("get_context_usage", json!({"detail": "summary"})),
                with("set_model", json!({"model": "sonnet"})),
                with("set_max_thinking_tokens", json!({"max_thinking_tokens": 1000})),
                with("apply_flag_settings", json!({"settings": {"effortLevel": "low"}})),
                with("rename_session", json!({"title": "A name"})),
                ask("no_such_thing"),
                with("stop_task", json!({"task_id": "none"})),
                ask("background_tasks"),
                with("rewind_files", json!({"user_message_id": "none"})),
                with("file_suggestions", json!({"query": "a"})),
                with("read_file", json!({"path": "a.txt"})),
                with("mcp_set_servers", json!({"servers": {}})),
                with("mcp_reconnect", json!({"serverName": "none"})),
                with("mcp_toggle", json!({"serverName": "none", "enabled": false})),
                with("get_task_output", json!({"task_id": "none"})),
                with("seed_read_state", json!({"path": "a.txt", "mtime": 1})),
                ask("reload_output_styles"),
                with(
                    "update_settings",
                    json!({"source": "localSettings", "settings": {"outputStyle": "default"}}),
                ),
                with("set_has_subscribers", json!({"has_subscribers": true})),
                Send(json!({"type": "keep_alive"})),
                say(&["say Done."]),
                Settle,
                ask("get_usage"),
                with("set_model", json!({"model": null})),
            ],
        )
        .files(&[("a.txt", "one\n")]),
        Scenario::new(
            "rewind",
            [
                say(&[r#"tool Write {"file_path":"$CWD/a.txt","content":"new\n"}"#, "say One."]),
                Settle,
                say(&[
                    r#"tool Read {"file_path":"$CWD/b.txt"}"#,
                    r#"tool Edit {"file_path":"$CWD/b.txt","old_string":"two","new_string":"2"}"#,
                    "say Two.",
                ]),
                Settle,
                rewind("$U2", true),
                rewind("$U1", true),
                rewind("$U1", false),
                rewind("00000000-0000-4000-8000-000000000000", false),
            ],
        )
        .env(&[("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "true")])
        .files(&[("b.txt", "one\ntwo\n")]),
        Scenario::new(
            "frames that make no sense",
            [
                Send(json!({"type": "control_request", "request_id": "host-x", "request": {}})),
                Send(json!({"type": "nonsense"})),
                say(&["say Done."]),
                Settle,
            ],
        ),
    ]
}
