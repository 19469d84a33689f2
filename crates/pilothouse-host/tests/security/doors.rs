//! Who is let in, and what is not: every route of the daemon that runs.

use serde_json::{Value, json};

use super::bed::Bed;
use super::client::{Daemon, Socket};
use super::place::{Answer, JSON, ask, bearer, counted, log_in, request, socket_lines, upgrade};
use pilothouse_host::Host;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

async fn with_session(bed: &Bed) -> String {
    let host = Host::open(bed.options("")).await.unwrap();
    let session = bed.session(&host).await;
    host.close().await;
    session.to_string()
}

/// The start lines of everything that needs a token: what the daemon says there is, and what it has
/// beside that.
async fn private_routes(daemon: &Daemon, session: &str) -> Vec<String> {
    let known = [bearer(&daemon.token)];
    let mut routes = vec![
        "GET /api/v1/ws".to_owned(),
        format!("GET /api/v1/sessions/{session}/stream"),
        "GET /api/v1/login".to_owned(),
        "POST /api/v1/login/links".to_owned(),
        "POST /api/v1/logout/everywhere".to_owned(),
    ];
    let document = ask(&daemon.address, "GET /api/openapi.json", &known, "").await;
    if document.status != 200 {
        return routes;
    }
    let document: Value = serde_json::from_str(&document.body).unwrap();
    let public = [
        "/api/v1/health",
        "/api/v1/challenge",
        "/api/v1/login",
        "/api/v1/logout",
        "/api/openapi.json",
    ];
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in ["get", "post", "put", "patch", "delete"] {
            if item[method].is_object() && !public.contains(&path.as_str()) {
                let path = fill(path, session);
                routes.push(format!("{} {path}", method.to_uppercase()));
            }
        }
    }
    routes
}

/// A path with something in the place of its parameters.
fn fill(path: &str, session: &str) -> String {
    let parts = path.split('/').map(|part| match part.starts_with('{') {
        true => session,
        false => part,
    });
    parts.collect::<Vec<_>>().join("/")
}

fn refused(answer: &Answer, status: u16, problem: &str) {
    assert_eq!((answer.status, &*answer.problem()), (status, problem), "{answer:?}");
    answer.is_dressed();
}

#[tokio::test]
async fn nobody_is_let_in_without_the_token() {
    let bed = Bed::new();
    let session = with_session(&bed).await;
    let daemon = Daemon::start(&bed).await;
    let before = counted(&bed);
    let routes = private_routes(&daemon, &session).await;
    for (number, route) in routes.iter().enumerate() {
        let ws = if route.ends_with("/ws") { upgrade() } else { Vec::new() };
        let body = if route.starts_with("GET") { "" } else { "{}" };
        let asked = async |more: &[String]| {
            let mut lines = ws.clone();
            lines.push("Content-Type: application/json".to_owned());
            lines.extend(more.iter().cloned());
            ask(&daemon.address, route, &lines, body).await
        };
        refused(&asked(&[]).await, 401, "not-authenticated");
        let wrong = asked(&[bearer(&"0".repeat(43))]).await;
        match wrong.status {
            // Who guesses for long has to wait.
            429 => {
                assert!(number > 0);
                refused(&wrong, 429, "rate-limited");
            }
            _ => refused(&wrong, 401, "not-authenticated"),
        }
        // With the right one it is not for lack of a token that something fails.
        if !route.contains("everywhere") && !route.starts_with("DELETE") {
            let query = format!("{route}?token={}", daemon.token);
            refused(&ask(&daemon.address, &query, &ws, body).await, 400, "token-in-query");
        }
        let elsewhere = [bearer(&daemon.token), "Host: evil.example".to_owned()];
        refused(&asked(&elsewhere).await, 421, "wrong-host");
        let origin = [bearer(&daemon.token), "Origin: http://evil.example".to_owned()];
        refused(&asked(&origin).await, 403, "foreign-origin");
    }
    assert_eq!(counted(&bed), before);
    let who = ask(&daemon.address, "GET /api/v1/login", &[bearer(&daemon.token)], "").await;
    assert_eq!(who.status, 200, "the token works, whatever others have tried: {who:?}");
    let now = std::fs::read_to_string(bed.path("data/token")).unwrap();
    assert_eq!(now.trim(), daemon.token);
    assert!(!bed.path("data/runs").exists(), "nothing was started");
}

#[tokio::test]
async fn a_browser_gets_a_socket_only_from_our_own_page() {
    let bed = Bed::new();
    let daemon = Daemon::start(&bed).await;
    let page = log_in(&daemon.address, &daemon.token, None).await;
    let own = format!("Origin: http://{}", daemon.address);
    let table: [(&str, &[&str], u16, &str); 6] = [
        ("another site", &["Origin: http://evil.example"], 403, "foreign-origin"),
        ("another port", &["Origin: http://127.0.0.1:1"], 403, "foreign-origin"),
        ("no page", &["Origin: null"], 403, "foreign-origin"),
        ("nowhere", &[], 403, "origin-missing"),
        ("a browser that hides it", &["User-Agent: Mozilla/5.0"], 403, "origin-missing"),
        ("cross-site", &[&own, "Sec-Fetch-Site: cross-site"], 403, "foreign-origin"),
    ];
    for (name, more, status, problem) in table {
        let mut lines = upgrade();
        lines.extend([page.cookie.clone(), page.offer()]);
        lines.extend(more.iter().map(|line| (*line).to_owned()));
        let answer = ask(&daemon.address, "GET /api/v1/ws", &lines, "").await;
        assert_eq!((answer.status, &*answer.problem()), (status, problem), "{name}: {answer:?}");
    }
    let mut lines = upgrade();
    lines.extend(socket_lines(&page, &daemon.address));
    let mut stream = tokio::net::TcpStream::connect(&daemon.address).await.unwrap();
    let bytes = request(&daemon.address, "GET /api/v1/ws", &lines, "");
    stream.write_all(bytes.as_bytes()).await.unwrap();
    let mut start = [0; 12];
    stream.read_exact(&mut start).await.unwrap();
    assert_eq!(&start, b"HTTP/1.1 101");
}

#[tokio::test]
async fn what_does_not_fit_is_refused_and_changes_nothing() {
    let bed = Bed::new();
    let session = with_session(&bed).await;
    let daemon = Daemon::start(&bed).await;
    let before = counted(&bed);
    let stream = |id: &str| format!("GET /api/v1/sessions/{id}/stream");
    let links = "POST /api/v1/login/links".to_owned();
    let nobody = "00000000-0000-7000-8000-000000000000";
    let table: Vec<(String, &[&str], &str, u16)> = vec![
        (links.clone(), &["Content-Type: text/plain"], "{}", 415),
        (links.clone(), &["Content-Type: application/x-www-form-urlencoded"], "name=x", 415),
        (links.clone(), &[JSON], "{", 400),
        (links.clone(), &[JSON], "{\"nome\":\"x\"}", 422),
        (links, &[JSON], "{\"name\":\"\\u001b[31m\"}", 422),
        (stream(nobody), &[], "", 404),
        (stream("..%2f..%2f..%2fetc%2fpasswd"), &[], "", 400),
        (stream("%2e%2e"), &[], "", 400),
        (stream("..%5c..%5cwindows"), &[], "", 400),
        (stream("%00"), &[], "", 400),
        (stream("not-a-session"), &[], "", 0),
        (stream("%F0%9F%92%A9"), &[], "", 0),
        (stream(&"a".repeat(9_000)), &[], "", 414),
        (format!("{}?after=-1", stream(&session)), &[], "", 422),
        (format!("{}?after=1&nonsense=2", stream(&session)), &[], "", 422),
        (stream(&session), &["Last-Event-ID: <script>"], "", 422),
        (format!("DELETE /api/v1/sessions/{session}/stream"), &[], "", 405),
        ("GET /api/v1/../../etc/passwd".to_owned(), &[], "", 400),
        ("GET /api/v1/ws".to_owned(), &[], "", 0),
    ];
    for (start, more, body, status) in table {
        let mut lines = vec![bearer(&daemon.token)];
        lines.extend(more.iter().map(|line| (*line).to_owned()));
        let answer = ask(&daemon.address, &start, &lines, body).await;
        // 0: some problem of the client's.
        let fits =
            if status == 0 { (400..500).contains(&answer.status) } else { answer.status == status };
        assert!(fits, "{start} {body}: {answer:?}");
        answer.problem();
        answer.is_dressed();
        assert!(!answer.body.contains("<script>"), "{answer:?}");
    }
    assert_eq!(counted(&bed), before);
}

#[tokio::test]
async fn what_makes_no_sense_over_the_socket_changes_nothing() {
    let bed = Bed::new();
    let session = with_session(&bed).await;
    let daemon = Daemon::start(&bed).await;
    let before = counted(&bed);
    let command =
        |command: Value| json!({"op": "command", "id": 1, "session": session, "command": command});
    let decide = |approval: Value, decision: Value| {
        command(json!({"do": "decide", "approval": approval, "decision": decision}))
    };
    let table = [
        (json!("text"), 422),
        (json!([{"op": "ping", "id": 1}]), 422),
        (json!({"op": "command", "id": 1, "session": "../../etc", "command": {"do": "stop"}}), 422),
        (json!({"op": "command", "id": -1, "session": session, "command": {"do": "stop"}}), 422),
        (json!({"op": "subscribe", "session": "..%2f..", "after": 0}), 422),
        (json!({"op": "subscribe", "session": session, "after": "0; DROP TABLE events"}), 422),
        (command(json!({"do": "prompt", "content": 7})), 422),
        (command(json!({"do": "prompt", "content": "x", "nonsense": 1})), 422),
        (command(json!({"do": "prompt", "content": [{"type": 1}]})), 422),
        (
            command(json!({"do": "prompt", "content": [{"type": "text"}, {"type": "tool_use"}]})),
            422,
        ),
        (
            command(
                json!({"do": "prompt", "content": [{"type": "tool_result", "tool_use_id": "t"}]}),
            ),
            422,
        ),
        (command(json!({"do": "prompt", "content": []})), 422),
        (command(json!({"do": "prompt", "content": " "})), 422),
        (command(json!({"do": "exec", "program": "/bin/sh"})), 422),
        (command(json!({"do": "cancel_prompt", "prompt": "x"})), 422),
        (command(json!({"do": "cancel_prompt", "prompt": session})), 409),
        (command(json!({"do": "stop"})), 409),
        (command(json!({"do": "interrupt"})), 409),
        (decide(json!(1), json!({"kind": "allow"})), 404),
        (decide(json!(1), json!({"kind": "nonsense"})), 422),
        (decide(json!("1"), json!({"kind": "allow"})), 422),
    ];
    for (said, status) in table {
        // A socket each: too much nonsense ends one.
        let mut socket = daemon.socket().await;
        socket.say(said.clone()).await.unwrap();
        let reply = socket.until("reply").await.unwrap();
        assert_eq!(reply["problem"]["status"], status, "{said}: {reply}");
        assert!(reply["result"].is_null(), "{said}: {reply}");
    }
    assert_eq!(counted(&bed), before);
    assert!(!bed.path("data/runs").exists(), "nothing was started");
    assert!(Socket::open(&daemon.address, Some("wrong")).await.is_err());
}
