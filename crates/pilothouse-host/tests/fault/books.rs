//! What must hold when everything is over.

use std::collections::{BTreeMap, BTreeSet};

use pilothouse_host::Host;
use pilothouse_host::holder::{RunState, find, look};
use pilothouse_host::wirelog::{Log, Record};
use pilothouse_session::Command;
use pilothouse_session::event::{Body, Event, MessageOrigin, Outcome, ToolStatus};
use pilothouse_session::id::SessionId;
use serde_json::Value;

use super::bed::Bed;
use super::worker::Asked;

pub(crate) async fn check(bed: &Bed, asked: &[Asked], is_wide: bool) {
    let host = bed.host().await;
    for asked in asked {
        assert!(asked.rounds.len() > 1, "session {} has done nothing", asked.number);
        let _ = host.command(asked.session, Command::Stop).await;
    }
    for asked in asked {
        ended(&host, asked.session).await;
        let events = events(&host, asked.session);
        numbers(&events, asked);
        approvals(&events);
        prompts(bed, &events, asked, is_wide);
        wire_logs(bed, &events, asked.session);
    }
    let ends: Vec<_> = asked.iter().flat_map(|asked| &asked.rounds).map(|(_, end)| end).collect();
    let answered = ends.iter().filter(|end| **end == "answered").count();
    assert!(answered * 2 > ends.len(), "of {} prompts {answered} were answered", ends.len());
    let later: usize = asked.iter().map(|asked| asked.answered_later).sum();
    assert!(later > 0, "no request was answered after a restart");
    host.close().await;
    processes(bed);
}

/// Waits until a session has no run.
async fn ended(host: &Host, session: SessionId) {
    let mut changes = host.changes();
    while host.session(session).await.unwrap().status.has_run() {
        let next = tokio::time::timeout(super::bed::PATIENCE, changes.next()).await;
        next.expect("the session ends");
    }
}

fn events(host: &Host, session: SessionId) -> Vec<Event> {
    let stored = host.store().read_after(session, 0, usize::MAX).unwrap();
    stored.iter().map(|event| event.read().unwrap()).collect()
}

/// No gap, no duplicate, and nothing that a client saw is gone.
fn numbers(events: &[Event], asked: &Asked) {
    for (event, expected) in events.iter().zip(1..) {
        assert_eq!(event.seq, expected);
    }
    assert!(events.len() as u64 >= asked.seq);
}

/// Each was answered or withdrawn once, after it was asked.
fn approvals(events: &[Event]) {
    let mut open = BTreeSet::new();
    for event in events {
        match &event.body {
            Body::ApprovalRequested { approval } => assert!(open.insert(approval.approval)),
            Body::ApprovalResolved { resolution } => assert!(open.remove(&resolution.approval)),
            Body::PermissionCancelled { approval, .. } => assert!(open.remove(approval)),
            _ => {}
        }
    }
    assert!(open.is_empty(), "nobody can answer {open:?} any more");
}

/// Each was taken in once, and what it asked for was done at most once; once, unless a CLI was
/// killed in the middle of it.
fn prompts(bed: &Bed, events: &[Event], asked: &Asked, is_wide: bool) {
    let mut taken_in = BTreeMap::new();
    for event in events {
        if let Body::UserMessage { prompt: Some(prompt), origin, .. } = &event.body
            && *origin == MessageOrigin::User
        {
            *taken_in.entry(prompt.to_string()).or_insert(0) += 1;
        }
    }
    assert!(taken_in.values().all(|count| *count == 1), "{taken_in:?}");
    let file = bed.path("work").join(format!("done-{}", asked.number));
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let mut done: Vec<usize> = text.lines().map(|line| line.parse().unwrap()).collect();
    let in_order = done.clone();
    done.dedup();
    assert_eq!(done, in_order, "nothing was done twice");
    assert!(done.is_sorted(), "{done:?}");
    for (round, (prompt, end)) in asked.rounds.iter().enumerate() {
        assert!(taken_in.contains_key(prompt));
        if !is_wide {
            assert_eq!(end, "answered");
        }
        // Only of what was answered is it known that it was done.
        assert!(end != "answered" || done.contains(&round), "round {round} of {}", asked.number);
    }
}

/// What there is of a session, on either side of the machine.
#[derive(Debug, Default, PartialEq, Eq)]
struct Account {
    texts: Vec<String>,
    calls: Vec<String>,
    results: Vec<String>,
    /// Turns that came to an end.
    ends: usize,
}

impl Account {
    fn sorted(mut self) -> Self {
        self.texts.sort();
        self.calls.sort();
        self.results.sort();
        self
    }

    /// Takes in a line of the CLI.
    fn line(&mut self, line: &[u8]) {
        let Ok(frame) = serde_json::from_slice::<Value>(line) else { return };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        for block in frame["message"]["content"].as_array().into_iter().flatten() {
            match (frame["type"].as_str(), block["type"].as_str()) {
                (Some("assistant"), Some("text")) => self.texts.push(text(&block["text"])),
                (Some("assistant"), Some("tool_use")) => self.calls.push(text(&block["id"])),
                (Some("user"), Some("tool_result")) => {
                    self.results.push(text(&block["tool_use_id"]));
                }
                _ => {}
            }
        }
        self.ends += usize::from(frame["type"] == "result");
    }

    /// Takes in an event; not what the machine has closed because the CLI did not.
    fn event(&mut self, body: &Body) {
        match body {
            Body::Message { text, partial: false, .. } => self.texts.push(text.clone()),
            Body::ToolCall { tool_call_id, .. } => self.calls.push(tool_call_id.clone()),
            Body::ToolUpdate {
                tool_call_id,
                status: ToolStatus::Complete | ToolStatus::Error,
                ..
            } => self.results.push(tool_call_id.clone()),
            Body::Complete { completion } if completion.outcome != Outcome::Lost => self.ends += 1,
            _ => {}
        }
    }
}

/// Every run that was started is told of; every text, call, result and end that the CLI wrote became
/// one event; every request of the CLI was answered once at most.
fn wire_logs(bed: &Bed, events: &[Event], session: SessionId) {
    let told: BTreeSet<_> = events
        .iter()
        .filter_map(|event| match &event.body {
            Body::RunStarted { run, .. } => Some(run.to_string()),
            _ => None,
        })
        .collect();
    let dir = bed.path("data/runs").join(session.to_string());
    let mut written = Account::default();
    for run in find(&dir).unwrap() {
        assert!(told.contains(&run.run), "nobody knows of run {}", run.run);
        let mut answered = BTreeSet::new();
        for found in Log::open(&run.dir).unwrap().records(0) {
            match found.unwrap().record {
                Record::Out { line, .. } => written.line(&line),
                Record::In { line, .. } => {
                    if let Some(request) = answer(&line) {
                        assert!(answered.insert(request.clone()), "answered twice: {request}");
                    }
                }
                _ => {}
            }
        }
    }
    let mut shown = Account::default();
    events.iter().for_each(|event| shown.event(&event.body));
    assert!(written.ends > 0);
    assert_eq!(written.sorted(), shown.sorted());
}

/// Which request of the CLI a line answers.
fn answer(line: &[u8]) -> Option<String> {
    let line: Value = serde_json::from_slice(line).ok()?;
    let is_answer = line["type"] == "control_response";
    is_answer.then(|| line["response"]["request_id"].as_str().unwrap().to_owned())
}

/// Nothing is left over.
fn processes(bed: &Bed) {
    let dir = bed.path("data/runs");
    for session in std::fs::read_dir(dir).unwrap() {
        for run in find(&session.unwrap().path()).unwrap() {
            assert_ne!(look(&run.dir).unwrap(), Some(RunState::Live), "{}", run.run);
        }
    }
    // Guards end a moment after what they watched.
    let deadline = std::time::Instant::now() + super::bed::PATIENCE;
    while let Some(left) = left_over(bed) {
        assert!(std::time::Instant::now() < deadline, "left over: {left}");
        std::thread::yield_now();
    }
}

/// A process that has this bed in its environment, with its command line.
fn left_over(bed: &Bed) -> Option<String> {
    let home = bed.dir.path().to_str().unwrap().as_bytes();
    for process in std::fs::read_dir("/proc").unwrap().flatten() {
        let environ = std::fs::read(process.path().join("environ")).unwrap_or_default();
        if environ.windows(home.len()).any(|part| part == home) {
            let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
            let status = std::fs::read_to_string(process.path().join("status"));
            let (line, status) = (String::from_utf8_lossy(&line), status.unwrap_or_default());
            return Some(format!("{} {line}\n{status}", process.path().display()));
        }
    }
    None
}
