//! A cookie alone opens nothing: every route of the table, and the attacks with a stolen cookie.

use axum::http::Method;
use pilothouse_host::http::openapi::Operation;
use pilothouse_host::http::rest;
use pilothouse_host::http::ws::SocketTerms;
use serde_json::{Value, json};

use super::bed::Bed;
use super::client::Socket;
use super::page::Page;
use super::place::{Answer, JSON, Place, ask, bearer, log_in, socket_lines, upgrade};

/// The only routes that need no login. A route that is added here is a decision, not an oversight.
const PUBLIC: [&str; 4] = ["getHealth", "proveDaemon", "logIn", "logOut"];

/// Ends all logins, so it is tried last.
const LAST: &str = "logOutEverywhere";

/// The start line of an operation, with something in the place of its parameters. Nothing has such
/// ids, so a request that is let in finds nothing and changes nothing.
fn start(operation: &Operation) -> String {
    let nothing = "00000000-0000-7000-8000-000000000000";
    let parts = operation.path.split('/');
    let path: Vec<_> =
        parts.map(|part| if part.starts_with('{') { nothing } else { part }).collect();
    format!("{} {}", operation.method, path.join("/"))
}

/// Asks with these lines. The body is of no type that a route takes: who is let in is refused for
/// that, and nothing is changed.
async fn tried(place: &Place, operation: &Operation, lines: Vec<String>) -> Answer {
    let mut all = lines;
    all.push(format!("Origin: http://{}", place.address));
    if operation.path.ends_with("/ws") {
        // Asks for another version of the protocol: who is let in is refused for that.
        all.extend(upgrade().into_iter().map(|line| line.replace(": 13", ": 1")));
    }
    let body = if operation.method == Method::GET { "" } else { "x" };
    ask(&place.address, &start(operation), &all, body).await
}

fn is_refused(answer: &Answer, what: &str) {
    assert_eq!((answer.status, &*answer.problem()), (401, "not-authenticated"), "{what}");
    answer.is_dressed();
}

fn is_let_in(answer: &Answer, what: &str) {
    assert!(answer.status >= 200 && !matches!(answer.status, 401 | 403), "{what}: {answer:?}");
}

#[tokio::test]
async fn no_route_works_with_the_cookie_alone() {
    let bed = Bed::new();
    let place = Place::open(&bed, SocketTerms::default()).await;
    let mut operations = rest::operations();
    let public: Vec<_> = operations.iter().filter(|it| it.is_public).map(|it| it.id).collect();
    assert_eq!(public, PUBLIC);
    operations.retain(|it| !it.is_public);
    operations.sort_by_key(|it| it.id == LAST);
    for path in ["/api/v1/ws", "/api/v1/sessions/{session}/stream", "/metrics", "/api/v1/logins"] {
        assert!(operations.iter().any(|it| it.path == path), "{path}");
    }
    let page = log_in(&place.address, &place.token, None).await;
    let other = log_in(&place.address, &place.token, None).await;
    for operation in &operations {
        let start = start(operation);
        let cookie = || vec![page.cookie.clone()];
        let with = |line: String| [cookie(), vec![line]].concat();
        is_refused(&tried(&place, operation, cookie()).await, &start);
        let forged = format!("X-Pilothouse-Proof: {}.{}", page.challenge, "A".repeat(43));
        is_refused(&tried(&place, operation, with(forged)).await, &start);
        let key = format!("X-Pilothouse-Proof: {}", page.key);
        is_refused(&tried(&place, operation, with(key)).await, &start);
        is_refused(&tried(&place, operation, with(other.proof(&start))).await, &start);
        let elsewhere = page.proof("GET /api/v1/health");
        is_refused(&tried(&place, operation, with(elsewhere)).await, &start);
        is_refused(&tried(&place, operation, vec![page.proof(&start)]).await, &start);
        if operation.id != LAST {
            let known = vec![bearer(&place.token)];
            is_let_in(&tried(&place, operation, known).await, &start);
        }
        is_let_in(&tried(&place, operation, page.lines(&start)).await, &start);
    }
    let after = std::fs::read_to_string(bed.path("data/token")).unwrap();
    assert_ne!(after.trim(), place.token, "the last one was let in");
    place.close().await;
}

/// Whoever serves another port of the same host is sent the cookie, and can send any header.
#[tokio::test]
async fn a_stolen_cookie_is_worth_nothing_to_a_program() {
    let bed = Bed::new();
    let place = Place::open(&bed, SocketTerms::default()).await;
    let Page { cookie, challenge, .. } = log_in(&place.address, &place.token, None).await;
    let origin = format!("Origin: http://{}", place.address);
    let stolen = [
        vec![cookie.clone(), origin.clone()],
        vec![cookie.clone(), origin.clone(), "Sec-Fetch-Site: same-origin".to_owned()],
        vec![cookie.clone(), origin.clone(), format!("X-Pilothouse-Proof: {challenge}.")],
    ];
    for lines in stolen {
        let lines: Vec<_> = lines.into_iter().chain([JSON.to_owned()]).collect();
        let body = json!({ "cwd": bed.path("work") }).to_string();
        let made = ask(&place.address, "POST /api/v1/sessions", &lines, &body).await;
        is_refused(&made, "POST /api/v1/sessions");
        let link = ask(&place.address, "POST /api/v1/login/links", &lines, "{}").await;
        is_refused(&link, "POST /api/v1/login/links");
        assert!(Socket::open_with(&place.address, &lines).await.is_err());
    }
    let known = [bearer(&place.token)];
    let sessions = ask(&place.address, "GET /api/v1/sessions", &known, "").await;
    let sessions: Value = serde_json::from_str(&sessions.body).unwrap();
    assert_eq!(sessions["items"], json!([]));
    place.close().await;
}

#[tokio::test]
async fn a_socket_never_echoes_the_proof() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let bed = Bed::new();
    let place = Place::open(&bed, SocketTerms::default()).await;
    let page = log_in(&place.address, &place.token, None).await;
    let lines = [upgrade(), socket_lines(&page, &place.address)].concat();
    let request = super::place::request(&place.address, "GET /api/v1/ws", &lines, "");
    let mut stream = tokio::net::TcpStream::connect(&place.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    assert!(head.starts_with("http/1.1 101"), "{head}");
    assert!(head.contains("sec-websocket-protocol: pilothouse.1\r\n"), "{head}");
    assert!(!head.contains("proof."), "{head}");
    place.close().await;
}
