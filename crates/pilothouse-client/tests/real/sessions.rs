//! Conversations that go on in another process.

use pilothouse_client::wire::Inbound;
use pilothouse_client::wire::invocation::{Resume, Start};
use pilothouse_client::{StartError, TurnError};
use testkit::model::Recorded;
use uuid::Uuid;

use crate::bed::Bed;
use crate::session::Session;

on_every_version!(resumed, forked, cut_short, continued, unknown, killed_and_resumed);

async fn begin(bed: &Bed, start: impl Into<Start>) -> Session<'_> {
    bed.start(bed.options(bed.invocation().start(start))).await
}

/// A session of one turn, ended; its id.
async fn first(bed: &Bed) -> String {
    let id = Uuid::new_v4().to_string();
    let mut session = begin(bed, Start::new(&id)).await;
    session.say("say One.").await;
    let result = session.answer("One.").await;
    assert_eq!(result.session_id.as_deref(), Some(&*id), "the id that the host chose");
    assert!(session.end().await.success());
    id
}

/// Takes a turn that says `text`; gives the session's id and what the model was asked.
async fn next(bed: &Bed, session: &mut Session<'_>, text: &str) -> (String, Recorded) {
    session.say(&format!("say {text}")).await;
    let result = session.answer(text).await;
    (result.session_id.unwrap(), bed.last_asked())
}

async fn resumed(bed: &Bed) {
    let id = first(bed).await;
    let mut session = begin(bed, Resume::session(&id)).await;
    let (same, request) = next(bed, &mut session, "Two.").await;
    assert_eq!(same, id);
    assert!(request.contains("say One."), "{}", request.body);
    assert!(session.end().await.success());
}

async fn forked(bed: &Bed) {
    let id = first(bed).await;
    let mut session = begin(bed, Resume::session(&id).forked()).await;
    let (fork, request) = next(bed, &mut session, "Left.").await;
    assert_ne!(fork, id);
    assert!(request.contains("say One."), "{}", request.body);
    assert!(session.end().await.success());

    let chosen = Uuid::new_v4().to_string();
    let mut session = begin(bed, Resume::session(&id).forked_as(&chosen)).await;
    let (fork, request) = next(bed, &mut session, "Right.").await;
    assert_eq!(fork, chosen);
    assert!(request.contains("say One.") && !request.contains("Left."), "{}", request.body);
    assert!(session.end().await.success());

    // What was said in the forks was not said in the original.
    let mut session = begin(bed, Resume::session(&id)).await;
    let (same, request) = next(bed, &mut session, "Two.").await;
    assert_eq!(same, id);
    assert!(request.contains("say One."), "{}", request.body);
    assert!(!request.contains("Left.") && !request.contains("Right."), "{}", request.body);
    assert!(session.end().await.success());
}

async fn cut_short(bed: &Bed) {
    let id = Uuid::new_v4().to_string();
    let mut session = begin(bed, Start::new(&id)).await;
    session.say("say One.").await;
    session.answer("One.").await;
    let point = session.seen.iter().rev().find_map(|message| match message {
        Inbound::Assistant(frame) => frame.uuid.clone(),
        _ => None,
    });
    session.say("say Two.").await;
    session.answer("Two.").await;
    assert!(session.end().await.success());

    let mut session = begin(bed, Resume::session(&id).cut_at(point.unwrap())).await;
    session.say("say Three.").await;
    session.answer("Three.").await;
    let request = bed.last_asked();
    assert!(request.contains("One."), "{}", request.body);
    assert!(!request.contains("Two."), "{}", request.body);
    assert!(session.end().await.success());
}

async fn continued(bed: &Bed) {
    let id = first(bed).await;
    let mut session = begin(bed, Start::latest()).await;
    let (same, request) = next(bed, &mut session, "Two.").await;
    assert_eq!(same, id);
    assert!(request.contains("say One."), "{}", request.body);
    assert!(session.end().await.success());
}

async fn unknown(bed: &Bed) {
    let id = Uuid::new_v4().to_string();
    let error = bed.start_fails(bed.options(bed.invocation().start(Resume::session(&id)))).await;
    assert!(
        matches!(&error, StartError::NoSuchSession { id: missing } if *missing == id),
        "{error:?}"
    );
    let text = error.to_string();
    assert!(text.contains(&id) && text.contains("list sessions"), "{text}");
}

async fn killed_and_resumed(bed: &Bed) {
    // The session is on disk before the run that is killed: an old CLI may write it late.
    let id = first(bed).await;
    let mut session = begin(bed, Resume::session(&id)).await;
    session.say("say Two,\nhold middle\nmore  and never this.").await;
    bed.model.wait_held("middle").await.unwrap();
    kill(session.client.pid().unwrap());
    let error = session.turn().await.unwrap_err();
    let TurnError::Ended(exit) = &error else { panic!("{error:?}") };
    assert_eq!(exit.signal, Some(9));
    assert!(error.to_string().contains("start it again"), "{error}");

    let mut session = begin(bed, Resume::session(&id)).await;
    let (same, request) = next(bed, &mut session, "Three.").await;
    assert_eq!(same, id);
    assert!(request.contains("say One."), "{}", request.body);
    assert!(session.end().await.success());
}

fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid.try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}
