//! Sessions: listed, shown, talked to, answered, copied, taken in and out, deleted.

use serde_json::Value;

use super::bed::{Bed, Ran, fed, script, until};

fn id(row: &Value) -> String {
    row["id"].as_str().unwrap().to_owned()
}

#[test]
fn what_is_kept_can_be_seen() {
    let bed = Bed::new();
    assert!(bed.ok(["ls"]).contains("No sessions"));
    bed.say(&["--policy", "autonomous"], "tool Bash {\"command\":\"echo shown\"}\n---\nsay Done.");
    let rows = bed.sessions();
    assert_eq!(rows.len(), 1);
    let id = id(&rows[0]);
    assert!(bed.ok(["ls"]).starts_with(&id[28..]));
    for name in ["last", &*id, &id[28..], &id[..10], rows[0]["cli_session"].as_str().unwrap()] {
        assert!(bed.ok(["show", name]).contains(&id), "{name}");
    }
    let log = bed.ok(["logs", "last"]);
    assert!(log.contains("● echo shown") && log.contains("Done."), "{log}");
    assert!(bed.ok(["logs", "last", "--raw"]).contains("o "), "the wire log");
    let events = bed.ok(["logs", "last", "--json", "--after", "3"]);
    assert_eq!(serde_json::from_str::<Value>(events.lines().next().unwrap()).unwrap()["seq"], 4);
    assert!(bed.ok(["search", "shown"]).contains(&id[28..]));
    assert!(bed.ok(["export", "last", "--format", "json"]).contains("pilothouse-session"));
}

#[test]
fn a_conversation_goes_on_or_is_copied() {
    let bed = Bed::new();
    bed.say(&["--quiet"], "say one");
    let on = bed.say(&["--quiet", "--continue"], "say two");
    assert_eq!((on.code, &*on.out), (Some(0), "two\n"), "{on:?}");
    let rows = bed.sessions();
    assert_eq!(rows.len(), 1, "the same session");
    let first = id(&rows[0]);
    let copy = bed.say(&["--quiet", "--resume", &first, "--fork"], "say three");
    assert_eq!((copy.code, &*copy.out), (Some(0), "three\n"), "{copy:?}");
    let cli_session = rows[0]["cli_session"].as_str().unwrap();
    let again = bed.say(&["--quiet", "--resume", cli_session], "say four");
    assert_eq!(again.out, "four\n", "{again:?}");
    assert_eq!(bed.sessions().len(), 2);
    let log = bed.ok(["logs", &first]);
    assert!(log.contains("four") && !log.contains("three"), "{log}");
    let forked = bed.ok(["fork", &first, "--title", "The copy"]);
    assert!(bed.ok(["show", forked.trim()]).contains("The copy"));
    bed.ok(["rm", "--force", &first, forked.trim()]);
    assert_eq!(bed.sessions().len(), 1);
}

#[test]
fn requests_are_answered_from_elsewhere() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    let lines = "tool Bash {\"command\":\"touch made\"}\n---\nsay So be it.";
    let waiting = bed.start(["run", "--wait", "--json", &script(lines)]);
    until(|| bed.ok(["ls", "--waiting"]).contains("waiting"));
    assert!(bed.ok(["show", "last"]).contains("touch made"));
    assert!(bed.ok(["approve"]).contains("allowed"));
    let ran = Ran::wait(waiting);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(bed.path("work/made").exists());

    let lines = "tool Bash {\"command\":\"touch other\"}\n---\nsay As you wish.";
    let refused = bed.start(["run", "--wait", "--quiet", &script(lines)]);
    until(|| bed.ok(["ls", "--waiting"]).contains("waiting"));
    bed.ok(["deny", "--message", "leave it"]);
    let ran = Ran::wait(refused);
    assert_eq!((ran.code, &*ran.out), (Some(0), "As you wish.\n"), "{ran:?}");
    assert!(!bed.path("work/other").exists());
}

#[test]
fn a_session_is_sent_stopped_and_resumed() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    bed.say(&["--quiet"], "say one");
    bed.ok(["send", "last", &script("say sent")]);
    until(|| bed.ok(["logs", "last"]).contains("sent\n"));
    let piped = fed(bed.command(["send", "last"]), script("say piped").as_bytes());
    assert_eq!(piped.code, Some(0), "{piped:?}");
    until(|| bed.ok(["logs", "last"]).contains("piped\n"));
    bed.ok(["stop", "last"]);
    until(|| bed.ok(["show", "last"]).contains("ended"));
    bed.ok(["resume", "last"]);
    until(|| bed.ok(["show", "last"]).contains("ready"));
}

#[test]
fn files_are_put_back() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    std::fs::write(bed.path("work/file"), "before\n").unwrap();
    let path = bed.path("work/file");
    let lines = format!(
        "tool Read {{\"file_path\":{path:?}}}\n---\n\
         tool Write {{\"file_path\":{path:?},\"content\":\"after\\n\"}}\n---\nsay Done."
    );
    let ran = bed.say(&["--policy", "autonomous"], &lines);
    assert_eq!((ran.code, &*std::fs::read_to_string(&path).unwrap()), (Some(0), "after\n"));
    bed.ok(["resume", "last"]);
    until(|| bed.ok(["show", "last"]).contains("ready"));
    let prompts = bed.ok(["rewind", "last"]);
    let prompt = prompts.split_whitespace().next().unwrap();
    let would = bed.ok(["rewind", "last", prompt, "--dry-run"]);
    assert!(would.starts_with("1 file would be put back (+1 −1 lines)\n"), "{would}");
    assert!(would.contains("(changed)\n"), "{would}");
    assert!(would.ends_with("@@ -1 +1 @@\n-after\n+before\n"), "{would}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "after\n");
    assert!(bed.ok(["rewind", "last", prompt]).starts_with("1 file put back"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "before\n");
}

#[test]
fn conversations_of_claude_code_are_taken_in() {
    let bed = Bed::new();
    bed.say(&["--quiet"], "say kept by the CLI");
    let other = ["--data-dir", "other"];
    let with = |more: &[&str]| bed.ok(other.iter().chain(more));
    let offered = with(&["import"]);
    let conversation = offered.split_whitespace().next().unwrap();
    assert!(uuid::Uuid::parse_str(conversation).is_ok(), "{offered}");
    with(&["import", "--all"]);
    assert!(with(&["logs", "last"]).contains("kept by the CLI"));
    assert!(with(&["search", "--past", "kept"]).contains(conversation));
}

#[test]
fn policies_are_tried_and_explained() {
    let bed = Bed::new();
    bed.say(&["--policy", "autonomous"], "tool Bash {\"command\":\"touch x\"}\n---\nsay Done.");
    let policy = "[[rule]]\ntool = \"Bash\"\ncommand = \"touch *\"\ndeny = \"no\"\n";
    std::fs::write(bed.path("work/mine.toml"), policy).unwrap();
    let tried = bed.ok(["policy", "test", "mine.toml", "--sessions", "last"]);
    assert!(tried.contains("0 allowed, 1 denied, 0 asked"), "{tried}");
    let tried = bed.ok(["policy", "test", "autonomous"]);
    assert!(tried.contains("1 allowed, 0 denied, 0 asked"), "{tried}");
    let why = bed.ok(["policy", "explain", "mine.toml", "Bash", "ls && touch y"]);
    assert!(why.starts_with("deny") && why.contains("rule 1"), "{why}");
    let broken = bed.path("work/broken.toml");
    std::fs::write(&broken, "[[rule]]\ntool = \"Bash\"\nthen = \"maybe\"\n").unwrap();
    let checked = bed.run(["policy", "check", "mine.toml", "broken.toml"]);
    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert!(checked.out.contains("broken.toml:3"), "{checked:?}");
}
