//! The dialect of 2.1.7.

use serde_json::{Value, json};

use super::permissions::WRITE;
use crate::scenario::Act::{Held, Restart, Settle, Until};
use crate::scenario::{Reply, Scenario, ask, say, when_asked};

pub(crate) fn all() -> Vec<Scenario> {
    let silent = |request: &Value| when_asked(request, || Reply::Silence);
    let scenarios = vec![
        Scenario::turn("old: text", &["say Hello there, how are you today?"]),
        Scenario::turn("old: thinking", &["think Let me think.\nsay Done"]),
        Scenario::new("old: two turns", [say(&["say One"]), Settle, say(&["say Two"]), Settle]),
        Scenario::turn("old: write", &WRITE),
        Scenario::turn("old: deny", &WRITE).answer(|request| {
            let denial = json!({"behavior": "deny", "message": "Not that one"});
            when_asked(request, || Reply::Payload(denial))
        }),
        Scenario::turn(
            "old: commands",
            &[
                r#"tool Bash {"command":"echo out"}"#,
                r#"tool Bash {"command":"echo bad; exit 3"}"#,
                "say Done.",
            ],
        ),
        Scenario::new(
            "old: interrupt while streaming",
            [
                say(&["say This much\nhold a\nmore and"]),
                Held("a"),
                Until("stream_event/content_block_delta"),
                ask("interrupt"),
                Settle,
                say(&["say Again"]),
                Settle,
            ],
        ),
        Scenario::new(
            "old: interrupt while asking",
            [say(&WRITE), Until("control_request/can_use_tool"), ask("interrupt"), Settle],
        )
        .answer(silent),
        Scenario::turn("old: replayed prompts", &WRITE).more_args(&["--replay-user-messages"]),
        Scenario::new(
            "old: resume",
            [say(&["say One"]), Settle, Restart(&["--resume=$SESSION"]), say(&["say Two"]), Settle],
        ),
        Scenario::new("old: resume an unknown session", [Until("result")])
            .more_args(&["--resume=00000000-0000-4000-8000-000000000000"]),
    ];
    scenarios.into_iter().map(Scenario::old).collect()
}
