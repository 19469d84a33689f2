//! Renaming, tagging, archiving, deleting.

use std::fs;
use std::path::Path;

use pilothouse_client::history::{HistoryError, Scope, SessionSummary};
use serde_json::{Value, json};

use crate::bed::{Bed, line, lines, session, user};

const ALL: Scope = Scope::AllProjects;

fn one(bed: &Bed) -> SessionSummary {
    bed.history.session(&session(1), &ALL).unwrap()
}

fn prompted(bed: &Bed) -> String {
    let content = line(&user(Path::new("/w"), "first"));
    bed.put("-a", 1, &content, 100);
    content
}

#[test]
fn titles_are_appended() {
    let bed = Bed::new();
    let before = prompted(&bed);
    bed.history.rename(&session(1), "  one  ", &ALL).unwrap();
    bed.history.rename(&session(1), "two \"quoted\"\n", &ALL).unwrap();
    assert_eq!(one(&bed).custom_title.as_deref(), Some("two \"quoted\""));
    let after = fs::read_to_string(bed.transcript("-a", &session(1))).unwrap();
    let added = after.strip_prefix(&before).unwrap();
    let id = session(1);
    assert_eq!(
        added,
        format!(
            "{{\"type\":\"custom-title\",\"customTitle\":\"one\",\"sessionId\":\"{id}\"}}\n\
             {{\"type\":\"custom-title\",\"customTitle\":\"two \\\"quoted\\\"\",\"sessionId\":\"{id}\"}}\n"
        )
    );
    assert!(matches!(bed.history.rename(&session(1), " \n", &ALL), Err(HistoryError::EmptyTitle)));
}

#[test]
fn tags_come_and_go() {
    let bed = Bed::new();
    prompted(&bed);
    bed.history.tag(&session(1), Some(" ﬁx\u{200b} "), &ALL).unwrap();
    assert_eq!(one(&bed).tag.as_deref(), Some("fix"));
    bed.history.tag(&session(1), None, &ALL).unwrap();
    assert_eq!(one(&bed).tag, None);
    assert!(matches!(
        bed.history.tag(&session(1), Some("\u{200b}"), &ALL),
        Err(HistoryError::EmptyTag)
    ));
}

#[test]
fn half_a_line_does_not_swallow_a_title() {
    let bed = Bed::new();
    let mut content = line(&user(Path::new("/w"), "first"));
    content.push_str("{\"type\":\"assistant\",\"mess");
    bed.put("-a", 1, content, 0);
    bed.history.rename(&session(1), "kept", &ALL).unwrap();
    assert_eq!(one(&bed).summary, "kept");
    let text = fs::read_to_string(bed.transcript("-a", &session(1))).unwrap();
    assert!(serde_json::from_str::<Value>(text.lines().last().unwrap()).is_ok());
}

#[test]
fn nothing_is_created() {
    let bed = Bed::new();
    bed.put("-a", 1, "", 0);
    let history = &bed.history;
    let results = [
        history.rename(&session(1), "x", &ALL),
        history.tag(&session(1), Some("x"), &ALL),
        history.archive(&session(1), &ALL),
        history.unarchive(&session(1), &ALL),
        history.delete(&session(1), &ALL),
        history.rename(&session(2), "x", &ALL),
    ];
    for result in results {
        assert!(matches!(result, Err(HistoryError::SessionNotFound { .. })));
    }
    assert_eq!(fs::read(bed.transcript("-a", &session(1))).unwrap(), b"");
    assert_eq!(fs::read_dir(bed.project("-a")).unwrap().count(), 1);
}

#[test]
fn an_empty_copy_is_passed_over() {
    let bed = Bed::new();
    bed.put("-a", 1, "", 0);
    bed.put("-b", 1, line(&user(Path::new("/w"), "first")), 50);
    bed.history.rename(&session(1), "found", &ALL).unwrap();
    assert_eq!(one(&bed).summary, "found");
}

#[test]
fn the_archive_is_a_mark_beside_the_transcript() {
    let bed = Bed::new();
    let before = prompted(&bed);
    bed.put("-b", 1, &before, 200);
    assert_eq!(one(&bed).archived, None);
    bed.history.archive(&session(1), &ALL).unwrap();
    assert_eq!(one(&bed).archived, Some(true));
    for key in ["-a", "-b"] {
        let dir = bed.project(key).join(session(1).as_str());
        let mark: Value =
            serde_json::from_slice(&fs::read(dir.join("archived.json")).unwrap()).unwrap();
        assert_eq!((&mark["archived"], &mark["by"]), (&json!(true), &json!("sdk")));
        let at = mark["at"].as_str().unwrap();
        assert!(at.ends_with('Z') && at.len() == "2026-03-01T10:00:00.000Z".len(), "{at}");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 1, "nothing is left over");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&dir), mode(&dir.join("archived.json"))), (0o700, 0o600));
        }
    }
    bed.history.unarchive(&session(1), &ALL).unwrap();
    assert_eq!(one(&bed).archived, Some(false));
    assert_eq!(fs::read_to_string(bed.transcript("-a", &session(1))).unwrap(), before);
}

#[test]
fn a_prompt_brings_a_session_back() {
    let bed = Bed::new();
    let path = Path::new("/w");
    let mut later = user(path, "again");
    later["timestamp"] = "2999-01-01T00:00:00Z".into();
    bed.put("-a", 1, lines(&[user(path, "first"), later]), 0);
    bed.history.archive(&session(1), &ALL).unwrap();
    assert_eq!(one(&bed).archived, Some(false));
}

#[test]
fn deleting_takes_the_transcript_and_what_is_beside_it() {
    let bed = Bed::new();
    prompted(&bed);
    bed.put("-a", 2, line(&user(Path::new("/w"), "other")), 0);
    let side = bed.project("-a").join(session(1).as_str());
    fs::create_dir_all(side.join("subagents/deep")).unwrap();
    fs::write(side.join("subagents/deep/agent-x.jsonl"), "{}").unwrap();
    bed.history.delete(&session(1), &ALL).unwrap();
    assert!(!bed.transcript("-a", &session(1)).exists());
    assert!(!side.exists());
    assert!(bed.transcript("-a", &session(2)).exists());
    assert!(bed.history.delete(&session(1), &ALL).is_err());
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::*;
    use pilothouse_client::history::ForkRequest;

    #[test]
    fn a_linked_transcript_is_no_session() {
        let bed = Bed::new();
        let outside = bed.directory("outside").join("precious.jsonl");
        fs::write(&outside, line(&user(Path::new("/w"), "precious"))).unwrap();
        symlink(&outside, bed.transcript("-a", &session(1))).unwrap();
        let history = &bed.history;
        assert!(history.session(&session(1), &ALL).is_none());
        assert!(history.delete(&session(1), &ALL).is_err());
        assert!(history.rename(&session(1), "x", &ALL).is_err());
        assert_eq!(fs::read_to_string(&outside).unwrap().lines().count(), 1);
    }

    #[test]
    fn a_project_linked_from_outside_is_read_but_not_changed() {
        let bed = Bed::new();
        let outside = bed.directory("outside");
        fs::write(
            outside.join(format!("{}.jsonl", session(1))),
            line(&user(Path::new("/w"), "precious")),
        )
        .unwrap();
        fs::create_dir(outside.join(session(1).as_str())).unwrap();
        symlink(&outside, bed.history.projects_dir().join("-w")).unwrap();
        assert_eq!(one(&bed).summary, "precious");
        let history = &bed.history;
        let id = &session(1);
        let refused = [
            history.delete(id, &ALL),
            history.rename(id, "x", &ALL),
            history.tag(id, None, &ALL),
            history.archive(id, &ALL),
            history.fork(id, &ForkRequest::new()).map(drop),
        ];
        for result in refused {
            assert!(matches!(result, Err(HistoryError::OutsideProjects { .. })), "{result:?}");
        }
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 2);
    }

    #[test]
    fn a_project_linked_within_can_be_changed() {
        let bed = Bed::new();
        prompted(&bed);
        symlink(bed.project("-a"), bed.history.projects_dir().join("-w")).unwrap();
        bed.history.delete(&session(1), &Scope::directory("/w")).unwrap();
        assert!(bed.history.session(&session(1), &ALL).is_none());
    }

    #[test]
    fn deleting_does_not_follow_links_beside_the_transcript() {
        let bed = Bed::new();
        prompted(&bed);
        let outside = bed.directory("outside");
        fs::write(outside.join("precious"), "x").unwrap();
        let side = bed.project("-a").join(session(1).as_str());
        fs::create_dir(&side).unwrap();
        symlink(&outside, side.join("subagents")).unwrap();
        bed.history.delete(&session(1), &ALL).unwrap();
        assert!(outside.join("precious").exists() && !side.exists());

        prompted(&bed);
        symlink(&outside, &side).unwrap();
        assert!(bed.history.archive(&session(1), &ALL).is_err());
        bed.history.delete(&session(1), &ALL).unwrap();
        assert!(outside.join("precious").exists() && !side.is_symlink());
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    }
}
