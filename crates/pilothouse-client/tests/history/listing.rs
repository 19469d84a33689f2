//! What a listing shows, and in which order.

use std::fs::{self, File};
use std::path::Path;

use pilothouse_client::history::{Scope, SessionQuery, SessionSummary};
use serde_json::{Value, json};

use crate::bed::{Bed, cases, fixtures, line, lines, session, set_age, user};

fn described(summary: &SessionSummary) -> Value {
    let mut all = json!({
        "summary": summary.summary, "customTitle": summary.custom_title,
        "firstPrompt": summary.first_prompt, "gitBranch": summary.git_branch,
        "cwd": summary.cwd, "tag": summary.tag, "createdAt": summary.created_at_ms,
        "archived": summary.archived,
    });
    all.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    all
}

fn summaries(bed: &Bed, query: &SessionQuery) -> Vec<String> {
    bed.history.sessions(query).into_iter().map(|session| session.summary).collect()
}

#[test]
fn transcripts_are_described_as_expected() {
    for case in cases("listing") {
        let bed = Bed::new();
        let file = |suffix: &str| fixtures("listing").join(format!("{case}{suffix}"));
        let session = bed.put("-p", 1, fs::read(file(".jsonl")).unwrap(), 0);
        for sidecar in ["archived.json", "custom-title.json"] {
            if let Ok(content) = fs::read(file(&format!(".{sidecar}"))) {
                let dir = bed.project("-p").join(session.as_str());
                fs::create_dir_all(&dir).unwrap();
                fs::write(dir.join(sidecar), content).unwrap();
            }
        }
        let expected: Value =
            serde_json::from_slice(&fs::read(file(".expected.json")).unwrap()).unwrap();
        let found = bed.history.session(&session, &Scope::AllProjects);
        assert_eq!(found.as_ref().map_or(Value::Null, described), expected, "{case}");
        let listed = bed.history.sessions(&SessionQuery::new());
        assert_eq!(listed.first(), found.as_ref(), "{case}: listing and looking up differ");
    }
}

#[test]
fn the_newest_comes_first_and_each_session_once() {
    let bed = Bed::new();
    let prompt = |text: &str| line(&user(Path::new("/w"), text));
    bed.put("-a", 1, prompt("old"), 50);
    bed.put("-b", 2, prompt("newest"), 10);
    bed.put("-a", 3, prompt("tie, lower id"), 30);
    bed.put("-b", 4, prompt("tie, higher id"), 30);
    bed.put("-a", 5, prompt("old copy"), 40);
    bed.put("-b", 5, prompt("new copy"), 20);
    let all = ["newest", "new copy", "tie, higher id", "tie, lower id", "old"];
    assert_eq!(summaries(&bed, &SessionQuery::new()), all);
    for offset in 0..=6 {
        for limit in 0..=6 {
            let query = SessionQuery::new().offset(offset).limit(limit);
            let expected: Vec<&str> = all.iter().copied().skip(offset).take(limit).collect();
            assert_eq!(summaries(&bed, &query), expected, "{offset} {limit}");
        }
    }
}

#[test]
fn only_transcripts_are_listed() {
    let bed = Bed::new();
    let prompt = line(&user(Path::new("/w"), "real"));
    bed.put("-a", 1, &prompt, 0);
    bed.put("-a", 2, "", 0);
    let project = bed.project("-a");
    fs::write(project.join("notes.jsonl"), &prompt).unwrap();
    fs::write(project.join("agent-00000000.jsonl"), &prompt).unwrap();
    fs::write(project.join(session(3).as_str()), &prompt).unwrap();
    fs::create_dir(project.join(format!("{}.jsonl", session(4)))).unwrap();
    fs::create_dir(project.join("memory")).unwrap();
    fs::write(bed.history.projects_dir().join("stray.jsonl"), &prompt).unwrap();
    assert_eq!(summaries(&bed, &SessionQuery::new()), ["real"]);
}

#[test]
fn no_projects_is_no_sessions() {
    let bed = Bed::new();
    fs::remove_dir(bed.history.projects_dir()).unwrap();
    assert!(bed.history.sessions(&SessionQuery::new()).is_empty());
    let here = SessionQuery::new().scope(Scope::directory(bed.directory("w")));
    assert!(bed.history.sessions(&here).is_empty());
}

#[test]
fn programs_can_be_left_out() {
    let bed = Bed::new();
    let with = |prompt: &str, key: &str, value: &str| {
        let mut entry = user(Path::new("/w"), prompt);
        entry[key] = value.into();
        line(&entry)
    };
    bed.put("-a", 1, with("person", "entrypoint", "cli"), 1);
    bed.put("-a", 2, with("python", "entrypoint", "sdk-py"), 2);
    bed.put("-a", 3, with("typescript", "entrypoint", "sdk-ts"), 3);
    bed.put("-a", 4, with("command", "entrypoint", "sdk-cli"), 4);
    bed.put("-a", 5, with("daemon", "sessionKind", "daemon"), 5);
    bed.put("-a", 6, with("worker", "sessionKind", "daemon-worker"), 6);
    bed.put("-a", 7, with("other", "entrypoint", "pilothouse"), 7);
    assert_eq!(summaries(&bed, &SessionQuery::new()).len(), 7);
    assert_eq!(summaries(&bed, &SessionQuery::new().people_only()), ["person", "other"]);
}

#[test]
fn a_continued_session_gives_way_to_its_continuation() {
    let bed = Bed::new();
    let prompt = |text: &str| user(Path::new("/w"), text);
    let continued = |number: u32| json!({"type": "continued-in", "continuedInSessionId": session(number).as_str()});
    bed.put("-a", 1, line(&prompt("continuation")), 1);
    bed.put("-a", 2, lines(&[prompt("went on"), continued(1)]), 2);
    bed.put("-a", 3, lines(&[prompt("used again"), continued(1), prompt("again")]), 3);
    bed.put("-a", 4, lines(&[prompt("goes nowhere"), continued(99)]), 4);
    bed.put("-a", 5, line(&json!({"type": "custom-title", "customTitle": "only a title"})), 5);
    bed.put("-a", 6, lines(&[prompt("not yet"), continued(5)]), 6);
    let shown = ["continuation", "used again", "goes nowhere", "only a title", "not yet"];
    assert_eq!(summaries(&bed, &SessionQuery::new()), shown);
}

/// Lines of 1 KiB that say nothing, to push the ends of a transcript apart.
fn padding(kib: usize) -> String {
    let one = json!({"type": "progress", "uuid": "p", "data": "x".repeat(980)}).to_string();
    format!("{one}\n").repeat(kib)
}

#[test]
fn only_both_ends_count() {
    let bed = Bed::new();
    let prompt = line(&user(Path::new("/w"), "first"));
    let title = |text: &str| line(&json!({"type": "custom-title", "customTitle": text}));
    let pad = padding(80);
    bed.put("-a", 1, format!("{prompt}{pad}{}{pad}", title("in the middle")), 1);
    bed.put("-a", 2, format!("{prompt}{}{pad}{pad}", title("at the start")), 2);
    bed.put(
        "-a",
        3,
        format!("{prompt}{}{pad}{pad}{}", title("at the start"), title("at the end")),
        3,
    );
    assert_eq!(summaries(&bed, &SessionQuery::new()), ["first", "at the start", "at the end"]);
}

#[test]
fn huge_files_are_listed_as_fast_as_small_ones() {
    let bed = Bed::new();
    let session = bed.put("-a", 1, line(&user(Path::new("/w"), "start of it")), 0);
    let path = bed.transcript("-a", &session);
    // Sparse: it takes no room, but reading all of it would take minutes.
    File::options().append(true).open(&path).unwrap().set_len(64 << 30).unwrap();
    set_age(&path, 0);
    let listed = bed.history.sessions(&SessionQuery::new());
    assert_eq!(listed[0].summary, "start of it");
    assert_eq!(listed[0].file_size, 64 << 30);
}

#[test]
fn a_first_line_longer_than_the_window_is_shown_as_far_as_it_is_seen() {
    let bed = Bed::new();
    // In the CLI's order of keys, where flags come behind the message.
    let long = format!(
        r#"{{"parentUuid":null,"cwd":"/w","type":"user","message":{{"role":"user","content":"look at this: {}"}},"isMeta":false,"uuid":"u1"}}"#,
        "x".repeat(200_000)
    );
    let session = bed.put("-a", 1, long, 0);
    let summary = bed.history.session(&session, &Scope::AllProjects).unwrap();
    assert!(summary.summary.starts_with("look at this: xxx"));
    assert_eq!(summary.summary.chars().count(), 201);
    assert_eq!(summary.cwd.as_deref(), Some("/w"));
    assert_eq!(summary.first_prompt, None, "its flags are out of sight");
}
