//! The preset `plan` in every mode, and after every answer to a plan.

use pilothouse_host::host::Profile;
use pilothouse_session::approval::PlanChoice;
use pilothouse_session::event::Outcome;
use serde_json::{Value, json};
use testkit::cli::CliVersion;

use super::bed::decide;
use super::planning::{choose, planned_under};
use super::policies::{Play, no};
use super::stage::{Stage, settled};

/// Changes of which the CLI accepts the first two by itself where it accepts edits.
fn changes(stage: &Stage) -> [(&'static str, Value); 3] {
    let write = json!({ "file_path": stage.path("written"), "content": "written\n" });
    let bash = |command: &str| ("Bash", json!({ "command": command }));
    [("Write", write), bash("touch touched"), bash("sh -c 'touch ran'")]
}

fn changed(stage: &Stage) -> [bool; 3] {
    ["written", "touched", "ran"].map(|name| stage.read(name).is_some())
}

/// Tries to change files in a mode; every question is answered with no.
async fn in_mode(version: CliVersion, policy: &str, mode: &str) -> (Vec<String>, [bool; 3]) {
    let stage = Stage::of(version).await;
    let host = stage.host().await;
    let profile = Profile { mode: Some(mode.into()), ..Profile::default() };
    let mut play = Play::under(&stage, &host, policy, profile).await;
    let asked = play.calls(&changes(&stage), no()).await;
    host.close().await;
    (asked, changed(&stage))
}

/// The same after a plan was answered.
async fn after(version: CliVersion, policy: &str, choice: PlanChoice) -> (Vec<String>, [bool; 3]) {
    let stage = Stage::of(version).await;
    let host = stage.host().await;
    let (session, mut watcher, approval) = planned_under(&stage, &host, Some(policy)).await;
    decide(&host, session, approval, choose(choice, None)).await.unwrap();
    let mut play = match choice {
        PlanChoice::KeepPlanning => {
            assert_eq!(settled(&mut watcher).await, Outcome::Interrupted);
            Play { stage: &stage, host: &host, session, watcher }
        }
        PlanChoice::ClearContext => {
            settled(&mut watcher).await;
            settled(&mut watcher).await;
            Play { stage: &stage, host: &host, session, watcher }
        }
        PlanChoice::ApproveByHand | PlanChoice::AcceptEdits => {
            let mut play = Play { stage: &stage, host: &host, session, watcher };
            play.answers(no()).await;
            play
        }
    };
    let asked = play.calls(&changes(&stage), no()).await;
    host.close().await;
    (asked, changed(&stage))
}

fn all_asked() -> (Vec<String>, [bool; 3]) {
    (["Write", "Bash", "Bash"].map(str::to_owned).into(), [false; 3])
}

/// The CLI asks about the last change in every mode, and the policy does not answer for the user.
fn assert_last_is_asked((asked, changed): &(Vec<String>, [bool; 3])) {
    assert_eq!(asked.last().map(String::as_str), Some("Bash"));
    assert!(!changed[2]);
}

#[tokio::test]
async fn plan_allows_no_change_before_a_plan_is_approved() {
    for version in CliVersion::ALL {
        assert_eq!(in_mode(version, "plan", "default").await, all_asked(), "{version:?}");
        // In plan mode the CLI refuses some calls by itself.
        let planning = in_mode(version, "plan", "plan").await;
        let kept = after(version, "plan", PlanChoice::KeepPlanning).await;
        for (asked, changed) in [planning, kept] {
            assert!(asked.contains(&"Write".to_owned()), "{version:?} {asked:?}");
            assert_eq!(changed, [false; 3], "{version:?}");
        }
    }
}

/// In this mode Claude Code accepts edits by itself: the policy adds nothing to that, and takes
/// nothing from it.
#[tokio::test]
async fn plan_is_supervised_where_edits_are_accepted() {
    let version = CliVersion::V2_1_326;
    let supervised = in_mode(version, "supervised", "acceptEdits").await;
    assert_last_is_asked(&supervised);
    assert_eq!(in_mode(version, "plan", "acceptEdits").await, supervised);
}

#[tokio::test]
async fn plan_is_supervised_after_every_answer() {
    let by_hand = PlanChoice::ApproveByHand;
    for version in CliVersion::ALL {
        assert_eq!(after(version, "plan", by_hand).await, all_asked(), "{version:?}");
    }
    let version = CliVersion::V2_1_326;
    for choice in [PlanChoice::AcceptEdits, PlanChoice::ClearContext] {
        let supervised = after(version, "supervised", choice).await;
        assert_last_is_asked(&supervised);
        assert_eq!(after(version, "plan", choice).await, supervised, "{choice:?}");
    }
}
