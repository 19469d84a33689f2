//! Permissions: answers, rules, modes.

use serde_json::{Value, json};

use crate::scenario::Act::{Ask, Held, Release, Settle, Until};
use crate::scenario::{Reply, Scenario, allow, ask, say, when_asked};

pub(crate) const WRITE: [&str; 2] =
    [r#"tool Write {"file_path":"$CWD/a.txt","content":"x"}"#, "say Done."];
const BASH: [&str; 2] = [r#"tool Bash {"command":"touch made.txt"}"#, "say Done."];

fn deny(request: &Value) -> Reply {
    let denial = json!({"behavior": "deny", "message": "Not that one"});
    when_asked(request, || Reply::Payload(denial))
}

pub(crate) fn answers() -> Vec<Scenario> {
    vec![
        Scenario::turn("deny", &WRITE).answer(deny),
        Scenario::turn("deny a command", &BASH).answer(deny),
        Scenario::new("deny and interrupt", [say(&WRITE), Settle, say(&["say Next"]), Settle])
            .answer(|request| {
                let denial =
                    json!({"behavior": "deny", "message": "Not that one", "interrupt": true});
                when_asked(request, || Reply::Payload(denial))
            }),
        Scenario::turn("answer with an error", &WRITE).answer(|_| Reply::Error("went wrong")),
        Scenario::turn("edited input", &[r#"tool Bash {"command":"touch one"}"#, "say Done."])
            .answer(|request| {
                when_asked(request, || {
                    allow(request, json!({"updatedInput": {"command": "touch two"}}))
                })
            }),
        Scenario::turn(
            "suggestions taken",
            &[WRITE[0], r#"tool Write {"file_path":"$CWD/b.txt","content":"x"}"#, "say Done."],
        )
        .answer(|request| {
            let taken = json!({"updatedPermissions": request["permission_suggestions"]});
            when_asked(request, || allow(request, taken))
        }),
    ]
}

pub(crate) fn rules() -> Vec<Scenario> {
    let touch = r#"tool Bash {"command":"touch a"}"#;
    vec![
        Scenario::turn("rules added", &[touch, touch, "say Done."]).answer(|request| {
            let rule = |tool: &str, content: Option<&str>, behavior: &str, place: &str| {
                let rules = match content {
                    Some(content) => json!([{"toolName": tool, "ruleContent": content}]),
                    None => json!([{"toolName": tool}]),
                };
                json!({"type": "addRules", "rules": rules, "behavior": behavior, "destination": place})
            };
            let updates = json!([
                rule("Bash", Some("touch:*"), "allow", "localSettings"),
                rule("Read", None, "allow", "projectSettings"),
                rule("WebFetch", None, "deny", "userSettings"),
                {"type": "addDirectories", "directories": ["/opt"], "destination": "session"},
            ]);
            when_asked(request, || allow(request, json!({"updatedPermissions": updates})))
        }),
        Scenario::turn(
            "rules in flags",
            &[
                touch,
                r#"tool Write {"file_path":"$CWD/b","content":"x"}"#,
                r#"tool Bash {"command":"rm a"}"#,
                "say Done.",
            ],
        )
        .more_args(&["--allowedTools=Bash(touch:*),Write", "--disallowedTools=WebFetch,Bash(rm:*)"]),
        Scenario::turn("read outside", &[r#"tool Read {"file_path":"$HOME/secret.txt"}"#, "say Done."]),
    ]
}

pub(crate) fn modes() -> Vec<Scenario> {
    let mode = |mode: &str| Ask(json!({"subtype": "set_permission_mode", "mode": mode}));
    vec![
        Scenario::turn(
            "accept edits",
            &[
                WRITE[0],
                r#"tool Bash {"command":"mkdir d"}"#,
                r#"tool Bash {"command":"nosuchtool run x"}"#,
                r#"tool Write {"file_path":"$HOME/out.txt","content":"x"}"#,
                "say Done.",
            ],
        )
        .args(&["--permission-prompt-tool=stdio", "--permission-mode=acceptEdits"]),
        Scenario::turn("do not ask", &WRITE)
            .args(&["--permission-prompt-tool=stdio", "--permission-mode=dontAsk"]),
        Scenario::turn("nobody to ask", &WRITE).args(&["--permission-mode=default"]),
        Scenario::turn("no mode", &WRITE).args(&["--permission-prompt-tool=stdio"]),
        Scenario::turn("bypass", &WRITE)
            .args(&["--permission-mode=bypassPermissions", "--allow-dangerously-skip-permissions"])
            .env(&[("IS_SANDBOX", "1")]),
        Scenario::new(
            "modes changed when idle",
            [
                mode("acceptEdits"),
                say(&WRITE),
                Settle,
                mode("bypassPermissions"),
                mode("nonsense"),
                mode("plan"),
                mode("default"),
                mode("auto"),
                mode("dontAsk"),
            ],
        ),
        Scenario::new(
            "mode changed in a turn",
            [
                say(&["say half\nhold a\nmore whole"]),
                Held("a"),
                Until("stream_event/content_block_delta"),
                mode("plan"),
                Release("a"),
                Settle,
            ],
        ),
    ]
}

pub(crate) fn open_questions() -> Vec<Scenario> {
    let silent = |request: &Value| when_asked(request, || Reply::Silence);
    vec![
        Scenario::new(
            "interrupt while asking",
            [
                say(&WRITE),
                Until("control_request/can_use_tool"),
                ask("interrupt"),
                Settle,
                say(&["say Next"]),
                Settle,
            ],
        )
        .answer(silent),
        Scenario::new(
            "second initialize while asking",
            [
                say(&WRITE),
                Until("control_request/can_use_tool"),
                ask("initialize"),
                Until("system/background_tasks_changed"),
                ask("interrupt"),
                Settle,
            ],
        )
        .answer(silent),
    ]
}
