//! Sessions that are steered from elsewhere: talked to, answered, put back, with a daemon or without.

use serde_json::Value;

use super::bed::{Bed, Ran, fed, script, until};

#[test]
fn a_session_is_sent_stopped_and_resumed() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    bed.say(&["--quiet"], "say one");
    bed.ok(["send", "last", &script("say sent")]);
    bed.said("sent");
    let piped = fed(bed.command(["send", "last"]), script("say piped").as_bytes());
    assert_eq!(piped.code, Some(0), "{piped:?}");
    bed.said("piped");
    bed.ok(["stop", "last"]);
    until(|| bed.ok(["show", "last"]).contains("ended"));
    bed.ok(["resume", "last"]);
    until(|| bed.ok(["show", "last"]).contains("ready"));
}

#[test]
fn what_is_sent_without_a_daemon_is_worked_on() {
    let bed = Bed::new();
    bed.say(&["--quiet", "--policy", "autonomous"], "say one");
    // The policy answers it too, when the command has long ended.
    let lines = "hold here\ntool Bash {\"command\":\"touch made\"}\n---\nsay sent";
    let sent = bed.run(["send", "last", &script(lines)]);
    assert_eq!(sent.code, Some(0), "{sent:?}");
    assert!(sent.err.contains("started the daemon"), "{sent:?}");
    bed.held("here");
    bed.release("here");
    bed.said("sent");
    assert!(bed.path("work/made").exists());
    let again = bed.run(["send", "last", &script("say again")]);
    assert_eq!((again.code, &*again.err), (Some(0), ""), "one daemon is enough");
    bed.said("again");
}

#[test]
fn what_is_resumed_without_a_daemon_runs() {
    let bed = Bed::new();
    bed.say(&["--quiet"], "say one");
    let unknown = bed.run(["resume", "nobody"]);
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert_eq!(bed.run(["status"]).code, Some(1), "for nothing no daemon is started");
    let resumed = bed.run(["resume", "last"]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    assert!(resumed.err.contains("started the daemon"), "{resumed:?}");
    until(|| bed.ok(["show", "last"]).contains("ready"));
}

#[test]
fn what_is_urgent_interrupts() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    bed.say(&["--quiet"], "say one");
    bed.ok(["send", "last", &script("say two\nhold here\nsay never")]);
    bed.held("here");
    bed.ok(["send", "last", "--now", &script("say at once")]);
    bed.said("at once");
    let log = bed.ok(["logs", "last"]);
    assert!(!log.lines().any(|line| line == "never"), "{log}");
}

/// Starts a turn that asks for something, and waits until it does.
fn asking(bed: &Bed, lines: &str) -> std::process::Child {
    let child = bed.start(["run", "--wait", "--json", &script(lines)]);
    until(|| bed.ok(["ls", "--waiting"]).contains("waiting"));
    child
}

#[test]
fn requests_are_answered_from_elsewhere() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    let lines = "tool Bash {\"command\":\"touch made\"}\n---\nsay So be it.";
    let waiting = asking(&bed, lines);
    assert!(bed.ok(["show", "last"]).contains("touch made"));
    assert!(bed.ok(["approve"]).contains("allowed"));
    let ran = Ran::wait(waiting);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(bed.path("work/made").exists());

    let lines = "tool Bash {\"command\":\"touch other\"}\n---\nsay As you wish.";
    let refused = asking(&bed, lines);
    bed.ok(["deny", "--message", "leave it"]);
    let ran = Ran::wait(refused);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("As you wish.") && ran.out.contains("leave it"), "{ran:?}");
    assert!(!bed.path("work/other").exists());
}

#[test]
fn what_is_always_allowed_is_asked_once() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    let call = |name: &str| format!("tool Bash {{\"command\":\"touch {name}\"}}\n---\n");
    let lines = format!("{}{}say Both.", call("made"), call("made"));
    let waiting = asking(&bed, &lines);
    let allowed = bed.ok(["approve", "--always"]);
    assert!(allowed.contains("touch made") && allowed.contains("\nkept: allow Bash("), "{allowed}");
    let ran = Ran::wait(waiting);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let asked = ran.out.lines().filter(|line| line.contains("\"approval_requested\""));
    assert_eq!(asked.count(), 1, "{ran:?}");
    // Where no rule is offered, none is made up.
    let question = "tool AskUserQuestion {\"questions\":[{\"question\":\"Which?\",\"header\":\"H\",\
                    \"multiSelect\":false,\"options\":[{\"label\":\"a\",\"description\":\"\"},\
                    {\"label\":\"b\",\"description\":\"\"}]}]}\n---\nsay Done.";
    let waiting = asking(&bed, question);
    let refused = bed.run(["approve", "--always"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    bed.ok(["deny", "--stop"]);
    Ran::wait(waiting);
}

#[test]
fn request_is_shown_whole_before_it_is_answered() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    let command = format!("touch {}\necho second line; touch made", "a".repeat(150));
    let call = serde_json::json!({ "command": command });
    let waiting = asking(&bed, &format!("tool Bash {call}\n---\nsay Done."));
    let shown = [
        ("show", bed.ok(["show", "last"])),
        ("logs", bed.ok(["logs", "last"])),
        ("approve", bed.run(["approve"]).err),
    ];
    for (name, shown) in shown {
        assert!(shown.contains(&"a".repeat(150)), "{name}: {shown}");
        assert!(shown.contains("echo second line; touch made"), "{name}: {shown}");
    }
    Ran::wait(waiting);

    let questions = serde_json::json!({"questions": [{"question": "Which?", "header": "H",
        "multiSelect": false, "options": [{"label": "red", "description": "as blood"},
        {"label": "blue", "description": ""}]}]});
    let waiting = asking(&bed, &format!("tool AskUserQuestion {questions}\n---\nsay Done."));
    let shown = bed.ok(["show", "last"]);
    assert!(shown.contains("Which?") && shown.contains("1. red: as blood"), "{shown}");
    bed.ok(["deny", "--stop"]);
    Ran::wait(waiting);
}

#[test]
fn always_keeps_rules_only_unless_more_is_named() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    let work = bed.path("work");
    let write = |name: &str| {
        let input = serde_json::json!({"file_path": work.join(name), "content": "x"});
        format!("tool Write {input}\n---\n")
    };
    let lines = format!("{}{}say Done.", write("one"), write("two"));
    let waiting = asking(&bed, &lines);
    let refused = bed.run(["approve", "--always"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("suggested: switch to mode acceptEdits"), "{refused:?}");
    let kept = bed.ok(["approve", "--always", "--also", "mode"]);
    assert!(kept.contains("kept: switch to mode acceptEdits"), "{kept}");
    let ran = Ran::wait(waiting);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(work.join("two").exists(), "{ran:?}");
    let misplaced = bed.run(["approve", "--also", "mode"]);
    assert_eq!(misplaced.code, Some(2), "{misplaced:?}");
}

#[test]
fn a_refusal_may_end_the_turn() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    let lines = "tool Bash {\"command\":\"touch made\"}\n---\nsay never";
    let waiting = asking(&bed, lines);
    assert!(bed.ok(["deny", "--stop"]).contains("refused"));
    let ran = Ran::wait(waiting);
    assert_eq!(ran.code, Some(130), "{ran:?}");
    let said = |line: &str| {
        let event: Value = serde_json::from_str(line).unwrap();
        event["type"] == "message" && event["text"] == "never"
    };
    assert!(!ran.out.lines().any(said), "{ran:?}");
    assert!(!bed.path("work/made").exists());
}

/// Has a file written over, and puts it back.
fn put_back(bed: &Bed) {
    std::fs::write(bed.path("work/file"), "before\n").unwrap();
    let path = bed.path("work/file");
    let lines = format!(
        "tool Read {{\"file_path\":{path:?}}}\n---\n\
         tool Write {{\"file_path\":{path:?},\"content\":\"after\\n\"}}\n---\nsay Done."
    );
    let ran = bed.say(&["--policy", "autonomous"], &lines);
    assert_eq!((ran.code, &*std::fs::read_to_string(&path).unwrap()), (Some(0), "after\n"));
    let prompts = bed.ok(["rewind", "last"]);
    let prompt = prompts.split_whitespace().next().unwrap();
    let would = bed.ok(["rewind", "last", prompt, "--dry-run"]);
    assert!(would.starts_with("1 file would be put back (+1 −1 lines)\n"), "{would}");
    assert!(would.contains("(changed)\n"), "{would}");
    assert!(would.ends_with("@@ -1 +1 @@\n-after\n+before\n"), "{would}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "after\n");
    let done = bed.ok(["rewind", "last", prompt]);
    assert_eq!(done, format!("1 file put back (+1 −1 lines)\n  {}\n", path.display()));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "before\n");
}

#[test]
fn files_are_put_back() {
    let bed = Bed::new();
    put_back(&bed);
    assert_eq!(bed.live_runs(), 0, "what was started for it has ended");
    bed.ok(["up", "--no-open"]);
    put_back(&bed);
    until(|| bed.live_runs() == 0);
    // One that runs goes on.
    bed.ok(["resume", "last"]);
    until(|| bed.ok(["show", "last"]).contains("ready"));
    let prompts = bed.ok(["rewind", "last"]);
    bed.ok(["rewind", "last", prompts.split_whitespace().next().unwrap(), "--dry-run"]);
    assert!(bed.ok(["show", "last"]).contains("ready"));
}

#[test]
fn files_are_not_put_back_by_a_claude_that_does_not_start() {
    let bed = Bed::new();
    bed.say(&["--quiet"], "say one");
    let prompts = bed.ok(["rewind", "last"]);
    let mut command = bed.command(["rewind", "last", prompts.split_whitespace().next().unwrap()]);
    let ran = Ran::of(&command.env("SIM_FAULT", "exit-at-once=7").output().unwrap());
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.err.contains("cannot be started"), "{ran:?}");
}
