//! Any bytes are a session's transcript: it can be listed, read, renamed, tagged, archived, forked
//! and deleted, or there is an error; the bytes that were there stay as they were until then.
//!
//! A line `%%` ends the transcript; after it come that of another session beside it, which the first
//! may say it goes on in, another `%%`, and the transcript of a subagent.

#![no_main]

use std::fs;

use libfuzzer_sys::fuzz_target;
use pilothouse_client::history::{
    ForkRequest, History, MessageQuery, Scope, SessionId, SessionQuery,
};

const SESSION: &str = "00000000-0000-4000-8000-000000000001";
const NEIGHBOUR: &str = "00000000-0000-4000-8000-000000000002";

fuzz_target!(|data: &[u8]| {
    let (content, rest) = cut(data);
    let (neighbour, subagent) = cut(rest);
    let config = tempfile::tempdir().expect("a directory");
    let history = History::at(config.path());
    let project = history.projects_dir().join("-src-app");
    let agents = project.join(SESSION).join("subagents");
    fs::create_dir_all(&agents).expect("a project");
    let transcript = project.join(format!("{SESSION}.jsonl"));
    fs::write(&transcript, content).expect("a transcript");
    fs::write(project.join(format!("{NEIGHBOUR}.jsonl")), neighbour).expect("another");
    fs::write(agents.join("agent-a1.jsonl"), subagent).expect("a subagent");

    let session = SessionId::parse(SESSION).expect("an id");
    let listed = history.sessions(&SessionQuery::new());
    let all = Scope::default();
    // What a listing shows can be asked for alone. (A neighbour may hide it from the listing.)
    for summary in &listed {
        let alone = history.session(&summary.session_id, &all);
        assert_eq!(alone.map(|alone| alone.summary), Some(summary.summary.clone()));
    }

    let whole = MessageQuery::new().with_system();
    let messages = history.messages(&session, &whole).unwrap_or_default();
    let page = history.messages(&session, &MessageQuery::new().with_system().offset(1).limit(2));
    let expected: Vec<_> = messages.iter().skip(1).take(2).map(|message| &message.uuid).collect();
    assert_eq!(page.unwrap_or_default().iter().map(|it| &it.uuid).collect::<Vec<_>>(), expected);
    for subagent in history.subagents(&session, &all).unwrap_or_default() {
        let _ = history.subagent_messages(&session, &subagent.agent_id, &whole);
    }

    let last = messages.last().map(|message| message.uuid.clone());
    let _ = history.fork(&session, &ForkRequest::new());
    if let Some(last) = last {
        let _ = history.fork(&session, &ForkRequest::new().up_to(last));
    }

    // Changes are lines at the end: what was there is still there, and the title is the last one.
    if history.rename(&session, "Renamed", &all).is_ok() {
        let _ = history.tag(&session, Some("tag"), &all);
        let now = fs::read(&transcript).expect("the transcript");
        assert!(now.starts_with(content), "something was overwritten");
        if let Some(summary) = history.session(&session, &all) {
            assert_eq!(summary.custom_title.as_deref(), Some("Renamed"));
        }
    }
    let _ = history.archive(&session, &all);
    let _ = history.unarchive(&session, &all);
    if history.delete(&session, &all).is_ok() {
        assert!(!transcript.exists());
    }
});

/// Before and after the first line `%%`.
fn cut(data: &[u8]) -> (&[u8], &[u8]) {
    const MARK: &[u8] = b"%%\n";
    let at = data.windows(MARK.len()).position(|window| window == MARK);
    at.map_or((data, b""), |at| (&data[..at], &data[at + MARK.len()..]))
}
