//! Control requests of the host, answered or refused.

use serde_json::json;

use crate::cli::CliVersion::{V2_1_62, V2_1_325};
use crate::record::scenario::{Permission, Run, Scenario, Step, script};

pub(super) fn all() -> Vec<Scenario> {
    vec![
        reading(),
        dialogs(),
        changing(),
        models(),
        mcp(),
        unknown(),
        reinitialize(),
        environment(),
        side(),
        queue(),
    ]
}

/// Requests that only look.
fn reading() -> Scenario {
    let run = Run::brief()
        .turn(&script(&["say Good morning."]))
        .ask(json!({"subtype": "mcp_status"}))
        .since(V2_1_62, Step::Ask(json!({"subtype": "get_context_usage"})))
        .ask_new(json!({"subtype": "get_context_usage", "detail": "summary"}));
    let run = [
        json!({"subtype": "get_settings"}),
        json!({"subtype": "list_permission_rules"}),
        json!({"subtype": "get_hooks_listing"}),
        json!({"subtype": "get_usage", "skip_behaviors": true}),
        json!({"subtype": "get_session_cost"}),
        json!({"subtype": "get_binary_version"}),
        json!({"subtype": "list_models"}),
        json!({"subtype": "file_suggestions", "query": "note"}),
        json!({"subtype": "read_file", "path": "$PROJECT/note.txt"}),
        json!({"subtype": "read_file", "path": "$PROJECT/absent.txt"}),
        json!({"subtype": "get_plan"}),
        json!({"subtype": "get_workspace_diff"}),
    ]
    .into_iter()
    .fold(run, Run::ask_new);
    Scenario::new("control-reading").file("note.txt", "what the note says\n").run(run)
}

/// What terminal dialogs show.
fn dialogs() -> Scenario {
    let run = [
        "get_status",
        "get_memory_dialog",
        "get_skills_dialog",
        "get_sandbox_dialog",
        "export_conversation",
    ]
    .into_iter()
    .fold(Run::brief().turn(&script(&["say Good morning."])), |run, subtype| {
        run.ask(json!({"subtype": subtype}))
    });
    Scenario::new("control-dialogs").since(V2_1_325).run(run)
}

/// Requests that change the session.
fn changing() -> Scenario {
    let run = Run::brief()
        .listen(&["DirectoryAdded"])
        .turn(&script(&["say Good morning."]))
        .ask(json!({"subtype": "set_permission_mode", "mode": "acceptEdits"}))
        .ask(json!({"subtype": "set_permission_mode", "mode": "plan"}))
        .ask(json!({"subtype": "set_permission_mode", "mode": "bypassPermissions"}))
        .ask(json!({"subtype": "set_permission_mode", "mode": "no such mode"}))
        .ask(json!({"subtype": "set_max_thinking_tokens", "max_thinking_tokens": 2000}));
    let run = [
        json!({"subtype": "apply_flag_settings", "settings": {"effortLevel": "low"}}),
        json!({"subtype": "update_settings", "source": "localSettings", "settings": {"outputStyle": "default"}}),
        json!({"subtype": "rename_session", "title": "a new name", "source": "host"}),
        json!({"subtype": "set_color", "color": "blue"}),
        json!({"subtype": "seed_read_state", "path": "$PROJECT/note.txt", "mtime": 0}),
        json!({"subtype": "register_repo_root", "directory": "$PROJECT/sub"}),
        json!({"subtype": "reload_plugins"}),
        json!({"subtype": "reload_skills"}),
        json!({"subtype": "reload_output_styles"}),
        json!({"subtype": "set_has_subscribers", "has_subscribers": true}),
        json!({"subtype": "background_tasks"}),
        json!({"subtype": "cancel_async_message", "message_uuid": "0f0f0f0f-0000-4000-8000-00000000000f"}),
        json!({"subtype": "set_cwd", "path": "$PROJECT/sub"}),
    ]
    .into_iter()
    .fold(run, Run::ask_new);
    Scenario::new("control-changing")
        .file("note.txt", "what the note says\n")
        .file("sub/note.txt", "what the other note says\n")
        .run(run.turn(&script(&["say Good night."])))
}

fn models() -> Scenario {
    Scenario::new("control-model").run(
        Run::brief()
            .turn(&script(&["say Good morning."]))
            .ask(json!({"subtype": "set_model", "model": "haiku"}))
            .turn(&script(&["say Quick and short."]))
            .ask(json!({"subtype": "set_model"}))
            .turn(&script(&["say As before."])),
    )
}

fn mcp() -> Scenario {
    Scenario::new("control-mcp").since(V2_1_62).run(
        Run::brief()
            .initialize("sdkMcpServers", json!(["greeter"]))
            .turn(&script(&["say Good morning."]))
            .ask(json!({"subtype": "mcp_status"}))
            .ask(json!({"subtype": "mcp_toggle", "serverName": "greeter", "enabled": false}))
            .ask(json!({"subtype": "mcp_toggle", "serverName": "greeter", "enabled": true}))
            .ask(json!({"subtype": "mcp_reconnect", "serverName": "nobody"}))
            .ask_new(json!({"subtype": "mcp_call", "tool": "mcp__greeter__greet", "arguments": {"name": "you"}}))
            .ask_new(json!({"subtype": "mcp_call", "tool": "mcp__greeter__absent", "arguments": {}}))
            .ask_new(json!({"subtype": "mcp_read_resource", "serverName": "greeter", "uri": "ui://one"}))
            .ask_new(json!({"subtype": "mcp_message", "server_name": "greeter",
                "message": {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}}))
            .ask(json!({"subtype": "mcp_set_servers", "servers": {
                "absent": {"type": "stdio", "command": "/no/such/program"},
                "other": {"type": "sdk", "name": "other"},
            }}))
            .until(json!({"request": {"server_name": "other", "message": {"method": "tools/list"}}}))
            .ask(json!({"subtype": "mcp_status"})),
    )
}

/// The oldest version does not answer what it does not know.
fn unknown() -> Scenario {
    Scenario::new("control-unknown").run(
        Run::brief()
            .step(Step::Tell(json!({"subtype": "no_such_request", "any": "thing"})))
            .turn(&script(&["say Never mind."]))
            .step(Step::Send(json!({"type": "keep_alive"}))),
    )
}

/// A host that comes back finds the open request.
fn reinitialize() -> Scenario {
    Scenario::new("reinitialize").since(V2_1_325).run(
        Run::brief()
            .permission("Bash", Permission::Open)
            .prompt(&script(&[
                r#"tool Bash {"command":"touch made","description":"make it"}"#,
                "say Not reached.",
            ]))
            .until(json!({"request": {"subtype": "can_use_tool"}}))
            .ask(json!({"subtype": "initialize"}))
            .ask(json!({"subtype": "interrupt"}))
            .settled(),
    )
}

fn environment() -> Scenario {
    Scenario::new("environment").since(V2_1_62).run(
        Run::brief()
            .step(Step::Send(json!({
                "type": "update_environment_variables",
                "variables": {"GREETING": "hello"},
            })))
            .turn(&script(&[
                r#"tool Bash {"command":"echo ${GREETING:-nothing}","description":"look at it"}"#,
                "say Looked.",
            ])),
    )
}

/// Questions beside the conversation.
fn side() -> Scenario {
    Scenario::new("control-side").since(V2_1_325).run(
        Run::brief()
            .turn(&script(&["say Good morning."]))
            .ask(json!({"subtype": "side_question", "question": "And you?"}))
            .ask(json!({"subtype": "generate_session_title", "description": "a talk in the morning"})),
    )
}

/// A queued prompt is taken back, another one survives an interrupt and a third does not.
fn queue() -> Scenario {
    Scenario::new("control-queue").since(V2_1_325).run(
        Run::new()
            .prompt(&script(&["say The first\nhold first\nmore  is done."]))
            .step(Step::Held("first"))
            .until(json!({"event": {"delta": {"text": "The first"}}}))
            .prompt(&script(&["say The second is not asked."]))
            .until(json!({"command_uuid": "$PROMPT2", "state": "queued"}))
            .ask(json!({"subtype": "cancel_async_message", "message_uuid": "$PROMPT2"}))
            .prompt(&script(&["say The third\nhold third\nmore  is done."]))
            .until(json!({"command_uuid": "$PROMPT3", "state": "queued"}))
            .ask(json!({"subtype": "interrupt"}))
            .step(Step::Held("third"))
            .until(json!({"event": {"delta": {"text": "The third"}}}))
            .prompt(&script(&["say The fourth is not asked."]))
            .until(json!({"command_uuid": "$PROMPT4", "state": "queued"}))
            .ask(json!({"subtype": "interrupt", "cancel_queued": true}))
            .settled(),
    )
}
