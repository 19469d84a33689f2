//! Approvals and questions.

use pilothouse_host::HostError;
use pilothouse_session::Refusal;
use pilothouse_session::approval::{Decision, QuestionReply};
use pilothouse_session::event::{Body, Outcome, ToolStatus};
use serde_json::json;

use super::bed::{allow, decide, prompt};
use super::stage::{Stage, settled};

#[tokio::test]
async fn a_tool_is_allowed_and_another_is_not() {
    let stage = Stage::new().await;
    let host = stage.host().await;
    let (session, mut watcher) = stage.session(&host).await;
    prompt(&host, session, &stage.write("yes.txt")).await;
    let approval = watcher.until_asked().await;
    assert_eq!(stage.read("yes.txt"), None);
    decide(&host, session, approval, allow()).await.unwrap();
    assert_eq!(settled(&mut watcher).await, Outcome::Done);
    assert_eq!(stage.read("yes.txt").as_deref(), Some("written\n"));
    let again = decide(&host, session, approval, allow()).await;
    assert!(matches!(again, Err(HostError::Refused(Refusal::AlreadyAnswered { .. }))));

    prompt(&host, session, &stage.write("no.txt")).await;
    let approval = watcher.until_asked().await;
    let deny = Decision::Deny { message: Some("Not this one.".into()), stop: false };
    decide(&host, session, approval, deny).await.unwrap();
    assert_eq!(settled(&mut watcher).await, Outcome::Done);
    assert_eq!(stage.read("no.txt"), None);
    assert!(stage.last_asked().contains("Not this one."), "the model is told why");
    let failed = |body: &Body| matches!(body, Body::ToolUpdate { status: ToolStatus::Error, .. });
    assert_eq!(watcher.count(failed), 1);
    assert_eq!(watcher.texts(), ["Done.", "Done."]);
    host.close().await;
}

#[tokio::test]
async fn a_denial_may_stop_the_turn() {
    let stage = Stage::new().await;
    let host = stage.host().await;
    let (session, mut watcher) = stage.session(&host).await;
    prompt(&host, session, &stage.write("no.txt")).await;
    let approval = watcher.until_asked().await;
    let deny = Decision::Deny { message: None, stop: true };
    decide(&host, session, approval, deny).await.unwrap();
    assert_eq!(settled(&mut watcher).await, Outcome::Interrupted);
    assert_eq!(watcher.texts(), [""; 0]);
    host.close().await;
}

#[tokio::test]
async fn a_question_is_answered() {
    let stage = Stage::new().await;
    let host = stage.host().await;
    let (session, mut watcher) = stage.session(&host).await;
    let option = |label: &str| json!({"label": label, "description": format!("it is {label}")});
    let question = json!({"questions": [{
        "question": "Which colour?",
        "header": "Colour",
        "options": [option("red"), option("blue")],
        "multiSelect": false,
    }]});
    prompt(&host, session, &format!("tool AskUserQuestion {question}\n---\nsay Thank you.")).await;
    let approval = watcher.until_asked().await;
    let unfit = decide(&host, session, approval, allow()).await;
    assert!(matches!(unfit, Err(HostError::Refused(Refusal::UnfitDecision { .. }))), "{unfit:?}");
    let reply = QuestionReply {
        question: "Which colour?".into(),
        answers: vec!["blue".into()],
        notes: None,
    };
    let decision = Decision::Answers { answers: vec![reply], response: None };
    decide(&host, session, approval, decision).await.unwrap();
    assert_eq!(settled(&mut watcher).await, Outcome::Done);
    assert_eq!(watcher.texts(), ["Thank you."]);
    let results = stage.last_asked().tool_results();
    let told = format!("{results:?}");
    assert!(told.contains("Which colour?") && told.contains("blue"), "{told}");
    host.close().await;
}
