//! The scenarios that both programs play.

use serde_json::{Value, json};

use super::scenario::{Act::*, Reply, Scenario, agree};

fn interrupt() -> Value {
    json!({"subtype": "interrupt"})
}

pub fn all() -> Vec<Scenario> {
    let mut all = conversation();
    all.extend(tools());
    all.extend(permissions());
    all.extend(hooks());
    all.extend(control());
    all.extend(sessions());
    all.extend(tasks());
    all.extend(endings());
    all
}

fn conversation() -> Vec<Scenario> {
    vec![
        Scenario::new("text", vec![Say("hi\n#script\nsay Hello there, how are you today?\n#end"), Until("result"), Until("system/idle")]),
        Scenario::new("text-plain", vec![Say("#script\nsay Hello\n#end"), Until("result")]).args(&[]).env(&[("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "")]),
        Scenario::new("no-initialize", vec![Say("#script\nsay Hello\n#end"), Until("result")]).args(&[]).no_initialize(),
        Scenario::new("sdk-state", vec![Say("#script\nsay Hello\n#end"), Until("result")]).env(&[("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", ""), ("CLAUDE_CODE_SDK_READS_SESSION_STATE", "1")]),
        Scenario::new("thinking", vec![Say("#script\nthink Let me think about it.\nredacted\nsay Done\nsay Twice\n#end"), Until("result"), Until("system/idle")]),
        Scenario::new("two-turns", vec![Say("#script\nsay One\n#end"), Until("result"), Say("#script\nsay Two\n#end"), Until("result"), Until("system/idle")]),
        Scenario::new("replay", vec![Say("#script\ntool Write {\"file_path\":\"$CWD/x\",\"content\":\"y\"}\n---\nsay One\n#end"), Until("result"), Until("system/idle")]).more_args(&["--replay-user-messages"]),
        Scenario::new("queued", vec![
            Say("#script\nsay One\nhold a\nmore and\n#end"), Held("a"),
            Say("#script\nsay Two\n#end"), Say("#script\nsay Three\n#end"), Ask(json!({"subtype": "get_session_cost"})), Release("a"),
            Until("result"), Until("result"), Until("system/idle"),
        ]),
        Scenario::new("queued-tool", vec![
            Say("#script\nsay One\nhold a\ntool Bash {\"command\":\"echo a\"}\n---\nsay Three\n#end"), Held("a"),
            Say("#script\nsay Two\n#end"), Ask(json!({"subtype": "get_session_cost"})), Release("a"),
            Until("result"), Until("system/idle"),
        ]),
        Scenario::new("cancel-queued", vec![
            Say("#script\nsay One\nhold a\nmore and\n#end"), Held("a"),
            Say("#script\nsay Two\n#end"), Say("#script\nsay Three\n#end"),
            Ask(json!({"subtype": "cancel_async_message", "message_uuid": "$U2"})),
            Ask(json!({"subtype": "cancel_async_message", "message_uuid": "00000000-0000-4000-8000-000000000000"})),
            Release("a"), Until("result"), Until("result"), Until("system/idle"),
        ]),
        Scenario::new("interrupt-stream", vec![
            Say("#script\nsay This much\nhold a\nmore and\n#end"), Held("a"), Until("stream_event/content_block_delta"),
            Ask(interrupt()), Until("result"), Until("system/idle"), Say("#script\nsay Again\n#end"), Until("result"), Until("system/idle"),
        ]),
        Scenario::new("interrupt-queue", vec![
            Say("#script\nsay This much\nhold a\nmore and\n#end"), Held("a"), Until("stream_event/content_block_delta"),
            Say("#script\nsay Two\n#end"), Ask(interrupt()), Until("result"), Until("result"), Until("system/idle"),
        ]),
        Scenario::new("interrupt-cancel-queued", vec![
            Say("#script\nsay This much\nhold a\nmore and\n#end"), Held("a"), Until("stream_event/content_block_delta"),
            Say("#script\nsay Two\n#end"), Ask(json!({"subtype": "interrupt", "cancel_queued": true})), Until("result"), Until("system/idle"),
        ]),
        Scenario::new("interrupt-idle", vec![Ask(interrupt()), Say("#script\nsay Again\n#end"), Until("result"), Until("system/idle")]),
        Scenario::new("interrupt-bash", vec![
            Say("#script\ntool Bash {\"command\":\"touch started; tail -f /dev/null\",\"timeout\":100000}\n---\nsay Never\n#end"),
            Until("control_request/can_use_tool"), Ask(interrupt()), Until("result"), Until("system/idle"),
        ]),
        Scenario::new("max-turns", vec![
            Say("#script\ntool Read {\"file_path\":\"$CWD/a.txt\"}\n---\ntool Read {\"file_path\":\"$CWD/a.txt\"}\n---\nsay Never\n#end"), Until("result"),
        ]).files(&[("a.txt", "one\n")]).more_args(&["--max-turns=1"]),
        Scenario::new("structured", vec![Say("#script\ntool StructuredOutput {\"n\":7}\n---\nsay Done\n#end"), Until("result")])
            .more_args(&["--json-schema={\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"number\"}},\"required\":[\"n\"]}"]),
        Scenario::new("max-tokens", vec![Say("#script\nstop max_tokens\nsay half\n---\nsay rest\n#end"), Until("result")]),
        Scenario::new("refusal", vec![Say("#script\nstop refusal\nsay no\n#end"), Until("result")]),
        Scenario::new("api-retry", vec![Say("#script\nerror 529 x2 retry-after=0\n---\nsay Done\n#end"), Until("result"), Until("system/idle")]),
        Scenario::new("api-400", vec![Say("#script\nerror 400 x99\n#end"), Until("result"), Until("system/idle")]),
        Scenario::new("api-401", vec![Say("#script\nerror 401 x99\n#end"), Until("result"), Until("system/idle")]),
        Scenario::new("api-429", vec![Say("#script\nerror 429 x20 retry-after=0\n#end"), Until("result"), Until("system/idle")]).env(&[("CLAUDE_CODE_MAX_RETRIES", "1")]),
        Scenario::new("image", vec![Show(json!([
            {"type": "text", "text": "#script\nsay Seen\n#end"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}},
        ])), Until("result"), Until("system/idle")]),
        Scenario::new("server-tool", vec![Say("#script\nserver_tool web_search {\"query\":\"q\"} [{\"type\":\"web_search_result\",\"title\":\"t\",\"url\":\"http://x\",\"encrypted_content\":\"e\",\"page_age\":null}]\nsay found\n#end"), Until("result")]),
        Scenario::new("slash-cost", vec![Say("/cost"), Until("result"), Say("/context"), Until("result"), Say("/nosuch"), Until("result"), Say("/clear"), Until("result"), Say("#script\nsay after\n#end"), Until("result")]),
        Scenario::new("slash-compact", vec![Say("#script\nsay One\n#end"), Until("result"), Say("/compact"), Until("result"), Say("#script\nsay after\n#end"), Until("result"), Until("system/idle")]),
        Scenario::new("no-query", vec![
            Send(json!({"type": "user", "uuid": "00000000-0000-4000-8000-0000000000a1", "shouldQuery": false, "session_id": "", "parent_tool_use_id": null, "message": {"role": "user", "content": "note"}})),
            Say("#script\nsay Done\n#end"), Until("result"), Until("system/idle"),
        ]),
        Scenario::new("priority-now", vec![
            Say("#script\nsay One\nhold a\nmore and\n#end"), Held("a"), Until("stream_event/content_block_delta"),
            Send(json!({"type": "user", "uuid": "00000000-0000-4000-8000-0000000000a1", "priority": "now", "session_id": "", "parent_tool_use_id": null, "message": {"role": "user", "content": "#script\nsay Steered\n#end"}})),
            Until("result"), Until("result"), Until("system/idle"),
        ]),
    ]
}

fn tools() -> Vec<Scenario> {
    vec![
        Scenario::new("write", vec![Say("#script\nsay Writing.\ntool Write {\"file_path\":\"$CWD/new/a.txt\",\"content\":\"one\\ntwo\\n\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]),
        Scenario::new("write-update", vec![Say("#script\ntool Read {\"file_path\":\"$CWD/a.txt\"}\n---\ntool Write {\"file_path\":\"$CWD/a.txt\",\"content\":\"one\\n2\\nthree\\n\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]).files(&[("a.txt", "one\ntwo\nthree\n")]),
        Scenario::new("write-unread", vec![Say("#script\ntool Write {\"file_path\":\"$CWD/a.txt\",\"content\":\"x\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]).files(&[("a.txt", "one\ntwo\nthree\n")]),
        Scenario::new("edit", vec![Say("#script\ntool Read {\"file_path\":\"$CWD/a.txt\"}\n---\ntool Edit {\"file_path\":\"$CWD/a.txt\",\"old_string\":\"two\",\"new_string\":\"2\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]).files(&[("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n")]),
        Scenario::new("edit-all", vec![Say("#script\ntool Read {\"file_path\":\"$CWD/a.txt\"}\n---\ntool Edit {\"file_path\":\"$CWD/a.txt\",\"old_string\":\"o\",\"new_string\":\"0\",\"replace_all\":true}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]).files(&[("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n")]),
        Scenario::new("edit-bad", vec![Say("#script\ntool Edit {\"file_path\":\"$CWD/a.txt\",\"old_string\":\"nope\",\"new_string\":\"2\"}\n---\ntool Edit {\"file_path\":\"$CWD/a.txt\",\"old_string\":\"o\",\"new_string\":\"2\"}\n---\ntool Edit {\"file_path\":\"$CWD/none.txt\",\"old_string\":\"o\",\"new_string\":\"2\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]).files(&[("a.txt", "one\ntwo\n")]),
        Scenario::new("read", vec![Say("#script\ntool Read {\"file_path\":\"$CWD/a.txt\"}\n---\ntool Read {\"file_path\":\"$CWD/none.txt\"}\n---\ntool Read {\"file_path\":\"$CWD/a.txt\",\"offset\":2,\"limit\":1}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]).files(&[("a.txt", "one\ntwo\nthree\n")]),
        Scenario::new("bash", vec![Say("#script\ntool Bash {\"command\":\"echo out; echo err >&2\",\"description\":\"Say it\"}\n---\ntool Bash {\"command\":\"echo bad; exit 3\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]),
        Scenario::new("bash-write", vec![Say("#script\ntool Bash {\"command\":\"echo x > made.txt\"}\n---\ntool Bash {\"command\":\"mkdir d && npm run build\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]),
        Scenario::new("parallel", vec![Say("#script\ntool Bash {\"command\":\"touch a\"}\ntool Bash {\"command\":\"touch b\"}\ntool Read {\"file_path\":\"$CWD/a.txt\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]).files(&[("a.txt", "one\n")]),
        Scenario::new("search", vec![Say("#script\ntool Glob {\"pattern\":\"**/*.txt\"}\n---\ntool Grep {\"pattern\":\"tw\"}\n---\ntool Grep {\"pattern\":\"tw\",\"output_mode\":\"content\",\"-n\":true}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]).files(&[("a.txt", "one\ntwo\n"), ("d/b.txt", "three\n")]).more_args(&["--tools=default,Glob,Grep"]),
        Scenario::new("todos", vec![Say("#script\ntool TodoWrite {\"todos\":[{\"content\":\"a\",\"status\":\"pending\",\"activeForm\":\"doing a\"}]}\n---\ntool TaskCreate {\"subject\":\"s\",\"description\":\"d\"}\n---\ntool TaskUpdate {\"taskId\":\"1\",\"status\":\"in_progress\"}\n---\ntool TaskList {}\n---\ntool TaskGet {\"taskId\":\"1\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]),
        Scenario::new("unknown-tool", vec![Say("#script\ntool Nonsense {\"a\":1}\n---\ntool Write {\"path\":1}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]),
        Scenario::new("question", vec![Say("#script\ntool AskUserQuestion {\"questions\":[{\"question\":\"Which?\",\"header\":\"Pick\",\"options\":[{\"label\":\"A\",\"description\":\"a\"},{\"label\":\"B\",\"description\":\"b\"}],\"multiSelect\":false}]}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]).answer(|request| match request["subtype"].as_str() {
            Some("can_use_tool") => {
                let mut input = request["input"].clone();
                input["answers"] = json!({"Which?": "A"});
                Reply::Payload(json!({"behavior": "allow", "updatedInput": input}))
            }
            _ => agree(request),
        }),
        Scenario::new("plan", vec![Say("#script\ntool EnterPlanMode {}\n---\ntool ExitPlanMode {\"plan\":\"# Plan\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]),
        Scenario::new("plan-setmode", vec![Say("#script\ntool Write {\"file_path\":\"$CWD/a.txt\",\"content\":\"x\"}\n---\ntool ExitPlanMode {\"plan\":\"# Plan\"}\n---\ntool Write {\"file_path\":\"$CWD/b.txt\",\"content\":\"x\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")])
            .args(&["--permission-prompt-tool=stdio", "--permission-mode=plan", "--include-partial-messages"])
            .answer(|request| match request["tool_name"].as_str() {
                Some("ExitPlanMode") => Reply::Payload(json!({"behavior": "allow", "updatedInput": request["input"], "updatedPermissions": [{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]})),
                _ => agree(request),
            }),
        Scenario::new("plan-deny", vec![Say("#script\ntool ExitPlanMode {\"plan\":\"# Plan\"}\n---\nsay Never.\n#end"), Until("result"), Until("system/idle")])
            .args(&["--permission-prompt-tool=stdio", "--permission-mode=plan"])
            .answer(|request| match request["tool_name"].as_str() {
                Some("ExitPlanMode") => Reply::Payload(json!({"behavior": "deny", "message": "More detail", "interrupt": true})),
                _ => agree(request),
            }),
        Scenario::new("mcp", vec![
            Say("#script\ntool mcp__calc__add {\"a\":1,\"b\":2}\n---\ntool mcp__calc__fail {}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle"),
            Ask(json!({"subtype": "mcp_status"})),
        ]).initialize(json!({"sdkMcpServers": ["calc"]})),
        Scenario::new("mcp-config", vec![
            Say("#script\ntool mcp__calc__add {\"a\":1,\"b\":2}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle"),
        ]).args(&["--permission-prompt-tool=stdio", "--permission-mode=default", "--allowedTools=mcp__calc__add", "--mcp-config={\"mcpServers\":{\"calc\":{\"type\":\"sdk\",\"name\":\"calc\"}}}"]),
    ]
}

fn deny(request: &Value) -> Reply {
    match request["subtype"].as_str() {
        Some("can_use_tool") => {
            Reply::Payload(json!({"behavior": "deny", "message": "Not that one"}))
        }
        _ => agree(request),
    }
}

const WRITE: &str =
    "#script\ntool Write {\"file_path\":\"$CWD/a.txt\",\"content\":\"x\"}\n---\nsay Done.\n#end";
const BASH: &str = "#script\ntool Bash {\"command\":\"touch made.txt\"}\n---\nsay Done.\n#end";

fn permissions() -> Vec<Scenario> {
    vec![
        Scenario::new("deny", vec![Say(WRITE), Until("result"), Until("system/idle")]).answer(deny),
        Scenario::new("deny-bash", vec![Say(BASH), Until("result"), Until("system/idle")]).answer(deny),
        Scenario::new("deny-interrupt", vec![Say(WRITE), Until("result"), Until("system/idle"), Say("#script\nsay Next\n#end"), Until("result")]).answer(|request| match request["subtype"].as_str() {
            Some("can_use_tool") => Reply::Payload(json!({"behavior": "deny", "message": "Not that one", "interrupt": true})),
            _ => agree(request),
        }),
        Scenario::new("permission-error", vec![Say(WRITE), Until("result"), Until("system/idle")]).answer(|_| Reply::Error("went wrong")),
        Scenario::new("edited-input", vec![Say("#script\ntool Bash {\"command\":\"touch one\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]).answer(|request| match request["subtype"].as_str() {
            Some("can_use_tool") => Reply::Payload(json!({"behavior": "allow", "updatedInput": {"command": "touch two"}})),
            _ => agree(request),
        }),
        Scenario::new("suggestions", vec![Say("#script\ntool Write {\"file_path\":\"$CWD/a.txt\",\"content\":\"x\"}\n---\ntool Write {\"file_path\":\"$CWD/b.txt\",\"content\":\"x\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]).answer(|request| match request["subtype"].as_str() {
            Some("can_use_tool") => Reply::Payload(json!({"behavior": "allow", "updatedInput": request["input"], "updatedPermissions": request["permission_suggestions"]})),
            _ => agree(request),
        }),
        Scenario::new("add-rules", vec![Say("#script\ntool Bash {\"command\":\"touch a\"}\n---\ntool Bash {\"command\":\"touch a\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]).answer(|request| match request["subtype"].as_str() {
            Some("can_use_tool") => Reply::Payload(json!({"behavior": "allow", "updatedInput": request["input"], "updatedPermissions": [
                {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "touch:*"}], "behavior": "allow", "destination": "localSettings"},
                {"type": "addRules", "rules": [{"toolName": "Read"}], "behavior": "allow", "destination": "projectSettings"},
                {"type": "addRules", "rules": [{"toolName": "WebFetch"}], "behavior": "deny", "destination": "userSettings"},
                {"type": "addDirectories", "directories": ["/opt"], "destination": "session"},
            ]})),
            _ => agree(request),
        }),
        Scenario::new("allowed-tools", vec![Say("#script\ntool Bash {\"command\":\"touch a\"}\n---\ntool Write {\"file_path\":\"$CWD/b\",\"content\":\"x\"}\n---\ntool Bash {\"command\":\"rm a\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")])
            .more_args(&["--allowedTools=Bash(touch:*),Write", "--disallowedTools=WebFetch,Bash(rm:*)"]),
        Scenario::new("accept-edits", vec![Say("#script\ntool Write {\"file_path\":\"$CWD/a.txt\",\"content\":\"x\"}\n---\ntool Bash {\"command\":\"mkdir d\"}\n---\ntool Bash {\"command\":\"npm run x\"}\n---\ntool Write {\"file_path\":\"$HOME/out.txt\",\"content\":\"x\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")])
            .args(&["--permission-prompt-tool=stdio", "--permission-mode=acceptEdits"]),
        Scenario::new("dont-ask", vec![Say(WRITE), Until("result"), Until("system/idle")]).args(&["--permission-prompt-tool=stdio", "--permission-mode=dontAsk"]),
        Scenario::new("no-prompt-tool", vec![Say(WRITE), Until("result"), Until("system/idle")]).args(&["--permission-mode=default"]),
        Scenario::new("no-mode", vec![Say(WRITE), Until("result"), Until("system/idle")]).args(&["--permission-prompt-tool=stdio"]),
        Scenario::new("bypass", vec![Say(WRITE), Until("result"), Until("system/idle")]).args(&["--permission-prompt-tool=stdio", "--permission-mode=bypassPermissions", "--allow-dangerously-skip-permissions"]).env(&[("IS_SANDBOX", "1")]),
        Scenario::new("bypass-root", vec![Say(WRITE), Until("result"), Until("system/idle")]).args(&["--permission-prompt-tool=stdio", "--permission-mode=bypassPermissions", "--allow-dangerously-skip-permissions"]),
        Scenario::new("read-outside", vec![Say("#script\ntool Read {\"file_path\":\"$HOME/secret.txt\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]),
        Scenario::new("permission-interrupt", vec![Say(WRITE), Until("control_request/can_use_tool"), Ask(interrupt()), Until("result"), Until("system/idle"), Say("#script\nsay Next\n#end"), Until("result")])
            .answer(|request| match request["subtype"].as_str() { Some("can_use_tool") => Reply::Silence, _ => agree(request) }),
        Scenario::new("reinitialize", vec![Say(WRITE), Until("control_request/can_use_tool"), Ask(json!({"subtype": "initialize"})), Ask(interrupt()), Until("result"), Until("system/idle")])
            .answer(|request| match request["subtype"].as_str() { Some("can_use_tool") => Reply::Silence, _ => agree(request) }),
        Scenario::new("mode-change", vec![
            Ask(json!({"subtype": "set_permission_mode", "mode": "acceptEdits"})), Say(WRITE), Until("result"), Until("system/idle"),
            Ask(json!({"subtype": "set_permission_mode", "mode": "bypassPermissions"})), Ask(json!({"subtype": "set_permission_mode", "mode": "nonsense"})),
            Ask(json!({"subtype": "set_permission_mode", "mode": "plan"})), Ask(json!({"subtype": "set_permission_mode", "mode": "default"})),
        ]),
    ]
}

fn hook(request: &Value, event: &str, output: Value) -> Reply {
    if request["subtype"] == "hook_callback" && request["input"]["hook_event_name"] == event {
        Reply::Payload(output)
    } else {
        agree(request)
    }
}

fn hooks() -> Vec<Scenario> {
    let register = |event: &str| json!({"hooks": {event: [{"hookCallbackIds": ["h0"]}]}});
    vec![
        Scenario::new("hooks-all", vec![Say(WRITE), Until("result"), Until("system/idle")]).initialize(json!({"hooks": {
            "PreToolUse": [{"matcher": "Write|Edit", "hookCallbackIds": ["pre"]}, {"matcher": "Bash", "hookCallbackIds": ["never"]}],
            "PostToolUse": [{"hookCallbackIds": ["post"]}], "UserPromptSubmit": [{"hookCallbackIds": ["submit"]}],
            "Stop": [{"hookCallbackIds": ["stop"]}], "SessionStart": [{"hookCallbackIds": ["start"]}], "SessionEnd": [{"hookCallbackIds": ["end"]}],
            "PermissionRequest": [{"hookCallbackIds": ["ask"]}], "Notification": [{"hookCallbackIds": ["note"]}], "PostToolBatch": [{"hookCallbackIds": ["batch"]}],
        }})),
        Scenario::new("hooks-events", vec![Say(WRITE), Until("result"), Until("system/idle")]).more_args(&["--include-hook-events"]).initialize(json!({"hooks": {
            "PreToolUse": [{"hookCallbackIds": ["pre"]}], "PostToolUse": [{"hookCallbackIds": ["post"]}], "UserPromptSubmit": [{"hookCallbackIds": ["submit"]}], "Stop": [{"hookCallbackIds": ["stop"]}],
        }})),
        Scenario::new("hook-pre-deny", vec![Say(WRITE), Until("result"), Until("system/idle")]).initialize(register("PreToolUse"))
            .answer(|request| hook(request, "PreToolUse", json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "not here"}}))),
        Scenario::new("hook-pre-block", vec![Say(WRITE), Until("result"), Until("system/idle")]).initialize(register("PreToolUse"))
            .answer(|request| hook(request, "PreToolUse", json!({"decision": "block", "reason": "not here"}))),
        Scenario::new("hook-pre-allow", vec![Say(WRITE), Until("result"), Until("system/idle")]).initialize(register("PreToolUse"))
            .answer(|request| hook(request, "PreToolUse", json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "permissionDecisionReason": "fine", "updatedInput": {"file_path": "/tmp/pilothouse-never/../../dev/null", "content": "y"}}}))),
        Scenario::new("hook-pre-ask", vec![Say("#script\ntool Read {\"file_path\":\"$CWD/a.txt\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]).files(&[("a.txt", "one\n")]).initialize(register("PreToolUse"))
            .answer(|request| hook(request, "PreToolUse", json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "look first"}}))),
        Scenario::new("hook-pre-stop", vec![Say(WRITE), Until("result"), Until("system/idle")]).initialize(register("PreToolUse"))
            .answer(|request| hook(request, "PreToolUse", json!({"continue": false, "stopReason": "enough"}))),
        Scenario::new("hook-pre-context", vec![Say(WRITE), Until("result"), Until("system/idle")]).initialize(register("PreToolUse"))
            .answer(|request| hook(request, "PreToolUse", json!({"systemMessage": "look", "hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "extra"}}))),
        Scenario::new("hook-pre-error", vec![Say(WRITE), Until("result"), Until("system/idle")]).initialize(register("PreToolUse"))
            .answer(|request| if request["subtype"] == "hook_callback" { Reply::Error("hook broke") } else { agree(request) }),
        Scenario::new("hook-post-block", vec![Say(WRITE), Until("result"), Until("system/idle")]).initialize(register("PostToolUse"))
            .answer(|request| hook(request, "PostToolUse", json!({"decision": "block", "reason": "bad result"}))),
        Scenario::new("hook-post-context", vec![Say(WRITE), Until("result"), Until("system/idle")]).initialize(register("PostToolUse"))
            .answer(|request| hook(request, "PostToolUse", json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "extra"}}))),
        Scenario::new("hook-post-failure", vec![Say("#script\ntool Bash {\"command\":\"exit 2\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle")]).initialize(register("PostToolUseFailure")),
        Scenario::new("hook-prompt-block", vec![Say("#script\nsay Never\n#end"), Until("result"), Until("system/idle")]).initialize(register("UserPromptSubmit"))
            .answer(|request| hook(request, "UserPromptSubmit", json!({"decision": "block", "reason": "no such prompts"}))),
        Scenario::new("hook-prompt-context", vec![Say("#script\nsay Done\n#end"), Until("result"), Until("system/idle")]).initialize(register("UserPromptSubmit"))
            .answer(|request| hook(request, "UserPromptSubmit", json!({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "extra"}}))),
        Scenario::new("hook-stop-block", vec![Say("#script\nsay One\n---\nsay Two\n#end"), Until("result"), Until("system/idle")]).initialize(register("Stop"))
            .answer(|request| if request["input"]["stop_hook_active"] == false { hook(request, "Stop", json!({"decision": "block", "reason": "go on"})) } else { agree(request) }),
        Scenario::new("hook-session-start", vec![Say("#script\nsay One\n#end"), Until("result"), Until("system/idle")]).initialize(register("SessionStart")),
        Scenario::new("hook-permission-request", vec![Say(WRITE), Until("result"), Until("system/idle")]).initialize(register("PermissionRequest"))
            .answer(|request| hook(request, "PermissionRequest", json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}))),
        Scenario::new("hook-subagent", vec![
            Say("#script\ntool Agent {\"description\":\"count\",\"prompt\":\"#script\\nsay seven\\n#end\",\"subagent_type\":\"general-purpose\",\"run_in_background\":false}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle"),
        ]).initialize(json!({"hooks": {"SubagentStart": [{"hookCallbackIds": ["s1"]}], "SubagentStop": [{"hookCallbackIds": ["s2"]}], "PreToolUse": [{"hookCallbackIds": ["pre"]}]}})),
    ]
}

fn control() -> Vec<Scenario> {
    let ask = |subtype: &str| Ask(json!({"subtype": subtype}));
    vec![
        Scenario::new("control", vec![
            ask("mcp_status"), ask("get_settings"), ask("list_models"), ask("get_usage"), ask("get_session_cost"), ask("get_binary_version"),
            ask("list_permission_rules"), ask("get_plan"), Ask(json!({"subtype": "get_context_usage", "detail": "summary"})),
            Ask(json!({"subtype": "set_model", "model": "sonnet"})), Ask(json!({"subtype": "set_max_thinking_tokens", "max_thinking_tokens": 1000})),
            Ask(json!({"subtype": "apply_flag_settings", "settings": {"effortLevel": "low"}})), Ask(json!({"subtype": "rename_session", "title": "A name"})),
            Ask(json!({"subtype": "no_such_thing"})), Ask(json!({"subtype": "stop_task", "task_id": "none"})), Ask(json!({"subtype": "background_tasks"})),
            Ask(json!({"subtype": "rewind_files", "user_message_id": "none"})), Ask(json!({"subtype": "file_suggestions", "query": "a"})),
            Ask(json!({"subtype": "read_file", "path": "a.txt"})), Ask(json!({"subtype": "generate_session_title", "description": "d", "persist": false})),
            Ask(json!({"subtype": "mcp_set_servers", "servers": {}})), Ask(json!({"subtype": "mcp_reconnect", "serverName": "none"})), Ask(json!({"subtype": "mcp_toggle", "serverName": "none", "enabled": false})),
            Ask(json!({"subtype": "get_task_output", "task_id": "none"})), Ask(json!({"subtype": "seed_read_state", "path": "a.txt", "mtime": 1})), Ask(json!({"subtype": "set_color", "color": "red"})),
            Ask(json!({"subtype": "reload_plugins"})), Ask(json!({"subtype": "reload_skills"})), Ask(json!({"subtype": "get_hooks_listing"})), Ask(json!({"subtype": "reload_output_styles"})),
            Ask(json!({"subtype": "update_settings", "source": "localSettings", "settings": {"outputStyle": "default"}})), Ask(json!({"subtype": "set_has_subscribers", "has_subscribers": true})),
            Send(json!({"type": "keep_alive"})), Send(json!({"type": "update_environment_variables", "variables": {"A": "b"}})),
            Say("#script\nsay Done.\n#end"), Until("result"), Until("system/idle"), ask("get_usage"), Ask(json!({"subtype": "get_context_usage", "detail": "full"})),
        ]).files(&[("a.txt", "one\n")]),
        Scenario::new("rewind", vec![
            Say("#script\ntool Write {\"file_path\":\"$CWD/a.txt\",\"content\":\"new\\n\"}\n---\nsay One.\n#end"), Until("result"),
            Say("#script\ntool Read {\"file_path\":\"$CWD/b.txt\"}\n---\ntool Edit {\"file_path\":\"$CWD/b.txt\",\"old_string\":\"two\",\"new_string\":\"2\"}\n---\nsay Two.\n#end"), Until("result"), Until("system/idle"),
            Ask(json!({"subtype": "rewind_files", "user_message_id": "$U2", "dry_run": true})),
            Ask(json!({"subtype": "rewind_files", "user_message_id": "$U1", "dry_run": true})),
            Ask(json!({"subtype": "rewind_files", "user_message_id": "$U1"})),
            Ask(json!({"subtype": "rewind_files", "user_message_id": "00000000-0000-4000-8000-000000000000"})),
        ]).env(&[("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "true")]).files(&[("b.txt", "one\ntwo\n")]),
        Scenario::new("bad-control", vec![Send(json!({"type": "control_request", "request_id": "x", "request": {}})), Send(json!({"type": "nonsense"})), Say("#script\nsay Done.\n#end"), Until("result")]),
    ]
}

fn sessions() -> Vec<Scenario> {
    vec![
        Scenario::new(
            "resume",
            vec![
                Say("#script\nsay One\n#end"),
                Until("result"),
                Restart(vec!["--resume=$SESSION"]),
                Say("#script\nsay Two\n#end"),
                Until("result"),
                Until("system/idle"),
            ],
        ),
        Scenario::new(
            "continue",
            vec![
                Say("#script\nsay One\n#end"),
                Until("result"),
                Restart(vec!["--continue"]),
                Say("#script\nsay Two\n#end"),
                Until("result"),
                Until("system/idle"),
            ],
        ),
        Scenario::new(
            "fork",
            vec![
                Say("#script\nsay One\n#end"),
                Until("result"),
                Restart(vec!["--resume=$SESSION", "--fork-session"]),
                Say("#script\nsay Two\n#end"),
                Until("result"),
                Until("system/idle"),
            ],
        ),
        Scenario::new(
            "resume-at",
            vec![
                Say("#script\nsay One\n#end"),
                Until("result"),
                Say("#script\nsay Two\n#end"),
                Until("result"),
                Restart(vec!["--resume=$SESSION", "--resume-session-at=$A1"]),
                Say("#script\nsay Three\n#end"),
                Until("result"),
                Until("system/idle"),
            ],
        ),
        Scenario::new("resume-unknown", vec![Say("#script\nsay One\n#end"), Until("result")])
            .more_args(&["--resume=00000000-0000-4000-8000-000000000000"]),
        Scenario::new(
            "resume-at-unknown",
            vec![
                Say("#script\nsay One\n#end"),
                Until("result"),
                Restart(vec![
                    "--resume=$SESSION",
                    "--resume-session-at=00000000-0000-4000-8000-000000000000",
                ]),
                Say("#script\nsay Three\n#end"),
                Until("result"),
            ],
        ),
        Scenario::new(
            "session-id",
            vec![
                Say("#script\nsay One\n#end"),
                Until("result"),
                Until("system/idle"),
                Restart(vec![]),
            ],
        )
        .more_args(&["--session-id=11111111-2222-4333-8444-555555555555"]),
        Scenario::new("continue-nothing", vec![Say("#script\nsay One\n#end"), Until("result")])
            .more_args(&["--continue"]),
    ]
}

fn tasks() -> Vec<Scenario> {
    vec![
        Scenario::new("agent", vec![
            Say("#script\ntool Agent {\"description\":\"count\",\"prompt\":\"#script\\ntool Bash {\\\"command\\\":\\\"touch seven\\\"}\\n---\\nsay seven\\n#end\",\"subagent_type\":\"general-purpose\",\"run_in_background\":false}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle"),
        ]),
        Scenario::new("agent-forward", vec![
            Say("#script\ntool Agent {\"description\":\"count\",\"prompt\":\"#script\\nthink hm\\nsay six\\ntool Read {\\\"file_path\\\":\\\"$CWD/a.txt\\\"}\\n---\\nsay seven\\n#end\",\"subagent_type\":\"general-purpose\",\"run_in_background\":false}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle"),
        ]).initialize(json!({"forwardSubagentText": true})).files(&[("a.txt", "one\n")]),
        Scenario::new("agent-background", vec![
            Say("#script\ntool Agent {\"description\":\"count\",\"prompt\":\"#script\\nhold b\\nsay seven\\n#end\",\"subagent_type\":\"general-purpose\",\"run_in_background\":true}\n---\nsay Done.\n#end"), Until("result"), Held("b"), Release("b"), Until("result"), Until("system/idle"),
        ]),
        Scenario::new("agent-stop", vec![
            Say("#script\ntool Agent {\"description\":\"count\",\"prompt\":\"#script\\nhold b\\nsay seven\\n#end\",\"subagent_type\":\"general-purpose\",\"run_in_background\":true}\n---\nsay Done.\n#end"), Until("result"), Held("b"), Ask(json!({"subtype": "stop_task", "task_id": "$TASK"})), Until("system/idle"),
        ]),
        Scenario::new("agent-unknown", vec![
            Say("#script\ntool Agent {\"description\":\"count\",\"prompt\":\"p\",\"subagent_type\":\"nobody\"}\n---\nsay Done.\n#end"), Until("result"), Until("system/idle"),
        ]),
        Scenario::new("bash-background", vec![
            Say("#script\ntool Bash {\"command\":\"echo from-bg\",\"run_in_background\":true}\n---\nsay Done.\n#end"), Until("result"), Until("system/task_notification"), Until("system/idle"),
        ]),
        Scenario::new("bash-background-stop", vec![
            Say("#script\ntool Bash {\"command\":\"tail -f /dev/null\",\"run_in_background\":true}\n---\nsay Done.\n#end"), Until("result"), Ask(json!({"subtype": "stop_task", "task_id": "$TASK"})), Until("system/task_notification"), Ask(json!({"subtype": "get_task_output", "task_id": "$TASK"})),
        ]),
        Scenario::new("background-tasks", vec![
            Say("#script\ntool Bash {\"command\":\"tail -f /dev/null\",\"timeout\":300000}\n---\nsay Done.\n#end"), Until("system/task_started"), Ask(json!({"subtype": "background_tasks"})), Until("result"), Ask(json!({"subtype": "stop_task", "task_id": "$TASK"})), Until("system/task_notification"),
        ]),
    ]
}

fn endings() -> Vec<Scenario> {
    vec![
        Scenario::new(
            "eof-mid-turn",
            vec![
                Say("#script\nsay One\nhold a\nmore Two\n#end"),
                Held("a"),
                Eof,
                Release("a"),
                Until("result"),
            ],
        ),
        Scenario::new(
            "eof-at-permission",
            vec![
                Say(WRITE),
                Until("control_request/can_use_tool"),
                Eof,
                Until("result"),
            ],
        )
        .answer(|request| match request["subtype"].as_str() {
            Some("can_use_tool") => Reply::Silence,
            _ => agree(request),
        }),
        Scenario::new("not-json", vec![Line("this is not JSON"), Until("result")]),
        Scenario::new(
            "terminate",
            vec![
                Say("#script\nsay One\nhold a\nmore Two\n#end"),
                Held("a"),
                Until("stream_event/content_block_delta"),
                Terminate,
                Until("result"),
            ],
        ),
        Scenario::new(
            "terminate-idle",
            vec![
                Say("#script\nsay One\n#end"),
                Until("result"),
                Until("system/idle"),
                Terminate,
                Until("result"),
            ],
        ),
        Scenario::new("nothing", vec![]),
        Scenario::new("x-login", vec![Say("#script\nsay One\n#end"), Until("result"), Until("system/idle")]).env(&[("ANTHROPIC_API_KEY", "")]),
        Scenario::new("x-nouuid", vec![Send(json!({"type": "user", "session_id": "default", "parent_tool_use_id": null, "message": {"role": "user", "content": "#script\nsay Done\n#end"}})), Until("result"), Until("system/idle")]),
        Scenario::new("x-nouuid-q", vec![Say("#script\nsay One\nhold a\nmore x\n#end"), Held("a"), Send(json!({"type": "user", "session_id": "default", "parent_tool_use_id": null, "message": {"role": "user", "content": "#script\nsay Done\n#end"}})), Ask(json!({"subtype": "interrupt"})), Until("result"), Until("result"), Until("system/idle")]).more_args(&["--replay-user-messages"]),
        Scenario::new("x-agents", vec![Say("#script\ntool Agent {\"description\":\"a\",\"prompt\":\"#script\\ntool Read {\\\"file_path\\\":\\\"$CWD/a.txt\\\"}\\n---\\nsay six\\n#end\",\"subagent_type\":\"general-purpose\",\"run_in_background\":false}\ntool Agent {\"description\":\"b\",\"prompt\":\"#script\\nsay seven\\n#end\",\"subagent_type\":\"general-purpose\",\"run_in_background\":false}\n---\nsay Done\n#end"), Until("result"), Until("system/idle")]).files(&[("a.txt", "one\n")]),
        Scenario::new("x-agent-default", vec![Say("#script\ntool Agent {\"description\":\"a\",\"prompt\":\"#script\\nsay six\\n#end\",\"subagent_type\":\"general-purpose\"}\n---\nsay Done\n#end"), Until("result"), Until("system/idle")]),
        Scenario::new("x-agent-interrupt", vec![Say("#script\ntool Agent {\"description\":\"a\",\"prompt\":\"#script\\nhold b\\nsay six\\n#end\",\"subagent_type\":\"general-purpose\",\"run_in_background\":false}\n---\nsay Done\n#end"), Held("b"), Until("system/task_started"), Ask(json!({"subtype": "interrupt"})), Until("result"), Until("system/idle")]),
        Scenario::new("x-hold-bash", vec![Say("#script\ntool Bash {\"command\":\"until [ -e go ]; do read -t 0.1 x < /dev/zero; done\"}\n---\nsay Never\n#end"), Until("control_request/can_use_tool"), Until("system/running"), Until("system/task_started"), Ask(json!({"subtype": "interrupt"})), Until("result"), Until("system/idle")]),
        Scenario::new("x-timeout", vec![Say("#script\ntool Bash {\"command\":\"echo a; tail -f /dev/null\",\"timeout\":500}\n---\nsay Done\n#end"), Until("result"), Until("system/idle")]),
        Scenario::new("x-mode-auto", vec![Ask(json!({"subtype": "set_permission_mode", "mode": "auto"})), Ask(json!({"subtype": "set_permission_mode", "mode": "dontAsk"})), Ask(json!({"subtype": "set_model", "model": "nonsense"})), Ask(json!({"subtype": "set_model", "model": null})), Ask(json!({"subtype": "set_model"}))]),
        Scenario::new("x-500", vec![Say("#script\nerror 500 x99\n#end"), Until("result"), Until("system/idle")]).env(&[("CLAUDE_CODE_MAX_RETRIES", "1")]),
        Scenario::new("x-529", vec![Say("#script\nerror 529 x99\n#end"), Until("result"), Until("system/idle")]).env(&[("CLAUDE_CODE_MAX_RETRIES", "1")]),
        Scenario::new("x-404", vec![Say("#script\nerror 404 x99\n#end"), Until("result"), Until("system/idle")]).env(&[("CLAUDE_CODE_MAX_RETRIES", "1")]),
        Scenario::new("x-toolong", vec![Say("#script\nerror 400 x99 message=prompt is too long: 210000 tokens > 200000 maximum\n#end"), Until("result"), Until("system/idle")]).env(&[("CLAUDE_CODE_MAX_RETRIES", "1")]),
        Scenario::new("x-cut", vec![Say("#script\nsay half\ncut\nmore whole\n#end"), Until("result"), Until("system/idle")]).env(&[("CLAUDE_CODE_MAX_RETRIES", "1")]),
        Scenario::new("x-setmode-mid", vec![Say("#script\nsay half\nhold a\nmore whole\n#end"), Held("a"), Ask(json!({"subtype": "set_permission_mode", "mode": "plan"})), Release("a"), Until("result"), Until("system/idle")]),
        Scenario::new("x-plan-file", vec![Say("#script\ntool Write {\"file_path\":\"$HOME/.claude/plans/x.md\",\"content\":\"p\"}\n---\ntool ExitPlanMode {}\n---\nsay Never.\n#end"), Until("result"), Until("system/idle"), Ask(json!({"subtype": "get_plan"}))]).args(&["--permission-prompt-tool=stdio", "--permission-mode=plan"]),
        Scenario::new("x-hook-sub", vec![Say("#script\ntool Bash {\"command\":\"echo hi\"}\n---\nsay Done\n#end"), Until("result"), Until("system/idle")]).initialize(json!({"hooks": {"PreToolUse": [{"hookCallbackIds": ["a", "b"]}, {"matcher": "Ba.*", "hookCallbackIds": ["c"]}, {"matcher": "*", "hookCallbackIds": ["d"]}, {"matcher": "ba", "hookCallbackIds": ["e"]}]}})),
        Scenario::new("x-hook-update", vec![Say("#script\ntool Bash {\"command\":\"echo hi\"}\n---\nsay Done\n#end"), Until("result"), Until("system/idle")]).initialize(json!({"hooks": {"PreToolUse": [{"hookCallbackIds": ["a"]}], "PostToolUse": [{"hookCallbackIds": ["b"]}], "PostToolUseFailure": [{"hookCallbackIds": ["f"]}], "PermissionDenied": [{"hookCallbackIds": ["pd"]}], "StopFailure": [{"hookCallbackIds": ["sf"]}], "TaskCreated": [{"hookCallbackIds": ["tc"]}]}}))
            .answer(|request| match request["input"]["hook_event_name"].as_str() { Some("PreToolUse") => Reply::Payload(json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"command": "echo changed"}}})), Some("PostToolUse") => Reply::Payload(json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": {"stdout": "other", "stderr": "", "interrupted": false}}})), _ => agree(request) }),
        Scenario::new("x-stop-halt", vec![Say("#script\nsay One\n---\nsay Two\n#end"), Until("result"), Until("system/idle")]).initialize(json!({"hooks": {"Stop": [{"hookCallbackIds": ["a"]}]}}))
            .answer(|request| match request["input"]["hook_event_name"].as_str() { Some("Stop") => Reply::Payload(json!({"continue": false, "stopReason": "enough"})), _ => agree(request) }),
        Scenario::new("x-post-halt", vec![Say(WRITE), Until("result"), Until("system/idle")]).initialize(json!({"hooks": {"PostToolUse": [{"hookCallbackIds": ["a"]}]}}))
            .answer(|request| match request["input"]["hook_event_name"].as_str() { Some("PostToolUse") => Reply::Payload(json!({"continue": false, "stopReason": "enough"})), _ => agree(request) }),
        Scenario::new("x-prompt-halt", vec![Say(WRITE), Until("result"), Until("system/idle")]).initialize(json!({"hooks": {"UserPromptSubmit": [{"hookCallbackIds": ["a"]}]}}))
            .answer(|request| match request["input"]["hook_event_name"].as_str() { Some("UserPromptSubmit") => Reply::Payload(json!({"continue": false, "stopReason": "enough"})), _ => agree(request) }),
    ]
}
