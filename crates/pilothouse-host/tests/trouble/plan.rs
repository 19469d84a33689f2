//! Out of plan mode, with and without the context.

use pilothouse_host::host::NewSession;
use pilothouse_host::{Host, HostError};
use pilothouse_session::Refusal;
use pilothouse_session::approval::{Decision, PlanChoice};
use pilothouse_session::event::{Body, ConversationReason, MessageOrigin, RunOrigin};
use pilothouse_session::id::{ApprovalId, SessionId};

use super::bed::{Bed, Watcher, decide, prompt, script};

/// What the model is to do with the plan is in the plan: it is all that a fresh context knows.
const PLAN: &str = "1. Dig.";

fn choose(choice: PlanChoice, plan: Option<String>) -> Decision {
    Decision::Plan { choice, plan, feedback: None }
}

/// A session that has made a plan and waits for a word.
async fn planned(bed: &Bed, host: &Host) -> (SessionId, Watcher, ApprovalId) {
    let mut new: NewSession = bed.new_session();
    new.profile.mode = Some("plan".into());
    let session = host.create(new).await.unwrap().id;
    let mut watcher = Watcher::new(host, session, 0).await;
    let plan = serde_json::json!({ "plan": PLAN });
    prompt(host, session, &format!("tool ExitPlanMode {plan}\n---\nsay as planned")).await;
    let approval = watcher.until_asked().await;
    (session, watcher, approval)
}

#[tokio::test]
async fn a_plan_is_carried_out_in_a_new_conversation() {
    let bed = Bed::new();
    let host = bed.host().await;
    let (session, mut watcher, approval) = planned(&bed, &host).await;
    let before = host.session(session).await.unwrap().cli_session;
    let edited = format!("{PLAN}\n{}", script("say dug"));
    let decision = choose(PlanChoice::ClearContext, Some(edited.clone()));
    decide(&host, session, approval, decision).await.unwrap();

    watcher
        .until(|body| {
            matches!(body, Body::ConversationChanged { reason, .. }
        if *reason == ConversationReason::Plan)
        })
        .await;
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    assert_eq!(watcher.texts(), ["dug"], "the old context was not asked to go on");
    let last = |wanted: fn(&Body) -> bool| {
        watcher.events.iter().rev().find(|event| wanted(&event.body)).unwrap().body.clone()
    };
    let started = last(|body| matches!(body, Body::RunStarted { .. }));
    assert!(matches!(started, Body::RunStarted { origin: RunOrigin::New, .. }), "{started:?}");
    let said = last(|body| matches!(body, Body::UserMessage { .. }));
    let Body::UserMessage { text, origin, .. } = said else { panic!() };
    assert_eq!(origin, MessageOrigin::Host);
    assert!(text.ends_with(&edited), "{text}");
    let changed = last(|body| matches!(body, Body::ConversationChanged { .. }));
    let Body::ConversationChanged { cli_session, previous, .. } = changed else { panic!() };
    assert_eq!(previous, before);
    let now = host.session(session).await.unwrap();
    assert_eq!(now.cli_session, Some(cli_session));
    assert_eq!(now.mode.as_deref(), Some("acceptEdits"));
    assert_eq!(host.runs(session).await.unwrap().len(), 2);

    let again = decide(&host, session, approval, choose(PlanChoice::ClearContext, None)).await;
    assert!(matches!(again, Err(HostError::Refused(Refusal::AlreadyAnswered { .. }))), "{again:?}");
    host.close().await;
}

#[tokio::test]
async fn a_plan_is_carried_out_by_the_next_host() {
    let bed = Bed::new();
    let host = bed.host().await;
    let (session, watcher, approval) = planned(&bed, &host).await;
    let edited = format!("{PLAN}\n{}", script("say dug"));
    decide(&host, session, approval, choose(PlanChoice::ClearContext, Some(edited))).await.unwrap();
    // Wherever it has got to by now.
    host.close().await;
    drop((watcher, host));

    let host = bed.host().await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    while watcher.texts().is_empty() {
        watcher.next().await;
    }
    assert_eq!(watcher.texts(), ["dug"]);
    assert_eq!(watcher.count(|body| matches!(body, Body::RunStarted { .. })), 2);
    host.close().await;
}

#[tokio::test]
async fn a_plan_is_carried_out_where_it_was_made() {
    let bed = Bed::new();
    let host = bed.host().await;
    let (session, mut watcher, approval) = planned(&bed, &host).await;
    decide(&host, session, approval, choose(PlanChoice::AcceptEdits, None)).await.unwrap();
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    assert_eq!(watcher.texts(), ["as planned"]);
    assert_eq!(watcher.count(|body| matches!(body, Body::RunStarted { .. })), 1);
    assert_eq!(host.session(session).await.unwrap().mode.as_deref(), Some("acceptEdits"));
    host.close().await;
}
