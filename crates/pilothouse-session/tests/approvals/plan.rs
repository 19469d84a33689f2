//! Plan mode: entering it, and the four ways out.

use pilothouse_session::Refusal;
use pilothouse_session::approval::{Decision, PlanChoice};
use pilothouse_session::event::{RunOrigin, Status};
use serde_json::{Value, json};

use crate::support::Stage;
use crate::support::cli::CONVERSATION;
use crate::tools::{no, yes};

const FRESH: &str = "c0000000-0000-4000-8000-000000000002";

/// A session in plan mode whose model wants to leave it.
fn planned(input: &Value) -> Stage {
    let mut stage = Stage::ready();
    stage.prompt(1, "Make a plan.");
    stage.init("plan");
    stage.tool_use("t1", "ExitPlanMode", input);
    stage.can_use("r1", "t1", "ExitPlanMode", input);
    stage
}

fn with_plan() -> Stage {
    planned(&json!({"plan": "1. Dig.", "planFilePath": "/home/me/.claude/plans/dig.md"}))
}

fn choose(choice: PlanChoice) -> Decision {
    Decision::Plan { choice, plan: None, feedback: None }
}

fn set_mode(mode: &str) -> Value {
    json!([{"type": "setMode", "mode": mode, "destination": "session"}])
}

#[test]
fn the_plan_is_told_when_it_is_made() {
    let stage = with_plan();
    let ready = stage.last("plan_ready");
    assert_eq!(ready["plan"], "1. Dig.");
    assert_eq!(ready["file_path"], "/home/me/.claude/plans/dig.md");
    assert_eq!(ready["approval"], 1);
    assert_eq!(stage.last("approval_requested")["subject"]["kind"], "plan");
}

#[test]
fn keep_the_context_and_accept_edits() {
    let mut stage = with_plan();
    stage.decide(1, choose(PlanChoice::AcceptEdits));
    let answer = stage.granted("r1");
    assert_eq!(answer["behavior"], "allow");
    assert_eq!(answer["updatedPermissions"], set_mode("acceptEdits"));
    assert_eq!(answer["updatedInput"]["plan"], "1. Dig.");
    assert_eq!(stage.last("mode_changed")["mode"], "acceptEdits");
    assert_eq!(stage.stops, 0);
}

#[test]
fn keep_the_context_and_approve_by_hand() {
    let mut stage = with_plan();
    stage.decide(1, choose(PlanChoice::ApproveByHand));
    assert_eq!(stage.granted("r1")["updatedPermissions"], set_mode("default"));
    assert_eq!(stage.last("mode_changed")["mode"], "default");
}

#[test]
fn a_plan_may_be_edited_first() {
    let mut stage = with_plan();
    let plan = Some("1. Dig deeper.".to_owned());
    let choice = PlanChoice::AcceptEdits;
    stage.decide(1, Decision::Plan { choice, plan, feedback: None });
    let input = stage.granted("r1")["updatedInput"].clone();
    assert_eq!(input["plan"], "1. Dig deeper.");
    assert_eq!(input["planFilePath"], "/home/me/.claude/plans/dig.md");
}

#[test]
fn keep_planning_with_something_to_go_on_with() {
    let mut stage = with_plan();
    let (choice, feedback) = (PlanChoice::KeepPlanning, Some("Dig where?".to_owned()));
    stage.decide(1, Decision::Plan { choice, plan: None, feedback });
    let answer = stage.granted("r1");
    assert_eq!((&answer["behavior"], &answer["message"]), (&json!("deny"), &json!("Dig where?")));
    assert_ne!(answer["interrupt"], json!(true), "the model goes on with it");
    assert_eq!(stage.last("mode_changed")["mode"], "plan");
}

#[test]
fn keep_planning_without_a_word_stops_the_turn() {
    for feedback in [None, Some("  ".to_owned())] {
        let mut stage = with_plan();
        let choice = PlanChoice::KeepPlanning;
        stage.decide(1, Decision::Plan { choice, plan: None, feedback });
        let answer = stage.granted("r1");
        assert_eq!((&answer["behavior"], &answer["interrupt"]), (&json!("deny"), &json!(true)));
        stage.aborted();
        assert_eq!(stage.last("complete")["outcome"], "interrupted");
        assert_eq!(stage.stops, 0);
    }
}

/// Chooses to clear the context, and plays the old run to its end.
fn cleared(stage: &mut Stage, plan: Option<&str>) {
    let (choice, plan) = (PlanChoice::ClearContext, plan.map(str::to_owned));
    stage.decide(1, Decision::Plan { choice, plan, feedback: None });
    let answer = stage.granted("r1");
    assert_eq!((&answer["behavior"], &answer["interrupt"]), (&json!("deny"), &json!(true)));
    assert_eq!(stage.stops, 0, "the turn is heard out");
    stage.tool_result("t1", "The user carries the plan out elsewhere.");
    stage.aborted();
    assert_eq!(stage.stops, 1);
    assert_eq!(stage.launches.len(), 1);
    stage.exit(1, "");
}

#[test]
fn a_fresh_context_knows_only_the_plan() {
    let mut stage = with_plan();
    cleared(&mut stage, None);
    assert_eq!(stage.last("complete")["outcome"], "interrupted");
    assert_eq!(stage.last("run_ended")["meaning"]["kind"], "finished");
    let launch = stage.launches.last().expect("a second run").clone();
    assert_eq!(launch.origin, RunOrigin::New);
    assert_eq!(launch.mode.expect("a mode").as_str(), "acceptEdits");
    stage.started();
    stage.introduces();
    assert_eq!(stage.said().last().expect("a prompt"), "Implement the following plan:\n\n1. Dig.");
    assert_eq!(stage.last("user_message")["origin"]["kind"], "host");
    stage.init_in(FRESH, "acceptEdits");
    let changed = stage.last("conversation_changed");
    assert_eq!(changed["reason"], "plan");
    assert_eq!(
        (&changed["previous"], &changed["cli_session"]),
        (&json!(CONVERSATION), &json!(FRESH))
    );
    stage.text("Digging.");
    stage.result();
    assert_eq!(stage.last("complete")["outcome"], "done");
    assert_eq!(stage.last("mode_changed")["mode"], "acceptEdits");
}

#[test]
fn the_edited_plan_is_carried_out_and_before_all_else() {
    let mut stage = with_plan();
    stage.prompt(2, "And then?");
    cleared(&mut stage, Some("1. Fly."));
    stage.prompt(3, "Hurry.");
    stage.started();
    stage.introduces();
    let said = stage.said();
    assert_eq!(said[2..], ["Implement the following plan:\n\n1. Fly.", "And then?", "Hurry."]);
}

#[test]
fn a_fresh_context_survives_a_start_that_fails() {
    let mut stage = with_plan();
    cleared(&mut stage, None);
    stage.exit(127, "no such program");
    stage.start_command();
    let launch = stage.launches.last().expect("a third run");
    assert_eq!(launch.origin, RunOrigin::New, "the plan does not go to the old conversation");
    assert_eq!(launch.mode.as_ref().expect("a mode").as_str(), "acceptEdits");
}

#[test]
fn a_run_that_dies_at_once_is_followed_by_the_plan_too() {
    let mut stage = with_plan();
    stage.decide(1, choose(PlanChoice::ClearContext));
    stage.killed();
    assert_eq!(stage.launches.len(), 2);
    assert_eq!(stage.session.status(), Status::Starting);
}

#[test]
fn an_idle_cli_makes_way_for_the_plan_without_a_result() {
    let mut stage = with_plan();
    stage.decide(1, choose(PlanChoice::ClearContext));
    stage.line(&json!({"type": "system", "subtype": "session_state_changed", "state": "idle"}));
    assert_eq!(stage.stops, 1);
}

#[test]
fn stopping_is_stronger_than_a_plan() {
    let mut stage = with_plan();
    stage.decide(1, choose(PlanChoice::ClearContext));
    stage.command(pilothouse_session::Command::Stop);
    stage.exit(0, "");
    assert_eq!(stage.launches.len(), 1);
    assert_eq!(stage.session.status(), Status::Ended);
}

#[test]
fn without_a_plan_there_are_two_answers() {
    for input in [json!({}), json!({"plan": " "})] {
        let mut stage = planned(&input);
        assert_eq!(stage.last("approval_requested")["subject"]["plan"], Value::Null);
        assert_eq!(stage.told("plan_ready").len(), 0);
        let refused = stage.decide(1, choose(PlanChoice::ClearContext));
        assert!(matches!(refused, Some(Err(Refusal::UnfitDecision { .. }))));
        stage.decide(1, yes());
        assert_eq!(stage.granted("r1")["updatedPermissions"], set_mode("default"));
        let mut stage = planned(&input);
        stage.decide(1, no(None, false));
        assert_eq!(stage.granted("r1")["behavior"], "deny");
    }
}

#[test]
fn plan_mode_is_entered_or_not() {
    let entering = || {
        let mut stage = Stage::working();
        stage.tool_use("t1", "EnterPlanMode", &json!({}));
        stage.can_use("r1", "t1", "EnterPlanMode", &json!({}));
        assert_eq!(stage.last("approval_requested")["subject"]["kind"], "enter_plan");
        stage
    };
    let mut stage = entering();
    stage.decide(1, yes());
    assert_eq!(stage.granted("r1")["updatedPermissions"], set_mode("plan"));
    assert_eq!(stage.last("mode_changed")["mode"], "plan");
    let mut stage = entering();
    stage.decide(1, no(Some("Start now."), false));
    let answer = stage.granted("r1");
    assert_eq!((&answer["behavior"], &answer["message"]), (&json!("deny"), &json!("Start now.")));
    assert_eq!(stage.last("mode_changed")["mode"], "default");
}
