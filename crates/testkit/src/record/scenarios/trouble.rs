//! Interrupts, errors, limits and early ends.

use serde_json::json;

use crate::cli::CliVersion::V2_1_325;
use crate::record::scenario::{Permission, Run, Scenario, Step, script, tool};

pub(super) fn all() -> Vec<Scenario> {
    vec![
        Scenario::new("interrupt-streaming").run(
            Run::new()
                .prompt(&script(&["say This much\nhold middle\nmore  and no more."]))
                .step(Step::Held("middle"))
                .until(json!({"event": {"delta": {"text": "This much"}}}))
                .ask(json!({"subtype": "interrupt"}))
                .settled()
                .turn(&script(&["say Here again."])),
        ),
        Scenario::new("interrupt-permission").run(
            Run::brief()
                .permission("Bash", Permission::Open)
                .prompt(&script(&[
                    r#"tool Bash {"command":"touch made","description":"make it"}"#,
                    "say Not reached.",
                ]))
                .until(json!({"request": {"subtype": "can_use_tool"}}))
                .ask(json!({"subtype": "interrupt"}))
                .settled(),
        ),
        Scenario::new("interrupt-tool").run(
            Run::brief()
                .initialize("sdkMcpServers", json!(["greeter"]))
                .prompt(&script(&[r#"tool mcp__greeter__wait {"name":"you"}"#, "say Not reached."]))
                .until(json!({"request": {"message": {"method": "tools/call"}}}))
                .ask(json!({"subtype": "interrupt"}))
                .settled(),
        ),
        Scenario::new("interrupt-bash").since(V2_1_325).run(
            Run::brief()
                .prompt(&script(&[&wait_at_gate(), "say Not reached."]))
                .until(json!({"subtype": "task_started"}))
                .ask(json!({"subtype": "interrupt"}))
                .settled(),
        ),
        Scenario::new("interrupt-idle").run(Run::brief().ask(json!({"subtype": "interrupt"}))),
        api_retry(),
        api_errors(),
        Scenario::new("api-cut")
            .env("CLAUDE_CODE_MAX_RETRIES", "1")
            .run(Run::new().turn(&script(&["say This much\ncut\nmore  and more."]))),
        Scenario::new("max-turns").run(Run::brief().flag("--max-turns=2").turn(&script(&[
            r#"tool Bash {"command":"echo one","description":"say one"}"#,
            r#"tool Bash {"command":"echo two","description":"say two"}"#,
            r#"tool Bash {"command":"echo three","description":"say three"}"#,
            "say Not reached.",
        ]))),
        Scenario::new("budget").run(Run::brief().flag("--max-budget-usd=0.0001").turn(&script(&[
            "usage 5000 5000\ntool Bash {\"command\":\"echo one\",\"description\":\"say one\"}",
            "say Not reached.",
        ]))),
        Scenario::new("structured").run(
            Run::brief()
                .flag(format!("--json-schema={}", schema()))
                .turn(&script(&[&structured(json!({"count": 7})), "say There are seven."])),
        ),
        Scenario::new("structured-fails").env("MAX_STRUCTURED_OUTPUT_RETRIES", "2").run(
            Run::brief().flag(format!("--json-schema={}", schema())).turn(&script(&[
                &structured(json!({"count": "many"})),
                &structured(json!({"count": "more"})),
                &structured(json!({"count": "most"})),
                "say There are many.",
                "say There are many.",
                "say There are many.",
                "say There are many.",
                "say There are many.",
            ])),
        ),
        Scenario::new("eof-streaming").run(
            Run::new()
                .prompt(&script(&["say This much\nhold middle\nmore  and the rest."]))
                .step(Step::Held("middle"))
                .until(json!({"event": {"delta": {"text": "This much"}}}))
                .step(Step::CloseStdin)
                .step(Step::Release("middle")),
        ),
        Scenario::new("eof-permission").run(
            Run::brief()
                .permission("Bash", Permission::Open)
                .prompt(&script(&[
                    r#"tool Bash {"command":"touch made","description":"make it"}"#,
                    "say Refused.",
                ]))
                .until(json!({"request": {"subtype": "can_use_tool"}})),
        ),
        // Older versions say nothing, or show a dialog for a terminal.
        Scenario::new("startup-failure")
            .since(V2_1_325)
            .env("CLAUDE_CODE_STARTUP_FAILURE_RESULTS", "1")
            .file("../home/.claude.json", "{ this is not a configuration")
            .run(Run::brief()),
        Scenario::new("startup-marks")
            .since(V2_1_325)
            .env("CLAUDE_CODE_SDK_READS_STARTUP_MARKS", "1")
            .run(Run::brief().turn(&script(&["say Good morning."]))),
        Scenario::new("steer-tool").since(V2_1_325).run(
            Run::brief()
                .prompt(&script(&[&wait_at_gate(), "say Not reached."]))
                .until(json!({"subtype": "task_started"}))
                .step(Step::Prompt(
                    json!(script(&["say Turned around."])),
                    json!({"priority": "now"}),
                ))
                .until(json!({"command_uuid": "$PROMPT2", "state": "queued"}))
                .ask(json!({"subtype": "background_tasks"}))
                .until(json!({"type": "result", "result": "Turned around."}))
                .ask(json!({"subtype": "stop_task", "task_id": "$TASK"})),
        ),
    ]
}

/// A command that runs until it is stopped.
fn wait_at_gate() -> String {
    tool("Bash", json!({"command": "mkfifo gate && cat gate", "description": "wait at the gate"}))
}

fn schema() -> serde_json::Value {
    json!({
        "type": "object",
        "properties": {"count": {"type": "number"}},
        "required": ["count"],
        "additionalProperties": false,
    })
}

fn structured(output: serde_json::Value) -> String {
    tool("StructuredOutput", output)
}

fn api_retry() -> Scenario {
    Scenario::new("api-retry").run(
        Run::brief()
            .turn(&script(&["error 529\nsay At last."]))
            .turn(&script(&["error 429 retry-after=1\nsay At last."]))
            .turn(&script(&["error 500\nsay At last."])),
    )
}

/// Errors that nobody retries, and one that is retried in vain.
fn api_errors() -> Scenario {
    let run = [
        "error 400 x9 message=scripted refusal",
        "error 401 x9 message=scripted refusal",
        "error 403 x9 message=scripted refusal",
        "error 404 x9 message=scripted refusal",
        "error 413 x9 message=scripted refusal",
        "error 429 x9 message=scripted refusal",
        "error 500 x9 message=scripted refusal",
        "error 529 x9 message=scripted refusal",
        "error 400 x9 message=prompt is too long: 300000 tokens > 200000 maximum",
    ]
    .into_iter()
    .fold(Run::brief(), |run, error| run.turn(&script(&[&format!("{error}\nsay Not reached.")])));
    Scenario::new("api-errors").env("CLAUDE_CODE_MAX_RETRIES", "1").run(run)
}
