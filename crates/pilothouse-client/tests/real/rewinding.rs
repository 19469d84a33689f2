//! Files put back as they were before a prompt.

use pilothouse_client::{RequestError, Rewind};
use serde_json::json;
use uuid::Uuid;

use crate::bed::Bed;

on_every_version!(files, without_checkpoints);

async fn files(bed: &Bed) {
    bed.write("old.txt", "one\ntwo\n");
    let invocation = bed.invocation().file_checkpointing().allowed_tools(["Write", "Edit"]);
    let mut session = bed.start(bed.options(invocation)).await;
    let new = json!({"file_path": bed.path("new.txt"), "content": "new\n"});
    let first = session.say(&format!("tool Write {new}\n---\nsay Written.")).await;
    session.answer("Written.").await;
    let read = json!({"file_path": bed.path("old.txt")});
    let edit =
        json!({"file_path": bed.path("old.txt"), "old_string": "two", "new_string": "three"});
    let script = format!("tool Read {read}\n---\ntool Edit {edit}\n---\nsay Edited.");
    let second = session.say(&script).await;
    session.answer("Edited.").await;
    assert_eq!(bed.read("old.txt").as_deref(), Some("one\nthree\n"));

    let would = session.client.rewind_files(&second, Rewind::DryRun).await.unwrap();
    assert_eq!(would.can_rewind, Some(true), "{would:?}");
    assert_eq!(would.files_changed, Some(vec![bed.path("old.txt")]));
    assert_eq!((would.insertions, would.deletions), (Some(1), Some(1)));
    assert_eq!(bed.read("old.txt").as_deref(), Some("one\nthree\n"), "only tried");

    let done = session.client.rewind_files(&second, Rewind::Files).await.unwrap();
    assert_eq!(done.can_rewind, Some(true), "{done:?}");
    assert_eq!(bed.read("old.txt").as_deref(), Some("one\ntwo\n"));
    assert_eq!(bed.read("new.txt").as_deref(), Some("new\n"), "older than the prompt");

    session.client.rewind_files(&first, Rewind::Files).await.unwrap();
    assert_eq!(bed.read("new.txt"), None);

    let nobody = Uuid::new_v4().to_string();
    let reply = session.client.rewind_files(&nobody, Rewind::DryRun).await.unwrap();
    assert_eq!(reply.can_rewind, Some(false));
    assert!(reply.error.is_some_and(|error| error.contains("No file checkpoint")));
    assert!(session.end().await.success());
}

async fn without_checkpoints(bed: &Bed) {
    let mut session = bed.start(bed.options(bed.invocation())).await;
    let prompt = session.say("say One.").await;
    session.answer("One.").await;
    let error = session.client.rewind_files(&prompt, Rewind::Files).await.unwrap_err();
    let RequestError::Refused { request, message, .. } = &error else { panic!("{error:?}") };
    assert_eq!(request, "rewind_files");
    assert!(message.contains("not enabled"), "{message}");
    assert!(session.end().await.success());
}
