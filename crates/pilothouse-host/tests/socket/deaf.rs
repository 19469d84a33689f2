//! A CLI that does not answer.

use std::time::Duration;

use pilothouse_host::http::ws::SocketTerms;
use pilothouse_session::Command;
use pilothouse_session::command::From;
use pilothouse_session::event::Body;
use pilothouse_session::id::SessionId;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::bed::{Bed, PATIENCE, Watcher, stop};
use super::place::Place;

/// A session with a run whose CLI says nothing more, and the CLI.
async fn struck_dumb(bed: &Bed, place: &Place) -> (SessionId, u32) {
    let session = bed.session(&place.host).await;
    let mut watcher = Watcher::new(&place.host, session, 0).await;
    place.host.command(session, Command::Start(From::End)).await.unwrap();
    watcher.until(|body| matches!(body, Body::RunReady { .. })).await;
    let cli = bed.pids(session).1;
    stop(cli);
    (session, cli)
}

/// The CLI goes on, and who has changed the mode is noted.
async fn is_noted_at_last(place: &Place, session: SessionId, cli: u32) {
    let store = place.host.store();
    let noted = || store.audit(Some(session), None, 10).unwrap().items;
    assert!(noted().is_empty(), "the CLI has not answered: {:?}", noted());
    kill_process(Pid::from_raw(cli.cast_signed()).unwrap(), Signal::CONT).unwrap();
    let there = async {
        while noted().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, there).await.expect("it is noted");
    let line = noted().remove(0);
    assert_eq!((&*line.action, &*line.actor), ("session.mode_changed", "token"));
    assert_eq!(line.detail["after"], "plan");
    assert_eq!(place.host.session(session).await.unwrap().mode.as_deref(), Some("plan"));
}

#[tokio::test]
async fn a_command_is_not_waited_for_longer_than_a_request_would_be() {
    let bed = Bed::new();
    let terms = SocketTerms { answer: Duration::from_millis(10), ..SocketTerms::default() };
    let place = Place::open(&bed, terms).await;
    let (session, _) = struck_dumb(&bed, &place).await;
    let mut socket = place.socket().await;
    let order = json!({"do": "set_model", "model": "sonnet"});
    let answer = socket.ask(&session.to_string(), order).await.unwrap();
    assert_eq!(answer["problem"]["type"], "/problems/timed-out", "{answer}");
    place.close().await;
}

#[tokio::test]
async fn a_mode_that_is_changed_too_late_for_an_answer_is_noted() {
    let bed = Bed::new();
    let terms = SocketTerms { answer: Duration::from_millis(10), ..SocketTerms::default() };
    let place = Place::open(&bed, terms).await;
    let (session, cli) = struck_dumb(&bed, &place).await;
    let mut socket = place.socket().await;
    let order = json!({"do": "set_mode", "mode": "plan"});
    let answer = socket.ask(&session.to_string(), order).await.unwrap();
    assert_eq!(answer["problem"]["type"], "/problems/timed-out", "{answer}");
    is_noted_at_last(&place, session, cli).await;
    place.close().await;
}

#[tokio::test]
async fn a_mode_that_is_changed_when_nobody_listens_any_more_is_noted() {
    let bed = Bed::new();
    let place = Place::open(&bed, SocketTerms::default()).await;
    let (session, cli) = struck_dumb(&bed, &place).await;
    let mut socket = place.socket().await;
    let order = json!({"do": "set_mode", "mode": "plan"});
    socket.command(&session.to_string(), order).await.unwrap();
    // What was said before this was heard before it.
    socket.say(json!({"op": "ping", "id": 7})).await.unwrap();
    assert_eq!(socket.until("reply").await.unwrap()["id"], 7);
    drop(socket);
    let open = &place.host.telemetry().metrics().websockets;
    let gone = async {
        while open.get() > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, gone).await.expect("the socket is closed here too");
    is_noted_at_last(&place, session, cli).await;
    place.close().await;
}
