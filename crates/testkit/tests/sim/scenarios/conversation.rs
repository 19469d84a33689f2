//! Words: text, thinking, queues, interrupts, failures.

use serde_json::json;

use crate::scenario::Act::{Ask, Held, Release, Say, Send, Settle, Until};
use crate::scenario::{Scenario, ask, say};

const HELD: [&str; 1] = ["say This much\nhold a\nmore and more"];

pub(crate) fn words() -> Vec<Scenario> {
    let picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let source = json!({"type": "base64", "media_type": "image/png", "data": picture});
    let search = r#"server_tool web_search {"query":"q"} [{"type":"web_search_result","title":"t","url":"http://x","encrypted_content":"e","page_age":null}]"#;
    let found = format!("{search}\nsay found");
    let schema =
        r#"--json-schema={"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}"#;
    vec![
        Scenario::turn("text", &["say Hello there, how are you today?"]),
        Scenario::new("text without partial messages", [say(&["say Hello"]), Until("result")])
            .args(&[])
            .env(&[("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "")]),
        Scenario::turn("no initialize request", &["say Hello"]).args(&[]).no_initialize(),
        Scenario::turn("state for the host only", &["say Hello"]).env(&[
            ("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", ""),
            ("CLAUDE_CODE_SDK_READS_SESSION_STATE", "1"),
        ]),
        Scenario::turn(
            "thinking",
            &["think Let me think about it.\nredacted\nsay Done\nsay Twice"],
        ),
        Scenario::new("two turns", [say(&["say One"]), Settle, say(&["say Two"]), Settle]),
        Scenario::new(
            "image",
            [
                Say(json!([
                    {"type": "text", "text": "#script\nsay Seen\n#end"},
                    {"type": "image", "source": source},
                ])),
                Settle,
            ],
        ),
        Scenario::turn("server tool", &[found.as_str()]),
        Scenario::turn("cut at the longest length", &["stop max_tokens\nsay half", "say rest"]),
        Scenario::turn("refusal", &["stop refusal\nsay no"]),
        Scenario::turn("structured output", &[r#"tool StructuredOutput {"n":7}"#, "say Never"])
            .more_args(&[schema]),
        Scenario::turn(
            "replayed prompts",
            &[r#"tool Write {"file_path":"$CWD/x","content":"y"}"#, "say One"],
        )
        .more_args(&["--replay-user-messages"]),
        Scenario::new("prompt without an id", [unstamped("say Done"), Settle]),
    ]
}

fn unstamped(reply: &str) -> crate::scenario::Act {
    let text = format!("#script\n{reply}\n#end");
    let message = json!({"role": "user", "content": text});
    Send(
        json!({"type": "user", "session_id": "default", "parent_tool_use_id": null, "message": message}),
    )
}

fn stamped(extra: &str, value: serde_json::Value, text: &str) -> crate::scenario::Act {
    let mut frame = json!({
        "type": "user",
        "uuid": "00000000-0000-4000-8000-0000000000a1",
        "session_id": "",
        "parent_tool_use_id": null,
        "message": {"role": "user", "content": text},
    });
    frame[extra] = value;
    Send(frame)
}

pub(crate) fn queues() -> Vec<Scenario> {
    let cancel = |uuid: &str| Ask(json!({"subtype": "cancel_async_message", "message_uuid": uuid}));
    vec![
        Scenario::new(
            "queued prompts share a turn",
            [
                say(&HELD),
                Held("a"),
                Until("stream_event/content_block_delta"),
                say(&["say Two"]),
                say(&["say Three"]),
                ask("get_session_cost"),
                Release("a"),
                Until("result"),
                Settle,
            ],
        ),
        Scenario::new(
            "a queued prompt joins a turn with tools",
            [
                say(&["say One\nhold a\ntool Bash {\"command\":\"echo a\"}", "say Three"]),
                Held("a"),
                Until("assistant"),
                say(&["say Two"]),
                ask("get_session_cost"),
                Release("a"),
                Settle,
            ],
        ),
        Scenario::new(
            "a queued prompt is cancelled",
            [
                say(&HELD),
                Held("a"),
                Until("stream_event/content_block_delta"),
                say(&["say Two"]),
                say(&["say Three"]),
                cancel("$U2"),
                cancel("00000000-0000-4000-8000-000000000000"),
                Release("a"),
                Until("result"),
                Settle,
            ],
        ),
        Scenario::new(
            "a note that wants no answer",
            [stamped("shouldQuery", json!(false), "note"), Settle, say(&["say Done"]), Settle],
        ),
        Scenario::new(
            "a prompt that cannot wait",
            [
                say(&HELD),
                Held("a"),
                Until("stream_event/content_block_delta"),
                stamped("priority", json!("now"), "#script\nsay Steered\n#end"),
                Until("result"),
                Settle,
            ],
        ),
    ]
}

pub(crate) fn interrupts() -> Vec<Scenario> {
    let streaming = || [say(&HELD), Held("a"), Until("stream_event/content_block_delta")].to_vec();
    let with_queue = |interrupt: crate::scenario::Act| {
        let mut acts = streaming();
        acts.extend([say(&["say Two"]), interrupt, Settle]);
        acts
    };
    let mut again = streaming();
    again.extend([ask("interrupt"), Settle, say(&["say Again"]), Settle]);
    let mut queued = with_queue(ask("interrupt"));
    queued.insert(5, Until("result"));
    let mut unstamped_queue = streaming();
    unstamped_queue.extend([unstamped("say Done"), ask("interrupt"), Until("result"), Settle]);
    vec![
        Scenario::new("interrupt while streaming", again),
        Scenario::new("interrupt with a queue", queued),
        Scenario::new(
            "interrupt that cancels the queue",
            with_queue(Ask(json!({"subtype": "interrupt", "cancel_queued": true}))),
        ),
        Scenario::new("interrupt when idle", [ask("interrupt"), say(&["say Again"]), Settle]),
        Scenario::new("interrupt with an unstamped queue", unstamped_queue)
            .more_args(&["--replay-user-messages"]),
        Scenario::new(
            "interrupt while a command runs",
            [
                say(&[r#"tool Bash {"command":"tail -f /dev/null"}"#, "say Never"]),
                Until("system/task_started"),
                ask("interrupt"),
                Settle,
            ],
        )
        .more_args(&["--allowedTools=Bash"]),
    ]
}

pub(crate) fn failures() -> Vec<Scenario> {
    let once = &[("CLAUDE_CODE_MAX_RETRIES", "1")];
    let read = r#"tool Read {"file_path":"$CWD/a.txt"}"#;
    vec![
        Scenario::turn("overloaded twice", &["error 529 x2 retry-after=0", "say Done"]),
        Scenario::turn("400", &["error 400 x99"]).env(once),
        Scenario::turn("401", &["error 401 x99"]).env(once),
        Scenario::turn("404", &["error 404 x99"]).env(once),
        Scenario::turn("429", &["error 429 x99 retry-after=0"]).env(once),
        Scenario::turn("500", &["error 500 x99"]).env(once),
        Scenario::turn("529", &["error 529 x99"]).env(once),
        Scenario::turn(
            "too long",
            &["error 400 x99 message=prompt is too long: 9 tokens > 8 maximum"],
        )
        .env(once),
        Scenario::turn("not logged in", &["say Never"])
            .env(&[("ANTHROPIC_API_KEY", ""), ("SIM_FAULT", "not-logged-in")]),
        Scenario::turn("too many turns", &[read, read, "say Never"])
            .files(&[("a.txt", "one\n")])
            .more_args(&["--max-turns=1"]),
    ]
}

pub(crate) fn commands() -> Vec<Scenario> {
    let command = |text: &str| Say(json!(text));
    vec![
        Scenario::new(
            "slash commands",
            [
                command("/cost"),
                Settle,
                command("/context"),
                Settle,
                command("/nosuch"),
                Settle,
                command("/clear"),
                Settle,
                say(&["say after"]),
                Settle,
            ],
        ),
        Scenario::new(
            "compaction",
            [say(&["say One"]), Settle, command("/compact"), Settle, say(&["say after"]), Settle],
        ),
    ]
}
