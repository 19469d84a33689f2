//! The model's API fails, for a while or for good; limits are reached.

use pilothouse_client::wire::message::System;
use pilothouse_client::{Limit, TurnError};

use crate::bed::Bed;

on_every_version!(tried_again, refused, limits);

async fn tried_again(bed: &Bed) {
    let mut session = bed.start(bed.options(bed.invocation())).await;
    for failure in ["error 429", "error 500", "error 529", "cut"] {
        let before = bed.asked().len();
        session.say(&format!("{failure}\n---\nsay At last.")).await;
        session.answer("At last.").await;
        assert_eq!(bed.asked().len() - before, 2, "{failure}");
    }
    let retries: Vec<_> = session.system().filter_map(status).collect();
    if bed.expected.retry_announced {
        assert_eq!(retries, [Some(429), Some(500), Some(529), None]);
    } else {
        assert_eq!(retries, []);
    }
    assert!(session.end().await.success());
}

/// The HTTP status that is to be tried again, where there was one.
fn status(message: &System) -> Option<Option<u64>> {
    match message {
        System::ApiRetry(retry) => Some(retry.error_status.get().copied()),
        _ => None,
    }
}

async fn refused(bed: &Bed) {
    // They would try even a wrong key again, for minutes.
    let invocation = bed.invocation().env_var("CLAUDE_CODE_MAX_RETRIES", "0");
    let mut session = bed.start(bed.options(invocation)).await;
    for failure in [400, 404, 429, 500, 529] {
        session.say(&format!("error {failure} x99")).await;
        let error = session.turn().await.unwrap_err();
        let TurnError::Api { status, message } = &error else { panic!("{failure}: {error:?}") };
        assert_eq!(*status, bed.expected.api_status_told.then_some(failure));
        assert!(!message.is_empty());
        assert!(error.to_string().contains(message), "{error}");
    }

    session.say("error 400 x99 message=That will not do.").await;
    let error = session.turn().await.unwrap_err();
    assert!(error.to_string().contains("That will not do."), "what the API said: {error}");

    session.say("error 401 x99").await;
    let error = session.turn().await.unwrap_err();
    assert!(matches!(error, TurnError::NotLoggedIn { .. }), "{error:?}");
    assert!(error.to_string().contains("set ANTHROPIC_API_KEY"), "{error}");

    session.say("say Back again.").await;
    session.answer("Back again.").await;
    assert!(session.end().await.success());
}

async fn limits(bed: &Bed) {
    let mut session = bed.start(bed.options(bed.invocation().max_turns(1u32))).await;
    session.say("tool Bash {\"command\":\"echo one\"}\n---\nsay Never said.").await;
    let error = session.turn().await.unwrap_err();
    assert!(matches!(&error, TurnError::Limit { limit } if *limit == Limit::Turns), "{error:?}");
    assert!(error.to_string().contains("raise it"), "{error}");
    session.end().await;

    let mut session = bed.start(bed.options(bed.invocation().max_budget_usd(0.01))).await;
    session.say("usage 100000 100000\ntool Bash {\"command\":\"echo one\"}\n---\nsay Never.").await;
    let error = session.turn().await.unwrap_err();
    assert!(matches!(&error, TurnError::Limit { limit } if *limit == Limit::Budget), "{error:?}");
    session.end().await;
}
