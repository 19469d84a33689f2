//! Prompts and answers.

use serde_json::{Value, json};

use crate::cli::CliVersion::{V2_1_62, V2_1_325};
use crate::record::scenario::{Run, Scenario, Step, script};

/// A red pixel.
pub(super) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

pub(super) fn all() -> Vec<Scenario> {
    vec![
        Scenario::new("hello").run(
            Run::new().turn("Hello.\n#script\nsay Good morning to you all, and a good day.\n#end"),
        ),
        Scenario::new("hello-whole").run(Run::brief().turn(&script(&["say Good morning."]))),
        Scenario::new("two-turns").run(
            Run::brief().turn(&script(&["say The first."])).turn(&script(&["say The second."])),
        ),
        Scenario::new("thinking").run(Run::new().turn(&script(&[
            "think Let me see what this is about.\nredacted\nsay It is about this.",
        ]))),
        Scenario::new("thinking-omitted").since(V2_1_325).run(
            Run::new()
                .flag("--thinking=adaptive")
                .flag("--thinking-display=omitted")
                .turn(&script(&["chunk 8\nthink Let me see what this is about.\nsay It is about this."])),
        ),
        Scenario::new("server-tool").run(Run::new().turn(&script(&[
            r#"server_tool web_search {"query":"weather"} [{"type":"web_search_result","title":"Weather","url":"https://weather.example/","encrypted_content":"c2NyaXB0ZWQ=","page_age":null}]
say It is fine."#,
        ]))),
        Scenario::new("stop-reasons").run(
            Run::brief()
                .turn(&script(&["say This goes on and\nstop max_tokens", "say on."]))
                .turn(&script(&["say Here is a stop.\nstop stop_sequence"]))
                .turn(&script(&["say I would rather not.\nstop refusal"])),
        ),
        Scenario::new("image").run(Run::brief().step(Step::Prompt(blocks(), json!({}))).settled()),
        Scenario::new("replay").run(
            Run::brief()
                .flag("--replay-user-messages")
                .turn(&script(&[r#"tool Bash {"command":"touch made","description":"make it"}"#, "say Done."])),
        ),
        queued(),
        steered("steer-streaming", Run::new()),
        Scenario::new("without-query").since(V2_1_62).run(
            Run::brief()
                .flag("--replay-user-messages")
                .step(Step::Prompt(json!("This is only to be known."), json!({"shouldQuery": false})))
                .turn(&script(&["say Now I know."])),
        ),
        Scenario::new("prompt-fields").since(V2_1_325).run(
            Run::brief()
                .flag("--replay-user-messages")
                .step(Step::Prompt(
                    json!(script(&["say Read as written."])),
                    json!({
                        "origin": {"kind": "human"},
                        "priority": "next",
                        "client_composed": true,
                        "timestamp": "2026-01-01T00:00:00.000Z",
                    }),
                ))
                .settled(),
        ),
        Scenario::new("prompt-suggestion").since(V2_1_325).run(
            Run::brief()
                .initialize("promptSuggestions", json!(true))
                .turn(&script(&["say The first."]))
                .turn(&script(&["say The second."])),
        ),
    ]
}

fn blocks() -> Value {
    json!([
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        {
            "type": "document",
            "title": "a note",
            "source": {"type": "text", "media_type": "text/plain", "data": "a note in plain text"},
        },
        {"type": "text", "text": script(&["say A red dot and a note."])},
    ])
}

/// Two prompts come while a third is being answered.
fn queued() -> Scenario {
    Scenario::new("queued").run(
        Run::new()
            .flag("--replay-user-messages")
            .prompt(&script(&["say The first\nhold first\nmore  is done."]))
            .step(Step::Held("first"))
            .until(json!({"event": {"delta": {"text": "The first"}}}))
            .prompt(&script(&["say The second is done."]))
            .prompt(&script(&["say The third is done."]))
            .since(V2_1_325, Step::Until(json!({"command_uuid": "$PROMPT3", "state": "queued"})))
            .step(Step::Release("first"))
            .until(json!({"type": "result"}))
            .until(json!({"type": "result"})),
    )
}

fn steered(name: &'static str, run: Run) -> Scenario {
    let steer = json!(script(&["say Turned around."]));
    Scenario::new(name).since(V2_1_325).run(
        run.prompt(&script(&["say Straight ahead\nhold bend\nmore  for ever."]))
            .step(Step::Held("bend"))
            .until(json!({"event": {"delta": {"text": "Straight ahead"}}}))
            .step(Step::Prompt(steer, json!({"priority": "now"})))
            .until(json!({"type": "result", "result": "Turned around."})),
    )
}
