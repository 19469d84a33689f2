//! A CLI that does not answer.

use std::time::Duration;

use pilothouse_host::http::ws::SocketTerms;
use pilothouse_session::Command;
use pilothouse_session::command::From;
use pilothouse_session::event::Body;
use serde_json::json;

use super::bed::{Bed, Watcher, stop};
use super::place::Place;

#[tokio::test]
async fn a_command_is_not_waited_for_longer_than_a_request_would_be() {
    let bed = Bed::new();
    let terms = SocketTerms { answer: Duration::from_millis(10), ..SocketTerms::default() };
    let place = Place::open(&bed, terms).await;
    let session = bed.session(&place.host).await;
    let mut watcher = Watcher::new(&place.host, session, 0).await;
    place.host.command(session, Command::Start(From::End)).await.unwrap();
    watcher.until(|body| matches!(body, Body::RunReady { .. })).await;
    stop(bed.pids(session).1);
    let mut socket = place.socket().await;
    let order = json!({"do": "set_model", "model": "sonnet"});
    let answer = socket.ask(&session.to_string(), order).await.unwrap();
    assert_eq!(answer["problem"]["type"], "/problems/timed-out", "{answer}");
    place.close().await;
}
