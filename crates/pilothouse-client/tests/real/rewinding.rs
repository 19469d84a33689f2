//! Files put back as they were before a prompt.

use pilothouse_client::Rewind;
use serde_json::json;

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

    let d2 = session.client.rewind_files(&second, Rewind::DryRun).await;
    let a = bed.read("old.txt");
    let r2 = session.client.rewind_files(&second, Rewind::Files).await;
    let b = bed.read("old.txt");
    let n = bed.read("new.txt");
    let d1 = session.client.rewind_files(&first, Rewind::DryRun).await;
    let r1 = session.client.rewind_files(&first, Rewind::Files).await;
    let n2 = bed.read("new.txt");
    let no =
        session.client.rewind_files("00000000-0000-4000-8000-000000000000", Rewind::DryRun).await;
    panic!("{d2:?} {a:?}\n{r2:?} {b:?} {n:?}\n{d1:?}\n{r1:?} {n2:?}\n{no:?}");
}

async fn without_checkpoints(bed: &Bed) {
    let mut session = bed.start(bed.options(bed.invocation())).await;
    let prompt = session.say("say One.").await;
    session.answer("One.").await;
    let reply = session.client.rewind_files(&prompt, Rewind::Files).await;
    panic!("{reply:?}");
}
