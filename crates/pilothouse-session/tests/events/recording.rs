//! Recorded conversations, and what the machine makes of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use pilothouse_session::event::{Exit, RunOrigin};
use pilothouse_session::id::{RunId, SessionId};
use pilothouse_session::replay::Replay;
use pilothouse_session::session::Setup;
use pilothouse_session::{Delta, Effect, Event, Session};
use serde::Deserialize;
use serde_json::value::RawValue;
use uuid::Uuid;

/// Scenarios in which the CLI cannot start, and ends with an error.
const FAILING: [&str; 2] = ["resume-unknown", "startup-failure"];

/// A version of the CLI. Older ones come first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(Vec<u32>);

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts: Vec<String> = self.0.iter().map(u32::to_string).collect();
        f.write_str(&parts.join("."))
    }
}

#[derive(Deserialize)]
struct Line<'a> {
    dir: &'a str,
    #[serde(borrow)]
    line: &'a RawValue,
}

/// What was said in a scenario, run after run.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) scenario: String,
    runs: Vec<String>,
}

/// What became visible, in order.
#[derive(Debug)]
pub(crate) enum Shown {
    Event(Box<Event>),
    Delta(Delta),
    /// A command was refused.
    Refused(String),
}

/// A recording that went through the machine.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) shown: Vec<Shown>,
    /// The session after its last run.
    pub(crate) session: Session,
}

impl Played {
    pub(crate) fn events(&self) -> impl Iterator<Item = &Event> {
        self.shown.iter().filter_map(|shown| match shown {
            Shown::Event(event) => Some(&**event),
            _ => None,
        })
    }
}

/// All recordings, by scenario and version.
pub(crate) fn scenarios() -> BTreeMap<String, BTreeMap<Version, Recording>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transcripts");
    let mut scenarios: BTreeMap<String, BTreeMap<Version, Recording>> = BTreeMap::new();
    for directory in names(&root).into_iter().filter(|name| !name.ends_with(".md")) {
        let numbers = directory.split('.').map(|part| part.parse().expect("a number"));
        let version = Version(numbers.collect());
        // In order of their names: the first run comes before the second.
        for file in names(&root.join(&directory)) {
            let name = file.trim_end_matches(".jsonl");
            let scenario = name.strip_suffix("-1").or(name.strip_suffix("-2")).unwrap_or(name);
            let text = fs::read_to_string(root.join(&directory).join(&file)).expect("a transcript");
            let of_scenario = scenarios.entry(scenario.to_owned()).or_default();
            let empty = || Recording { scenario: scenario.to_owned(), runs: Vec::new() };
            of_scenario.entry(version.clone()).or_insert_with(empty).runs.push(text);
        }
    }
    assert!(scenarios.len() > 100, "the transcripts are missing");
    scenarios
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("transcripts are in the repository");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

impl Recording {
    /// Of one run.
    pub(crate) fn of(scenario: &str, lines: String) -> Self {
        Self { scenario: scenario.to_owned(), runs: vec![lines] }
    }

    /// Feeds it to a new session, one millisecond for each line.
    pub(crate) fn play(&self) -> Played {
        let session = Session::new(SessionId(Uuid::from_u128(1)), Setup::default());
        let mut replay = Replay::of(session, RunId(Uuid::from_u128(1)));
        let mut shown = Vec::new();
        let mut now = Timestamp::UNIX_EPOCH;
        for (number, run) in self.runs.iter().enumerate() {
            if number > 0 {
                replay.starts_as(self.origin(&replay));
            }
            for line in run.lines() {
                now += SignedDuration::from_millis(1);
                let line: Line<'_> = serde_json::from_str(line).expect("a line of a transcript");
                let text = line.line.get().as_bytes();
                show(
                    &mut shown,
                    match line.dir {
                        "in" => replay.written_by_host(text, now),
                        _ => replay.written_by_cli(Bytes::copy_from_slice(text), now),
                    },
                );
            }
            now += SignedDuration::from_millis(1);
            let code = i32::from(FAILING.contains(&&*self.scenario));
            show(&mut shown, replay.ended(Exit { code: Some(code), signal: None }, now));
        }
        Played { shown, session: replay.session().clone() }
    }

    /// How a later run of the scenario was started, which is not in its lines.
    fn origin(&self, replay: &Replay) -> RunOrigin {
        let cli_session = replay.session().cli_session().unwrap_or_default().to_owned();
        match &*self.scenario {
            "fork" => RunOrigin::Forked { cli_session, at: None },
            "tools-worktree" => RunOrigin::New,
            _ => RunOrigin::Resumed { cli_session, at: None },
        }
    }
}

fn show(shown: &mut Vec<Shown>, effects: Vec<Effect>) {
    shown.extend(effects.into_iter().filter_map(|effect| match effect {
        Effect::Append(event) => Some(Shown::Event(event)),
        Effect::Stream(delta) => Some(Shown::Delta(delta)),
        Effect::Reply { result: Err(refusal), .. } => Some(Shown::Refused(refusal.to_string())),
        _ => None,
    }));
}
