//! Subagents and background commands.

use serde_json::{Value, json};

use crate::scenario::Act::{Ask, Held, Release, Settle, Touch, Until};
use crate::scenario::{Scenario, ask, say};

fn agent(replies: &[&str], background: Option<bool>) -> String {
    let mut input = json!({
        "description": "count",
        "prompt": format!("#script\n{}\n#end", replies.join("\n---\n")),
        "subagent_type": "general-purpose",
    });
    if let Some(background) = background {
        input["run_in_background"] = json!(background);
    }
    format!("tool Agent {input}")
}

fn stop() -> crate::scenario::Act {
    Ask(json!({"subtype": "stop_task", "task_id": "$TASK"}))
}

fn bash(input: Value) -> String {
    format!("tool Bash {input}")
}

pub(crate) fn agents() -> Vec<Scenario> {
    let touch = r#"tool Bash {"command":"touch seven"}"#;
    let read = r#"tool Read {"file_path":"$CWD/a.txt"}"#;
    let held = agent(&["hold b\nsay seven"], Some(true));
    let two = format!(
        "{}\n{}",
        agent(&[read, "say six"], Some(false)),
        agent(&["say seven"], Some(false))
    );
    vec![
        Scenario::turn("subagent", &[&agent(&[touch, "say seven"], Some(false)), "say Done."]),
        Scenario::turn(
            "subagent with its words",
            &[
                &agent(&[&format!("think hm\nsay six\n{read}"), "say seven"], Some(false)),
                "say Done.",
            ],
        )
        .initialize(json!({"forwardSubagentText": true}))
        .files(&[("a.txt", "one\n")]),
        Scenario::turn("two subagents", &[&two, "say Done."])
            .files(&[("a.txt", "one\n")])
            .any_order(),
        Scenario::turn(
            "subagent of no type",
            &[
                r#"tool Agent {"description":"count","prompt":"p","subagent_type":"nobody"}"#,
                "say Done.",
            ],
        ),
        Scenario::new(
            "subagent in the background",
            [say(&[&held, "say Done."]), Until("result"), Held("b"), Release("b"), Settle],
        ),
        Scenario::new(
            "subagent left to itself",
            [
                say(&[&agent(&["hold b\nsay six"], None), "say Done."]),
                Until("result"),
                Held("b"),
                Release("b"),
                Settle,
            ],
        ),
        Scenario::new(
            "subagent stopped",
            [say(&[&held, "say Done."]), Until("result"), Held("b"), stop(), Settle],
        ),
        Scenario::new(
            "interrupt while a subagent works",
            [
                say(&[&agent(&["hold b\nsay six"], Some(false)), "say Never."]),
                Until("user"),
                Held("b"),
                ask("interrupt"),
                Settle,
            ],
        ),
    ]
}

pub(crate) fn commands() -> Vec<Scenario> {
    let endless = "tail -f /dev/null";
    let gated = "until [ -e go ]; do sleep 0.02; done; echo from-bg";
    let output = Ask(json!({"subtype": "get_task_output", "task_id": "$TASK"}));
    let may = |scenario: Scenario| scenario.more_args(&["--allowedTools=Bash"]);
    vec![
        // One that ends while its turn goes on is told in that turn or in one of its own, as it
        // happens; so this one ends between turns.
        may(Scenario::new(
            "command in the background",
            [
                say(&[&bash(json!({"command": gated, "run_in_background": true})), "say Done."]),
                Settle,
                Touch("go"),
                Settle,
            ],
        )),
        may(Scenario::new(
            "background command stopped",
            [
                say(&[&bash(json!({"command": endless, "run_in_background": true})), "say Done."]),
                Settle,
                stop(),
                Until("system/idle"),
                output,
            ],
        )),
        may(Scenario::new(
            "command sent to the background",
            [
                say(&[&bash(json!({"command": endless, "timeout": 300_000})), "say Done."]),
                Until("system/task_started"),
                ask("background_tasks"),
                Settle,
                stop(),
                Until("system/idle"),
            ],
        )),
        may(Scenario::new(
            "command that takes too long",
            [
                say(&[
                    &bash(json!({"command": format!("echo a; {endless}"), "timeout": 500})),
                    "say Done.",
                ]),
                Settle,
                stop(),
                Until("system/idle"),
            ],
        )),
    ]
}
