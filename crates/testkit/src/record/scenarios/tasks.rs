//! Subagents and background work.

use serde_json::{Value, json};

use crate::cli::CliVersion::{V2_1_62, V2_1_325};
use crate::record::scenario::{Run, Scenario, Step, script, tool};

/// Runs until somebody writes to the pipe, which nobody does.
const WAITS: &str = "mkfifo gate && echo it waits && cat gate";

pub(super) fn all() -> Vec<Scenario> {
    vec![
        Scenario::new("subagent").run(Run::brief().turn(&script(&[
            &agent("general-purpose", &worker(), false),
            "say It has counted.",
        ]))),
        Scenario::new("subagent-text").since(V2_1_325).run(
            Run::new()
                .initialize("forwardSubagentText", json!(true))
                .initialize("agentProgressSummaries", json!(true))
                .turn(&script(&[&agent("general-purpose", &worker(), false), "say It has counted."])),
        ),
        Scenario::new("subagent-custom").run(
            Run::brief()
                .initialize(
                    "agents",
                    json!({"counter": {
                        "description": "counts things",
                        "prompt": "You count things.",
                        "tools": ["Bash", "Read"],
                        "model": "haiku",
                    }}),
                )
                .turn(&script(&[&agent("counter", &worker(), false), "say It has counted."])),
        ),
        Scenario::new("subagent-retry").run(Run::brief().turn(&script(&[
            &agent("general-purpose", &script(&["error 529\nsay There are seven."]), false),
            "say It has counted.",
        ]))),
        Scenario::new("subagent-unknown").run(Run::brief().turn(&script(&[
            &agent("nobody", &worker(), false),
            "say There is no such agent.",
        ]))),
        Scenario::new("subagent-background").since(V2_1_62).run(
            Run::brief()
                .prompt(&script(&[
                    &agent("general-purpose", &script(&["hold counting\nsay There are seven."]), true),
                    "say It counts.",
                ]))
                .step(Step::Held("counting"))
                .until(json!({"type": "assistant", "message": {"content": [{"text": "It counts."}]}}))
                .since(V2_1_325, Step::Until(json!({"type": "result"})))
                .step(Step::Release("counting"))
                .until(json!({"type": "result"}))
                .since(V2_1_325, Step::Until(json!({"state": "idle"}))),
        ),
        Scenario::new("subagent-stopped").since(V2_1_325).run(
            Run::brief()
                .initialize("perTaskStopAffordance", json!(true))
                .prompt(&script(&[
                    &agent("general-purpose", &script(&["say Counting\nhold counting\nmore  on."]), true),
                    "say It counts.",
                ]))
                .until(json!({"type": "result"}))
                .step(Step::Held("counting"))
                .ask(json!({"subtype": "stop_task", "task_id": "$TASK"}))
                .until(json!({"state": "idle"})),
        ),
        Scenario::new("background-bash").run(
            Run::brief()
                .turn(&script(&[&bash(WAITS, true), "say It runs."]))
                .since(V2_1_325, Step::Ask(json!({"subtype": "get_task_output", "task_id": "$TASK"})))
                .since(V2_1_62, Step::Ask(json!({"subtype": "stop_task", "task_id": "$TASK"})))
                .since(V2_1_325, Step::Ask(json!({"subtype": "stop_task", "task_id": "none"}))),
        ),
        Scenario::new("background-bash-ends").since(V2_1_325).run(
            Run::brief()
                .turn(&script(&[&bash("mkfifo gate", false), "say There is a gate."]))
                .turn(&script(&[&bash("cat gate", true), "say It runs."]))
                .step(Step::Pipe("$PROJECT/gate", "through the gate\n"))
                .until(json!({"type": "result"}))
                .until(json!({"state": "idle"})),
        ),
        Scenario::new("task-tools").since(V2_1_325).run(
            Run::brief()
                .prompt(&script(&[&bash(WAITS, true), "say It runs."]))
                .until(json!({"type": "result"}))
                .until(json!({"state": "idle"}))
                .turn(&script(&[
                    r#"tool TaskStop {"task_id":"none"}"#,
                    r#"tool TaskStop {"task_id":"$TASK"}"#,
                    "say Stopped.",
                ])),
        ),
        Scenario::new("monitor").since(V2_1_325).run(
            Run::brief()
                .turn(&script(&[&bash("mkfifo gate", false), "say There is a gate."]))
                .prompt(&script(&[
                    r#"tool Monitor {"description":"watch it","timeout_ms":60000,"command":"cat gate"}"#,
                    "hold watching\nsay Watching.",
                ]))
                .step(Step::Held("watching"))
                .step(Step::Pipe("$PROJECT/gate", "seen once\n"))
                .until(json!({"subtype": "task_notification"}))
                .step(Step::Release("watching"))
                .until(json!({"type": "result"}))
                .until(json!({"type": "result"}))
                .until(json!({"state": "idle"})),
        ),
        Scenario::new("to-background").since(V2_1_325).run(
            Run::brief()
                .prompt(&script(&[&bash(WAITS, false), "say It went to the background."]))
                .until(json!({"subtype": "task_started"}))
                .ask(json!({"subtype": "background_tasks"}))
                .until(json!({"type": "result"}))
                .ask(json!({"subtype": "stop_task", "task_id": "$TASK"})),
        ),
    ]
}

/// A subagent that uses a tool, and has to ask for it.
fn worker() -> String {
    script(&[
        r#"tool Bash {"command":"touch counted","description":"note it"}"#,
        "think Seven of them.\nsay There are seven.",
    ])
}

fn agent(kind: &str, prompt: &str, background: bool) -> String {
    let input: Value = json!({
        "description": "count them",
        "prompt": prompt,
        "subagent_type": kind,
        "run_in_background": background,
    });
    tool("Agent", input)
}

fn bash(command: &str, background: bool) -> String {
    tool(
        "Bash",
        json!({"command": command, "description": "wait at the gate", "run_in_background": background}),
    )
}
