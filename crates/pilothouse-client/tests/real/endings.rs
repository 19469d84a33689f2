//! How a run ends: let finish, stopped, dropped; and nothing stays behind.

use std::time::Duration;

use pilothouse_client::StopLadder;
use pilothouse_client::wire::Inbound;
use serde_json::json;

use crate::bed::Bed;
use crate::lasting::Lasting;
use crate::session::Session;

on_every_version!(closed_in_mid_turn, stopped_in_mid_turn, dropped_in_mid_turn, nothing_stays);

/// A turn that waits in the middle of a sentence.
async fn speaking(bed: &Bed) -> Session<'_> {
    let session = bed.start(bed.options(bed.invocation())).await;
    session.say("say Let me\nhold middle\nmore \" finish.\"").await;
    bed.model.wait_held("middle").await.unwrap();
    session
}

async fn closed_in_mid_turn(bed: &Bed) {
    let mut session = speaking(bed).await;
    session.client.close().await;
    bed.model.release("middle");
    session.answer("Let me finish.").await;
    assert!(session.end().await.success());
}

async fn stopped_in_mid_turn(bed: &Bed) {
    let mut session = speaking(bed).await;
    let exit = session.client.stop().await;
    assert_eq!(exit.signal, None, "it ends by itself: {exit}");
    assert_ne!(exit.code, Some(143), "no signal had to tell it: {exit}");
    // What it said to the end is still there to be read.
    while session.next().await.is_some() {}
    let result = session.seen.iter().find_map(|message| match message {
        Inbound::Result(result) => Some(result),
        _ => None,
    });
    assert!(!result.unwrap().is_success(), "{result:?}");
}

async fn dropped_in_mid_turn(bed: &Bed) {
    drop(speaking(bed).await);
    bed.model.wait_abandoned("middle").await.unwrap();
}

async fn nothing_stays(bed: &Bed) {
    let lasting = Lasting::new().await;
    let mut options = bed.options(bed.invocation().allowed_tools(["Bash"]));
    // One version waits for its background work when it is to end, until a signal comes.
    options.stop_ladder =
        StopLadder { after_eof: Duration::from_secs(1), after_term: Duration::from_secs(10) };
    let mut session = bed.start(options).await;
    let input = json!({"command": lasting.command(), "run_in_background": true});
    session.say(&format!("tool Bash {input}\n---\nsay It runs.")).await;
    let running = lasting.started().await;
    session.answer("It runs.").await;
    let exit = session.client.stop().await;
    assert_eq!(exit.code, Some(bed.expected.exit_with_background_work), "{exit}");
    running.ended().await;
}
