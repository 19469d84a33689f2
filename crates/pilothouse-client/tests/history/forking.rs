//! Copies of sessions.

use std::collections::HashSet;
use std::fs;

use pilothouse_client::history::{ForkRequest, HistoryError, MessageQuery, Scope, SessionId};
use serde_json::{Value, json};

use crate::bed::{Bed, cases, fixtures, lines, session};

/// The lines of a copy, with its uuids changed back to those of the source.
struct Copy {
    text: String,
    lines: Vec<Value>,
    id: SessionId,
}

impl Copy {
    fn of(bed: &Bed, request: &ForkRequest) -> Self {
        let id = bed.history.fork(&session(1), request).unwrap();
        let written = fs::read_to_string(bed.transcript("-a", &id)).unwrap();
        let mut text = written.clone();
        for line in written.lines() {
            // Lone surrogates do not fit into a `Value`; those lines keep their new uuid.
            let Ok(line) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            if let (Some(new), Some(old)) =
                (line["uuid"].as_str(), line["forkedFrom"]["messageUuid"].as_str())
            {
                assert_ne!(new, old);
                text = text.replace(new, old);
            }
        }
        let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Self { text, lines, id }
    }

    fn line(&self, key: &str, value: &str) -> &Value {
        self.lines.iter().find(|line| line[key] == value).unwrap()
    }

    fn types(&self) -> Vec<&str> {
        self.lines.iter().map(|line| line["type"].as_str().unwrap()).collect()
    }

    /// The uuids of the conversation as a reader sees it.
    fn said(&self, bed: &Bed) -> Vec<String> {
        let messages = bed.history.messages(&self.id, &MessageQuery::new()).unwrap();
        messages
            .iter()
            .map(|message| {
                let entry: Value = serde_json::from_str(message.entry.get()).unwrap();
                entry["forkedFrom"]["messageUuid"].as_str().unwrap().to_owned()
            })
            .collect()
    }
}

fn put_case(bed: &Bed, case: &str) {
    let text = fs::read_to_string(fixtures("messages").join(format!("{case}.jsonl"))).unwrap();
    // The fixtures are of another session.
    let text = text.replace("10000000-0000-4000-8000-000000000001", session(1).as_str());
    bed.put("-a", 1, text, 0);
}

fn user(uuid: &str, parent: Option<&str>, text: &str) -> Value {
    json!({"parentUuid": parent, "isSidechain": false, "type": "user", "uuid": uuid,
           "sessionId": session(1).as_str(), "timestamp": "2026-03-01T10:00:00.000Z",
           "message": {"role": "user", "content": text}})
}

#[test]
fn links_are_renamed_and_lead_to_their_source() {
    let bed = Bed::new();
    put_case(&bed, "linear");
    let copy = Copy::of(&bed, &ForkRequest::new());
    assert_eq!(
        copy.types(),
        ["user", "assistant", "attachment", "user", "assistant", "custom-title"]
    );
    let from = session(1);
    for (line, uuid) in copy.lines.iter().zip(["u1", "a1", "x1", "u2", "a2"]) {
        assert_eq!(line["uuid"], uuid);
        assert_eq!(line["sessionId"], copy.id.as_str());
        assert_eq!(line["forkedFrom"], json!({"sessionId": from.as_str(), "messageUuid": uuid}));
    }
    assert_eq!(copy.lines[0]["parentUuid"], Value::Null);
    assert_eq!(copy.lines[4]["parentUuid"], "u2");
    assert_eq!(copy.lines[3]["timestamp"], "2026-03-01T10:00:04.000Z");
    assert_ne!(copy.lines[4]["timestamp"], "2026-03-01T10:00:05.000Z", "the last one is now");
    assert_eq!(copy.said(&bed), ["u1", "a1", "u2", "a2"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = bed.transcript("-a", &copy.id).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn a_copy_reads_like_its_source() {
    // A team's message becomes one of the conversation, and the record of what a running turn
    // took in stays behind: both as in the official SDKs.
    let differ = ["left_out", "queued_on_record"];
    let mut compared = 0;
    for case in cases("messages") {
        let bed = Bed::new();
        put_case(&bed, &case);
        let content = |id: &SessionId| -> Vec<Option<String>> {
            let messages = bed.history.messages(id, &MessageQuery::new()).unwrap();
            messages
                .iter()
                .map(|message| Some(message.message.as_ref()?.get().to_owned()))
                .collect()
        };
        let Ok(copy) = bed.history.fork(&session(1), &ForkRequest::new()) else { continue };
        if !differ.contains(&case.as_str()) {
            assert_eq!(content(&copy), content(&session(1)), "{case}");
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn what_is_unknown_goes_along() {
    let bed = Bed::new();
    let id = session(1);
    let mut second = user("u2", Some("n1"), "second");
    second["futureField"] = json!({"deep": [1, null]});
    second["teamName"] = "team".into();
    second["slug"] = "slug".into();
    second["sourceToolAssistantUUID"] = "u1".into();
    let text = format!(
        "{}{}{}",
        lines(&[user("u1", None, "first")]),
        "{\"type\":\"user\",\"uuid\":\"s1\",\"parentUuid\":\"u1\",\"big\":1e999,\"cut\":\"\\ud83d\"}\n",
        lines(&[
            json!({"type": "brand-new-link", "uuid": "n1", "parentUuid": "u1", "sessionId": id.as_str()}),
            json!({"type": "brand-new-setting", "value": 7, "sessionId": id.as_str()}),
            json!({"type": "brand-new-setting", "value": 8, "sessionId": session(2).as_str()}),
            second,
        ])
    );
    bed.put("-a", 1, text, 0);
    let copy = Copy::of(&bed, &ForkRequest::new());
    assert!(copy.text.contains(r#""big":1e999,"cut":"\ud83d""#));
    let second = copy.line("uuid", "u2");
    assert_eq!(second["futureField"], json!({"deep": [1, null]}));
    for gone in ["teamName", "slug", "sourceToolAssistantUUID"] {
        assert!(second.get(gone).is_none(), "{gone}");
    }
    let link = copy.line("type", "brand-new-link");
    assert_eq!(link["parentUuid"], "u1");
    assert_eq!(second["parentUuid"], link["uuid"]);
    assert_ne!(link["uuid"], "n1");
    assert_eq!(link["sessionId"], copy.id.as_str());
    let settings: Vec<&Value> =
        copy.lines.iter().filter(|line| line["type"] == "brand-new-setting").collect();
    assert_eq!(settings.len(), 1);
    assert_eq!(settings[0]["value"], 7);
}

#[test]
fn what_belongs_to_the_session_stays_behind() {
    let bed = Bed::new();
    let id = session(1);
    let of = |kind: &str| json!({"type": kind, "sessionId": id.as_str(), "value": 1});
    let replaced = |name: &str, session: &SessionId| {
        json!({"type": "content-replacement", "sessionId": session.as_str(),
               "replacements": [{"toolUseId": name}]})
    };
    bed.put(
        "-a",
        1,
        lines(&[
            of("permission-mode"),
            of("file-history-snapshot"),
            user("u1", None, "first"),
            of("queue-operation"),
            of("cost-state"),
            of("tag"),
            of("bridge-session"),
            replaced("t1", &id),
            replaced("t2", &session(2)),
            json!({"type": "relocated", "relocatedCwd": "/new", "sessionId": id.as_str()}),
            json!({"type": "history-suppression", "sessionId": "anything"}),
            user("u2", Some("u1"), "second"),
            json!({"type": "data-flow-records", "v": 1, "sessionId": id.as_str(), "records": []}),
            replaced("t3", &id),
        ]),
        0,
    );
    let copy = Copy::of(&bed, &ForkRequest::new().up_to("u1").title(" mine "));
    assert_eq!(
        copy.types(),
        [
            "user",
            "relocated",
            "history-suppression",
            "data-flow-records",
            "content-replacement",
            "derived-from",
            "custom-title"
        ]
    );
    let replacements = &copy.line("type", "content-replacement")["replacements"];
    assert_eq!(*replacements, json!([{"toolUseId": "t1"}, {"toolUseId": "t3"}]));
    assert_eq!(
        copy.line("type", "derived-from")["sessions"],
        json!([{"type": "claude_code_session", "id": id.as_str(), "via": "fork"}])
    );
    assert_eq!(copy.line("type", "relocated")["sessionId"], copy.id.as_str());
    assert_eq!(copy.line("type", "custom-title")["customTitle"], "mine");
}

#[test]
fn progress_and_sidechains_are_not_copied() {
    let bed = Bed::new();
    let mut side = user("s1", Some("u1"), "side");
    side["isSidechain"] = true.into();
    let mut progress = user("p1", Some("u1"), "");
    progress["type"] = "progress".into();
    let mut looped = user("p2", Some("p2"), "");
    looped["type"] = "progress".into();
    bed.put(
        "-a",
        1,
        lines(&[
            user("u1", None, "first"),
            side,
            progress,
            looped,
            user("u3", Some("p2"), "behind a loop"),
            user("u2", Some("p1"), "second"),
        ]),
        0,
    );
    let copy = Copy::of(&bed, &ForkRequest::new());
    assert_eq!(copy.types(), ["user", "user", "user", "custom-title"]);
    assert_eq!(copy.line("uuid", "u2")["parentUuid"], "u1");
    assert_eq!(copy.line("uuid", "u3")["parentUuid"], Value::Null);
}

#[test]
fn a_copy_ends_where_it_is_told_to() {
    let cases: [(&str, &str, &[&str]); 13] = [
        ("linear", "u1", &["u1"]),
        ("linear", "a1", &["u1", "a1"]),
        ("linear", "x1", &["u1", "a1"]),
        ("linear", "a2", &["u1", "a1", "u2", "a2"]),
        ("rewound", "a2", &["u1", "a1", "u2", "a2"]),
        ("rewound", "u3", &["u1", "a1", "u3"]),
        // Before the compaction, where the kept messages were said.
        ("compacted_kept_messages", "u2", &["u1", "a1", "u2"]),
        // At its boundary: before it.
        ("compacted_kept_messages", "b1", &["u1", "a1", "u2", "a2"]),
        // At its summary: without what it kept.
        ("compacted_kept_messages", "s1", &["s1"]),
        ("compacted_kept_messages", "u3", &["s1", "u2", "a2", "u3"]),
        ("compacted_kept_segment", "s1", &["s1"]),
        // By the uuid a queued prompt was sent with.
        ("queued_taken_in", "p1", &["u1", "a1", "r1", "q1"]),
        ("parallel_calls", "a3", &["u1", "a1", "a2", "a3"]),
    ];
    for (case, message, said) in cases {
        let bed = Bed::new();
        put_case(&bed, case);
        let copy = Copy::of(&bed, &ForkRequest::new().up_to(message));
        assert_eq!(copy.said(&bed), said, "{case} {message}");
    }
}

#[test]
fn compactions_keep_what_they_kept() {
    let bed = Bed::new();
    put_case(&bed, "compacted_kept_messages");
    let copy = Copy::of(&bed, &ForkRequest::new());
    let boundary = copy.line("type", "system");
    assert_eq!(boundary["logicalParentUuid"], "a2");
    assert_eq!(
        boundary["compactMetadata"],
        json!({"trigger": "auto", "preservedMessages": {"anchorUuid": "s1", "uuids": ["u2", "a2"]}})
    );
    let cut = Copy::of(&bed, &ForkRequest::new().up_to("s1"));
    assert_eq!(cut.line("type", "system")["compactMetadata"], json!({"trigger": "auto"}));
}

#[test]
fn titles_are_derived() {
    let titled = |more: &[Value], request: ForkRequest| {
        let bed = Bed::new();
        let mut all = vec![user("u1", None, "the prompt")];
        all.extend_from_slice(more);
        bed.put("-a", 1, lines(&all), 0);
        let copy = bed.history.fork(&session(1), &request).unwrap();
        bed.history.session(&copy, &Scope::AllProjects).unwrap().summary
    };
    let given = json!({"type": "custom-title", "customTitle": "given"});
    let made_up = json!({"type": "ai-title", "aiTitle": "made up"});
    let plain = ForkRequest::new;
    assert_eq!(titled(&[], plain()), "the prompt (fork)");
    assert_eq!(titled(std::slice::from_ref(&made_up), plain()), "made up (fork)");
    assert_eq!(titled(&[given.clone(), made_up], plain()), "given (fork)");
    assert_eq!(titled(std::slice::from_ref(&given), plain().title("new")), "new");
    assert_eq!(titled(&[given], plain().title("  ")), "given (fork)");
}

#[test]
fn bad_requests_are_told_apart_and_leave_nothing() {
    let bed = Bed::new();
    put_case(&bed, "linear");
    bed.put("-a", 2, lines(&[json!({"type": "tag", "tag": "x"})]), 0);
    let fork = |number: u32, request: &ForkRequest| bed.history.fork(&session(number), request);
    let unknown = fork(1, &ForkRequest::new().up_to("nowhere")).unwrap_err();
    assert!(matches!(unknown, HistoryError::MessageNotFound { .. }));
    let empty = fork(2, &ForkRequest::new()).unwrap_err();
    assert!(matches!(empty, HistoryError::NothingToFork { .. }));
    let missing = fork(3, &ForkRequest::new()).unwrap_err();
    assert!(matches!(missing, HistoryError::SessionNotFound { .. }));
    assert_eq!(fs::read_dir(bed.project("-a")).unwrap().count(), 2);
}

#[test]
fn copies_of_copies_are_distinct() {
    let bed = Bed::new();
    put_case(&bed, "linear");
    let mut ids = HashSet::from([session(1)]);
    let mut current = session(1);
    for _ in 0..3 {
        current = bed.history.fork(&current, &ForkRequest::new()).unwrap();
        assert!(ids.insert(current.clone()));
    }
    let messages = bed.history.messages(&current, &MessageQuery::new()).unwrap();
    assert_eq!(messages.len(), 4);
    assert!(messages.iter().all(|message| message.session_id == current.as_str()));
}
