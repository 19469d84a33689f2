//! Hooks of the host.

use serde_json::{Value, json};

use super::permissions::WRITE;
use crate::scenario::{Reply, Scenario, agree, when_hooked};

fn register(event: &str) -> Value {
    json!({"hooks": {event: [{"hookCallbackIds": ["h0"]}]}})
}

const AGENT: [&str; 2] = [
    r##"tool Agent {"description":"count","prompt":"#script\nsay seven\n#end","subagent_type":"general-purpose","run_in_background":false}"##,
    "say Done.",
];

/// A scenario in which the PreToolUse hook answers like this.
fn pre(name: &'static str, replies: &[&str], answer: fn(&Value) -> Reply) -> Scenario {
    Scenario::turn(name, replies).initialize(register("PreToolUse")).answer(answer)
}

pub(crate) fn before() -> Vec<Scenario> {
    let echo = [r#"tool Bash {"command":"echo hi"}"#, "say Done."];
    let read = [r#"tool Read {"file_path":"$CWD/a.txt"}"#, "say Done."];
    vec![
        pre("hook denies", &WRITE, |request| {
            when_hooked(request, "PreToolUse", decision("deny", json!({})))
        }),
        pre("hook blocks", &WRITE, |request| {
            when_hooked(request, "PreToolUse", json!({"decision": "block", "reason": "not here"}))
        }),
        pre("hook allows another input", &WRITE, |request| {
            let input = json!({"file_path": "$CWD/other.txt", "content": "y"});
            when_hooked(request, "PreToolUse", decision("allow", json!({"updatedInput": input})))
        }),
        pre("hook wants the host asked", &read, |request| {
            when_hooked(request, "PreToolUse", decision("ask", json!({})))
        })
        .files(&[("a.txt", "one\n")]),
        pre("hook stops everything", &WRITE, |request| {
            when_hooked(request, "PreToolUse", json!({"continue": false, "stopReason": "enough"}))
        }),
        pre("hook has something to say", &WRITE, |request| {
            let specific = json!({"hookEventName": "PreToolUse", "additionalContext": "extra"});
            when_hooked(
                request,
                "PreToolUse",
                json!({"systemMessage": "look", "hookSpecificOutput": specific}),
            )
        }),
        pre("hook fails", &WRITE, |request| {
            if request["subtype"] == "hook_callback" {
                Reply::Error("broke")
            } else {
                agree(request)
            }
        }),
        Scenario::turn("hooks by name", &echo).initialize(json!({"hooks": {"PreToolUse": [
            {"hookCallbackIds": ["a", "b"]},
            {"matcher": "Ba.*", "hookCallbackIds": ["c"]},
            {"matcher": "*", "hookCallbackIds": ["d"]},
            {"matcher": "ba", "hookCallbackIds": ["never"]},
        ]}})),
    ]
}

fn decision(decision: &str, more: Value) -> Value {
    let mut specific = json!({
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": "for a reason",
    });
    if let (Value::Object(specific), Value::Object(more)) = (&mut specific, more) {
        specific.extend(more);
    }
    json!({"hookSpecificOutput": specific})
}

pub(crate) fn after() -> Vec<Scenario> {
    vec![
        Scenario::turn("hook blocks a result", &WRITE).initialize(register("PostToolUse")).answer(
            |request| {
                when_hooked(
                    request,
                    "PostToolUse",
                    json!({"decision": "block", "reason": "bad result"}),
                )
            },
        ),
        Scenario::turn("hook adds to a result", &WRITE).initialize(register("PostToolUse")).answer(
            |request| {
                let specific =
                    json!({"hookEventName": "PostToolUse", "additionalContext": "extra"});
                when_hooked(request, "PostToolUse", json!({"hookSpecificOutput": specific}))
            },
        ),
        Scenario::turn(
            "hook replaces a result",
            &[r#"tool Bash {"command":"echo hi"}"#, "say Done."],
        )
        .initialize(register("PostToolUse"))
        .answer(|request| {
            let output = json!({"stdout": "other", "stderr": "", "interrupted": false});
            let specific = json!({"hookEventName": "PostToolUse", "updatedToolOutput": output});
            when_hooked(request, "PostToolUse", json!({"hookSpecificOutput": specific}))
        }),
        Scenario::turn("hook stops after a result", &WRITE)
            .initialize(register("PostToolUse"))
            .answer(|request| {
                when_hooked(
                    request,
                    "PostToolUse",
                    json!({"continue": false, "stopReason": "enough"}),
                )
            }),
        Scenario::turn(
            "hook hears of a failure",
            &[r#"tool Bash {"command":"exit 2"}"#, "say Done."],
        )
        .initialize(register("PostToolUseFailure")),
    ]
}

pub(crate) fn around() -> Vec<Scenario> {
    let callbacks = |id: &str| json!([{"hookCallbackIds": [id]}]);
    vec![
        Scenario::turn("all kinds of hooks", &WRITE).initialize(json!({"hooks": {
            "PreToolUse": [{"matcher": "Write|Edit", "hookCallbackIds": ["pre"]}, {"matcher": "Bash", "hookCallbackIds": ["never"]}],
            "PostToolUse": callbacks("post"),
            "UserPromptSubmit": callbacks("submit"),
            "Stop": callbacks("stop"),
            "SessionStart": callbacks("start"),
            "SessionEnd": callbacks("end"),
            "PermissionRequest": callbacks("ask"),
            "Notification": callbacks("note"),
            "PostToolBatch": callbacks("batch"),
        }})),
        Scenario::turn("hook blocks a prompt", &["say Never"]).initialize(register("UserPromptSubmit")).answer(
            |request| {
                when_hooked(request, "UserPromptSubmit", json!({"decision": "block", "reason": "no such prompts"}))
            },
        ),
        Scenario::turn("hook stops at a prompt", &["say Never"])
            .initialize(register("UserPromptSubmit"))
            .answer(|request| when_hooked(request, "UserPromptSubmit", json!({"continue": false, "stopReason": "enough"}))),
        Scenario::turn("hook wants more", &["say One", "say Two"]).initialize(register("Stop")).answer(|request| {
            match request["input"]["stop_hook_active"] == false {
                true => when_hooked(request, "Stop", json!({"decision": "block", "reason": "go on"})),
                false => agree(request),
            }
        }),
        Scenario::turn("hook wants no more", &["say One", "say Never"])
            .initialize(register("Stop"))
            .answer(|request| when_hooked(request, "Stop", json!({"continue": false, "stopReason": "enough"}))),
        Scenario::turn("hooks of a subagent", &AGENT).initialize(json!({"hooks": {
            "SubagentStart": callbacks("begin"),
            "SubagentStop": callbacks("end"),
            "PreToolUse": callbacks("pre"),
        }})),
    ]
}
