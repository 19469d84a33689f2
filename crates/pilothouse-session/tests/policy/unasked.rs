//! Calls that the CLI may not ask about: which rules hold for them.

use pilothouse_session::policy::{Call, Level, Policy, PolicySet, Verdict};
use pilothouse_wire::Raw;
use pilothouse_wire::permission::PermissionMode;
use serde_json::{Value, json};

use super::{place, policies, written};

fn unasked(policies: &PolicySet, tool: &str, input: Value) -> Option<Verdict> {
    let (input, mode) = (Raw::from(input), PermissionMode::Default);
    let decided = policies.decide_unasked(&Call::new(tool, &input, &mode), &place());
    decided.map(|decided| decided.verdict)
}

#[test]
fn a_catch_all_leaves_to_the_cli_what_it_allows_by_itself() {
    for preset in ["supervised", "plan"] {
        let rules = policies(preset);
        assert_eq!(unasked(&rules, "Bash", json!({ "command": "ls && git status" })), None);
        assert_eq!(unasked(&rules, "WebSearch", json!({ "query": "x" })), None);
        assert_eq!(unasked(&rules, "Read", json!({ "file_path": "/etc/hosts" })), None);
        let read = unasked(&rules, "Read", json!({ "file_path": "~/.ssh/id" }));
        assert!(matches!(read, Some(Verdict::Deny { .. })), "{preset}");
    }
    assert_eq!(unasked(&PolicySet::default(), "Bash", json!({ "command": "ls" })), None);
}

#[test]
fn rules_that_deny_or_ask_about_less_than_everything_hold() {
    let rules = written(
        "[[rule]]\ntool = 'Read'\npath = '**/.env'\ndeny = 'no'\n\
         [[rule]]\ntool = 'Bash'\ncommand = 'git log *'\nthen = 'ask'\n\
         [[rule]]\ntool = 'Glob'\nthen = 'ask'\n\
         [[rule]]\ntool = '*'\nthen = 'ask'",
    );
    let bash = |command: &str| unasked(&rules, "Bash", json!({ "command": command }));
    let read = |path: &str| unasked(&rules, "Read", json!({ "file_path": path }));
    assert_eq!(read("a/.env"), Some(Verdict::Deny { message: "no".into() }));
    assert_eq!(read("a/b"), None);
    assert_eq!(bash("git log -1"), Some(Verdict::Ask));
    assert_eq!(bash("ls; git log -1"), Some(Verdict::Ask), "the narrow rule counts");
    assert_eq!(bash("cat .env"), Some(Verdict::Ask), "it may be denied");
    assert_eq!(bash("ls"), None);
    assert_eq!(unasked(&rules, "Glob", json!({ "pattern": "*" })), Some(Verdict::Ask));
    let restricted = written("[[rule]]\ntool = '*'\nmode = 'default'\nthen = 'ask'");
    assert_eq!(unasked(&restricted, "Read", json!({ "file_path": "x" })), Some(Verdict::Ask));
}

#[test]
fn a_policy_that_cannot_be_read_asks_about_everything() {
    let broken = Policy::asking_about_everything("broken", Level::Project);
    let set = PolicySet::new([broken]);
    assert_eq!(unasked(&set, "Read", json!({ "file_path": "x" })), Some(Verdict::Ask));
}
