//! Recordings of real CLIs: stopped at any line, read back, and gone on with.

use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use jiff::Timestamp;
use pilothouse_session::event::Exit;
use pilothouse_session::id::{RunId, SessionId};
use pilothouse_session::replay::Replay;
use pilothouse_session::{Effect, Event, Session};
use serde::Deserialize;
use serde_json::value::RawValue;
use uuid::Uuid;

#[derive(Deserialize)]
struct Line<'a> {
    dir: &'a str,
    #[serde(borrow)]
    line: &'a RawValue,
}

struct Recording {
    name: String,
    /// Who wrote it, and what.
    lines: Vec<(Writer, Bytes)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Writer {
    Cli,
    Host,
}

fn recordings() -> Vec<Recording> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transcripts");
    let entries = |path: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(path).expect("transcripts, recorded before");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    };
    let versions = entries(&root).into_iter().filter(|path| path.is_dir());
    let mut files: Vec<PathBuf> = versions.flat_map(|version| entries(&version)).collect();
    files.sort();
    files.iter().filter_map(|file| read(file)).collect()
}

fn read(file: &Path) -> Option<Recording> {
    let text = fs::read_to_string(file).expect("a transcript");
    let lines = text.lines().filter_map(|line| {
        let line: Line<'_> = serde_json::from_str(line).ok()?;
        let writer = match line.dir {
            "in" => Writer::Host,
            "out" => Writer::Cli,
            _ => return None,
        };
        Some((writer, Bytes::from(line.line.get().to_owned())))
    });
    let lines: Vec<_> = lines.collect();
    (!lines.is_empty()).then(|| Recording { name: file.display().to_string(), lines })
}

fn stage() -> Replay {
    let session = Session::new(SessionId(Uuid::from_u128(1)), Default::default());
    Replay::of(session, RunId(Uuid::from_u128(1)))
}

fn at(line: usize) -> Timestamp {
    Timestamp::from_second(line as i64).expect("a time")
}

fn hand_in(replay: &mut Replay, line: usize, (writer, text): &(Writer, Bytes)) -> Vec<Effect> {
    match writer {
        Writer::Cli => replay.written_by_cli(text.clone(), at(line)),
        Writer::Host => replay.written_by_host(text, at(line)),
    }
}

fn written(session: &Session) -> String {
    serde_json::to_string(session).expect("a state that can be written")
}

fn read_back(text: &str) -> Session {
    serde_json::from_str(text).expect("a state that can be read")
}

#[test]
fn a_state_read_back_at_every_line_goes_on_the_same() {
    let recordings = recordings();
    assert!(recordings.len() > 200);
    for recording in recordings {
        let (mut kept, mut restored) = (stage(), stage());
        for (number, line) in recording.lines.iter().enumerate() {
            let expected = hand_in(&mut kept, number, line);
            let found = hand_in(&mut restored, number, line);
            assert!(expected == found, "{} line {}", recording.name, number + 1);
            *restored.session_mut() = read_back(&written(restored.session()));
        }
        let exit = Exit { code: Some(0), signal: None };
        let end = at(recording.lines.len());
        assert_eq!(kept.ended(exit, end), restored.ended(exit, end), "{}", recording.name);
    }
}

/// Stores what is new of `effects`.
fn store(events: &mut Vec<Event>, effects: Vec<Effect>) {
    for effect in effects {
        if let Effect::Append(event) = effect {
            let stored = events.len() as u64;
            if event.seq > stored {
                assert_eq!(event.seq, stored + 1, "no event is missing");
                events.push(*event);
            }
        }
    }
}

#[test]
fn a_death_at_any_line_loses_and_doubles_no_event() {
    for recording in recordings() {
        let mut replay = stage();
        let (mut events, mut checkpoint) = (Vec::new(), written(replay.session()));
        let mut handed_in_after = Vec::new();
        for (number, line) in recording.lines.iter().enumerate() {
            let effects = hand_in(&mut replay, number, line);
            let is_checkpoint = effects.contains(&Effect::Checkpoint);
            store(&mut events, effects);
            if is_checkpoint {
                checkpoint = written(replay.session());
                handed_in_after.clear();
            } else {
                handed_in_after.push(number);
            }
            let before = (replay.session().seq(), replay.session().lines());
            *replay.session_mut() = read_back(&checkpoint);
            let mut again = Vec::new();
            for missed in handed_in_after.iter().map(|missed| (*missed, &recording.lines[*missed]))
            {
                again.extend(hand_in(&mut replay, missed.0, missed.1));
            }
            let twins = again.iter().filter_map(|effect| match effect {
                Effect::Append(event) => Some(event),
                _ => None,
            });
            for twin in twins {
                let stored = &events[twin.seq as usize - 1];
                assert_eq!(stored, &**twin, "{} line {}", recording.name, number + 1);
            }
            let after = (replay.session().seq(), replay.session().lines());
            assert_eq!(before, after, "{} line {}", recording.name, number + 1);
        }
    }
}
