//! Tools: files, commands, searches, questions, plans, servers of the host.

use serde_json::json;

use crate::scenario::Act::Settle;
use crate::scenario::{Scenario, allow, ask, say, when_asked};

const READ: &str = r#"tool Read {"file_path":"$CWD/a.txt"}"#;

pub(crate) fn files() -> Vec<Scenario> {
    let text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
    let write = |name: &str, content: &str| {
        format!("tool Write {}", json!({"file_path": format!("$CWD/{name}"), "content": content}))
    };
    let edit = |name: &str, old: &str, all: bool| {
        let input = json!({"file_path": format!("$CWD/{name}"), "old_string": old, "new_string": "2", "replace_all": all});
        format!("tool Edit {input}")
    };
    vec![
        Scenario::turn(
            "write",
            &[&format!("say Writing.\n{}", write("new/a.txt", "one\ntwo\n")), "say Done."],
        ),
        Scenario::turn("write over", &[READ, &write("a.txt", "one\n2\nthree\n"), "say Done."])
            .files(&[("a.txt", "one\ntwo\nthree\n")]),
        Scenario::turn("write over unread", &[&write("a.txt", "x"), "say Done."])
            .files(&[("a.txt", "one\ntwo\nthree\n")]),
        Scenario::turn("edit", &[READ, &edit("a.txt", "two", false), "say Done."])
            .files(&[("a.txt", text)]),
        Scenario::turn("edit everywhere", &[READ, &edit("a.txt", "o", true), "say Done."])
            .files(&[("a.txt", text)]),
        Scenario::turn(
            "edits that make no sense",
            &[
                &edit("a.txt", "nope", false),
                &edit("a.txt", "o", false),
                &edit("none.txt", "o", false),
                "say Done.",
            ],
        )
        .files(&[("a.txt", "one\ntwo\n")]),
        Scenario::turn(
            "read",
            &[
                READ,
                r#"tool Read {"file_path":"$CWD/none.txt"}"#,
                r#"tool Read {"file_path":"$CWD/a.txt","offset":2,"limit":1}"#,
                "say Done.",
            ],
        )
        .files(&[("a.txt", "one\ntwo\nthree\n")]),
        Scenario::turn(
            "search",
            &[
                r#"tool Glob {"pattern":"**/*.txt"}"#,
                r#"tool Grep {"pattern":"tw"}"#,
                r#"tool Grep {"pattern":"tw","output_mode":"content","-n":true}"#,
                "say Done.",
            ],
        )
        .files(&[("a.txt", "one\ntwo\n"), ("d/b.txt", "three\n")])
        .more_args(&["--tools=Glob,Grep"]),
        Scenario::turn(
            "no such tool",
            &[r#"tool Nonsense {"a":1}"#, r#"tool Write {"path":1}"#, "say Done."],
        ),
    ]
}

pub(crate) fn commands() -> Vec<Scenario> {
    vec![
        Scenario::turn(
            "commands",
            &[
                r#"tool Bash {"command":"echo out; echo err >&2","description":"Say it"}"#,
                r#"tool Bash {"command":"echo bad; exit 3"}"#,
                "say Done.",
            ],
        ),
        Scenario::turn(
            "commands that change something",
            &[
                r#"tool Bash {"command":"echo x > made.txt"}"#,
                r#"tool Bash {"command":"mkdir d && nosuchtool run build"}"#,
                "say Done.",
            ],
        ),
        Scenario::turn(
            "parallel calls",
            &[
                &format!(
                    "tool Bash {{\"command\":\"touch a\"}}\ntool Bash {{\"command\":\"touch b\"}}\n{READ}"
                ),
                "say Done.",
            ],
        )
        .files(&[("a.txt", "one\n")])
        .any_order(),
    ]
}

pub(crate) fn people() -> Vec<Scenario> {
    let question = json!({"questions": [{
        "question": "Which?",
        "header": "Pick",
        "options": [{"label": "A", "description": "a"}, {"label": "B", "description": "b"}],
        "multiSelect": false,
    }]});
    let exit = r##"tool ExitPlanMode {"plan":"# Plan"}"##;
    let plan = ["--permission-prompt-tool=stdio", "--permission-mode=plan"];
    vec![
        Scenario::turn("question", &[&format!("tool AskUserQuestion {question}"), "say Done."])
            .answer(|request| {
                when_asked(request, || {
                    let mut input = request["input"].clone();
                    input["answers"] = json!({"Which?": "A"});
                    allow(request, json!({"updatedInput": input}))
                })
            }),
        Scenario::turn("plan mode and back", &["tool EnterPlanMode {}", exit, "say Done."]),
        Scenario::turn(
            "plan mode left for another",
            &[
                r#"tool Write {"file_path":"$CWD/a.txt","content":"x"}"#,
                exit,
                r#"tool Write {"file_path":"$CWD/b.txt","content":"x"}"#,
                "say Done.",
            ],
        )
        .args(&plan)
        .answer(|request| {
            when_asked(request, || match request["tool_name"].as_str() {
                Some("ExitPlanMode") => {
                    let mode =
                        json!({"type": "setMode", "mode": "acceptEdits", "destination": "session"});
                    allow(request, json!({"updatedPermissions": [mode]}))
                }
                _ => allow(request, json!({})),
            })
        }),
        Scenario::turn("plan refused", &[exit, "say Never."]).args(&plan).answer(|request| {
            let deny = json!({"behavior": "deny", "message": "More detail", "interrupt": true});
            when_asked(request, || crate::scenario::Reply::Payload(deny))
        }),
    ]
}

pub(crate) fn servers() -> Vec<Scenario> {
    let add = r#"tool mcp__calc__add {"a":1,"b":2}"#;
    vec![
        Scenario::new(
            "server of the host",
            [say(&[add, "tool mcp__calc__fail {}", "say Done."]), Settle, ask("mcp_status")],
        )
        .initialize(json!({"sdkMcpServers": ["calc"]})),
        Scenario::turn("server of the host by flag", &[add, "say Done."]).args(&[
            "--permission-prompt-tool=stdio",
            "--permission-mode=default",
            "--allowedTools=mcp__calc__add",
            r#"--mcp-config={"mcpServers":{"calc":{"type":"sdk","name":"calc"}}}"#,
        ]),
    ]
}
