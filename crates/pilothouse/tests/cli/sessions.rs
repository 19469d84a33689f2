//! Sessions: listed, shown, talked to, answered, copied, taken in and out, deleted.

use serde_json::Value;

use super::bed::{Bed, Ran, script};

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
    let wire = bed.ok(["logs", "last", "--raw"]);
    for record in ["s ", "i ", "o ", "x "] {
        assert!(wire.lines().any(|line| line.starts_with(record)), "{record}: {wire}");
    }
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

#[test]
fn a_file_does_not_change_the_policy_of_other_sessions() {
    let bed = Bed::new();
    for (dir, then) in [("strict", "deny = \"no\""), ("lenient", "then = \"allow\"")] {
        std::fs::create_dir(bed.path("work").join(dir)).unwrap();
        let text = format!("[[rule]]\ntool = \"Bash\"\n{then}\n");
        std::fs::write(bed.path("work").join(dir).join("policy.toml"), text).unwrap();
    }
    let touch = |name: &str| format!("tool Bash {{\"command\":\"touch {name}\"}}\n---\nsay Done.");
    let strict = bed.say(&["--policy", "strict/policy.toml"], &touch("one"));
    assert_eq!(strict.code, Some(4), "{strict:?}");
    let first = id(&bed.sessions()[0]);
    let lenient = bed.say(&["--policy", "lenient/policy.toml"], &touch("two"));
    assert_eq!(lenient.code, Some(0), "{lenient:?}");
    let still = bed.say(&["--resume", &first], &touch("three"));
    assert_eq!(still.code, Some(4), "{still:?}");
    let made = ["one", "two", "three"].map(|name| bed.path("work").join(name).exists());
    assert_eq!(made, [false, true, false]);
    // People find it again, and it can be used by its name.
    let shown = bed.ok(["show", &first]);
    let policy = shown.lines().find_map(|line| line.strip_prefix("policy")).unwrap().trim();
    assert!(policy.starts_with("file-policy-"), "{shown}");
    assert!(bed.ok(["policy", "explain", policy, "Bash", "touch x"]).starts_with("deny"));
}

#[test]
fn permissions_are_switched_off_for_who_says_so() {
    let bed = Bed::new();
    let lines = "tool Bash {\"command\":\"touch made\"}\n---\nsay Done.";
    bed.say(&["--quiet"], "say one");
    let late = bed.say(&["--continue", "--mode", "bypassPermissions"], lines);
    assert_eq!(late.code, Some(2), "{late:?}");
    assert!(late.err.contains("only a new one"), "{late:?}");
    assert!(!bed.path("work/made").exists());
    let mut command = bed.command(["run", "--json", "--mode", "bypassPermissions", &script(lines)]);
    // Claude Code does not do it for root otherwise, as who tests may be.
    let ran = Ran::of(&command.env("IS_SANDBOX", "1").output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(bed.path("work/made").exists() && !ran.out.contains("approval_requested"), "{ran:?}");
}
