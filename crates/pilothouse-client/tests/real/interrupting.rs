//! Interrupts, withdrawn prompts, steering.

use pilothouse_client::wire::Inbound;
use pilothouse_client::wire::message::{Delta, StreamEvent};
use pilothouse_client::wire::permission::PermissionResult;
use pilothouse_client::{Prompt, Queued, TurnError};
use serde_json::json;
use tokio::sync::mpsc;

use crate::bed::Bed;
use crate::expected::Support;
use crate::session::Session;

on_every_version!(
    while_it_speaks,
    while_a_permission_is_open,
    with_a_queue,
    prompt_taken_back,
    steering
);

/// Starts a turn that stops in the middle of a sentence.
async fn speaking(bed: &Bed) -> Session<'_> {
    let mut session = bed.start(bed.options(bed.invocation().partial_messages())).await;
    session.say("say This much\nhold middle\nmore \" and never this.\"").await;
    bed.model.wait_held("middle").await.unwrap();
    session.until("a piece of text", |message| text_piece(message).then_some(())).await;
    session
}

fn text_piece(message: &Inbound) -> bool {
    let Inbound::StreamEvent(frame) = message else { return false };
    matches!(&frame.event, StreamEvent::ContentBlockDelta(piece) if matches!(piece.delta, Delta::Text(_)))
}

async fn while_it_speaks(bed: &Bed) {
    let mut session = speaking(bed).await;
    let receipt = session.client.interrupt(Queued::Keep).await.unwrap();
    assert_eq!(receipt.still_queued.is_some(), bed.expected.interrupt_receipt, "{receipt:?}");
    bed.model.wait_abandoned("middle").await.unwrap();
    let error = session.turn().await.unwrap_err();
    assert!(matches!(error, TurnError::Interrupted(_)), "{error:?}");

    session.say("say Here again.").await;
    session.answer("Here again.").await;
    assert!(session.end().await.success());
}

async fn while_a_permission_is_open(bed: &Bed) {
    let (events, mut happened) = mpsc::unbounded_channel();
    let options = bed.options(bed.invocation()).on_permission(move |_| {
        events.send("asked").unwrap();
        let guard = Dropped(events.clone());
        async move {
            let _guard = guard;
            std::future::pending::<PermissionResult>().await
        }
    });
    let mut session = bed.start(options).await;
    let note = json!({"file_path": bed.path("note.txt"), "content": "written\n"});
    session.say(&format!("tool Write {note}\n---\nsay Never said.")).await;
    assert_eq!(happened.recv().await, Some("asked"));
    session.client.interrupt(Queued::Keep).await.unwrap();
    assert_eq!(happened.recv().await, Some("dropped"), "the handler is told by being dropped");
    let error = session.turn().await.unwrap_err();
    assert!(matches!(error, TurnError::Interrupted(_)), "{error:?}");
    assert_eq!(bed.read("note.txt"), None);
    assert_eq!(bed.asked().len(), 1);

    session.say("say Here again.").await;
    session.answer("Here again.").await;
    assert!(session.end().await.success());
}

/// Tells when it is dropped.
struct Dropped(mpsc::UnboundedSender<&'static str>);

impl Drop for Dropped {
    fn drop(&mut self) {
        let _ = self.0.send("dropped");
    }
}

async fn with_a_queue(bed: &Bed) {
    let mut session = speaking(bed).await;
    let queued = session.say("say From the queue.").await;
    session.settle().await;
    let receipt = session.client.interrupt(Queued::Cancel).await.unwrap();
    let error = session.turn().await.unwrap_err();
    assert!(matches!(error, TurnError::Interrupted(_)), "{error:?}");
    if bed.expected.interrupt_cancels_queue {
        assert_eq!(receipt.cancelled, Some(vec![queued]));
        assert_eq!(receipt.still_queued, Some(vec![]));
    } else {
        session.answer("From the queue.").await;
    }
    session.say("say Afterwards.").await;
    session.answer("Afterwards.").await;
    session.end().await;
}

async fn prompt_taken_back(bed: &Bed) {
    let mut session = speaking(bed).await;
    let queued = session.say("say From the queue.").await;
    session.settle().await;
    let support = bed.expected.cancel_prompt;
    let taken_back = session.request(support, session.client.cancel_prompt(&queued)).await;
    assert_eq!(taken_back, (support == Support::Answered).then_some(true));
    let again = session.request(support, session.client.cancel_prompt(&queued)).await;
    assert_eq!(again, (support == Support::Answered).then_some(false));
    bed.model.release("middle");
    session.answer("This much and never this.").await;
    if support != Support::Answered {
        session.answer("From the queue.").await;
    }
    session.say("say Afterwards.").await;
    session.answer("Afterwards.").await;
    assert!(session.end().await.success());
}

async fn steering(bed: &Bed) {
    let mut session = speaking(bed).await;
    session.prompt(Prompt::new("#script\nsay Steered.\n#end").now()).await;
    if bed.expected.steers {
        bed.model.wait_abandoned("middle").await.unwrap();
        session.answer("This much").await;
    } else {
        session.settle().await;
        bed.model.release("middle");
        session.answer("This much and never this.").await;
    }
    session.answer("Steered.").await;
    assert!(session.end().await.success());
}
