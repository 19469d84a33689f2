//! Which messages a transcript holds, in which order.

use std::fmt::Write as _;
use std::fs;

use pilothouse_client::history::{HistoryError, MessageQuery, Scope, SessionMessage};

use serde_json::json;

use crate::bed::{Bed, cases, fixtures, lines, session};

/// One line for each message: kind, uuid, flags.
fn sketch(messages: &[SessionMessage]) -> String {
    let mut out = String::new();
    for message in messages {
        let kind = format!("{:?}", message.kind).to_lowercase();
        write!(out, "{kind} {}", message.uuid).unwrap();
        for (flag, set) in [
            ("meta", message.meta),
            ("summary", message.compact_summary),
            ("queued", message.queued),
            ("local", message.local_command),
        ] {
            if set {
                write!(out, " {flag}").unwrap();
            }
        }
        out.push('\n');
    }
    out
}

fn read(case: &str, query: &MessageQuery) -> Vec<SessionMessage> {
    let bed = Bed::new();
    let content = fs::read(fixtures("messages").join(format!("{case}.jsonl"))).unwrap();
    let session = bed.put("-p", 1, content, 0);
    bed.history.messages(&session, query).unwrap()
}

#[test]
fn transcripts_read_as_expected() {
    for case in cases("messages") {
        let query = match case.as_str() {
            "with_system" => MessageQuery::new().with_system(),
            _ => MessageQuery::new(),
        };
        let expected =
            fs::read_to_string(fixtures("messages").join(format!("{case}.expected"))).unwrap();
        assert_eq!(sketch(&read(&case, &query)), expected, "{case}");
    }
}

#[test]
fn pages_are_parts_of_the_whole() {
    let all = sketch(&read("parallel_calls", &MessageQuery::new()));
    let all: Vec<&str> = all.lines().collect();
    for offset in 0..=all.len() + 1 {
        for limit in 0..=all.len() + 1 {
            let page = MessageQuery::new().offset(offset).limit(limit);
            let page = sketch(&read("parallel_calls", &page));
            let expected: Vec<&str> = all.iter().copied().skip(offset).take(limit).collect();
            assert_eq!(page.lines().collect::<Vec<_>>(), expected, "{offset} {limit}");
        }
    }
}

#[test]
fn content_is_as_stored() {
    let messages = read("broken_lines", &MessageQuery::new());
    let raw = |at: usize| messages[at].message.as_ref().unwrap().get();
    assert_eq!(raw(0), r#"{"role":"user","content":"cut \ud83d here"}"#);
    assert!(raw(1).contains("123456789012345678901234567890"));
    assert!(messages[1].entry.get().starts_with(r#"{"message":"#));
    assert_eq!(messages[0].timestamp.as_deref(), Some("2026-03-01T10:00:00Z"));
    assert_eq!(messages[0].session_id, "s");
}

#[test]
fn queued_prompts_read_like_prompts() {
    let messages = read("queued_waiting", &MessageQuery::new());
    let last = messages.last().unwrap();
    assert_eq!(
        last.message.as_ref().unwrap().get(),
        r#"{"role":"user","content":[{"type":"text","text":"third"}]}"#
    );
    assert!(last.entry.get().contains(r#""uuid":"q2""#), "the entry stays what it was");
}

#[test]
fn system_messages_have_no_api_message() {
    let messages = read("with_system", &MessageQuery::new().with_system());
    assert!(messages[2].message.is_none());
    assert!(messages[2].entry.get().contains("turn_duration"));
}

#[test]
fn a_missing_session_is_an_error() {
    let bed = Bed::new();
    let scope = Scope::directory(bed.directory("work"));
    let missing = bed.history.messages(&session(9), &MessageQuery::new().scope(scope));
    let error = missing.unwrap_err();
    assert!(matches!(error, HistoryError::SessionNotFound { .. }));
    assert!(error.to_string().contains("work"), "{error}");
}

#[test]
fn what_was_written_down_is_found_by_the_id_it_was_sent_with() {
    let bed = Bed::new();
    let said = |uuid: &str| {
        json!({"type": "user", "uuid": uuid, "parentUuid": null,
               "message": {"role": "user", "content": "mentions named"}})
    };
    let queued = json!({"type": "attachment", "uuid": "a1", "parentUuid": "said",
        "attachment": {"type": "queued_command", "prompt": "more", "source_uuid": "steered"}});
    // Other lines name prompts that they do not hold.
    let snapshot = json!({"type": "file-history-snapshot", "messageId": "named"});
    let mut text = lines(&[snapshot, said("said"), queued]);
    text.push_str(r#"{"type":"user","uuid":"torn","message":{"role":"us"#);
    let session = bed.put("-p", 1, text, 0);
    let asked = ["said", "steered", "named", "torn", "never"];
    let scope = Scope::AllProjects;
    assert_eq!(bed.history.recorded(&session, &scope, asked).unwrap(), ["said", "steered"]);
    let nowhere = bed.history.recorded(&crate::bed::session(2), &scope, asked);
    assert!(matches!(nowhere, Err(HistoryError::SessionNotFound { .. })), "{nowhere:?}");
}
