//! Plan mode and the ways out of it.

use pilothouse_host::Host;
use pilothouse_host::host::{NewSession, Profile};
use pilothouse_session::approval::{Decision, PlanChoice};
use pilothouse_session::event::{Body, ConversationReason, Outcome, RunOrigin};
use pilothouse_session::id::{ApprovalId, SessionId};
use serde_json::json;
use testkit::model::Recorded;

use super::bed::{Watcher, decide, prompt, script};
use super::stage::{Stage, settled};

const PLAN: &str = "1. Dig.";

/// A session that has made a plan and waits for a word.
async fn planned(stage: &Stage, host: &Host) -> (SessionId, Watcher, ApprovalId) {
    planned_under(stage, host, None).await
}

/// The same with a policy.
pub(crate) async fn planned_under(
    stage: &Stage,
    host: &Host,
    policy: Option<&str>,
) -> (SessionId, Watcher, ApprovalId) {
    let profile = Profile { mode: Some("plan".into()), ..Profile::default() };
    let policy = policy.map(str::to_owned);
    let new = NewSession { profile, policy, ..stage.new_session() };
    let (session, mut watcher) = stage.watched(host, new).await;
    prompt(host, session, "say Let me think.").await;
    settled(&mut watcher).await;
    // The CLI takes the plan from a file, whose name it tells only the model.
    let write = json!({"file_path": plan_file(&stage.last_asked()), "content": PLAN});
    let lines = format!("tool Write {write}\n---\ntool ExitPlanMode {{}}\n---\n");
    prompt(host, session, &(lines + &stage.write("dug"))).await;
    let ready = watcher.until(|body| matches!(body, Body::PlanReady { .. })).await;
    let Body::PlanReady { approval, plan, .. } = ready.body else { panic!() };
    assert_eq!(plan.trim(), PLAN);
    (session, watcher, approval)
}

fn plan_file(asked: &Recorded) -> String {
    let text = asked.body.to_string();
    let path = text.match_indices("/.claude/plans/").find_map(|(at, _)| {
        let start = text[..at].rfind(|c: char| c.is_whitespace() || "\"`'(".contains(c))? + 1;
        let end = at + text[at..].find(".md")? + 3;
        Some(text[start..end].to_owned())
    });
    path.unwrap_or_else(|| panic!("the model is told of no file for its plan"))
}

pub(crate) fn choose(choice: PlanChoice, plan: Option<String>) -> Decision {
    Decision::Plan { choice, plan, feedback: None }
}

#[tokio::test]
async fn with_the_context() {
    let stage = Stage::new().await;
    let host = stage.host().await;
    let (session, mut watcher, approval) = planned(&stage, &host).await;
    decide(&host, session, approval, choose(PlanChoice::AcceptEdits, None)).await.unwrap();
    assert_eq!(settled(&mut watcher).await, Outcome::Done);
    assert_eq!(stage.read("dug").as_deref(), Some("written\n"), "edits are accepted");
    assert_eq!(watcher.count(|body| matches!(body, Body::ApprovalRequested { .. })), 1);
    assert_eq!(watcher.count(|body| matches!(body, Body::RunStarted { .. })), 1);
    assert_eq!(host.session(session).await.unwrap().mode.as_deref(), Some("acceptEdits"));
    host.close().await;
}

#[tokio::test]
async fn with_a_fresh_context() {
    let stage = Stage::new().await;
    let host = stage.host().await;
    let (session, mut watcher, approval) = planned(&stage, &host).await;
    let before = host.session(session).await.unwrap().cli_session;
    let edited = format!("1. Dig.\n{}", script("say Dug."));
    let decision = choose(PlanChoice::ClearContext, Some(edited.clone()));
    decide(&host, session, approval, decision).await.unwrap();
    assert_eq!(settled(&mut watcher).await, Outcome::Interrupted);
    assert_eq!(settled(&mut watcher).await, Outcome::Done);
    assert_eq!(watcher.texts(), ["Let me think.", "Dug."]);
    let asked = stage.last_asked();
    assert!(asked.last_user_text().contains("1. Dig."), "{}", asked.last_user_text());
    assert!(!asked.contains("Let me think."), "it does not know what led to the plan");
    let started = watcher
        .count(|body| matches!(body, Body::RunStarted { origin, .. } if *origin == RunOrigin::New));
    assert_eq!(started, 2);
    let plan = ConversationReason::Plan;
    let changed = |body: &Body| matches!(body, Body::ConversationChanged { reason, previous, .. } if *reason == plan && *previous == before);
    assert_eq!(watcher.count(changed), 1);
    let row = host.session(session).await.unwrap();
    assert_ne!(row.cli_session, before);
    assert_eq!(row.mode.as_deref(), Some("acceptEdits"));
    host.close().await;
}
