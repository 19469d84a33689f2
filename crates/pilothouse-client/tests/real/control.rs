//! What can be asked of a running CLI.

use std::time::Duration;

use pilothouse_client::wire::invocation::Effort;
use pilothouse_client::wire::permission::PermissionMode;
use pilothouse_client::{Detail, RequestError};
use serde_json::json;
use testkit::model::Recorded;

use crate::bed::{Bed, Told};
use crate::expected::Support;
use crate::session::Session;

on_every_version!(model_and_thinking, modes, reports, unanswered);

/// A model that all versions know and that thinks as much as it is told to.
const HAIKU: &str = "claude-haiku-4-5-20251001";

async fn model_and_thinking(bed: &Bed) {
    let mut session = bed.start(bed.options(bed.invocation().model("sonnet"))).await;
    let client = session.client.clone();
    client.set_model(Some(HAIKU)).await.unwrap();
    client.set_max_thinking_tokens(Some(4321)).await.unwrap();
    let request = next_request(bed, &mut session).await;
    assert_eq!(request.model(), HAIKU);
    assert_eq!(request.body["thinking"]["budget_tokens"], 4321);

    client.set_max_thinking_tokens(Some(0)).await.unwrap();
    let request = next_request(bed, &mut session).await;
    assert!(!thinks(&request), "{}", request.body["thinking"]);
    client.set_max_thinking_tokens(None).await.unwrap();
    let request = next_request(bed, &mut session).await;
    assert_eq!(thinks(&request), bed.expected.thinks_by_default, "{}", request.body["thinking"]);

    client.set_model(None).await.unwrap();
    session.request(bed.expected.apply_settings, client.set_effort(Some(Effort::Low))).await;
    let request = next_request(bed, &mut session).await;
    assert_eq!(request.model(), bed.expected.default_model);
    let low = request.body["output_config"]["effort"] == "low";
    assert_eq!(low, bed.expected.effort_reaches_model, "{}", request.body["output_config"]);
    assert!(session.end().await.success());
}

fn thinks(request: &Recorded) -> bool {
    request.body["thinking"]["type"] == "enabled"
}

/// Takes a turn and gives the request that it made.
async fn next_request(bed: &Bed, session: &mut Session<'_>) -> Recorded {
    session.say("say Next.").await;
    session.answer("Next.").await;
    bed.last_asked()
}

async fn modes(bed: &Bed) {
    let asked = Told::new();
    let asks = asked.clone();
    let options = bed.options(bed.invocation()).on_permission(move |ask| {
        asks.add(ask.tool_name.clone());
        async move { ask.allow() }
    });
    let mut session = bed.start(options).await;
    session.client.set_permission_mode(PermissionMode::AcceptEdits).await.unwrap();
    let note = json!({"file_path": bed.path("note.txt"), "content": "written\n"});
    session.say(&format!("tool Write {note}\n---\nsay Done.")).await;
    session.answer("Done.").await;
    assert_eq!(asked.count(), 0, "edits are accepted");
    assert_eq!(bed.read("note.txt").as_deref(), Some("written\n"));

    for (mode, code) in
        [("bypassPermissions", "bypass_not_launched"), ("no-such-mode", "invalid_mode")]
    {
        let reply = session.client.set_permission_mode(PermissionMode::from(mode)).await;
        if bed.expected.modes_are_checked {
            let error = reply.unwrap_err();
            let RequestError::Refused { code: Some(given), .. } = &error else {
                panic!("{error:?}")
            };
            assert_eq!(given, code);
            assert!(error.to_string().contains("Cannot set permission mode"), "{error}");
        } else {
            reply.unwrap();
        }
    }

    session.client.set_permission_mode(PermissionMode::Default).await.unwrap();
    let note = json!({"file_path": bed.path("other.txt"), "content": "written\n"});
    session.say(&format!("tool Write {note}\n---\nsay Done.")).await;
    session.answer("Done.").await;
    assert_eq!(asked.take(), ["Write"]);
    assert!(session.end().await.success());
}

async fn reports(bed: &Bed) {
    let mut session = bed.start(bed.options(bed.invocation())).await;
    let client = session.client.clone();
    session.say("say One.").await;
    session.answer("One.").await;
    let support = bed.expected.reports;
    if let Some(usage) = session.request(support, client.context_usage(Detail::Summary)).await {
        assert!(usage.total_tokens.is_some_and(|tokens| tokens > 0), "{usage:?}");
        assert!(!usage.categories.is_empty());
    }
    if let Some(usage) = session.request(support, client.usage()).await {
        let spent = usage.session.unwrap();
        assert_eq!(spent.model_usage.map(|usage| usage.len()), Some(1));
    }
    if let Some(plan) = session.request(support, client.plan()).await {
        assert_eq!(plan.exists, Some(false));
    }
    session.request(support, client.rename("A title")).await;

    let support = bed.expected.apply_settings;
    session.request(support, client.apply_settings(json!({"model": "haiku"}))).await;
    let model = next_request(bed, &mut session).await.model().to_owned();
    assert_eq!(model.contains("haiku"), support == Support::Answered, "{model}");
    assert!(session.end().await.success());
}

/// A CLI that ignores a request does not keep the program waiting for ever.
async fn unanswered(bed: &Bed) {
    let mut options = bed.options(bed.invocation());
    if bed.expected.reports == Support::Ignored {
        options.request_timeout = Some(Duration::from_secs(1));
    }
    let session = bed.start(options).await;
    let outcome = session.client.usage().await;
    match bed.expected.reports {
        Support::Answered => drop(outcome.unwrap()),
        Support::Refused => {
            let error = outcome.unwrap_err();
            assert!(matches!(error, RequestError::Refused { .. }), "{error:?}");
            assert!(error.to_string().contains("get_usage"), "{error}");
        }
        Support::Ignored => {
            let error = outcome.unwrap_err();
            assert!(matches!(error, RequestError::Unanswered { .. }), "{error:?}");
            assert!(error.to_string().contains("request_timeout"), "{error}");
        }
    }
    assert!(session.end().await.success());
}
