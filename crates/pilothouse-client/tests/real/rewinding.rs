//! Files put back as they were before a prompt.

use std::time::Duration;

use pilothouse_client::history::{Before, History, Scope, SessionId};
use pilothouse_client::{RequestError, Rewind};
use serde_json::json;
use uuid::Uuid;

use crate::bed::Bed;

on_every_version!(files, copies, without_checkpoints);

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

/// What is found on disk before a rewind is what is in the files after it.
async fn copies(bed: &Bed) {
    let outside = bed.harness.home().join("outside.txt");
    std::fs::write(&outside, "o1\n").unwrap();
    for (name, text) in [("old.txt", "one\ntwo\n"), ("gone.txt", "g1\n"), ("later.txt", "l1\n")] {
        bed.write(name, text);
    }
    let invocation = bed.invocation().file_checkpointing().add_dirs([bed.harness.home()]);
    let invocation = invocation.allowed_tools(["Read", "Write"]);
    let mut session = bed.start(bed.options(invocation)).await;
    let write = |path: &str, text: &str| {
        let (read, write) =
            (json!({"file_path": path}), json!({"file_path": path, "content": text}));
        format!("tool Read {read}\n---\ntool Write {write}\n---\n")
    };
    let of = |name: &str, text: &str| write(&bed.path(name), text);
    let new = json!({"file_path": bed.path("sub/new.txt"), "content": "new\n"});
    let more = [of("old.txt", "one\n2\n"), of("gone.txt", "g2\n")].concat();
    let first = session.say(&format!("tool Write {new}\n---\n{more}say One.")).await;
    session.answer("One.").await;
    std::fs::remove_file(bed.path("gone.txt")).unwrap();
    let more = [of("old.txt", "1\n2\n"), write(outside.to_str().unwrap(), "o2\n")].concat();
    let second = session.say(&format!("{more}say Two.")).await;
    session.answer("Two.").await;
    session.say(&format!("{}say Three.", of("later.txt", "l2\n"))).await;
    let id = session.answer("Three.").await.session_id.unwrap();
    bed.write("sub/new.txt", "by hand\n");

    let history = History::at(bed.harness.home().join(".claude"));
    let id = SessionId::parse(id).unwrap();
    for (prompt, count) in [(&second, 4), (&first, 3)] {
        let would = session.client.rewind_files(prompt, Rewind::DryRun).await.unwrap();
        let files = would.files_changed.unwrap();
        assert_eq!(files.len(), count, "{files:?}");
        let read = || {
            let kept = history.checkpoint(&id, &Scope::AllProjects, bed.harness.cwd(), prompt);
            kept.unwrap().filter(|kept| files.iter().all(|file| kept.mentions(file.as_ref())))
        };
        let kept = written(read).await;
        let before: Vec<_> =
            files.iter().map(|path| kept.before(path.as_ref(), 1000).unwrap()).collect();
        let did = session.client.rewind_files(prompt, Rewind::Files).await.unwrap();
        assert_eq!(did.can_rewind, Some(true), "{did:?}");
        for (path, before) in files.iter().zip(before) {
            let now = std::fs::read(path).map_or(Before::NotThere, Before::Bytes);
            assert_eq!(now, before, "{path}");
        }
    }
    assert!(session.end().await.success());
}

/// What the CLI writes to its transcript a little after it has answered.
async fn written<T>(read: impl Fn() -> Option<T>) -> T {
    let found = async {
        loop {
            match read() {
                Some(found) => return found,
                // Nothing tells when it has.
                None => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), found).await.expect("the CLI writes it down")
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
