//! Who is out is out, also of what was opened before.

use pilothouse_host::http::ws::SocketTerms;
use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use super::bed::{Bed, PATIENCE};
use super::client::Socket;
use super::page::Page;
use super::place::{Answer, Place, ask, bearer, listen, socket_lines};

async fn log_in(place: &Place) -> Page {
    super::place::log_in(&place.address, &place.token, None).await
}

fn origin(place: &Place) -> String {
    format!("Origin: http://{}", place.address)
}

/// A stream of a session's events that has begun.
async fn stream(place: &Place, session: &str, page: Option<&Page>) -> TcpStream {
    let start = format!("GET /api/v1/sessions/{session}/stream");
    let mut lines = page.map_or_else(|| vec![bearer(&place.token)], |page| page.lines(&start));
    lines.push("Connection: keep-alive".to_owned());
    let (answer, stream): (Answer, _) = listen(&place.address, &start, &lines, "event: live").await;
    assert_eq!(answer.status, 200);
    stream
}

/// Waits until the other side has closed.
async fn is_cut(mut stream: TcpStream) {
    let mut rest = Vec::new();
    let end = stream.read_to_end(&mut rest);
    let _ = tokio::time::timeout(PATIENCE, end).await.expect("it is cut");
}

async fn socket_is_cut(mut socket: Socket) {
    let end = async { while socket.hear().await.is_ok() {} };
    tokio::time::timeout(PATIENCE, end).await.expect("it is cut");
}

async fn answers(socket: &mut Socket) {
    socket.say(json!({"op": "ping", "id": 7})).await.unwrap();
    assert_eq!(socket.until("reply").await.unwrap()["id"], 7);
}

#[tokio::test]
async fn what_was_opened_with_a_login_ends_with_it() {
    let bed = Bed::new();
    let place = Place::open(&bed, SocketTerms::default()).await;
    let session = bed.session(&place.host).await.to_string();
    let (leaving, staying) = (log_in(&place).await, log_in(&place).await);
    let mut by_token = place.socket().await;
    let opened = async |page: &Page| {
        let lines = socket_lines(page, &place.address);
        let socket = Socket::open_with(&place.address, &lines).await.unwrap();
        (stream(&place, &session, Some(page)).await, socket)
    };
    let gone = opened(&leaving).await;
    let (kept_stream, mut kept) = opened(&staying).await;

    let start = "POST /api/v1/logout";
    let mut lines = leaving.lines(start);
    lines.push(origin(&place));
    let out = ask(&place.address, start, &lines, "").await;
    assert_eq!(out.status, 204, "{out:?}");
    is_cut(gone.0).await;
    socket_is_cut(gone.1).await;
    answers(&mut kept).await;

    // Ended from elsewhere, one by one.
    let ended = log_in(&place).await;
    let gone = opened(&ended).await;
    let start = "GET /api/v1/login";
    let who = ask(&place.address, start, &ended.lines(start), "").await;
    let who: serde_json::Value = serde_json::from_str(&who.body).unwrap();
    let start = format!("DELETE /api/v1/logins/{}", who["identity"]["id"].as_str().unwrap());
    let mut lines = staying.lines(&start);
    lines.push(origin(&place));
    let out = ask(&place.address, &start, &lines, "").await;
    assert_eq!(out.status, 204, "{out:?}");
    is_cut(gone.0).await;
    socket_is_cut(gone.1).await;
    answers(&mut kept).await;
    answers(&mut by_token).await;

    let lines = [bearer(&place.token), origin(&place)];
    let out = ask(&place.address, "POST /api/v1/logout/everywhere", &lines, "").await;
    assert_eq!(out.status, 204, "{out:?}");
    is_cut(kept_stream).await;
    socket_is_cut(kept).await;
    socket_is_cut(by_token).await;
    place.close().await;
}

#[tokio::test]
async fn who_guesses_is_slowed_down_and_who_knows_is_not() {
    let bed = Bed::new();
    let place = Place::open(&bed, SocketTerms::default()).await;
    let start = "GET /api/v1/sessions";
    let wrong = [bearer("guess-guess-guess-guess")];
    let mut guesses = 0;
    let limited = loop {
        let answer = ask(&place.address, start, &wrong, "").await;
        if answer.status == 429 {
            break answer;
        }
        assert_eq!((answer.status, &*answer.problem()), (401, "not-authenticated"));
        guesses += 1;
        assert!(guesses < 1000, "nobody slows it down");
    };
    assert_eq!(limited.problem(), "rate-limited");
    assert!(limited.header("retry-after").is_some(), "{limited:?}");
    assert!(guesses > 0, "one may mistype");
    let known = ask(&place.address, start, &[bearer(&place.token)], "").await;
    assert_eq!(known.status, 200, "{known:?}");
    let nobody = ask(&place.address, start, &[], "").await;
    assert_eq!(nobody.status, 401);
    let elsewhere = ["Host: evil.example".to_owned()];
    assert_eq!(ask(&place.address, start, &elsewhere, "").await.status, 421);

    let numbers = ask(&place.address, "GET /metrics", &[bearer(&place.token)], "").await.body;
    let failures = |reason: &str| {
        let name = format!("pilothouse_auth_failures_total{{reason=\"{reason}\"}} ");
        let line = numbers.lines().find_map(|line| line.strip_prefix(&*name));
        line.unwrap_or_else(|| panic!("no {name} in {numbers}")).parse::<u64>().unwrap()
    };
    assert_eq!((failures("bad_token"), failures("no_token")), (guesses, 1));
    assert_eq!((failures("rate_limited"), failures("bad_host")), (1, 1));
    let commits = "pilothouse_store_commit_duration_seconds_count ";
    bed.session(&place.host).await;
    let numbers = place.host.telemetry().metrics().render();
    let commits = numbers.lines().find_map(|line| line.strip_prefix(commits)).unwrap();
    assert_ne!(commits, "0");
    place.close().await;
}

/// The process may go on with something else, as a command does that has handed its store over.
#[tokio::test]
async fn what_is_open_ends_with_the_daemon_also_where_its_process_goes_on() {
    let bed = Bed::new();
    let place = Place::open(&bed, SocketTerms::default()).await;
    let session = bed.session(&place.host).await.to_string();
    let mut socket = place.socket().await;
    answers(&mut socket).await;
    let stream = stream(&place, &session, None).await;
    place.close().await;
    socket_is_cut(socket).await;
    is_cut(stream).await;
}
