//! The transcripts of subagents.

use std::fs;
use std::path::{Path, PathBuf};

use pilothouse_client::history::{HistoryError, MessageQuery, Scope, SessionId};
use serde_json::json;

use crate::bed::{Bed, line, lines, user};

fn started(bed: &Bed) -> (SessionId, PathBuf) {
    let session = bed.put("-a", 1, line(&user(Path::new("/w"), "go")), 0);
    let dir = bed.project("-a").join(session.as_str()).join("subagents");
    fs::create_dir_all(&dir).unwrap();
    (session, dir)
}

fn task() -> String {
    let side = |kind: &str, uuid: &str, parent: Option<&str>, content: serde_json::Value| {
        json!({"type": kind, "uuid": uuid, "parentUuid": parent, "isSidechain": true,
               "agentId": "x", "sessionId": "s", "timestamp": format!("2026-03-01T10:00:{uuid}Z"),
               "message": {"role": kind, "id": "m1", "content": content}})
    };
    let call = |id: &str| json!([{"type": "tool_use", "id": id, "name": "Read", "input": {}}]);
    let result = |id: &str| json!([{"type": "tool_result", "tool_use_id": id, "content": "x"}]);
    let mut instructions = side("user", "01", None, json!("the task"));
    instructions["isMeta"] = true.into();
    let mut answer = side("assistant", "06", Some("04"), json!([{"type": "text", "text": "done"}]));
    answer["message"]["id"] = "m2".into();
    lines(&[
        instructions,
        side("assistant", "02", Some("01"), call("t1")),
        side("assistant", "03", Some("02"), call("t2")),
        side("user", "04", Some("02"), result("t1")),
        side("user", "05", Some("03"), result("t2")),
        answer,
    ])
}

#[test]
fn subagents_are_found_wherever_they_are_nested() {
    let bed = Bed::new();
    let (session, dir) = started(&bed);
    assert!(bed.history.subagents(&session, &Scope::AllProjects).unwrap().is_empty());
    fs::create_dir_all(dir.join("workflows/run1")).unwrap();
    fs::write(dir.join("agent-b.jsonl"), task()).unwrap();
    fs::write(
        dir.join("agent-b.meta.json"),
        r#"{"agentType":"Explore","toolUseId":"toolu_1","parentAgentId":"a"}"#,
    )
    .unwrap();
    fs::write(dir.join("agent-a.jsonl"), task()).unwrap();
    fs::write(dir.join("agent-a.meta.json"), "broken").unwrap();
    fs::write(dir.join("workflows/run1/agent-c.jsonl"), task()).unwrap();
    fs::write(dir.join("workflows/run1/journal.jsonl"), "{}").unwrap();
    let found = bed.history.subagents(&session, &Scope::AllProjects).unwrap();
    let ids: Vec<&str> = found.iter().map(|agent| agent.agent_id.as_str()).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    assert_eq!(found[0].tool_use_id, None);
    assert!(found[0].metadata.is_none());
    assert_eq!(found[1].tool_use_id.as_deref(), Some("toolu_1"));
    assert_eq!(found[1].parent_agent_id.as_deref(), Some("a"));
    assert!(found[1].metadata.as_ref().unwrap().get().contains("Explore"));
}

#[test]
fn a_subagents_conversation_is_whole() {
    let bed = Bed::new();
    let (session, dir) = started(&bed);
    fs::write(dir.join("agent-b.jsonl"), task()).unwrap();
    fs::write(dir.join("agent-b.meta.json"), r#"{"toolUseId":"toolu_1"}"#).unwrap();
    let read = |query: &MessageQuery| bed.history.subagent_messages(&session, "b", query).unwrap();
    let messages = read(&MessageQuery::new());
    let uuids: Vec<&str> = messages.iter().map(|message| message.uuid.as_str()).collect();
    assert_eq!(uuids, ["01", "02", "03", "05", "04", "06"]);
    assert!(messages[0].meta);
    for message in &messages {
        assert_eq!(message.parent_tool_use_id.as_deref(), Some("toolu_1"));
        assert_eq!(message.parent_agent_id, None);
    }
    assert_eq!(read(&MessageQuery::new().offset(1).limit(2)).len(), 2);
}

#[test]
fn ids_are_names_and_not_paths() {
    let bed = Bed::new();
    let (session, dir) = started(&bed);
    fs::write(dir.join("agent-b.jsonl"), task()).unwrap();
    for id in ["zz", "", "../subagents/agent-b", "../../x", "b.jsonl", "/etc/passwd"] {
        let error = bed.history.subagent_messages(&session, id, &MessageQuery::new()).unwrap_err();
        assert!(matches!(error, HistoryError::SubagentNotFound { .. }), "{id}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_not_subagents() {
    let bed = Bed::new();
    let (session, dir) = started(&bed);
    let outside = bed.directory("outside");
    fs::write(outside.join("agent-z.jsonl"), task()).unwrap();
    std::os::unix::fs::symlink(outside.join("agent-z.jsonl"), dir.join("agent-y.jsonl")).unwrap();
    std::os::unix::fs::symlink(&outside, dir.join("linked")).unwrap();
    assert!(bed.history.subagents(&session, &Scope::AllProjects).unwrap().is_empty());
    fs::remove_dir_all(&dir).unwrap();
    std::os::unix::fs::symlink(&outside, &dir).unwrap();
    assert!(bed.history.subagents(&session, &Scope::AllProjects).unwrap().is_empty());
}
