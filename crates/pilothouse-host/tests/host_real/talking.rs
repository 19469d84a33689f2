//! Text, images, forks, interrupts, and what can be set.

use pilothouse_host::HostError;
use pilothouse_host::host::{Beginning, NewSession, PromptRequest};
use pilothouse_session::Command;
use pilothouse_session::command::{From, Urgency, mode_named};
use pilothouse_session::event::{Body, Outcome, Status};
use pilothouse_wire::control::HostRequest;
use pilothouse_wire::control::session::RewindFiles;
use serde_json::{Value, json};
use testkit::cli::CliVersion;

use super::bed::{Watcher, allow, decide, prompt, script};
use super::stage::{Stage, settled};

/// One red pixel.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

/// A model that every version knows.
const HAIKU: &str = "claude-haiku-4-5-20251001";

#[tokio::test]
async fn a_prompt_is_answered_piece_by_piece() {
    let stage = Stage::new().await;
    let host = stage.host().await;
    let (session, mut watcher) = stage.session(&host).await;
    prompt(&host, session, "think Hm.\nsay Hello there.").await;
    assert_eq!(settled(&mut watcher).await, Outcome::Done);
    assert_eq!(watcher.texts(), ["Hello there."]);
    assert!(watcher.pieces.contains("Hello there."), "{}", watcher.pieces);
    assert_eq!(watcher.count(|body| matches!(body, Body::Unknown { .. })), 0);
    watcher.until_status(Status::Idle).await;
    let row = host.session(session).await.unwrap();
    assert!(row.cli_session.is_some());
    assert_eq!(watcher.count(|body| matches!(body, Body::Reasoning { .. })), 1);
    host.close().await;
}

#[tokio::test]
async fn a_picture_reaches_the_model() {
    let stage = Stage::new().await;
    let host = stage.host().await;
    let (session, mut watcher) = stage.session(&host).await;
    let source = json!({"type": "base64", "media_type": "image/png", "data": PIXEL});
    let content = json!([
        {"type": "text", "text": script("say Red.")},
        {"type": "image", "source": source},
    ]);
    let content = serde_json::from_value(content).unwrap();
    let files = Vec::new();
    let request = PromptRequest { key: None, prompt: None, content, files, urgency: Urgency::Next };
    host.prompt(session, request).await.unwrap();
    settled(&mut watcher).await;
    assert_eq!(watcher.texts(), ["Red."]);
    let asked = stage.last_asked();
    let pictures = asked.user_blocks("image");
    assert_eq!(pictures.len(), 1);
    assert_eq!(pictures[0]["source"]["media_type"], "image/png");
    let said = watcher.events.iter().find_map(|event| match &event.body {
        Body::UserMessage { attachments, .. } => Some(attachments),
        _ => None,
    });
    assert_eq!(said.unwrap()[0].media_type, "image/png");
    host.close().await;
}

#[tokio::test]
async fn a_turn_is_interrupted_and_the_next_one_works() {
    let stage = Stage::new().await;
    let host = stage.host().await;
    let (session, mut watcher) = stage.session(&host).await;
    prompt(&host, session, "say This much\nhold middle\nmore \" and never this.\"").await;
    stage.model.wait_held("middle").await.unwrap();
    while !watcher.pieces.contains("This much") {
        watcher.next().await;
    }
    host.command(session, Command::Interrupt { cancel_queued: false }).await.unwrap();
    stage.model.wait_abandoned("middle").await.unwrap();
    assert_eq!(settled(&mut watcher).await, Outcome::Interrupted);
    prompt(&host, session, "say Here again.").await;
    assert_eq!(settled(&mut watcher).await, Outcome::Done);
    assert_eq!(watcher.texts().last().unwrap(), "Here again.");
    assert_eq!(watcher.count(|body| matches!(body, Body::RunStarted { .. })), 1);
    host.close().await;
}

#[tokio::test]
async fn a_fork_knows_what_was_said() {
    let stage = Stage::new().await;
    let host = stage.host().await;
    let (session, mut watcher) = stage.session(&host).await;
    prompt(&host, session, "say The original.").await;
    settled(&mut watcher).await;
    watcher.until_status(Status::Idle).await;
    let begin = Beginning::Fork { session, at: None };
    let fork = host.create(NewSession { begin, ..stage.new_session() }).await.unwrap().id;
    let mut copy = Watcher::new(&host, fork, 0).await;
    prompt(&host, fork, "say The copy.").await;
    settled(&mut copy).await;
    assert_eq!(copy.texts(), ["The copy."]);
    assert!(stage.last_asked().contains("The original."));
    let rows = [host.session(session).await.unwrap(), host.session(fork).await.unwrap()];
    assert_ne!(rows[0].cli_session, rows[1].cli_session);
    prompt(&host, session, "say Still here.").await;
    settled(&mut watcher).await;
    assert!(!stage.last_asked().contains("The copy."));
    host.close().await;
}

#[tokio::test]
async fn mode_and_model_are_switched() {
    let stage = Stage::new().await;
    let host = stage.host().await;
    let (session, mut watcher) = stage.session(&host).await;
    // Before there is a run: it is started with it.
    host.command(session, Command::SetModel { model: Some("sonnet".into()) }).await.unwrap();
    prompt(&host, session, "say One.").await;
    settled(&mut watcher).await;
    assert!(stage.last_asked().model().contains("sonnet"), "{}", stage.last_asked().model());
    host.command(session, Command::SetModel { model: Some(HAIKU.into()) }).await.unwrap();
    host.command(session, Command::SetMode { mode: mode_named("act") }).await.unwrap();
    prompt(&host, session, &stage.write("note.txt")).await;
    settled(&mut watcher).await;
    assert_eq!(stage.last_asked().model(), HAIKU);
    assert_eq!(stage.read("note.txt").as_deref(), Some("written\n"));
    assert_eq!(watcher.count(|body| matches!(body, Body::ApprovalRequested { .. })), 0);
    let row = host.session(session).await.unwrap();
    assert_eq!(row.mode.as_deref(), Some("acceptEdits"));
    assert_eq!(row.model.as_deref(), Some(HAIKU));

    let nonsense = Command::SetMode { mode: mode_named("no-such-mode") };
    let refused = host.command(session, nonsense).await.unwrap_err();
    assert!(matches!(refused, HostError::Refused(_)), "by the CLI: {refused}");
    assert_eq!(host.session(session).await.unwrap().mode.as_deref(), Some("acceptEdits"));
    host.close().await;
}

/// A mode that only a later CLI may know is for the CLI to refuse; an older one that would take any
/// name while it runs is not asked.
#[tokio::test]
async fn a_mode_that_is_not_known_here_is_for_the_cli_to_refuse() {
    let nonsense = || Command::SetMode { mode: mode_named("noSuchMode") };
    for version in [CliVersion::V2_1_326, CliVersion::V2_1_62] {
        let stage = Stage::of(version).await;
        let host = stage.host().await;
        let (session, mut watcher) = stage.session(&host).await;
        host.command(session, nonsense()).await.unwrap();
        host.command(session, Command::Start(From::End)).await.unwrap();
        let ended = watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
        let told = serde_json::to_string(&ended).unwrap();
        assert!(told.contains("noSuchMode"), "{version}: its own words: {told}");

        let (session, mut watcher) = stage.session(&host).await;
        prompt(&host, session, "say One.").await;
        settled(&mut watcher).await;
        let refused = host.command(session, nonsense()).await.unwrap_err();
        match version {
            CliVersion::V2_1_326 => assert!(matches!(refused, HostError::Refused(_)), "{refused}"),
            _ => assert!(matches!(refused, HostError::Mode(_)), "{refused}"),
        }
        host.close().await;
    }
}

#[tokio::test]
async fn a_rewind_tells_what_it_would_do() {
    let stage = Stage::new().await;
    let host = stage.host().await;
    let (session, mut watcher) = stage.session(&host).await;
    let first = prompt(&host, session, &stage.write("note.txt")).await;
    let approval = watcher.until_asked().await;
    decide(&host, session, approval, allow()).await.unwrap();
    settled(&mut watcher).await;
    let rewind = |dry_run: bool| {
        let user_message_id = first.to_string();
        let dry_run = Some(dry_run);
        let rewind = RewindFiles { user_message_id, dry_run, ..RewindFiles::default() };
        Command::Request(Box::new(HostRequest::RewindFiles(rewind)))
    };
    let would = host.command(session, rewind(true)).await.unwrap();
    let would: Value = serde_json::from_str(would.get()).unwrap();
    assert_eq!(would["canRewind"], true, "{would}");
    assert_eq!(would["filesChanged"], json!([stage.path("note.txt")]), "{would}");
    assert_eq!(stage.read("note.txt").as_deref(), Some("written\n"), "nothing is changed by it");
    host.command(session, rewind(false)).await.unwrap();
    assert_eq!(stage.read("note.txt"), None);
    host.close().await;
}
