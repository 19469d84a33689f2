//! What holds for every recording.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use pilothouse_session::event::{DeltaKind, PromptState, ToolStatus};
use pilothouse_session::id::{ApprovalId, ItemId, PromptId, TurnId};
use pilothouse_session::{Body, Event};

use crate::recording::{Played, Shown, scenarios};

static ALL: LazyLock<Vec<(String, Played)>> = LazyLock::new(|| {
    let scenarios = scenarios();
    let all = scenarios.iter().flat_map(|(scenario, versions)| {
        let name = move |version| format!("{version}/{scenario}");
        versions.iter().map(move |(version, recording)| (name(version), recording.play()))
    });
    all.collect()
});

/// Counts what began and what ended, by name.
struct Balance<K>(BTreeMap<K, (usize, usize)>);

impl<K: Ord + std::fmt::Debug> Balance<K> {
    fn new() -> Self {
        Self(BTreeMap::new())
    }

    fn begins(&mut self, what: K) {
        self.0.entry(what).or_default().0 += 1;
    }

    fn ends(&mut self, what: K) {
        self.0.entry(what).or_default().1 += 1;
    }

    fn must_be_even(self, of: &str) {
        for (what, counts) in self.0 {
            assert_eq!(counts, (1, 1), "{of}: how often {what:?} began and ended");
        }
    }
}

#[test]
fn events_are_numbered_without_gaps() {
    for (name, played) in &*ALL {
        let numbers: Vec<u64> = played.events().map(|event| event.seq).collect();
        let count = u64::try_from(numbers.len()).expect("a count");
        assert_eq!(numbers, (1..=count).collect::<Vec<_>>(), "{name}");
        assert_eq!(played.session.seq(), count, "{name}");
    }
}

#[test]
fn every_turn_settles_once() {
    for (name, played) in &*ALL {
        let mut turns: Balance<TurnId> = Balance::new();
        for event in played.events() {
            match event.body {
                Body::TurnStarted { .. } => turns.begins(event.turn.expect(name)),
                Body::Complete { .. } => turns.ends(event.turn.expect(name)),
                _ => {}
            }
        }
        turns.must_be_even(name);
    }
}

#[test]
fn nothing_is_left_open() {
    for (name, played) in &*ALL {
        assert_eq!(played.session.open_items(), [], "{name}");
        assert_eq!(played.session.approvals(), [], "{name}");
        assert_eq!(played.session.tasks().count(), 0, "{name}");
        let mut calls: Balance<&str> = Balance::new();
        let mut tasks: Balance<&str> = Balance::new();
        let mut approvals: Balance<ApprovalId> = Balance::new();
        for event in played.events() {
            match &event.body {
                Body::ToolCall { tool_call_id, .. } => calls.begins(tool_call_id),
                Body::ToolUpdate { tool_call_id, status, .. }
                    if *status != ToolStatus::Detached =>
                {
                    calls.ends(tool_call_id);
                }
                Body::TaskStarted { task } => tasks.begins(&task.task_id),
                Body::TaskEnded { task } => tasks.ends(&task.task_id),
                Body::ApprovalRequested { approval } => approvals.begins(approval.approval),
                Body::ApprovalResolved { resolution } => approvals.ends(resolution.approval),
                Body::PermissionCancelled { approval, .. } => approvals.ends(*approval),
                _ => {}
            }
        }
        calls.must_be_even(name);
        tasks.must_be_even(name);
        approvals.must_be_even(name);
    }
}

#[test]
fn a_prompt_goes_forward_to_its_end() {
    for (name, played) in &*ALL {
        let mut prompts: BTreeMap<PromptId, &PromptState> = BTreeMap::new();
        for event in played.events() {
            let Body::PromptUpdated { prompt, state } = &event.body else { continue };
            let before = prompts.insert(*prompt, state);
            let step = before.map_or(0, rank) < rank(state);
            assert!(step, "{name}: prompt {prompt} was {before:?} and is {state:?}");
        }
        for (prompt, state) in prompts {
            assert_eq!(rank(state), 4, "{name}: prompt {prompt} is left {state:?}");
        }
    }
}

fn rank(state: &PromptState) -> usize {
    match state {
        PromptState::Queued => 1,
        PromptState::Sent => 2,
        PromptState::TakenUp { .. } => 3,
        PromptState::Answered { .. } | PromptState::Cancelled | PromptState::Failed { .. } => 4,
    }
}

#[test]
fn pieces_make_up_the_whole() {
    let mut compared = 0;
    for (name, played) in &*ALL {
        let mut growing: BTreeMap<ItemId, (DeltaKind, String)> = BTreeMap::new();
        for shown in &played.shown {
            match shown {
                Shown::Delta(delta) => {
                    let empty = (delta.kind, String::new());
                    let (kind, text) = growing.entry(delta.item).or_insert(empty);
                    assert_eq!((*kind, text.len()), (delta.kind, delta.offset), "{name}");
                    text.push_str(&delta.text);
                }
                Shown::Event(event) => compared += end_items(name, &mut growing, event),
                Shown::Refused(_) => {}
            }
        }
        assert!(growing.is_empty(), "{name}: pieces of items that never end: {growing:?}");
    }
    assert!(compared > 50, "the recordings stream more than {compared} items");
}

/// Ends the items that `event` ends; how many had pieces.
fn end_items(
    name: &str,
    growing: &mut BTreeMap<ItemId, (DeltaKind, String)>,
    event: &Event,
) -> usize {
    let (item, kind, whole) = match &event.body {
        Body::Message { item, text, .. } => (item, DeltaKind::MessageChunk, Some(text)),
        Body::Reasoning { item, text, .. } => (item, DeltaKind::ReasoningChunk, Some(text)),
        Body::ToolCall { item, .. } => (item, DeltaKind::ToolInputChunk, None),
        Body::Retracted { items, .. } => {
            growing.retain(|item, _| !items.contains(item));
            return 0;
        }
        _ => return 0,
    };
    let Some((grown, text)) = growing.remove(item) else { return 0 };
    assert_eq!(grown, kind, "{name}");
    match whole {
        Some(whole) => assert_eq!(text, *whole, "{name}"),
        None => {
            let input: Result<serde_json::Value, _> = serde_json::from_str(&text);
            assert!(input.is_ok(), "{name}: {text}");
        }
    }
    1
}

/// The scripted model never says the same twice in a turn.
#[test]
fn a_text_is_shown_once() {
    for (name, played) in &*ALL {
        let mut said = BTreeSet::new();
        for event in played.events() {
            let text = match &event.body {
                Body::Message { text, .. } | Body::Error { message: text, .. } => text,
                _ => continue,
            };
            if event.turn.is_none() {
                continue;
            }
            let place = (event.turn, event.parent_tool_call_id.as_deref(), text.as_str());
            assert!(said.insert(place), "{name}: {place:?} is said twice");
        }
    }
}

#[test]
fn a_status_is_told_when_it_changes() {
    for (name, played) in &*ALL {
        let mut last = None;
        for event in played.events() {
            if let Body::SessionStatus { status } = event.body {
                assert_ne!(last, Some(status), "{name}: event {}", event.seq);
                last = Some(status);
            }
        }
        assert_eq!(last, Some(played.session.status()), "{name}");
    }
}

#[test]
fn events_belong_to_turns_that_have_begun() {
    for (name, played) in &*ALL {
        let mut begun = BTreeSet::new();
        for event in played.events() {
            if let (Body::TurnStarted { .. }, Some(turn)) = (&event.body, event.turn) {
                begun.insert(turn);
            }
            let known = event.turn.is_none_or(|turn| begun.contains(&turn));
            assert!(known, "{name}: event {} is of {:?}", event.seq, event.turn);
        }
    }
}

#[test]
fn the_newest_cli_says_nothing_unknown() {
    for (name, played) in ALL.iter().filter(|(name, _)| name.starts_with("2.1.325/")) {
        let unknown = played.events().find(|event| matches!(event.body, Body::Unknown { .. }));
        assert_eq!(unknown, None, "{name}");
    }
}

#[test]
fn events_and_deltas_survive_json() {
    for (name, played) in &*ALL {
        for shown in &played.shown {
            match shown {
                Shown::Event(event) => {
                    let text = serde_json::to_string(event).expect(name);
                    let back: Event = serde_json::from_str(&text).expect(&text);
                    assert_eq!(back, **event, "{name}");
                }
                Shown::Delta(delta) => {
                    let text = serde_json::to_string(delta).expect(name);
                    assert_eq!(serde_json::from_str(&text).ok().as_ref(), Some(delta), "{name}");
                }
                Shown::Refused(_) => {}
            }
        }
    }
}
