//! The host is asked before a tool runs, and what it says is done.

use pilothouse_client::TurnError;
use pilothouse_client::wire::Raw;
use serde_json::json;

use crate::bed::{Bed, Told};

on_every_version!(allowed, denied, denied_and_stopped, edited, nobody_to_ask);

async fn allowed(bed: &Bed) {
    let asked = Told::new();
    let asks = asked.clone();
    let options = bed.options(bed.invocation()).on_permission(move |ask| {
        asks.add(ask.clone());
        async move { ask.allow() }
    });
    let mut session = bed.start(options).await;
    let input = json!({"file_path": bed.path("note.txt"), "content": "written\n"});
    session.say(&format!("tool Write {input}\n---\nsay Done.")).await;
    session.answer("Done.").await;
    assert_eq!(bed.read("note.txt").as_deref(), Some("written\n"));
    let [ask] = &asked.take()[..] else { panic!("asked more or less than once") };
    assert_eq!(ask.tool_name, "Write");
    assert_eq!(ask.input.to_value(), input);
    let results = bed.last_asked().tool_results();
    assert_eq!(results.len(), 1);
    assert_eq!(Some(&results[0].tool_use_id), ask.tool_use_id.as_ref());
    assert!(!results[0].is_error, "{results:?}");
    assert!(session.end().await.success());
}

async fn denied(bed: &Bed) {
    let options = bed
        .options(bed.invocation())
        .on_permission(|ask| async move { ask.deny("Write it elsewhere, please.") });
    let mut session = bed.start(options).await;
    let input = json!({"file_path": bed.path("note.txt"), "content": "written\n"});
    session.say(&format!("tool Write {input}\n---\nsay I shall not.")).await;
    let result = session.answer("I shall not.").await;
    assert_eq!(bed.read("note.txt"), None);
    assert_eq!(result.permission_denials.len(), 1);
    assert_eq!(result.permission_denials[0].tool_name.as_deref(), Some("Write"));
    let results = bed.last_asked().tool_results();
    assert!(results[0].is_error, "{results:?}");
    assert!(results[0].text.contains("Write it elsewhere, please."), "{results:?}");
    assert!(session.end().await.success());
}

async fn denied_and_stopped(bed: &Bed) {
    let options = bed
        .options(bed.invocation())
        .on_permission(|ask| async move { ask.deny_and_stop("Stop here.") });
    let mut session = bed.start(options).await;
    let input = json!({"file_path": bed.path("note.txt"), "content": "written\n"});
    session.say(&format!("tool Write {input}\n---\nsay Never said.")).await;
    let error = session.turn().await.unwrap_err();
    assert!(matches!(error, TurnError::Interrupted(_)), "{error:?}");
    assert_eq!(bed.read("note.txt"), None);
    assert_eq!(bed.asked().len(), 1, "the model was asked again");

    // The conversation goes on.
    session.say("say Here again.").await;
    session.answer("Here again.").await;
    session.end().await;
}

async fn edited(bed: &Bed) {
    let options = bed.options(bed.invocation()).on_permission(|ask| async move {
        ask.allow_with(Raw::from(json!({"command": "echo edited > made.txt"})))
    });
    let mut session = bed.start(options).await;
    session.say("tool Bash {\"command\":\"echo original > made.txt\"}\n---\nsay Done.").await;
    session.answer("Done.").await;
    assert_eq!(bed.read("made.txt").as_deref(), Some("edited\n"));
    assert!(session.end().await.success());
}

async fn nobody_to_ask(bed: &Bed) {
    let mut session = bed.start(bed.options(bed.invocation())).await;
    let input = json!({"file_path": bed.path("note.txt"), "content": "written\n"});
    session.say(&format!("tool Write {input}\n---\nsay I could not.")).await;
    let result = session.answer("I could not.").await;
    assert_eq!(bed.read("note.txt"), None);
    assert_eq!(result.permission_denials.len(), 1);
    assert!(session.end().await.success());
}
