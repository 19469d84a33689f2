use pilothouse_host::past::PastError;
use pilothouse_session::event::{Body, Status};
use pilothouse_session::id::PromptId;
use serde_json::json;
use uuid::Uuid;

use crate::bed::{Bed, assistant, call, chained, name, result, shown, text, user};

#[test]
fn a_conversation_becomes_a_session() {
    let bed = Bed::new();
    bed.talk(
        "work",
        1,
        &[
            user("please do"),
            assistant("m1", json!({"type": "thinking", "thinking": "hm"})),
            call("m1", "t1", "Bash", json!({"command": "ls"})),
            result("t1", "a"),
            text("m2", "done"),
            json!({"type": "custom-title", "customTitle": "My work", "sessionId": name(1)}),
        ],
    );
    let imported = bed.import(1).unwrap();
    assert_eq!(
        shown(&imported.events),
        [
            "user please do",
            "thinks hm",
            "calls t1 ls",
            "ends t1 Complete",
            "says done",
            "named My work",
            "settles Done",
        ]
    );
    assert_eq!(imported.cli_session, name(1));
    assert_eq!(imported.cwd.as_deref(), bed.directory("work").to_str());
    assert_eq!((&*imported.title, imported.model.as_deref()), ("My work", Some("model-a")));
    assert_eq!(imported.started_at.to_string(), "2026-09-01T10:00:00Z");
    assert_eq!(imported.ended_at.to_string(), "2026-09-01T10:00:04Z");
    assert_eq!(imported.skipped, Default::default());
    let session = &imported.session;
    assert_eq!((session.cli_session(), session.status()), (Some(&*name(1)), Status::Dormant));
    assert_eq!(session.seq(), imported.events.len() as u64);
    let numbers: Vec<u64> = imported.events.iter().map(|event| event.seq).collect();
    assert_eq!(numbers, (1..=session.seq()).collect::<Vec<_>>());
    // The message can be gone back to by its name.
    let prompts: Vec<_> = imported
        .events
        .iter()
        .filter_map(|event| match event.body {
            Body::UserMessage { prompt, .. } => prompt,
            _ => None,
        })
        .collect();
    assert_eq!(prompts, [PromptId(Uuid::from_u128(1 << 32))]);
}

#[test]
fn what_the_cli_keeps_in_tags_is_shown_as_it_was_typed() {
    let bed = Bed::new();
    let meta = |text: &str| {
        let mut line = user(text);
        line["isMeta"] = json!(true);
        line
    };
    let command = "<command-name>/review</command-name>\n<command-message>review</command-message>\n\
                   <command-args>the code</command-args>";
    bed.talk(
        "work",
        1,
        &[
            meta("<local-command-caveat>not for you</local-command-caveat>"),
            user("<command-name>/cost</command-name><command-args></command-args>"),
            user("<local-command-stdout>free of charge</local-command-stdout>"),
            user(command),
            meta("Review the code at length."),
            text("m1", "it is good"),
            user("<bash-input>date</bash-input>"),
            user("<bash-stdout>today</bash-stdout><bash-stderr>late</bash-stderr>"),
            user("and now?"),
            text("m2", "nothing"),
        ],
    );
    assert_eq!(
        shown(&bed.import(1).unwrap().events),
        [
            "user /cost",
            "says free of charge",
            "settles Done",
            "user /review the code",
            "says it is good",
            "settles Done",
            "user !date",
            "says today\nlate",
            "settles Done",
            "user and now?",
            "says nothing",
            "settles Done",
        ]
    );
}

#[test]
fn compaction_interruption_and_failure() {
    let bed = Bed::new();
    let mut summary = user("This is a summary.");
    summary["isCompactSummary"] = json!(true);
    summary["isVisibleInTranscriptOnly"] = json!(true);
    let mut failure = text("m3", "API Error: overloaded");
    failure["isApiErrorMessage"] = json!(true);
    failure["message"]["model"] = json!("<synthetic>");
    let boundary = json!({"type": "system", "subtype": "compact_boundary", "parentUuid": null,
        "compactMetadata": {"trigger": "auto", "preTokens": 9}});
    bed.talk(
        "work",
        1,
        &[
            user("forgotten"),
            text("m0", "forgotten too"),
            boundary,
            summary,
            user("stop me"),
            call("m1", "t1", "Bash", json!({"command": "sleep"})),
            user(json!([{"type": "text", "text": "[Request interrupted by user for tool use]"}])),
            user("fail"),
            failure,
        ],
    );
    assert_eq!(
        shown(&bed.import(1).unwrap().events),
        [
            "compacted",
            "cli This is a summary.",
            "user stop me",
            "calls t1 sleep",
            "notes [Request interrupted by user for tool use]",
            "ends t1 Cancelled",
            "settles Interrupted",
            "user fail",
            "fails API Error: overloaded",
            "settles Failed",
        ]
    );
}

/// Two subagents at once, one of which starts another; the CLI of old does not say who started whom.
#[test]
fn subagents_speak_where_they_spoke() {
    for with_sidecar in [true, false] {
        let bed = Bed::new();
        let agent = |call: &str, text: &str, id: &str| {
            let mut line = result(call, text);
            line["toolUseResult"] = json!({"status": "completed", "agentId": id, "content": []});
            line
        };
        let path = bed.talk(
            "work",
            1,
            &[
                user("go"),
                call("m1", "t1", "Task", json!({"description": "first", "prompt": "a"})),
                call("m1", "t2", "Task", json!({"description": "second", "prompt": "b"})),
                agent("t1", "one", "a1"),
                agent("t2", "two", "a2"),
                text("m2", "both done"),
            ],
        );
        let side = path.with_extension("").join("subagents");
        std::fs::create_dir_all(&side).unwrap();
        let put = |id: &str, call: &str, number, said: &[_]| {
            let mut lines = chained(said, number, "/work").replace(":false", ":true");
            lines = lines.replace("2026-09-01T10:00:0", "2026-09-01T10:00:02.0");
            std::fs::write(side.join(format!("agent-{id}.jsonl")), lines).unwrap();
            if with_sidecar {
                let sidecar = json!({"toolUseId": call}).to_string();
                std::fs::write(side.join(format!("agent-{id}.meta.json")), sidecar).unwrap();
            }
        };
        put(
            "a1",
            "t1",
            2,
            &[
                user("a"),
                call("s1", "t3", "Task", json!({"description": "inner", "prompt": "c"})),
                agent("t3", "three", "a3"),
                text("s2", "one"),
            ],
        );
        put("a2", "t2", 3, &[user("b"), text("s3", "two")]);
        put("a3", "t3", 4, &[user("c"), text("s4", "three")]);
        put("lost", "t9", 5, &[user("d"), text("s5", "nobody knows")]);
        let imported = bed.import(1).unwrap();
        let said = shown(&imported.events);
        let at = |what: &str| {
            let found = said.iter().position(|line| line.trim_start() == what);
            found.unwrap_or_else(|| panic!("{what} is not in {said:#?}"))
        };
        let order = [
            "calls t1 Agent: first",
            "calls t3 Agent: inner",
            "says three",
            "ends t3 Complete",
            "says one",
            "ends t1 Complete",
            "ends t2 Complete",
            "says both done",
        ];
        assert!(order.is_sorted_by_key(|what| at(what)), "{said:#?}");
        assert!(
            at("calls t2 Agent: second") < at("says two")
                && at("says two") < at("ends t2 Complete")
        );
        assert!(said[at("says three")].starts_with("  "), "{said:#?}");
        assert!(!said.iter().any(|line| line.contains("nobody knows")));
        assert!(imported.events.is_sorted_by_key(|event| event.at));
        let parent = imported.events.iter().find_map(|event| match &event.body {
            Body::Message { text, .. } if text == "three" => event.parent_tool_call_id.as_deref(),
            _ => None,
        });
        assert_eq!(parent, Some("t3"));
    }
}

#[test]
fn what_is_not_there() {
    let bed = Bed::new();
    bed.project("work");
    assert!(matches!(bed.import(1), Err(PastError::Empty(_) | PastError::History(_))));
    let odd = bed.past.import("../../etc/passwd", crate::import::nobody(), Default::default());
    assert!(matches!(odd, Err(PastError::History(_))));
    bed.put("work", 2, "");
    assert!(bed.import(2).is_err());
}

pub(crate) fn nobody() -> pilothouse_session::id::SessionId {
    pilothouse_session::id::SessionId(Uuid::nil())
}
