//! Hooks: callbacks of the host, and commands in the settings.

use serde_json::json;

use crate::cli::CliVersion::{V2_1_62, V2_1_325};
use crate::record::scenario::{Permission, Run, Scenario, script, tool};

const TOOL_EVENTS: [&str; 6] = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "PermissionRequest",
    "PermissionDenied",
];

const SESSION_EVENTS: [&str; 19] = [
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "Notification",
    "TaskCreated",
    "TaskCompleted",
    "ConfigChange",
    "InstructionsLoaded",
    "CwdChanged",
    "MessageDisplay",
];

pub(super) fn all() -> Vec<Scenario> {
    vec![
        Scenario::new("hooks-tools").run(
            Run::brief()
                .flag_since(V2_1_325, "--include-hook-events")
                .listen(&TOOL_EVENTS)
                .hook("PreToolUse", decision("allow", "fine with me"))
                .hook("PreToolUse", decision("deny", "not this one"))
                .hook("PreToolUse", decision("ask", "let them decide"))
                .hook(
                    "PreToolUse",
                    json!({"hookSpecificOutput": {
                        "hookEventName": "PreToolUse",
                        "permissionDecision": "allow",
                        "updatedInput": {"command": "touch five", "description": "make five"},
                    }}),
                )
                .hook(
                    "PostToolUse",
                    json!({
                        "systemMessage": "a message for the user",
                        "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "it went well"},
                    }),
                )
                .turn(&script(&[
                    &touch("one"),
                    &touch("two"),
                    &touch("three"),
                    &touch("four"),
                    r#"tool Bash {"command":"exit 4","description":"fail"}"#,
                    "say All of them.",
                ])),
        ),
        Scenario::new("hooks-permission").since(V2_1_62).run(
            Run::brief()
                .listen(&TOOL_EVENTS)
                .permission("Bash", Permission::Open)
                .hook(
                    "PermissionRequest",
                    json!({"hookSpecificOutput": {
                        "hookEventName": "PermissionRequest",
                        "decision": {"behavior": "deny", "message": "the hook says no"},
                    }}),
                )
                .turn(&script(&[&touch("one"), "say It was refused."])),
        ),
        Scenario::new("hooks-session")
            .file("CLAUDE.md", "Be brief.\n")
            .file(".claude/commands/greet.md", "---\ndescription: says hello\n---\nSay hello to $1.\n#script\nsay Hello to you.\n#end\n")
            .run(
            Run::brief()
                .flag_since(V2_1_325, "--include-hook-events")
                .listen(&SESSION_EVENTS)
                .hook(
                    "UserPromptSubmit",
                    json!({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "it is raining"}}),
                )
                .hook("UserPromptSubmit", json!({"decision": "block", "reason": "no more prompts"}))
                .hook("Stop", json!({"decision": "block", "reason": "not yet"}))
                .turn(&script(&["say I stop here.", "say Now I do."]))
                .turn(&script(&["say This is not asked."]))
                .turn(&script(&[&agent(), "say Counted."]))
                .ask(json!({"subtype": "set_model", "model": "haiku"}))
                .turn("/greet everybody")
                .turn("/compact")
                .turn("/clear")
                .turn(&script(&["error 400 x9 message=scripted refusal\nsay Not reached."])),
        ),
        Scenario::new("hooks-worktree").since(V2_1_325).file("side/note.txt", "beside it\n").run(
            Run::brief()
                .listen(&["WorktreeCreate", "WorktreeRemove"])
                .hook(
                    "WorktreeCreate",
                    json!({"hookSpecificOutput": {
                        "hookEventName": "WorktreeCreate",
                        "worktreePath": "$PROJECT/side",
                    }}),
                )
                .turn(&script(&[
                    r#"tool EnterWorktree {"name":"side"}"#,
                    r#"tool ExitWorktree {"action":"remove","discard_changes":true}"#,
                    "say Back again.",
                ])),
        ),
        Scenario::new("hooks-stop").run(
            Run::brief()
                .listen(&["PostToolUse", "UserPromptSubmit"])
                .hook("PostToolUse", json!({"continue": false, "stopReason": "enough for today"}))
                .turn(&script(&[&touch("one"), "say Not reached."])),
        ),
        Scenario::new("hooks-command").run(
            Run::brief()
                .flag_since(V2_1_325, "--include-hook-events")
                .flag(format!("--settings={}", settings()))
                .turn(&script(&[r#"tool Bash {"command":"echo words","description":"say it"}"#, "say Said."])),
        ),
        Scenario::new("hooks-failing").since(V2_1_325).run(
            Run::brief()
                .initialize(
                    "hooks",
                    json!({"PreToolUse": [
                        {"matcher": "Bash", "hookCallbackIds": ["one", "two"], "timeout": 30, "onFailure": "block"},
                    ]}),
                )
                .hook("PreToolUse", json!({"async": true, "asyncTimeout": 1000}))
                .turn(&script(&[&touch("one"), "say It ran."])),
        ),
    ]
}

fn touch(name: &str) -> String {
    tool("Bash", json!({"command": format!("touch {name}"), "description": format!("make {name}")}))
}

fn agent() -> String {
    tool(
        "Agent",
        json!({
            "description": "count them",
            "prompt": script(&["say There are seven."]),
            "subagent_type": "general-purpose",
            "run_in_background": false,
        }),
    )
}

fn decision(word: &str, reason: &str) -> serde_json::Value {
    json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": word,
        "permissionDecisionReason": reason,
    }})
}

/// Commands instead of callbacks: one that says something, one that fails, one that blocks.
fn settings() -> serde_json::Value {
    let command = |line: &str| json!([{"hooks": [{"type": "command", "command": line}]}]);
    json!({"hooks": {
        "SessionStart": command("echo a hook at the start"),
        "UserPromptSubmit": command("echo more to know"),
        "PreToolUse": command("echo looked at it >&2; exit 1"),
        "PostToolUse": command("echo not good enough >&2; exit 2"),
        "Stop": command("echo at the end"),
    }})
}
