//! Repositories with settings of their own, from the command line.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use testkit::cli::{CliVersion, Harness};
use testkit::hostile::HostileRepository;
use testkit::model::ScriptedModel;

use super::bed::{Bed, EXE, Ran, script};

/// Puts a hook into the settings of the directory that a bed works in.
pub(crate) fn plant(bed: &Bed, event: &str) {
    let hooks = json!({event: [{"hooks": [{"type": "command", "command": "sh ./hook.sh"}]}]});
    std::fs::create_dir_all(bed.path("work/.claude")).unwrap();
    let settings = json!({ "hooks": hooks }).to_string();
    std::fs::write(bed.path("work/.claude/settings.json"), settings).unwrap();
    std::fs::write(bed.path("work/hook.sh"), "true\n").unwrap();
}

fn report(bed: &Bed) -> Value {
    serde_json::from_str(&bed.ok(["trust", "show", "--json"])).unwrap()
}

#[test]
fn trust_is_shown_added_listed_and_removed() {
    let bed = Bed::new();
    plant(&bed, "Stop");
    let shown = bed.ok(["trust", "show"]);
    assert!(shown.contains("hook Stop: sh ./hook.sh"), "{shown}");
    assert!(shown.contains("not trusted"), "{shown}");
    let asked = bed.run(["trust", "add"]);
    assert_eq!(asked.code, Some(2), "there is nobody to ask: {asked:?}");
    assert_eq!(report(&bed)["standing"], "undecided");
    bed.ok(["trust", "add", "--yes"]);
    assert_eq!(report(&bed)["standing"], "trusted");
    let listed = bed.ok(["trust", "ls"]);
    let work = dunce::canonicalize(bed.path("work")).unwrap();
    assert!(listed.contains("trusted") && listed.contains(work.to_str().unwrap()), "{listed}");

    std::fs::write(bed.path("work/hook.sh"), "false\n").unwrap();
    let changed = report(&bed);
    assert_eq!(changed["standing"], "undecided");
    assert_eq!(changed["changed"], json!(["hook.sh"]));
    bed.ok(["trust", "rm", "."]);
    assert_eq!(bed.ok(["trust", "ls", "--json"]), "");
    let again = bed.run(["trust", "rm", "."]);
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.err.contains("trust ls"), "{again:?}");
    bed.ok(["trust", "add", "--never"]);
    assert_eq!(report(&bed)["standing"], "never");
}

#[test]
fn hooks_that_answer_need_a_flag_of_their_own() {
    let bed = Bed::new();
    plant(&bed, "PreToolUse");
    let refused = bed.run(["trust", "add", "--yes"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("--allow-hook-answers"), "{refused:?}");
    let refused = bed.say(&["--trust"], "say Hello.");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    bed.ok(["trust", "add", "--yes", "--allow-hook-answers"]);
    assert_eq!(report(&bed)["standing"], "trusted");
}

#[test]
fn run_without_a_terminal_trusts_only_when_told_to() {
    let bed = Bed::new();
    plant(&bed, "Stop");
    let notice = |ran: &Ran| ran.out.contains("were left out");
    let ran = bed.say(&["--json"], "say Hello.");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(notice(&ran), "{ran:?}");
    let ran = bed.say(&["--json", "--trust"], "say Hello.");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!notice(&ran), "{ran:?}");
    assert_eq!(report(&bed)["standing"], "undecided", "it was for that session");
}

#[test]
fn run_rejects_trust_that_cannot_hold() {
    let bed = Bed::new();
    plant(&bed, "Stop");
    bed.ok(["trust", "add", "--never"]);
    let refused = bed.say(&["--trust"], "say Hello.");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("trust rm"), "{refused:?}");
    let ran = bed.say(&["--json"], "say Hello.");
    assert!(ran.out.contains("chose never to use them"), "{ran:?}");
}

#[test]
fn run_in_a_hostile_repository_starts_nothing_of_it() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for version in CliVersion::ALL {
        let [model, thief] = [(); 2].map(|()| runtime.block_on(ScriptedModel::start()).unwrap());
        let harness = Harness::new(version, &model.base_url()).unwrap();
        let marks = harness.home().with_file_name("marks");
        let repository =
            HostileRepository::plant(harness.cwd(), &marks, &thief.base_url()).unwrap();
        repository.plant_git().unwrap();
        let write = json!({"file_path": harness.cwd().join("src/conf"), "content": "x"});
        let lines = format!(
            "tool Write {write}\n---\ntool Bash {{\"command\":\"touch touched.txt\"}}\n---\nsay Done."
        );
        let mut command = Command::new(EXE);
        command.env_clear().envs(harness.env()).env("PILOTHOUSE_CLAUDE", harness.program());
        command.args(["run", "--json", &script(&lines)]).current_dir(harness.cwd());
        let ran = Ran::of(&command.stdin(Stdio::null()).output().unwrap());
        assert_eq!(ran.code, Some(4), "{version}: both were refused: {ran:?}");
        assert_eq!(repository.marks(), BTreeSet::new(), "{version}");
        let stolen = thief.requests().len() + thief.other_requests().len();
        assert_eq!(stolen, 0, "{version}");
        assert!(!harness.cwd().join("touched.txt").exists(), "{version}");
        let outside = harness.home().with_file_name("outside");
        assert_eq!(std::fs::read_dir(outside).unwrap().count(), 0, "{version}");
    }
}
