//! The model's API fails, for a while or for good; limits are reached.

use pilothouse_client::TurnError;
use pilothouse_client::wire::message::System;

use crate::bed::Bed;

on_every_version!(tried_again, refused, limits);

async fn tried_again(bed: &Bed) {
    let mut session = bed.start(bed.options(bed.invocation())).await;
    for failure in
        ["error 429 retry-after=0", "error 500 retry-after=0", "error 529 retry-after=0", "cut"]
    {
        let before = bed.model.requests().len();
        session.say(&format!("{failure}\n---\nsay At last.")).await;
        session.answer("At last.").await;
        assert_eq!(bed.model.requests().len() - before, 2, "{failure}");
    }
    let retries: Vec<_> = session
        .system()
        .filter_map(|message| match message {
            System::ApiRetry(retry) => Some(retry.error_status.get().copied()),
            _ => None,
        })
        .collect();
    assert_eq!(retries, [Some(1)]);
    assert!(session.end().await.success());
}

async fn refused(bed: &Bed) {
    let mut session = bed.start(bed.options(bed.invocation())).await;
    session.say("error 400 x99 message=That will not do.").await;
    let e400 = session.turn().await;
    session.say("error 401 x99 message=invalid x-api-key").await;
    let e401 = session.turn().await;
    session.say("error 403 x99 message=forbidden").await;
    let e403 = session.turn().await;
    session.say("error 404 x99 message=model: nothing").await;
    let e404 = session.turn().await;
    session.say("say Back again.").await;
    session.answer("Back again.").await;
    panic!("{e400:?}\n{e401:?}\n{e403:?}\n{e404:?} {:?}", session.end().await);
}

async fn limits(bed: &Bed) {
    let mut session = bed.start(bed.options(bed.invocation().max_turns(1u32))).await;
    session.say("tool Bash {\"command\":\"echo one\"}\n---\nsay Never said.").await;
    let t = session.turn().await;
    session.end().await;
    let mut session = bed.start(bed.options(bed.invocation().max_budget_usd(0.0001))).await;
    session
        .say("usage 100000 100000\ntool Bash {\"command\":\"echo one\"}\n---\nsay Never said.")
        .await;
    let b = session.turn().await;
    session.end().await;
    panic!("{t:?}\n{b:?}");
}
